//! A program with the models that judge it: who answers each criterion, checked before the first call.
//!
//! What a model cannot do is an error here, in the author's words, and never found out during a run: aliases that do not
//! exist, probabilities that a model does not give (or that cannot be read soundly), text from a decision model, images,
//! scales of more levels than it takes, verifiers that may not run.

use super::asking::{Asking, Cell, Item};
use super::decide;
use super::form::Paper;
use super::prompt::{criterion_of, one_token};
use super::show::{Images, Scene};
use crate::catalog::NodeId;
use crate::graph::{Combine, Criterion, FieldId, Llm, NodeKind, Origin, Procedure, Program, View};
use crate::judge::config::{Alias, Config, Needs, Verifier};
use crate::number::Number;
use crate::run::Leaf;
use crate::run::judgment::{Basis, Judged, JudgedLeaf};
use crate::run::record::Record;
use crate::types::{Base, FieldKind};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;
use std::sync::{Arc, Mutex, PoisonError};

/// How often what does not conform is asked again.
pub const AGAIN: u32 = 2;

/// Who judges a program.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) program: Arc<Program>,
    /// Of the leaves that models or verifiers judge.
    pub(super) judges: HashMap<NodeId, Who>,
    /// Items that may share a call have the same number.
    classes: HashMap<NodeId, usize>,
    pub(super) again: u32,
    papers: Mutex<HashMap<PaperOf, Arc<Paper>>>,
}

/// What the form of a single answer depends on: the leaf, the stage, whether it is of one part, whether the model keeps to schemas.
type PaperOf = (NodeId, usize, bool, bool);

/// Who judges a leaf.
#[derive(Debug)]
pub(super) enum Who {
    Models {
        /// One, or the two of a cascade.
        stages: Vec<Stage>,
        /// Of a cascade: below this confidence the second is asked.
        threshold: Option<Number>,
    },
    Verifier {
        name: Arc<str>,
        verifier: Arc<Verifier>,
    },
}

/// One `llm(…)` with its models.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) llm: Llm,
    /// As `llm.models`.
    pub(super) models: Vec<Arc<Alias>>,
}

impl Core {
    pub(super) fn new(program: &Arc<Program>, config: &Config) -> Result<Core, Vec<String>> {
        let mut faults = Vec::new();
        let mut judges = HashMap::default();
        let mut classes = HashMap::default();
        let mut known: HashMap<String, usize> = HashMap::default();
        for (node, id) in program.nodes.iter().zip(0..) {
            let Some(criterion) = criterion_of(&node.kind) else { continue };
            let found = who(program, criterion, config);
            match found {
                Ok(Some(who)) => {
                    judges.insert(NodeId(id), who);
                    let class = format!("{:?}{:?}{:?}", criterion.origin, criterion.procedure, criterion.sees);
                    let next = known.len();
                    classes.insert(NodeId(id), *known.entry(class).or_insert(next));
                }
                Ok(None) => {}
                Err(fault) => faults.push(format!("`{}`: {fault}", node.name)),
            }
        }
        if faults.is_empty() {
            Ok(Core { program: Arc::clone(program), judges, classes, again: AGAIN, papers: Mutex::default() })
        } else {
            Err(faults)
        }
    }

    /// The form of an answer that is the same for every record: written once.
    pub(super) fn paper(&self, of: PaperOf, write: impl FnOnce() -> Paper) -> Arc<Paper> {
        let mut papers = self.papers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(papers.entry(of).or_insert_with(|| Arc::new(write())))
    }

    /// Whether the answers of a leaf's stage need probabilities, which a chat model writes beside its tokens.
    pub(super) fn wants_probabilities(&self, leaf: NodeId, stage: usize) -> bool {
        match self.judges.get(&leaf) {
            Some(Who::Models { stages, threshold }) => {
                let combine = stages.first().map_or(Combine::Majority, |first| first.llm.combine);
                stages.get(stage).is_some_and(|at| probabilities(&at.llm, combine, threshold.is_some() && stage == 0))
            }
            _ => false,
        }
    }

