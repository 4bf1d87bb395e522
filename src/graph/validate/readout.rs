//! Whether a readout fits what it reads, and what it yields (language.md, section 8).
//!
//! `rescale`, `quantize` and `bands` of a readout are the transforms of that name, so they are typed by
//! [`crate::catalog::typing::infer`]. Faults name `Place::Param(KEY)` for a parameter, `Place::Slot(0, n)` for the n-th key
//! of `by(…)`, and the rows of a table as `infer` does.

use crate::catalog::typing::{Argument, Fault, Literal, Place, Written, infer};
use crate::catalog::{NodeId, Op};
use crate::diagnostics::Code;
use crate::graph::{Mode, ReadoutKind, Tie};
use crate::number::Number;
use crate::types::{Base, Type, Value};
use std::sync::Arc;

/// A readout's mapping as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// The name of a node alone.
    Native,
    /// `to` in [`Written::to`].
    Rescale(Written),
    /// `to` and `mode`.
    Quantize(Written),
    /// The table.
    Bands(Written),
    Pass {
        at: Literal,
    },
    Prefer {
        margin: Option<Number>,
        tie: TieWritten,
    },
    Ranking {
        tie: TieWritten,
    },
    Best {
        margin: Option<Number>,
        tie: TieWritten,
    },
}

/// `tie:` as written.
#[derive(Debug, Clone, PartialEq)]
pub enum TieWritten {
    /// It was left out.
    Default,
    /// `tie`, `shared`, `abstain`, `first`, `by_id`, or a word that is none of them.
    Word(Arc<str>),
    /// `by(a, not b, else: abstain)`: nodes with their types and names (`None`: already in error).
    By { keys: Vec<Option<(NodeId, Type, Arc<str>)>>, otherwise: Option<Arc<str>> },
}

/// Types a readout of `mode` that reads node `id` called `name`, of type `ty`. Gives what it is, what it yields, and lints.
///
/// # Errors
/// Every fault of this readout, at least one.
pub fn readout(
    mode: Mode,
    id: NodeId,
    ty: &Type,
    name: &Arc<str>,
    form: &Form,
) -> Result<(ReadoutKind, Type, Vec<Fault>), Vec<Fault>> {
    let mut faults = Vec::new();
    faults.extend(fits(mode, form));
    faults.extend(readable(mode, ty, name));
    if !faults.is_empty() {
        return Err(faults);
    }
    let through = |op: Op, written: &Written| {
        let argument = Argument::Node { id, ty: ty.clone(), name: name.clone() };
        infer(op, &[vec![argument]], written, None)
    };
    let mut warnings = Vec::new();
    let done = match form {
        Form::Native => (ReadoutKind::Native, ty.clone()),
        Form::Rescale(written) => {
            let typed = through(Op::Rescale, written)?;
            warnings.extend(typed.warnings);
            (ReadoutKind::Rescale, typed.ty)
        }
        Form::Quantize(written) => {
            let typed = through(Op::Quantize, written)?;
            warnings.extend(typed.warnings);
            let mode = typed.operation.params.mode.unwrap_or(crate::number::Rounding::HalfUp);
            (ReadoutKind::Quantize { mode }, typed.ty)
        }
        Form::Bands(written) => {
            let typed = through(Op::Bands, written)?;
            warnings.extend(typed.warnings);
            (ReadoutKind::Bands(typed.operation.params.bands.clone()), typed.ty)
        }
        Form::Pass { at } => {
            let (at, lint) = threshold(at, ty, name)?;
            warnings.extend(lint);
            (ReadoutKind::Pass { at }, Type::BOOL.with_optional(ty.optional))
        }
        Form::Prefer { margin, tie } => {
            let (margin, tie, lints) = comparison(mode, ty, name, margin.as_ref(), tie)?;
            warnings.extend(lints);
            (ReadoutKind::Prefer { margin, tie }, ty.clone())
        }
        Form::Ranking { tie } => {
            let (_, tie, lints) = comparison(mode, ty, name, None, tie)?;
            warnings.extend(lints);
            (ReadoutKind::Ranking { tie }, ty.clone())
        }
        Form::Best { margin, tie } => {
            let (margin, tie, lints) = comparison(mode, ty, name, margin.as_ref(), tie)?;
            warnings.extend(lints);
            (ReadoutKind::Best { margin, tie }, ty.clone())
        }
    };
    Ok((done.0, done.1, warnings))
}

