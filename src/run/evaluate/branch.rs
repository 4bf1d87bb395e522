//! GATE operators, `if`, `decide`, and the Kleene connectives.
//!
//! Which inputs matter is decided here: a gate that does not fire never looks at its parameter, a `veto` or `replace` that
//! fires never at its base, an `if` never at the branch not taken.

use super::numbers::{compared, number, truth};
use super::step::{Inputs, Step};
use crate::catalog::{Op, UnknownPolicy};
use crate::types::Value;

/// Whether a trigger holds; `None` where it is unknown and the gate says nothing about that.
pub(crate) fn fires(trigger: Option<bool>, policy: Option<&UnknownPolicy>) -> Option<bool> {
    match (trigger, policy) {
        (Some(holds), _) => Some(holds),
        (None, Some(UnknownPolicy::Fires)) => Some(true),
        (None, Some(UnknownPolicy::Passes)) => Some(false),
        (None, _) => None,
    }
}

impl Step {
    pub(super) fn gate<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let base = inputs.at(0);
        match fires(inputs.at(1).as_bool(), self.params.unknown.as_ref()) {
            None => return Value::Unknown,
            Some(false) => return base.clone(),
            Some(true) => {}
        }
        let limit = inputs.at(2);
        match self.op {
            Op::Mask => Value::Unknown,
            Op::Veto | Op::Replace => limit.clone(),
            Op::Penalty => match (number(base), number(limit)) {
                (Some(x), Some(by)) => Value::Number((x - by).max(self.from.0.clone())),
                _ => Value::Unknown,
            },
            // `cap` and `floor`: an unknown base is passed through.
            op => match compared(base, limit) {
                Some(ordering) if ordering.is_gt() == (op == Op::Cap) => limit.clone(),
                Some(_) => base.clone(),
                None => Value::Unknown,
            },
        }
    }

    pub(super) fn branch<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        match self.op {
            Op::Not => truth(inputs.at(0).as_bool().map(|b| !b)),
            Op::And => self.kleene(inputs, false),
            Op::Or => self.kleene(inputs, true),
            Op::If => match inputs.at(0).as_bool() {
                Some(true) => inputs.at(1).clone(),
                Some(false) => inputs.at(2).clone(),
                None => Value::Unknown,
            },
            _ => self.decide(inputs),
        }
    }

    /// Some slot that is `decisive` decides; else an unknown one leaves it open; else the opposite.
    pub(super) fn kleene<I: Inputs + ?Sized>(&self, inputs: &I, decisive: bool) -> Value {
        let mut answer = Some(!decisive);
        for slot in 0..self.slots.len() {
            match inputs.at(slot).as_bool() {
                Some(b) if b == decisive => return Value::Bool(decisive),
                Some(_) => {}
                None => answer = None,
            }
        }
        truth(answer)
    }

    /// The first condition that holds. An unknown one before it leaves the choice open, so the answer is unknown.
    fn decide<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        for (slot, result) in (0..self.slots.len()).zip(&self.params.results) {
            match inputs.at(slot).as_bool() {
                Some(true) => return result.clone(),
                Some(false) => {}
                None => return Value::Unknown,
            }
        }
        self.params.results.get(self.slots.len()).or(self.params.rest.as_ref()).cloned().unwrap_or(Value::Unknown)
    }
}
