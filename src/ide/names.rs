//! Every place where a name stands, and the declaration that it means.
//!
//! One walk over the trees of a file. It follows the language's rules for what a path means (`lib.x`, `care.dose`,
//! `pair.left`, the parameters of a `define`, the candidates of a test); where a word could also be a label or a word of a
//! parameter, it goes by the type on the other side. A rename is therefore checked by whoever applies it: this gives the places,
//! and the edits stand only if the file then means the same.

use super::Snapshot;
use crate::catalog::{Op, readouts};
use crate::diagnostics::Sink;
use crate::resolve::scope::{DeclId, DeclKind, Lookup, Scopes, TAKEN};
use crate::source::{FileId, Source, Span};
use crate::syntax::ast::*;
use crate::syntax::print::is_word;
use std::sync::Arc;

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Field,
    Scale,
    Criterion,
    Checklist,
    Item,
    Group,
    Node,
    Define,
    Parameter,
    Library,
    Readout,
}

/// A name somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    pub span: Span,
    /// Where the name is declared.
    pub target: Span,
    pub kind: Kind,
    /// As the program calls it: `lib.tone`, `care.dose`.
    pub name: Arc<str>,
}

impl Occurrence {
    #[must_use]
    pub fn declares(&self) -> bool {
        self.span == self.target
    }
}

/// All of them in the file itself and in its libraries, by place.
#[must_use]
pub fn occurrences(snapshot: &Snapshot) -> Vec<Occurrence> {
    let mut sink = Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    let mut out = Vec::new();
    for (unit, loaded) in snapshot.units.iter().enumerate() {
        let Some(source) = snapshot.opened.files.get(loaded.file) else { continue };
        let mut walk = Walk { scopes: &scopes, unit, source, params: Vec::new(), candidates: Vec::new(), out };
        walk.file(&loaded.tree);
        out = walk.out;
    }
    out.sort_by_key(|o| (o.span.file, o.span.start, o.span.end));
    out.dedup();
    out
}

/// The occurrence at a byte of a file.
#[must_use]
pub fn at(all: &[Occurrence], file: FileId, offset: u32) -> Option<&Occurrence> {
    all.iter().filter(|o| o.span.file == file).find(|o| o.span.start <= offset && offset <= o.span.end)
}

/// Whether something may be called so: a word that is neither reserved nor taken.
#[must_use]
pub fn is_name(word: &str) -> bool {
    is_word(word) && !TAKEN.contains(&word)
}

/// The words of the declarations of a file, and whether each is one of its own (the others are of libraries).
pub(super) fn declared(snapshot: &Snapshot) -> Vec<(Arc<str>, Kind, Span, bool)> {
    let mut sink = Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    scopes.decls.iter().map(|d| (Arc::clone(&d.name), kind_of(&d.kind), d.span, d.unit == 0)).collect()
}

/// What stands inside a declaration and is called `NAME.part`, with where it is declared.
pub(super) fn members(kind: &DeclKind<'_>) -> Vec<(Name, Kind)> {
    let mut found = Vec::new();
    match kind {
        DeclKind::Checklist(list) => entries(&list.entries, &mut found),
        DeclKind::Candidate(CandidateBody::Record(fields)) => {
            found.extend(fields.iter().map(|(name, _)| (name.clone(), Kind::Field)));
        }
        _ => {}
    }
    found
}

/// As deep as brackets nest, which the parser bounds.
fn entries(list: &[Entry], found: &mut Vec<(Name, Kind)>) {
    for entry in list {
        match &entry.kind {
            EntryKind::Group { id, entries: inner, .. } => {
                found.push((id.clone(), Kind::Group));
                entries(inner, found);
            }
            EntryKind::Item { id: Some(id), .. } => found.push((id.clone(), Kind::Item)),
            _ => {}
        }
    }
}

fn kind_of(kind: &DeclKind<'_>) -> Kind {
    match kind {
        DeclKind::Field(..) | DeclKind::Candidate(_) => Kind::Field,
        DeclKind::Scale(_) => Kind::Scale,
        DeclKind::Criterion(_) => Kind::Criterion,
        DeclKind::Checklist(_) => Kind::Checklist,
        DeclKind::Node(_) | DeclKind::Broken => Kind::Node,
        DeclKind::Define(_) => Kind::Define,
        DeclKind::Alias(_) => Kind::Library,
        DeclKind::Readout(_) => Kind::Readout,
    }
}