fn fault(code: Code, place: Place, headline: String, label: &str, help: impl Into<String>) -> Fault {
    let help = Some(help.into());
    Fault { code, warning: false, place, headline, label: label.to_owned(), help, wrap: None }
}

/// Whether the mode has this form.
fn fits(mode: Mode, form: &Form) -> Option<Fault> {
    let (word, right) = match form {
        Form::Native => ("a name alone", Mode::Pointwise),
        Form::Rescale(_) => ("`rescale`", Mode::Pointwise),
        Form::Quantize(_) => ("`quantize`", Mode::Pointwise),
        Form::Bands(_) => ("`bands`", Mode::Pointwise),
        Form::Pass { .. } => ("`pass`", Mode::Pointwise),
        Form::Prefer { .. } => ("`prefer`", Mode::Pairwise),
        Form::Ranking { .. } => ("`ranking`", Mode::Listwise),
        Form::Best { .. } => ("`best`", Mode::Listwise),
    };
    let has = match mode {
        Mode::Pointwise => {
            "a pointwise readout is the name of a node, `rescale(…)`, `quantize(…)`, `bands(…) { … }` or `pass(…)`"
        }
        Mode::Pairwise => "a pairwise readout is `prefer(…)`",
        Mode::Listwise => "a listwise readout is `ranking(…)` or `best(…)`",
    };
    (right != mode).then(|| {
        fault(
            Code::READOUT_FORM,
            Place::Whole,
            format!("{word} is no {} readout", mode.word()),
            &format!("this belongs to `readout {}`", right.word()),
            has,
        )
    })
}

/// Whether the type has an order in which one value is better than another: bool, numbers, ordinals.
#[must_use]
pub fn ranked(ty: &Type) -> bool {
    matches!(ty.base, Base::Bool | Base::Int { .. } | Base::Score { .. } | Base::Ordinal(_))
}

/// Whether a readout of this mode may read such a value.
fn readable(mode: Mode, ty: &Type, name: &str) -> Option<Fault> {
    let help = match (&ty.base, mode) {
        (Base::Set(_) | Base::Tally { .. }, _) => {
            "make a number or yes/no of it with `has`, `size` or `count_of`, or keep it in the results with `observe`"
        }
        (Base::Real, _) => "bound it first: `clamp(…, to: score[0..1])`",
        (Base::Items, _) => "make a number of it: `clamp(points(…), to: score[0..1])`",
        (Base::Choice(_), Mode::Pairwise | Mode::Listwise) => {
            "a choice has no better or worse; turn it into numbers or an ordinal with `map`"
        }
        _ => return None,
    };
    Some(fault(
        Code::READOUT_TYPE,
        Place::Whole,
        format!("a {} readout cannot read `{name}`, which is {ty}", mode.word()),
        "this value has no outcome",
        help,
    ))
}

/// The threshold of `pass` as a value, and a lint where it never makes a difference.
fn threshold(at: &Literal, ty: &Type, name: &str) -> Result<(Value, Option<Fault>), Vec<Fault>> {
    let wrong = |found: String, help: String| {
        Err(vec![fault(
            Code::READOUT_THRESHOLD,
            Place::Param("at"),
            format!("`{name}` cannot be compared with {found}"),
            &format!("`{name}` is {ty}"),
            help,
        )])
    };
    if !ranked(ty) {
        return wrong("a threshold".to_owned(), "use `map` to say which labels pass".to_owned());
    }
    let value = match (at, &ty.base) {
        (Literal::Bool(b), Base::Bool) => Value::Bool(*b),
        (Literal::Number(n), Base::Int { .. } | Base::Score { .. }) => Value::Number(n.clone()),
        (Literal::Label(label), Base::Ordinal(_)) => match ty.rank(label) {
            Some(rank) => Value::Label(rank),
            None => {
                let labels = ty.labels().map_or(Vec::new(), |l| l.iter().map(|l| &**l).collect());
                let help = match crate::diagnostics::did_you_mean(label, labels.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its labels are {}", labels.join(", ")),
                };
                return wrong(format!("`{label}`"), help);
            }
        },
        (Literal::Bool(b), _) => return wrong(format!("`{b}`"), format!("write a value of {ty}")),
        (Literal::Number(n), _) => return wrong(format!("`{n}`"), format!("write a value of {ty}")),
        (Literal::Label(l), _) => return wrong(format!("`{l}`"), format!("write a value of {ty}")),
        (Literal::Unknown, _) => {
            return wrong("`unknown`".to_owned(), "where the sink is unknown every readout abstains".to_owned());
        }
    };
    let Some((lo, hi)) = ty.extremes() else { return Ok((value, None)) };
    let says = if at_most(&value, &lo) {
        Some("passes always")
    } else if !at_most(&value, &hi) {
        Some("can never pass")
    } else {
        None
    };
    let lint = says.map(|says| Fault {
        warning: true,
        ..fault(
            Code::READOUT_IDLE,
            Place::Param("at"),
            format!("`{name}` {says} at this threshold"),
            &format!("`{name}` lies in {}", ty.clone().known()),
            "choose a threshold inside the interval",
        )
    });
    Ok((value, lint))
}

