//! Annotation: what a person is asked about the candidates of records, in which order, and how an answer is read.
//!
//! A [`Session`] knows questions and answers and no terminal and no file. Recorded judgments of the records are not looked
//! at, and neither the ids of candidates, which often name a model, nor their order are told: candidates come in an order
//! that follows from the seed, each with all of its criteria.

use crate::catalog::NodeId;
use crate::graph::{Criterion, NodeKind, Procedure, Program, Template, TemplatePart};
use crate::number::Number;
use crate::rules::FieldValues;
use crate::run::engine::Engine;
use crate::run::judgment::evidence::absent;
use crate::run::record::{Record, identity};
use crate::types::{Base, Role, Type, Value};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::sync::Arc;

/// One question about one candidate (of a criterion that sees none: about the record).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The place of the record in the session.
    record: usize,
    /// The place of the candidate whose fields are shown.
    shown: usize,
    /// Whether the judgment is the candidate's.
    of_candidate: bool,
    leaf: NodeId,
    /// Of a `checklist … from`: the item's name and its text.
    item: Option<(String, String)>,
}

/// Whose judgment something is: record, candidate, criterion.
pub type Whose = (String, Option<String>, String);

/// What a person said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// `Unknown` too.
    pub value: Value,
    pub quotes: Vec<String>,
}

/// Questions, and the answers that were given.
pub struct Session {
    engine: Arc<Engine>,
    records: Vec<Record>,
    questions: Vec<Question>,
    answers: HashMap<Whose, Answer>,
    at: usize,
}

/// What is shown of a question, as plain text that is not cleaned yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Headings and texts: fields of the record, then of the candidate.
    pub material: Vec<(String, String)>,
    pub criterion: String,
    pub ask: String,
    /// What is typed for each value, the value, and its description.
    pub values: Vec<(String, String, String)>,
    /// What may be typed where values are not listed.
    pub range: Option<String>,
    pub may_be_unknown: bool,
    /// What was answered before.
    pub before: Option<String>,
}

impl Session {
    /// The questions of these records. `only`: the criteria that are asked, by name; empty: all that no rule answers.
    ///
    /// # Errors
    /// A sentence, where a name is no criterion, or a rule of `applies` or an item cannot be read.
    pub fn new(engine: Arc<Engine>, records: Vec<Record>, only: &[String], seed: u64) -> Result<Session, String> {
        let program = &engine.program;
        for name in only {
            let checklist = |list: &crate::graph::Checklist| *list.name == **name;
            if engine.layout.find_leaf(name).is_none() && !program.checklists.iter().any(checklist) {
                let near = crate::diagnostics::did_you_mean(name, engine.layout.leaf_names());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return Err(format!("the program has no criterion `{name}`{near}"));
            }
        }
        let mut candidates: Vec<(usize, usize)> = records
            .iter()
            .enumerate()
            .flat_map(|(at, record)| (0..record.candidates.len()).map(move |c| (at, c)))
            .collect();
        candidates.shuffle(&mut StdRng::seed_from_u64(seed));
        let mut questions = Vec::new();
        let mut asked_of_record = std::collections::HashSet::new();
        for (at, shown) in candidates {
            let Some(record) = records.get(at) else { continue };
            let fields = record.fields(record.candidates.get(shown));
            for leaf in &engine.layout.leaves {
                let Some(node) = program.node(*leaf) else { continue };
                let named = only.is_empty() || only.iter().any(|name| belongs(program, name, &node.name));
                let of_candidate = !engine.layout.is_shared(*leaf);
                let Some(criterion) = criterion_of(program, *leaf) else { continue };
                let by_rule = matches!(criterion.procedure, Procedure::Rule(_));
                if !named || by_rule || !of_candidate && !asked_of_record.insert((at, *leaf)) {
                    continue;
                }
                if let Some(applies) = &criterion.applies {
                    let held = applies.evaluate(&fields);
                    let held = held.map_err(|fault| format!("record `{}`, `{}`: {fault}", record.id, node.name))?;
                    if held.as_bool() == Some(false) {
                        continue;
                    }
                }
                let question = |item| Question { record: at, shown, of_candidate, leaf: *leaf, item };
                match &node.kind {
                    NodeKind::Items { field, .. } => {
                        let list = program.field(*field).and_then(|field| record.shared.get(&*field.name));
                        let items = items(list).map_err(|fault| format!("record `{}`: {fault}", record.id))?;
                        questions.extend(items.into_iter().map(|item| question(Some(item))));
                    }
                    _ => questions.push(question(None)),
                }
            }
        }
        Ok(Session { engine, records, questions, answers: HashMap::new(), at: 0 })
    }

