//! What a job puts to whom: the request to a chat model, to a decision model, to a verifier.

use super::{Asking, Cell, Job, Judge, Kind};
use crate::catalog::NodeId;
use crate::graph::{FieldId, Llm};
use crate::judge::ask::core::Stage;
use crate::judge::ask::decide::{Asked, Deciding};
use crate::judge::ask::form::{Form, Sheet};
use crate::judge::ask::prompt::{self, Question, Task};
use crate::judge::ask::show::{Who, letter};
use crate::judge::ask::{CallKind, ChatPrompt, DecidePrompt, Prompt};
use crate::judge::config::Alias;
use crate::judge::wire::Sampling;
use crate::types::Type;
use indexmap::IndexSet;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// An answer that a job asks for.
pub(super) struct Row {
    /// The number of the question among those of the job; empty where there is one.
    pub(super) number: String,
    /// The key of the answer: the question's number and the candidate's letter; empty where the reply is the answer.
    pub(super) key: String,
    /// The place of its cell.
    pub(super) cell: usize,
}

impl Asking {
    /// The names of what a job asks.
    pub(super) fn about(&self, job: &Job) -> Vec<String> {
        let name = |(at, _): &(usize, usize)| {
            let cell = self.cells.get(*at)?;
            let name = &self.core.program.node(cell.leaf)?.name;
            Some(match &cell.item {
                Some(item) => format!("{name}.{}", item.id),
                None => name.to_string(),
            })
        };
        let mut names: Vec<String> = job.cells.iter().filter_map(name).collect();
        names.dedup();
        names
    }

    /// What is put to whom.
    pub(super) fn prompt(&self, job: &Job) -> Result<CallKind, String> {
        let Some(alias) = &job.alias else { return self.verify(job) };
        let ask = |prompt| Ok(CallKind::Ask { alias: Arc::clone(alias), prompt });
        match job.kind {
            Kind::Verify => self.verify(job),
            Kind::Decide => ask(Prompt::Decide(DecidePrompt(Arc::new(self.decide(job))))),
            Kind::Value | Kind::List | Kind::Part(_) => ask(Prompt::Chat(ChatPrompt(self.chat(job, alias)?))),
        }
    }

    fn verify(&self, job: &Job) -> Result<CallKind, String> {
        let lost = || "a criterion is not there".to_owned();
        let cell = job.cells.first().and_then(|(at, _)| self.cells.get(*at)).ok_or_else(lost)?;
        let (criterion, node) = (self.criterion(cell), self.core.program.node(cell.leaf));
        let (Some(criterion), Some(node)) = (criterion, node) else { return Err(lost()) };
        let Some(Judge::Verifier { name, verifier }) = self.core.judges.get(&cell.leaf) else { return Err(lost()) };
        let mut input = Map::new();
        input.insert("criterion".to_owned(), Json::from(&*node.name));
        input.insert("type".to_owned(), Json::from(criterion.ty.to_string()));
        let question = match &cell.item {
            Some(item) => item.statement.to_string(),
            None => self.scene.named(&criterion.ask),
        };
        input.insert("question".to_owned(), question.into());
        input.insert("record".to_owned(), Json::from(self.scene.id.as_str()));
        if let Some(seen) = cell.candidate.and_then(|place| self.scene.candidates.get(place))
            && !seen.id.is_empty()
        {
            input.insert("candidate".to_owned(), Json::from(seen.id.as_str()));
        }
        let mut fields = Map::new();
        if let Json::Object(state) = self.scene.state(&criterion.sees, &job.who) {
            fields = state;
        }
        // A program can tell what is not given from a text that says so.
        fields.retain(|name, _| {
            self.scene.shared.contains_key(name)
                || cell
                    .candidate
                    .and_then(|place| self.scene.candidates.get(place))
                    .is_some_and(|c| c.fields.contains_key(name))
        });
        input.insert("fields".to_owned(), Json::Object(fields));
        Ok(CallKind::Verify { name: Arc::clone(name), verifier: Arc::clone(verifier), input: Json::Object(input) })
    }

