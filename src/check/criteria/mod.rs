//! Criteria and checklists: from their declarations to what a judge is asked.
//!
//! A body is read once, statement by statement ([`body`]); the judge's parameters are laid over the file's `default judge`
//! ([`procedure`]); texts become templates whose holes are fields ([`template`]). Composition is not this module's business:
//! it knows fields and types, no other node.
//!
//! Rejected here, for example: `criterion tone: int[1..5] "…" { level 6 "…" }`, since 6 is no value of the type.

mod body;
mod checklist;
mod literal;
mod procedure;
mod template;

#[cfg(test)]
mod tests;

use crate::diagnostics::{Code, Diagnostic, Sink, did_you_mean};
use crate::graph::{self, FieldId};
use crate::rules;
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{Field, Role, Type};
use foldhash::HashMap;
use std::sync::Arc;

pub use checklist::{ChecklistDraft, FromDraft, ItemDraft, checklist};
pub use literal::{constant, value};

/// What stands around a criterion: fields, scales and the default judge of its file.
pub struct Surroundings<'a> {
    pub fields: &'a [Field],
    by_name: HashMap<&'a str, FieldId>,
    /// The type of a scale (`likert`, `lib.likert`).
    pub scales: &'a dyn Fn(&str) -> Option<Type>,
    pub default_judge: Option<&'a ast::Procedure>,
    /// How rules get at files and scales, and which names are in error elsewhere, so that nothing more is said of them.
    pub rules: rules::Scope<'a>,
    pub sink: &'a mut Sink,
}

impl<'a> Surroundings<'a> {
    #[must_use]
    pub fn new(
        fields: &'a [Field],
        scales: &'a dyn Fn(&str) -> Option<Type>,
        default_judge: Option<&'a ast::Procedure>,
        rules: rules::Scope<'a>,
        sink: &'a mut Sink,
    ) -> Surroundings<'a> {
        let ids = (0_u32..).map(FieldId);
        let by_name = fields.iter().zip(ids).map(|(f, id)| (&*f.name, id)).collect();
        Surroundings { fields, by_name, scales, default_judge, rules: rules.with_scales(scales), sink }
    }

    /// The field of that name.
    fn field(&self, name: &str) -> Option<(FieldId, &'a Field)> {
        let id = *self.by_name.get(name)?;
        Some((id, self.fields.get(id.0 as usize)?))
    }

    /// The fields that a path names: one, or all parts of a candidate record.
    fn fields_of(&self, name: &str) -> Vec<FieldId> {
        if let Some((id, _)) = self.field(name) {
            return vec![id];
        }
        let ids = (0_u32..).map(FieldId);
        let part = |f: &Field| f.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.fields.iter().zip(ids).filter(|(f, _)| part(f)).map(|(_, id)| id).collect()
    }

    fn unknown_field(&mut self, name: &str, span: Span) {
        if self.rules.silent.is_some_and(|silent| silent(name)) {
            return;
        }
        let mut found = Diagnostic::error(
            Code::UNKNOWN_NAME,
            span,
            format!("no field is called `{name}`"),
            "not an input, a reference or part of the candidate",
        );
        found = match did_you_mean(name, self.fields.iter().map(|f| &*f.name)) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![crate::diagnostics::Edit::new(span, near)]),
            None => found.help("declare it with `input`, `reference` or `candidate`"),
        };
        self.sink.push(found);
    }

    fn is_candidate(&self, id: FieldId) -> bool {
        self.fields.get(id.0 as usize).is_some_and(|f| f.role == Role::Candidate)
    }
}

/// Elaborates a `criterion` declaration. Returns what the judge is asked and the type of the node, which differs from the
/// judgment's where samples are averaged. `None` where the type is not known (already reported).
pub fn criterion(around: &mut Surroundings<'_>, declared: &ast::Criterion) -> Option<(graph::Criterion, Type)> {
    let scales = around.scales;
    let ty = crate::resolve::types::resolve_type(declared.ty.as_ref()?, scales, around.sink)?;
    let body = body::read(around, &declared.body, body::Of::Criterion);
    assemble(around, ty, &declared.name, &body, graph::Origin::Declared)
}

/// As [`criterion`], for a criterion of a known type that stands elsewhere: an item of a checklist, or a rule that nobody
/// declared, as a JSON program lists them.
pub fn criterion_of(
    around: &mut Surroundings<'_>,
    declared: &ast::Criterion,
    ty: Type,
    origin: graph::Origin,
) -> Option<(graph::Criterion, Type)> {
    let body = body::read(around, &declared.body, body::Of::Criterion);
    assemble(around, ty, &declared.name, &body, origin)
}

/// Puts a criterion together from its type and its statements.
fn assemble(
    around: &mut Surroundings<'_>,
    ty: Type,
    name: &ast::Name,
    body: &body::Body<'_>,
    origin: graph::Origin,
) -> Option<(graph::Criterion, Type)> {
    let sees = body.sees.clone().unwrap_or_else(|| (0..around.fields.len()).map(field_id).collect());
    let judged = procedure::Judged { ty: &ty, name, sees: &sees, in_checklist: origin != graph::Origin::Declared };
    let procedure = procedure::procedure(around, body.judge, &judged);
    let asks = !matches!(procedure, Some(graph::Procedure::Rule(_) | graph::Procedure::Verifier { .. }) | None);
    if asks && body.ask.is_none() {
        around.sink.push(
            Diagnostic::error(
                Code::NO_QUESTION,
                name.span,
                format!("`{}` asks nothing", name.text),
                "a judge would not know what to judge",
            )
            .help("write the question behind the type, or `ask \"…\"` in its body; a computed criterion has `judge rule(…)`"),
        );
    }
    let ask = match body.ask {
        Some(text) => template::template(around, text, &sees),
        None => graph::Template::default(),
    };
    let levels = body::levels(around, body, &ty, &sees);
    let examples = body::examples(around, body, &ty);
    let applies = body.applies.and_then(|applies| procedure::applies(around, applies, &ty, name));
    let procedure = procedure?;
    let node_type = node_type(&ty, &procedure);
    let criterion = graph::Criterion {
        ty,
        origin,
        ask,
        levels,
        examples,
        sees,
        sees_written: body.sees.is_some(),
        applies,
        procedure,
        tags: body.tags.clone(),
    };
    Some((criterion, node_type))
}

/// The node's type: `mean` and `expected` make an int's `score` of the same interval and a bool's `score[0..1]`.
#[must_use]
pub fn node_type(judged: &Type, procedure: &graph::Procedure) -> Type {
    let combine = match procedure {
        graph::Procedure::Human { combine } => *combine,
        graph::Procedure::Llm(llm) => llm.combine,
        graph::Procedure::Cascade { first, .. } => first.combine,
        graph::Procedure::Rule(_) | graph::Procedure::Verifier { .. } => return judged.clone(),
    };
    if !matches!(combine, graph::Combine::Mean | graph::Combine::Expected) {
        return judged.clone();
    }
    let ty = match judged.interval() {
        Some((lo, hi)) => Type::score(lo.clone(), hi.clone()),
        None if judged.is_bool() => Type::UNIT,
        None => return judged.clone(),
    };
    ty.with_optional(judged.optional)
}

fn field_id(index: usize) -> FieldId {
    FieldId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Tags as (key, value).
type Tags = Vec<(Arc<str>, Arc<str>)>;
