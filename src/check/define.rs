//! `define`: checked once where it stands, with parameters of their declared types, and unfolded wherever it is called.
//!
//! The nodes of an unfolded body are called after the call and the define (`safe.soft.x`), those of its arguments after the
//! call and the parameter (`safe.x`). What its body reads without a parameter for it is read from the define's own file.

use super::elaborate::{Elaborator, State};
use super::lower::{Env, Lowered, Naming, Place, list, suggest};
use crate::catalog::typing::{Argument, Literal, Written};
use crate::catalog::{Op, Operation, Parameters};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::NodeKind;
use crate::resolve::scope::{Decl, DeclId, DeclKind, TAKEN};
use crate::source::Span;
use crate::syntax::ast::{self, Arg, Expr, Table};
use crate::types::{Base, Type, Value};
use foldhash::HashMap;
use std::sync::Arc;

/// Nodes that unfolding may make in one program.
const MOST_UNFOLDED: usize = 200_000;

/// The parameter that `when` fills.
const TRIGGER: &str = "trigger";

impl<'a> Elaborator<'a> {
    /// Checks a define with its parameters as nodes of their declared types.
    pub fn define(&mut self, decl: &'a Decl<'a>, define: &'a ast::Define) -> State {
        let sketching = std::mem::replace(&mut self.sketching, true);
        let state = self.sketch(decl, define);
        self.sketching = sketching;
        state
    }

