//! Readouts: what they read, their parameters, and the one sink that the unnamed ones share.
//!
//! Whether a form fits its mode and a type its form is decided in [`crate::graph::validate`], which JSON programs share. Here
//! words become parameters, and the nodes of `by(…)` are made (`pairwise.tie.1`).

use super::elaborate::Elaborator;
use super::faults::{Spans, diagnostic};
use super::lower::{Env, Lowered, Naming, Place, list, suggest};
use crate::catalog::typing::Written;
use crate::catalog::{NodeId, Op, readouts};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::graph::validate::{Form, TieWritten, readout};
use crate::graph::{Mode, Readout};
use crate::source::Span;
use crate::syntax::ast::{self, Arg, Expr, ExprKind};
use std::sync::Arc;

/// The readouts of a program.
#[derive(Debug, Default)]
pub(super) struct Readouts {
    pub list: Vec<Readout>,
    /// What the unnamed ones read.
    pub sink: Option<NodeId>,
    /// One was in error, so nothing may be said about what is missing.
    pub broken: bool,
}

impl<'a> Elaborator<'a> {
    /// All readouts of the program's file.
    pub fn readouts(&mut self) -> Readouts {
        let mut all = Readouts::default();
        let scopes = self.scopes;
        let Some(scope) = scopes.scopes.first() else { return all };
        let mut unnamed: Vec<(Mode, Span)> = Vec::new();
        let mut sink_span: Option<(NodeId, Span)> = None;
        for item in &scope.unit.tree.items {
            let ast::ItemKind::Readout(written) = &item.kind else { continue };
            if item.poisoned {
                all.broken = true;
                continue;
            }
            let Some(mode) = self.mode(&written.mode) else {
                all.broken = true;
                continue;
            };
            if written.name.is_none() {
                if let Some((_, first)) = unnamed.iter().find(|(m, _)| *m == mode) {
                    all.broken = true;
                    self.sink.push(
                        Diagnostic::error(
                            Code::READOUT_TWICE,
                            written.mode.span,
                            format!("a second {} readout without a name", mode.word()),
                            "the second one",
                        )
                        .also(*first, "the first one")
                        .help(format!("give it a name: `readout {} NAME = …`", mode.word())),
                    );
                    continue;
                }
                unnamed.push((mode, written.mode.span));
            }
            let Some((made, source_span)) = self.readout(mode, written) else {
                all.broken = true;
                continue;
            };
            if written.name.is_none() {
                match sink_span {
                    None => {
                        sink_span = Some((made.source, source_span));
                        all.sink = Some(made.source);
                    }
                    Some((sink, first)) if sink != made.source => {
                        self.second_sink(sink, first, made.source, source_span)
                    }
                    Some(_) => {}
                }
            }
            all.list.push(made);
        }
        if unnamed.is_empty() && !all.broken {
            self.no_readout(!all.list.is_empty());
            all.broken = true;
        }
        all
    }

    fn no_readout(&mut self, named: bool) {
        let Some(scope) = self.scopes.scopes.first() else { return };
        let tree = &scope.unit.tree;
        if tree.kind == ast::FileKind::Library
            || scope.lost
            || tree.name.is_none()
            || tree.items.iter().any(|i| i.poisoned)
        {
            return;
        }
        let span = tree.name.as_ref().map_or(tree.span, |n| n.span);
        let (label, help) = if named {
            ("all readouts have names", "leave the name out of the one that is the score: `readout pointwise = NODE`")
        } else {
            ("no `readout` is declared", "say what the score is, for example `readout pointwise = NODE`")
        };
        self.sink.push(Diagnostic::error(Code::NO_READOUT, span, "the program has no score", label).help(help));
    }

    fn second_sink(&mut self, sink: NodeId, first: Span, other: NodeId, span: Span) {
        let name = |id| self.node_of(id).map_or_else(String::new, |n| n.name.to_string());
        let (sink, other) = (name(sink), name(other));
        self.sink.push(
            Diagnostic::error(
                Code::SECOND_SINK,
                span,
                format!("the score is `{sink}` in one readout and `{other}` in another"),
                format!("reads `{other}`"),
            )
            .also(first, format!("reads `{sink}`"))
            .help("readouts without a name read the same node; give this one a name, or let it read the other node"),
        );
    }

