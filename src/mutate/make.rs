//! From a mutation to changed programs: what is edited, and what that is in the author's words.
//!
//! A mutation that moves a constant offers several steps, the smallest first; every other is one change. What cannot be
//! applied gives nothing at all.

use super::sites::Mutation;
use super::steps::{Cut, Values, by_width, stepped, thresholds};
use crate::catalog::{Band, Input, NodeId, Op, Operation};
use crate::graph::text::Phrases;
use crate::graph::twin::Edit;
use crate::graph::written::{constant_type, policy_word};
use crate::graph::{Checklist, Mode, NodeKind, Program, Readout, ReadoutKind, Tie};
use crate::number::Number;
use crate::source::Span;
use crate::types::{Base, Type, Value, quote_label};

/// Characters of an expression in a message.
const LONGEST: usize = 60;

/// A change that may be tried.
#[derive(Debug, Clone)]
pub struct Variant {
    pub edits: Vec<(NodeId, Edit)>,
    pub readouts: Vec<(usize, ReadoutKind)>,
    /// What was changed, in the author's words.
    pub what: String,
}

/// Makes mutations of one program.
pub struct Maker<'p> {
    program: &'p Program,
    phrases: Phrases<'p>,
    values: Values,
}

/// Where a mutation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The node, item or readout.
    pub name: String,
    pub span: Span,
}

