//! From a question to a rubric: scenarios, then perspectives, then criteria, each found by a model and widened in rounds.
//!
//! This is Qworld's recursive expansion tree (arXiv 2603.23522, §3.2) with our own prompts and checks; `docs/expand.md` has the
//! formulas. [`expand`] drives the steps of one question through an [`Author`]:
//!
//! ```text
//! scenarios S₀                                1 call
//! perspectives of each of S₀, reviewed        |S₀| + 1
//! w₁ rounds that add scenarios S₊             w₁
//! perspectives of each of S₊, reviewed        |S₊| + 1, none where S₊ is empty
//! w₂ rounds that add perspectives             w₂
//! criteria of each perspective, reviewed      |P| + 1
//! w₃ rounds that add criteria                 w₃
//! polarity, weights                           ⌈n/60⌉ each
//! ```
//!
//! Calls of one step go out together; what they bring is put together in the order of what was asked about, never in that of
//! the replies, so the result does not depend on how many are under way. Reviews speak of entries by number, so lineage
//! survives them ([`tree`]). Every step is stored by the author, so running again goes on where it ended.
//!
//! | file | what it knows |
//! | --- | --- |
//! | [`input`] | questions, as files hold them |
//! | [`prompts`], [`replies`] | what is asked, and which replies conform |
//! | [`tree`] | what an expansion consists of |
//! | [`similar`], [`facts`] | which texts say the same; figures and dates in a text |
//! | [`vectors`] | vectors of texts, where a model compares them |
//! | [`program`], [`stages`] | the `.rubric`, and all stages as JSON |
//!
//! It prints nothing and writes no file. Whether criteria are right it does not know.

pub mod facts;
pub mod input;
pub mod program;
pub mod prompts;
pub mod replies;
pub mod similar;
pub mod stages;
mod thin;
pub mod tree;
mod vectors;

pub use input::Question;
pub use tree::Expansion;

use crate::author::{Ask, Author, Said, Unsaid};
use crate::number::Number;
use prompts::{Scene, form};
use similar::Measure;
use std::sync::Arc;
use tree::{Criterion, Perspective, Scenario};

/// The most criteria of one call for polarity or weights. Longer lists are asked in parts, each numbered from 1.
pub const BATCH: usize = 60;
/// How often weights are asked again whose negative points outweigh the positive ones.
const REWEIGH: u32 = 2;

/// How a question is expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// w₁, w₂ and w₃.
    pub scenario_rounds: u32,
    pub perspective_rounds: u32,
    pub criterion_rounds: u32,
    /// From 0 to 1: two texts that are at least so alike say the same.
    pub threshold: f64,
    /// The model whose vectors are compared, by its alias; `None`: texts are compared letter by letter.
    pub similarity: Option<Arc<str>>,
    /// Most tokens of a reply.
    pub max_tokens: u32,
    /// `None`: the model's.
    pub temperature: Option<Number>,
    /// All in one call.
    pub single: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            scenario_rounds: 3,
            perspective_rounds: 4,
            criterion_rounds: 3,
            threshold: 0.8,
            similarity: None,
            max_tokens: 16_384,
            temperature: None,
            single: false,
        }
    }
}

/// Why a question has no rubric.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The step that it ended at, in words.
    pub step: String,
    pub why: Why,
}

#[derive(Debug, Clone)]
pub enum Why {
    /// The model gave no reply that conforms.
    Unsaid(Unsaid),
    /// A sentence: what came does not make a rubric.
    Unusable(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.why {
            Why::Unsaid(unsaid) => write!(f, "{}: {unsaid}", self.step),
            Why::Unusable(why) => write!(f, "{}: {why}", self.step),
        }
    }
}

/// What to say where the negative points are not outweighed.
pub(crate) fn unbalanced(positive: i64, negative: i64) -> String {
    format!("the positive points sum to {positive} and the negative ones to {negative}; the positive ones must be more")
}

/// Expands a question. `task` is its turn at the budget. What came before a fault comes with it.
pub async fn expand(
    author: &Author,
    question: &Question,
    settings: &Settings,
    task: u64,
) -> (Expansion, Option<Fault>) {
    let given = format!("{}\n{}", question.question, question.web_content.as_deref().unwrap_or(""));
    let scene = Scene::new(question, settings, task);
    let measure = Measure::lexical(settings.threshold);
    let mut work = Work { author, scene, settings, measure, given, out: Expansion::default() };
    let fault = if settings.single { work.single().await.err() } else { work.steps().await.err() };
    let (mut out, given) = (work.out, work.given);
    out.facts = out
        .criteria
        .iter()
        .enumerate()
        .map(|(place, criterion)| (place, facts::facts(&criterion.text, &given)))
        .filter(|(_, facts)| !facts.is_empty())
        .collect();
    (out, fault)
}

