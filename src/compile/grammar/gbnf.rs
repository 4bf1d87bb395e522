//! The grammar in GBNF, the notation of llama.cpp, which XGrammar and vLLM read too.
//!
//! GBNF knows no tokens, so blanks are written out. Between two parts that would make one word, or a third quote, `blanks`
//! must stand; elsewhere they may. Which of both follows from what a part can end in and the next can begin with. A rule
//! begins and ends without blanks of its own; whoever names it writes them. No rule calls itself at its beginning, which
//! llama.cpp would refuse.

use super::{Class, Grammar, Part, is_token};
use std::fmt::Write;

/// The whole grammar; its root is `root`.
pub(super) fn text(grammar: &Grammar) -> String {
    let mut out = String::from(
        "# The rubric language for llama.cpp, XGrammar and vLLM, written by `rubric grammar --format gbnf`.\n\n",
    );
    if let Some((root, _)) = grammar.rules.first() {
        let _ = writeln!(out, "root ::= blanks? {} blanks?\n", name(root));
    }
    for (rule, part) in grammar.rules.iter().filter(|(rule, _)| !is_token(rule)) {
        let mut writer = Writer { grammar, spaced: true };
        let (text, _) = writer.part(part, Edge::START, false);
        let _ = writeln!(out, "{} ::= {text}", name(rule));
    }
    out.push('\n');
    for (rule, part) in grammar.rules.iter().filter(|(rule, _)| is_token(rule) && *rule != "RESERVED") {
        let mut writer = Writer { grammar, spaced: false };
        let (text, _) = writer.part(part, Edge::START, false);
        let _ = writeln!(out, "{} ::= {text}", name(rule));
    }
    out.push_str(
        "\nspace ::= token-blank | token-comment\nblanks ::= space+\n\
         # Behind a slash: a comment right there would be something else.\nslashed ::= (token-blank space*)?\n",
    );
    out
}

fn name(rule: &str) -> String {
    if is_token(rule) { format!("token-{}", rule.to_lowercase()) } else { rule.to_owned() }
}

/// What can stand at an edge of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Edge {
    word: bool,
    quote: bool,
    slash: bool,
    other: bool,
    /// Nothing stands before: the rule begins here.
    start: bool,
}

impl Edge {
    const START: Edge = Edge { word: false, quote: false, slash: false, other: false, start: true };

    fn of(c: char) -> Edge {
        let word = c.is_alphanumeric() || c == '_';
        let (quote, slash) = (c == '"', c == '/');
        Edge { word, quote, slash, other: !word && !quote && !slash, start: false }
    }

    fn or(self, other: Edge) -> Edge {
        Edge {
            word: self.word || other.word,
            quote: self.quote || other.quote,
            slash: self.slash || other.slash,
            other: self.other || other.other,
            start: self.start || other.start,
        }
    }

    /// What stands between this and a part that begins so.
    fn to(self, next: Edge) -> &'static str {
        if self == Edge::START {
            ""
        } else if self.word && next.word || self.quote && next.quote {
            "blanks "
        } else if self.slash {
            "slashed "
        } else {
            "blanks? "
        }
    }
}

struct Writer<'g> {
    grammar: &'g Grammar,
    /// Whether blanks may stand between parts.
    spaced: bool,
}

impl Writer<'_> {
    fn between(&self, before: Edge, next: Edge) -> &'static str {
        if self.spaced { before.to(next) } else { "" }
    }

    /// The text of a part that stands behind `before`, and what then stands behind the next.
    fn part(&mut self, part: &Part, before: Edge, inside: bool) -> (String, Edge) {
        let group = |text: String| if inside { format!("({text})") } else { text };
        match part {
            Part::Rule(rule) => {
                let blank = self.between(before, first(self.grammar, part));
                let text = format!("{blank}{}", name(rule));
                (if blank.is_empty() { text } else { group(text) }, last(self.grammar, part))
            }
            Part::Literal(literal) => {
                let blank = self.between(before, first(self.grammar, part));
                let text = format!("{blank}{}", quoted(literal));
                (if blank.is_empty() { text } else { group(text) }, last(self.grammar, part))
            }
            Part::Class(class) => (class_text(class), Edge::default()),
            Part::Without(word, reserved) => match self.grammar.without(word, reserved) {
                Some(part) => self.part(&part, before, inside),
                None => (String::new(), before),
            },
            Part::Choice(ways) => {
                let mut after = Edge::default();
                let ways: Vec<String> = ways
                    .iter()
                    .map(|way| {
                        let (text, edge) = self.part(way, before, false);
                        after = after.or(edge);
                        text
                    })
                    .collect();
                (group(ways.join(" | ")), after)
            }
            Part::Sequence(parts) => {
                let (text, after) = self.sequence(parts, before);
                (group(text), after)
            }
            Part::Repeat { of, once, many } => {
                let sign = match (once, many) {
                    (false, false) => "?",
                    (false, true) => "*",
                    (true, _) => "+",
                };
                let behind = if *many { before.or(last(self.grammar, of)) } else { before };
                let (text, after) = self.part(of, behind, true);
                (format!("{text}{sign}"), if *once { after } else { before.or(after) })
            }
        }
    }

    fn sequence(&mut self, parts: &[Part], before: Edge) -> (String, Edge) {
        let mut texts = Vec::new();
        let mut now = before;
        for (at, part) in parts.iter().enumerate() {
            // What may be left out at the beginning of a rule takes its blanks with it.
            if let (Edge::START, true, Part::Repeat { of, once: false, many: false }, Some(next)) =
                (now, self.spaced, part, parts.get(at + 1))
            {
                let (text, after) = self.part(of, now, false);
                texts.push(format!("({text} {})?", after.to(first(self.grammar, next)).trim_end()));
                continue;
            }
            let inside = !matches!(part, Part::Rule(_) | Part::Literal(_) | Part::Sequence(_));
            let (text, after) = self.part(part, now, inside);
            texts.push(text);
            now = after;
        }
        (texts.join(" "), now)
    }
}