    /// What is to be asked of a record, in groups.
    pub(super) fn plan(self: &Arc<Core>, record: &Record, judged: &Judged, images: &Images, run: u32) -> Vec<Asking> {
        let mut open = Open::default();
        let places = std::iter::once(None).chain((0..judged.own.len()).map(Some));
        for (leaves, candidate) in judged.lists().zip(places) {
            for leaf in leaves {
                self.open_cells(record, leaf, candidate, &mut open);
            }
        }
        let Open { mut bundles, .. } = open;
        bundles.retain(|_, cells| cells.iter().any(|cell| cell.wanted));
        if bundles.is_empty() {
            return Vec::new();
        }
        let scene = Arc::new(Scene::new(&self.program, record, images));
        let mut groups: IndexMap<(bool, Option<usize>, usize), Vec<Cell>, RandomState> = IndexMap::default();
        for (n, (_, mut cells)) in bundles.into_iter().enumerate() {
            let decided = cells.first().is_some_and(|cell| self.first_decides(cell.leaf));
            let joint = cells.iter().any(|cell| cell.candidate != cells.first().and_then(|first| first.candidate));
            let candidate = cells.first().and_then(|cell| cell.candidate).filter(|_| !joint);
            for cell in &mut cells {
                cell.bundle = n;
            }
            // One request to a decision model asks all it is asked about a candidate.
            let key = if decided { (joint, candidate, usize::MAX) } else { (joint, candidate, n) };
            groups.entry(key).or_default().extend(cells);
        }
        groups.into_values().map(|cells| Asking::new(Arc::clone(self), Arc::clone(&scene), cells, run)).collect()
    }

    fn first_decides(&self, leaf: NodeId) -> bool {
        match self.judges.get(&leaf) {
            Some(Who::Models { stages, .. }) => {
                stages.first().is_some_and(|stage| stage.models.iter().any(|alias| alias.capabilities.decision))
            }
            _ => false,
        }
    }

    /// Adds a leaf's missing judgments to the bundles that they are asked in.
    fn open_cells(&self, record: &Record, leaf: &JudgedLeaf, candidate: Option<usize>, found: &mut Open) {
        let Some(judge) = self.judges.get(&leaf.node) else { return };
        if leaf.basis != Basis::Recorded {
            return;
        }
        let open = |recorded: &[Json]| recorded.iter().all(Json::is_null);
        let mut add = |item: Option<Item>, wanted: bool| {
            let place = item.as_ref().map(|item| item.place);
            let (joint, batch) = match judge {
                Who::Models { stages, .. } => stages.first().map_or((false, 1), |stage| {
                    (stage.llm.view != View::Separate, stage.llm.batch.unwrap_or(1).max(1))
                }),
                Who::Verifier { .. } => (false, 1),
            };
            let joint = joint && candidate.is_some();
            if !wanted && !joint {
                return;
            }
            let candidate_of_key = if joint { None } else { Some(candidate) };
            let key = if batch > 1 && self.is_item(leaf.node) {
                let class = self.classes.get(&leaf.node).copied().unwrap_or(0);
                let items = found.batches.entry((candidate_of_key, class)).or_default();
                // For another candidate it is in the call in which it is already.
                let (number, _) = items.insert_full((leaf.node, place));
                Key::Batch(candidate_of_key, class, number / batch as usize)
            } else {
                Key::One(candidate_of_key, leaf.node, place)
            };
            let mut cell = Cell::new(leaf.node, item, candidate, 0);
            cell.wanted = wanted;
            found.bundles.entry(key).or_default().push(cell);
        };
        match &leaf.leaf {
            Leaf::Items(states) => {
                let texts = self.statements(record, leaf.node);
                for (place, (item, state)) in leaf.items.iter().zip(states).enumerate() {
                    let Some(statement) = texts.get(place).cloned() else { continue };
                    let wanted = state.met.is_err() && open(&item.recorded);
                    add(Some(Item { place, id: item.id.clone(), statement }), wanted);
                }
            }
            Leaf::Missing(_) => add(None, open(&leaf.recorded)),
            Leaf::Known(_) => add(None, false),
        }
    }

    fn is_item(&self, leaf: NodeId) -> bool {
        let node = self.program.node(leaf);
        node.and_then(|node| criterion_of(&node.kind)).is_some_and(|c| matches!(c.origin, Origin::Item { .. }))
    }

    /// The statements of a `checklist … from`, as the record brings them.
    fn statements(&self, record: &Record, leaf: NodeId) -> Vec<Arc<str>> {
        let Some(NodeKind::Items { field, .. }) = self.program.node(leaf).map(|node| &node.kind) else {
            return Vec::new();
        };
        let json = self.program.field(*field).and_then(|field| record.shared.get(&*field.name));
        let parsed;
        let list = match json {
            Some(Json::String(text)) => {
                parsed = crate::run::record::json::parse(text).unwrap_or(Json::Null);
                Some(&parsed)
            }
            other => other,
        };
        let list = list.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().map(|item| item.get("criterion").and_then(Json::as_str).unwrap_or("").into()).collect()
    }
}

