//! JSON text with places: `jsonc-parser` behind strict rules, and the JSON pointer of a place.
//!
//! What JSON forbids and people write all the same (comments, trailing commas, single quotes) is reported and then read, so
//! that the rest of the file is checked in the same run. Nesting is bounded by the parser (512 levels).

use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::source::{Source, Span};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind as Kind;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions};

pub(super) use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

/// The tree, and whether the text was at fault.
pub(super) fn parse<'a>(source: &'a Source, sink: &mut Sink) -> (Option<Value<'a>>, bool) {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let mut options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut faulty = false;
    // Every round allows one thing more, so this ends.
    loop {
        let error = match jsonc_parser::parse_to_ast(source.text(), &collect, &options) {
            Ok(result) => {
                if result.value.is_none() {
                    let span = Span::new(source.id, 0, 0);
                    let found = Diagnostic::error(Code::JSON_SYNTAX, span, "the file is empty", "no program here");
                    sink.push(found.help("a JSON program is one object, `{ … }`"));
                    faulty = true;
                }
                return (result.value, faulty);
            }
            Err(error) => error,
        };
        faulty = true;
        let (says, help) = words(error.kind());
        let span = Span::new(source.id, error.range().start, error.range().end.max(error.range().start + 1));
        sink.push(Diagnostic::error(Code::JSON_SYNTAX, span, says, "not JSON from here").help(help));
        let switch = match error.kind() {
            Kind::CommentsNotAllowed => &mut options.allow_comments,
            Kind::TrailingCommasNotAllowed => &mut options.allow_trailing_commas,
            Kind::ExpectedComma => &mut options.allow_missing_commas,
            Kind::SingleQuotedStringsNotAllowed => &mut options.allow_single_quoted_strings,
            Kind::UnaryPlusNumbersNotAllowed => &mut options.allow_unary_plus_numbers,
            Kind::BareDecimalPointNumbersNotAllowed => &mut options.allow_bare_decimal_point_numbers,
            _ => return (None, true),
        };
        if *switch {
            return (None, true);
        }
        *switch = true;
    }
}

/// What is wrong and what to do, in plain words.
fn words(kind: &Kind) -> (String, &'static str) {
    let (says, help) = match kind {
        Kind::CommentsNotAllowed => ("JSON has no comments", "take them out; `doc` keys hold notes"),
        Kind::TrailingCommasNotAllowed => ("there is a comma after the last entry", "take the comma out"),
        Kind::ExpectedComma => ("a comma is missing", "write `,` between entries"),
        Kind::SingleQuotedStringsNotAllowed => ("JSON texts stand in double quotes", "write \"…\""),
        Kind::UnaryPlusNumbersNotAllowed => ("a number has a `+` before it", "write the number without `+`"),
        Kind::BareDecimalPointNumbersNotAllowed => {
            ("a number begins or ends with its point", "write digits on both sides, such as `0.5`")
        }
        Kind::NonFiniteNumbersNotAllowed => ("`NaN` and `Infinity` are no numbers", "write a number in digits"),
        Kind::HexadecimalNumbersNotAllowed => ("numbers are written in decimal digits", "write the number in decimal"),
        Kind::UnterminatedObject => ("a `{` is never closed", "add the missing `}`; is the file cut off?"),
        Kind::UnterminatedArray => ("a `[` is never closed", "add the missing `]`; is the file cut off?"),
        Kind::MultipleRootJsonValues => ("something follows the end of the program", "a file holds one program"),
        Kind::NestingDepthExceeded => ("the brackets are nested too deep", "a program needs a few levels only"),
        Kind::ExpectedColonAfterObjectKey => ("a `:` is missing after a key", "write `\"key\": value`"),
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedWord => {
            ("a word stands here without quotes", "write it in double quotes")
        }
        _ => return (format!("this is not JSON: {kind}").to_lowercase_start(), "compare the text around it with JSON"),
    };
    (says.to_owned(), help)
}

/// Headlines do not begin their foreign part with a capital.
trait LowercaseStart {
    fn to_lowercase_start(self) -> String;
}