impl<'p> Maker<'p> {
    #[must_use]
    pub fn new(program: &'p Program) -> Maker<'p> {
        Maker { program, phrases: Phrases::new(program), values: Values::default() }
    }

    /// How the author calls a node, or writes it where it has no name.
    #[must_use]
    pub fn name(&self, node: NodeId) -> String {
        shortened(&self.phrases.of(node))
    }

    /// Where a mutation is.
    #[must_use]
    pub fn place(&self, mutation: &Mutation) -> Place {
        let of_node = |node: NodeId| {
            let span = self.program.node(node).map_or(Span::default(), |n| n.span);
            Place { name: self.name(node), span }
        };
        match mutation {
            Mutation::SwapPoints { list, a, .. } | Mutation::FlipPoints { list, item: a } => {
                match self.item(*list, *a) {
                    Some(node) => of_node(node),
                    None => Place { name: String::new(), span: Span::default() },
                }
            }
            Mutation::ShiftReadout { readout, .. }
            | Mutation::ShiftReadoutBand { readout, .. }
            | Mutation::ReadoutTie { readout, .. } => match self.program.readouts.get(*readout) {
                Some(entry) => Place { name: readout_name(entry), span: entry.span },
                None => Place { name: String::new(), span: Span::default() },
            },
            Mutation::DropGate { node }
            | Mutation::DropInvert { node }
            | Mutation::Negate { node, .. }
            | Mutation::SwapWeights { node, .. }
            | Mutation::FlipWeight { node, .. }
            | Mutation::SwapPorts { node, .. }
            | Mutation::Operator { node, .. }
            | Mutation::Shift { node, .. }
            | Mutation::ShiftBand { node, .. }
            | Mutation::SwapRows { node, .. }
            | Mutation::Policy { node, .. }
            | Mutation::VoteTie { node, .. } => of_node(*node),
        }
    }

    /// The changes that a mutation stands for, the smallest first.
    #[must_use]
    pub fn variants(&mut self, mutation: &Mutation) -> Vec<Variant> {
        self.try_variants(mutation).unwrap_or_default()
    }

    fn try_variants(&mut self, mutation: &Mutation) -> Option<Vec<Variant>> {
        match mutation {
            Mutation::DropGate { node } => {
                let base = self.operation(*node)?.one("base")?.node()?;
                let (whole, base_name) = (shortened(&self.phrases.whole(*node)), self.name(base));
                one(*node, Edit::Alias(base), format!("the gate is left out: `{whole}` became `{base_name}`"))
            }
            Mutation::DropInvert { node } => {
                let x = self.operation(*node)?.one("x")?.node()?;
                one(*node, Edit::Alias(x), format!("`invert` is left out, `{}` stands alone", self.name(x)))
            }
            Mutation::Negate { node, port } => {
                let condition = self.operation(*node)?.one(port)?.node()?;
                let inner = self.operation(condition).filter(|inner| inner.op == Op::Not);
                let what = match inner.and_then(|inner| inner.one("x")?.node()) {
                    Some(inner) if self.phrases.nested(condition) => {
                        let inner = self.name(inner);
                        format!("`unless {inner}` became `when {inner}`")
                    }
                    _ => {
                        let name = self.name(condition);
                        format!("`when {name}` became `unless {name}`")
                    }
                };
                one(*node, Edit::Negate(port), what)
            }
            Mutation::SwapWeights { node, a, b } => {
                let operation = self.operation(*node)?;
                let mut params = operation.params.clone();
                let what = format!(
                    "the weights of {} ({}) and {} ({}) are exchanged",
                    self.slot(operation, *a),
                    params.weights.get(*a)?.exact(),
                    self.slot(operation, *b),
                    params.weights.get(*b)?.exact()
                );
                params.weights.swap(*a, *b);
                one(*node, replaced(operation, |o| o.params = params), what)
            }
            Mutation::FlipWeight { node, slot } => {
                let operation = self.operation(*node)?;
                let old = operation.params.weights.get(*slot)?.clone();
                let what = format!(
                    "the weight of {} became {} instead of {}",
                    self.slot(operation, *slot),
                    (-old.clone()).exact(),
                    old.exact()
                );
                let edit = replaced(operation, |o| {
                    if let Some(weight) = o.params.weights.get_mut(*slot) {
                        *weight = -old.clone();
                    }
                });
                one(*node, edit, what)
            }
            Mutation::SwapPoints { list, a, b } => {
                let checklist = self.program.checklists.get(*list)?;
                let (one, other) = (checklist.items.get(*a)?, checklist.items.get(*b)?);
                let what = format!(
                    "the points of {} ({}) and {} ({}) are exchanged",
                    item_name(checklist, *a),
                    signed(&one.points),
                    item_name(checklist, *b),
                    signed(&other.points)
                );
                self.points(&[(one.node, other.points.clone()), (other.node, one.points.clone())], what)
            }
            Mutation::FlipPoints { list, item } => {
                let checklist = self.program.checklists.get(*list)?;
                let entry = checklist.items.get(*item)?;
                let flipped = -entry.points.clone();
                let what = format!(
                    "the points of {} became {} instead of {}",
                    item_name(checklist, *item),
                    signed(&flipped),
                    signed(&entry.points)
                );
                self.points(&[(entry.node, flipped)], what)
            }
            Mutation::SwapPorts { node, a, b } => {
                let operation = self.operation(*node)?;
                let (one_in, other_in) = (operation.one(a)?.clone(), operation.one(b)?.clone());
                if one_in == other_in {
                    return None;
                }
                let edit = replaced(operation, |o| {
                    for port in &mut o.ports {
                        if port.name == *a {
                            port.inputs = vec![other_in.clone()];
                        } else if port.name == *b {
                            port.inputs = vec![one_in.clone()];
                        }
                    }
                });
                one(*node, edit, format!("`{a}` and `{b}` of `{}` are exchanged", self.whole(*node)))
            }
            Mutation::Operator { node, op } => {
                let operation = self.operation(*node)?;
                let what = format!(
                    "`{}` became `{}` in `{}`",
                    crate::catalog::typing::symbol(operation.op),
                    crate::catalog::typing::symbol(*op),
                    self.whole(*node)
                );
                one(*node, replaced(operation, |o| o.op = *op), what)
            }
            Mutation::Shift { node, port, up } => self.shift(*node, port, *up),
            Mutation::ShiftBand { node, band, up } => {
                let operation = self.operation(*node)?;
                let below = operation.params.bands.get(*band)?.below.clone()?;
                let source = operation.one("x")?.node()?;
                let moved = self.cuts(&below, Cut::Below, source, *up);
                let variant = |n: Number| Variant {
                    what: format!("`below {}` became `below {}`", below.exact(), n.exact()),
                    edits: vec![(
                        *node,
                        replaced(operation, |o| {
                            if let Some(band) = o.params.bands.get_mut(*band) {
                                band.below = Some(n);
                            }
                        }),
                    )],
                    readouts: Vec::new(),
                };
                Some(moved.into_iter().map(variant).collect())
            }
            Mutation::SwapRows { node, a, b } => {
                let operation = self.operation(*node)?;
                let edit = replaced(operation, |o| swap_rows(o, *a, *b));
                let what =
                    format!("the results of rows {} and {} of `{}` are exchanged", a + 1, b + 1, self.whole(*node));
                one(*node, edit, what)
            }
            Mutation::Policy { node, policy } => {
                let operation = self.operation(*node)?;
                let ty = &self.program.node(*node)?.ty;
                let word = |policy: &crate::catalog::UnknownPolicy| match policy {
                    crate::catalog::UnknownPolicy::Constant(value) => value.text(ty),
                    other => policy_word(other).unwrap_or_default().to_owned(),
                };
                let old = operation.params.unknown.as_ref()?;
                let what = format!("`unknown: {}` became `unknown: {}`", word(old), word(policy));
                one(*node, replaced(operation, |o| o.params.unknown = Some(policy.clone())), what)
            }
            Mutation::VoteTie { node, tie } => {
                let operation = self.operation(*node)?;
                let ty = &self.program.node(*node)?.ty;
                let word = |tie: &crate::catalog::VoteTie| match tie {
                    crate::catalog::VoteTie::Lowest => "lowest".to_owned(),
                    crate::catalog::VoteTie::Highest => "highest".to_owned(),
                    crate::catalog::VoteTie::Unknown => "unknown".to_owned(),
                    crate::catalog::VoteTie::Value(value) => value.text(ty),
                };
                let old = operation.params.tie.as_ref()?;
                let what = format!("`tie: {}` became `tie: {}`", word(old), word(tie));
                one(*node, replaced(operation, |o| o.params.tie = Some(tie.clone())), what)
            }
            Mutation::ShiftReadout { readout, up } => self.shift_readout(*readout, *up),
            Mutation::ShiftReadoutBand { readout, band, up } => {
                let entry = self.program.readouts.get(*readout)?;
                let ReadoutKind::Bands(bands) = &entry.kind else { return None };
                let below = bands.get(*band)?.below.clone()?;
                let moved = self.cuts(&below, Cut::Below, entry.source, *up);
                let variant = |n: Number| {
                    let what = format!("`below {}` became `below {}`", below.exact(), n.exact());
                    let with = |(at, old): (usize, &Band)| Band {
                        below: if at == *band { Some(n.clone()) } else { old.below.clone() },
                        label: old.label,
                    };
                    let kind = ReadoutKind::Bands(bands.iter().enumerate().map(with).collect());
                    Variant { edits: Vec::new(), readouts: vec![(*readout, kind)], what }
                };
                Some(moved.into_iter().map(variant).collect())
            }
            Mutation::ReadoutTie { readout, tie } => {
                let entry = self.program.readouts.get(*readout)?;
                let (old, kind) = match &entry.kind {
                    ReadoutKind::Prefer { margin, tie: old } => {
                        (old, ReadoutKind::Prefer { margin: margin.clone(), tie: tie.clone() })
                    }
                    ReadoutKind::Best { margin, tie: old } => {
                        (old, ReadoutKind::Best { margin: margin.clone(), tie: tie.clone() })
                    }
                    ReadoutKind::Ranking { tie: old } => (old, ReadoutKind::Ranking { tie: tie.clone() }),
                    _ => return None,
                };
                let what = format!("`tie: {}` became `tie: {}`", self.tie(old), self.tie(tie));
                Some(vec![Variant { edits: Vec::new(), readouts: vec![(*readout, kind)], what }])
            }
        }
    }

    fn shift(&mut self, node: NodeId, port: &'static str, up: bool) -> Option<Vec<Variant>> {
        let operation = self.operation(node)?;
        let Input::Constant(old) = operation.one(port)?.clone() else { return None };
        let ty = constant_type(self.program, operation, &self.program.node(node)?.ty, port).clone();
        let moved: Vec<Value> = match cut(operation.op, port) {
            Some(cut) => {
                let other = operation.one(if port == "left" { "right" } else { "left" })?.node()?;
                match &old {
                    Value::Number(n) => self.cuts(n, cut, other, up).into_iter().map(Value::Number).collect(),
                    other => stepped(other, &ty, up),
                }
            }
            None => stepped(&old, &ty, up),
        };
        let whole = self.whole(node);
        let variant = |value: Value| Variant {
            what: match port {
                "left" | "right" => {
                    format!("`{}` became `{}` in `{whole}`", old.text(&ty), value.text(&ty))
                }
                "v" => format!("`{}` became `{}` in `{whole}`", old.text(&ty), value.text(&ty)),
                _ => format!("`{port}: {}` became `{port}: {}`", old.text(&ty), value.text(&ty)),
            },
            edits: vec![(
                node,
                replaced(operation, |o| {
                    for p in o.ports.iter_mut().filter(|p| p.name == port) {
                        p.inputs = vec![Input::Constant(value.clone())];
                    }
                }),
            )],
            readouts: Vec::new(),
        };
        Some(moved.into_iter().map(variant).collect())
    }

    fn shift_readout(&mut self, number: usize, up: bool) -> Option<Vec<Variant>> {
        let entry = self.program.readouts.get(number)?;
        let ty = self.program.node(entry.source)?.ty.clone();
        let made =
            |kind: ReadoutKind, what: String| Variant { edits: Vec::new(), readouts: vec![(number, kind)], what };
        match &entry.kind {
            ReadoutKind::Pass { at } => {
                let moved: Vec<Value> = match at {
                    Value::Number(n) => {
                        self.cuts(n, Cut::Below, entry.source, up).into_iter().map(Value::Number).collect()
                    }
                    other => stepped(other, &ty, up),
                };
                let variant = |value: Value| {
                    let what = format!("`at: {}` became `at: {}`", at.text(&ty), value.text(&ty));
                    made(ReadoutKind::Pass { at: value }, what)
                };
                Some(moved.into_iter().map(variant).collect())
            }
            ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie } => {
                let width = match &ty.base {
                    Base::Int { lo, hi } | Base::Score { lo, hi } => hi - lo,
                    Base::Ordinal(labels) => Number::from(labels.len().saturating_sub(1)),
                    _ => Number::ONE,
                };
                let whole = !matches!(ty.base, Base::Score { .. });
                let mut moved = by_width(margin, &Number::ZERO, &width, whole, up);
                if !up && moved.is_empty() && margin.is_positive() {
                    moved.push(Number::ZERO);
                }
                let variant = |n: Number| {
                    let what = format!("`margin: {}` became `margin: {}`", margin.exact(), n.exact());
                    let kind = match entry.mode {
                        Mode::Listwise => ReadoutKind::Best { margin: n, tie: tie.clone() },
                        _ => ReadoutKind::Prefer { margin: n, tie: tie.clone() },
                    };
                    made(kind, what)
                };
                Some(moved.into_iter().map(variant).collect())
            }
            _ => None,
        }
    }

