//! From a type as written to a [`Type`].
//!
//! Everything that can be wrong with a type alone is found here: an unknown word, a range that is empty or not whole, labels
//! that are too few, repeated or unusable, a tally without its bound. Which scales there are is the caller's business, so that
//! the reader of JSON programs (which have none) comes the same way.
//!
//! Rejected here, for example: `criterion tone: int[5..1] "…"`, since no number is at least 5 and at most 1.

use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind, TypeKind};
use crate::types::{Base, Labels, Type, quote_label};
use foldhash::HashMap;
use std::sync::Arc;

/// The words that begin a type.
pub const TYPE_WORDS: [&str; 7] = ["bool", "int", "score", "ordinal", "choice", "set", "tally"];

/// Labels that one type may have.
pub const MOST_LABELS: usize = 1_000;

/// Characters that a label may have.
pub const LONGEST_LABEL: usize = 200;

/// The greatest `max` of a tally.
pub const GREATEST_TALLY: u32 = 1_000_000;

/// Resolves a type as written. `scales` knows the type of a scale by its (dotted) name.
///
/// `None` where the type is in error; that has been reported, or the parser has.
pub fn resolve_type(expr: &ast::TypeExpr, scales: &dyn Fn(&str) -> Option<Type>, sink: &mut Sink) -> Option<Type> {
    let ty = match &expr.kind {
        TypeKind::Error => return None,
        TypeKind::Named(path) => named(path, scales, sink)?,
        TypeKind::Range { word, lo, hi } => Type::of(range(expr, word, lo, hi, sink)?),
        TypeKind::Labels { word, labels, max } => Type::of(labelled(expr, word, labels, max.as_ref(), sink)?),
    };
    let optional = ty.optional || expr.optional;
    Some(ty.with_optional(optional))
}

fn named(path: &ast::Path, scales: &dyn Fn(&str) -> Option<Type>, sink: &mut Sink) -> Option<Type> {
    let name = path.dotted();
    if name == "bool" {
        return Some(Type::BOOL);
    }
    if let Some(ty) = scales(&name) {
        return Some(ty);
    }
    let found = match name.as_str() {
        "int" => incomplete(path.span, "`int` needs its lowest and highest value", "write, for example, `int[1..5]`"),
        "score" => {
            incomplete(path.span, "`score` needs its lowest and highest value", "write, for example, `score[0..1]`")
        }
        "ordinal" => {
            incomplete(path.span, "`ordinal` needs its labels", "write, for example, `ordinal(poor < fair < good)`")
        }
        "choice" | "set" => incomplete(
            path.span,
            &format!("`{name}` needs its labels"),
            &format!("write, for example, `{name}(first, second)`"),
        ),
        "tally" => incomplete(
            path.span,
            "`tally` needs its labels and a bound",
            "write, for example, `tally(minor, major) max 50`",
        ),
        _ => unknown_type(&name, path.span, std::iter::empty()),
    };
    sink.push(found);
    None
}

fn incomplete(span: Span, headline: &str, help: &str) -> Diagnostic {
    Diagnostic::error(Code::INCOMPLETE_TYPE, span, headline, "not said here").help(help)
}

/// The diagnostic of a word that is no type; `scales` are names that it might have meant.
pub fn unknown_type<'a>(name: &str, span: Span, scales: impl Iterator<Item = &'a str>) -> Diagnostic {
    let foreign = match name {
        "boolean" | "Bool" | "yesno" | "yes_no" | "flag" => Some("bool"),
        "number" | "float" | "real" | "decimal" | "percentage" | "percent" => Some("score[0..1]"),
        "integer" | "likert" | "rating" | "scale" => Some("int[1..5]"),
        "enum" | "category" | "label" | "text" | "string" => Some("choice(first, second)"),
        _ => None,
    };
    let found = Diagnostic::error(
        Code::UNKNOWN_TYPE,
        span,
        format!("`{name}` is not a type"),
        "neither a type nor a scale of this file",
    );
    if let Some(near) = did_you_mean(name, TYPE_WORDS.into_iter().chain(scales)) {
        return found
            .help(format!("did you mean `{near}`?"))
            .suggestion(format!("write `{near}`"), vec![Edit::new(span, near)]);
    }
    match foreign {
        Some(ours) => found
            .help(format!("write `{ours}`, or another of the types"))
            .suggestion(format!("write `{ours}`"), vec![Edit::new(span, ours)]),
        None => found.help(
            "types are `bool`, `int[1..5]`, `score[0..1]`, `ordinal(a < b)`, `choice(a, b)`, `set(a, b)`, `tally(a, b) max 9`, \
             and what `scale` declares",
        ),
    }
}

