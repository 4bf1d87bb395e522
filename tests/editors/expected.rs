//! The compiler's tree in the words of the tree-sitter grammar.

use crate::Node;
use rubric_lang::source::Span;
use rubric_lang::syntax::ast::*;

pub fn tree(file: &File, text: &str) -> Node {
    let mut parts: Vec<Node> = file.name.iter().map(name).collect();
    parts.extend(file.items.iter().map(item));
    sorted("file", (0, text.len()), parts)
}

fn sorted(kind: &str, range: (usize, usize), mut children: Vec<Node>) -> Node {
    children.sort_by_key(|n| n.range.0);
    Node { kind: kind.to_owned(), range, children }
}

fn node(kind: &str, span: Span, children: Vec<Node>) -> Node {
    sorted(kind, (span.start as usize, span.end as usize), children)
}

fn leaf(kind: &str, span: Span) -> Node {
    node(kind, span, Vec::new())
}

fn name(name: &Name) -> Node {
    leaf("name", name.span)
}

fn path(path: &Path) -> Node {
    node("path", path.span, path.parts.iter().map(name).collect())
}

fn text(text: &Text) -> Node {
    let holes = text.holes.iter().filter(|hole| hole.span.start < hole.span.end);
    node("text", text.span, holes.map(|hole| leaf("field", hole.span)).collect())
}

fn field_kind(ty: &FieldType) -> Node {
    node("field_kind", ty.span, vec![name(&ty.kind)])
}

fn item(item: &Item) -> Node {
    let (kind, parts) = match &item.kind {
        ItemKind::Use { path, alias } => ("use_declaration", vec![text(path), name(alias)]),
        ItemKind::Scale { name: n, ty } => ("scale_declaration", vec![name(n), type_of(ty)]),
        ItemKind::DefaultJudge(judge) => ("default_judge", vec![procedure(judge)]),
        ItemKind::Field { name: n, ty, .. } => ("field_declaration", vec![name(n), field_kind(ty)]),
        ItemKind::Candidate { name: n, body } => {
            let mut parts = vec![name(n)];
            match body {
                CandidateBody::Single(ty) => parts.push(field_kind(ty)),
                CandidateBody::Record(fields) => parts.extend(
                    fields
                        .iter()
                        .map(|(n, ty)| node("record_field", n.span.to(ty.span), vec![name(n), field_kind(ty)])),
                ),
            }
            ("candidate_declaration", parts)
        }
        ItemKind::Criterion(criterion) => {
            let mut parts = vec![name(&criterion.name)];
            parts.extend(criterion.ty.iter().map(type_of));
            parts.extend(criterion.body.iter().map(statement));
            ("criterion_declaration", parts)
        }
        ItemKind::Checklist(list) => {
            let mut parts = vec![name(&list.name)];
            parts.extend(list.ty.iter().map(type_of));
            parts.extend(list.from.iter().map(path));
            parts.extend(list.head.iter().map(statement));
            parts.extend(list.entries.iter().map(entry));
            ("checklist_declaration", parts)
        }
        ItemKind::Node(n) => {
            let mut parts = vec![name(&n.name), expr(&n.expr)];
            parts.extend(n.ty.iter().map(type_of));
            parts.extend(n.when.iter().map(condition));
            ("node_declaration", parts)
        }
        ItemKind::Define(define) => {
            let mut parts = vec![name(&define.name), type_of(&define.ty), expr(&define.body)];
            parts.extend(
                define.params.iter().map(|(n, ty)| node("parameter", n.span.to(ty.span), vec![name(n), type_of(ty)])),
            );
            parts.extend(define.when.iter().map(condition));
            ("define_declaration", parts)
        }
        ItemKind::Readout(readout) => {
            let mut parts = vec![leaf("mode", readout.mode.span), expr(&readout.expr)];
            parts.extend(readout.name.iter().map(name));
            ("readout_declaration", parts)
        }
        ItemKind::Observe(p) => ("observe_declaration", vec![path(p)]),
        ItemKind::Require(require) => {
            let mut parts: Vec<Node> = require.name.iter().map(text).collect();
            match &require.kind {
                RequireKind::Always(clauses) => parts.extend(clauses.iter().map(clause)),
                RequireKind::Property(word, e) => parts.extend([name(word), expr(e)]),
                RequireKind::Error => parts.push(leaf("error", item.span)),
            }
            ("require_declaration", parts)
        }
        ItemKind::Test(test) => {
            let mut parts = vec![text(&test.name)];
            for given in &test.givens {
                let candidate = given.candidate.iter().map(name);
                let all = candidate.chain(given.entries.iter().map(assignment)).collect();
                parts.push(node("given", given.span, all));
            }
            parts.extend(test.expects.iter().map(|e| node("expect", e.span, vec![expr(&e.condition)])));
            ("test_declaration", parts)
        }
        ItemKind::Error(_) => ("error", Vec::new()),
    };
    node(kind, item.span, parts)
}

fn condition(when: &When) -> Node {
    node("condition", when.span, vec![expr(&when.condition)])
}