    fn mode(&mut self, word: &ast::Name) -> Option<Mode> {
        let modes = [Mode::Pointwise, Mode::Pairwise, Mode::Listwise];
        if let Some(mode) = modes.into_iter().find(|m| m.word() == &*word.text) {
            return Some(mode);
        }
        let found = Diagnostic::error(
            Code::UNKNOWN_MODE,
            word.span,
            format!("`{}` is no mode of a readout", word.text),
            "not known",
        );
        let known = modes.map(Mode::word);
        self.sink.push(suggest(found, &word.text, word.span, &known, || {
            "it is `pointwise` (each candidate alone), `pairwise` (which of two) or `listwise` (a ranking)".to_owned()
        }));
        None
    }

    /// One readout, and where the node that it reads is named.
    fn readout(&mut self, mode: Mode, written: &'a ast::Readout) -> Option<(Readout, Span)> {
        let env = Env::of(0);
        let expr = written.expr.bare();
        let (word, args, table, source) = match &expr.kind {
            ExprKind::Path(_) | ExprKind::Index(..) => (None, &[][..], None, expr),
            ExprKind::Call { callee, args, table } => {
                let word = callee.dotted();
                if readouts::readout(&word).is_none() {
                    let found = self.no_such_readout(mode, &word, callee.span);
                    self.sink.push(found);
                    return None;
                }
                let Some(first) = args.first().filter(|a| a.name.is_none()) else {
                    self.sink.push(
                        Diagnostic::error(
                            Code::READOUT_ARGUMENT,
                            callee.span,
                            format!("`{word}` does not say what it reads"),
                            "the name of a node comes first",
                        )
                        .help(format!("write `{word}(NODE, …)`")),
                    );
                    return None;
                };
                if let Some(weight) = &first.weight {
                    self.sink.push(
                        Diagnostic::error(
                            Code::WEIGHT_NOT_TAKEN,
                            weight.span,
                            "a readout weighs nothing",
                            "this weight would be ignored",
                        )
                        .help("leave it out"),
                    );
                    return None;
                }
                (Some(word), args.get(1..).unwrap_or_default(), table.as_ref(), first.value.bare())
            }
            ExprKind::Error => return None,
            _ => {
                self.sink.push(not_a_name(expr.span));
                return None;
            }
        };
        let id = match &source.kind {
            ExprKind::Path(_) | ExprKind::Index(..) => {
                let lowered = self.lower(&env, source, Place::of(Naming::Own(mode.word())));
                if let Lowered::Bundle(part) = &lowered {
                    let found = self.bundle_here(part, source.span);
                    self.sink.push(found);
                }
                lowered.node()?
            }
            ExprKind::Error => return None,
            _ => {
                self.sink.push(not_a_name(source.span));
                return None;
            }
        };
        let key = written.name.as_ref().map_or(mode.word(), |n| &n.text);
        let mut spans = Spans::of(expr.span);
        let form = self.form(&env, key, word.as_deref(), args, table.map(|table| &**table), &mut spans)?;
        let node = self.node_of(id)?;
        let (ty, name) = (node.ty.clone(), Arc::clone(&node.name));
        match readout(mode, id, &ty, &name, &form) {
            Ok((kind, ty, lints)) => {
                for lint in &lints {
                    self.sink.push(diagnostic(lint, &spans, None));
                }
                let name = written.name.as_ref().map(|n| Arc::clone(&n.text));
                let span = written.name.as_ref().map_or(written.mode.span, |n| n.span);
                Some((Readout { mode, name, source: id, kind, ty, span }, source.span))
            }
            Err(faults) => {
                for fault in &faults {
                    self.sink.push(diagnostic(fault, &spans, None));
                }
                None
            }
        }
    }

