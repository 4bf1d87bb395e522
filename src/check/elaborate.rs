//! The elaborator: turns declarations into nodes, each once, in an order in which every node follows what it reads.
//!
//! [`crate::resolve::depend`] gives the order, so that no chain of declarations recurses. Where a name turned out to mean a
//! node after all, although it could have been a label, its declaration is elaborated on the spot, to a bounded depth.
//! What is in error becomes [`State::Failed`], and whoever reads it is silent about it.

use super::bundle::Bundle;
use super::criteria::{self, Surroundings};
use super::lower::{Env, Lowered, Naming, Place};
use crate::catalog::typing::Argument;
use crate::catalog::{NodeId, Op};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::graph::{self, FieldId, Node, NodeKind};
use crate::resolve::fields::Fields;
use crate::resolve::scope::{Decl, DeclId, DeclKind, Scopes};
use crate::resolve::types::{resolve_type, unknown_type};
use crate::rules;
use crate::source::Span;
use crate::source::files::Files;
use crate::syntax::ast::{self, TypeKind};
use crate::types::Type;
use foldhash::{HashMap, HashSet};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// How deep declarations may be elaborated on the spot and definitions unfold, expressions within each other included: a
/// little more than the parser lets a single expression nest.
pub(super) const MOST_NESTED: usize = crate::syntax::ast::MOST_DEPTH as usize + 10;

/// What has become of a declaration.
#[derive(Debug, Clone)]
pub(super) enum State {
    Waiting,
    Active,
    Node(NodeId),
    /// Index into [`Elaborator::bundles`].
    Bundle(usize),
    Scale(Type),
    /// A sound `define`.
    Define,
    /// A field, an alias, a readout: whoever asks finds it elsewhere.
    Other,
    Failed,
}

/// The work in progress.
pub(super) struct Elaborator<'a> {
    pub files: &'a Files,
    pub scopes: &'a Scopes<'a>,
    pub fields: &'a Fields,
    pub sink: Sink,
    pub nodes: Vec<Node>,
    /// Nodes that only served to check a `define`.
    pub scratch: Vec<bool>,
    pub states: Vec<State>,
    pub bundles: Vec<Bundle>,
    /// Whether nodes that are made now are scratch.
    pub sketching: bool,
    /// Nesting of expressions, defines and declarations that are being elaborated.
    pub depth: usize,
    /// Nodes made by unfolding defines.
    pub unfolded: usize,
    /// Unknown names for which a similar one has been looked for.
    pub suggested: Cell<usize>,
    /// Names of the program that unknown ones most likely mean: they count as used.
    pub meant: RefCell<HashSet<String>>,
    names: HashSet<Arc<str>>,
    implied: HashMap<FieldId, Option<NodeId>>,
    active: Vec<DeclId>,
}