struct Walk<'s, 'a> {
    scopes: &'s Scopes<'a>,
    unit: usize,
    source: &'s Source,
    /// Of the `define` at hand.
    params: Vec<Name>,
    /// Of the test or requirement at hand.
    candidates: Vec<Arc<str>>,
    out: Vec<Occurrence>,
}

impl Walk<'_, '_> {
    fn push(&mut self, span: Span, target: Span, kind: Kind, name: impl Into<Arc<str>>) {
        self.out.push(Occurrence { span, target, kind, name: name.into() });
    }

    fn file(&mut self, tree: &File) {
        let (scopes, unit) = (self.scopes, self.unit);
        for decl in scopes.decls.iter().filter(|d| d.unit == unit) {
            self.out.push(Occurrence {
                span: decl.span,
                target: decl.span,
                kind: kind_of(&decl.kind),
                name: Arc::clone(&decl.name),
            });
            for (part, kind) in members(&decl.kind) {
                self.push(part.span, part.span, kind, format!("{}.{}", decl.name, part.text));
            }
        }
        for item in &tree.items {
            self.params.clear();
            self.candidates.clear();
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Scale { ty, .. } => self.ty(ty),
            ItemKind::DefaultJudge(procedure) => self.procedure(procedure),
            ItemKind::Criterion(criterion) => {
                criterion.ty.iter().for_each(|ty| self.ty(ty));
                self.body(&criterion.body);
            }
            ItemKind::Checklist(list) => {
                list.from.iter().for_each(|path| self.path(path));
                self.body(&list.head);
                self.entries(&list.entries);
            }
            ItemKind::Node(node) => {
                node.ty.iter().for_each(|ty| self.ty(ty));
                self.expr(&node.expr);
                node.when.iter().for_each(|when| self.expr(&when.condition));
            }
            ItemKind::Define(define) => {
                for (name, ty) in &define.params {
                    self.push(name.span, name.span, Kind::Parameter, Arc::clone(&name.text));
                    self.ty(ty);
                }
                self.params = define.params.iter().map(|(name, _)| name.clone()).collect();
                self.ty(&define.ty);
                self.expr(&define.body);
                define.when.iter().for_each(|when| self.expr(&when.condition));
            }
            ItemKind::Readout(readout) => self.expr(&readout.expr),
            ItemKind::Observe(path) => self.path(path),
            ItemKind::Require(require) => {
                self.candidates = ["first", "second"].map(Arc::from).to_vec();
                match &require.kind {
                    RequireKind::Always(clauses) => {
                        for clause in clauses {
                            clause.when.iter().for_each(|when| self.expr(when));
                            self.expr(&clause.holds);
                        }
                    }
                    RequireKind::Property(_, expr) => self.expr(expr),
                    RequireKind::Error => {}
                }
            }
            ItemKind::Test(test) => {
                self.candidates =
                    test.givens.iter().filter_map(|g| g.candidate.as_ref()).map(|n| n.text.clone()).collect();
                test.givens.iter().flat_map(|g| &g.entries).for_each(|given| self.given(given));
                test.expects.iter().for_each(|expect| self.expr(&expect.condition));
            }
            ItemKind::Use { .. } | ItemKind::Field { .. } | ItemKind::Candidate { .. } | ItemKind::Error(_) => {}
        }
    }

    fn entries(&mut self, list: &[Entry]) {
        for entry in list {
            match &entry.kind {
                EntryKind::Group { head, entries, text, .. } => {
                    text.iter().for_each(|text| self.text(text));
                    self.body(head);
                    self.entries(entries);
                }
                EntryKind::Item { text, body, .. } => {
                    self.text(text);
                    self.body(body);
                }
                EntryKind::Error => {}
            }
        }
    }

    fn body(&mut self, body: &[BodyItem]) {
        for item in body {
            match &item.kind {
                BodyKind::Ask(text) | BodyKind::Level(_, text) => self.text(text),
                BodyKind::Example(entries) => {
                    // `judgment` and `because` are words of their own.
                    let own = |g: &&Given| !matches!(&*g.key.dotted(), "judgment" | "because");
                    entries.iter().filter(own).for_each(|g| self.path(&g.key));
                }
                BodyKind::Sees(paths) => paths.iter().for_each(|path| self.path(path)),
                BodyKind::Applies(procedure) | BodyKind::Judge(procedure) => self.procedure(procedure),
                BodyKind::Tag(..) | BodyKind::Error => {}
            }
        }
    }

