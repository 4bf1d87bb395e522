//! Objects, texts, numbers and words, read with every complaint that their shape deserves.

use super::embedded::Embedded;
use super::tree::{Array, Object, ObjectProp, Value};
use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::number::Number;
use crate::source::{Source, Span};
use crate::types::is_bare_label;
use jsonc_parser::common::Ranged;
use std::sync::Arc;

/// What reads: the text, what was found, and the little files inside.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) sink: Sink,
    pub(super) embedded: Embedded,
    /// Some field could not be read, so a field that is not found may be that one.
    pub(super) lost_fields: bool,
}

/// An object whose keys have been checked.
pub(super) struct Given<'a, 'o> {
    object: &'o Object<'a>,
}

impl<'a, 'o> Given<'a, 'o> {
    /// The value of a key; of the first where it stands twice (reported). `null` counts as a value.
    pub(super) fn get(&self, key: &str) -> Option<&'o Value<'a>> {
        self.prop(key).map(|p| &p.value)
    }

    pub(super) fn prop(&self, key: &str) -> Option<&'o ObjectProp<'a>> {
        self.object.properties.iter().find(|p| p.name.as_str() == key)
    }

    pub(super) fn props(&self) -> &'o [ObjectProp<'a>] {
        &self.object.properties
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source, sink: Sink) -> Reader<'a> {
        Reader { source, sink, embedded: Embedded::default(), lost_fields: false }
    }

    pub(super) fn finish(self) -> (Sink, Embedded) {
        (self.sink, self.embedded)
    }

    pub(super) fn span(&self, value: &impl Ranged) -> Span {
        Span::new(self.source.id, value.range().start, value.range().end)
    }

    /// The place of a key.
    pub(super) fn key_span(&self, prop: &ObjectProp<'_>) -> Span {
        let start = prop.range.start;
        let end = start + prop.name.as_str().len() + 2;
        Span::new(self.source.id, start, end.min(prop.range.end))
    }

    /// Where an object begins: a place for what it lacks as a whole.
    fn opening(&self, object: &Object<'_>) -> Span {
        Span::new(self.source.id, object.range.start, object.range.start + 1)
    }

    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        headline: impl Into<String>,
        label: &str,
        help: impl Into<String>,
    ) {
        self.sink.push(Diagnostic::error(code, span, headline, label).help(help));
    }

    fn wrong_kind(&mut self, value: &Value<'_>, wanted: &str) {
        let found = match value {
            Value::StringLit(_) => "a text",
            Value::NumberLit(_) => "a number",
            Value::BooleanLit(_) => "`true` or `false`",
            Value::Object(_) => "an object",
            Value::Array(_) => "a list",
            Value::NullKeyword(_) => "`null`",
        };
        let span = match value {
            Value::Object(object) => self.opening(object),
            Value::Array(list) => Span::new(self.source.id, list.range.start, list.range.start + 1),
            other => self.span(other),
        };
        let help = match value {
            Value::NullKeyword(_) => "leave the key out where there is nothing to say".to_owned(),
            _ => format!("write {wanted}"),
        };
        self.error(Code::JSON_KIND, span, format!("{found} stands where {wanted} belongs"), "wrong kind", help);
    }

    /// An object `what` with these keys and no others; `needed` must be there.
    pub(super) fn object<'o>(
        &mut self,
        value: &'o Value<'a>,
        what: &str,
        known: &[&str],
        needed: &[&str],
    ) -> Option<Given<'a, 'o>> {
        let given = self.any_object(value, what)?;
        for prop in given.props() {
            let key = prop.name.as_str();
            if !known.contains(&key) {
                self.unknown_key(prop, what, known, Code::JSON_UNKNOWN_KEY);
            }
        }
        // A key that is only misspelt has been told already.
        let misspelt = |p: &ObjectProp<'_>, key: &str| {
            !known.contains(&p.name.as_str()) && did_you_mean(p.name.as_str(), known.iter().copied()) == Some(key)
        };
        let lacks = |key: &&&str| given.prop(key).is_none() && !given.props().iter().any(|p| misspelt(p, key));
        let missing: Vec<&str> = needed.iter().filter(lacks).copied().collect();
        if !missing.is_empty() {
            self.missing(value, what, &missing);
        }
        Some(given)
    }

    /// Says that an object lacks these keys.
    pub(super) fn missing(&mut self, value: &Value<'a>, what: &str, keys: &[&str]) {
        let span = match value {
            Value::Object(object) => self.opening(object),
            other => self.span(other),
        };
        let help = match keys {
            [one] => format!("add \"{one}\": …"),
            _ => "add these keys".to_owned(),
        };
        let headline = format!("{what} lacks {}", listed(keys));
        self.error(Code::JSON_MISSING_KEY, span, headline, "not in this object", help);
    }

    /// An object with any keys, each once.
    pub(super) fn any_object<'o>(&mut self, value: &'o Value<'a>, what: &str) -> Option<Given<'a, 'o>> {
        let Value::Object(object) = value else {
            self.wrong_kind(value, what);
            return None;
        };
        let mut seen: std::collections::HashMap<&str, Span> = std::collections::HashMap::new();
        for prop in &object.properties {
            let span = self.key_span(prop);
            if let Some(first) = seen.insert(prop.name.as_str(), span) {
                self.sink.push(
                    Diagnostic::error(
                        Code::JSON_DUPLICATE_KEY,
                        span,
                        format!("`{}` stands twice in this object", prop.name.as_str()),
                        "the second time",
                    )
                    .also(first, "the first time")
                    .help("keep one of them"),
                );
            }
        }
        Some(Given { object })
    }

    /// A key that means nothing, with the nearest that does.
    pub(super) fn unknown_key(&mut self, prop: &ObjectProp<'_>, what: &str, known: &[&str], code: Code) {
        let key = prop.name.as_str();
        let span = self.key_span(prop);
        let mut found = Diagnostic::error(code, span, format!("{what} has no key `{key}`"), "means nothing here");
        found = match did_you_mean(key, known.iter().copied()) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![Edit::new(span, format!("\"{near}\""))]),
            None if known.is_empty() => found.help("take it out; nothing may stand here"),
            None => found.help(format!("take it out; it may have {}", listed(known))),
        };
        self.sink.push(found);
    }

    pub(super) fn array<'o>(&mut self, value: &'o Value<'a>, wanted: &str) -> Option<&'o Array<'a>> {
        match value {
            Value::Array(list) => Some(list),
            other => {
                self.wrong_kind(other, wanted);
                None
            }
        }
    }

    /// The elements of a list under a key; nothing where the key is missing.
    pub(super) fn list<'o>(&mut self, given: &Given<'a, 'o>, key: &str) -> &'o [Value<'a>] {
        match given.get(key) {
            Some(value) => self.array(value, "a list").map_or(&[], |list| &list.elements),
            None => &[],
        }
    }

    pub(super) fn string<'o>(&mut self, value: &'o Value<'a>) -> Option<&'o str> {
        match value {
            Value::StringLit(text) => Some(&text.value),
            other => {
                self.wrong_kind(other, "a text");
                None
            }
        }
    }

    /// The text of a key, where it is there.
    pub(super) fn text(&mut self, given: &Given<'a, '_>, key: &str) -> Option<Arc<str>> {
        let value = given.get(key)?;
        self.string(value).map(Arc::from)
    }

    pub(super) fn doc(&mut self, given: &Given<'a, '_>) -> super::Doc {
        self.text(given, "doc").unwrap_or_else(|| "".into())
    }

    pub(super) fn flag(&mut self, given: &Given<'a, '_>, key: &str) -> bool {
        match given.get(key) {
            None => false,
            Some(Value::BooleanLit(b)) => b.value,
            Some(other) => {
                self.wrong_kind(other, "`true` or `false`");
                false
            }
        }
    }

    /// A number: digits, or the text of a fraction.
    pub(super) fn number(&mut self, value: &Value<'a>) -> Option<Number> {
        let read = match value {
            Value::NumberLit(n) => Number::from_decimal(n.value),
            Value::StringLit(text) => Number::from_exact(&text.value),
            other => {
                self.wrong_kind(other, "a number");
                return None;
            }
        };
        match read {
            Ok(number) => Some(number),
            Err(why) => {
                let span = self.span(value);
                let help = "write a decimal such as 0.25, or an exact fraction such as \"1/3\"";
                self.error(Code::JSON_KIND, span, why.to_string(), "a number belongs here", help);
                None
            }
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, value: &Value<'a>, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.string(value)?;
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*meaning);
        }
        let span = self.span(value);
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let mut found = Diagnostic::error(Code::JSON_WORD, span, format!("`{text}` is no {what}"), "not known");
        found = match did_you_mean(text, known.iter().copied()) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![Edit::new(span, format!("\"{near}\""))]),
            None => found.help(format!("it is one of {}", listed(&known))),
        };
        self.sink.push(found);
        None
    }

    /// Words joined by dots: `answer`, `pair.response1`, a library's `lib.care`.
    pub(super) fn path_name(&mut self, value: &Value<'a>) -> Option<Arc<str>> {
        let text = self.string(value)?;
        if text.contains('.') && text.split('.').all(is_bare_label) {
            return Some(text.into());
        }
        self.name(value)
    }

    /// A name as an author could write it: a word of letters, digits and `_`.
    pub(super) fn name(&mut self, value: &Value<'a>) -> Option<Arc<str>> {
        let text = self.string(value)?;
        if is_bare_label(text) || text == "rest" {
            return Some(text.into());
        }
        let span = self.span(value);
        let help = "a name is one word of letters, digits and `_`, not beginning with a digit";
        self.error(Code::JSON_NAME, span, format!("`{text}` cannot be a name"), "not a name", help);
        None
    }
}

/// Words in backticks, for a help line; not more than a reader can use.
pub(super) fn listed(words: &[&str]) -> String {
    const MOST: usize = 24;
    let mut out: Vec<String> = words.iter().take(MOST).map(|w| format!("`{w}`")).collect();
    if words.len() > MOST {
        out.push("…".to_owned());
    }
    out.join(", ")
}
