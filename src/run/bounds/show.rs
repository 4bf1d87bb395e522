//! Bounds as results and messages show them.

use super::{Bounds, Known};
use crate::types::{Type, Value};
use serde_json::{Map, Value as Json, json};

impl Bounds {
    /// In words: `0.2 to 0.9`, `true or false`, `good or excellent, or unknown`.
    #[must_use]
    pub fn text(&self, ty: &Type) -> String {
        if let Some(value) = self.exact() {
            return value.text(ty);
        }
        let label = |rank: u32| Value::Label(rank).text(ty);
        let known = match &self.known {
            Known::Nothing => String::new(),
            Known::Bools { no, yes } => match (no, yes) {
                (true, true) => "true or false".to_owned(),
                (_, yes) => yes.to_string(),
            },
            Known::Numbers { lo, hi, .. } if lo == hi => lo.exact(),
            Known::Numbers { lo, hi, .. } => format!("{} to {}", lo.exact(), hi.exact()),
            Known::AnyNumber => "any number".to_owned(),
            Known::Labels(ranks) => ranks.iter().map(|rank| label(*rank)).collect::<Vec<_>>().join(" or "),
            Known::Sets(labels) => {
                let listed = |wanted: (bool, bool)| {
                    let all = (0_u32..).zip(labels).filter(|(_, label)| **label == wanted);
                    all.map(|(rank, _)| label(rank)).collect::<Vec<_>>().join(", ")
                };
                format!("[{}] and perhaps [{}]", listed((false, true)), listed((true, true)))
            }
            Known::Counts(counts) => {
                let each = (0_u32..).zip(counts).map(|(rank, (lo, hi))| {
                    if lo == hi { format!("{lo} {}", label(rank)) } else { format!("{lo} to {hi} {}", label(rank)) }
                });
                each.collect::<Vec<_>>().join(", ")
            }
            Known::Items(_) | Known::AnyItems => "items that are not all judged".to_owned(),
        };
        if self.unknown { format!("{known}, or unknown") } else { known }
    }

    /// In JSON, as results carry it: `{"lo": 0.2, "hi": 0.9}` for numbers and ordinals, `{"values": […]}` for bools and
    /// choices, `{"surely": […], "perhaps": […]}` for a set, `{"lo": {label: n}, "hi": {…}}` for a tally; with
    /// `"unknown": true` where that may come out too. Bounds without any known value are `{"unknown": true}` alone.
    #[must_use]
    pub fn json(&self, ty: &Type) -> Json {
        self.written(ty, Value::json)
    }

    /// As [`Bounds::json`] with every end exact, as traces carry them: an end that was rounded could leave a value outside.
    #[must_use]
    pub fn json_exact(&self, ty: &Type) -> Json {
        self.written(ty, Value::json_exact)
    }

    fn written(&self, ty: &Type, number: fn(&Value, &Type) -> Json) -> Json {
        let mut map = Map::new();
        let label = |rank: u32| Value::Label(rank).json(ty);
        let ordinal = matches!(ty.base, crate::types::Base::Ordinal(_));
        match &self.known {
            Known::Nothing => {}
            Known::Bools { no, yes } => {
                let values = [(*no, false), (*yes, true)];
                let values = values.into_iter().filter(|(may, _)| *may).map(|(_, value)| Json::Bool(value));
                map.insert("values".to_owned(), values.collect());
            }
            Known::Numbers { lo, hi, .. } => {
                map.insert("lo".to_owned(), number(&Value::Number(lo.clone()), ty));
                map.insert("hi".to_owned(), number(&Value::Number(hi.clone()), ty));
            }
            Known::Labels(ranks) if ordinal => {
                map.insert("lo".to_owned(), ranks.first().map_or(Json::Null, |rank| label(*rank)));
                map.insert("hi".to_owned(), ranks.last().map_or(Json::Null, |rank| label(*rank)));
            }
            Known::Labels(ranks) => {
                map.insert("values".to_owned(), ranks.iter().map(|rank| label(*rank)).collect());
            }
            Known::Sets(labels) => {
                let listed = |wanted: (bool, bool)| -> Json {
                    (0_u32..).zip(labels).filter(|(_, l)| **l == wanted).map(|(rank, _)| label(rank)).collect()
                };
                map.insert("surely".to_owned(), listed((false, true)));
                map.insert("perhaps".to_owned(), listed((true, true)));
            }
            Known::Counts(counts) => {
                let each = |pick: fn(&(u32, u32)) -> u32| -> Json {
                    let entry = |(rank, pair): (u32, &(u32, u32))| {
                        let name = label(rank).as_str().map_or_else(|| format!("#{rank}"), ToOwned::to_owned);
                        (name, json!(pick(pair)))
                    };
                    Json::Object((0_u32..).zip(counts).map(entry).collect())
                };
                map.insert("lo".to_owned(), each(|pair| pair.0));
                map.insert("hi".to_owned(), each(|pair| pair.1));
            }
            Known::AnyNumber | Known::AnyItems | Known::Items(_) => {
                map.insert("any".to_owned(), Json::Bool(true));
            }
        }
        if self.unknown {
            map.insert("unknown".to_owned(), Json::Bool(true));
        }
        Json::Object(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    #[test]
    fn an_interval_says_whether_unknown_may_come_out() {
        let ty = Type::UNIT.optional();
        let half = Number::ratio(1, 2).unwrap();
        let open = Bounds { known: Known::Numbers { lo: Number::ZERO, hi: half, whole: false }, unknown: true };
        assert_eq!(open.json(&ty).to_string(), r#"{"lo":0,"hi":0.5,"unknown":true}"#);
        assert_eq!(open.text(&ty), "0 to 0.5, or unknown");
    }

    #[test]
    fn exact_ends_are_not_rounded() {
        let (third, twice) = (Number::ratio(1, 3).unwrap(), Number::ratio(2, 3).unwrap());
        let open = Bounds { known: Known::Numbers { lo: third, hi: twice, whole: false }, unknown: false };
        assert_eq!(open.json(&Type::UNIT).to_string(), r#"{"lo":0.333333333333,"hi":0.666666666667}"#);
        assert_eq!(open.json_exact(&Type::UNIT).to_string(), r#"{"lo":"1/3","hi":"2/3"}"#);
    }

    #[test]
    fn labels_are_named() {
        let grade: crate::types::Labels = ["poor", "fair", "good"].map(Into::into).to_vec().into();
        let open = Bounds { known: Known::Labels(vec![1, 2]), unknown: false };
        let ordinal = Type::of(crate::types::Base::Ordinal(grade.clone()));
        assert_eq!(open.json(&ordinal).to_string(), r#"{"lo":"fair","hi":"good"}"#);
        let choice = Type::of(crate::types::Base::Choice(grade));
        assert_eq!(open.json(&choice).to_string(), r#"{"values":["fair","good"]}"#);
        assert_eq!(open.text(&choice), "fair or good");
    }
}