impl LowercaseStart for String {
    fn to_lowercase_start(self) -> String {
        match self.split_once(": ") {
            Some((before, after)) => {
                let mut chars = after.chars();
                let first = chars.next().map(|c| c.to_lowercase().collect::<String>()).unwrap_or_default();
                format!("{before}: {first}{}", chars.as_str())
            }
            None => self,
        }
    }
}

/// The JSON pointer (RFC 6901) of the innermost value or key that holds the place.
pub(super) fn pointer(root: &Value<'_>, span: Span) -> String {
    let mut out = String::new();
    let mut at = root;
    let holds = |start: usize, end: usize| start <= span.start as usize && (span.end as usize) <= end;
    loop {
        match at {
            Value::Object(object) => {
                let list = &object.properties;
                let after = list.partition_point(|p| p.range.start <= span.start as usize);
                let Some(inside) = after.checked_sub(1).and_then(|i| list.get(i)) else { return out };
                if !holds(inside.range.start, inside.range.end) {
                    return out;
                }
                out.push('/');
                out.push_str(&inside.name.as_str().replace('~', "~0").replace('/', "~1"));
                if !holds(inside.value.range().start, inside.value.range().end) {
                    return out;
                }
                at = &inside.value;
            }
            Value::Array(array) => {
                let list = &array.elements;
                let after = list.partition_point(|v| v.range().start <= span.start as usize);
                let Some(index) = after.checked_sub(1) else { return out };
                let Some(inside) = list.get(index) else { return out };
                if !holds(inside.range().start, inside.range().end) {
                    return out;
                }
                out.push_str(&format!("/{index}"));
                at = inside;
            }
            _ => return out,
        }
    }
}

/// The value as plain JSON. The tree's depth is bounded, so the walk is.
pub(super) fn plain(value: &Value<'_>) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Value::StringLit(s) => Json::String(s.value.to_string()),
        Value::NumberLit(n) => serde_json::from_str(n.value).unwrap_or(Json::Null),
        Value::BooleanLit(b) => Json::Bool(b.value),
        Value::NullKeyword(_) => Json::Null,
        Value::Array(list) => list.elements.iter().map(plain).collect(),
        Value::Object(map) => {
            Json::Object(map.properties.iter().map(|p| (p.name.as_str().to_owned(), plain(&p.value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn faults(text: &str) -> (bool, Vec<String>) {
        let source = Source::new(FileId(0), "p.json", None, text);
        let mut sink = Sink::new();
        let (tree, _) = parse(&source, &mut sink);
        (tree.is_some(), sink.finish().into_iter().map(|d| d.headline).collect())
    }

    #[test]
    fn what_is_forbidden_is_told_and_still_read() {
        let (read, told) = faults("{ // note\n \"a\": [1, 2,],\n 'b': +5, \"c\": .5 }");
        assert!(read);
        assert_eq!(told.len(), 5, "{told:?}");
    }

    #[test]
    fn nesting_and_torn_text_end_in_one_fault() {
        assert_eq!(faults(&"[".repeat(100_000)).1.len(), 1);
        assert_eq!(faults(&"{\"a\":".repeat(100_000)).1.len(), 1);
        assert_eq!(faults("{\"a\": [1, 2").1, vec!["a `[` is never closed"]);
        assert_eq!(faults("").1, vec!["the file is empty"]);
        assert_eq!(faults("{\"a\": NaN}").1.len(), 1);
    }

    #[test]
    fn pointers_lead_to_the_innermost_value() {
        let text = r#"{"a/b": [0, {"é": "x"}], "c": 1}"#;
        let source = Source::new(FileId(0), "p.json", None, text);
        let (tree, _) = parse(&source, &mut Sink::new());
        let tree = tree.unwrap();
        let at = |what: &str| {
            let start = text.find(what).unwrap();
            pointer(&tree, Span::new(FileId(0), start, start + what.len()))
        };
        assert_eq!(at("\"x\""), "/a~1b/1/é");
        assert_eq!(at("\"é\""), "/a~1b/1/é");
        assert_eq!(at("0"), "/a~1b/0");
        assert_eq!(at("1}"), "");
    }
}
