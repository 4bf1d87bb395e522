//! Vectors of texts, by a model that embeds: asked in batches, kept in the store as every answer is.
//!
//! An [`Embedder`] shares store, budget and Ctrl-C with the author that it comes from. What makes two batches the same is every
//! byte that is sent, so asking again for the same texts in the same order asks nobody.

use super::{AGAIN, Author, Purpose, Unsaid};
use crate::judge::config::Alias;
use crate::judge::schedule::{Judging, Put};
use crate::judge::wire::{Answer, Failure, FailureKind, Question};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A model that turns texts into vectors. Clones are the same.
#[derive(Clone)]
pub struct Embedder {
    judging: Arc<Judging>,
    alias: Arc<Alias>,
}

impl Embedder {
    /// The most texts of one request; servers take more, but not all of them.
    pub const BATCH: usize = 64;

    /// The model of an alias, with the store and the budget of the author.
    ///
    /// # Errors
    /// A sentence: there is no such alias, it makes no vectors, its key is missing, or a ceiling of costs needs its price.
    pub fn open(author: &Author, alias: &str) -> Result<Embedder, String> {
        let judging = Arc::clone(&author.judging);
        let alias = Arc::clone(judging.config.alias(alias)?);
        if !alias.dialect.embeds() {
            return Err(format!(
                "the model `{}` (`{}`) makes no vectors of texts; name one whose entry in rubric.toml has `dialect = \"embeddings\"`",
                alias.name, alias.model
            ));
        }
        judging.budget.check(&alias)?;
        judging.client.ready(&alias).map_err(|failure| failure.detail)?;
        Ok(Embedder { judging, alias })
    }

    /// The model.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// A vector for each text, in their order, and the model as its server names it. `task` is whose turn at the budget it is.
    /// At most [`Embedder::BATCH`] texts, at least one. A reply that cannot be read, or does not fit the texts, is asked for again,
    /// as often as one of a model that writes.
    ///
    /// # Errors
    /// [`Unsaid::Failed`] where there is no reply or it is none; [`Unsaid::Stopped`]; [`Unsaid::Store`].
    pub async fn embed(
        &self,
        task: u64,
        purpose: &Purpose,
        texts: Arc<[Arc<str>]>,
    ) -> Result<(Vec<Vec<f32>>, String), Unsaid> {
        let question = Question::Embed(texts);
        let (mut held, mut again) = (None, 0);
        loop {
            let Put { reply, claim, .. } =
                self.judging.put(task, &self.alias, &question, &question, held.take()).await?;
            let failure = match reply {
                Ok(reply) => match &reply.answer {
                    Answer::Vectors(vectors) => {
                        self.judging.keep(claim, &purpose.asked(), &reply).await?;
                        return Ok((vectors.clone(), reply.model));
                    }
                    _ => Failure::new(FailureKind::Malformed, "the reply holds no vectors"),
                },
                Err(failure) => failure,
            };
            if failure.kind != FailureKind::Malformed || again == AGAIN {
                return Err(Unsaid::Failed(failure));
            }
            again += 1;
            self.judging.counts.again.fetch_add(1, Ordering::Relaxed);
            held = claim;
        }
    }
}
