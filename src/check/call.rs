//! Calls of operators: arguments into ports and parameters.
//!
//! By place an argument fills the next port (a variadic one takes all that follow), then a parameter that may stand by place
//! (`has(x, label)`); by name it fills the port or parameter of that name. The first port is lowered first, since the labels
//! that may stand in the others are those of its type.

use super::elaborate::Elaborator;
use super::faults::Spans;
use super::lower::{Env, Lowered, Naming, Place, list, suggest};
use crate::catalog::Op;
use crate::catalog::table::{Arity, Family, OperatorInfo, Weights};
use crate::catalog::typing::{Argument, Literal, Written, WrittenArm, WrittenKey, WrittenUnknown};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::number::{Number, Rounding};
use crate::resolve::scope::{DeclKind, Lookup};
use crate::resolve::types::type_of_expr;
use crate::source::Span;
use crate::syntax::ast::{self, Arg, ArmKey, Expr, Path, Table};
use crate::types::Type;
use std::sync::Arc;

/// What an argument fills.
#[derive(Clone, Copy)]
enum Target {
    Port(usize),
    Param(&'static str),
}

/// An application in the making.
struct Call<'c> {
    op: Op,
    info: &'static OperatorInfo,
    env: &'c Env<'c>,
    /// The node's name, and what its parts are called after.
    parent: &'c str,
    arguments: Vec<Vec<Argument>>,
    weights: Vec<Option<Number>>,
    written: Written,
    spans: Spans,
    /// Something is in error that the operator's own rules must not be asked about.
    broken: bool,
}

impl<'a> Elaborator<'a> {
    /// Lowers a call; `when` is the trigger of a gate.
    #[expect(clippy::too_many_arguments, reason = "the parts of a call as the tree has them")]
    pub fn call(
        &mut self,
        env: &Env<'_>,
        expr: &Expr,
        callee: &Path,
        args: &[Arg],
        table: Option<&Table>,
        place: Place<'_>,
        when: Option<&ast::When>,
    ) -> Lowered {
        if let Some(define) = self.define_called(env, callee) {
            return match define {
                Some(id) => self.unfold(env, expr, id, args, table, place, when),
                None => Lowered::Error,
            };
        }
        let Some(op) = single(callee).and_then(Op::called) else {
            let found = self.unknown_operator(env, callee);
            self.report(env, found);
            self.only_names(env, args, when);
            return Lowered::Error;
        };
        let info = op.info();
        let gate = info.family == Family::Gate;
        if gate && when.is_none() {
            self.report(env, gate_without_when(op, callee.span));
            self.only_names(env, args, None);
            return Lowered::Error;
        }
        if let (false, Some(when)) = (gate, when) {
            self.report(env, super::lower::when_without_gate(when.span));
        }
        let name = place.name();
        let mut call = Call {
            op,
            info,
            env,
            parent: place.parent(&name),
            arguments: vec![Vec::new(); info.ports.len()],
            weights: Vec::new(),
            written: Written::default(),
            spans: Spans::of(expr.span),
            broken: false,
        };
        let targets = self.targets(&mut call, args);
        if op == Op::Tree {
            return self.tree_call(&mut call, &targets, place);
        }
        self.ports(&mut call, &targets, place.written);
        if let (true, Some(when)) = (gate, when) {
            self.trigger(&mut call, when);
        }
        self.params(&mut call, &targets);
        if let Some(table) = table {
            self.table(&mut call, table);
        }
        if call.broken || (!gate && when.is_some()) {
            return Lowered::Error;
        }
        let Call { arguments, weights, mut written, spans, .. } = call;
        if weights.iter().any(Option::is_some) || info.weights.kept() {
            written.weights = weights;
        }
        self.apply(env, op, &arguments, &written, place, Arc::clone(&name), &spans)
    }

    /// Looks through the arguments of a call that means nothing, for names that are wrong.
    fn only_names(&mut self, env: &Env<'_>, args: &[Arg], when: Option<&ast::When>) {
        let values = args.iter().filter(|a| a.name.is_none()).map(|a| &a.value);
        let values: Vec<&Expr> = values.chain(when.map(|w| &w.condition)).collect();
        for value in values {
            if let crate::syntax::ast::ExprKind::Path(path) = &value.bare().kind
                && env.param(&path.dotted()).is_none()
                && let Lookup::Unknown(part, within) = self.scopes.lookup(env.unit, &path.parts)
            {
                let found = self.unknown_name(env, part, within, None);
                self.report(env, found);
            }
        }
    }