    /// The holes of a text.
    fn text(&mut self, text: &Text) {
        if text.raw || text.holes.is_empty() {
            return;
        }
        for (start, inside) in holes(self.source.slice(text.span)) {
            let lead = inside.len() - inside.trim_start().len();
            let mut at = text.span.start as usize + start + lead;
            let mut parts = Vec::new();
            for word in inside.trim().split('.') {
                let span = Span::new(text.span.file, at, at + word.len());
                parts.push(Name { text: word.into(), span });
                at += word.len() + 1;
            }
            self.parts(&parts);
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        if &*procedure.word.text == "rule" {
            procedure.args.iter().for_each(|arg| self.expr(&arg.value));
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        if let TypeKind::Named(path) = &ty.kind {
            self.path(path);
        }
    }

    fn path(&mut self, path: &Path) {
        self.parts(&path.parts);
    }

    /// What a path means, part by part; silent about what is unknown.
    fn parts(&mut self, parts: &[Name]) {
        let Some(first) = parts.first() else { return };
        if let Some(param) = self.params.iter().find(|p| p.text == first.text).cloned() {
            self.push(first.span, param.span, Kind::Parameter, param.text);
            return;
        }
        let mut unit = self.unit;
        let mut rest = parts;
        while let Some((name, more)) = rest.split_first() {
            let Some(id) = self.find(unit, name) else {
                // `a.final`: the candidate of a test says whose.
                if rest.len() == parts.len() && self.candidates.contains(&name.text) && !more.is_empty() {
                    rest = more;
                    continue;
                }
                return;
            };
            let Some(decl) = self.scopes.get(id) else { return };
            self.push(name.span, decl.span, kind_of(&decl.kind), Arc::clone(&decl.name));
            match decl.kind {
                DeclKind::Alias(Some(library)) => {
                    unit = library;
                    rest = more;
                }
                _ => {
                    let Some(part) = more.first() else { return };
                    let member = members(&decl.kind).into_iter().find(|(name, _)| name.text == part.text);
                    if let Some((name, kind)) = member {
                        self.push(part.span, name.span, kind, format!("{}.{}", decl.name, name.text));
                    }
                    return;
                }
            }
        }
    }

    fn find(&self, unit: usize, name: &Name) -> Option<DeclId> {
        match self.scopes.lookup(unit, std::slice::from_ref(name)) {
            Lookup::Found(id, _) => Some(id),
            _ => None,
        }
    }

    fn given(&mut self, given: &Given) {
        self.path(&given.key);
        // The items of a checklist that are met.
        let list = given.key.parts.first().and_then(|n| self.find(self.unit, n)).and_then(|id| self.scopes.get(id));
        let (Some(list), ExprKind::List(met)) = (list, &given.value.kind) else { return };
        let found = members(&list.kind);
        for word in met.iter().filter_map(Expr::word) {
            if let Some((name, kind)) = found.iter().find(|(name, _)| name.text == word.text) {
                self.push(word.span, name.span, *kind, format!("{}.{}", list.name, name.text));
            }
        }
    }

    /// As deep as expressions nest, which the parser bounds.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Path(path) | ExprKind::Index(path, _) => self.path(path),
            ExprKind::Type(ty) => self.ty(ty),
            ExprKind::Call { callee, args, table } => self.call(callee, args, table.as_deref()),
            ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Binary(op, _, left, right) => {
                let compares = !matches!(
                    op,
                    BinaryOp::Add
                        | BinaryOp::Subtract
                        | BinaryOp::Multiply
                        | BinaryOp::Divide
                        | BinaryOp::And
                        | BinaryOp::Or
                );
                for (side, other) in [(left, right), (right, left)] {
                    if !(compares && self.is_label(side, other)) {
                        self.expr(side);
                    }
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::List(parts) => parts.iter().for_each(|part| self.expr(part)),
            _ => {}
        }
    }

    fn call(&mut self, callee: &Path, args: &[Arg], table: Option<&Table>) {
        self.path(callee);
        let word = callee.dotted();
        for arg in args {
            let words = arg.name.as_ref().map_or(&[][..], |name| parameter_words(&word, &name.text));
            let is_word = arg.value.word().is_some_and(|w| words.contains(&&*w.text));
            if !is_word {
                self.expr(&arg.value);
            }
        }
        for arm in table.iter().flat_map(|t| &t.arms) {
            // The keys of `decide` are conditions, those of `map` labels; a bare word behind an arrow is a label.
            if let ArmKey::Expr(key) = &arm.key
                && word != "map"
            {
                self.expr(key);
            }
            if arm.value.word().is_none() {
                self.expr(&arm.value);
            }
        }
    }

    /// Whether a side of a comparison is a label of what stands on the other.
    fn is_label(&self, side: &Expr, other: &Expr) -> bool {
        let (Some(word), ExprKind::Path(path)) = (side.word(), &other.bare().kind) else { return false };
        let decl = path.parts.last().and_then(|name| self.find(self.unit, name)).and_then(|id| self.scopes.get(id));
        let Some(decl) = decl else { return false };
        labels(self.scopes, decl.unit, &decl.kind).iter().any(|label| **label == *word.text)
    }
}

/// The words that a parameter of an operator or readout takes.
#[must_use]
pub fn parameter_words(callee: &str, parameter: &str) -> &'static [&'static str] {
    let of_op = Op::called(callee).and_then(|op| op.info().param(parameter));
    let of_readout = || readouts::readout(callee).and_then(|r| r.params.iter().find(|p| p.name == parameter));
    of_op.or_else(of_readout).map_or(&[], |p| p.words)
}

/// The labels of what a declaration gives: of a criterion's type, or of a readout's bands.
pub(super) fn labels(scopes: &Scopes<'_>, unit: usize, kind: &DeclKind<'_>) -> Vec<Arc<str>> {
    let ty = match kind {
        DeclKind::Criterion(criterion) => criterion.ty.as_ref(),
        DeclKind::Node(node) => node.ty.as_ref(),
        DeclKind::Scale(ty) => Some(*ty),
        DeclKind::Readout(readout) => {
            let ExprKind::Call { table: Some(table), .. } = &readout.expr.kind else { return Vec::new() };
            return table.arms.iter().filter_map(|arm| arm.value.word()).map(|w| Arc::clone(&w.text)).collect();
        }
        _ => None,
    };
    match ty.map(|ty| &ty.kind) {
        Some(TypeKind::Labels { labels, .. }) => labels.iter().map(|l| Arc::clone(&l.text)).collect(),
        Some(TypeKind::Named(path)) => match scopes.lookup(unit, &path.parts) {
            Lookup::Found(id, _) => match scopes.get(id).map(|d| d.kind) {
                Some(DeclKind::Scale(TypeExpr { kind: TypeKind::Labels { labels, .. }, .. })) => {
                    labels.iter().map(|l| Arc::clone(&l.text)).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The labels of what a name of the file gives.
#[must_use]
pub fn labels_of(snapshot: &Snapshot, name: &str) -> Vec<Arc<str>> {
    let mut sink = Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    let decl = scopes.decls.iter().find(|d| &*d.name == name);
    decl.map(|d| labels(&scopes, d.unit, &d.kind)).unwrap_or_default()
}

/// What stands inside a declaration of the file: items, groups, fields of the candidate.
#[must_use]
pub fn members_of(snapshot: &Snapshot, name: &str) -> Vec<(Name, Kind)> {
    let mut sink = Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    scopes.decls.iter().find(|d| &*d.name == name).map(|d| members(&d.kind)).unwrap_or_default()
}

/// The insides of the `{{…}}` of a literal as written, with their places in it.
fn holes(literal: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = literal.get(at..) {
        let Some(next) = rest.find(['\\', '{']) else { break };
        at += next;
        let tail = literal.get(at..).unwrap_or("");
        if tail.starts_with('\\') {
            at += 1 + tail.chars().nth(1).map_or(1, char::len_utf8);
        } else if let Some(inside) = tail.strip_prefix("{{") {
            let Some(end) = inside.find("}}") else { break };
            found.push((at + 2, inside.get(..end).unwrap_or("")));
            at += 2 + end + 2;
        } else {
            at += 1;
        }
    }
    found
}