    /// Where a threshold over a node moves to.
    fn cuts(&mut self, at: &Number, cut: Cut, node: NodeId, up: bool) -> Vec<Number> {
        if let Some(values) = self.values.numbers(self.program, node) {
            return thresholds(at, cut, &values, up);
        }
        let ty = self.program.node(node).map_or(Type::BOOL, |n| n.ty.clone());
        match ty.interval() {
            Some((lo, hi)) => by_width(at, lo, hi, matches!(ty.base, Base::Int { .. }), up),
            None => vec![if up { at + &Number::ONE } else { at - &Number::ONE }],
        }
    }

    /// Gives items other points in all that counts them.
    fn points(&self, items: &[(NodeId, Number)], what: String) -> Option<Vec<Variant>> {
        let mut edits: Vec<(NodeId, Edit)> = Vec::new();
        for (node, at) in self.program.nodes.iter().zip(0..) {
            let NodeKind::Operator(operation) = &node.kind else { continue };
            if !matches!(operation.op, Op::Points | Op::SumPoints) {
                continue;
            }
            let slots = operation.port("x");
            let counted = slots.iter().any(|input| items.iter().any(|(item, _)| input.node() == Some(*item)));
            if counted {
                let edit = replaced(operation, |o| {
                    for (input, weight) in slots.iter().zip(&mut o.params.weights) {
                        if let Some((_, points)) = items.iter().find(|(item, _)| input.node() == Some(*item)) {
                            *weight = points.clone();
                        }
                    }
                });
                edits.push((NodeId(at), edit));
            }
        }
        (!edits.is_empty()).then(|| vec![Variant { edits, readouts: Vec::new(), what }])
    }

