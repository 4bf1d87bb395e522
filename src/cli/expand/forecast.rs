//! What expanding a question would take, before it is paid for: the calls of every step with their tokens.
//!
//! Every step is put together as it would be, with the real instructions and forms, from lists of entries that nobody wrote yet:
//! as few and as short as replies may be ([`Shape::least`]), as they usually are ([`Shape::usual`]), as many and as long as
//! replies may be ([`Shape::most`]). It asks nobody. What a question and its context weigh is found once and added to
//! each call, because they stand in all of them.

use crate::author::{Ask, Author, Embedder};
use crate::cli::forecast::Load;
use crate::expand::prompts::{self, Scene, form};
use crate::expand::tree::{Criterion, Perspective, Scenario};
use crate::expand::{BATCH, Question, Settings, replies};
use crate::judge::wire::Failure;

/// How many calls of a step there are, and what each weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    times: u64,
    load: Load,
    /// Asked of the model that turns texts into vectors.
    vectors: bool,
}

/// All steps, once stored ones are left out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) model: Load,
    pub(super) vectors: Load,
}

/// Bytes of what stands round the texts of an entry of a reply: keys, quotes, numbers.
const ROUND: u64 = 80;

/// How an expansion may turn out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Scenarios at first, and those that all rounds add.
    scenarios: (usize, usize),
    /// Perspectives of each scenario; of all how many are left after a review; those that all rounds add.
    perspectives: (usize, usize, usize),
    /// Criteria of each perspective; of all how many are left after the review; those that all rounds add.
    criteria: (usize, usize, usize),
    /// Bytes of a name, a description or reasoning, and a criterion.
    sizes: [usize; 3],
    /// How often points are asked for.
    weighings: u64,
    /// Whether facts have to be taken out of all criteria.
    reworded: bool,
    /// Of `--single`: scenarios, perspectives and criteria.
    single: [usize; 3],
    /// Whether replies are as long as the model may make them.
    longest: bool,
}

impl Shape {
    pub(super) fn least() -> Shape {
        Shape {
            scenarios: (1, 0),
            perspectives: (1, 1, 0),
            criteria: (1, 1, 0),
            sizes: [1, 1, 1],
            weighings: 1,
            reworded: false,
            single: [1, 1, 1],
            longest: false,
        }
    }

    /// 13 scenarios, 26 perspectives and 60 criteria, with descriptions of four sentences, as the prompts ask for.
    pub(super) fn usual(settings: &Settings) -> Shape {
        let first = if settings.scenario_rounds > 0 { 5 } else { 13 };
        let of = |rounds: u32, count: usize| if rounds > 0 { count } else { 0 };
        let (new, more) = (of(settings.perspective_rounds, 6), of(settings.criterion_rounds, 12));
        Shape {
            scenarios: (first, 13 - first),
            perspectives: (5, 26 - new, new),
            criteria: (4, 60 - more, more),
            sizes: [30, 450, 150],
            weighings: 1,
            reworded: false,
            single: [6, 15, 40],
            longest: false,
        }
    }

    /// As many and as long as replies may be, and no two alike.
    pub(super) fn most(settings: &Settings) -> Shape {
        let times = |rounds: u32, each: usize| rounds as usize * each;
        let scenarios = (replies::MOST_SCENARIOS, times(settings.scenario_rounds, replies::MOST_NEW_SCENARIOS));
        Shape {
            scenarios,
            perspectives: (
                replies::MOST_PERSPECTIVES,
                usize::MAX,
                times(settings.perspective_rounds, replies::MOST_NEW_PERSPECTIVES),
            ),
            criteria: (
                replies::MOST_CRITERIA,
                usize::MAX,
                times(settings.criterion_rounds, replies::MOST_NEW_CRITERIA),
            ),
            sizes: [replies::NAME, replies::DESCRIPTION, replies::CRITERION],
            weighings: 3,
            reworded: true,
            single: [replies::MOST_SINGLE; 3],
            longest: true,
        }
    }
}

/// The steps of a question that weighs nothing.
///
/// # Errors
/// The model cannot be asked.
pub(super) fn steps(author: &Author, settings: &Settings, shape: Shape) -> Result<Vec<Step>, Failure> {
    let empty = Question { id: String::new(), question: String::new(), image: None, web_content: None };
    let scene = Scene::new(&empty, settings, 0);
    let mut walk = Walk { author, scene, settings, shape, steps: Vec::new(), compared: 0 };
    if settings.single {
        walk.single()?
    } else {
        walk.all()?
    }
    Ok(walk.steps)
}