    /// How many questions there are, and how many are answered.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let answered = self.questions.iter().filter(|question| self.answers.contains_key(&self.whose(question)));
        (self.questions.len(), answered.count())
    }

    /// Takes over an answer that was given before, where it answers one of the questions.
    ///
    /// # Errors
    /// A sentence, where it is no value of the criterion.
    pub fn resume(&mut self, whose: Whose, line: &Map<String, Json>) -> Result<(), String> {
        let Some(question) = self.questions.iter().find(|question| self.whose(question) == whose) else {
            return Ok(());
        };
        let Some(ty) = self.type_of(question) else { return Ok(()) };
        let value = match line.get("value") {
            Some(value) => Value::from_json(value, ty)?,
            None if line.contains_key("unknown") => Value::Unknown,
            None => return Ok(()),
        };
        let quotes = line.get("evidence").and_then(Json::as_array);
        let quotes = quotes.into_iter().flatten().filter_map(|quote| quote.as_str().map(str::to_owned)).collect();
        self.answers.insert(whose, Answer { value, quotes });
        Ok(())
    }

    /// Goes to the first question from here on that is not answered; `None`: there is none.
    pub fn to_open(&mut self) -> Option<()> {
        while let Some(question) = self.questions.get(self.at) {
            if !self.answers.contains_key(&self.whose(question)) {
                return Some(());
            }
            self.at += 1;
        }
        None
    }

    /// Goes to the question before; whether there is one.
    pub fn back(&mut self) -> bool {
        let moved = self.at > 0;
        self.at = self.at.saturating_sub(1);
        moved
    }

    /// Leaves the question as it is.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Its number among all, from 1.
    #[must_use]
    pub fn number(&self) -> usize {
        self.at + 1
    }

    fn question(&self) -> Option<&Question> {
        self.questions.get(self.at)
    }

    fn whose(&self, question: &Question) -> Whose {
        let record = self.records.get(question.record);
        let id = record.map_or_else(String::new, |record| record.id.clone());
        let candidate = record.and_then(|record| record.candidates.get(question.shown));
        let candidate = candidate.filter(|_| question.of_candidate).and_then(|candidate| candidate.id.clone());
        let name = self.engine.program.node(question.leaf).map_or("", |node| &*node.name);
        let name = question.item.as_ref().map_or_else(|| name.to_owned(), |(item, _)| format!("{name}.{item}"));
        (id, candidate, name)
    }

    fn type_of(&self, question: &Question) -> Option<&Type> {
        criterion_of(&self.engine.program, question.leaf).map(|criterion| &criterion.ty)
    }

    /// The type of the answer to the question at hand.
    #[must_use]
    pub fn ty(&self) -> Option<&Type> {
        self.type_of(self.question()?)
    }

    /// The question at hand, to be shown; `None` at the end.
    #[must_use]
    pub fn page(&self) -> Option<Page> {
        let question = self.question()?;
        let program = &self.engine.program;
        let criterion = criterion_of(program, question.leaf)?;
        let record = self.records.get(question.record)?;
        let fields = record.fields(record.candidates.get(question.shown));
        let mut material = Vec::new();
        for wanted in [Role::Input, Role::Reference, Role::Candidate] {
            // What the question inserts is not shown a second time.
            let seen = criterion.sees.iter().filter(|id| !criterion.ask.parts.contains(&TemplatePart::Field(**id)));
            let seen = seen.filter_map(|id| program.field(*id)).filter(|field| field.role == wanted);
            for field in seen {
                if let Some(value) = fields.get(&field.name) {
                    material.push((field.name.to_string(), text_of(value)));
                }
            }
        }
        let whose = self.whose(question);
        let before = self.answers.get(&whose).map(|answer| answer.value.text(&criterion.ty));
        let ask =
            question.item.as_ref().map_or_else(|| filled(program, &criterion.ask, &fields), |(_, text)| text.clone());
        let level = |value: &Value| {
            let level = criterion.levels.iter().find(|(other, _)| other == value);
            level.map_or_else(String::new, |(_, template)| filled(program, template, &fields))
        };
        let values = choices(&criterion.ty);
        let values: Vec<(String, String, String)> =
            values.iter().map(|(key, value)| (key.clone(), plain(value, &criterion.ty), level(value))).collect();
        Some(Page {
            material,
            criterion: whose.2,
            ask,
            range: values.is_empty().then(|| range(&criterion.ty)),
            values,
            may_be_unknown: criterion.ty.optional,
            before,
        })
    }

    /// Whether quotes stand in the candidate that is shown, word for word (white space aside).
    ///
    /// # Errors
    /// A sentence that says which does not.
    pub fn check_quote(&self, quote: &str) -> Result<(), String> {
        let nothing = || "there is no candidate to quote from".to_owned();
        let question = self.question().ok_or_else(nothing)?;
        let record = self.records.get(question.record).ok_or_else(nothing)?;
        let candidate = record.candidates.get(question.shown).filter(|_| question.of_candidate).ok_or_else(nothing)?;
        // Without any text `absent` has nothing to look in, and a quote cannot stand there.
        let has_text = candidate.fields.values().any(|value| !text_of(value).trim().is_empty() && !value.is_number());
        if quote.trim().is_empty() || !has_text || absent(&[quote.to_owned()], &candidate.fields).is_some() {
            return Err("that does not stand in the candidate; quote it word for word".to_owned());
        }
        Ok(())
    }

    /// Answers the question at hand and goes on; the line of the judgments that says so, and whether it replaces one.
    pub fn answer(&mut self, answer: Answer, annotator: &str) -> Option<(Json, bool)> {
        let question = self.question()?;
        let ty = self.type_of(question)?.clone();
        let whose = self.whose(question);
        let line = line(&whose, &answer, &ty, annotator);
        let replaced = self.answers.insert(whose, answer).is_some();
        self.at += 1;
        Some((line, replaced))
    }
}