    fn no_such_readout(&self, mode: Mode, word: &str, span: Span) -> Diagnostic {
        if Op::called(word).is_some() {
            return not_a_name(span);
        }
        let known: Vec<&str> = readouts::READOUTS.iter().filter(|r| r.mode == mode.word()).map(|r| r.word).collect();
        let found = Diagnostic::error(
            Code::READOUT_FORM,
            span,
            format!("there is no {} readout `{word}`", mode.word()),
            "not known",
        );
        suggest(found, word, span, &known, || format!("a {} readout is one of {}", mode.word(), list(&known)))
    }

    /// The mapping of a readout with its parameters; `None` where one of them is in error (reported).
    fn form(
        &mut self,
        env: &Env<'_>,
        key: &str,
        word: Option<&str>,
        args: &'a [Arg],
        table: Option<&'a ast::Table>,
        spans: &mut Spans,
    ) -> Option<Form> {
        let Some(info) = word.and_then(readouts::readout) else { return Some(Form::Native) };
        let mut given: Vec<(&'static str, &'a Expr)> = Vec::new();
        let mut sound = true;
        for arg in args {
            match self.parameter(info, arg, &given) {
                Some(name) => {
                    spans.param(name, arg.value.span);
                    given.push((name, &arg.value));
                }
                None => sound = false,
            }
        }
        if !sound {
            return None;
        }
        let value = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        let mut written = Written::default();
        if let Some(to) = value("to") {
            written.to = Some(self.type_argument(env, to)?);
        }
        if let Some(mode) = value("mode") {
            written.mode = Some(self.rounding(env, mode)?);
        }
        if let Some(table) = table {
            written.table = Some(self.rows(env, false, table)?);
            for arm in &table.arms {
                let at = match &arm.key {
                    ast::ArmKey::Rest(span) => *span,
                    ast::ArmKey::Below(expr) | ast::ArmKey::Expr(expr) => expr.span,
                };
                spans.arm(at, arm.value.span);
            }
            if info.table.is_none() {
                self.sink.push(
                    Diagnostic::error(
                        Code::READOUT_PARAMETER,
                        table.span,
                        format!("`{}` has no table", info.word),
                        "not expected",
                    )
                    .help("leave it out; `bands` has one"),
                );
                return None;
            }
        }
        let margin = match value("margin") {
            Some(margin) => Some(self.number(env, margin, "`margin`")?),
            None => None,
        };
        Some(match info.word {
            "rescale" => Form::Rescale(written),
            "quantize" => Form::Quantize(written),
            "bands" => Form::Bands(written),
            "pass" => {
                let Some(at) = value("at") else {
                    self.sink.push(
                        Diagnostic::error(
                            Code::READOUT_PARAMETER,
                            spans.whole,
                            "`pass` does not say what passes",
                            "`at` is missing",
                        )
                        .help("write the lowest value that passes: `pass(NODE, at: 0.6)`"),
                    );
                    return None;
                };
                Form::Pass { at: self.literal(env, at, "`at`")? }
            }
            "prefer" => Form::Prefer { margin, tie: self.tie(env, key, value("tie"), spans)? },
            "ranking" => Form::Ranking { tie: self.tie(env, key, value("tie"), spans)? },
            "best" => Form::Best { margin, tie: self.tie(env, key, value("tie"), spans)? },
            _ => Form::Native,
        })
    }