/// Tokens that a question with its context and image adds to every request.
///
/// # Errors
/// The model cannot be asked about it.
pub(super) fn own(author: &Author, settings: &Settings, question: &Question) -> Result<u64, Failure> {
    let empty = Question { id: String::new(), question: String::new(), image: None, web_content: None };
    let weigh = |question: &Question| {
        let ask = Scene::new(question, settings, 0).ask("scenarios", prompts::scenarios(), form::scenarios());
        author.weigh(&ask).map(|weight| weight.input)
    };
    Ok(weigh(question)?.saturating_sub(weigh(&empty)?))
}

/// What is left of these steps after so many calls, at least the last one. `own` is what the question adds to each call.
pub(super) fn left(steps: &[Step], stored: u64, own: u64) -> Sum {
    let all: u64 = steps.iter().map(|step| step.times).sum();
    let mut skip = stored.min(all.saturating_sub(1));
    let mut sum = Sum::default();
    for step in steps {
        let times = step.times - skip.min(step.times);
        skip -= skip.min(step.times);
        if step.vectors {
            sum.vectors.add(step.load.times(times));
        } else {
            sum.model.add(Load { input: step.load.input + own, ..step.load }.times(times));
        }
    }
    sum
}

struct Walk<'a> {
    author: &'a Author,
    scene: Scene,
    settings: &'a Settings,
    shape: Shape,
    steps: Vec<Step>,
    /// Texts that have their vectors.
    compared: usize,
}