impl<'a> Elaborator<'a> {
    pub fn new(files: &'a Files, scopes: &'a Scopes<'a>, fields: &'a Fields, sink: Sink) -> Elaborator<'a> {
        Elaborator {
            files,
            scopes,
            fields,
            sink,
            nodes: Vec::with_capacity(scopes.decls.len()),
            scratch: Vec::new(),
            states: vec![State::Waiting; scopes.decls.len()],
            bundles: Vec::new(),
            sketching: false,
            depth: 0,
            unfolded: 0,
            suggested: Cell::new(0),
            meant: RefCell::default(),
            names: HashSet::default(),
            implied: HashMap::default(),
            active: Vec::new(),
        }
    }

    /// The state of a declaration, which is elaborated now if it has to be.
    pub fn ensure(&mut self, id: DeclId) -> State {
        match self.states.get(id.0) {
            Some(State::Waiting) if self.depth < MOST_NESTED => {
                let sketching = std::mem::replace(&mut self.sketching, false);
                self.elaborate(id);
                self.sketching = sketching;
                self.states.get(id.0).cloned().unwrap_or(State::Failed)
            }
            Some(State::Waiting | State::Active) => {
                self.circle(id);
                State::Failed
            }
            Some(state) => state.clone(),
            None => State::Failed,
        }
    }

    /// A declaration needs itself by way of those that are being elaborated.
    fn circle(&mut self, id: DeclId) {
        let from = self.active.iter().position(|a| *a == id).unwrap_or(0);
        let circle: Vec<DeclId> = self.active.get(from..).unwrap_or_default().to_vec();
        self.report_circle(&circle);
    }

    /// Reports declarations that need each other, from the earliest one on, and gives them up.
    pub fn report_circle(&mut self, circle: &[DeclId]) {
        let first = circle.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(at, _)| at);
        let decls: Vec<&Decl<'a>> =
            circle.iter().cycle().skip(first).take(circle.len()).filter_map(|id| self.scopes.get(*id)).collect();
        let Some(start) = decls.first() else { return };
        let way: Vec<String> = decls.iter().chain([start]).map(|d| format!("`{}`", d.name)).collect();
        let headline = match decls.as_slice() {
            [only] => format!("`{}` needs itself", only.name),
            _ => format!("these need each other in a circle: {}", way.join(" → ")),
        };
        let text = |at: usize| match way.get(at + 1) {
            Some(next) => format!("needs {next}"),
            None => String::new(),
        };
        let mut found = Diagnostic::error(Code::CYCLE, start.span, headline, text(0))
            .help("a score is computed from judgments, step by step: let one of them read something else");
        for (at, decl) in decls.iter().enumerate().skip(1).take(20) {
            found = found.also(decl.span, text(at));
        }
        self.sink.push(found);
        for id in circle {
            self.set(*id, State::Failed);
        }
    }

    pub fn set(&mut self, id: DeclId, state: State) {
        if let Some(s) = self.states.get_mut(id.0) {
            *s = state;
        }
    }

    /// Elaborates a declaration that waits.
    pub fn elaborate(&mut self, id: DeclId) {
        if !matches!(self.states.get(id.0), Some(State::Waiting)) {
            return;
        }
        let Some(decl) = self.scopes.get(id) else { return };
        self.set(id, State::Active);
        self.active.push(id);
        self.depth += 1;
        let state = self.declaration(decl);
        self.depth -= 1;
        self.active.pop();
        // A circle that was found on the way has failed it already.
        if matches!(self.states.get(id.0), Some(State::Active)) {
            self.set(id, state);
        }
    }

    fn declaration(&mut self, decl: &'a Decl<'a>) -> State {
        match decl.kind {
            DeclKind::Scale(ty) => self.ty(decl.unit, ty).map_or(State::Failed, State::Scale),
            DeclKind::Criterion(criterion) => self.criterion(decl, criterion),
            DeclKind::Checklist(checklist) => self.checklist(decl, checklist),
            DeclKind::Node(node) => self.node(decl, node),
            DeclKind::Define(define) => self.define(decl, define),
            DeclKind::Field(..) | DeclKind::Candidate(_) | DeclKind::Alias(Some(_)) | DeclKind::Readout(_) => {
                State::Other
            }
            DeclKind::Alias(None) | DeclKind::Broken => State::Failed,
        }
    }

    /// A type as written in a unit. `None` where it is in error, which has been reported.
    pub fn ty(&mut self, unit: usize, expr: &ast::TypeExpr) -> Option<Type> {
        if !self.names_a_type(unit, expr) {
            return None;
        }
        let scales = |name: &str| scale(self.scopes, &self.states, unit, name);
        resolve_type(expr, &scales, &mut self.sink)
    }

    /// Whether a type that is a name names a sound scale (or `bool` and the like, which others look at). If not, that has
    /// been reported.
    fn names_a_type(&mut self, unit: usize, expr: &ast::TypeExpr) -> bool {
        use crate::resolve::scope::Lookup;
        let TypeKind::Named(path) = &expr.kind else { return true };
        let name = path.dotted();
        if crate::resolve::types::TYPE_WORDS.contains(&name.as_str()) {
            return true;
        }
        match self.scopes.lookup(unit, &path.parts) {
            Lookup::Silent => false,
            Lookup::Unknown(_, within) => {
                let near = self.scopes.names(within, |kind| matches!(kind, DeclKind::Scale(_)));
                let found = unknown_type(&name, path.span, near.into_iter());
                self.sink.push(found);
                false
            }
            Lookup::Found(id, []) if self.scopes.get(id).is_some_and(|d| matches!(d.kind, DeclKind::Scale(_))) => {
                matches!(self.ensure(id), State::Scale(_))
            }
            Lookup::Found(id, _) => {
                let decl = self.scopes.get(id);
                let mut found = Diagnostic::error(
                    Code::WRONG_KIND,
                    path.span,
                    format!("`{name}` is no type"),
                    decl.map_or("", |d| d.kind.words()),
                )
                .help("a type is `bool`, `int[1..5]`, …, or the name of a `scale`");
                if let Some(decl) = decl {
                    found = found.also(decl.span, "declared here");
                }
                self.sink.push(found);
                false
            }
        }
    }

    fn criterion(&mut self, decl: &'a Decl<'a>, criterion: &'a ast::Criterion) -> State {
        if let Some(ty) = &criterion.ty
            && !self.names_a_type(decl.unit, ty)
        {
            return State::Failed;
        }
        let unit = decl.unit;
        let judge = self.scopes.scopes.get(unit).and_then(|s| s.default_judge);
        let (scopes, states) = (self.scopes, &self.states);
        let scales = move |name: &str| scale(scopes, states, unit, name);
        let files = self.files;
        let read = move |span: Span, path: &str| read_beside(files, span, path);
        let silent = move |name: &str| is_silent(scopes, unit, name);
        let rules = rules::Scope::JUDGE.with_files(&read).with_scales(&scales).with_silent(&silent);
        let mut around = Surroundings::new(&self.fields.list, &scales, judge, rules, &mut self.sink);
        let Some((criterion, ty)) = criteria::criterion(&mut around, criterion) else { return State::Failed };
        let doc = doc(decl.item.doc.as_ref());
        State::Node(self.leaf(&decl.name, doc, ty, criterion, decl.span))
    }

    fn checklist(&mut self, decl: &'a Decl<'a>, checklist: &'a ast::Checklist) -> State {
        if let Some(ty) = &checklist.ty
            && !self.names_a_type(decl.unit, ty)
        {
            return State::Failed;
        }
        let unit = decl.unit;
        let judge = self.scopes.scopes.get(unit).and_then(|s| s.default_judge);
        let (scopes, states) = (self.scopes, &self.states);
        let scales = move |name: &str| scale(scopes, states, unit, name);
        let index = self.bundles.len();
        let files = self.files;
        let read = move |span: Span, path: &str| read_beside(files, span, path);
        let silent = move |name: &str| is_silent(scopes, unit, name);
        let rules = rules::Scope::JUDGE.with_files(&read).with_scales(&scales).with_silent(&silent);
        let mut sink = Sink::new();
        let mut around = Surroundings::new(&self.fields.list, &scales, judge, rules, &mut sink);
        let draft = criteria::checklist(&mut around, checklist, index);
        let faulty = sink.has_errors();
        sink.finish().into_iter().for_each(|found| self.sink.push(found));
        if checklist.from.is_some() && draft.from.is_none() {
            return State::Failed;
        }
        let prefix = self.scopes.scopes.get(unit).map_or("", |s| s.unit.prefix.as_str());
        let bundle = Bundle::new(Arc::clone(&decl.name), doc(decl.item.doc.as_ref()), draft, prefix, decl.span, faulty);
        self.bundles.push(bundle);
        self.bundle_nodes(index, unit == 0);
        State::Bundle(index)
    }

    fn node(&mut self, decl: &'a Decl<'a>, node: &'a ast::Node) -> State {
        let written = match &node.ty {
            Some(ty) => match self.ty(decl.unit, ty) {
                Some(ty) => Some(ty),
                None => {
                    self.look_through(decl.unit, node);
                    return State::Failed;
                }
            },
            None => None,
        };
        let before = self.nodes.len();
        let env = Env::of(decl.unit);
        let place = Place {
            naming: Naming::Own(&decl.name),
            written: written.as_ref(),
            written_span: node.ty.as_ref().map(|ty| ty.span),
            doc: decl.item.doc.as_ref().map(|d| &d.text),
            span: Some(decl.span),
            inner: None,
        };
        let lowered = self.lower_root(&env, &node.expr, node.when.as_ref(), place);
        match lowered {
            Lowered::Error => State::Failed,
            Lowered::Node(id) if self.nodes.get(id.index()).is_some_and(|n| n.name == decl.name) => {
                self.family(node, id, before);
                State::Node(id)
            }
            Lowered::Bundle(part) => {
                let found = self.bundle_here(&part, node.expr.span);
                self.sink.push(found);
                State::Failed
            }
            other => {
                let found = self.nothing_new(node, &other);
                self.sink.push(found);
                State::Failed
            }
        }
    }

    /// The names that are wrong in a node whose written type is in error. (What else is wrong may only follow from that.)
    fn look_through(&mut self, unit: usize, node: &'a ast::Node) {
        let outer = std::mem::take(&mut self.sink);
        let sketching = std::mem::replace(&mut self.sketching, true);
        self.lower_root(&Env::of(unit), &node.expr, node.when.as_ref(), Place::of(Naming::Own(&node.name.text)));
        self.sketching = sketching;
        let found = std::mem::replace(&mut self.sink, outer).finish();
        for diagnostic in found.into_iter().filter(|d| (200..300).contains(&d.code.0)) {
            self.sink.push(diagnostic);
        }
    }

    /// Adds a node and gives it a name that no other has.
    pub fn push(&mut self, name: Arc<str>, doc: Arc<str>, ty: Type, kind: NodeKind, span: Span) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let name = if self.sketching { name } else { self.fresh(name) };
        self.nodes.push(Node { name, doc, ty, kind, span });
        self.scratch.push(self.sketching);
        id
    }

    fn fresh(&mut self, name: Arc<str>) -> Arc<str> {
        if self.names.insert(Arc::clone(&name)) {
            return name;
        }
        let mut number = 2_usize;
        loop {
            let other: Arc<str> = format!("{name}.{number}").into();
            if self.names.insert(Arc::clone(&other)) {
                return other;
            }
            number += 1;
        }
    }

    /// Adds a criterion node.
    pub fn leaf(
        &mut self,
        name: &Arc<str>,
        doc: Arc<str>,
        ty: Type,
        criterion: graph::Criterion,
        span: Span,
    ) -> NodeId {
        self.push(Arc::clone(name), doc, ty, NodeKind::Criterion(Box::new(criterion)), span)
    }

    /// The node of a `flag` field: a rule that nobody declared, one for all that read the field.
    pub fn flag(&mut self, id: FieldId) -> Option<NodeId> {
        if let Some(known) = self.implied.get(&id) {
            return *known;
        }
        let field = self.fields.get(id)?.clone();
        let decl = self.fields.decls.get(id.0 as usize).and_then(|d| self.scopes.get(*d));
        let span = decl.map(|d| d.span).unwrap_or_default();
        let expr = field_expr(&field.name, span);
        let ty = Type::BOOL.with_optional(field.optional);
        let sketching = std::mem::replace(&mut self.sketching, false);
        let node = self.implied_rule(&expr, ty, &field.name, Arc::clone(&field.doc), span);
        self.sketching = sketching;
        self.implied.insert(id, node);
        node
    }

    /// A criterion that a rule over fields answers and that nobody declared.
    pub fn implied_rule(
        &mut self,
        expr: &ast::Expr,
        ty: Type,
        name: &Arc<str>,
        doc: Arc<str>,
        span: Span,
    ) -> Option<NodeId> {
        let rule = rules::compile(expr, &self.fields.list, Some(&ty), rules::Scope::JUDGE, &mut self.sink)?;
        let sees = rule.fields.iter().filter_map(|name| self.fields.find(name)).collect();
        let criterion = graph::Criterion {
            ty: ty.clone(),
            origin: graph::Origin::Implied,
            ask: graph::Template::default(),
            levels: Vec::new(),
            examples: Vec::new(),
            sees,
            sees_written: true,
            applies: None,
            procedure: graph::Procedure::Rule(rule),
            tags: Vec::new(),
        };
        Some(self.leaf(name, doc, ty, criterion, span))
    }

    /// A node as an argument.
    pub fn argument(&self, id: NodeId) -> Argument {
        match self.nodes.get(id.index()) {
            Some(node) => Argument::Node { id, ty: node.ty.clone(), name: self.called(node) },
            None => Argument::Error,
        }
    }

    /// What messages call a node: the name that the author gave it, or, of a part of an expression, what stands there.
    fn called(&self, node: &Node) -> Arc<str> {
        const MOST: usize = 40;
        let NodeKind::Operator(_) = &node.kind else { return Arc::clone(&node.name) };
        let own = node.name.rsplit('.').next().unwrap_or_default();
        let written = self.text(node.span);
        // A declared node stands where its name is written.
        if written.is_empty() || written == own {
            return Arc::clone(&node.name);
        }
        let mut shown = String::new();
        for (at, word) in written.split_whitespace().enumerate() {
            if at > 0 {
                shown.push(' ');
            }
            shown.push_str(word);
            if shown.chars().nth(MOST).is_some() {
                return shown.chars().take(MOST).chain(['…']).collect::<String>().into();
            }
        }
        shown.into()
    }

    pub fn type_of(&self, id: NodeId) -> Option<&Type> {
        self.nodes.get(id.index()).map(|n| &n.ty)
    }

    /// The operator of a node, if it has one.
    pub fn op_of(&self, id: NodeId) -> Option<Op> {
        match self.nodes.get(id.index()).map(|n| &n.kind) {
            Some(NodeKind::Operator(operation)) => Some(operation.op),
            _ => None,
        }
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.files.get(span.file).map_or("", |source| source.slice(span))
    }
}