fn range(expr: &ast::TypeExpr, word: &ast::Name, lo: &Number, hi: &Number, sink: &mut Sink) -> Option<Base> {
    let whole = match &*word.text {
        "int" => true,
        "score" => false,
        "bool" | "ordinal" | "choice" | "set" | "tally" => {
            sink.push(
                Diagnostic::error(
                    Code::UNKNOWN_TYPE,
                    expr.span,
                    format!("`{}` has no range", word.text),
                    "only `int` and `score` have one",
                )
                .help("write `int[…]` for whole numbers or `score[…]` for any numbers between the two"),
            );
            return None;
        }
        other => {
            let found = unknown_type(other, word.span, std::iter::empty());
            let near = did_you_mean(other, ["int", "score"]);
            sink.push(match near {
                Some(near) => found
                    .help(format!("did you mean `{near}`?"))
                    .suggestion(format!("write `{near}`"), vec![Edit::new(word.span, near)]),
                None => found.help("a type with a range is `int[…]` (whole numbers) or `score[…]` (any numbers)"),
            });
            return None;
        }
    };
    if whole && !(lo.is_integer() && hi.is_integer()) {
        sink.push(
            Diagnostic::error(
                Code::INT_ENDS,
                expr.span,
                "the ends of an `int` are whole numbers",
                format!("{} to {}", lo, hi),
            )
            .help("use `score[…]` for numbers with decimals")
            .suggestion("write `score`", vec![Edit::new(word.span, "score")]),
        );
        return None;
    }
    if lo > hi {
        sink.push(
            Diagnostic::error(
                Code::EMPTY_RANGE,
                expr.span,
                "this range is empty",
                format!("no number is at least {lo} and at most {hi}"),
            )
            .help("the lower end comes first")
            .suggestion(
                "swap the ends",
                vec![Edit::new(
                    expr.span,
                    format!("{}[{}..{}]{}", word.text, hi.exact(), lo.exact(), if expr.optional { "?" } else { "" }),
                )],
            ),
        );
        return None;
    }
    let (lo, hi) = (lo.clone(), hi.clone());
    Some(if whole { Base::Int { lo, hi } } else { Base::Score { lo, hi } })
}

fn labelled(
    expr: &ast::TypeExpr,
    word: &ast::Name,
    written: &[ast::Label],
    max: Option<&(Number, Span)>,
    sink: &mut Sink,
) -> Option<Base> {
    if !matches!(&*word.text, "ordinal" | "choice" | "set" | "tally") {
        sink.push(unknown_type(&word.text, word.span, std::iter::empty()));
        return None;
    }
    let labels = labels(expr, word, written, sink)?;
    if let (Some((_, span)), false) = (max, &*word.text == "tally") {
        sink.push(
            Diagnostic::error(Code::TALLY_MAX, *span, format!("`{}` has no `max`", word.text), "only a `tally` counts")
                .help("leave it out"),
        );
        return None;
    }
    Some(match &*word.text {
        "ordinal" => Base::Ordinal(labels),
        "choice" => Base::Choice(labels),
        "set" => Base::Set(labels),
        _ => Base::Tally { labels, max: tally_max(expr, max, sink)? },
    })
}