impl Walk<'_> {
    fn single(&mut self) -> Result<(), Failure> {
        let [scenarios, perspectives, criteria] = self.shape.single;
        let [entry, criterion] = self.entries();
        let ask = self.scene.ask("all at once", prompts::single(self.settings), form::single());
        self.push(1, &ask, (scenarios + perspectives) as u64 * entry + criteria as u64 * criterion)?;
        self.compare(criteria, self.shape.sizes[2]);
        Ok(())
    }

    fn all(&mut self) -> Result<(), Failure> {
        let [entry, criterion] = self.entries();
        let shape = self.shape;
        let settings = self.settings;
        let [name, description, text] = shape.sizes;
        let pair = name + description + 1;
        // Scenarios, their perspectives, and what is missing.
        let (first, more) = shape.scenarios;
        self.push(1, &self.scene.ask("", prompts::scenarios(), form::scenarios()), first as u64 * entry)?;
        self.compare(first, pair);
        let (each, kept, new) = shape.perspectives;
        let mut perspectives = self.perspectives_of(first, first, 0, each, kept)?;
        for (so_far, found) in rounds(first, more, settings.scenario_rounds) {
            let ask = self.scene.ask("", prompts::more_scenarios(&self.scenarios(so_far)), form::scenarios());
            self.push(1, &ask, found as u64 * entry)?;
            self.compare(so_far + found, pair);
        }
        let scenarios = first + more;
        if more > 0 {
            perspectives = self.perspectives_of(scenarios, more, perspectives, each, kept)?;
        }
        let reviewed = perspectives;
        // Texts that were compared before are those of scenarios; perspectives are other texts.
        self.compared = 0;
        for (so_far, found) in rounds(reviewed, new, settings.perspective_rounds) {
            let task = prompts::more_perspectives(&self.scenarios(scenarios), &self.perspectives(so_far));
            self.push(1, &self.scene.ask("", task, form::more_perspectives()), found as u64 * entry)?;
            self.compare(so_far + found, pair);
        }
        let perspectives = reviewed + new;
        // Criteria.
        let (each, kept, new) = shape.criteria;
        let task = prompts::criteria(&self.scenarios(scenarios), &self.perspectives(perspectives), 0);
        self.push(perspectives, &self.scene.ask("", task, form::criteria()), each as u64 * criterion)?;
        self.compared = 0;
        let raw = perspectives * each;
        self.compare(raw, text);
        let list = self.criteria(raw);
        let ask = self.scene.ask("", prompts::review_criteria(&refs(&list)), form::review_criteria());
        self.push(1, &ask, (raw as u64 * criterion).div_ceil(4))?;
        let reviewed = raw.min(kept);
        // Those that a review made of several are texts of their own.
        self.compared = if shape.longest { 0 } else { reviewed };
        for (so_far, found) in rounds(reviewed, new, settings.criterion_rounds) {
            let task = prompts::more_criteria(&self.perspectives(perspectives), &refs(&self.criteria(so_far)));
            self.push(1, &self.scene.ask("", task, form::more_criteria()), found as u64 * criterion)?;
        }
        let criteria = reviewed + new;
        self.compare(criteria, text);
        let list = self.criteria(criteria);
        for (at, times) in [(0, u64::from(shape.reworded)), (1, 1), (2, shape.weighings)] {
            for part in list.chunks(BATCH).filter(|_| times > 0) {
                let of = part.len() as u64;
                let part = refs(part);
                let note = shape.longest.then(|| "n".repeat(160));
                let facts = || vec!["f".repeat(text)];
                let (task, form) = match at {
                    0 => (prompts::reword(&part.iter().map(|c| (*c, facts())).collect::<Vec<_>>()), form::reword()),
                    1 => (prompts::polarity(&part), form::polarity()),
                    _ => (prompts::weights(&part, note.as_deref()), form::weights()),
                };
                // Each entry begins as its criterion does, and says why in a sentence.
                let reply = of * (ROUND + (text + text.min(40)) as u64);
                self.push(usize::try_from(times).unwrap_or(1), &self.scene.ask("", task, form), reply)?;
            }
        }
        Ok(())
    }

    /// The perspectives of the last so many scenarios, and the review of all: how many there are then.
    fn perspectives_of(
        &mut self,
        scenarios: usize,
        of: usize,
        before: usize,
        each: usize,
        kept: usize,
    ) -> Result<usize, Failure> {
        let [entry, _] = self.entries();
        let list = self.scenarios(scenarios);
        let ask = self.scene.ask("", prompts::perspectives(&list, 0), form::perspectives());
        self.push(of, &ask, each as u64 * entry)?;
        let all = before + of * each;
        let task = prompts::review_perspectives(&list, &self.perspectives(all));
        self.push(1, &self.scene.ask("", task, form::review_perspectives()), (all as u64 * entry).div_ceil(4))?;
        Ok(all.min(kept))
    }

    /// Bytes of an entry of a reply: a name with its description, a criterion with its reasoning.
    fn entries(&self) -> [u64; 2] {
        let [name, description, text] = self.shape.sizes;
        [(name + description) as u64 + ROUND, (text + description.min(150)) as u64 + ROUND]
    }

    fn push(&mut self, times: usize, ask: &Ask, reply: u64) -> Result<(), Failure> {
        let weight = self.author.weigh(ask)?;
        let longest = self.shape.longest;
        let output = if longest { weight.most_output } else { reply.div_ceil(4).min(weight.most_output) };
        // What a question weighs is rounded for itself.
        let load = Load::one(weight.input + u64::from(longest), output);
        self.steps.push(Step { times: times as u64, load, vectors: false });
        Ok(())
    }

    /// The calls for vectors of a list that has so many texts by now, each so long.
    fn compare(&mut self, texts: usize, size: usize) {
        let new = texts.saturating_sub(self.compared);
        self.compared = self.compared.max(texts);
        if self.settings.similarity.is_none() || new == 0 {
            return;
        }
        let calls = new.div_ceil(Embedder::BATCH);
        let load = Load::one((new.div_ceil(calls) * size.div_ceil(4)) as u64, 0);
        self.steps.push(Step { times: calls as u64, load, vectors: true });
    }

    fn scenarios(&self, count: usize) -> Vec<Scenario> {
        let [name, description, _] = self.shape.sizes.map(|size| "x".repeat(size));
        vec![Scenario { name, description, round: 0 }; count]
    }

    fn perspectives(&self, count: usize) -> Vec<Perspective> {
        let [name, description, _] = self.shape.sizes.map(|size| "x".repeat(size));
        let of = if self.shape.longest { self.shape.scenarios.0 + self.shape.scenarios.1 } else { 1 };
        let scenarios = (0..of).collect();
        vec![Perspective { name, description, scenarios, raw: [].into(), round: 0 }; count]
    }

    fn criteria(&self, count: usize) -> Vec<Criterion> {
        let [_, _, text] = self.shape.sizes.map(|size| "x".repeat(size));
        let reasoning = String::new();
        vec![Criterion { text, points: 5, reasoning, perspectives: [0].into(), raw: [].into(), round: 0 }; count]
    }
}

/// For each round how many there are before it, and how many it adds of those that all add.
fn rounds(first: usize, more: usize, rounds: u32) -> impl Iterator<Item = (usize, usize)> {
    let rounds = rounds as usize;
    let after = move |round: usize| first + (more * round).checked_div(rounds).unwrap_or(0);
    (0..rounds).map(move |round| (after(round), after(round + 1) - after(round)))
}

fn refs(criteria: &[Criterion]) -> Vec<&Criterion> {
    criteria.iter().collect()
}
