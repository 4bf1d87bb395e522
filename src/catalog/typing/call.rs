//! An application under examination: access to its slots, the checks that all operators share, and what is said about it.
//!
//! Every rule of an operator's own sees its slots through [`Call::nodes`], [`Call::one`] and [`Call::side`], which leave out
//! whatever is in error already, so one mistake stays one fault.

use super::{Argument, Fault, Literal, Place, Written, WrittenUnknown};
use crate::catalog::table::{Arity, OperatorInfo, PortInfo, Weights};
use crate::catalog::{NodeId, Op, Params};
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Type, Value};
use foldhash::HashSet;

/// What an operator's own rule found.
pub(super) struct Resolved {
    pub params: Params,
    pub ty: Type,
    /// Constants of single ports, by the port's index.
    pub constants: Vec<(usize, Value)>,
}

impl Resolved {
    pub fn of(ty: Type) -> Resolved {
        Resolved { params: Params::default(), ty, constants: Vec::new() }
    }

    pub fn with(ty: Type, params: Params) -> Resolved {
        Resolved { params, ty, constants: Vec::new() }
    }
}

/// A node in a slot.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub port: usize,
    pub slot: usize,
    pub id: NodeId,
    pub ty: &'a Type,
    pub name: &'a str,
}

impl Slot<'_> {
    pub fn place(&self) -> Place {
        Place::Slot(self.port, self.slot)
    }
}

/// What stands in a port of one slot.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    Node(Slot<'a>),
    Constant(Place, &'a Literal),
}

pub(super) struct Call<'a> {
    pub op: Op,
    pub info: &'static OperatorInfo,
    arguments: &'a [Vec<Argument>],
    pub params: &'a Written,
    pub written: Option<&'a Type>,
    pub faults: Vec<Fault>,
    pub warnings: Vec<Fault>,
    /// Some argument is in error: nothing may be said about the slots as a whole.
    pub clouded: bool,
}

impl<'a> Call<'a> {
    pub fn new(op: Op, arguments: &'a [Vec<Argument>], params: &'a Written, written: Option<&'a Type>) -> Call<'a> {
        let clouded = arguments.iter().flatten().any(|a| *a == Argument::Error);
        let info = op.info();
        Call { op, info, arguments, params, written, faults: Vec::new(), warnings: Vec::new(), clouded }
    }

    /// The operator as an author knows it, in backticks.
    pub fn word(&self) -> String {
        format!("`{}`", symbol(self.op))
    }

    pub fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub fn warn(&mut self, fault: Fault) {
        self.warnings.push(fault);
    }

    fn slots(&self, port: usize) -> &'a [Argument] {
        self.arguments.get(port).map_or(&[], Vec::as_slice)
    }

    /// How many slots a port has, those in error included.
    pub fn count(&self, port: usize) -> usize {
        self.slots(port).len()
    }

