//! Vectors of the texts that are about to be compared, asked of a model that embeds.
//!
//! Each text is asked for once per question, in the order in which it first came up, so running again sends the same batches
//! and the store answers them. A text without a vector would be compared by another measure than its neighbours, so there is
//! none: what cannot be had ends the question.

use super::similar::Measure;
use super::{Fault, Why};
use crate::author::{Author, Embedder, Purpose};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Asks for the vectors of those of `texts` that have none yet; what the servers call the models that answered, and how often
/// one was asked. Fewer than two texts are compared with nothing.
///
/// # Errors
/// The model gave no vectors, or of another length than before.
pub(super) async fn fetch(
    author: &Author,
    alias: &str,
    about: &Purpose,
    task: u64,
    texts: &[String],
    measure: &mut Measure,
) -> Result<(BTreeSet<String>, u64), Fault> {
    let mut models = BTreeSet::new();
    let mut asked = 0;
    if texts.len() < 2 {
        return Ok((models, asked));
    }
    let fault = |why| Fault { step: about.step.to_string(), why };
    let embedder = Embedder::open(author, alias).map_err(|why| fault(Why::Unusable(why)))?;
    let mut seen = BTreeSet::new();
    let wanted = texts.iter().filter(|text| !measure.vectors.contains_key(*text) && seen.insert(text.as_str()));
    let wanted: Vec<Arc<str>> = wanted.map(|text| Arc::from(text.as_str())).collect();
    for batch in wanted.chunks(Embedder::BATCH) {
        asked += 1;
        let (vectors, model) =
            embedder.embed(task, about, batch.into()).await.map_err(|unsaid| fault(Why::Unsaid(unsaid)))?;
        models.insert(model);
        for (text, vector) in batch.iter().zip(vectors) {
            let other = measure.vectors.values().next().map(|known| known.len());
            if let Some(other) = other.filter(|other| *other != vector.len()) {
                return Err(fault(Why::Unusable(format!(
                    "the model `{alias}` gave a vector of {} numbers after one of {other}, so they cannot be compared; where another \
                     model answers under that name now, give it another name, or run again with another `--store`",
                    vector.len()
                ))));
            }
            measure.vectors.insert(text.to_string(), vector.into());
        }
    }
    Ok((models, asked))
}