    /// What a decision model is asked about a cell.
    fn asked(&self, cell: &Cell, job: &Job) -> Option<Asked> {
        let criterion = self.criterion(cell)?;
        let stage = self.stage_of_job(cell, job)?;
        let mut question = match &cell.item {
            Some(item) => format!("Does this hold: {}", item.statement),
            None if matches!(criterion.origin, crate::graph::Origin::Item { .. }) => {
                format!("Does this hold: {}", self.scene.named(&criterion.ask))
            }
            None => self.scene.named(&criterion.ask),
        };
        if let (Who::All(order), Some(candidate)) = (&job.who, cell.candidate) {
            let place = order.iter().position(|place| *place == candidate)?;
            question = format!("Of candidate {}. {question}", letter(place));
        }
        let examples = prompt::examples(&self.scene, criterion);
        if !examples.is_empty() {
            question = format!("{}\n\n{}", question.trim(), examples.trim_end());
        }
        Some(Asked {
            ty: criterion.ty.clone(),
            instructions: question.trim().to_owned(),
            levels: criterion.levels.iter().map(|(value, text)| (value.clone(), self.scene.named(text))).collect(),
            shuffle: self.seed(&stage.llm, cell, job),
        })
    }

    /// The stage at which a job asks a cell.
    pub(super) fn stage_of_job(&self, cell: &Cell, job: &Job) -> Option<&Stage> {
        match self.core.judges.get(&cell.leaf)? {
            Judge::Models { stages, .. } => stages.get(job.stage),
            Judge::Verifier { .. } => None,
        }
    }

    pub(super) fn all_asked(&self, job: &Job) -> Vec<Arc<Asked>> {
        let asked = |(at, _): &(usize, usize)| self.asked(self.cells.get(*at)?, job).map(Arc::new);
        job.cells.iter().filter_map(asked).collect()
    }

    fn decide(&self, job: &Job) -> Deciding {
        let first = job.cells.first().and_then(|(at, _)| self.cells.get(*at)).and_then(|cell| self.criterion(cell));
        let sees = first.map_or(&[][..], |criterion| &criterion.sees);
        Deciding { state: self.scene.state(sees, &job.who), asked: self.all_asked(job) }
    }

    /// The seed of shuffled options.
    fn seed(&self, llm: &Llm, cell: &Cell, job: &Job) -> Option<String> {
        if !llm.shuffled {
            return None;
        }
        let name = self.core.program.node(cell.leaf).map_or("", |node| &*node.name);
        let item = cell.place().map_or(0, |place| place + 1);
        let candidate = match &job.who {
            Who::One(place) => self.scene.candidates.get(*place).map_or("", |seen| seen.id.as_str()),
            _ => "",
        };
        let model = job.alias.as_ref().map_or("", |alias| alias.name.as_str());
        Some(json!([self.scene.id, candidate, name, item, model, job.sample]).to_string())
    }

    /// The answers of a job, in the order in which they are asked for.
    pub(super) fn rows(&self, job: &Job) -> Vec<Row> {
        let shown = |cell: &Cell| match (&job.who, cell.candidate) {
            (Who::All(order), Some(candidate)) => order.iter().position(|place| *place == candidate),
            _ => None,
        };
        // Most jobs ask one thing.
        if let [(at, _)] = job.cells.as_slice() {
            let row =
                |cell| Row { number: String::new(), key: shown(cell).map_or_else(String::new, letter), cell: *at };
            return self.cells.get(*at).map(row).into_iter().collect();
        }
        let mut asks: IndexSet<(NodeId, Option<usize>)> = IndexSet::new();
        let mut rows = Vec::with_capacity(job.cells.len());
        for (at, _) in &job.cells {
            let Some(cell) = self.cells.get(*at) else { continue };
            let (ask, _) = asks.insert_full((cell.leaf, cell.place()));
            rows.push((ask, shown(cell), *at));
        }
        rows.sort_unstable();
        let several = asks.len() > 1;
        let row = |(ask, shown, cell): (usize, Option<usize>, usize)| {
            let number = if several { (ask + 1).to_string() } else { String::new() };
            let key = format!("{number}{}", shown.map_or_else(String::new, letter));
            Row { number, key, cell }
        };
        rows.into_iter().map(row).collect()
    }