fn clause(clause: &Clause) -> Node {
    let kind = if clause.when.is_some() { "implication" } else { "clause" };
    node(kind, clause.span, clause.when.iter().chain([&clause.holds]).map(expr).collect())
}

fn assignment(given: &Given) -> Node {
    node("assignment", given.span, vec![path(&given.key), expr(&given.value)])
}

fn statement(item: &BodyItem) -> Node {
    let (kind, parts) = match &item.kind {
        // The short question behind a type.
        BodyKind::Ask(t) if t.span == item.span => return text(t),
        BodyKind::Ask(t) => ("ask_statement", vec![text(t)]),
        BodyKind::Level(value, t) => ("level_statement", vec![expr(value), text(t)]),
        BodyKind::Example(given) => ("example_statement", given.iter().map(assignment).collect()),
        BodyKind::Sees(paths) => ("sees_statement", paths.iter().map(path).collect()),
        BodyKind::Applies(p) => ("applies_statement", vec![procedure(p)]),
        BodyKind::Judge(p) => ("judge_statement", vec![procedure(p)]),
        BodyKind::Tag(n, t) => ("tag_statement", vec![name(n), text(t)]),
        BodyKind::Error => ("error", Vec::new()),
    };
    node(kind, item.span, parts)
}

fn procedure(p: &Procedure) -> Node {
    let mut parts = vec![name(&p.word)];
    parts.extend(p.args.iter().map(argument));
    if let Some(otherwise) = &p.otherwise {
        let (second, when) = &**otherwise;
        parts.push(name(&second.word));
        parts.extend(second.args.iter().map(argument));
        parts.push(expr(when));
    }
    node("procedure", p.span, parts)
}

fn entry(entry: &Entry) -> Node {
    match &entry.kind {
        EntryKind::Group { id, weight, text: t, head, entries } => {
            let mut parts = vec![name(id)];
            parts.extend(weight.iter().map(expr));
            parts.extend(t.iter().map(text));
            parts.extend(head.iter().map(statement));
            parts.extend(entries.iter().map(self::entry));
            node("group", entry.span, parts)
        }
        EntryKind::Item { points_span, id, text: t, body, .. } => {
            let mut parts = vec![leaf("points", *points_span), text(t)];
            parts.extend(id.iter().map(name));
            parts.extend(body.iter().map(statement));
            node("item", entry.span, parts)
        }
        EntryKind::Error => leaf("error", entry.span),
    }
}

fn type_of(ty: &TypeExpr) -> Node {
    let (kind, parts) = match &ty.kind {
        TypeKind::Named(p) => ("named_type", vec![path(p)]),
        TypeKind::Range { word, .. } => ("range_type", vec![name(word)]),
        TypeKind::Labels { word, labels, .. } => {
            let labels = labels.iter().map(|label| leaf("label", label.span));
            ("labelled_type", std::iter::once(name(word)).chain(labels).collect())
        }
        TypeKind::Error => ("error", Vec::new()),
    };
    node(kind, ty.span, parts)
}

fn expr(e: &Expr) -> Node {
    match &e.kind {
        ExprKind::Path(p) => path(p),
        ExprKind::Index(p, _) => node("index", e.span, vec![path(p)]),
        ExprKind::Number(_) => leaf("number", e.span),
        ExprKind::Text(t) => text(t),
        ExprKind::Bool(_) => leaf("boolean", e.span),
        ExprKind::Unknown => leaf("unknown", e.span),
        ExprKind::Type(_) => leaf("type_expression", e.span),
        ExprKind::Call { callee, args, table } => {
            let mut parts = vec![path(callee)];
            parts.extend(args.iter().map(argument));
            parts.extend(table.iter().map(|t| node("table", t.span, t.arms.iter().map(arm).collect())));
            node("call", e.span, parts)
        }
        ExprKind::Unary(op, inner) => {
            let kind = if *op == UnaryOp::Not { "unary not" } else { "unary -" };
            node(kind, e.span, vec![expr(inner)])
        }
        ExprKind::Binary(op, _, a, b) => node(&format!("binary {}", op.symbol()), e.span, vec![expr(a), expr(b)]),
        ExprKind::If { condition, then, otherwise } => {
            node("if_expression", e.span, vec![expr(condition), expr(then), expr(otherwise)])
        }
        ExprKind::List(all) => node("list", e.span, all.iter().map(expr).collect()),
        ExprKind::Paren(inner) => node("parenthesized", e.span, vec![expr(inner)]),
        ExprKind::Error => leaf("error", e.span),
    }
}

fn argument(arg: &Arg) -> Node {
    let mut parts: Vec<Node> = arg.name.iter().map(name).collect();
    parts.push(expr(&arg.value));
    parts.extend(arg.weight.iter().map(|w| expr(w)));
    node("argument", arg.span, parts)
}

fn arm(arm: &Arm) -> Node {
    let key = match &arm.key {
        ArmKey::Rest(span) => leaf("rest", *span),
        ArmKey::Below(e) | ArmKey::Expr(e) => expr(e),
    };
    node("arm", arm.span, vec![key, expr(&arm.value)])
}
