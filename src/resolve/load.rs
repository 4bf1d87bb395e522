//! The files of a program: parsed, with the libraries that `use` brings in.
//!
//! Every file is parsed once, breadth first, however often it is used, so that a library reached on two ways is one library
//! and its criteria are asked once. It is called by the shortest way from the program (`a.`, `a.b.`).

use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::graph::validate::cycles;
use crate::source::files::Files;
use crate::source::{FileId, Span};
use crate::syntax::{self, ast};
use foldhash::HashMap;

/// A parsed file.
#[derive(Debug)]
pub struct Unit {
    pub file: FileId,
    pub tree: ast::File,
    /// What stands before its names in the program: empty for the program itself, else `alias.`.
    pub prefix: String,
    /// Alias, its span, and the unit that it stands for (`None`: could not be read, which has been reported).
    pub uses: Vec<(ast::Name, Option<usize>)>,
    /// Where it was first used.
    pub brought: Option<Span>,
}

/// Parses `root` and everything that it uses. The first unit is `root`.
pub fn load(files: &mut Files, root: FileId, sink: &mut Sink) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut index: HashMap<FileId, usize> = HashMap::default();
    let mut paths: Vec<Vec<(usize, Span)>> = Vec::new();
    let Some(source) = files.get(root) else { return units };
    let tree = syntax::parse(source, sink);
    units.push(Unit { file: root, tree, prefix: String::new(), uses: Vec::new(), brought: None });
    index.insert(root, 0);
    let mut at = 0;
    while at < units.len() {
        let mut uses = Vec::new();
        let mut edges = Vec::new();
        let (file, prefix, written) = match units.get(at) {
            Some(unit) => (unit.file, unit.prefix.clone(), written_uses(&unit.tree)),
            None => break,
        };
        for (path, alias) in written {
            let target = match files.use_file(file, &path.value) {
                Ok(id) => id,
                Err(error) => {
                    sink.push(
                        Diagnostic::error(Code::USE_FILE, path.span, error.to_string(), "brought in here")
                            .help(error.what_to_do()),
                    );
                    uses.push((alias, None));
                    continue;
                }
            };
            let unit = match index.get(&target) {
                Some(unit) => Some(*unit),
                None => match library(files, target, &path, sink) {
                    Some(tree) => {
                        index.insert(target, units.len());
                        let prefix = format!("{prefix}{}.", alias.text);
                        let brought = Some(alias.span);
                        units.push(Unit { file: target, tree, prefix, uses: Vec::new(), brought });
                        Some(units.len() - 1)
                    }
                    None => None,
                },
            };
            if let Some(unit) = unit {
                edges.push((unit, path.span));
            }
            uses.push((alias, unit));
        }
        if let Some(unit) = units.get_mut(at) {
            unit.uses = uses;
        }
        paths.push(edges);
        at += 1;
    }
    report_cycles(files, &units, &paths, sink);
    units
}

/// A file that is used, parsed; `None` where it is no library (reported, and nothing else about it).
fn library(files: &Files, file: FileId, path: &ast::Text, sink: &mut Sink) -> Option<ast::File> {
    let source = files.get(file)?;
    let mut own = Sink::new();
    let tree = syntax::parse(source, &mut own);
    if tree.kind == ast::FileKind::Rubric && tree.name.is_some() {
        sink.push(
            Diagnostic::error(
                Code::USE_FILE,
                path.span,
                format!("`{}` is a program, not a library", source.name),
                "only a file that begins with `library NAME` can be used",
            )
            .help("move what both need into a library, and use that"),
        );
        return None;
    }
    own.finish().into_iter().for_each(|found| sink.push(found));
    Some(tree)
}

fn written_uses(tree: &ast::File) -> Vec<(ast::Text, ast::Name)> {
    let each = tree.items.iter().filter(|item| !item.poisoned);
    let of = |item: &ast::Item| match &item.kind {
        ast::ItemKind::Use { path, alias } => Some((path.clone(), alias.clone())),
        _ => None,
    };
    each.filter_map(of).collect()
}

/// Circles of `use`, each from the file whose name comes first, so that they read the same wherever checking begins.
fn report_cycles(files: &Files, units: &[Unit], edges: &[Vec<(usize, Span)>], sink: &mut Sink) {
    let plain: Vec<Vec<usize>> = edges.iter().map(|list| list.iter().map(|(to, _)| *to).collect()).collect();
    let name = |unit: usize| {
        let file = units.get(unit).and_then(|u| files.get(u.file));
        file.map_or_else(String::new, |source| format!("`{}`", source.name))
    };
    for mut cycle in cycles(&plain) {
        let first = cycle.iter().enumerate().min_by_key(|(_, unit)| name(**unit)).map_or(0, |(at, _)| at);
        cycle.rotate_left(first);
        let mut labels = Vec::new();
        for (at, unit) in cycle.iter().enumerate() {
            let next = cycle.get(at + 1).or(cycle.first());
            let edge = edges.get(*unit).and_then(|list| list.iter().find(|(to, _)| Some(to) == next));
            labels.extend(edge.map(|(to, span)| (*span, format!("{} uses {}", name(*unit), name(*to)))));
        }
        let way: Vec<String> = cycle.iter().chain(cycle.first()).map(|unit| name(*unit)).collect();
        let mut labels = labels.into_iter();
        let Some((span, text)) = labels.next() else { continue };
        let headline = format!("files that use each other in a circle: {}", way.join(" → "));
        let found = Diagnostic::error(Code::USE_CYCLE, span, headline, text)
            .help("move what several of them need into a library of its own, which uses none of them");
        sink.push(labels.fold(found, |d, (span, text)| d.also(span, text)));
    }
}
