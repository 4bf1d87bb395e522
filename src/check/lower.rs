//! Expressions: from what is written to nodes, constants and bundles.
//!
//! Every part that is no name and no constant becomes a node, named after its parent and the place in it. Depth is bounded by
//! the parser and, where `define`s unfold, by [`super::elaborate::MOST_NESTED`].
//!
//! Rejected here, for example: `transform tone = answer`, since a text is no judgment.

use super::bundle::Part;
use super::constant;
use super::elaborate::{Elaborator, MOST_NESTED, State};
use crate::catalog::typing::{Argument, Literal, Written};
use crate::catalog::{NodeId, Op};
use crate::diagnostics::{Code, Diagnostic, Edit, did_you_mean};
use crate::graph::FieldId;
use crate::number::Number;
use crate::resolve::scope::{DeclKind, Lookup};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{FieldKind, Type};
use foldhash::HashMap;
use std::sync::Arc;

/// How many unknown names of a program get a suggestion.
const MOST_SUGGESTIONS: usize = 100;

/// What an expression has become.
#[derive(Debug, Clone)]
pub(super) enum Lowered {
    Node(NodeId),
    /// An item of a checklist named by itself: a yes/no node that carries points.
    Item(NodeId, Number),
    Constant(Literal),
    /// A checklist or a group of it.
    Bundle(Part),
    /// It is in error, which has been reported.
    Error,
}

impl Lowered {
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Lowered::Node(id) | Lowered::Item(id, _) => Some(*id),
            _ => None,
        }
    }
}

/// Where an expression stands: its file, and inside a `define` what the parameters are.
#[derive(Clone, Copy)]
pub(super) struct Env<'e> {
    pub unit: usize,
    pub params: Option<&'e HashMap<&'e str, Lowered>>,
    /// Where a `define` is being unfolded: the call. Its body has been checked where it stands, so what is wrong now is
    /// the call's.
    pub call: Option<Span>,
}

impl Env<'_> {
    pub fn of(unit: usize) -> Env<'static> {
        Env { unit, params: None, call: None }
    }

    pub fn param(&self, word: &str) -> Option<&Lowered> {
        self.params.and_then(|p| p.get(word))
    }
}

/// How a node will be called.
#[derive(Clone, Copy)]
pub(super) enum Naming<'n> {
    Own(&'n str),
    /// A slot (from 1) of a parent.
    Slot(&'n str, usize),
    /// A port of a parent.
    Port(&'n str, &'n str),
}

impl Naming<'_> {
    fn name(&self) -> Arc<str> {
        match self {
            Naming::Own(name) => (*name).into(),
            Naming::Slot(parent, slot) => format!("{parent}.{slot}").into(),
            Naming::Port(parent, port) => format!("{parent}.{port}").into(),
        }
    }
}

/// The place that an expression fills.
#[derive(Clone, Copy)]
pub(super) struct Place<'n> {
    pub naming: Naming<'n>,
    /// The type that the declaration gives it.
    pub written: Option<&'n Type>,
    pub written_span: Option<Span>,
    pub doc: Option<&'n Arc<str>>,
    /// Where the node was written, if not where its expression stands.
    pub span: Option<Span>,
    /// What nested parts are called after, if not after the node: of an unfolded `define`.
    pub inner: Option<&'n str>,
}

impl<'n> Place<'n> {
    pub fn of(naming: Naming<'n>) -> Place<'n> {
        Place { naming, written: None, written_span: None, doc: None, span: None, inner: None }
    }

    pub fn name(&self) -> Arc<str> {
        self.naming.name()
    }

    /// After what nested parts are called, given the node's own name.
    pub fn parent<'p>(&self, name: &'p str) -> &'p str
    where
        'n: 'p,
    {
        self.inner.unwrap_or(name)
    }
}

impl<'a> Elaborator<'a> {
    /// Lowers the expression of a declaration, with the trigger of a gate.
    pub fn lower_root(&mut self, env: &Env<'_>, expr: &Expr, when: Option<&ast::When>, place: Place<'_>) -> Lowered {
        match (&expr.bare().kind, when) {
            (ExprKind::Call { callee, args, table }, _) => {
                self.call(env, expr, callee, args, table.as_deref(), place, when)
            }
            (_, Some(when)) => {
                let lowered = self.lower(env, expr, place);
                if !matches!(lowered, Lowered::Error) {
                    self.report(env, when_without_gate(when.span));
                }
                Lowered::Error
            }
            (_, None) => self.lower(env, expr, place),
        }
    }