/// The type of a scale that has been elaborated.
fn scale(scopes: &Scopes<'_>, states: &[State], unit: usize, name: &str) -> Option<Type> {
    use crate::resolve::scope::Lookup;
    let parts: Vec<ast::Name> =
        name.split('.').map(|part| ast::Name { text: part.into(), span: Span::default() }).collect();
    let Lookup::Found(id, []) = scopes.lookup(unit, &parts) else { return None };
    match states.get(id.0) {
        Some(State::Scale(ty)) => Some(ty.clone()),
        _ => None,
    }
}

/// Whether nothing more is to be said about a name: it is in error already.
fn is_silent(scopes: &Scopes<'_>, unit: usize, name: &str) -> bool {
    use crate::resolve::scope::Lookup;
    let first = name.split('.').next().unwrap_or(name);
    let word = ast::Name { text: first.into(), span: Span::default() };
    matches!(scopes.lookup(unit, std::slice::from_ref(&word)), Lookup::Silent)
}

/// The text of a file that a rule names, relative to the file that the rule stands in and inside the project.
fn read_beside(files: &Files, span: Span, path: &str) -> Result<String, String> {
    // A copy, since the file is no part of the program; texts are shared, so it is cheap.
    let mut files = files.clone();
    let id = files.use_file(span.file, path).map_err(|error| error.to_string())?;
    files.get(id).map(|source| source.text().to_owned()).ok_or_else(|| format!("`{path}` could not be read"))
}

/// A field as an expression.
pub(super) fn field_expr(name: &str, span: Span) -> ast::Expr {
    let parts = name.split('.').map(|part| ast::Name { text: part.into(), span }).collect();
    ast::Expr { kind: ast::ExprKind::Path(ast::Path { parts, span }), span, depth: 0 }
}

pub(super) fn doc(doc: Option<&ast::Doc>) -> Arc<str> {
    doc.map_or_else(|| Arc::from(""), |d| Arc::clone(&d.text))
}
