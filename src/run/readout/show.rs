//! Outcomes as results carry them.

use super::{Outcome, Possible};
use crate::types::Type;
use serde_json::{Map, Value as Json, json};

impl Outcome {
    /// In JSON: a pointwise value as it is; `null` where the readout abstains; `{"winner": id}`, `{"tie": true}`;
    /// `{"ranks": {id: rank, …}}`; `{"open": …}` with what is possible (bounds of a value; `{"winners": [id, …], "tie": true,
    /// "abstained": true}`; `{"ranks": {id: {"best": 1, "worst": 2}, …}}`). `ty` is what the readout yields, `ids` are the
    /// candidates' in their order.
    #[must_use]
    pub fn json(&self, ty: &Type, ids: &[&str]) -> Json {
        match self {
            Outcome::Value(value) => value.json(ty),
            Outcome::Abstained => Json::Null,
            Outcome::Winner(place) => json!({ "winner": id(ids, *place) }),
            Outcome::Tie => json!({ "tie": true }),
            Outcome::Ranking(ranks) => {
                let entry = |(place, rank): (usize, &u32)| (id(ids, place).to_owned(), json!(rank));
                json!({ "ranks": ranks.iter().enumerate().map(entry).collect::<Map<_, _>>() })
            }
            Outcome::Open(possible) => json!({ "open": possible.json(ty, ids) }),
        }
    }

    /// In words: the value, `abstained`, `a wins`, `tie`, `a 1, b 2`, `0.2 to 0.9, depending on what is not judged`.
    #[must_use]
    pub fn text(&self, ty: &Type, ids: &[&str]) -> String {
        match self {
            Outcome::Value(value) => value.text(ty),
            Outcome::Abstained => "abstained".to_owned(),
            Outcome::Winner(place) => format!("{} wins", id(ids, *place)),
            Outcome::Tie => "tie".to_owned(),
            Outcome::Ranking(ranks) => {
                let entry = |(place, rank): (usize, &u32)| format!("{} {rank}", id(ids, place));
                ranks.iter().enumerate().map(entry).collect::<Vec<_>>().join(", ")
            }
            Outcome::Open(possible) => format!("{}, depending on what is not judged", possible.text(ty, ids)),
        }
    }
}

impl Possible {
    /// See [`Outcome::json`].
    #[must_use]
    pub fn json(&self, ty: &Type, ids: &[&str]) -> Json {
        let mut map = Map::new();
        let flag = |map: &mut Map<String, Json>, name: &str, on: bool| {
            if on {
                map.insert(name.to_owned(), Json::Bool(true));
            }
        };
        match self {
            Possible::Value(bounds) => return bounds.json(ty),
            Possible::Top { winners, tie, abstained } => {
                map.insert("winners".to_owned(), winners.iter().map(|place| id(ids, *place)).collect());
                flag(&mut map, "tie", *tie);
                flag(&mut map, "abstained", *abstained);
            }
            Possible::Ranking { ranks, abstained } => {
                let entry = |(place, (best, worst)): (usize, &(u32, u32))| {
                    (id(ids, place).to_owned(), json!({ "best": best, "worst": worst }))
                };
                map.insert("ranks".to_owned(), Json::Object(ranks.iter().enumerate().map(entry).collect()));
                flag(&mut map, "abstained", *abstained);
            }
        }
        Json::Object(map)
    }

    /// In words.
    #[must_use]
    pub fn text(&self, ty: &Type, ids: &[&str]) -> String {
        match self {
            Possible::Value(bounds) if bounds.unknown => {
                let known = super::Bounds { unknown: false, ..bounds.clone() };
                format!("{}, or abstained", known.text(ty))
            }
            Possible::Value(bounds) => bounds.text(ty),
            Possible::Top { winners, tie, abstained } => {
                let mut all: Vec<String> = winners.iter().map(|place| format!("{} wins", id(ids, *place))).collect();
                all.extend(tie.then(|| "tie".to_owned()));
                all.extend(abstained.then(|| "abstained".to_owned()));
                all.join(" or ")
            }
            Possible::Ranking { ranks, abstained } => {
                let entry = |(place, (best, worst)): (usize, &(u32, u32))| match best == worst {
                    true => format!("{} {best}", id(ids, place)),
                    false => format!("{} {best} to {worst}", id(ids, place)),
                };
                let list = ranks.iter().enumerate().map(entry).collect::<Vec<_>>().join(", ");
                if *abstained { format!("{list}, or abstained") } else { list }
            }
        }
    }
}

fn id<'a>(ids: &[&'a str], place: usize) -> &'a str {
    ids.get(place).copied().unwrap_or("?")
}