/// `a <= b` for two values of one ranked type.
fn at_most(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a <= b,
        (Value::Number(a), Value::Number(b)) => a <= b,
        (Value::Label(a), Value::Label(b)) => a <= b,
        _ => false,
    }
}

/// Margin and tie of `prefer`, `ranking` and `best`.
fn comparison(
    mode: Mode,
    ty: &Type,
    name: &str,
    margin: Option<&Number>,
    tie: &TieWritten,
) -> Result<(Number, Tie, Vec<Fault>), Vec<Fault>> {
    let mut faults = Vec::new();
    let mut lints = Vec::new();
    let margin = margin.cloned().unwrap_or(Number::ZERO);
    if margin.is_negative() {
        faults.push(fault(
            Code::READOUT_MARGIN,
            Place::Param("margin"),
            format!("a margin of {margin} is below 0"),
            "how far one must be above the other",
            "write 0 or more",
        ));
    } else if let Some(width) = width(ty)
        && margin >= width
    {
        lints.push(Fault {
            warning: true,
            ..fault(
                Code::READOUT_IDLE,
                Place::Param("margin"),
                format!("with a margin of {margin} nothing can ever be preferred"),
                &format!("`{name}` lies in {}", ty.clone().known()),
                format!("write a margin below {width}"),
            )
        });
    }
    let listwise = mode == Mode::Listwise;
    let resolved = match tie {
        TieWritten::Default => Tie::Tie,
        TieWritten::Word(word) => match &**word {
            "tie" => Tie::Tie,
            "shared" if listwise => Tie::Tie,
            "abstain" => Tie::Abstain,
            "by_id" => Tie::ById,
            "first" => {
                lints.push(Fault {
                    warning: true,
                    ..fault(
                        Code::READOUT_FIRST,
                        Place::Param("tie"),
                        "a tie goes to whichever candidate stands first".to_owned(),
                        "the order of the candidates decides",
                        "use `abstain`, `tie`, `by(…)`, or `by_id` for an arbitrary choice that no order changes",
                    )
                });
                Tie::First
            }
            other => {
                let known = ["tie", "shared", "abstain", "first", "by_id", "by"];
                let help = match crate::diagnostics::did_you_mean(other, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a tie is one of `tie`, `abstain`, `by_id`, `first` or `by(…)`".to_owned(),
                };
                let headline = format!("`{other}` does not say what decides a tie");
                faults.push(fault(Code::READOUT_TIE, Place::Param("tie"), headline, "not a way to break a tie", help));
                Tie::Tie
            }
        },
        TieWritten::By { keys, otherwise } => {
            let mut ids = Vec::with_capacity(keys.len());
            for (at, key) in keys.iter().enumerate() {
                let Some((id, ty, name)) = key else { continue };
                if !ranked(ty) {
                    faults.push(fault(
                        Code::READOUT_TIE,
                        Place::Slot(0, at),
                        format!("`{name}` cannot break a tie: it is {ty}, which has no order"),
                        "not comparable",
                        "use a yes/no, a number or an ordinal",
                    ));
                }
                ids.push(*id);
            }
            let tie = match otherwise.as_deref() {
                None | Some("abstain") => false,
                Some("tie") => true,
                Some("shared") if listwise => true,
                Some(other) => {
                    faults.push(fault(
                        Code::READOUT_TIE,
                        Place::Param("else"),
                        format!("`{other}` does not say what happens when all are equal"),
                        "not a way to break a tie",
                        "write `else: abstain` or `else: tie`",
                    ));
                    false
                }
            };
            if keys.is_empty() {
                faults.push(fault(
                    Code::READOUT_TIE,
                    Place::Param("tie"),
                    "`by(…)` names nothing to decide by".to_owned(),
                    "empty",
                    "name one node or more, the most important first",
                ));
            }
            Tie::By { keys: ids, tie }
        }
    };
    if faults.is_empty() { Ok((margin, resolved, lints)) } else { Err(faults) }
}