    /// The nodes in a port that this operator can look at.
    pub fn nodes(&self, port: usize) -> Vec<Slot<'a>> {
        let at = |(slot, argument): (usize, &'a Argument)| match argument {
            Argument::Node { id, ty, name } if fits(self.op, ty) => {
                Some(Slot { port, slot, id: *id, ty, name: name.as_ref() })
            }
            _ => None,
        };
        self.slots(port).iter().enumerate().filter_map(at).collect()
    }

    /// The node in a port of one slot.
    pub fn one(&self, port: usize) -> Option<Slot<'a>> {
        match self.side(port)? {
            Side::Node(slot) => Some(slot),
            Side::Constant(..) => None,
        }
    }

    /// What stands in a port of one slot.
    pub fn side(&self, port: usize) -> Option<Side<'a>> {
        match self.slots(port).first()? {
            Argument::Node { id, ty, name } if fits(self.op, ty) => {
                Some(Side::Node(Slot { port, slot: 0, id: *id, ty, name: name.as_ref() }))
            }
            Argument::Constant(literal) => Some(Side::Constant(Place::Slot(port, 0), literal)),
            _ => None,
        }
    }

    /// The weight of a slot of port `x`.
    pub fn weight(&self, slot: usize) -> Option<&'a Number> {
        self.params.weights.get(slot).and_then(Option::as_ref)
    }

    /// The checks that all operators share: ports filled as the table says, no parameter that it does not name.
    pub fn check_shape(&mut self) {
        for (port, info) in self.info.ports.iter().enumerate() {
            self.check_port(port, info);
        }
        let most = self.info.ports.len();
        if self.arguments.iter().skip(most).any(|slots| !slots.is_empty()) {
            let headline = format!("{} has fewer inputs than were given", self.word());
            self.fault(Fault::error(Code::UNKNOWN_ARGUMENT, Place::Whole, headline, "too many inputs"));
        }
        self.check_parameters();
        if self.info.weights == Weights::None {
            self.refuse_weights();
        }
    }

    fn check_port(&mut self, port: usize, info: &PortInfo) {
        let slots = self.slots(port);
        if slots.is_empty() && info.arity != Arity::Optional {
            let fault = self.missing(info);
            self.fault(fault);
        }
        if slots.len() > 1 && info.arity != Arity::Many {
            let headline = format!("{} takes one {}, and {} stand here", self.word(), named(info), slots.len());
            let fault = Fault::error(Code::UNKNOWN_ARGUMENT, Place::Slot(port, 1), headline, "one too many");
            let names: Vec<&str> = self.info.names().collect();
            self.fault(fault.help(format!(
                "{} is written as `{}`; its names are {}",
                self.word(),
                self.info.example,
                names.join(", ")
            )));
        }
        for (slot, argument) in slots.iter().enumerate() {
            match argument {
                Argument::Constant(literal) if matches!(info.arity, Arity::Node | Arity::Many) => {
                    let headline = format!(
                        "{} works on judgments, and {} is a constant",
                        self.word(),
                        super::literal::shown(literal)
                    );
                    let help = match self.op {
                        Op::Sum => "add a constant outside: `sum(…) + 1`",
                        Op::Product => "multiply by a constant outside: `2 * product(…)`",
                        Op::Min | Op::Max => "to bound a number, use `clamp(x, to: score[0..1])`",
                        _ => "name a criterion or another node here",
                    };
                    let place = Place::Slot(port, slot);
                    self.fault(Fault::error(Code::INPUT_CONSTANT, place, headline, "a constant").help(help));
                }
                Argument::Node { ty, name, .. } if !fits(self.op, ty) => {
                    let fault = self.unfit(Place::Slot(port, slot), ty, name);
                    self.fault(fault);
                }
                _ => {}
            }
        }
        if info.arity == Arity::Many {
            self.check_twice(port);
        }
    }

    fn missing(&self, info: &PortInfo) -> Fault {
        let word = self.word();
        let (headline, help) = match (self.op, info.name) {
            (_, "trigger") => (
                format!("the gate {word} does not say when it acts"),
                "write `when CONDITION` or `unless CONDITION` behind it".to_owned(),
            ),
            (Op::Decide, _) => {
                (format!("{word} has no condition"), format!("it is written as `{}`", self.info.example))
            }
            (_, name @ ("at" | "by" | "with")) => {
                (format!("{word} lacks `{name}:`"), format!("it is written as `{}`", self.info.example))
            }
            (_, name) => (
                format!(
                    "{word} lacks {}",
                    if info.arity == Arity::Many { "its slots".to_owned() } else { format!("its input `{name}`") }
                ),
                format!("it is written as `{}`", self.info.example),
            ),
        };
        Fault::error(Code::INPUT_MISSING, Place::Whole, headline, format!("{} is missing here", named(info))).help(help)
    }

    /// A judgment without bounds, or items that come with the record, where the operator takes none.
    fn unfit(&self, place: Place, ty: &Type, name: &str) -> Fault {
        if ty.base == Base::Items {
            let headline = format!("the items of `{name}` come with each record, and {} cannot read them", self.word());
            return Fault::error(Code::INPUT_UNBOUNDED, place, headline, "items that come with the record")
                .help("use `clamp(points(…), to: score[0..1])`");
        }
        let headline = format!("`{name}` has no bounds, because its items come with each record");
        let mut fault = Fault::error(Code::INPUT_UNBOUNDED, place, headline, "a number without bounds")
            .help("bound it: `clamp(…, to: score[0..1])`; or compare it with a number");
        fault.wrap = Some(("bound it with `clamp`".to_owned(), "clamp(".to_owned(), ", to: score[0..1])".to_owned()));
        fault
    }

    /// The lint on one node in two slots of a port.
    fn check_twice(&mut self, port: usize) {
        let mut seen = HashSet::default();
        let twice = self.nodes(port).into_iter().find(|slot| !seen.insert(slot.id));
        if let Some(slot) = twice {
            let headline = format!("`{}` stands in two slots of {}, so it counts twice", slot.name, self.word());
            let fault = Fault::warning(Code::SAME_NODE_TWICE, slot.place(), headline, "a second time");
            self.warn(fault.help("drop one, or give it a weight"));
        }
    }

    fn check_parameters(&mut self) {
        let p = self.params;
        let given = [
            ("unknown", p.unknown.is_some()),
            ("to", p.to.is_some()),
            ("step", p.step.is_some()),
            ("mode", p.mode.is_some()),
            ("label", p.label.is_some()),
            ("tie", p.tie.is_some()),
        ];
        for (name, given) in given {
            if given && self.info.param(name).is_none() {
                let headline = format!("{} takes no `{name}:`", self.word());
                let help = match name {
                    "unknown" => format!(
                        "{} passes unknown through by itself; settle it with `otherwise(x, value)`",
                        self.word()
                    ),
                    _ => match self.info.params {
                        [] => "drop it".to_owned(),
                        some => {
                            let names: Vec<_> = some.iter().map(|p| format!("`{}:`", p.name)).collect();
                            format!("drop it; its parameters are {}", names.join(", "))
                        }
                    },
                };
                let place = Place::Param(name);
                self.fault(Fault::error(Code::PARAMETER_NOT_TAKEN, place, headline, "not taken here").help(help));
            }
        }
        match (&p.table, self.info.table) {
            (Some(_), None) => {
                let headline = format!("{} takes no table", self.word());
                let place = Place::Param("table");
                self.fault(Fault::error(Code::PARAMETER_NOT_TAKEN, place, headline, "not taken here").help("drop it"));
            }
            (None, Some(rows)) => {
                let headline = format!("{} lacks its table", self.word());
                let fault = Fault::error(Code::TABLE_MISSING, Place::Whole, headline, "no `{ … }` behind it");
                self.fault(fault.help(format!("add rows in braces: {rows}; for example `{}`", self.info.example)));
            }
            _ => {}
        }
    }

    /// One fault for a weight where none is taken.
    fn refuse_weights(&mut self) {
        let Some(slot) = self.params.weights.iter().position(Option::is_some) else {
            return;
        };
        let headline = format!("{} takes no weights", self.word());
        let help = match self.op {
            Op::Mean => "use `weighted_mean(…)`, or drop the weights",
            Op::Sum => "use `weighted_sum(…)`, or drop the weights",
            _ => "drop the weights; `weighted_mean`, `weighted_sum` and `points` take them",
        };
        self.fault(Fault::error(Code::WEIGHT_NOT_TAKEN, Place::Weight(slot), headline, "not taken here").help(help));
    }

    /// The table as written; its absence has been reported.
    pub fn table(&self) -> Option<&'a [super::WrittenArm]> {
        self.params.table.as_deref()
    }

    /// Reports a parameter that must be given.
    pub fn require_param(&mut self, name: &'static str) {
        let headline = format!("{} lacks `{name}:`", self.word());
        let fault = Fault::error(Code::PARAMETER_MISSING, Place::Whole, headline, format!("`{name}:` is missing here"));
        let help = match self.info.param(name) {
            Some(param) if !param.words.is_empty() => {
                format!("`{name}:` is {}; for example `{}`", param.is, self.info.example)
            }
            _ => format!("it is written as `{}`", self.info.example),
        };
        self.fault(fault.help(help));
    }

    /// Whether `unknown:` was written.
    pub fn written_policy(&self) -> Option<&'a WrittenUnknown> {
        self.params.unknown.as_ref()
    }
}

/// Whether an operator can look at a type at all: only `clamp` and comparisons take a number without bounds, only `points`
/// and `sum_points` items that come with the record.
fn fits(op: Op, ty: &Type) -> bool {
    match ty.base {
        Base::Real => op == Op::Clamp || is_comparison(op),
        Base::Items => matches!(op, Op::Points | Op::SumPoints),
        _ => true,
    }
}

pub(super) fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
}

/// An operator as an author writes it: its word, or the symbol of arithmetic and comparisons.
#[must_use]
pub fn symbol(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Subtract => "-",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Equal => "==",
        Op::NotEqual => "!=",
        Op::Less => "<",
        Op::LessEqual => "<=",
        Op::Greater => ">",
        Op::GreaterEqual => ">=",
        _ => op.word(),
    }
}

fn named(info: &PortInfo) -> String {
    match info.name {
        "x" | "base" => "judgment".to_owned(),
        "trigger" | "when" => "condition".to_owned(),
        name => format!("`{name}`"),
    }
}
