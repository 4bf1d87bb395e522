//! Which declaration needs which, and the order in which they can be elaborated.
//!
//! A word that is also a label somewhere may mean either, depending on types that are not known yet (`hostile` in
//! `stance == hostile`). What depends on such a word alone is a *soft* edge: it orders where it can, but never makes a circle.
//! Circles of other edges are errors whatever the types are. Everything is linear, and only expressions (whose depth the
//! parser bounds) are walked by recursion.

use super::scope::{Decl, DeclId, DeclKind, Lookup, Scopes};
use crate::graph::validate::cycles;
use crate::syntax::ast::{ArmKey, Expr, ExprKind, ItemKind, Name, TypeExpr, TypeKind, When};
use foldhash::HashSet;

/// The order of elaboration.
#[derive(Debug, Default)]
pub struct Order {
    /// What the first unit declares and all that it needs, each after what it needs (as far as there is no circle).
    pub order: Vec<DeclId>,
    /// One whole circle of every knot, from its first declaration.
    pub circles: Vec<Vec<DeclId>>,
}

/// What an expression needs.
pub struct Walk<'s, 'a> {
    scopes: &'s Scopes<'a>,
    labels: HashSet<&'a str>,
}

impl<'s, 'a> Walk<'s, 'a> {
    #[must_use]
    pub fn new(scopes: &'s Scopes<'a>) -> Walk<'s, 'a> {
        let mut labels = HashSet::default();
        for decl in &scopes.decls {
            match decl.kind {
                DeclKind::Scale(ty) => labels_of_type(ty, &mut labels),
                DeclKind::Criterion(c) => c.ty.iter().for_each(|ty| labels_of_type(ty, &mut labels)),
                DeclKind::Define(d) => {
                    labels_of_type(&d.ty, &mut labels);
                    d.params.iter().for_each(|(_, ty)| labels_of_type(ty, &mut labels));
                    labels_of_tables(&d.body, &mut labels);
                }
                DeclKind::Node(n) => {
                    n.ty.iter().for_each(|ty| labels_of_type(ty, &mut labels));
                    labels_of_tables(&n.expr, &mut labels);
                }
                _ => {}
            }
        }
        Walk { scopes, labels }
    }

    /// What a declaration needs: (declaration, whether the edge is soft).
    #[must_use]
    pub fn needs(&self, decl: &Decl<'a>) -> Vec<(DeclId, bool)> {
        let mut found = Vec::new();
        let (unit, out) = (decl.unit, &mut found);
        match decl.kind {
            DeclKind::Scale(ty) => self.ty(unit, ty, out),
            DeclKind::Criterion(c) => c.ty.iter().for_each(|ty| self.ty(unit, ty, out)),
            DeclKind::Checklist(c) => c.ty.iter().for_each(|ty| self.ty(unit, ty, out)),
            DeclKind::Node(n) => {
                n.ty.iter().for_each(|ty| self.ty(unit, ty, out));
                self.expr(unit, &n.expr, &[], out);
                self.when(unit, n.when.as_ref(), &[], out);
            }
            DeclKind::Define(d) => {
                self.ty(unit, &d.ty, out);
                d.params.iter().for_each(|(_, ty)| self.ty(unit, ty, out));
                let params: Vec<&str> = d.params.iter().map(|(name, _)| &*name.text).collect();
                self.expr(unit, &d.body, &params, out);
                self.when(unit, d.when.as_ref(), &params, out);
            }
            _ => {}
        }
        found
    }

    /// What an expression of a unit needs.
    #[must_use]
    pub fn needs_of(&self, unit: usize, expr: &Expr) -> Vec<DeclId> {
        let mut found = Vec::new();
        self.expr(unit, expr, &[], &mut found);
        found.into_iter().map(|(id, _)| id).collect()
    }

    fn when(&self, unit: usize, when: Option<&When>, params: &[&str], out: &mut Vec<(DeclId, bool)>) {
        if let Some(when) = when {
            self.expr(unit, &when.condition, params, out);
        }
    }

    fn ty(&self, unit: usize, ty: &TypeExpr, out: &mut Vec<(DeclId, bool)>) {
        if let TypeKind::Named(path) = &ty.kind {
            self.path(unit, &path.parts, &[], out);
        }
    }

    fn path(&self, unit: usize, parts: &[Name], params: &[&str], out: &mut Vec<(DeclId, bool)>) {
        let alone = match parts {
            [word] => Some(&*word.text),
            _ => None,
        };
        if alone.is_some_and(|word| params.contains(&word)) {
            return;
        }
        if let Lookup::Found(id, _) = self.scopes.lookup(unit, parts) {
            out.push((id, alone.is_some_and(|word| self.labels.contains(word))));
        }
    }

