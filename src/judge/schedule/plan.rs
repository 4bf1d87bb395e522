//! What a run would ask and what it would cost, found out without asking anybody.
//!
//! Only calls that are certain are counted: those that the answers of others bring with them (the second judge of a cascade, the
//! parts of an `each`, questions put again) are not known before, and it is said that there are such.

use super::{Judging, call};
use crate::graph::{Criterion, Procedure};
use crate::judge::ask::{Asker, CallKind};
use crate::judge::budget;
use crate::judge::config::Alias;
use crate::judge::store::StoreError;
use crate::judge::wire::Usage;
use crate::number::Number;
use crate::run::driver::Ready;
use indexmap::IndexMap;
use std::sync::Arc;

/// Tokens that a reply is guessed to have, where nothing like it is known.
pub const REPLY: u64 = 150;

/// What would be asked.
#[derive(Debug, Default)]
pub struct Planned {
    pub records: u64,
    /// Of these, records that lack nothing.
    pub complete: u64,
    /// By alias, then by what is asked (a criterion, or several together).
    pub lines: IndexMap<(String, String), Line>,
    /// Runs of verifiers, by their names, and how many of them are stored.
    pub verifiers: IndexMap<String, (u64, u64)>,
    /// Whether answers may bring further calls.
    pub more: bool,
}

/// Calls to one model about one criterion.
#[derive(Debug, Default)]
pub struct Line {
    pub alias: Option<Arc<Alias>>,
    pub calls: u64,
    /// Of these, what the store already has.
    pub stored: u64,
    /// Tokens of the requests of the others, estimated.
    pub input: u64,
    /// The most tokens of their replies.
    pub most_output: u64,
    /// The most that they can cost; `None`: there is no price.
    pub most: Option<Number>,
}

impl Line {
    /// Calls that would be made.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.calls - self.stored
    }

    /// Adds the calls of another line. Of several models, the cost goes by the first.
    pub fn join(&mut self, other: &Line) {
        let priced = self.most.is_some() || self.open() == 0;
        let (mine, theirs) = (self.most.take(), other.most.clone());
        self.most = match (mine, theirs) {
            (Some(a), Some(b)) => Some(&a + &b),
            (None, b) if priced => b,
            (a, None) if other.open() == 0 => a,
            _ => None,
        };
        self.alias = self.alias.take().or_else(|| other.alias.clone());
        self.calls += other.calls;
        self.stored += other.stored;
        self.input += other.input;
        self.most_output += other.most_output;
    }

    /// What they are likely to cost, with so many tokens in a reply.
    #[must_use]
    pub fn likely(&self, reply: u64) -> Option<Number> {
        let price = self.alias.as_ref()?.price.as_ref()?;
        let output = self.open().saturating_mul(reply).min(self.most_output);
        Some(price.cost(&Usage { input: self.input, output, ..Usage::default() }))
    }
}

impl Planned {
    /// Counts a record that lacks nothing.
    pub fn without(&mut self) {
        self.records += 1;
        self.complete += 1;
    }

    /// Adds a record. `first`: it is the first run over it, which counts the record.
    ///
    /// # Errors
    /// The outer one: the store cannot be read. The inner one: a sentence that says why the record cannot be asked about.
    pub fn add(
        &mut self,
        ready: &Ready,
        judging: &Judging,
        asker: &Asker,
        first: bool,
    ) -> Result<Result<(), String>, StoreError> {
        let mut askings = asker.plan(&ready.record, &ready.judged);
        self.records += u64::from(first);
        self.complete += u64::from(first && askings.is_empty());
        for asking in &mut askings {
            for (_, one) in asking.calls() {
                let alias = match &one.kind {
                    CallKind::Verify { name, verifier, input } => {
                        let identity = judging.digests.identity(name, verifier, input);
                        // A later run finds what the first one stores.
                        if !first && identity.is_some() {
                            continue;
                        }
                        let stored = match (&judging.store, identity) {
                            (Some(store), Some(Ok(identity))) => store.find(&identity.key)?.is_some(),
                            (_, Some(Err(failure))) => return Ok(Err(failure.detail)),
                            _ => false,
                        };
                        let (runs, found) = self.verifiers.entry(name.to_string()).or_default();
                        *runs += 1;
                        *found += u64::from(stored);
                        continue;
                    }
                    CallKind::Ask { alias, .. } => Arc::clone(alias),
                };
                let (identity, rendered) = match call::identity(&one) {
                    Some(Ok(found)) => found,
                    Some(Err(failure)) => return Ok(Err(failure.detail)),
                    None => continue,
                };
                let about = super::record::about(&one);
                let line = self.lines.entry((alias.name.clone(), about)).or_default();
                line.alias.get_or_insert_with(|| Arc::clone(&alias));
                line.calls += 1;
                let stored = match &judging.store {
                    Some(store) => store.find(&identity.key)?.is_some(),
                    None => false,
                };
                if stored {
                    line.stored += 1;
                    continue;
                }
                line.input += rendered.tokens;
                line.most_output += u64::from(rendered.max_tokens);
                if let Some(most) = budget::most(&alias, &rendered) {
                    line.most = Some(line.most.as_ref().map_or_else(|| most.clone(), |sum| sum + &most));
                }
            }
        }
        self.more |= super::window::criteria(&ready.engine).any(brings_more);
        Ok(Ok(()))
    }
}

/// Whether answers may bring further calls.
fn brings_more(criterion: &Criterion) -> bool {
    match &criterion.procedure {
        Procedure::Cascade { .. } => true,
        Procedure::Llm(llm) => llm.each.is_some(),
        _ => false,
    }
}
