//! What is to happen with `unknown`: the policies of a REDUCE's slots and of a GATE's trigger.

use super::call::{Call, Slot};
use super::literal::{shown, value_in};
use super::{Fault, Literal, Place, WrittenUnknown};
use crate::catalog::UnknownPolicy;
use crate::diagnostics::{Code, did_you_mean};
use crate::number::Number;
use crate::types::{Type, Value};

/// What a policy's constant must be.
pub(super) enum Stands<'a> {
    /// A value of this type, for every slot.
    In(&'a Type),
    /// A value of each optional slot's own type.
    InEachSlot,
    /// A number from 0 to 1, or a bool that counts as 0 or 1.
    InTree,
}

/// A settled policy.
pub(super) struct Settled {
    /// `None` where no slot can be unknown.
    pub policy: Option<UnknownPolicy>,
    /// Whether the result can be unknown, as far as the policy decides it.
    pub optional: bool,
}

impl Settled {
    pub fn skips(&self) -> bool {
        self.policy == Some(UnknownPolicy::Skip)
    }
}

const PLACE: Place = Place::Param("unknown");

/// The policy of a REDUCE over `slots`. `decisive` says whose being unknown leaves nothing to compute from: under `skip` the
/// result can be unknown iff every one of them can. `None` where it is at fault.
pub(super) fn of_slots(
    call: &mut Call<'_>,
    slots: &[Slot<'_>],
    stands: &Stands<'_>,
    decisive: impl Fn(&Slot<'_>) -> bool,
) -> Option<Settled> {
    let first_optional = slots.iter().find(|s| s.ty.optional);
    let Some(written) = call.written_policy() else {
        let Some(slot) = first_optional else {
            return Some(Settled { policy: None, optional: false });
        };
        let headline = format!("`{}` can be unknown, and {} does not say what then", slot.name, call.word());
        let words = call.info.param("unknown").map_or(&[][..], |p| p.words);
        let help = match words.contains(&"lowest") {
            true => {
                "add `unknown: skip` to leave it out, `unknown: propagate` to make the result unknown, `unknown: lowest` \
                 or `highest` to assume the worst or best, or a constant"
            }
            false => {
                "add `unknown: skip` to leave it out, `unknown: propagate` to make the result unknown, or `unknown: \
                 false` or `true` to count it as that"
            }
        };
        let fault = Fault::error(Code::UNKNOWN_UNSETTLED, slot.place(), headline, "can be unknown");
        call.fault(fault.help(help));
        return None;
    };
    let policy = read(call, written, slots, stands)?;
    if first_optional.is_none() {
        if !call.clouded {
            let headline = format!("nothing in this {} can be unknown", call.word());
            let fault = Fault::warning(Code::POLICY_NEEDLESS, PLACE, headline, "never used");
            call.warn(fault.help("drop it, or add `?` to the type of a criterion that the judge may leave open"));
        }
        return Some(Settled { policy: None, optional: false });
    }
    let optional = match policy {
        UnknownPolicy::Skip => slots.iter().filter(|s| decisive(s)).all(|s| s.ty.optional),
        UnknownPolicy::Propagate => true,
        _ => false,
    };
    Some(Settled { policy: Some(policy), optional })
}

fn read(
    call: &mut Call<'_>,
    written: &WrittenUnknown,
    slots: &[Slot<'_>],
    stands: &Stands<'_>,
) -> Option<UnknownPolicy> {
    let words = call.info.param("unknown").map_or(&[][..], |p| p.words);
    let literal = match written {
        // Whether a word is a policy or a label is decided here, whatever the caller took it for.
        WrittenUnknown::Word(word) | WrittenUnknown::Constant(Literal::Label(word)) => {
            let known = words.contains(&word.as_ref());
            match (known, word.as_ref()) {
                (true, "skip") => return Some(UnknownPolicy::Skip),
                (true, "propagate") => return Some(UnknownPolicy::Propagate),
                (true, "lowest") => return Some(UnknownPolicy::Lowest),
                (true, "highest") => return Some(UnknownPolicy::Highest),
                (true, "fires") => return Some(UnknownPolicy::Fires),
                (true, "passes") => return Some(UnknownPolicy::Passes),
                _ => {}
            }
            let label = Literal::Label(word.clone());
            if !matches!(stands, Stands::In(ty) if ty.rank(word).is_some()) {
                let fault = no_such_policy(call, word, words);
                call.fault(fault);
                return None;
            }
            label
        }
        WrittenUnknown::Constant(literal) => literal.clone(),
    };
    if literal == Literal::Unknown {
        let headline = format!("{} does not take `unknown: unknown`", call.word());
        let fault = Fault::error(Code::UNKNOWN_POLICY, PLACE, headline, "not a policy");
        call.fault(fault.help("to make the result unknown, write `unknown: propagate`"));
        return None;
    }
    let value = match stands {
        Stands::In(ty) => value_in(&(*ty).clone().known(), &literal, PLACE, "what stands for an unknown slot"),
        Stands::InTree => match &literal {
            Literal::Bool(met) => Ok(Value::Number(if *met { Number::ONE } else { Number::ZERO })),
            other => value_in(&Type::UNIT, other, PLACE, "what stands for an unknown item"),
        },
        Stands::InEachSlot => {
            let mut value = match &literal {
                Literal::Number(n) => Ok(Value::Number(n.clone())),
                other => {
                    let headline = format!("{} is not a number", shown(other));
                    let fault = Fault::error(Code::UNKNOWN_POLICY, PLACE, headline, "of another kind");
                    Err(Box::new(fault.help("write a number, or `skip`, `propagate`, `lowest`, `highest`")))
                }
            };
            for slot in slots.iter().filter(|s| s.ty.optional) {
                let known = slot.ty.clone().known();
                value = value.and_then(|_| value_in(&known, &literal, PLACE, &format!("`{}`", slot.name)));
            }
            value
        }
    };
    match value {
        Ok(value) => Some(UnknownPolicy::Constant(value)),
        Err(fault) => {
            call.fault(*fault);
            None
        }
    }
}

fn no_such_policy(call: &Call<'_>, word: &str, words: &[&str]) -> Fault {
    let headline = format!("{} has no policy `{word}` for unknown", call.word());
    let list = words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ");
    let help = match (did_you_mean(word, words.iter().copied()), word) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, "lowest") => format!("write `false` or `true` in its place; there are {list}"),
        (None, _) => format!("there are {list}"),
    };
    Fault::error(Code::UNKNOWN_POLICY, PLACE, headline, "no such policy").help(help)
}

/// The policy of a gate's trigger. `Err(())` where it is at fault.
pub(super) fn of_trigger(call: &mut Call<'_>, trigger: Slot<'_>) -> Result<Option<UnknownPolicy>, ()> {
    let Some(written) = call.written_policy() else {
        if !trigger.ty.optional {
            return Ok(None);
        }
        let headline = format!("the condition of {} can be unknown, and the gate does not say what then", call.word());
        let fault = Fault::error(Code::UNKNOWN_UNSETTLED, trigger.place(), headline, "can be unknown");
        call.fault(
            fault.help(format!("add `unknown: fires` or `unknown: passes` inside of {}(…)", call.info.op.word())),
        );
        return Err(());
    };
    let policy = match written {
        WrittenUnknown::Word(word) | WrittenUnknown::Constant(Literal::Label(word)) if &**word == "fires" => {
            UnknownPolicy::Fires
        }
        WrittenUnknown::Word(word) | WrittenUnknown::Constant(Literal::Label(word)) if &**word == "passes" => {
            UnknownPolicy::Passes
        }
        other => {
            let found = match other {
                WrittenUnknown::Word(word) => format!("`{word}`"),
                WrittenUnknown::Constant(literal) => shown(literal),
            };
            let headline = format!("{found} does not say whether the gate acts where its condition is unknown");
            let fault = Fault::error(Code::UNKNOWN_POLICY, PLACE, headline, "no such policy");
            call.fault(
                fault.help("write `unknown: fires` or `unknown: passes`; an unknown base passes through by itself"),
            );
            return Err(());
        }
    };
    if trigger.ty.optional {
        return Ok(Some(policy));
    }
    let headline = format!("the condition of this {} is never unknown", call.word());
    let fault = Fault::warning(Code::POLICY_NEEDLESS, PLACE, headline, "never used");
    call.warn(fault.help("drop it"));
    Ok(None)
}