    /// Lowers an expression.
    pub fn lower(&mut self, env: &Env<'_>, expr: &Expr, place: Place<'_>) -> Lowered {
        if let Some(number) = self.folded(env, expr) {
            return match number {
                Ok(number) => Lowered::Constant(Literal::Number(number)),
                Err(()) => Lowered::Error,
            };
        }
        self.depth += 1;
        let lowered = if self.depth > MOST_NESTED {
            self.report(env, too_deep(expr.span));
            Lowered::Error
        } else {
            self.lower_kind(env, expr, place)
        };
        self.depth -= 1;
        lowered
    }

    fn lower_kind(&mut self, env: &Env<'_>, expr: &Expr, place: Place<'_>) -> Lowered {
        match &expr.kind {
            ExprKind::Error => Lowered::Error,
            ExprKind::Paren(inner) => self.lower(env, inner, place),
            ExprKind::Number(number) => Lowered::Constant(Literal::Number(number.clone())),
            ExprKind::Bool(value) => Lowered::Constant(Literal::Bool(*value)),
            ExprKind::Unknown => Lowered::Constant(Literal::Unknown),
            ExprKind::Path(path) => self.path(env, path),
            ExprKind::Index(path, number) => self.index(env, path, number, expr.span),
            ExprKind::Call { callee, args, table } => self.call(env, expr, callee, args, table.as_deref(), place, None),
            ExprKind::Unary(UnaryOp::Not, inner) => self.not(env, expr, inner, place),
            ExprKind::Unary(UnaryOp::Negate, inner) => self.negated(env, expr, inner, place),
            ExprKind::Binary(op, at, left, right) => self.binary(env, expr, *op, *at, left, right, place),
            ExprKind::If { condition, then, otherwise } => self.branches(env, expr, condition, then, otherwise, place),
            ExprKind::Text(_) | ExprKind::Type(_) | ExprKind::List(_) => {
                self.report(env, no_judgment(expr));
                Lowered::Error
            }
        }
    }

    /// The number, where an expression is arithmetic of constants; `Err` where it divides by zero (reported).
    pub fn folded(&mut self, env: &Env<'_>, expr: &Expr) -> Option<Result<Number, ()>> {
        match constant::fold(env, expr)? {
            Ok(number) => Some(Ok(number)),
            Err(span) => {
                self.report(
                    env,
                    Diagnostic::error(Code::DIVIDES_BY_ZERO, span, "this divides by zero", "there is no such number")
                        .help("write another divisor"),
                );
                Some(Err(()))
            }
        }
    }

    /// What a name means in an expression.
    pub fn path(&mut self, env: &Env<'_>, path: &ast::Path) -> Lowered {
        if let [word] = path.parts.as_slice()
            && let Some(bound) = env.param(&word.text)
        {
            return bound.clone();
        }
        match self.scopes.lookup(env.unit, &path.parts) {
            Lookup::Silent => Lowered::Error,
            Lookup::Unknown(part, within) => {
                let found = self.unknown_name(env, part, within, None);
                self.report(env, found);
                Lowered::Error
            }
            Lookup::Found(id, rest) => {
                let Some(decl) = self.scopes.get(id) else { return Lowered::Error };
                match (decl.kind, rest) {
                    (DeclKind::Checklist(_), _) => match self.ensure(id) {
                        State::Bundle(index) => self.part(env, index, rest),
                        _ => Lowered::Error,
                    },
                    (DeclKind::Field(..) | DeclKind::Candidate(_), _) => self.field(env, path, rest),
                    (DeclKind::Criterion(_) | DeclKind::Node(_), []) => match self.ensure(id) {
                        State::Node(node) => Lowered::Node(node),
                        _ => Lowered::Error,
                    },
                    (kind, _) => {
                        let found = self.wrong_kind(path, &kind, rest, decl.span);
                        self.report(env, found);
                        Lowered::Error
                    }
                }
            }
        }
    }