/// A line of a judgments file.
fn line(whose: &Whose, answer: &Answer, ty: &Type, annotator: &str) -> Json {
    let (id, candidate, criterion) = whose;
    let mut map = Map::new();
    map.insert("id".to_owned(), id.as_str().into());
    if let Some(candidate) = candidate {
        map.insert("candidate".to_owned(), candidate.as_str().into());
    }
    map.insert("criterion".to_owned(), criterion.as_str().into());
    match &answer.value {
        Value::Unknown => map.insert("unknown".to_owned(), true.into()),
        value => map.insert("value".to_owned(), value.json_exact(ty)),
    };
    if !answer.quotes.is_empty() {
        map.insert("evidence".to_owned(), answer.quotes.clone().into());
    }
    map.insert("by".to_owned(), annotator.into());
    Json::Object(map)
}

/// Whether a line of judgments is somebody's, and about what.
///
/// # Errors
/// A sentence, where it is no judgment.
pub fn read_line(json: &Json, annotator: &str) -> Result<Option<Whose>, String> {
    let id = identity(json.get("id").unwrap_or(&Json::Null), "`id`")?;
    let candidate = match json.get("candidate") {
        None | Some(Json::Null) => None,
        Some(candidate) => Some(identity(candidate, "`candidate`")?),
    };
    let criterion = json.get("criterion").and_then(Json::as_str).ok_or("the judgment has no `criterion`")?;
    let own = json.get("by").and_then(Json::as_str) == Some(annotator);
    Ok(own.then(|| (id, candidate, criterion.to_owned())))
}

fn criterion_of(program: &Program, leaf: NodeId) -> Option<&Criterion> {
    match &program.node(leaf)?.kind {
        NodeKind::Criterion(criterion) | NodeKind::Items { template: criterion, .. } => Some(criterion),
        NodeKind::Operator(_) => None,
    }
}

/// Whether a criterion is the one named, or an item of the checklist named.
fn belongs(program: &Program, wanted: &str, name: &str) -> bool {
    let is_list = program.checklists.iter().any(|list| *list.name == *wanted);
    name == wanted || is_list && name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
}

/// The items of a `checklist … from`: how each is called, and its text.
fn items(json: Option<&Json>) -> Result<Vec<(String, String)>, String> {
    let parsed;
    let list = match json {
        None => return Ok(Vec::new()),
        Some(Json::String(text)) => {
            parsed = crate::run::record::json::parse(text)?;
            parsed.as_array()
        }
        Some(json) => json.as_array(),
    };
    let list = list.ok_or("its items are no list")?;
    let mut out = Vec::new();
    for (n, item) in (1..).zip(list) {
        let text = item.get("criterion").and_then(Json::as_str).ok_or_else(|| format!("item {n} lacks `criterion`"))?;
        let id = match item.get("id") {
            None | Some(Json::Null) => n.to_string(),
            Some(id) => identity(id, "an item's `id`")?,
        };
        out.push((id, text.to_owned()));
    }
    Ok(out)
}

/// A template with its holes filled.
fn filled(program: &Program, template: &Template, fields: &dyn FieldValues) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.to_string(),
        TemplatePart::Field(id) => {
            let value = program.field(*id).and_then(|field| fields.get(&field.name));
            value.map_or_else(String::new, text_of)
        }
    };
    template.parts.iter().map(part).collect()
}

/// A field as a person reads it: a text as it is, turns of a chat one under the other, else JSON.
fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(turns) if !turns.is_empty() && turns.iter().all(|turn| turn.get("content").is_some()) => {
            let turn = |turn: &Json| {
                let role = turn.get("role").and_then(Json::as_str).unwrap_or("?");
                format!("[{role}] {}", text_of(turn.get("content").unwrap_or(&Json::Null)))
            };
            turns.iter().map(turn).collect::<Vec<_>>().join("\n\n")
        }
        other => format!("{other:#}"),
    }
}