    fn expr(&self, unit: usize, expr: &Expr, params: &[&str], out: &mut Vec<(DeclId, bool)>) {
        match &expr.kind {
            ExprKind::Path(path) | ExprKind::Index(path, _) => self.path(unit, &path.parts, params, out),
            ExprKind::Type(ty) => self.ty(unit, ty, out),
            ExprKind::Call { callee, args, table } => {
                if let Lookup::Found(id, _) = self.scopes.lookup(unit, &callee.parts)
                    && self.scopes.get(id).is_some_and(|d| matches!(d.kind, DeclKind::Define(_)))
                {
                    out.push((id, false));
                }
                for arg in args {
                    self.expr(unit, &arg.value, params, out);
                }
                for arm in table.iter().flat_map(|t| &t.arms) {
                    if let ArmKey::Expr(key) = &arm.key {
                        self.expr(unit, key, params, out);
                    }
                }
            }
            ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => self.expr(unit, inner, params, out),
            ExprKind::Binary(_, _, left, right) => {
                self.expr(unit, left, params, out);
                self.expr(unit, right, params, out);
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expr(unit, condition, params, out);
                self.expr(unit, then, params, out);
                self.expr(unit, otherwise, params, out);
            }
            ExprKind::List(list) => list.iter().for_each(|e| self.expr(unit, e, params, out)),
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Unknown | ExprKind::Error => {}
        }
    }

    /// The order of elaboration of everything that the first unit declares.
    #[must_use]
    pub fn order(&self) -> Order {
        let decls = &self.scopes.decls;
        let needs: Vec<Vec<(DeclId, bool)>> = decls.iter().map(|d| self.needs(d)).collect();
        let hard: Vec<Vec<usize>> =
            needs.iter().map(|list| list.iter().filter(|(_, soft)| !soft).map(|(id, _)| id.0).collect()).collect();
        let circles = cycles(&hard).into_iter().map(|c| c.into_iter().map(DeclId).collect()).collect();
        let mut order = Order { order: Vec::with_capacity(decls.len()), circles };
        let mut seen = vec![false; decls.len()];
        let mut stack: Vec<(usize, usize)> = Vec::new();
        let own = decls.iter().enumerate().filter(|(_, d)| d.unit == 0).map(|(at, _)| at);
        // What only readouts and the like ask for of a library comes after it all.
        let items = self.scopes.scopes.first().map_or(&[][..], |s| &s.unit.tree.items);
        let asked = items.iter().flat_map(|item| self.asked(item)).map(|id| id.0);
        for root in own.chain(asked) {
            visit(root, &mut seen, &mut stack);
            while let Some((at, next)) = stack.pop() {
                match needs.get(at).and_then(|list| list.get(next)) {
                    Some((id, _)) => {
                        stack.push((at, next + 1));
                        visit(id.0, &mut seen, &mut stack);
                    }
                    None => order.order.push(DeclId(at)),
                }
            }
        }
        order
    }

    /// What a readout or an `observe` asks for.
    fn asked(&self, item: &'a crate::syntax::ast::Item) -> Vec<DeclId> {
        let mut found = Vec::new();
        match &item.kind {
            ItemKind::Readout(readout) => self.expr(0, &readout.expr, &[], &mut found),
            ItemKind::Observe(path) => self.path(0, &path.parts, &[], &mut found),
            _ => {}
        }
        found.into_iter().map(|(id, _)| id).collect()
    }
}

fn visit(at: usize, seen: &mut [bool], stack: &mut Vec<(usize, usize)>) {
    if let Some(s) = seen.get_mut(at)
        && !*s
    {
        *s = true;
        stack.push((at, 0));
    }
}

fn labels_of_type<'a>(ty: &'a TypeExpr, out: &mut HashSet<&'a str>) {
    if let TypeKind::Labels { labels, .. } = &ty.kind {
        out.extend(labels.iter().map(|l| &*l.text));
    }
}

/// The words on the right of `=>`: `bands` makes labels of them.
fn labels_of_tables<'a>(expr: &'a Expr, out: &mut HashSet<&'a str>) {
    match &expr.kind {
        ExprKind::Call { args, table, .. } => {
            args.iter().for_each(|arg| labels_of_tables(&arg.value, out));
            for arm in table.iter().flat_map(|t| &t.arms) {
                out.extend(arm.value.word().map(|w| &*w.text));
                if let ArmKey::Expr(key) = &arm.key {
                    labels_of_tables(key, out);
                }
            }
        }
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => labels_of_tables(inner, out),
        ExprKind::Binary(_, _, left, right) => {
            labels_of_tables(left, out);
            labels_of_tables(right, out);
        }
        ExprKind::If { condition, then, otherwise } => {
            for part in [condition, then, otherwise] {
                labels_of_tables(part, out);
            }
        }
        ExprKind::List(list) => list.iter().for_each(|e| labels_of_tables(e, out)),
        _ => {}
    }
}