/// The work on one question.
struct Work<'a> {
    author: &'a Author,
    scene: Scene,
    settings: &'a Settings,
    measure: Measure,
    /// What the question and its context say, whose facts are given.
    given: String,
    out: Expansion,
}

impl Work<'_> {
    async fn single(&mut self) -> Result<(), Fault> {
        let ask = self.scene.ask("all at once", prompts::single(self.settings), form::single());
        let (scenarios, perspectives, criteria) = self.one(ask, replies::single).await?;
        self.out.scenarios = scenarios;
        let raw = |n: usize| [n].into();
        self.out.perspectives =
            perspectives.into_iter().enumerate().map(|(n, p)| Perspective { raw: raw(n), ..p }).collect();
        self.out.raw_perspectives.clone_from(&self.out.perspectives);
        self.out.raw_criteria = criteria.into_iter().enumerate().map(|(n, c)| Criterion { raw: raw(n), ..c }).collect();
        let kept = self.thin("criterion_dedup", self.out.raw_criteria.clone()).await?;
        let count = kept.len();
        self.out.dedup = tree::Dedup {
            before: self.out.raw_criteria.len(),
            after: count,
            after_review: count,
            expanded: count,
            last: count,
        };
        let (positive, negative) = Expansion::totals(&kept);
        if positive <= negative {
            return Err(Fault { step: "points".to_owned(), why: Why::Unusable(unbalanced(positive, negative)) });
        }
        self.out.reviewed_criteria.clone_from(&kept);
        self.out.criteria = kept;
        Ok(())
    }

    async fn steps(&mut self) -> Result<(), Fault> {
        let ask = self.scene.ask("scenarios", prompts::scenarios(), form::scenarios());
        let first = self.one(ask, |text| replies::scenarios(text, 0)).await?;
        self.add_scenarios(first, "scenarios").await?;
        let first = self.out.scenarios.len();
        self.perspectives_of(0).await?;
        for round in 1..=self.settings.scenario_rounds {
            let task = prompts::more_scenarios(&self.out.scenarios);
            let ask = self.scene.ask(&format!("more scenarios {round}"), task, form::scenarios());
            let more = self.one(ask, move |text| replies::scenarios(text, round)).await?;
            self.add_scenarios(more, &format!("more scenarios {round}")).await?;
        }
        if self.out.scenarios.len() > first {
            self.perspectives_of(first).await?;
        }
        for round in 1..=self.settings.perspective_rounds {
            let of = self.out.scenarios.len();
            let task = prompts::more_perspectives(&self.out.scenarios, &self.out.perspectives);
            let ask = self.scene.ask(&format!("more perspectives {round}"), task, form::more_perspectives());
            let more = self.one(ask, move |text| replies::more_perspectives(text, of, round)).await?;
            let texts = self.out.perspectives.iter().chain(&more).map(Perspective::text).collect();
            self.compare(&format!("more perspectives {round}"), texts).await?;
            self.out.add_perspectives(more, &self.measure);
        }
        let mut criteria = self.criteria().await?;
        for round in 1..=self.settings.criterion_rounds {
            let of = self.out.perspectives.len();
            let task = prompts::more_criteria(&self.out.perspectives, &refs(&criteria));
            let ask = self.scene.ask(&format!("more criteria {round}"), task, form::more_criteria());
            criteria.extend(self.one(ask, move |text| replies::more_criteria(text, of, round)).await?);
        }
        self.out.dedup.expanded = criteria.len();
        let criteria = self.thin("last_dedup", criteria).await?;
        self.out.dedup.last = criteria.len();
        let criteria = self.reword(criteria).await?;
        let criteria = self.polarity(criteria).await?;
        self.out.criteria = self.weights(criteria).await?;
        Ok(())
    }

    async fn add_scenarios(&mut self, more: Vec<Scenario>, step: &str) -> Result<(), Fault> {
        let texts = self.out.scenarios.iter().chain(&more).map(Scenario::text).collect();
        self.compare(step, texts).await?;
        self.out.add_scenarios(more, &self.measure);
        Ok(())
    }

    async fn thin(&mut self, stage: &'static str, criteria: Vec<Criterion>) -> Result<Vec<Criterion>, Fault> {
        let step = if stage == "last_dedup" { "all criteria" } else { "criteria" };
        self.compare(step, criteria.iter().map(|criterion| criterion.text.clone()).collect()).await?;
        Ok(self.out.thin(stage, criteria, &self.measure))
    }

    /// Sees to it that these texts can be compared.
    async fn compare(&mut self, step: &str, texts: Vec<String>) -> Result<(), Fault> {
        let Some(alias) = &self.settings.similarity else { return Ok(()) };
        let purpose = self.scene.purpose(&format!("similarity of {step}"));
        let fetched = vectors::fetch(self.author, alias, &purpose, self.scene.task(), &texts, &mut self.measure).await;
        let (models, asked) = fetched?;
        self.out.calls.questions += asked;
        self.out.models.extend(models);
        Ok(())
    }

    /// Finds the perspectives of the scenarios from this place on, and reviews all.
    async fn perspectives_of(&mut self, from: usize) -> Result<(), Fault> {
        let asks = (from..self.out.scenarios.len()).map(|at| {
            let task = prompts::perspectives(&self.out.scenarios, at);
            (self.scene.ask(&format!("perspectives of scenario {}", at + 1), task, form::perspectives()), at)
        });
        let found = self.all(asks.collect(), replies::perspectives).await?;
        let mut list = self.out.perspectives.clone();
        for perspective in found.into_iter().flatten() {
            let raw = [self.out.raw_perspectives.len()].into();
            let perspective = Perspective { raw, ..perspective };
            self.out.raw_perspectives.push(perspective.clone());
            list.push(perspective);
        }
        let of = list.len();
        let task = prompts::review_perspectives(&self.out.scenarios, &list);
        let step = if from == 0 { "review of perspectives" } else { "second review of perspectives" };
        let ask = self.scene.ask(step, task, form::review_perspectives());
        let review = self.one(ask, move |text| replies::review_perspectives(text, of)).await?;
        self.out.perspectives = self.out.review_perspectives(list, review);
        Ok(())
    }

    /// Finds the criteria of all perspectives, takes out what is there twice, and reviews the rest.
    async fn criteria(&mut self) -> Result<Vec<Criterion>, Fault> {
        let asks = (0..self.out.perspectives.len()).map(|at| {
            let task = prompts::criteria(&self.out.scenarios, &self.out.perspectives, at);
            (self.scene.ask(&format!("criteria of perspective {}", at + 1), task, form::criteria()), at)
        });
        let found = self.all(asks.collect(), replies::criteria).await?;
        let raw = found.into_iter().flatten().enumerate();
        self.out.raw_criteria = raw.map(|(n, criterion)| Criterion { raw: [n].into(), ..criterion }).collect();
        self.out.dedup.before = self.out.raw_criteria.len();
        let list = self.thin("criterion_dedup", self.out.raw_criteria.clone()).await?;
        self.out.dedup.after = list.len();
        let of = list.len();
        let ask = self.scene.ask("review of criteria", prompts::review_criteria(&refs(&list)), form::review_criteria());
        let review = self.one(ask, move |text| replies::review_criteria(text, of)).await?;
        let list = self.out.review_criteria(list, review);
        self.out.dedup.after_review = list.len();
        self.out.reviewed_criteria.clone_from(&list);
        Ok(list)
    }

    /// Takes the facts out that are still hard-coded. Where there are none nobody is asked; what is left afterwards is told.
    async fn reword(&mut self, mut criteria: Vec<Criterion>) -> Result<Vec<Criterion>, Fault> {
        let found = |criterion: &Criterion| facts::facts(&criterion.text, &self.given);
        let all: Vec<(usize, Vec<String>)> =
            criteria.iter().map(found).enumerate().filter(|(_, f)| !f.is_empty()).collect();
        let asks = all.chunks(BATCH).zip(1..).map(|(part, n)| {
            let list: Vec<(&Criterion, Vec<String>)> =
                part.iter().filter_map(|(place, facts)| Some((criteria.get(*place)?, facts.clone()))).collect();
            (self.scene.ask(&format!("facts {n}"), prompts::reword(&list), form::reword()), part.len())
        });
        let reworded = self.all(asks.collect(), replies::reword).await?;
        for (part, reworded) in all.chunks(BATCH).zip(reworded) {
            for (at, text) in reworded {
                let place = part.get(at).map(|(place, _)| *place);
                let Some((place, criterion)) = place.and_then(|place| Some((place, criteria.get_mut(place)?))) else {
                    continue;
                };
                self.out.reworded.push((place, std::mem::replace(&mut criterion.text, text)));
            }
        }
        Ok(criteria)
    }

    /// Settles the signs; texts stay as they are.
    async fn polarity(&mut self, mut criteria: Vec<Criterion>) -> Result<Vec<Criterion>, Fault> {
        let asks = criteria.chunks(BATCH).zip(1..).map(|(part, n)| {
            let ask = self.scene.ask(&format!("polarity {n}"), prompts::polarity(&refs(part)), form::polarity());
            (ask, texts(part))
        });
        let signs = self.all(asks.collect(), |text, texts: Arc<[String]>| replies::polarity(text, &texts)).await?;
        for (criterion, positive) in criteria.iter_mut().zip(signs.into_iter().flatten()) {
            criterion.points = if positive { criterion.points.abs() } else { -criterion.points.abs() };
        }
        if criteria.iter().all(|criterion| criterion.points < 0) {
            let why = "every criterion describes something bad, so no answer could score";
            return Err(Fault { step: "polarity".to_owned(), why: Why::Unusable(why.to_owned()) });
        }
        Ok(criteria)
    }

    /// Settles the points. Where the negative ones are not outweighed they are asked again, then given up.
    async fn weights(&mut self, criteria: Vec<Criterion>) -> Result<Vec<Criterion>, Fault> {
        let mut note: Option<String> = None;
        for attempt in 1..=REWEIGH + 1 {
            let asks = criteria.chunks(BATCH).zip(1..).map(|(part, n)| {
                let task = prompts::weights(&refs(part), note.as_deref());
                (self.scene.ask(&format!("weights {n}"), task, form::weights()), texts(part))
            });
            let weights = self.all(asks.collect(), |text, texts: Arc<[String]>| replies::weights(text, &texts)).await?;
            let weighed = criteria.iter().zip(weights.into_iter().flatten()).map(|(criterion, (points, reasoning))| {
                Criterion { points: points * criterion.points.signum(), reasoning, ..criterion.clone() }
            });
            let weighed: Vec<Criterion> = weighed.collect();
            let (positive, negative) = Expansion::totals(&weighed);
            if positive > negative {
                return Ok(weighed);
            }
            // With its number: a question that was put before would be answered out of the store.
            note = Some(format!("{} (attempt {attempt})", unbalanced(positive, negative)));
        }
        Err(Fault { step: "weights".to_owned(), why: Why::Unusable(note.unwrap_or_default()) })
    }

    async fn one<T>(&mut self, ask: Ask, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Fault> {
        let step = Arc::clone(&ask.purpose.step);
        let said = self.author.ask(&ask, read).await;
        self.heard(&step, said)
    }

    /// Asks all at once; what comes back is in the order of the asks. Of several failures the first in that order is told, once
    /// all are over, so that what was paid for is stored.
    async fn all<A, T>(
        &mut self,
        asks: Vec<(Ask, A)>,
        read: impl Fn(&str, A) -> Result<T, String> + Copy + Send + Sync + 'static,
    ) -> Result<Vec<T>, Fault>
    where
        A: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        let tasks: Vec<_> = asks
            .into_iter()
            .map(|(ask, about)| {
                let author = self.author.clone();
                let step = Arc::clone(&ask.purpose.step);
                let task = tokio::spawn(async move { author.ask(&ask, |text| read(text, about.clone())).await });
                (step, Guard(task))
            })
            .collect();
        let mut all = Vec::with_capacity(tasks.len());
        for (step, mut task) in tasks {
            let said = match (&mut task.0).await {
                Ok(said) => said,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => Err(Unsaid::Stopped),
            };
            all.push(self.heard(&step, said));
        }
        all.into_iter().collect()
    }

    fn heard<T>(&mut self, step: &str, said: Result<Said<T>, Unsaid>) -> Result<T, Fault> {
        self.out.calls.questions += 1;
        match said {
            Ok(said) => {
                self.out.calls.again += said.refused.len() as u64;
                self.out.models.insert(said.model);
                Ok(said.value)
            }
            Err(unsaid) => {
                if let Unsaid::Unfit(replies) = &unsaid {
                    self.out.calls.again += replies.len().saturating_sub(1) as u64;
                }
                Err(Fault { step: step.to_owned(), why: Why::Unsaid(unsaid) })
            }
        }
    }
}

/// A task that ends with whoever waits for it.
struct Guard<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Guard<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn refs(criteria: &[Criterion]) -> Vec<&Criterion> {
    criteria.iter().collect()
}

fn texts(criteria: &[Criterion]) -> Arc<[String]> {
    criteria.iter().map(|criterion| criterion.text.clone()).collect()
}