    /// The parameter that an argument gives.
    fn parameter(
        &mut self,
        info: &readouts::ReadoutInfo,
        arg: &Arg,
        given: &[(&'static str, &Expr)],
    ) -> Option<&'static str> {
        let taken = |name: &str| given.iter().any(|(n, _)| *n == name);
        let Some(name) = &arg.name else {
            let Some(param) = info.params.iter().find(|p| !taken(p.name)) else {
                self.sink.push(
                    Diagnostic::error(
                        Code::UNKNOWN_ARGUMENT,
                        arg.span,
                        format!("`{}` takes nothing more", info.word),
                        "one too many",
                    )
                    .help("a readout reads one node"),
                );
                return None;
            };
            let start = Span { end: arg.span.start, ..arg.span };
            self.sink.push(
                Diagnostic::error(
                    Code::ARGUMENT_NAME,
                    arg.span,
                    format!("this argument of `{}` needs its name", info.word),
                    format!("is this `{}`?", param.name),
                )
                .help(format!("write `{}:` before it", param.name))
                .fix(format!("write `{}:`", param.name), vec![Edit::new(start, format!("{}: ", param.name))]),
            );
            return Some(param.name);
        };
        let Some(param) = info.params.iter().find(|p| p.name == &*name.text) else {
            let known: Vec<&str> = info.params.iter().map(|p| p.name).collect();
            let found = Diagnostic::error(
                Code::UNKNOWN_ARGUMENT,
                name.span,
                format!("`{}` has no argument `{}`", info.word, name.text),
                "not known",
            );
            self.sink.push(suggest(found, &name.text, name.span, &known, || match known.is_empty() {
                true => format!("`{}` takes only the name of a node", info.word),
                false => format!("it takes {}", list(&known)),
            }));
            return None;
        };
        if taken(param.name) {
            self.sink.push(
                Diagnostic::error(
                    Code::ARGUMENT_TWICE,
                    name.span,
                    format!("`{}` is given twice", param.name),
                    "the second one",
                )
                .help("keep one of them"),
            );
            return None;
        }
        Some(param.name)
    }

    /// `tie: abstain`, `tie: by(a, not b, else: tie)`
    fn tie(&mut self, env: &Env<'_>, key: &str, value: Option<&Expr>, spans: &mut Spans) -> Option<TieWritten> {
        let Some(value) = value else { return Some(TieWritten::Default) };
        if let Some(word) = value.word() {
            return Some(TieWritten::Word(Arc::clone(&word.text)));
        }
        match &value.bare().kind {
            ExprKind::Call { callee, args, table: None } if callee.dotted() == "by" => {
                let parent = format!("{key}.tie");
                let mut keys = Vec::new();
                let mut otherwise = None;
                for arg in args {
                    match &arg.name {
                        Some(name) if &*name.text == "else" => {
                            spans.param("else", arg.value.span);
                            let Some(word) = arg.value.word() else {
                                self.sink.push(tie_form(arg.value.span));
                                return None;
                            };
                            otherwise = Some(Arc::clone(&word.text));
                        }
                        Some(name) => {
                            let found = Diagnostic::error(
                                Code::UNKNOWN_ARGUMENT,
                                name.span,
                                format!("`by` has no argument `{}`", name.text),
                                "not known",
                            );
                            self.sink.push(suggest(found, &name.text, name.span, &["else"], || {
                                "name the nodes to compare, the most important first, and `else: abstain` or `else: tie`"
                                    .to_owned()
                            }));
                            return None;
                        }
                        None => {
                            let place = Place::of(Naming::Slot(&parent, keys.len() + 1));
                            let lowered = self.lower(env, &arg.value, place);
                            let id = match &lowered {
                                Lowered::Constant(_) => {
                                    self.sink.push(tie_form(arg.value.span));
                                    None
                                }
                                Lowered::Bundle(part) => {
                                    let found = self.bundle_here(part, arg.value.span);
                                    self.sink.push(found);
                                    None
                                }
                                other => other.node(),
                            };
                            let node =
                                id.and_then(|id| self.node_of(id).map(|n| (id, n.ty.clone(), Arc::clone(&n.name))));
                            spans.add(0, arg.value.span, None);
                            keys.push(node);
                        }
                    }
                }
                // What is in error has been reported; the readout is not made.
                keys.iter().all(Option::is_some).then_some(TieWritten::By { keys, otherwise })
            }
            ExprKind::Error => None,
            _ => {
                self.sink.push(tie_form(value.span));
                None
            }
        }
    }
}

fn tie_form(span: Span) -> Diagnostic {
    Diagnostic::error(Code::READOUT_TIE, span, "this does not say what decides a tie", "not a way to break a tie")
        .help("write `tie`, `abstain`, `by_id`, or `by(…)` with the names of nodes, the most important first")
}

fn not_a_name(span: Span) -> Diagnostic {
    Diagnostic::error(Code::READOUT_ARGUMENT, span, "a readout reads a node by its name", "this computes something")
        .help("declare it before, for example `transform final = …`, and write its name here")
}
