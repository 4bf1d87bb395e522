//! Texts with `{{field}}` in them.

use super::Surroundings;
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{FieldId, Template, TemplatePart};
use crate::source::Span;
use crate::syntax::ast;

/// Splits a text at its holes. Each must name one field that the criterion sees.
pub(super) fn template(around: &mut Surroundings<'_>, text: &ast::Text, sees: &[FieldId]) -> Template {
    let mut parts = Vec::new();
    let mut at = 0_usize;
    let push = |text: &str, parts: &mut Vec<TemplatePart>| {
        if !text.is_empty() {
            parts.push(TemplatePart::Text(text.into()));
        }
    };
    for inside in &text.holes {
        let (start, end) = (inside.start as usize, inside.end as usize);
        // A hole's range is the inside; the braces stand two bytes to either side.
        push(text.value.get(at..start.saturating_sub(2)).unwrap_or(""), &mut parts);
        at = end + 2;
        let name = text.value.get(start..end).unwrap_or("").trim();
        if let Some(id) = hole(around, name, inside.span, sees) {
            parts.push(TemplatePart::Field(id));
        }
    }
    push(text.value.get(at..).unwrap_or(""), &mut parts);
    Template { parts }
}

fn hole(around: &mut Surroundings<'_>, name: &str, span: Span, sees: &[FieldId]) -> Option<FieldId> {
    let fields = around.fields_of(name);
    let id = match fields.as_slice() {
        [] if name.is_empty() => {
            // There may be nothing to point at between the braces.
            let span = Span { start: span.start.saturating_sub(2), end: span.end.saturating_add(2), ..span };
            around.sink.push(
                Diagnostic::error(Code::BAD_HOLE, span, "`{{}}` names no field", "nothing to insert here")
                    .help("write a declared field between the braces, or `\\{` for a literal brace"),
            );
            return None;
        }
        [] => {
            around.unknown_field(name, span);
            return None;
        }
        [id] => *id,
        _ => {
            around.sink.push(
                Diagnostic::error(
                    Code::BAD_HOLE,
                    span,
                    format!("`{name}` is a whole record and cannot be inserted"),
                    "a record has several parts",
                )
                .help(format!("name one part, such as `{{{{{name}.part}}}}`")),
            );
            return None;
        }
    };
    if !sees.contains(&id) {
        around.sink.push(
            Diagnostic::error(
                Code::NOT_SEEN,
                span,
                format!("the text inserts `{name}`, which this criterion does not see"),
                "not in its `sees`",
            )
            .help(format!("add `{name}` to `sees`, or take it out of the text")),
        );
    }
    Some(id)
}