    fn operation(&self, node: NodeId) -> Option<&'p Operation> {
        match &self.program.node(node)?.kind {
            NodeKind::Operator(operation) => Some(operation),
            _ => None,
        }
    }

    fn item(&self, list: usize, item: usize) -> Option<NodeId> {
        Some(self.program.checklists.get(list)?.items.get(item)?.node)
    }

    fn whole(&self, node: NodeId) -> String {
        shortened(&self.phrases.whole(node))
    }

    fn slot(&self, operation: &Operation, slot: usize) -> String {
        match operation.port("x").get(slot).and_then(Input::node) {
            Some(id) => format!("`{}`", self.name(id)),
            None => format!("slot {}", slot + 1),
        }
    }

    fn tie(&self, tie: &Tie) -> String {
        match tie {
            Tie::Tie => "tie".to_owned(),
            Tie::Abstain => "abstain".to_owned(),
            Tie::First => "first".to_owned(),
            Tie::ById => "by_id".to_owned(),
            Tie::By { keys, tie } => {
                let keys: Vec<String> = keys.iter().map(|key| self.name(*key)).collect();
                format!("by({}, else: {})", keys.join(", "), if *tie { "tie" } else { "abstain" })
            }
        }
    }
}

fn one(node: NodeId, edit: Edit, what: String) -> Option<Vec<Variant>> {
    Some(vec![Variant { edits: vec![(node, edit)], readouts: Vec::new(), what }])
}