    fn wrong_kind(&self, path: &ast::Path, kind: &DeclKind<'_>, rest: &[ast::Name], declared: Span) -> Diagnostic {
        let name = path.dotted();
        if let (DeclKind::Criterion(_) | DeclKind::Node(_), Some(part)) = (kind, rest.first()) {
            return Diagnostic::error(
                Code::WRONG_KIND,
                part.span,
                format!("`{}` has no parts", name.split('.').next().unwrap_or(&name)),
                format!("`{}` means nothing here", part.text),
            )
            .also(declared, format!("{} without parts", kind.words()))
            .help("only checklists, the candidate and libraries have parts that can be named");
        }
        let help = match kind {
            DeclKind::Scale(_) => "a scale is a type: name a criterion or a node instead",
            DeclKind::Define(_) => "call it: its arguments stand in parentheses behind it",
            DeclKind::Alias(_) => "name something of the library, with a dot between",
            DeclKind::Readout(_) => "a readout comes last and cannot be scored again: name the node that it reads",
            _ => "name a criterion or a node",
        };
        Diagnostic::error(
            Code::WRONG_KIND,
            path.span,
            format!("`{name}` is {}, not a judgment", kind.words()),
            "cannot stand in a score",
        )
        .also(declared, "declared here")
        .help(help)
    }

    /// A field in an expression: a flag is a yes/no node, everything else needs a rule.
    fn field(&mut self, env: &Env<'_>, path: &ast::Path, rest: &[ast::Name]) -> Lowered {
        let Some(id) = self.field_of(path, rest) else {
            let found = match rest.first() {
                Some(part) => self.unknown_part(path, part),
                None => Diagnostic::error(
                    Code::FIELD_IN_SCORE,
                    path.span,
                    format!("`{}` is the whole candidate, not a judgment", path.dotted()),
                    "a score is made of judgments",
                )
                .help("declare a criterion that judges it"),
            };
            self.report(env, found);
            return Lowered::Error;
        };
        let Some(field) = self.fields.get(id) else { return Lowered::Error };
        let (name, word) = (path.dotted(), field.kind.word());
        let help = match field.kind {
            FieldKind::Flag => return self.flag(id).map_or(Lowered::Error, Lowered::Node),
            FieldKind::Number => format!(
                "compare it (`{name} >= 3`), or make a criterion of it: `criterion NAME: score[0..10] {{ judge rule(clamp({name}, \
                 to: score[0..10])) }}`"
            ),
            _ => "let a judge answer a question about it, or compute something with a rule: `criterion NAME: bool { judge \
                  rule(…) }`"
                .to_owned(),
        };
        self.report(
            env,
            Diagnostic::error(
                Code::FIELD_IN_SCORE,
                path.span,
                format!("`{name}` is a field ({word}), not a judgment"),
                "a score is made of judgments",
            )
            .help(help),
        );
        Lowered::Error
    }

    /// The field that a path means, given what of it stands behind the declaration.
    pub fn field_of(&self, path: &ast::Path, rest: &[ast::Name]) -> Option<FieldId> {
        let own = path.parts.len().saturating_sub(rest.len());
        let first = path.parts.get(own.saturating_sub(1))?;
        match rest {
            [] => self.fields.find(&first.text),
            [part] => self.fields.find(&format!("{}.{}", first.text, part.text)),
            _ => None,
        }
    }

    fn unknown_part(&self, path: &ast::Path, part: &ast::Name) -> Diagnostic {
        let of = path.parts.first().map_or("", |p| &p.text);
        let parts: Vec<&str> = self
            .fields
            .list
            .iter()
            .filter_map(|f| f.name.strip_prefix(of).and_then(|rest| rest.strip_prefix('.')))
            .collect();
        let found = Diagnostic::error(
            Code::UNKNOWN_NAME,
            part.span,
            format!("`{of}` has no part `{}`", part.text),
            "not declared",
        );
        suggest(found, &part.text, part.span, &parts, || match parts.is_empty() {
            true => format!("`{of}` has no parts"),
            false => format!("its parts are {}", list(&parts)),
        })
    }

