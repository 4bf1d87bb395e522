//! `require`: clauses over one or two candidates, and the properties `increasing`, `decreasing` and `reachable`.

use super::condition::Reader;
use super::names::Names;
use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::graph::spec::{Clause, Require, RequireKind, Rising};
use crate::graph::{Mode, NodeKind};
use crate::source::Span;
use crate::syntax::ast::{self, Expr, ExprKind, Name};
use crate::syntax::print;

use crate::types::Base;
use std::sync::Arc;

/// The words of properties.
const PROPERTIES: [&str; 3] = ["increasing", "decreasing", "reachable"];

/// Types a requirement; `None` where it is wrong (and has been reported).
pub(super) fn require(names: &Names<'_>, require: &ast::Require, item: &ast::Item, sink: &mut Sink) -> Option<Require> {
    let (candidates, kind) = match &require.kind {
        ast::RequireKind::Error => return None,
        ast::RequireKind::Always(clauses) => always(names, clauses, item.span, sink)?,
        ast::RequireKind::Property(word, of) => property(names, word, of, sink)?,
    };
    Some(Require {
        name: require.name.as_ref().map(|n| n.value.clone()),
        candidates,
        kind,
        text: print::print_require(require).into(),
        span: item.span,
    })
}

fn always(names: &Names<'_>, clauses: &[ast::Clause], span: Span, sink: &mut Sink) -> Option<(usize, RequireKind)> {
    if clauses.is_empty() {
        let wrong = Diagnostic::error(Code::SPEC_EMPTY, span, "this requirement demands nothing", "no condition");
        sink.push(wrong.help("say what must always hold: `{ when harmful: pointwise <= 2 }`"));
        return None;
    }
    let pair = clauses.iter().any(|c| c.when.as_ref().is_some_and(|w| is_pair(names, w)) || is_pair(names, &c.holds));
    let candidates = candidates(names, pair);
    let reader = Reader { names, candidates: &candidates, require: true };
    let mut typed = Vec::with_capacity(clauses.len());
    let mut fine = true;
    for clause in clauses {
        let when = clause.when.as_ref().map(|w| reader.condition(w, sink));
        let holds = reader.condition(&clause.holds, sink);
        match (when, holds) {
            (None, Some(holds)) => typed.push(Clause { when: None, holds }),
            (Some(Some(when)), Some(holds)) => typed.push(Clause { when: Some(when), holds }),
            _ => fine = false,
        }
    }
    fine.then_some((candidates.len(), RequireKind::Always(typed)))
}

fn candidates(names: &Names<'_>, pair: bool) -> Vec<Arc<str>> {
    if pair { vec!["first".into(), "second".into()] } else { vec![names.program.candidate.clone()] }
}

/// Whether a condition speaks of two candidates. Recursion is bounded by the depth of expressions.
fn is_pair(names: &Names<'_>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(path) | ExprKind::Index(path, _) => {
            let first = path.parts.first().map_or("", |p| &p.text);
            path.parts.len() > 1 && matches!(first, "first" | "second")
                || names.readout(&path.dotted()).is_some_and(|(_, r)| r.mode == Mode::Pairwise)
        }
        ExprKind::Paren(of) | ExprKind::Unary(_, of) => is_pair(names, of),
        ExprKind::Binary(_, _, a, b) => is_pair(names, a) || is_pair(names, b),
        _ => false,
    }
}

fn property(names: &Names<'_>, word: &Name, of: &Expr, sink: &mut Sink) -> Option<(usize, RequireKind)> {
    match &*word.text {
        "increasing" => Some((1, RequireKind::Increasing(rising(names, word, of, sink)?))),
        "decreasing" => Some((1, RequireKind::Decreasing(rising(names, word, of, sink)?))),
        "reachable" => {
            let candidates = candidates(names, is_pair(names, of));
            let reader = Reader { names, candidates: &candidates, require: true };
            let condition = reader.condition(of, sink)?;
            Some((candidates.len(), RequireKind::Reachable(condition)))
        }
        other => {
            let headline = format!("`{other}` is no property that can be required");
            let wrong = Diagnostic::error(Code::REQUIRE_PROPERTY, word.span, headline, "no such property");
            sink.push(match did_you_mean(other, PROPERTIES) {
                Some(near) => wrong
                    .help(format!("did you mean `{near}`?"))
                    .suggestion(format!("write `{near}`"), vec![Edit::new(word.span, near)]),
                None => wrong
                    .help("properties are `increasing(criterion)`, `decreasing(criterion)` and `reachable(condition)`"),
            });
            None
        }
    }
}

/// The criteria of `increasing(c)`: one, or the items of a checklist or group.
fn rising(names: &Names<'_>, word: &Name, of: &Expr, sink: &mut Sink) -> Option<Rising> {
    let mut wrong = |headline: String, label: &str, help: &str| {
        sink.push(Diagnostic::error(Code::REQUIRE_PROPERTY, of.span, headline, label).help(help));
        None
    };
    if let Some(sink_node) = names.node(names.program.sink)
        && !(sink_node.ty.is_number() || matches!(sink_node.ty.base, Base::Bool | Base::Ordinal(_)))
    {
        return wrong(
            format!("the program's result `{}` has no order, so it neither rises nor falls", sink_node.name),
            "rises with what?",
            "state what must hold with `require { when …: … }`",
        );
    }
    let (path, found) = match &of.bare().kind {
        ExprKind::Error => return None,
        ExprKind::Path(path) => (path, names.find(&path.dotted())),
        ExprKind::Index(path, n) => (path, names.item(&path.dotted(), n)),
        _ => {
            return wrong(
                format!("`{}` takes the name of a criterion, an item or a checklist", word.text),
                "no name",
                "as in `require increasing(factuality)`",
            );
        }
    };
    let name = path.dotted();
    let Some(id) = found else {
        if let Some(bundle) = names.bundle(&name) {
            return Some(Rising { leaves: bundle.items().iter().map(|i| i.node).collect(), by_sign: true });
        }
        if names.is_silent(&name) {
            return None;
        }
        let unknown = Diagnostic::error(
            Code::SPEC_NAME,
            of.span,
            format!("no criterion, item or checklist is called `{name}`"),
            "no such name",
        );
        sink.push(match names.nearest(path, true) {
            Some(near) => unknown
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![Edit::new(of.span, near)]),
            None => unknown.help("name what a judge answers"),
        });
        return None;
    };
    let node = names.node(id)?;
    match (&node.kind, &node.ty.base) {
        (NodeKind::Operator(_), _) => wrong(
            format!("`{name}` is computed, and `{}` asks about what a judge answers", word.text),
            "computed by the program",
            "name a criterion, an item or a checklist",
        ),
        (NodeKind::Items { .. }, _) => wrong(
            format!("the items of `{name}` come with each record, so nothing is known of their signs here"),
            "items of a record",
            "state it for criteria that the program names",
        ),
        (_, Base::Choice(_) | Base::Set(_)) => wrong(
            format!("`{name}` has no order: its type is `{}`", node.ty),
            "no lowest and highest",
            "state what must hold for each label: `require { when …: … }`",
        ),
        _ => Some(Rising { leaves: vec![id], by_sign: false }),
    }
}
