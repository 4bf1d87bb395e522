//! The names of a program and its libraries: one namespace per file.
//!
//! Fields, criteria, checklists, nodes, scales, defines, aliases and named readouts share it. A declaration that a syntax
//! error touches keeps its name, but is *broken*: whoever asks for it is told to be silent.
//!
//! It knows which declaration a name means, not what that declaration is worth: types and nodes are the checker's.

use super::load::Unit;
use crate::catalog::Op;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};
use foldhash::HashMap;
use std::cell::Cell;
use std::sync::Arc;

/// Names that no declaration may have: the modes, and what records, tests and requirements call things.
pub const TAKEN: [&str; 9] =
    ["pointwise", "pairwise", "listwise", "first", "second", "others", "id", "candidates", "judgments"];

/// A declaration, by its place in [`Scopes::decls`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclId(pub usize);

/// What a name declares.
#[derive(Debug, Clone, Copy)]
pub enum DeclKind<'a> {
    Field(ast::FieldRole, &'a ast::FieldType),
    Candidate(&'a ast::CandidateBody),
    Scale(&'a ast::TypeExpr),
    Criterion(&'a ast::Criterion),
    Checklist(&'a ast::Checklist),
    Node(&'a ast::Node),
    Define(&'a ast::Define),
    /// A library, by its unit; `None` where it could not be read.
    Alias(Option<usize>),
    Readout(&'a ast::Readout),
    /// Nothing may be said about it.
    Broken,
}

impl DeclKind<'_> {
    /// In words, with an article.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            DeclKind::Field(..) => "a field",
            DeclKind::Candidate(_) => "the candidate",
            DeclKind::Scale(_) => "a scale",
            DeclKind::Criterion(_) => "a criterion",
            DeclKind::Checklist(_) => "a checklist",
            DeclKind::Node(_) => "a node",
            DeclKind::Define(_) => "a define",
            DeclKind::Alias(_) => "a library",
            DeclKind::Readout(_) => "a readout",
            DeclKind::Broken => "a declaration",
        }
    }
}

/// A declaration.
#[derive(Debug)]
pub struct Decl<'a> {
    pub unit: usize,
    /// With the library's prefix: `lib.tone`.
    pub name: Arc<str>,
    /// Of its name.
    pub span: Span,
    pub item: &'a ast::Item,
    pub kind: DeclKind<'a>,
    /// Whether something of the program asked for it.
    pub used: Cell<bool>,
}

/// The names of one file.
#[derive(Debug)]
pub struct Scope<'a> {
    pub unit: &'a Unit,
    names: HashMap<&'a str, DeclId>,
    pub default_judge: Option<&'a ast::Procedure>,
    /// A declaration whose name could not even be read: an unknown name may be that one.
    pub lost: bool,
}

/// All names.
#[derive(Debug)]
pub struct Scopes<'a> {
    pub scopes: Vec<Scope<'a>>,
    /// In the order of units and, in each, of the text.
    pub decls: Vec<Decl<'a>>,
}

/// What a path means.
#[derive(Debug, Clone, Copy)]
pub enum Lookup<'p> {
    /// A declaration, and what of the path is left behind it.
    Found(DeclId, &'p [ast::Name]),
    /// A declaration that has been reported already.
    Silent,
    /// No such name; the part that is unknown, and the scope in which it is.
    Unknown(&'p ast::Name, usize),
}

impl<'a> Scopes<'a> {
    /// Collects the names of all units; names that stand twice or are taken are reported.
    pub fn new(units: &'a [Unit], sink: &mut Sink) -> Scopes<'a> {
        let mut all = Scopes { scopes: Vec::with_capacity(units.len()), decls: Vec::new() };
        for (at, unit) in units.iter().enumerate() {
            let scope = all.scope(at, unit, sink);
            all.scopes.push(scope);
        }
        all
    }

    fn scope(&mut self, at: usize, unit: &'a Unit, sink: &mut Sink) -> Scope<'a> {
        let mut scope = Scope { unit, names: HashMap::default(), default_judge: None, lost: false };
        let mut uses = unit.uses.iter();
        let mut judge: Option<Span> = None;
        for item in &unit.tree.items {
            if let ItemKind::DefaultJudge(procedure) = &item.kind {
                match judge {
                    Some(first) if !item.poisoned => sink.push(
                        Diagnostic::error(
                            Code::DEFAULT_JUDGE_TWICE,
                            item.span,
                            "a file has one default judge",
                            "the second one",
                        )
                        .also(first, "the first one")
                        .help("keep one; a criterion names what it wants otherwise in its own `judge`"),
                    ),
                    _ => {
                        judge = Some(item.span);
                        scope.default_judge = (!item.poisoned).then_some(procedure);
                    }
                }
                continue;
            }
            if matches!(item.kind, ItemKind::Error(None)) {
                scope.lost = true;
            }
            let Some((name, kind)) = declared(item, &mut uses) else { continue };
            let kind = if item.poisoned { DeclKind::Broken } else { kind };
            let id = DeclId(self.decls.len());
            let earlier = scope.names.get(&*name.text).and_then(|id| self.decls.get(id.0));
            if let Some(earlier) = earlier {
                if !matches!(kind, DeclKind::Broken) {
                    sink.push(twice(name, &kind, earlier));
                }
                continue;
            }
            taken(name, &kind, sink);
            scope.names.insert(&name.text, id);
            let full: Arc<str> = match unit.prefix.as_str() {
                "" => Arc::clone(&name.text),
                prefix => format!("{prefix}{}", name.text).into(),
            };
            self.decls.push(Decl { unit: at, name: full, span: name.span, item, kind, used: Cell::new(false) });
        }
        scope
    }

    #[must_use]
    pub fn get(&self, id: DeclId) -> Option<&Decl<'a>> {
        self.decls.get(id.0)
    }

    /// What a path means in a unit.
    #[must_use]
    pub fn lookup<'p>(&self, unit: usize, parts: &'p [ast::Name]) -> Lookup<'p> {
        let mut at = unit;
        let mut rest = parts;
        loop {
            let Some((first, more)) = rest.split_first() else { return Lookup::Silent };
            let Some(scope) = self.scopes.get(at) else { return Lookup::Silent };
            let Some(id) = scope.names.get(&*first.text) else {
                return if scope.lost { Lookup::Silent } else { Lookup::Unknown(first, at) };
            };
            let Some(decl) = self.decls.get(id.0) else { return Lookup::Silent };
            decl.used.set(true);
            match decl.kind {
                DeclKind::Broken | DeclKind::Alias(None) => return Lookup::Silent,
                DeclKind::Alias(Some(library)) if !more.is_empty() => {
                    at = library;
                    rest = more;
                }
                _ => return Lookup::Found(*id, more),
            }
        }
    }

    /// Whether a word names anything in a unit.
    #[must_use]
    pub fn knows(&self, unit: usize, word: &str) -> bool {
        self.scopes.get(unit).is_some_and(|s| s.names.contains_key(word))
    }

    /// The names of a unit whose declarations `wanted` accepts, for "did you mean".
    pub fn names(&self, unit: usize, wanted: impl Fn(&DeclKind<'a>) -> bool) -> Vec<&'a str> {
        let Some(scope) = self.scopes.get(unit) else { return Vec::new() };
        let fits = |id: &DeclId| self.decls.get(id.0).is_some_and(|d| wanted(&d.kind));
        scope.names.iter().filter(|(_, id)| fits(id)).map(|(name, _)| *name).collect()
    }
}

fn declared<'a>(
    item: &'a ast::Item,
    uses: &mut std::slice::Iter<'a, (ast::Name, Option<usize>)>,
) -> Option<(&'a ast::Name, DeclKind<'a>)> {
    Some(match &item.kind {
        ItemKind::Use { alias, .. } => {
            let unit = if item.poisoned { None } else { uses.next().and_then(|(_, unit)| *unit) };
            (alias, DeclKind::Alias(unit))
        }
        ItemKind::Scale { name, ty } => (name, DeclKind::Scale(ty)),
        ItemKind::Field { role, name, ty } => (name, DeclKind::Field(*role, ty)),
        ItemKind::Candidate { name, body } => (name, DeclKind::Candidate(body)),
        ItemKind::Criterion(criterion) => (&criterion.name, DeclKind::Criterion(criterion)),
        ItemKind::Checklist(checklist) => (&checklist.name, DeclKind::Checklist(checklist)),
        ItemKind::Node(node) => (&node.name, DeclKind::Node(node)),
        ItemKind::Define(define) => (&define.name, DeclKind::Define(define)),
        ItemKind::Readout(readout) => (readout.name.as_ref()?, DeclKind::Readout(readout)),
        ItemKind::Error(name) => (name.as_ref()?, DeclKind::Broken),
        ItemKind::DefaultJudge(_) | ItemKind::Observe(_) | ItemKind::Require(_) | ItemKind::Test(_) => return None,
    })
}

fn twice(name: &ast::Name, kind: &DeclKind<'_>, earlier: &Decl<'_>) -> Diagnostic {
    if matches!((kind, &earlier.kind), (DeclKind::Candidate(_), DeclKind::Candidate(_))) {
        return second_candidate(name.span, earlier.span);
    }
    let words = match earlier.kind {
        DeclKind::Broken => "something".to_owned(),
        other => other.words().to_owned(),
    };
    Diagnostic::error(
        Code::DUPLICATE_NAME,
        name.span,
        format!("the name `{}` stands for two things", name.text),
        format!("{} here", kind.words()),
    )
    .also(earlier.span, format!("{words} here"))
    .help("give one of them another name; everything in a file shares one set of names")
}

/// A second `candidate` declaration.
pub(super) fn second_candidate(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::CANDIDATE_COUNT, span, "a program judges one kind of candidate", "the second one")
        .also(first, "the first one")
        .help(
            "keep one; what is judged together is one candidate with parts: `candidate pair { left: text, right: text }`",
        )
}

fn taken(name: &ast::Name, kind: &DeclKind<'_>, sink: &mut Sink) {
    let text = &*name.text;
    let why = if TAKEN.contains(&text) {
        "the language keeps this word for records, requirements and tests"
    } else if matches!(kind, DeclKind::Define(_)) && Op::called(text).is_some() {
        "this is an operator of the language"
    } else if matches!(kind, DeclKind::Scale(_)) && super::types::TYPE_WORDS.contains(&text) {
        "this is a type of the language"
    } else {
        return;
    };
    sink.push(
        Diagnostic::error(Code::TAKEN_NAME, name.span, format!("`{text}` cannot be a name here"), why)
            .help(format!("choose another name, for example `my_{text}`")),
    );
}
