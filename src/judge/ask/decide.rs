//! What decision models are asked, and what their probabilities come to.
//!
//! | criterion | question |
//! | --- | --- |
//! | `bool` | yes or no; met where yes has more than one half |
//! | `bool?` | a choice of true, false, unknown |
//! | `int` and `ordinal`, 2 to 10 levels | a score |
//! | the same with `?` | a choice of the levels and unknown |
//! | `choice`, with or without `?` | a choice |
//! | `set` | yes or no for each label |
//!
//! Everything else needs text and is refused before the first call ([`expressible`]). The whole distribution is kept; what a
//! server calls its confidence is not comparable between servers and is not read. A reply carries no nonce, so the ids of
//! the questions hold it: a reply to another request has none of them.

use crate::judge::wire::{Decide, DecideQuestion, Decision, Diagnostics};
use crate::number::Number;
use crate::run::{Missing, MissingReason};
use crate::types::{Base, Type, Value};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a request or a part of it gave no entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Flaw {
    /// Ask again; why.
    Again(String),
    Missing(Missing),
}

/// One criterion's question: its words are those of the program, ready for a decision model.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) ty: Type,
    /// The question with whatever belongs to it.
    pub(super) instructions: String,
    /// What values mean, as far as the program says.
    pub(super) levels: Vec<(Value, String)>,
    /// Options of a choice are shown in the order of this seed.
    pub(super) shuffle: Option<String>,
}

/// Whether a decision model can be asked for this type.
///
/// # Errors
/// What cannot be said, as the end of a sentence that begins with the criterion.
pub(super) fn expressible(ty: &Type) -> Result<(), String> {
    let levels = levels(ty).map_or(0, |levels| levels.len());
    match &ty.base {
        Base::Bool | Base::Choice(_) | Base::Items => Ok(()),
        Base::Int { .. } | Base::Ordinal(_) if (2..=10).contains(&levels) => Ok(()),
        Base::Int { .. } | Base::Ordinal(_) => Err(format!("is a scale of another size ({ty}) than 2 to 10 levels")),
        Base::Set(_) if ty.optional => {
            Err(format!("may be unknown as a whole ({ty}), which yes and no for each label cannot say"))
        }
        Base::Set(_) => Ok(()),
        Base::Score { .. } | Base::Real => Err(format!("is a number without levels ({ty})")),
        Base::Tally { .. } => Err(format!("wants passages of text ({ty})")),
    }
}

/// The levels of a scale, as values.
fn levels(ty: &Type) -> Option<Vec<Value>> {
    match &ty.base {
        Base::Int { lo, hi } => {
            let (lo, hi) = (lo.to_i64()?, hi.to_i64()?);
            (hi.checked_sub(lo)? < 256).then(|| (lo..=hi).map(|n| Value::Number(Number::int(n))).collect())
        }
        Base::Ordinal(labels) | Base::Choice(labels) | Base::Set(labels) => {
            (0..u32::try_from(labels.len()).ok()?).map(|rank| Some(Value::Label(rank))).collect()
        }
        _ => None,
    }
}