fn replaced(operation: &Operation, change: impl FnOnce(&mut Operation)) -> Edit {
    let mut operation = operation.clone();
    change(&mut operation);
    Edit::Operation(Box::new(operation))
}

/// Exchanges the results of two rows; the last row of a `map` may be its `rest`.
fn swap_rows(operation: &mut Operation, a: usize, b: usize) {
    let params = &mut operation.params;
    if operation.op == Op::Decide {
        params.results.swap(a, b);
        return;
    }
    let value = |at: usize| params.arms.get(at).map(|arm| arm.value.clone()).or_else(|| params.rest.clone());
    let (Some(one), Some(other)) = (value(a), value(b)) else { return };
    for (at, value) in [(a, other), (b, one)] {
        match params.arms.get_mut(at) {
            Some(arm) => arm.value = value,
            None => params.rest = Some(value),
        }
    }
}

/// What a constant in a port of a comparison separates; `None` where the operator compares nothing.
fn cut(op: Op, port: &str) -> Option<Cut> {
    // `3 < x` is `x > 3`.
    let turned = port == "left";
    Some(match op {
        Op::Equal | Op::NotEqual => Cut::At,
        Op::Less | Op::GreaterEqual => {
            if turned {
                Cut::Above
            } else {
                Cut::Below
            }
        }
        Op::LessEqual | Op::Greater => {
            if turned {
                Cut::Below
            } else {
                Cut::Above
            }
        }
        _ => return None,
    })
}

fn item_name(checklist: &Checklist, at: usize) -> String {
    let Some(item) = checklist.items.get(at) else { return String::new() };
    match &item.id {
        Some(id) => format!("`{}.{}`", checklist.name, quote_label(id)),
        None => format!("`{}[{}]`", checklist.name, item.number),
    }
}

fn signed(points: &Number) -> String {
    if points.is_negative() { points.exact() } else { format!("+{}", points.exact()) }
}

/// How messages call a readout.
#[must_use]
pub fn readout_name(readout: &Readout) -> String {
    match &readout.name {
        Some(name) => format!("readout {} {name}", readout.mode.word()),
        None => format!("readout {}", readout.mode.word()),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}