    /// The diagnostic of a name that nothing declares; `labels` are labels that could have stood in its place.
    pub fn unknown_name(&self, env: &Env<'_>, name: &ast::Name, within: usize, labels: Option<&Type>) -> Diagnostic {
        // Each unknown name of a large file would be compared with all known ones.
        let asked = self.suggested.get();
        self.suggested.set(asked + 1);
        let wanted =
            |kind: &DeclKind<'_>| !matches!(kind, DeclKind::Scale(_) | DeclKind::Define(_) | DeclKind::Readout(_));
        let mut near = if asked < MOST_SUGGESTIONS { self.scopes.names(within, wanted) } else { Vec::new() };
        near.extend(env.params.iter().flat_map(|p| p.keys().copied()));
        near.extend(labels.and_then(Type::labels).iter().flat_map(|l| l.iter().map(|l| &**l)));
        near.sort_unstable();
        if let Some(meant) = did_you_mean(&name.text, near.iter().copied()) {
            self.meant.borrow_mut().insert(meant.to_owned());
        }
        let found = Diagnostic::error(
            Code::UNKNOWN_NAME,
            name.span,
            format!("nothing is called `{}`", name.text),
            "not declared",
        );
        suggest(found, &name.text, name.span, &near, || {
            "declare a criterion or a node of that name, or correct the name".to_owned()
        })
    }

    /// A diagnostic about an expression; where a `define` is being unfolded, about the call.
    pub fn report(&mut self, env: &Env<'_>, diagnostic: Diagnostic) {
        match env.call {
            None => self.sink.push(diagnostic),
            Some(_) if !diagnostic.is_error() => {}
            // Said once, at the call that goes too far.
            Some(call) if diagnostic.code == Code::DEFINE_TOO_DEEP => self.sink.push(too_deep(call)),
            Some(call) => {
                let inside = diagnostic.span();
                let mut outer = Diagnostic::error(
                    Code::DEFINE_ARGUMENTS,
                    call,
                    format!("this call does not work out: {}", diagnostic.headline),
                    "with these arguments",
                )
                .also(inside, diagnostic.labels.first().map_or("", |l| &l.text));
                outer.help = diagnostic.help;
                self.sink.push(outer);
            }
        }
    }

    /// Types an application and adds its node.
    #[expect(clippy::too_many_arguments, reason = "an application, and where it stands")]
    pub fn apply(
        &mut self,
        env: &Env<'_>,
        op: Op,
        arguments: &[Vec<Argument>],
        params: &Written,
        place: Place<'_>,
        name: Arc<str>,
        spans: &super::faults::Spans,
    ) -> Lowered {
        use crate::catalog::typing::infer;
        match infer(op, arguments, params, place.written) {
            Ok(typed) => {
                for fault in &typed.warnings {
                    self.report(env, super::faults::diagnostic(fault, spans, place.written_span));
                }
                let doc = place.doc.cloned().unwrap_or_else(|| Arc::from(""));
                let span = place.span.unwrap_or(spans.whole);
                let kind = crate::graph::NodeKind::Operator(Box::new(typed.operation));
                if env.call.is_some() {
                    self.unfolded += 1;
                }
                Lowered::Node(self.push(name, doc, typed.ty, kind, span))
            }
            Err(faults) => {
                for fault in &faults {
                    self.report(env, super::faults::diagnostic(fault, spans, place.written_span));
                }
                Lowered::Error
            }
        }
    }

    /// A lowered part as an argument of a port that takes one judgment or constant.
    pub fn single(&mut self, env: &Env<'_>, lowered: &Lowered, span: Span) -> Argument {
        match lowered {
            Lowered::Node(id) | Lowered::Item(id, _) => self.argument(*id),
            Lowered::Constant(literal) => Argument::Constant(literal.clone()),
            Lowered::Error => Argument::Error,
            Lowered::Bundle(part) => {
                let found = self.bundle_here(part, span);
                self.report(env, found);
                Argument::Error
            }
        }
    }

    fn not(&mut self, env: &Env<'_>, expr: &Expr, inner: &Expr, place: Place<'_>) -> Lowered {
        let name = place.name();
        let parent = place.parent(&name);
        let lowered = self.lower(env, inner, Place::of(Naming::Port(parent, "x")));
        let argument = self.single(env, &lowered, inner.span);
        let spans = super::faults::Spans::of(expr.span).slot(0, inner.span);
        self.apply(env, Op::Not, &[vec![argument]], &Written::default(), place, Arc::clone(&name), &spans)
    }

