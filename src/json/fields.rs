//! The fields of a JSON program and its candidate.

use super::shape::{Given, Reader};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;
use crate::types::{Field, FieldKind, Role};
use std::collections::HashMap;
use std::sync::Arc;

const KEYS: [&str; 5] = ["name", "role", "kind", "optional", "doc"];
const ROLES: [(&str, Role); 3] =
    [("input", Role::Input), ("reference", Role::Reference), ("candidate", Role::Candidate)];

/// All fields that could be read, and the candidate's name.
pub(super) fn read<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>) -> (Vec<Field>, Option<Arc<str>>) {
    let mut fields: Vec<Field> = Vec::new();
    let mut seen: HashMap<Arc<str>, Span> = HashMap::new();
    let kinds: Vec<(&str, FieldKind)> = FieldKind::ALL.iter().map(|k| (k.word(), *k)).collect();
    for value in r.list(root, "fields") {
        let Some(given) = r.object(value, "a field", &KEYS, &["name", "role", "kind"]) else { continue };
        let name = given.get("name").and_then(|v| Some((r.path_name(v)?, r.span(v))));
        let role = given.get("role").and_then(|v| r.word(v, "role of a field", &ROLES));
        let kind = given.get("kind").and_then(|v| r.word(v, "kind of field", &kinds));
        let optional = r.flag(&given, "optional");
        let doc = r.doc(&given);
        let (Some((name, span)), Some(role), Some(kind)) = (name, role, kind) else { continue };
        if let Some(first) = seen.insert(name.clone(), span) {
            r.sink.push(
                Diagnostic::error(Code::JSON_TWICE, span, format!("two fields are called `{name}`"), "the second one")
                    .also(first, "the first one")
                    .help("give each a name of its own"),
            );
            continue;
        }
        fields.push(Field { name, role, kind, optional, doc });
    }
    r.lost_fields = root.get("fields").is_none() || r.list(root, "fields").len() != fields.len();
    let candidate = root.get("candidate").and_then(|v| Some((r.name(v)?, r.span(v))));
    let Some((candidate, span)) = candidate else { return (fields, None) };
    let belongs = |f: &Field| {
        let rest = f.name.strip_prefix(&*candidate);
        f.role == Role::Candidate && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if !fields.iter().any(belongs) && !r.lost_fields {
        r.error(
            Code::JSON_MISSING_KEY,
            span,
            format!("no field holds the candidate `{candidate}`"),
            "nothing would be judged",
            format!("add a field {{\"name\": \"{candidate}\", \"role\": \"candidate\", \"kind\": \"text\"}}"),
        );
    }
    for field in fields.iter().filter(|f| f.role == Role::Candidate && !belongs(f)) {
        r.sink.push(
            Diagnostic::error(
                Code::JSON_NAME,
                seen.get(&field.name).copied().unwrap_or(span),
                format!("`{}` is no part of the candidate `{candidate}`", field.name),
                "a candidate's field",
            )
            .also(span, "the candidate")
            .help(format!("call it `{candidate}`, or `{candidate}.NAME` where the candidate has several parts")),
        );
    }
    (fields, Some(candidate))
}