/// The greatest difference of two values: of the interval, in ranks for an ordinal, 1 for a bool.
fn width(ty: &Type) -> Option<Number> {
    match &ty.base {
        Base::Bool => Some(Number::ONE),
        Base::Int { lo, hi } | Base::Score { lo, hi } => Some(hi - lo),
        Base::Ordinal(labels) => Some(Number::from(labels.len().saturating_sub(1))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mode: Mode, ty: &Type, form: &Form) -> Result<(ReadoutKind, Type, Vec<Fault>), Vec<Code>> {
        readout(mode, NodeId(0), ty, &"final".into(), form).map_err(|f| f.iter().map(|f| f.code).collect())
    }

    #[test]
    fn each_mode_has_its_forms() {
        let prefer = Form::Prefer { margin: None, tie: TieWritten::Default };
        assert_eq!(read(Mode::Pointwise, &Type::UNIT, &prefer).unwrap_err(), vec![Code::READOUT_FORM]);
        assert_eq!(read(Mode::Pairwise, &Type::UNIT, &Form::Native).unwrap_err(), vec![Code::READOUT_FORM]);
        let (kind, ty, lints) = read(Mode::Pairwise, &Type::UNIT, &prefer).unwrap();
        assert_eq!(kind, ReadoutKind::Prefer { margin: Number::ZERO, tie: Tie::Tie });
        assert_eq!((ty, lints.len()), (Type::UNIT, 0));
    }

    #[test]
    fn sets_are_no_sinks_and_choices_only_pointwise() {
        let labels: crate::types::Labels = ["a".into(), "b".into()].into();
        let set = Type::of(Base::Set(labels.clone()));
        let choice = Type::of(Base::Choice(labels));
        assert_eq!(read(Mode::Pointwise, &set, &Form::Native).unwrap_err(), vec![Code::READOUT_TYPE]);
        assert!(read(Mode::Pointwise, &choice, &Form::Native).is_ok());
        let ranking = Form::Ranking { tie: TieWritten::Default };
        assert_eq!(read(Mode::Listwise, &choice, &ranking).unwrap_err(), vec![Code::READOUT_TYPE]);
    }

    #[test]
    fn thresholds_outside_are_idle_and_labels_are_checked() {
        let pass = |n: i64| Form::Pass { at: Literal::Number(Number::int(n)) };
        let codes = |n| -> Vec<Code> {
            read(Mode::Pointwise, &Type::int(1, 5), &pass(n)).unwrap().2.iter().map(|f| f.code).collect()
        };
        assert_eq!(codes(3), vec![]);
        assert_eq!(codes(5), vec![]);
        assert_eq!(codes(1), vec![Code::READOUT_IDLE]);
        assert_eq!(codes(6), vec![Code::READOUT_IDLE]);
        let label = Form::Pass { at: Literal::Label("good".into()) };
        assert_eq!(read(Mode::Pointwise, &Type::int(1, 5), &label).unwrap_err(), vec![Code::READOUT_THRESHOLD]);
    }

    #[test]
    fn margins_and_ties() {
        let prefer = |margin: i64, tie: &str| Form::Prefer {
            margin: Some(Number::int(margin)),
            tie: TieWritten::Word(tie.into()),
        };
        assert_eq!(
            read(Mode::Pairwise, &Type::UNIT, &prefer(-1, "frist")).unwrap_err(),
            vec![Code::READOUT_MARGIN, Code::READOUT_TIE]
        );
        let lints = read(Mode::Pairwise, &Type::UNIT, &prefer(1, "first")).unwrap().2;
        assert_eq!(lints.iter().map(|f| f.code).collect::<Vec<_>>(), vec![Code::READOUT_IDLE, Code::READOUT_FIRST]);
        assert_eq!(read(Mode::Pairwise, &Type::UNIT, &prefer(0, "shared")).unwrap_err(), vec![Code::READOUT_TIE]);
        let empty = Form::Ranking { tie: TieWritten::By { keys: vec![], otherwise: None } };
        assert_eq!(read(Mode::Listwise, &Type::UNIT, &empty).unwrap_err(), vec![Code::READOUT_TIE]);
    }
}
