//! What the automaton refused, in words: raw terminals become "a name", "an expression", "`ask`, `level` or `judge`".

use super::cx::Refused;
use super::token::{Kind, RESERVED};
use super::words::{DECLARATIONS, ENTRIES, STATEMENTS};
use crate::diagnostics::{Code, Diagnostic, did_you_mean};
use crate::source::{Source, Span};
use lalrpop_util::ParseError;

/// Terminals that begin an expression; together they are called one.
const EXPRESSION: &[&str] = &["word", "number", "text", "true", "false", "unknown", "not", "if", "(", "[", "-"];
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "and", "or", ".", "(", "[", "{", "?"];
/// Accepted only to be mended.
const NEVER: &[&str] = &["+int", "+score", "#expression", "#type", "->", "rubric", "library", "error"];

/// The place of a refused token.
pub(super) fn place(error: &Refused, source: &Source) -> Span {
    let (start, end) = match error {
        ParseError::InvalidToken { location } | ParseError::UnrecognizedEof { location, .. } => (*location, *location),
        ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => (token.0, token.2),
        ParseError::User { .. } => (0, 0),
    };
    Span { file: source.id, start, end }
}

/// The diagnostic of a refused token.
pub(super) fn diagnostic(error: &Refused, source: &Source) -> Diagnostic {
    let span = place(error, source);
    let (found, raw) = match error {
        ParseError::UnrecognizedToken { token: (_, kind, _), expected } => {
            (name_of(*kind, source.slice(span)), expected)
        }
        ParseError::UnrecognizedEof { expected, .. } => ("the end of the text".to_owned(), expected),
        _ => (format!("`{}`", source.slice(span)), &Vec::new()),
    };
    let expected = words(raw);
    let declares = raw.len() > 10 && raw.iter().any(|r| r == "\"criterion\"");
    let written = source.slice(span);
    if declares && matches!(error, ParseError::UnrecognizedToken { token: (_, Kind::Word, _), .. }) {
        let near = did_you_mean(written, DECLARATIONS.iter().map(|(word, _)| *word));
        let diagnostic = Diagnostic::error(
            Code::SYNTAX,
            span,
            format!("`{written}` begins no declaration and continues none"),
            "not expected here",
        );
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("a declaration begins with {}", any_of(&quoted(DECLARATIONS.iter().skip(2).map(|(w, _)| *w))))
            }
        };
        return diagnostic.help(help).expected(expected);
    }
    let takes_a_name = expected.len() <= 4 && expected.iter().any(|e| e == "a name");
    if takes_a_name && RESERVED.iter().any(|(word, _)| *word == written) {
        let headline = format!("`{written}` is a word of the language, so nothing can be named so");
        let diagnostic = Diagnostic::error(Code::SYNTAX, span, headline, "not a name");
        return diagnostic.help(format!("choose another name, for example `is_{written}`")).expected(expected);
    }
    let headline = match expected.len() {
        1..=4 => format!("{} should stand before {found}", any_of(&expected)),
        _ => format!("{found} does not fit here"),
    };
    let diagnostic = Diagnostic::error(Code::SYNTAX, span, headline, "not expected here");
    match expected.is_empty() {
        true => diagnostic.help("leave it out, or put it where it belongs"),
        false => diagnostic.help(format!("here may stand {}", any_of(&expected))),
    }
    .expected(expected)
}

/// What a token is called.
fn name_of(kind: Kind, written: &str) -> String {
    let shown: String = written.chars().take(30).collect();
    let more = if shown.len() < written.len() { "…" } else { "" };
    match kind {
        Kind::Text => format!("the text {shown}{more}"),
        Kind::Number => format!("the number {shown}"),
        kind if kind >= Kind::KwRubric => format!("the word `{shown}`"),
        _ => format!("`{shown}{more}`"),
    }
}

/// Raw terminals in words, in a stable order, without those that only mistakes contain.
fn words(raw: &[String]) -> Vec<String> {
    let mut raw: Vec<&str> = raw.iter().map(|r| r.trim_matches('"')).filter(|r| !NEVER.contains(r)).collect();
    let mut found = Vec::new();
    let has = |raw: &[&str], word: &str| raw.contains(&word);
    if has(&raw, "number") && has(&raw, "(") && has(&raw, "word") {
        raw.retain(|r| !EXPRESSION.contains(r));
        found.push("an expression".to_owned());
    }
    if has(&raw, "==") && has(&raw, "*") {
        raw.retain(|r| !OPERATORS.contains(r));
        found.push("an operator".to_owned());
    }
    if has(&raw, "criterion") && has(&raw, "readout") {
        raw.retain(|r| !DECLARATIONS.iter().any(|(word, _)| word == r));
        found.push("a declaration".to_owned());
    }
    // Signs that are accepted behind a keyword only to be taken away again.
    if has(&raw, "=") && has(&raw, "=>") && has(&raw, ":") {
        raw.retain(|r| !matches!(*r, "=" | "=>" | ":"));
    }
    let keywords = |r: &&str| STATEMENTS.iter().chain(ENTRIES).any(|(word, _)| word == r);
    let (statements, rest): (Vec<&str>, Vec<&str>) = raw.into_iter().partition(keywords);
    found.extend(rest.into_iter().map(|r| match r {
        "word" => "a name".to_owned(),
        "number" => "a number".to_owned(),
        "text" => "a quoted text".to_owned(),
        other => format!("`{other}`"),
    }));
    found.extend(statements.into_iter().map(|w| format!("`{w}`")));
    found.dedup();
    found
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    words.map(|w| format!("`{w}`")).collect()
}

/// `a, b or c`
fn any_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