    pub(super) fn form(&self, cell: &Cell, job: &Job) -> Option<Form> {
        let criterion = self.criterion(cell)?;
        let llm = &self.stage_of_job(cell, job)?.llm;
        let ty = if matches!(job.kind, Kind::Part(_)) { Type::BOOL } else { criterion.ty.clone() };
        Some(Form { ty, evidence: llm.evidence, reason: llm.reason, shuffle: self.seed(llm, cell, job) })
    }

    pub(super) fn sheet(&self, job: &Job) -> Option<Sheet> {
        let rows = self.rows(job);
        if job.kind == Kind::List {
            let cell = self.cells.get(rows.first()?.cell)?;
            return Some(Sheet::Parts(self.stage_of_job(cell, job)?.llm.each.as_deref().unwrap_or("part").to_owned()));
        }
        match rows.as_slice() {
            [row] if row.key.is_empty() => Some(Sheet::One(self.form(self.cells.get(row.cell)?, job)?)),
            rows => {
                let form = |row: &Row| Some((row.key.clone(), self.form(self.cells.get(row.cell)?, job)?));
                Some(Sheet::Several(rows.iter().map(form).collect::<Option<_>>()?))
            }
        }
    }

    fn chat(&self, job: &Job, alias: &Alias) -> Result<Arc<prompt::ChatPrompt>, String> {
        let lost = || "a criterion is not there".to_owned();
        let rows = self.rows(job);
        let mut questions: Vec<(String, Question<'_>)> = Vec::new();
        for row in &rows {
            let cell = self.cells.get(row.cell).ok_or_else(lost)?;
            let criterion = self.criterion(cell).ok_or_else(lost)?;
            if questions.last().is_none_or(|(number, _)| *number != row.number) {
                let statement = cell.item.as_ref().map(|item| &*item.statement);
                questions.push((row.number.clone(), Question { criterion, statement }));
            }
        }
        let first = rows.first().ok_or_else(lost)?;
        let cell = self.cells.get(first.cell).ok_or_else(lost)?;
        let llm = &self.stage_of_job(cell, job).ok_or_else(lost)?.llm;
        let sheet = self.sheet(job).ok_or_else(lost)?;
        let options = match &sheet {
            Sheet::One(form) => form.options(),
            Sheet::Several(forms) => forms.first().and_then(|(_, form)| form.options()),
            Sheet::Parts(_) => None,
        };
        // What a text inserts is not shown again; of a batch only what every item inserts.
        let inserted = |field: &FieldId| {
            self.scene.inserts(*field, &job.who)
                && job.kind != Kind::List
                && questions.iter().all(|(_, question)| question.holes().contains(field))
        };
        let sees = questions.first().map_or(&[][..], |(_, question)| &question.criterion.sees);
        let sees: Vec<FieldId> = sees.iter().copied().filter(|field| !inserted(field)).collect();
        let look = self.scene.look(&sees, &job.who);
        let task = match job.kind {
            Kind::List => Task::List(llm.each.as_deref().unwrap_or("part")),
            Kind::Part(n) => Task::Part(cell.parts.get(n).map_or("", |part| &part.text)),
            _ => Task::Value,
        };
        let (own, fault) = prompt::own(&self.scene, &job.who, &questions, &task, options.as_deref());
        if let Some(fault) = look.fault.clone().or(fault) {
            return Err(fault);
        }
        let can = &alias.capabilities;
        let probable = job.kind == Kind::Value && self.core.wants_probabilities(cell.leaf, job.stage);
        let sampling = Sampling {
            temperature: llm.temperature.clone(),
            max_tokens: llm.max_tokens,
            seed: can.seed.then_some(u64::from(job.sample)),
            top_logprobs: if probable { can.logprobs.unwrap_or(0).min(20) } else { 0 },
        };
        let paper = match &sheet {
            // The same for every record.
            Sheet::One(form) if form.shuffle.is_none() => {
                let of = (cell.leaf, job.stage, matches!(job.kind, Kind::Part(_)), can.structured);
                self.core.paper(of, || sheet.paper(can.structured))
            }
            _ => Arc::new(sheet.paper(can.structured)),
        };
        Ok(prompt::chat(look.contents.clone(), own, paper, sampling, job.turns.clone()))
    }
}