    fn sketch(&mut self, decl: &'a Decl<'a>, define: &'a ast::Define) -> State {
        let mut params: HashMap<&str, Lowered> = HashMap::default();
        let mut first: HashMap<&str, Span> = HashMap::default();
        let mut sound = true;
        for (name, written) in &define.params {
            if TAKEN.contains(&&*name.text) {
                sound = false;
                self.sink.push(
                    Diagnostic::error(
                        Code::TAKEN_NAME,
                        name.span,
                        format!("`{}` cannot be a parameter", name.text),
                        "the language keeps this word for itself",
                    )
                    .help("choose another name"),
                );
            }
            if let Some(earlier) = first.insert(&name.text, name.span) {
                sound = false;
                self.sink.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        name.span,
                        format!("two parameters are called `{}`", name.text),
                        "the second one",
                    )
                    .also(earlier, "the first one")
                    .help("give one of them another name"),
                );
            }
            let bound = match self.ty(decl.unit, written) {
                Some(ty) if &*name.text == TRIGGER && !ty.is_bool() => {
                    sound = false;
                    self.sink.push(
                        Diagnostic::error(
                            Code::DEFINE_ARGUMENTS,
                            written.span,
                            "the trigger of a gate is a yes or no",
                            format!("this is {ty}"),
                        )
                        .help("write `trigger: bool`, or give the parameter another name"),
                    );
                    Lowered::Error
                }
                Some(ty) => {
                    let operation = Operation { op: Op::Known, ports: Vec::new(), params: Parameters::default() };
                    let kind = NodeKind::Operator(Box::new(operation));
                    Lowered::Node(self.push(Arc::clone(&name.text), Arc::from(""), ty, kind, name.span))
                }
                None => {
                    sound = false;
                    Lowered::Error
                }
            };
            params.insert(&name.text, bound);
        }
        let Some(result) = self.ty(decl.unit, &define.ty) else { return State::Failed };
        let env = Env { unit: decl.unit, params: Some(&params), call: None };
        let place = Place {
            written: Some(&result),
            written_span: Some(define.ty.span),
            ..Place::of(Naming::Own(&define.name.text))
        };
        let before = self.nodes.len();
        match self.lower_root(&env, &define.body, define.when.as_ref(), place) {
            Lowered::Node(id) if id.index() >= before && sound => State::Define,
            Lowered::Error => State::Failed,
            Lowered::Bundle(part) => {
                let found = self.bundle_here(&part, define.body.span);
                self.sink.push(found);
                State::Failed
            }
            _ if !sound => State::Failed,
            _ => {
                self.sink.push(
                    Diagnostic::error(
                        Code::NOTHING_NEW,
                        define.body.span,
                        format!("`{}` computes nothing", define.name.text),
                        "only a name or a constant",
                    )
                    .help("write the name or the constant where it is needed"),
                );
                State::Failed
            }
        }
    }

    /// Unfolds a call of a define.
    #[expect(clippy::too_many_arguments, reason = "the parts of a call as the tree has them")]
    pub fn unfold(
        &mut self,
        env: &Env<'_>,
        expr: &Expr,
        id: DeclId,
        args: &[Arg],
        table: Option<&Table>,
        place: Place<'_>,
        when: Option<&ast::When>,
    ) -> Lowered {
        let scopes = self.scopes;
        let Some(decl) = scopes.get(id) else { return Lowered::Error };
        let DeclKind::Define(define) = decl.kind else { return Lowered::Error };
        if self.unfolded > MOST_UNFOLDED {
            self.report(env, super::lower::too_deep(expr.span));
            return Lowered::Error;
        }
        if let Some(table) = table {
            let found = Diagnostic::error(
                Code::DEFINE_ARGUMENTS,
                table.span,
                format!("`{}` has no table", define.name.text),
                "not expected",
            )
            .also(decl.span, "defined here")
            .help("leave the `{ … }` out");
            self.report(env, found);
            return Lowered::Error;
        }
        let name = place.name();
        let parent = place.parent(&name);
        let Some(given) = self.given(env, define, decl, args) else { return Lowered::Error };
        let mut params: HashMap<&str, Lowered> = HashMap::default();
        let mut sound = true;
        for (param, written) in &define.params {
            // It has been resolved before, so nothing is said twice.
            let Some(ty) = self.ty(decl.unit, written) else { return Lowered::Error };
            let bound = if &*param.text == TRIGGER {
                match when {
                    Some(when) => {
                        let argument = self.condition(env, when, parent);
                        self.bound_trigger(env, &argument, &ty, when.condition.span)
                    }
                    None => {
                        self.report(env, no_trigger(define, expr.span));
                        Lowered::Error
                    }
                }
            } else {
                match given.get(&*param.text) {
                    Some(value) => {
                        let place = Place::of(Naming::Port(parent, &param.text));
                        let lowered = self.operand(env, value, place, Some(&ty));
                        self.bound(env, define, param, lowered, &ty, value.span, parent)
                    }
                    None => Lowered::Error,
                }
            };
            sound &= !matches!(bound, Lowered::Error);
            params.insert(&param.text, bound);
        }
        if let (Some(when), false) = (when, define.params.iter().any(|(name, _)| &*name.text == TRIGGER)) {
            self.report(env, super::lower::when_without_gate(when.span));
            return Lowered::Error;
        }
        let Some(result) = self.ty(decl.unit, &define.ty) else { return Lowered::Error };
        if !sound {
            return Lowered::Error;
        }
        let written = match place.written {
            None => &result,
            Some(wider) if result.routes_into(wider) => wider,
            Some(wider) => {
                let found = Diagnostic::error(
                    Code::TYPE_TOO_NARROW,
                    place.written_span.unwrap_or(expr.span),
                    format!("`{}` yields {result}, which {wider} does not hold", define.name.text),
                    "too narrow",
                )
                .also(define.ty.span, "the type of what is called")
                .help(format!("write {result}, or leave the type out"));
                self.report(env, found);
                return Lowered::Error;
            }
        };
        if self.sketching {
            // Inside of another define only the type matters; every define is checked by itself.
            let operation = Operation { op: Op::Known, ports: Vec::new(), params: Parameters::default() };
            let kind = NodeKind::Operator(Box::new(operation));
            return Lowered::Node(self.push(Arc::clone(&name), Arc::from(""), written.clone(), kind, expr.span));
        }
        let inner = format!("{parent}.{}", define.name.text);
        let env = Env { unit: decl.unit, params: Some(&params), call: Some(env.call.unwrap_or(expr.span)) };
        let place =
            Place { written: Some(written), inner: Some(&inner), span: Some(place.span.unwrap_or(expr.span)), ..place };
        // A call that unfolds takes about as much of the stack as four nested expressions.
        self.depth += 4;
        let lowered = self.lower_root(&env, &define.body, define.when.as_ref(), place);
        self.depth -= 4;
        lowered
    }

    /// Which argument is whose. `None` where some are missing or too many (reported).
    fn given<'e>(
        &mut self,
        env: &Env<'_>,
        define: &ast::Define,
        decl: &Decl<'_>,
        args: &'e [Arg],
    ) -> Option<HashMap<Arc<str>, &'e Expr>> {
        let wanted: Vec<&ast::Name> =
            define.params.iter().map(|(name, _)| name).filter(|name| &*name.text != TRIGGER).collect();
        let names: Vec<&str> = wanted.iter().map(|n| &*n.text).collect();
        let mut given: HashMap<Arc<str>, &Expr> = HashMap::default();
        let mut next = 0;
        let mut sound = true;
        for arg in args {
            if let Some(weight) = &arg.weight {
                sound = false;
                let found = Diagnostic::error(
                    Code::WEIGHT_NOT_TAKEN,
                    weight.span,
                    format!("`{}` weighs nothing", define.name.text),
                    "this weight would be ignored",
                )
                .help("leave it out");
                self.report(env, found);
            }
            let param = match &arg.name {
                None => {
                    while wanted.get(next).is_some_and(|n| given.contains_key(&n.text)) {
                        next += 1;
                    }
                    wanted.get(next)
                }
                Some(name) => wanted.iter().find(|n| n.text == name.text),
            };
            let Some(param) = param else {
                sound = false;
                let span = arg.name.as_ref().map_or(arg.span, |n| n.span);
                let headline = match &arg.name {
                    Some(name) => format!("`{}` has no parameter `{}`", define.name.text, name.text),
                    None => format!("`{}` takes {} and no more", define.name.text, count(names.len())),
                };
                let found = Diagnostic::error(Code::DEFINE_ARGUMENTS, span, headline, "not expected")
                    .also(decl.span, "defined here");
                let word = arg.name.as_ref().map_or("", |n| &n.text);
                let found = suggest(found, word, span, &names, || format!("it takes {}", list(&names)));
                self.report(env, found);
                continue;
            };
            if given.insert(Arc::clone(&param.text), &arg.value).is_some() {
                sound = false;
                let found = Diagnostic::error(
                    Code::ARGUMENT_TWICE,
                    arg.span,
                    format!("`{}` is given twice", param.text),
                    "the second one",
                )
                .help("keep one of them");
                self.report(env, found);
            }
        }
        let missing: Vec<&str> = names.iter().copied().filter(|n| !given.contains_key(*n)).collect();
        if sound && !missing.is_empty() {
            sound = false;
            let span = args.last().map_or(env.call.unwrap_or(decl.span), |a| a.span);
            let found = Diagnostic::error(
                Code::DEFINE_ARGUMENTS,
                span,
                format!("`{}` also needs {}", define.name.text, list(&missing)),
                "not given",
            )
            .also(decl.span, "defined here")
            .help(format!("it takes {}", list(&names)));
            self.report(env, found);
        }
        sound.then_some(given)
    }

    /// An argument as the value of a parameter of type `ty`.
    #[expect(clippy::too_many_arguments, reason = "all of it goes into the message")]
    fn bound(
        &mut self,
        env: &Env<'_>,
        define: &ast::Define,
        param: &ast::Name,
        lowered: Lowered,
        ty: &Type,
        span: Span,
        parent: &str,
    ) -> Lowered {
        let wrong = |found: String| {
            Diagnostic::error(
                Code::DEFINE_ARGUMENTS,
                span,
                format!("`{}` wants {ty} as `{}`", define.name.text, param.text),
                found,
            )
            .also(param.span, "declared here")
        };
        match &lowered {
            Lowered::Error => Lowered::Error,
            Lowered::Bundle(part) => {
                let found = self.bundle_here(part, span);
                self.report(env, found);
                Lowered::Error
            }
            Lowered::Constant(literal) => match value(literal, ty) {
                Some(value) if ty.holds(&value) => lowered,
                _ => {
                    self.report(env, wrong("this is no value of it".to_owned()).help("write a value of that type"));
                    Lowered::Error
                }
            },
            Lowered::Node(id) | Lowered::Item(id, _) => {
                let Some(own) = self.type_of(*id).cloned() else { return Lowered::Error };
                if !own.routes_into(ty) {
                    let help = match (&own.base, &ty.base) {
                        _ if own.optional && !ty.optional => "say what counts where it is unknown: `otherwise(…, 0)`",
                        (Base::Int { .. } | Base::Score { .. } | Base::Bool | Base::Ordinal(_), Base::Score { .. }) => {
                            "bring it onto that scale with `normalize` or `rescale`"
                        }
                        _ => "give it a judgment of that type",
                    };
                    self.report(env, wrong(format!("this is {own}")).help(help));
                    return Lowered::Error;
                }
                match (own.interval(), ty.interval()) {
                    (Some(narrow), Some(wide)) if narrow != wide => self.widened(env, *id, ty, param, span, parent),
                    _ => Lowered::Node(*id),
                }
            }
        }
    }

    /// A node of a narrower interval, as one of the parameter's: what the body does may depend on the interval.
    fn widened(
        &mut self,
        env: &Env<'_>,
        id: crate::catalog::NodeId,
        ty: &Type,
        param: &ast::Name,
        span: Span,
        parent: &str,
    ) -> Lowered {
        let to = ty.clone().known();
        let written = Written { to: Some(to), ..Written::default() };
        let name: Arc<str> = format!("{parent}.{}.widened", param.text).into();
        let arguments = [vec![self.argument(id)]];
        let spans = super::faults::Spans::of(span).slot(0, span);
        self.apply(env, Op::Clamp, &arguments, &written, Place::of(Naming::Own(&name)), Arc::clone(&name), &spans)
    }

    fn bound_trigger(&mut self, env: &Env<'_>, argument: &Argument, ty: &Type, span: Span) -> Lowered {
        match argument {
            Argument::Node { id, ty: own, .. } if own.routes_into(ty) => Lowered::Node(*id),
            Argument::Node { ty: own, .. } => {
                let found = Diagnostic::error(
                    Code::DEFINE_ARGUMENTS,
                    span,
                    format!("the trigger is {ty} here"),
                    format!("this is {own}"),
                )
                .help(match own.is_bool() {
                    true => "say what counts where it is unknown: `otherwise(…, false)`",
                    false => "write a condition, such as `x >= 3`",
                });
                self.report(env, found);
                Lowered::Error
            }
            Argument::Constant(literal) => Lowered::Constant(literal.clone()),
            Argument::Error => Lowered::Error,
        }
    }
}

/// A literal as a value of a type.
fn value(literal: &Literal, ty: &Type) -> Option<Value> {
    Some(match literal {
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Number(n) => Value::Number(n.clone()),
        Literal::Label(label) => Value::Label(ty.rank(label)?),
        Literal::Unknown => Value::Unknown,
    })
}

fn count(n: usize) -> String {
    match n {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

fn no_trigger(define: &ast::Define, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::GATE_WITHOUT_WHEN,
        span,
        format!("`{}` does not say when it acts", define.name.text),
        "a gate has a condition",
    )
    .help(format!("declare it on its own: `gate NAME = {}(…) when CONDITION`", define.name.text))
}