    /// The define that is called: `Some(None)` where it is in error, `None` where the word is no define.
    fn define_called(&mut self, env: &Env<'_>, callee: &Path) -> Option<Option<crate::resolve::scope::DeclId>> {
        let is_operator = single(callee).and_then(Op::called).is_some();
        match self.scopes.lookup(env.unit, &callee.parts) {
            Lookup::Found(id, []) => match self.scopes.get(id)?.kind {
                DeclKind::Define(_) if !is_operator => {
                    Some(matches!(self.ensure(id), super::elaborate::State::Define).then_some(id))
                }
                _ => None,
            },
            Lookup::Silent if !is_operator => Some(None),
            _ => None,
        }
    }

    fn unknown_operator(&self, env: &Env<'_>, callee: &Path) -> Diagnostic {
        let name = callee.dotted();
        if let Lookup::Found(id, []) = self.scopes.lookup(env.unit, &callee.parts)
            && let Some(decl) = self.scopes.get(id)
        {
            return Diagnostic::error(
                Code::UNKNOWN_OPERATOR,
                callee.span,
                format!("`{name}` is {}, not an operator", decl.kind.words()),
                "cannot be called",
            )
            .also(decl.span, "declared here")
            .help(format!("write `{name}` alone, without parentheses behind it"));
        }
        if let (Some(_), Lookup::Unknown(part, within)) =
            (callee.parts.get(1), self.scopes.lookup(env.unit, &callee.parts))
        {
            return self.unknown_name(env, part, within, None);
        }
        let found = Diagnostic::error(
            Code::UNKNOWN_OPERATOR,
            callee.span,
            format!("there is no operator `{name}`"),
            "not an operator, and no `define` of that name",
        );
        if crate::catalog::readouts::readout(&name).is_some() || name == "by" {
            return found.help(format!("`{name}` belongs behind `readout … =`"));
        }
        if crate::catalog::functions::FUNCTIONS.iter().any(|f| f.name == name) {
            return found.help(format!(
                "`{name}` computes from fields: put it into a criterion, `criterion NAME: … {{ judge rule({name}(…)) }}`"
            ));
        }
        let foreign = match name.as_str() {
            "avg" | "average" => Some("mean"),
            "weighted_average" | "wmean" => Some("weighted_mean"),
            "minimum" | "lowest" => Some("min"),
            "maximum" | "highest" => Some("max"),
            "default" | "coalesce" | "if_unknown" | "fillna" => Some("otherwise"),
            "one_minus" | "complement" | "inverse" => Some("invert"),
            "majority" | "mode" => Some("vote"),
            "scale" => Some("rescale"),
            "limit" | "bound" => Some("clamp"),
            "total" | "add" => Some("sum"),
            "every" | "all_of" => Some("all"),
            "some" | "any_of" => Some("any"),
            "threshold" => Some("bands"),
            _ => None,
        };
        let mut known: Vec<&str> = Op::call_words().collect();
        known.extend(self.scopes.names(env.unit, |kind| matches!(kind, DeclKind::Define(_))));
        match foreign {
            Some(ours) => found
                .help(format!("here it is called `{ours}`"))
                .suggestion(format!("write `{ours}`"), vec![Edit::new(callee.span, ours)]),
            None => suggest(found, &name, callee.span, &known, || {
                "`rubric catalog` lists all operators; `define` makes new ones".to_owned()
            }),
        }
    }