/// A value as models and `probabilities` name it.
fn key(value: &Value, ty: &Type) -> String {
    match value.json(ty) {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

impl Asked {
    fn meaning(&self, value: &Value) -> Option<String> {
        self.levels.iter().find(|(of, _)| of == value).map(|(_, text)| text.clone())
    }

    /// The values among which is chosen, in the order shown.
    fn options(&self) -> Vec<Value> {
        let mut values = match &self.ty.base {
            Base::Bool | Base::Items => vec![Value::Bool(true), Value::Bool(false)],
            _ => levels(&self.ty).unwrap_or_default(),
        };
        if let Some(seed) = &self.shuffle {
            super::order::shuffle(&mut values, seed);
        }
        if self.ty.optional {
            values.push(Value::Unknown);
        }
        values
    }

    /// The questions with their ids.
    pub(super) fn questions(&self, id: &str) -> Vec<(Arc<str>, DecideQuestion)> {
        let instructions = self.instructions.clone();
        let one = |question| vec![(Arc::from(id), question)];
        match &self.ty.base {
            Base::Bool | Base::Items if !self.ty.optional => one(DecideQuestion::Predicate {
                instructions,
                yes: self.meaning(&Value::Bool(true)),
                no: self.meaning(&Value::Bool(false)),
            }),
            Base::Int { .. } | Base::Ordinal(_) if !self.ty.optional => {
                let level = |value: &Value| (key(value, &self.ty), self.meaning(value));
                let levels = levels(&self.ty).unwrap_or_default();
                one(DecideQuestion::Score { instructions, levels: levels.iter().map(level).collect() })
            }
            Base::Set(labels) => {
                let label = |(n, label): (usize, &Arc<str>)| {
                    let rank = Value::Label(u32::try_from(n).unwrap_or(u32::MAX));
                    let meaning = self.meaning(&rank).map_or(String::new(), |text| format!(" ({text})"));
                    let instructions = format!("{instructions}\nDoes this apply: {label}{meaning}?");
                    (Arc::from(format!("{id}_{n}")), DecideQuestion::Predicate { instructions, yes: None, no: None })
                };
                labels.iter().enumerate().map(label).collect()
            }
            _ => {
                let cannot = |value: &Value| match value {
                    Value::Unknown => Some("it cannot be told".to_owned()),
                    _ => None,
                };
                let option = |value: &Value| (key(value, &self.ty), self.meaning(value).or_else(|| cannot(value)));
                one(DecideQuestion::Choice { instructions, options: self.options().iter().map(option).collect() })
            }
        }
    }

    /// The answer as an entry of a recorded judgment.
    pub(super) fn entry(&self, id: &str, found: &BTreeMap<String, Decision>) -> Result<Map<String, Json>, Flaw> {
        let answer = |id: &str| match found.get(id) {
            None => Err(Flaw::Again(format!("there is no answer to the question `{id}`"))),
            Some(Decision::Refused) => Err(Flaw::Missing(Missing::because(MissingReason::Refused))),
            Some(decision) => Ok(decision),
        };
        let other = || Flaw::Again("the answer is of another kind than the question".to_owned());
        let mut entry = Map::new();
        if let Base::Set(labels) = &self.ty.base {
            let mut holds = Vec::new();
            for (n, label) in labels.iter().enumerate() {
                let Decision::Predicate(yes) = answer(&format!("{id}_{n}"))? else { return Err(other()) };
                if probability(yes)? > half() {
                    holds.push(Json::from(&**label));
                }
            }
            entry.insert("value".to_owned(), holds.into());
            return Ok(entry);
        }
        let distribution: Vec<(Value, Number)> = match (answer(id)?, &self.ty.base) {
            (Decision::Predicate(yes), Base::Bool | Base::Items) if !self.ty.optional => {
                let yes = probability(yes)?;
                let no = &Number::ONE - &yes;
                vec![(Value::Bool(true), yes), (Value::Bool(false), no)]
            }
            (Decision::Score { probabilities }, Base::Int { .. } | Base::Ordinal(_)) if !self.ty.optional => {
                let levels = levels(&self.ty).unwrap_or_default();
                if levels.len() != probabilities.len() {
                    return Err(Flaw::Again(format!(
                        "there are {} probabilities for {} levels",
                        probabilities.len(),
                        levels.len()
                    )));
                }
                levels.into_iter().zip(probabilities.iter().cloned()).collect()
            }
            (Decision::Choice { choice, probabilities }, Base::Choice(_)) => self.chosen(choice, probabilities)?,
            (Decision::Choice { choice, probabilities }, _) if self.ty.optional => {
                self.chosen(choice, probabilities)?
            }
            _ => return Err(other()),
        };
        self.keep(&mut entry, normal(distribution)?);
        Ok(entry)
    }

    /// What the server says about how the answer came to be: of a set by its labels.
    pub(super) fn diagnostics(&self, id: &str, said: &Diagnostics) -> Option<Json> {
        let Base::Set(labels) = &self.ty.base else { return said.get(id).cloned().map(Json::Object) };
        let of = |(n, label): (usize, &Arc<str>)| {
            Some((label.to_string(), Json::Object(said.get(&format!("{id}_{n}"))?.clone())))
        };
        let all: Map<String, Json> = labels.iter().enumerate().filter_map(of).collect();
        (!all.is_empty()).then_some(Json::Object(all))
    }

    /// A choice among the options, each once, whose choice is the most probable (as far as rounding tells).
    fn chosen(&self, choice: &str, probabilities: &[(String, Number)]) -> Result<Vec<(Value, Number)>, Flaw> {
        let options = self.options();
        let names: Vec<String> = options.iter().map(|value| key(value, &self.ty)).collect();
        let of = |name: &str| names.iter().position(|known| known == name);
        if of(choice).is_none() {
            return Err(Flaw::Again(format!("`{choice}` was chosen, which is no option")));
        }
        let mut found: Vec<Option<Number>> = vec![None; options.len()];
        for (name, p) in probabilities {
            let place = of(name).and_then(|at| found.get_mut(at));
            match place {
                Some(place @ None) => *place = Some(p.clone()),
                Some(Some(_)) => return Err(Flaw::Again(format!("`{name}` has two probabilities"))),
                None => return Err(Flaw::Again(format!("`{name}` has a probability and is no option"))),
            }
        }
        let most = found.iter().flatten().max().cloned().unwrap_or_default();
        let of_choice = of(choice).and_then(|at| found.get(at).cloned().flatten()).unwrap_or_default();
        let rounding = Number::ratio(1, 50).unwrap_or_default();
        if &most - &of_choice > rounding {
            return Err(Flaw::Again(format!("`{choice}` was chosen, which is not the most probable")));
        }
        Ok(options.into_iter().zip(found.into_iter().map(Option::unwrap_or_default)).collect())
    }

    /// Writes the distribution down, and the value that is the most probable: of equals the lower.
    fn keep(&self, entry: &mut Map<String, Json>, mut distribution: Vec<(Value, Number)>) {
        distribution.sort_by_key(|(value, _)| rank(value));
        let mut best: Option<&(Value, Number)> = None;
        for pair in &distribution {
            if best.is_none_or(|(_, p)| pair.1 > *p) {
                best = Some(pair);
            }
        }
        if let Some((value, _)) = best {
            entry.insert("value".to_owned(), value.json(&self.ty));
        }
        let json = |p: &Number| serde_json::to_value(p.as_judged()).unwrap_or(Json::Null);
        let all = distribution.iter().map(|(value, p)| (key(value, &self.ty), json(p))).collect();
        entry.insert("probabilities".to_owned(), Json::Object(all));
    }
}

/// The order in which values are written down: as in their type, unknown last.
fn rank(value: &Value) -> (u8, Number) {
    match value {
        Value::Bool(b) => (0, Number::int(i64::from(*b))),
        Value::Number(n) => (0, n.clone()),
        Value::Label(rank) => (0, Number::int(i64::from(*rank))),
        _ => (1, Number::ZERO),
    }
}

fn half() -> Number {
    Number::ratio(1, 2).unwrap_or_default()
}

fn probability(p: &Number) -> Result<Number, Flaw> {
    if p.is_negative() || *p > Number::ONE {
        return Err(Flaw::Again(format!("{p} is no probability")));
    }
    Ok(p.clone())
}

/// Probabilities that add up to one as far as they may have been rounded; what is above one is divided by the sum.
fn normal(mut distribution: Vec<(Value, Number)>) -> Result<Vec<(Value, Number)>, Flaw> {
    let mut sum = Number::ZERO;
    for (_, p) in &distribution {
        sum = &sum + &probability(p)?;
    }
    // Half a unit of the second place for each, and a little.
    let units = i64::try_from(distribution.len()).unwrap_or(i64::MAX).saturating_add(2);
    let slack = Number::ratio(units, 200).unwrap_or_default();
    if (&sum - &Number::ONE).abs() > slack {
        return Err(Flaw::Again(format!("the probabilities add up to {sum}, not to 1")));
    }
    if sum > Number::ONE {
        for (_, p) in &mut distribution {
            *p = p.checked_div(&sum).unwrap_or_default();
        }
    }
    Ok(distribution)
}

/// A whole request without its nonce.
#[derive(Debug)]
pub(super) struct Deciding {
    pub(super) state: Json,
    pub(super) asked: Vec<Arc<Asked>>,
}

impl Deciding {
    pub(super) fn request(&self, nonce: &str) -> Decide {
        let questions = self.asked.iter().enumerate().flat_map(|(n, asked)| asked.questions(&id(n, nonce))).collect();
        Decide { state: self.state.clone(), questions }
    }
}

/// The id of the n-th question.
pub(super) fn id(n: usize, nonce: &str) -> String {
    format!("q{n}_{nonce}")
}
