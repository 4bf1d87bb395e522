//! Mutation testing: which small mistakes would no `test` and no `require` of a program notice?
//!
//! [`sites`] lists the mistakes, [`make`] makes them one at a time on the typed program (never on its text), beside the
//! program itself. A mistake is *noticed* where a test fails, *refused* where `check` would not let it pass, and
//! *survives* where judgments are known on which the changed program says something else and nothing notices; [`suggest`]
//! then writes the test that is missing. Where only a requirement that cannot be decided any more might notice it, it is
//! *undecided*. Where no such judgments are found, it is *alike*: perhaps the same program
//! in other words, perhaps not.
//!
//! What it does not know: why a mistake survives, and mistakes of more than one step.

mod dice;
mod exact;
mod make;
mod search;
pub mod sites;
pub mod steps;
mod suggest;

use crate::catalog::NodeId;
use crate::graph::Program;
use crate::graph::twin::{Bench, Changed};
use crate::run::spec::Tester;
use crate::source::Span;
use crate::types::Value;
pub use dice::Dice;
pub use exact::differ;
use make::{Maker, Variant};
pub use search::{below, tried};
use std::sync::Arc;
use std::time::{Duration, Instant};
use suggest::Suggester;
pub use suggest::Suggestion;

/// How much is tried.
#[derive(Debug, Clone)]
pub struct Options {
    /// Mistakes that are tried at the most; a seeded sample where there are more.
    pub most: usize,
    pub seed: u64,
    /// No new mistake is tried after that.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { most: 500, seed: 0, time: Duration::from_secs(60) }
    }
}

/// What became of a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// This test fails.
    Test(Arc<str>),
    /// This requirement, which is proved of the program, does not hold any more.
    Requirement(String),
    /// `check` refuses it, or it cannot be made.
    Refused,
    /// Nothing notices, and this test would. `None`: too many judgments for one.
    Survives(Option<Suggestion>),
    /// No test notices and no requirement is broken, but this one cannot be decided of it any more, so perhaps it would notice. The
    /// test surely would.
    Undecided(String, Option<Suggestion>),
    /// It is the same program in other words: proved of every readout.
    Same,
    /// Nothing notices, and no judgments were found on which it differs.
    Alike,
}

/// A mistake that was tried.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The node, item or readout where it was made.
    pub name: String,
    pub span: Span,
    /// What was changed, in the author's words.
    pub what: String,
    pub fate: Fate,
}

/// What came of a program.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// All mistakes that were found, and those among them that were tried.
    pub listed: usize,
    pub tried: usize,
    /// Not all could be listed, the program being too large.
    pub incomplete: bool,
    /// The time ran out.
    pub timed_out: bool,
    /// Every mistake that was tried and made a program, in the order of the program.
    pub mutants: Vec<Mutant>,
    pub refused: usize,
}

impl Report {
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| matches!(mutant.fate, Fate::Survives(_)))
    }

    /// Mistakes of which a requirement is not decided, and nothing else notices them.
    pub fn undecided(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| matches!(mutant.fate, Fate::Undecided(..)))
    }
}

/// The tests that already fail on the program itself; while there are any, [`mutate`] says little.
#[must_use]
pub fn failing(program: &Program) -> Vec<Arc<str>> {
    let tester = Tester::new(program);
    let fails = program.tests.iter().filter(|test| !tester.run(test).passed());
    fails.map(|test| test.name.clone()).collect()
}

/// Tries the mistakes of a program. `progress` is told how many of how many are done.
#[must_use]
pub fn mutate(program: &Arc<Program>, options: &Options, progress: &mut dyn FnMut(usize, usize)) -> Report {
    let start = Instant::now();
    let (sites, incomplete) = sites::all(program);
    let mut report = Report { listed: sites.len(), incomplete, ..Report::default() };
    let chosen = Dice::new(options.seed).sample(options.most, sites.len());
    let mut maker = Maker::new(program);
    let mut trial = Trial {
        suggester: Suggester::new(program),
        starts: program.tests.iter().flat_map(|test| test.given.iter().cloned()).take(16).collect(),
        bench: Bench::new(Arc::clone(program)),
        seed: options.seed,
        proved: exact::proved(program),
    };
    for (done, at) in chosen.iter().enumerate() {
        progress(done, chosen.len());
        if start.elapsed() > options.time {
            report.timed_out = true;
            break;
        }
        let Some(site) = sites.get(*at) else { continue };
        report.tried += 1;
        let place = maker.place(site);
        match trial.first(&maker.variants(site), &place.name) {
            (_, Fate::Refused) => report.refused += 1,
            (what, fate) => report.mutants.push(Mutant { name: place.name, span: place.span, what, fate }),
        }
    }
    report
}

