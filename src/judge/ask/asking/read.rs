//! What a reply holds: one entry for each cell of its job, or why there is none.

use super::{Asking, Job, Kind};
use crate::judge::ask::decide::{self, Asked, Flaw};
use crate::judge::ask::form::Form;
use crate::judge::ask::{probable, reply, verify};
use crate::judge::wire::{self, Reply};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// What there is for one cell.
pub(super) type Found = Result<Map<String, Json>, Flaw>;

impl Asking {
    /// The entries that a reply holds, one for each of the job's cells, in their order.
    pub(super) fn read(&self, job: &Job, nonce: &str, reply: &Reply) -> Vec<Found> {
        let mut found = match (&reply.answer, job.kind) {
            (wire::Answer::Decisions(decisions), Kind::Decide) => {
                let asked = self.all_asked(job);
                let read = |(n, asked): (usize, &Arc<Asked>)| {
                    let id = decide::id(n, nonce);
                    let mut entry = asked.entry(&id, decisions)?;
                    if let Some(said) = asked.diagnostics(&id, &reply.diagnostics) {
                        entry.insert("note".to_owned(), json!({ "diagnostics": said }));
                    }
                    Ok(entry)
                };
                asked.iter().enumerate().map(read).collect()
            }
            (wire::Answer::Text { text, .. }, Kind::Verify) => vec![self.read_verifier(job, text)],
            (wire::Answer::Text { text, logprobs }, Kind::Value | Kind::Part(_) | Kind::List) => {
                match self.read_chat(job, nonce, text, logprobs) {
                    Ok(found) => found,
                    Err(reason) => job.cells.iter().map(|_| Err(Flaw::Again(reason.clone()))).collect(),
                }
            }
            _ => {
                let fault = || Flaw::Again("the server answered in another way than it was asked".to_owned());
                job.cells.iter().map(|_| Err(fault())).collect()
            }
        };
        for entry in found.iter_mut().flatten() {
            entry.insert("by".to_owned(), Json::from(reply.model.as_str()));
        }
        found
    }

    fn read_verifier(&self, job: &Job, text: &str) -> Found {
        let cell = job.cells.first().and_then(|(at, _)| self.cells.get(*at));
        let Some(criterion) = cell.and_then(|cell| self.criterion(cell)) else {
            return Err(Flaw::Again("a criterion is not there".to_owned()));
        };
        verify::read(text, criterion).map_err(Flaw::Missing)
    }

    /// What a chat model wrote, taken apart.
    fn read_chat(&self, job: &Job, nonce: &str, text: &str, logprobs: &[wire::Token]) -> Result<Vec<Found>, String> {
        let map = reply::object(text, nonce)?;
        if job.kind == Kind::List {
            let parts = reply::parts(map)?;
            let parts: Vec<Json> = parts.into_iter().map(|part| json!({"part": part})).collect();
            return Ok(vec![Ok(Map::from_iter([("parts".to_owned(), Json::Array(parts))]))]);
        }
        let rows = self.rows(job);
        let maps = match rows.as_slice() {
            [row] if row.key.is_empty() => vec![map],
            rows => {
                let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
                reply::answers(map, &keys)?
            }
        };
        let mut by_cell: Vec<(usize, Found)> = Vec::with_capacity(rows.len());
        for (row, map) in rows.iter().zip(maps) {
            let named = |fault: String| if row.key.is_empty() { fault } else { format!("\"{}\": {fault}", row.key) };
            let entry = self.read_one(job, row.cell, map, text, logprobs).map_err(named);
            by_cell.push((row.cell, entry.map_err(Flaw::Again)));
        }
        // A batch is small: its answers are looked for one by one.
        let mut of = |cell: usize| {
            let at = by_cell.iter().position(|(of, _)| *of == cell)?;
            Some(by_cell.swap_remove(at).1)
        };
        let lost = || Err(Flaw::Again("an answer is not there".to_owned()));
        Ok(job.cells.iter().map(|(at, _)| of(*at).unwrap_or_else(lost)).collect())
    }

    fn read_one(
        &self,
        job: &Job,
        at: usize,
        map: Map<String, Json>,
        text: &str,
        logprobs: &[wire::Token],
    ) -> Result<Map<String, Json>, String> {
        let lost = || "a criterion is not there".to_owned();
        let cell = self.cells.get(at).ok_or_else(lost)?;
        let form = self.form(cell, job).ok_or_else(lost)?;
        let sees = self.criterion(cell).map_or(&[][..], |criterion| &criterion.sees);
        let quotes = form.evidence || matches!(form.ty.base, crate::types::Base::Tally { .. });
        let candidate = cell.candidate.filter(|_| quotes);
        let quotable = candidate.map(|place| self.scene.quotable(sees, place)).filter(|texts| !texts.is_empty());
        let mut entry = reply::entry(map, &form, quotable.as_deref())?;
        if job.kind == Kind::Value && self.core.wants_probabilities(cell.leaf, job.stage) {
            let value = entry.get("value").map(Json::to_string).unwrap_or_default();
            let values = Form { shuffle: None, ..form }.options().unwrap_or_default();
            entry.insert("probabilities".to_owned(), probable::of_answer(text, logprobs, &values, &value)?);
        }
        Ok(entry)
    }
}