fn tally_max(expr: &ast::TypeExpr, max: Option<&(Number, Span)>, sink: &mut Sink) -> Option<u32> {
    let Some((max, span)) = max else {
        sink.push(
            incomplete(
                expr.span,
                "a `tally` needs `max`, the greatest count of one label",
                "write how many there can be at the most, for example `max 50`; scores need to know it",
            )
            .suggestion("add `max 50`", vec![Edit::new(before_question_mark(expr), " max 50")]),
        );
        return None;
    };
    let whole = max.to_i64().and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=GREATEST_TALLY).contains(n));
    if whole.is_none() {
        sink.push(
            Diagnostic::error(
                Code::TALLY_MAX,
                *span,
                "the `max` of a tally is a whole number from 1 to 1000000",
                format!("{max} is not"),
            )
            .help("write the greatest count that one label can have"),
        );
    }
    whole
}

/// The empty place where `max` belongs: at the end, or before the `?`.
fn before_question_mark(expr: &ast::TypeExpr) -> Span {
    let end = if expr.optional { expr.span.end.saturating_sub(1) } else { expr.span.end };
    Span { start: end, end, ..expr.span }
}

fn labels(expr: &ast::TypeExpr, word: &ast::Name, written: &[ast::Label], sink: &mut Sink) -> Option<Labels> {
    let mut sound = true;
    let mut first: HashMap<&str, Span> = HashMap::default();
    for label in written {
        if let Some(why) = unusable(&label.text) {
            sound = false;
            sink.push(
                Diagnostic::error(
                    Code::BAD_LABEL,
                    label.span,
                    format!("{} cannot be a label", quote_label(&label.text)),
                    why,
                )
                .help("give it another name"),
            );
            continue;
        }
        if let Some(earlier) = first.insert(&label.text, label.span) {
            sound = false;
            sink.push(
                Diagnostic::error(
                    Code::LABEL_TWICE,
                    label.span,
                    format!("the label {} stands twice", quote_label(&label.text)),
                    "the second one",
                )
                .also(earlier, "the first one")
                .help("labels of one type differ"),
            );
        }
    }
    let least = if matches!(&*word.text, "ordinal" | "choice") { 2 } else { 1 };
    if written.len() < least || written.len() > MOST_LABELS {
        let (headline, label) = if written.len() < least {
            (
                format!("`{}` needs at least {} labels", word.text, if least == 2 { "two" } else { "one" }),
                "with fewer there is nothing to judge".to_owned(),
            )
        } else {
            (format!("`{}` has more than {MOST_LABELS} labels", word.text), format!("{} labels", written.len()))
        };
        let help = if written.len() < least { "add the others, or use `bool`" } else { "group them" };
        sink.push(Diagnostic::error(Code::LABEL_COUNT, expr.span, headline, label).help(help));
        return None;
    }
    sound.then(|| written.iter().map(|l| Arc::clone(&l.text)).collect())
}

/// Why a text cannot be a label.
fn unusable(label: &str) -> Option<&'static str> {
    if label.is_empty() {
        return Some("it is empty");
    }
    if label == "unknown" {
        return Some("`unknown` says that a judge abstains; write `?` behind the type to allow it");
    }
    if label.chars().count() > LONGEST_LABEL {
        return Some("it has more than 200 characters");
    }
    if label.trim() != label || label.chars().any(char::is_control) {
        return Some("it begins or ends with a space, or holds a line break or another control character");
    }
    None
}

/// A type that stands where an argument can: `int[1..5]`, `bool`, `likert`, `choice(a, b)?`. `None` where the expression has
/// not the form of a type.
#[must_use]
pub fn type_of_expr(expr: &ast::Expr) -> Option<ast::TypeExpr> {
    match &expr.bare().kind {
        ExprKind::Type(ty) => Some((**ty).clone()),
        ExprKind::Path(path) => {
            Some(ast::TypeExpr { kind: TypeKind::Named(path.clone()), optional: false, span: expr.span })
        }
        ExprKind::Call { callee, args, table: None } => {
            let [word] = callee.parts.as_slice() else { return None };
            if !matches!(&*word.text, "choice" | "set" | "ordinal" | "tally") {
                return None;
            }
            let labels = args.iter().map(label_of).collect::<Option<Vec<_>>>()?;
            let kind = TypeKind::Labels { word: word.clone(), labels, max: None };
            Some(ast::TypeExpr { kind, optional: false, span: expr.span })
        }
        _ => None,
    }
}