/// What the requirements say of a changed program.
#[derive(PartialEq, Eq)]
enum Required {
    Kept,
    Broken(String),
    Undecided(String),
}

/// The name of a suggested test.
fn titled(name: &str, what: &str) -> String {
    const LONGEST: usize = 90;
    let text = format!("{name}: {}", what.replace('`', ""));
    if text.chars().count() <= LONGEST {
        return text;
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}

/// What every try needs.
struct Trial<'p> {
    suggester: Suggester<'p>,
    /// Judgments of the tests, where a search begins.
    starts: Vec<Vec<(NodeId, Value)>>,
    bench: Bench,
    seed: u64,
    /// The requirements that are proved of the program, by number.
    proved: Vec<usize>,
}

impl Trial<'_> {
    /// The first change that makes a difference, and what became of it; else that of the last one.
    fn first(&mut self, variants: &[Variant], name: &str) -> (String, Fate) {
        let mut last = (String::new(), Fate::Refused);
        for variant in variants {
            let fate = self.one(variant, name);
            if matches!(fate, Fate::Test(_) | Fate::Requirement(_) | Fate::Survives(_) | Fate::Undecided(..)) {
                return (variant.what.clone(), fate);
            }
            // Steps of which some may differ are not the same program, whatever the others are.
            if fate == Fate::Alike || last.1 == Fate::Refused {
                last = (variant.what.clone(), fate);
            }
        }
        last
    }

    fn one(&mut self, variant: &Variant, name: &str) -> Fate {
        let Ok(changed) = self.bench.change(&variant.edits, &variant.readouts) else { return Fate::Refused };
        if let Some(test) = self.noticed_by_test(&changed) {
            return Fate::Test(test);
        }
        let undecided = match self.required(&changed) {
            Required::Broken(name) => return Fate::Requirement(name),
            Required::Undecided(name) => Some(name),
            Required::Kept => None,
        };
        let unnoticed = |missing: Option<Suggestion>| match &undecided {
            Some(name) => Fate::Undecided(name.clone(), missing),
            None => Fate::Survives(missing),
        };
        // The name of the suggested test is the record's id in comparisons by id.
        let title = titled(name, &variant.what);
        let pair = search::Pair { program: &self.bench.program, changed: &changed, record: &title };
        if let Some(found) = search::difference(&pair, &self.starts, self.seed) {
            return unnoticed(self.suggester.test(&title, &found));
        }
        match exact::difference(&mut self.bench.program, &changed) {
            exact::Answer::Same => Fate::Same,
            exact::Answer::Unknown => Fate::Alike,
            exact::Answer::On(given) => {
                let pair = search::Pair { program: &self.bench.program, changed: &changed, record: &title };
                match search::confirmed(&pair, given) {
                    Some(found) => unnoticed(self.suggester.test(&title, &found)),
                    None => Fate::Alike,
                }
            }
        }
    }

    /// What the requirements that are proved of the program say of a changed one: the first that is broken, else the first
    /// that is not decided.
    fn required(&mut self, changed: &Changed) -> Required {
        let original = Arc::clone(self.bench.original());
        self.bench.program.sink = changed.sink;
        self.bench.program.readouts.clone_from(&changed.readouts);
        let mut found = Required::Kept;
        for require in self.proved.iter().filter_map(|at| original.requires.get(*at)) {
            if !exact::touched(&original, changed, require) {
                continue;
            }
            let name = || match &require.name {
                Some(name) => name.to_string(),
                None => require.text.lines().next().unwrap_or("").to_owned(),
            };
            match exact::required(&self.bench.program, &changed.require(require)) {
                Some(true) => {}
                Some(false) => {
                    found = Required::Broken(name());
                    break;
                }
                None if found == Required::Kept => found = Required::Undecided(name()),
                None => {}
            }
        }
        self.bench.program.sink = original.sink;
        self.bench.program.readouts.clone_from(&original.readouts);
        found
    }

    /// The first test that does not hold any more.
    fn noticed_by_test(&mut self, changed: &Changed) -> Option<Arc<str>> {
        if self.bench.original().tests.is_empty() {
            return None;
        }
        let original = Arc::clone(self.bench.original());
        self.bench.program.sink = changed.sink;
        self.bench.program.readouts.clone_from(&changed.readouts);
        let tester = Tester::new(&self.bench.program);
        let fails = original.tests.iter().find(|test| !tester.run(&changed.test(test)).passed());
        let found = fails.map(|test| test.name.clone());
        self.bench.program.sink = original.sink;
        self.bench.program.readouts.clone_from(&original.readouts);
        found
    }
}
