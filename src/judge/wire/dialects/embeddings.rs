//! `/embeddings`: texts in, a vector for each out, each with the place of its text.
//!
//! A reply is taken whole or not at all: one vector for every text and no other, each under another `index`, all of one length, of
//! finite numbers, none of nothing but zeros (which is like no other vector). Vectors are put in the order of the texts by
//! `index`, whatever order they stand in. It knows nothing of similarity.

use super::super::read::{Outcome, Reading};
use super::super::value::Value;
use super::super::{Answer, FailureKind, Rendered};
use super::{count, usage};
use crate::judge::config::Alias;
use serde_json::{Value as Json, json};
use std::sync::Arc;

pub(super) fn body(alias: &Alias, texts: &[Arc<str>]) -> Json {
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    json!({"model": alias.model, "input": texts, "encoding_format": "float"})
}

pub(super) fn read(rendered: &Rendered, reply: &Value<'_>) -> Outcome {
    let input = count(reply.get("usage"), &["prompt_tokens"]);
    let reading = Reading::new(reply.get("model"), usage(input, 0, 0, 0));
    match vectors(rendered.asked.len(), reply) {
        Ok(vectors) => reading.answer(Answer::Vectors(vectors)),
        Err(why) => reading.fail(FailureKind::Malformed, &why),
    }
}

/// The vectors in the order of the texts.
fn vectors(texts: usize, reply: &Value<'_>) -> Result<Vec<Vec<f32>>, String> {
    let Some(data) = reply.get("data").and_then(Value::as_array) else {
        return Err("the reply holds no `data`".to_owned());
    };
    if data.len() != texts {
        return Err(format!("the reply holds {} vectors for {texts} texts", data.len()));
    }
    let mut out: Vec<Vec<f32>> = vec![Vec::new(); texts];
    let mut length = None;
    for entry in data {
        let index = entry.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let place = index.and_then(|index| Some((index, out.get_mut(index)?)));
        let Some((index, place)) = place else {
            return Err("a vector of the reply does not say by its `index` which text it belongs to".to_owned());
        };
        if !place.is_empty() {
            return Err(format!("the reply holds two vectors for the text {index}"));
        }
        let vector = vector(entry).ok_or_else(|| format!("the vector for the text {index} is no list of numbers"))?;
        if vector.iter().all(|number| *number == 0.0) {
            return Err(format!("the vector for the text {index} is empty or holds nothing but zeros"));
        }
        let first = *length.get_or_insert(vector.len());
        if first != vector.len() {
            return Err(format!("the vectors of the reply have {first} and {} numbers", vector.len()));
        }
        *place = vector;
    }
    Ok(out)
}

fn vector(entry: &Value<'_>) -> Option<Vec<f32>> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "servers count in no more digits; what is too large is refused"
    )]
    let number = |json: &Value<'_>| Some(json.as_f64()? as f32).filter(|number| number.is_finite());
    entry.get("embedding")?.as_array()?.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(data: Json) -> Result<Vec<Vec<f32>>, String> {
        vectors(2, &(&json!({ "data": data })).into())
    }

    #[test]
    fn vectors_stand_in_the_order_of_the_texts() {
        let swapped = json!([{"index": 1, "embedding": [0, 1.5]}, {"index": 0, "embedding": [1, 0]}]);
        assert_eq!(two(swapped).unwrap(), [vec![1.0, 0.0], vec![0.0, 1.5]]);
    }

    #[test]
    fn a_reply_that_is_not_whole_is_refused() {
        let with = |index: Json, vector: Json| {
            two(json!([{"index": 0, "embedding": [1, 0]}, {"index": index, "embedding": vector}])).unwrap_err()
        };
        for (why, said) in [
            (two(json!([{"index": 0, "embedding": [1, 0]}])).unwrap_err(), "1 vectors for 2 texts"),
            (two(json!("none")).unwrap_err(), "no `data`"),
            (with(json!(0), json!([1, 1])), "two vectors for the text 0"),
            (with(json!(2), json!([1, 1])), "which text"),
            (with(json!(null), json!([1, 1])), "which text"),
            (with(json!(1), json!([1])), "2 and 1 numbers"),
            (with(json!(1), json!([0, 0])), "nothing but zeros"),
            (with(json!(1), json!([])), "empty"),
            (with(json!(1), json!([null, 1])), "no list of numbers"),
            (with(json!(1), json!(["NaN", 1])), "no list of numbers"),
            (with(json!(1), json!([1e300, 1])), "no list of numbers"),
            (with(json!(1), json!("AAAA")), "no list of numbers"),
        ] {
            assert!(why.contains(said), "{why}");
        }
    }
}