/// Values that are listed, at the most.
const MOST_CHOICES: i64 = 12;

/// What is typed for each value, where the values are few.
fn choices(ty: &Type) -> Vec<(String, Value)> {
    match &ty.base {
        Base::Bool => vec![("y".to_owned(), Value::Bool(true)), ("n".to_owned(), Value::Bool(false))],
        Base::Int { lo, hi } => match (lo.to_i64(), hi.to_i64()) {
            (Some(lo), Some(hi)) if hi - lo < MOST_CHOICES => {
                (lo..=hi).map(|n| (n.to_string(), Value::Number(Number::int(n)))).collect()
            }
            _ => Vec::new(),
        },
        Base::Ordinal(labels) | Base::Choice(labels) => {
            (0..).zip(labels.iter()).map(|(rank, _)| ((rank + 1).to_string(), Value::Label(rank))).collect()
        }
        Base::Set(labels) | Base::Tally { labels, .. } => {
            (0..).zip(labels.iter()).map(|(rank, _)| ((rank + 1).to_string(), Value::Set([rank].into()))).collect()
        }
        Base::Score { .. } | Base::Real | Base::Items => Vec::new(),
    }
}

/// A value without the marks of the language.
fn plain(value: &Value, ty: &Type) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Set(ranks) => match (ranks.first(), ty.labels()) {
            (Some(rank), Some(labels)) => labels.get(*rank as usize).map_or_else(String::new, |l| l.to_string()),
            _ => String::new(),
        },
        Value::Label(rank) => {
            ty.labels().and_then(|labels| labels.get(*rank as usize)).map_or_else(String::new, |l| l.to_string())
        }
        value => value.text(ty),
    }
}

fn range(ty: &Type) -> String {
    match ty.interval() {
        Some((lo, hi)) => format!("a number from {lo} to {hi}"),
        None => "a value".to_owned(),
    }
}

/// Whether one key is a whole answer, so that no return key is needed.
#[must_use]
pub fn is_one_key(ty: &Type) -> bool {
    let several = matches!(ty.base, Base::Set(_) | Base::Tally { .. });
    let choices = choices(ty);
    !several && !choices.is_empty() && choices.iter().all(|(key, _)| key.chars().count() == 1)
}

/// Reads a typed answer: the key of a value, or a number.
///
/// # Errors
/// A sentence that says what may be typed.
pub fn read_answer(text: &str, ty: &Type) -> Result<Value, String> {
    let text = text.trim();
    let several = matches!(ty.base, Base::Set(_) | Base::Tally { .. });
    let one = |text: &str| {
        let choices = choices(ty);
        let found = choices.iter().find(|(key, value)| key.eq_ignore_ascii_case(text) || plain(value, ty) == text);
        found.map(|(_, value)| value.clone())
    };
    if several {
        return several_labels(text, ty, &one);
    }
    let value = match (one(text), ty.is_number()) {
        (Some(value), _) => Some(value),
        (None, true) => Number::from_exact(text).ok().map(Value::Number),
        (None, false) => None,
    };
    value.filter(|value| ty.holds(value)).ok_or_else(|| {
        let keys: Vec<String> = choices(ty).into_iter().map(|(key, _)| key).collect();
        match keys.is_empty() {
            true => format!("that is not {}", range(ty)),
            false => format!("type one of {}", keys.join(" ")),
        }
    })
}

/// The labels of a set or a tally: their numbers with spaces or commas between them, `-` for none.
fn several_labels(text: &str, ty: &Type, one: &dyn Fn(&str) -> Option<Value>) -> Result<Value, String> {
    let fault = || "type the numbers of all that hold, with spaces between them; - for none".to_owned();
    let mut ranks: Vec<u32> = Vec::new();
    for part in text.split([' ', ',']).filter(|part| !part.is_empty() && *part != "-") {
        match one(part) {
            Some(Value::Set(found)) => ranks.extend(found.iter()),
            _ => return Err(fault()),
        }
    }
    if text.is_empty() {
        return Err(fault());
    }
    ranks.sort_unstable();
    let value = match &ty.base {
        Base::Tally { labels, .. } => {
            let of =
                |rank: u32| u32::try_from(ranks.iter().filter(|other| **other == rank).count()).unwrap_or(u32::MAX);
            Value::Tally((0..).zip(labels.iter()).map(|(rank, _)| of(rank)).collect())
        }
        _ => {
            ranks.dedup();
            Value::Set(ranks.into())
        }
    };
    if ty.holds(&value) { Ok(value) } else { Err(format!("that is no value of {ty}")) }
}