/// What of a record is open, by the calls that ask it.
#[derive(Default)]
struct Open {
    bundles: IndexMap<Key, Vec<Cell>, RandomState>,
    /// The items of a class, in their order: every so many of them make a call.
    batches: HashMap<(Whose, usize), Items>,
}

/// Leaves with the places of items that came with the record.
type Items = IndexSet<(NodeId, Option<usize>), RandomState>;

/// Of one candidate or the record (`Some`), or of all candidates together.
type Whose = Option<Option<usize>>;

/// What is asked in one call.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    One(Whose, NodeId, Option<usize>),
    /// The class of the items, and the number of the call.
    Batch(Whose, usize, usize),
}

/// Whether the answers of an `llm` need probabilities. `combine` is that of the criterion, which a cascade's first says.
fn probabilities(llm: &Llm, combine: Combine, confidence: bool) -> bool {
    let alone = llm.samples as usize * llm.models.len() == 1 && llm.view != View::Swapped;
    combine == Combine::Expected || confidence && alone
}

/// Who judges a criterion; `None`: nobody who is asked.
fn who(program: &Program, criterion: &Criterion, config: &Config) -> Result<Option<Who>, String> {
    let (stages, threshold) = match &criterion.procedure {
        Procedure::Rule(_) | Procedure::Human { .. } => return Ok(None),
        Procedure::Verifier { name } => {
            let verifier = Arc::new(config.verifier(name)?.clone());
            return Ok(Some(Who::Verifier { name: Arc::clone(name), verifier }));
        }
        Procedure::Llm(llm) => (vec![llm], None),
        Procedure::Cascade { first, second, threshold } => (vec![&**first, &**second], Some(threshold.clone())),
    };
    if threshold.is_some() && stages.iter().any(|llm| llm.each.is_some()) {
        return Err("`each` cannot go with a cascade; use one `llm(…)`".to_owned());
    }
    let mut found = Vec::with_capacity(stages.len());
    let combine = stages.first().map_or(Combine::Majority, |first| first.combine);
    for (n, llm) in stages.into_iter().enumerate() {
        let mut models = Vec::with_capacity(llm.models.len());
        for name in &llm.models {
            let alias = config.alias(name)?;
            let probable = probabilities(llm, combine, threshold.is_some() && n == 0);
            fits(program, criterion, llm, alias, probable)?;
            models.push(Arc::clone(alias));
        }
        found.push(Stage { llm: llm.clone(), models });
    }
    Ok(Some(Who::Models { stages: found, threshold }))
}

/// Whether a model can do what a criterion wants.
fn fits(program: &Program, criterion: &Criterion, llm: &Llm, alias: &Alias, probable: bool) -> Result<(), String> {
    let image = |id: &FieldId| program.field(*id).is_some_and(|field| field.kind == FieldKind::Image);
    let decides = alias.capabilities.decision;
    let levels = match &criterion.ty.base {
        Base::Int { lo, hi } => (hi - lo).to_i64().and_then(|n| usize::try_from(n).ok()).map_or(usize::MAX, |n| n + 1),
        Base::Ordinal(labels) => labels.len(),
        _ => 0,
    };
    let options = match &criterion.ty.base {
        Base::Choice(labels) => labels.len() + usize::from(criterion.ty.optional),
        _ => 0,
    };
    let needs = Needs {
        probabilities: probable,
        text: llm.evidence || llm.each.is_some(),
        temperature: llm.temperature.is_some(),
        seed: false,
        images: criterion.sees.iter().any(image),
        levels,
        options,
    };
    alias.check(&needs)?;
    if decides {
        return decide::expressible(&criterion.ty).map_err(|why| {
            format!("it {why}, which the decision model `{}` cannot answer; use a chat model for it", alias.name)
        });
    }
    if !probable {
        return Ok(());
    }
    let instead = "use a decision model, or several `samples`, whose agreement is the confidence";
    if !one_token(criterion) {
        return Err(format!(
            "the probabilities of a chat model (`{}`) can be read only where each answer is one token: of `bool` and of whole \
             numbers from 0 to 9, without `?`, and this is {}; {instead}",
            alias.name, criterion.ty
        ));
    }
    if llm.batch.is_some_and(|n| n > 1) || llm.view != View::Separate {
        return Err(format!(
            "the probabilities of a chat model (`{}`) can be read only where it is asked one thing at a time, not with `batch`, \
             `joint` or `swapped`; {instead}",
            alias.name
        ));
    }
    Ok(())
}