fn label_of(arg: &ast::Arg) -> Option<ast::Label> {
    if arg.name.is_some() || arg.weight.is_some() {
        return None;
    }
    match &arg.value.kind {
        ExprKind::Text(text) => Some(ast::Label { text: Arc::clone(&text.value), span: text.span, quoted: true }),
        _ => arg.value.word().map(|w| ast::Label { text: Arc::clone(&w.text), span: w.span, quoted: false }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span() -> Span {
        Span::default()
    }

    fn name(text: &str) -> ast::Name {
        ast::Name { text: text.into(), span: span() }
    }

    fn resolve(kind: TypeKind, optional: bool) -> (Option<Type>, Vec<Code>) {
        let mut sink = Sink::new();
        let scales = |name: &str| (name == "likert").then(|| Type::int(1, 5));
        let ty = resolve_type(&ast::TypeExpr { kind, optional, span: span() }, &scales, &mut sink);
        (ty, sink.finish().iter().map(|d| d.code).collect())
    }

    fn range_of(word: &str, lo: Number, hi: Number) -> (Option<Type>, Vec<Code>) {
        resolve(TypeKind::Range { word: name(word), lo, hi }, false)
    }

    fn labels_of(word: &str, labels: &[&str], max: Option<i64>) -> (Option<Type>, Vec<Code>) {
        let labels = labels.iter().map(|l| ast::Label { text: (*l).into(), span: span(), quoted: true }).collect();
        let max = max.map(|n| (Number::int(n), span()));
        resolve(TypeKind::Labels { word: name(word), labels, max }, false)
    }

    fn path(text: &str) -> TypeKind {
        TypeKind::Named(ast::Path { parts: vec![name(text)], span: span() })
    }

    #[test]
    fn scales_and_question_marks() {
        assert_eq!(resolve(path("likert"), true).0, Some(Type::int(1, 5).optional()));
        assert_eq!(resolve(path("bool"), false), (Some(Type::BOOL), vec![]));
        assert_eq!(resolve(path("boolean"), false), (None, vec![Code::UNKNOWN_TYPE]));
        assert_eq!(resolve(path("int"), false), (None, vec![Code::INCOMPLETE_TYPE]));
    }

    #[test]
    fn ranges() {
        assert_eq!(range_of("int", Number::int(-1), Number::int(1)).0, Some(Type::int(-1, 1)));
        assert_eq!(range_of("int", Number::int(5), Number::int(1)), (None, vec![Code::EMPTY_RANGE]));
        let half = Number::ratio(1, 2).unwrap();
        assert_eq!(range_of("int", half.clone(), Number::ONE), (None, vec![Code::INT_ENDS]));
        assert_eq!(range_of("score", half.clone(), Number::ONE).0, Some(Type::score(half, Number::ONE)));
        assert_eq!(range_of("scor", Number::ZERO, Number::ONE), (None, vec![Code::UNKNOWN_TYPE]));
        assert_eq!(range_of("set", Number::ZERO, Number::ONE), (None, vec![Code::UNKNOWN_TYPE]));
    }

    #[test]
    fn labels() {
        assert_eq!(labels_of("ordinal", &["a"], None), (None, vec![Code::LABEL_COUNT]));
        assert!(labels_of("set", &["a"], None).0.is_some());
        assert_eq!(labels_of("choice", &["a", "b", "a"], None), (None, vec![Code::LABEL_TWICE]));
        assert_eq!(labels_of("choice", &["a", "unknown"], None), (None, vec![Code::BAD_LABEL]));
        assert_eq!(labels_of("choice", &["a", " b"], None), (None, vec![Code::BAD_LABEL]));
        assert_eq!(labels_of("choice", &["a", "b"], Some(3)), (None, vec![Code::TALLY_MAX]));
        assert_eq!(labels_of("tally", &["a"], None), (None, vec![Code::INCOMPLETE_TYPE]));
        assert_eq!(labels_of("tally", &["a"], Some(0)), (None, vec![Code::TALLY_MAX]));
        assert!(labels_of("tally", &["a"], Some(3)).0.is_some());
        let many: Vec<String> = (0..=MOST_LABELS).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(labels_of("choice", &many, None), (None, vec![Code::LABEL_COUNT]));
    }
}
