//! The grammar in the notation of Lark, as `lark` and llguidance both read it: rules in lower case, each token one regular
//! expression without look-around, blanks and comments ignored.

use super::{Class, Grammar, Part, is_token};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Tokens that may stand between any two others.
const IGNORED: [&str; 2] = ["BLANK", "COMMENT"];

/// The whole grammar; its root is `start`.
pub(super) fn text(grammar: &Grammar) -> String {
    let mut out = String::from(
        "// The rubric language for Lark and llguidance, written by `rubric grammar --format lark`.\n\
         // A word of the language may be a name where a name stands, so an engine has to try both.\n\n",
    );
    if let Some((root, _)) = grammar.rules.first() {
        // llguidance ignores nothing before the first token.
        let _ = writeln!(out, "start: LEADING? {root}\n");
    }
    let mut tokens: BTreeSet<&str> = IGNORED.into();
    for (name, part) in grammar.rules.iter().filter(|(name, _)| !is_token(name)) {
        collect(part, &mut tokens);
        match part {
            Part::Choice(ways) => {
                let ways: Vec<String> = ways.iter().map(|way| rule(way, false)).collect();
                let _ = writeln!(out, "{name}: {}", ways.join("\n    | "));
            }
            part => {
                let _ = writeln!(out, "{name}: {}", rule(part, false));
            }
        }
    }
    out.push('\n');
    for (name, part) in grammar.rules.iter().filter(|(name, _)| tokens.contains(name.as_str())) {
        let _ = writeln!(out, "{name}: /{}/", regex(grammar, part).replace('/', "\\/"));
    }
    let leading = Part::Choice(IGNORED.map(|name| Part::Rule(name.to_owned())).into());
    let _ = writeln!(out, "LEADING: /{}+/\n", regex(grammar, &leading).replace('/', "\\/"));
    for name in IGNORED {
        let _ = writeln!(out, "%ignore {name}");
    }
    out
}

fn collect<'g>(part: &'g Part, tokens: &mut BTreeSet<&'g str>) {
    match part {
        Part::Rule(name) if is_token(name) => {
            tokens.insert(name);
        }
        Part::Rule(_) | Part::Literal(_) | Part::Class(_) => {}
        Part::Sequence(all) | Part::Choice(all) => all.iter().for_each(|p| collect(p, tokens)),
        Part::Repeat { of, .. } => collect(of, tokens),
        Part::Without(a, b) => {
            collect(a, tokens);
            collect(b, tokens);
        }
    }
}

/// A part of a rule; in parentheses where it stands inside of another.
fn rule(part: &Part, inside: bool) -> String {
    let group = |text: String| if inside { format!("({text})") } else { text };
    match part {
        Part::Rule(name) => name.clone(),
        Part::Literal(text) => format!("{text:?}"),
        Part::Sequence(all) => group(all.iter().map(|p| rule(p, true)).collect::<Vec<_>>().join(" ")),
        Part::Choice(all) => group(all.iter().map(|p| rule(p, true)).collect::<Vec<_>>().join(" | ")),
        Part::Repeat { of, once, many } => format!("{}{}", rule(of, true), sign(*once, *many)),
        // Both stand in tokens only.
        Part::Class(_) | Part::Without(..) => String::new(),
    }
}

fn sign(once: bool, many: bool) -> &'static str {
    match (once, many) {
        (false, false) => "?",
        (false, true) => "*",
        (true, _) => "+",
    }
}

/// A token as a regular expression that every engine reads alike.
pub(super) fn regex(grammar: &Grammar, part: &Part) -> String {
    match part {
        Part::Rule(name) => grammar.rule(name).map_or_else(String::new, |part| regex(grammar, part)),
        Part::Literal(text) => text.chars().map(|c| escaped(c, false)).collect(),
        Part::Class(class) => class_text(class),
        Part::Sequence(all) => all.iter().map(|p| piece(grammar, p)).collect(),
        Part::Choice(all) => {
            let ways: Vec<String> = all.iter().map(|p| regex(grammar, p)).collect();
            format!("(?:{})", ways.join("|"))
        }
        Part::Repeat { of, once, many } => {
            let inner = piece(grammar, of);
            let inner = if is_one(grammar, of) { inner } else { format!("(?:{inner})") };
            format!("{inner}{}", sign(*once, *many))
        }
        Part::Without(word, reserved) => {
            grammar.without(word, reserved).map_or_else(String::new, |part| regex(grammar, &part))
        }
    }
}

fn piece(grammar: &Grammar, part: &Part) -> String {
    regex(grammar, part)
}

/// Whether a part is one character or a group, which a sign of repetition may follow.
fn is_one(grammar: &Grammar, part: &Part) -> bool {
    match part {
        Part::Rule(name) => grammar.rule(name).is_some_and(|part| is_one(grammar, part)),
        Part::Literal(text) => text.chars().count() == 1,
        Part::Class(_) | Part::Choice(_) => true,
        _ => false,
    }
}

fn class_text(class: &Class) -> String {
    let mut out = String::from(if class.negated { "[^" } else { "[" });
    for (lo, hi) in &class.ranges {
        out.push_str(&escaped(*lo, true));
        if lo != hi {
            out.push('-');
            out.push_str(&escaped(*hi, true));
        }
    }
    out.push(']');
    out
}

fn escaped(c: char, in_class: bool) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' | ']' | '[' | '^' | '-' if in_class => format!("\\{c}"),
        '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\\' if !in_class => {
            format!("\\{c}")
        }
        c => c.to_string(),
    }
}