    /// `-x` is `0 - x`.
    fn negated(&mut self, env: &Env<'_>, expr: &Expr, inner: &Expr, place: Place<'_>) -> Lowered {
        let name = place.name();
        let parent = place.parent(&name);
        let lowered = self.lower(env, inner, Place::of(Naming::Port(parent, "right")));
        let right = self.single(env, &lowered, inner.span);
        let zero = Argument::Constant(Literal::Number(Number::ZERO));
        let spans = super::faults::Spans::of(expr.span).slot(0, expr.span).slot(1, inner.span);
        self.apply(env, Op::Subtract, &[vec![zero], vec![right]], &Written::default(), place, Arc::clone(&name), &spans)
    }

    /// A declaration whose expression came to something that is there already, or to a constant.
    pub fn nothing_new(&self, node: &ast::Node, lowered: &Lowered) -> Diagnostic {
        let expr = node.expr.bare();
        let word = match node.family {
            ast::Family::Transform => "transform",
            ast::Family::Reduce => "reduce",
            ast::Family::Gate => "gate",
        };
        let (headline, help) = match lowered {
            Lowered::Constant(_) => {
                (format!("`{}` is always the same", node.name.text), "write the constant where it is needed".to_owned())
            }
            _ => {
                let other = self.text(expr.span);
                (
                    format!("`{}` is `{other}` under another name", node.name.text),
                    format!("delete this `{word}` and write `{other}` where it is read"),
                )
            }
        };
        Diagnostic::error(Code::NOTHING_NEW, expr.span, headline, "nothing is computed here").help(help)
    }

    /// Several operands of `and`, `or`, without parentheses between them, are slots of one node.
    pub fn joined(&mut self, env: &Env<'_>, expr: &Expr, op: BinaryOp, place: Place<'_>) -> Lowered {
        let mut operands = Vec::new();
        flatten(expr, op, &mut operands);
        let name = place.name();
        let parent = place.parent(&name);
        let mut slots = Vec::with_capacity(operands.len());
        let mut spans = super::faults::Spans::of(expr.span);
        for (at, operand) in operands.iter().enumerate() {
            let lowered = self.lower(env, operand, Place::of(Naming::Slot(parent, at + 1)));
            slots.push(self.single(env, &lowered, operand.span));
            spans = spans.slot_of(0, operand.span);
        }
        let op = if op == BinaryOp::And { Op::And } else { Op::Or };
        self.apply(env, op, &[slots], &Written::default(), place, Arc::clone(&name), &spans)
    }
}

fn flatten<'e>(expr: &'e Expr, op: BinaryOp, out: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(own, _, left, right) if *own == op => {
            flatten(left, op, out);
            flatten(right, op, out);
        }
        _ => out.push(expr),
    }
}

pub(super) fn when_without_gate(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WHEN_WITHOUT_GATE,
        span,
        "only a gate acts on a condition",
        "nothing here waits for it",
    )
    .help("put a gate before it: `cap(…, at: …)`, `floor`, `veto`, `mask`, `penalty` or `replace`; or write `if … then … else …`")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::DEFINE_TOO_DEEP,
        span,
        "this unfolds too far",
        "expressions within definitions within expressions, hundreds deep",
    )
    .help("declare parts of it as nodes of their own")
}

fn no_judgment(expr: &Expr) -> Diagnostic {
    let (what, help) = match &expr.kind {
        ExprKind::Text(_) => ("a text", "a quoted text can only be a label, beside an ordinal or a choice"),
        ExprKind::Type(_) => ("a type", "types stand behind `to:` and behind the name of a declaration"),
        _ => ("a list", "put its parts into an operator, for example `mean(a, b)`"),
    };
    Diagnostic::error(Code::NO_JUDGMENT, expr.span, format!("{what} is no judgment"), "cannot be scored").help(help)
}

/// Adds the nearest of some names as help and suggestion, or other help.
pub(super) fn suggest(
    found: Diagnostic,
    name: &str,
    span: Span,
    known: &[&str],
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    match did_you_mean(name, known.iter().copied()) {
        Some(near) => found
            .help(format!("did you mean `{near}`?"))
            .suggestion(format!("write `{near}`"), vec![Edit::new(span, near)]),
        None => found.help(otherwise()),
    }
}

/// Words for a message: `a`, `b`, `c`; at the most 12 of them.
pub(super) fn list(words: &[&str]) -> String {
    let mut shown: Vec<String> = words.iter().take(12).map(|w| format!("`{w}`")).collect();
    if words.len() > 12 {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