    /// What each argument fills. Arguments that fill nothing are reported and left out.
    fn targets<'e>(&mut self, call: &mut Call<'_>, args: &'e [Arg]) -> Vec<(Target, &'e Arg)> {
        let info = call.info;
        let mut found: Vec<(Target, &Arg)> = Vec::with_capacity(args.len());
        let mut filled: Vec<(&'static str, Span)> = Vec::new();
        let mut next = 0;
        for arg in args {
            let target = match &arg.name {
                Some(name) => self.named(call, name),
                None => self.by_place(call, arg, &mut next, &filled),
            };
            let Some(target) = target else {
                call.broken = true;
                continue;
            };
            let (word, many) = match target {
                Target::Port(port) => info.ports.get(port).map_or(("", false), |p| (p.name, p.arity == Arity::Many)),
                Target::Param(name) => (name, false),
            };
            let span = arg.name.as_ref().map_or(arg.span, |n| n.span);
            if let Some((_, first)) = filled.iter().find(|(w, _)| *w == word && !many) {
                call.broken = true;
                let diagnostic =
                    Diagnostic::error(Code::ARGUMENT_TWICE, span, format!("`{word}` is given twice"), "the second one")
                        .also(*first, "the first one")
                        .help("keep one of them");
                self.report(call.env, diagnostic);
                continue;
            }
            if !many {
                filled.push((word, span));
            }
            found.push((target, arg));
        }
        found
    }

    fn named(&mut self, call: &Call<'_>, name: &ast::Name) -> Option<Target> {
        let info = call.info;
        let word = &*name.text;
        if word == "trigger" && info.family == Family::Gate {
            let found = Diagnostic::error(
                Code::UNKNOWN_ARGUMENT,
                name.span,
                "the trigger of a gate is not an argument",
                "it stands behind the call",
            )
            .help(format!("write `{}(…) when CONDITION`", call.op.word()));
            self.report(call.env, found);
            return None;
        }
        if let Some(port) = info.port(word) {
            return Some(Target::Port(port));
        }
        if let Some(param) = info.param(word) {
            return Some(Target::Param(param.name));
        }
        let known: Vec<&str> = info.names().collect();
        let found = Diagnostic::error(
            Code::UNKNOWN_ARGUMENT,
            name.span,
            format!("`{}` has no argument `{word}`", call.op.word()),
            "not known",
        );
        let found = if word == "weight" || word == "weights" {
            found.help("a weight stands behind its slot, without a colon: `x weight 2`")
        } else {
            suggest(found, word, name.span, &known, || match known.is_empty() {
                true => format!("`{}` takes none", call.op.word()),
                false => format!("it takes {}", list(&known)),
            })
        };
        self.report(call.env, found);
        None
    }

    fn by_place(
        &mut self,
        call: &Call<'_>,
        arg: &Arg,
        next: &mut usize,
        filled: &[(&'static str, Span)],
    ) -> Option<Target> {
        let info = call.info;
        let taken = |name: &str| filled.iter().any(|(w, _)| *w == name);
        while let Some(port) = info.ports.get(*next) {
            if port.arity == Arity::Many && !port.named {
                return Some(Target::Port(*next));
            }
            *next += 1;
            if !port.named && !taken(port.name) {
                return Some(Target::Port(*next - 1));
            }
        }
        if let Some(param) = info.params.iter().find(|p| p.positional && !taken(p.name)) {
            return Some(Target::Param(param.name));
        }
        // Something that should have been named: the first that is not given and that a plain value can be.
        let port =
            info.ports.iter().position(|p| p.named && p.arity != Arity::Many && p.name != "trigger" && !taken(p.name));
        let param = info.params.iter().find(|p| p.default.is_none() && p.name != "unknown" && !taken(p.name));
        let (word, target) = match (port.and_then(|at| Some((info.ports.get(at)?.name, at))), param) {
            (Some((name, at)), _) => (name, Target::Port(at)),
            (None, Some(param)) => (param.name, Target::Param(param.name)),
            (None, None) => {
                let names: Vec<&str> = info.names().collect();
                let found = Diagnostic::error(
                    Code::UNKNOWN_ARGUMENT,
                    arg.span,
                    format!("`{}` takes nothing more", call.op.word()),
                    "one too many",
                )
                .help(format!("leave it out; its arguments are {}", list(&names)));
                self.report(call.env, found);
                return None;
            }
        };
        let start = Span { end: arg.span.start, ..arg.span };
        let found = Diagnostic::error(
            Code::ARGUMENT_NAME,
            arg.span,
            format!("this argument of `{}` needs its name", call.op.word()),
            format!("is this `{word}`?"),
        )
        .help(format!("write `{word}:` before it"))
        .fix(format!("write `{word}:`"), vec![Edit::new(start, format!("{word}: "))]);
        self.report(call.env, found);
        Some(target)
    }

    /// Fills the ports, the first one first.
    fn ports(&mut self, call: &mut Call<'_>, targets: &[(Target, &Arg)], written: Option<&Type>) {
        for port in 0..call.info.ports.len() {
            let Some(info) = call.info.ports.get(port) else { continue };
            let labels = if port == 0 { None } else { self.first_type(call).or_else(|| written.cloned()) };
            for (target, arg) in targets {
                let Target::Port(at) = target else { continue };
                if *at != port {
                    continue;
                }
                let slot = call.arguments.get(port).map_or(0, Vec::len) + 1;
                let naming = match info.arity {
                    Arity::Many => Naming::Slot(call.parent, slot),
                    _ => Naming::Port(call.parent, info.name),
                };
                let lowered = self.operand(call.env, &arg.value, Place::of(naming), labels.as_ref());
                self.fill(call, port, arg, &lowered);
            }
        }
    }

    /// The type of what stands in the first port.
    fn first_type(&self, call: &Call<'_>) -> Option<Type> {
        match call.arguments.first()?.first()? {
            Argument::Node { ty, .. } => Some(ty.clone()),
            _ => None,
        }
    }

    fn fill(&mut self, call: &mut Call<'_>, port: usize, arg: &Arg, lowered: &Lowered) {
        let env = call.env;
        let weights = call.info.weights;
        let many = call.info.ports.get(port).is_some_and(|p| p.arity == Arity::Many);
        let takes_bundle = matches!(weights, Weights::Points | Weights::OneSign);
        let weight = arg.weight.as_ref().map(|w| (w, w.span));
        if let Some((_, span)) = weight
            && (!many || !matches!(weights, Weights::Positive | Weights::Nonzero | Weights::Points))
        {
            self.report(env, weight_not_taken(call.op, span));
            call.broken = true;
        }
        match lowered {
            Lowered::Bundle(part) if many && takes_bundle => {
                if let Some((_, span)) = weight
                    && weights == Weights::Points
                {
                    self.report(env, items_have_points(span));
                    call.broken = true;
                }
                if call.op == Op::All {
                    self.all_of_checklist(env, *part, call.spans.whole);
                }
                for slot in self.slots(*part) {
                    call.spans.add(port, arg.span, None);
                    call.weights.push(Some(slot.points));
                    push(&mut call.arguments, port, slot.argument);
                }
            }
            _ => {
                let argument = self.single(env, lowered, arg.value.span);
                call.spans.add(port, arg.value.span, weight.map(|(_, span)| span));
                if port == 0 {
                    let own = match (lowered, weights) {
                        // `count` and its like keep no points, but good and bad must not be counted together.
                        (Lowered::Item(_, points), Weights::Points | Weights::OneSign) => Some(points.clone()),
                        _ => None,
                    };
                    let given = match weight {
                        Some((_, span)) if own.is_some() => {
                            if weights == Weights::Points {
                                self.report(env, items_have_points(span));
                            }
                            call.broken = true;
                            None
                        }
                        Some((expr, _)) => {
                            let number = self.number(env, expr, "a weight");
                            call.broken |= number.is_none();
                            number
                        }
                        None => None,
                    };
                    call.weights.push(own.or(given));
                }
                push(&mut call.arguments, port, argument);
            }
        }
    }

    fn trigger(&mut self, call: &mut Call<'_>, when: &ast::When) {
        let Some(port) = call.info.port("trigger") else { return };
        let env = call.env;
        let argument = self.condition(env, when, call.parent);
        call.spans.add(port, when.condition.span, None);
        push(&mut call.arguments, port, argument);
    }

    /// The condition of a gate: `safe.when`; `unless` is a `not` node of that name.
    pub fn condition(&mut self, env: &Env<'_>, when: &ast::When, parent: &str) -> Argument {
        let own = Naming::Port(parent, "when");
        if !when.negated {
            let lowered = self.lower(env, &when.condition, Place::of(own));
            return self.single(env, &lowered, when.condition.span);
        }
        let place = Place::of(own);
        let name = place.name();
        let lowered = self.lower(env, &when.condition, Place::of(Naming::Port(&name, "x")));
        let argument = self.single(env, &lowered, when.condition.span);
        let spans = Spans::of(when.condition.span).slot(0, when.condition.span);
        let negated =
            self.apply(env, Op::Not, &[vec![argument]], &Written::default(), place, Arc::clone(&name), &spans);
        self.single(env, &negated, when.condition.span)
    }

    fn params(&mut self, call: &mut Call<'_>, targets: &[(Target, &Arg)]) {
        for (target, arg) in targets {
            let Target::Param(name) = target else { continue };
            let span = arg.value.span;
            call.spans.param(name, span);
            if let Some(weight) = &arg.weight {
                self.report(call.env, weight_not_taken(call.op, weight.span));
            }
            call.broken |= self.param(call, name, &arg.value).is_none();
        }
    }

    /// Sets a parameter; `None` where its value is in error (reported).
    fn param(&mut self, call: &mut Call<'_>, name: &'static str, value: &Expr) -> Option<()> {
        let env = call.env;
        match name {
            "to" => call.written.to = Some(self.type_argument(env, value)?),
            "step" => call.written.step = Some(self.number(env, value, "`step`")?),
            "mode" => call.written.mode = Some(self.rounding(env, value)?),
            "label" => call.written.label = Some(self.literal(env, value, "a label")?),
            "tie" => call.written.tie = Some(self.literal(env, value, "`tie`")?),
            "unknown" => {
                let literal = self.literal(env, value, "`unknown`")?;
                call.written.unknown = Some(match literal {
                    Literal::Label(word) if call.info.param("unknown").is_some_and(|p| p.words.contains(&&*word)) => {
                        WrittenUnknown::Word(word)
                    }
                    Literal::Label(word) if is_policy(&word) => WrittenUnknown::Word(word),
                    other => WrittenUnknown::Constant(other),
                });
            }
            _ => {}
        }
        Some(())
    }

    /// A type where an argument stands.
    pub fn type_argument(&mut self, env: &Env<'_>, value: &Expr) -> Option<Type> {
        match type_of_expr(value) {
            Some(ty) => self.ty(env.unit, &ty),
            None => {
                if !matches!(value.bare().kind, crate::syntax::ast::ExprKind::Error) {
                    let found =
                        Diagnostic::error(Code::UNKNOWN_TYPE, value.span, "`to` takes a type", "this is a value")
                            .help("write, for example, `to: score[0..1]` or `to: int[1..5]`");
                    self.report(env, found);
                }
                None
            }
        }
    }

    pub fn rounding(&mut self, env: &Env<'_>, value: &Expr) -> Option<Rounding> {
        let word = value.word();
        if let Some(mode) = word.and_then(|w| Rounding::from_word(&w.text)) {
            return Some(mode);
        }
        if matches!(value.bare().kind, crate::syntax::ast::ExprKind::Error) {
            return None;
        }
        let known = Rounding::ALL.map(Rounding::word);
        let found =
            Diagnostic::error(Code::PARAMETER_VALUE, value.span, "`mode` says how to round", "not a way of rounding");
        let text = word.map_or("", |w| &w.text);
        let found = suggest(found, text, value.span, &known, || format!("it is one of {}", list(&known)));
        self.report(env, found);
        None
    }

    /// The rows of a table.
    fn table(&mut self, call: &mut Call<'_>, table: &Table) {
        match self.rows(call.env, call.op == Op::Decide, table) {
            Some(rows) => call.written.table = Some(rows),
            None => call.broken = true,
        }
        let conditions = call.info.port("when").filter(|_| call.op == Op::Decide);
        for arm in &table.arms {
            let key = match &arm.key {
                ArmKey::Rest(span) => *span,
                ArmKey::Below(expr) | ArmKey::Expr(expr) => expr.span,
            };
            call.spans.arm(key, arm.value.span);
            if let (Some(port), ArmKey::Expr(condition)) = (conditions, &arm.key) {
                let slot = call.arguments.get(port).map_or(0, Vec::len) + 1;
                let lowered = self.lower(call.env, condition, Place::of(Naming::Slot(call.parent, slot)));
                let argument = self.single(call.env, &lowered, condition.span);
                call.spans.add(port, condition.span, None);
                push(&mut call.arguments, port, argument);
            }
        }
    }

    /// The rows of a table as typing wants them; `None` where one is in error (reported).
    pub fn rows(&mut self, env: &Env<'_>, conditions: bool, table: &Table) -> Option<Vec<WrittenArm>> {
        let mut rows = Vec::with_capacity(table.arms.len());
        let mut sound = true;
        for arm in &table.arms {
            let key = match &arm.key {
                ArmKey::Rest(_) => Some(WrittenKey::Rest),
                ArmKey::Below(limit) => self.number(env, limit, "a limit").map(WrittenKey::Below),
                ArmKey::Expr(_) if conditions => Some(WrittenKey::Condition),
                ArmKey::Expr(value) => self.literal(env, value, "the left side of a row").map(WrittenKey::Literal),
            };
            let value = self.literal(env, &arm.value, "the right side of a row");
            match (key, value) {
                (Some(key), Some(value)) => rows.push(WrittenArm { key, value }),
                _ => sound = false,
            }
        }
        sound.then_some(rows)
    }

    fn tree_call(&mut self, call: &mut Call<'_>, targets: &[(Target, &Arg)], place: Place<'_>) -> Lowered {
        let env = call.env;
        self.params(call, targets);
        let slots: Vec<&Arg> =
            targets.iter().filter(|(t, _)| matches!(t, Target::Port(_))).map(|(_, arg)| *arg).collect();
        let [only] = slots.as_slice() else {
            if !call.broken {
                let found = Diagnostic::error(
                    Code::INPUT_MISSING,
                    call.spans.whole,
                    "`tree` takes one checklist",
                    if slots.is_empty() { "none is given" } else { "several are given" },
                )
                .help("write `tree(NAME)`; what belongs together is one checklist with groups");
                self.report(env, found);
            }
            return Lowered::Error;
        };
        if let Some(weight) = &only.weight {
            self.report(env, weight_not_taken(Op::Tree, weight.span));
            return Lowered::Error;
        }
        match self.lower(env, &only.value, Place::of(Naming::Slot(call.parent, 1))) {
            Lowered::Bundle(part) if !call.broken => {
                let spans = Spans::of(only.value.span);
                self.tree(env, part, &call.written, place, &spans)
            }
            Lowered::Error | Lowered::Bundle(_) => Lowered::Error,
            other => {
                let from =
                    other.node().and_then(|id| self.type_of(id)).is_some_and(|t| t.base == crate::types::Base::Items);
                let found = Diagnostic::error(
                    Code::INPUT_TYPE,
                    only.value.span,
                    "`tree` reads a checklist with groups",
                    if from { "its items come with each record, without groups" } else { "this is no checklist" },
                )
                .help(if from {
                    "use `clamp(points(…), to: score[0..1])`"
                } else {
                    "use `weighted_mean` for single judgments"
                });
                self.report(env, found);
                Lowered::Error
            }
        }
    }
}

fn push(arguments: &mut [Vec<Argument>], port: usize, argument: Argument) {
    if let Some(slots) = arguments.get_mut(port) {
        slots.push(argument);
    }
}

fn single(path: &Path) -> Option<&str> {
    match path.parts.as_slice() {
        [word] => Some(&word.text),
        _ => None,
    }
}

fn is_policy(word: &str) -> bool {
    matches!(word, "skip" | "propagate" | "lowest" | "highest" | "fires" | "passes")
}

fn weight_not_taken(op: Op, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WEIGHT_NOT_TAKEN,
        span,
        format!("`{}` weighs nothing here", op.word()),
        "this weight would be ignored",
    )
    .help("leave it out, or use `weighted_mean` or `weighted_sum`")
}

fn items_have_points(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WEIGHT_NOT_TAKEN,
        span,
        "the items of a checklist have their points already",
        "this weight would be ignored",
    )
    .help("leave it out, or change the points in the checklist")
}

fn gate_without_when(op: Op, span: Span) -> Diagnostic {
    let form = match op {
        Op::Cap | Op::Floor => "(x, at: …)",
        Op::Penalty => "(x, by: …)",
        Op::Replace => "(x, with: …)",
        _ => "(x)",
    };
    Diagnostic::error(
        Code::GATE_WITHOUT_WHEN,
        span,
        format!("`{}` does not say when it acts", op.word()),
        "a gate has a condition",
    )
    .help(format!(
        "declare it on its own: `gate NAME = {}{form} when CONDITION`; what always holds is `clamp`, `min` or `max`",
        op.word()
    ))
}