/// What a part can begin with.
fn first(grammar: &Grammar, part: &Part) -> Edge {
    edge(grammar, part, true, &mut Vec::new())
}

/// What a part can end in.
fn last(grammar: &Grammar, part: &Part) -> Edge {
    edge(grammar, part, false, &mut Vec::new())
}

/// One edge of a part; `seen` are the rules that were looked at, since a rule may end in itself.
fn edge<'g>(grammar: &'g Grammar, part: &'g Part, front: bool, seen: &mut Vec<&'g str>) -> Edge {
    match part {
        Part::Rule(name) if seen.contains(&name.as_str()) => Edge::default(),
        Part::Rule(name) => {
            seen.push(name);
            grammar.rule(name).map_or_else(Edge::default, |part| edge(grammar, part, front, seen))
        }
        Part::Literal(text) => {
            let c = if front { text.chars().next() } else { text.chars().next_back() };
            c.map_or_else(Edge::default, Edge::of)
        }
        Part::Class(class) => of_class(class),
        Part::Sequence(all) => {
            let mut found = Edge::default();
            for at in 0..all.len() {
                let Some(part) = all.get(if front { at } else { all.len() - 1 - at }) else { break };
                found = found.or(edge(grammar, part, front, seen));
                if !matches!(part, Part::Repeat { once: false, .. }) {
                    break;
                }
            }
            found
        }
        Part::Choice(all) => all.iter().map(|p| edge(grammar, p, front, seen)).fold(Edge::default(), Edge::or),
        Part::Repeat { of, .. } | Part::Without(of, _) => edge(grammar, of, front, seen),
    }
}

/// By the ends of its ranges: our sets hold letters and digits, or signs, never some of both.
fn of_class(class: &Class) -> Edge {
    class.ranges.iter().flat_map(|(lo, hi)| [*lo, *hi]).map(Edge::of).fold(Edge::default(), Edge::or)
}

fn quoted(literal: &str) -> String {
    format!("\"{}\"", literal.replace('\\', "\\\\").replace('"', "\\\""))
}

fn class_text(class: &Class) -> String {
    let mut out = String::from(if class.negated { "[^" } else { "[" });
    for (lo, hi) in &class.ranges {
        let _ = write!(out, "{}", escaped(*lo));
        if lo != hi {
            let _ = write!(out, "-{}", escaped(*hi));
        }
    }
    out.push(']');
    out
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' | ']' | '[' | '^' | '-' => format!("\\{c}"),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::GRAMMAR;
    use super::*;

    /// Rules that `name` can begin with.
    fn begins(name: &str, seen: &mut Vec<String>) {
        fn heads(part: &Part, into: &mut Vec<String>) {
            match part {
                Part::Rule(name) => into.push(name.clone()),
                Part::Sequence(all) => {
                    for part in all {
                        heads(part, into);
                        if !matches!(part, Part::Repeat { once: false, .. }) {
                            break;
                        }
                    }
                }
                Part::Choice(all) => all.iter().for_each(|p| heads(p, into)),
                Part::Repeat { of, .. } | Part::Without(of, _) => heads(of, into),
                Part::Literal(_) | Part::Class(_) => {}
            }
        }
        let mut found = Vec::new();
        heads(GRAMMAR.rule(name).unwrap(), &mut found);
        for name in found {
            if !seen.contains(&name) {
                seen.push(name.clone());
                begins(&name, seen);
            }
        }
    }

    #[test]
    fn no_rule_begins_with_itself() {
        for name in GRAMMAR.rules.keys() {
            let mut seen = Vec::new();
            begins(name, &mut seen);
            assert!(!seen.contains(name), "{name}");
        }
    }

    #[test]
    fn words_are_kept_apart() {
        let text = text(&GRAMMAR);
        let rule = |name: &str| text.lines().find(|l| l.starts_with(&format!("{name} ::="))).unwrap().to_owned();
        assert_eq!(rule("header"), r#"header ::= ("rubric" | "library") blanks token-name"#);
        assert_eq!(rule("signed"), r#"signed ::= ("-" blanks?)? token-number"#);
        assert_eq!(rule("use"), r#"use ::= "use" blanks token-text blanks? "as" blanks token-name"#);
        assert!(rule("product").contains("slashed"), "{}", rule("product"));
        assert!(!text.contains("reserved"));
    }
}
