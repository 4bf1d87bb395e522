//! Which nodes are declarations, under which names, and which are written inside their reader.

use super::super::written::needs_type;
use super::super::{NodeKind, Origin, Program, ReadoutKind, Tie};
use super::is_gate;
use crate::catalog::{NodeId, Op};
use foldhash::{HashMap, HashSet};

/// Levels of nesting beyond which a nested node becomes a declaration.
const MOST_NESTED: u16 = 30;

/// Words that no declaration may have.
const TAKEN: [&str; 21] = [
    "pointwise",
    "pairwise",
    "listwise",
    "first",
    "second",
    "others",
    "id",
    "candidates",
    "judgments",
    "true",
    "false",
    "unknown",
    "and",
    "or",
    "not",
    "if",
    "then",
    "else",
    "when",
    "unless",
    "rest",
];

pub(super) struct Names {
    pub(super) program: String,
    /// As written, by node: a name, the text of an implied rule, or `care.red_flags`, `care[3]`.
    of: Vec<String>,
    declared: Vec<bool>,
    typed: Vec<bool>,
    /// Checklists and groups with their items, by first item; the larger ones first.
    bundles: HashMap<NodeId, Vec<(String, Vec<NodeId>)>>,
    /// Of every checklist, as written.
    lists: Vec<String>,
    /// What requirements and tests call otherwise than the text does: old name, new name.
    renamed: HashMap<String, String>,
}

impl Names {
    pub(super) fn new(program: &Program) -> Names {
        let count = program.nodes.len();
        let typed: Vec<bool> = program.nodes.iter().map(|n| needs_type(program, n)).collect();
        let declared = declared(program, &typed);
        let mut used: HashSet<String> = program.fields.iter().map(|f| f.name.to_string()).collect();
        used.insert(program.candidate.to_string());
        let mut lists = Vec::new();
        for list in &program.checklists {
            let name = if is_word(&list.name) { list.name.to_string() } else { unused(&word_of(&list.name), &used) };
            used.insert(name.clone());
            lists.push(name);
        }
        used.extend(program.readouts.iter().filter_map(|r| r.name.as_ref()).map(|n| n.to_string()));
        used.extend(TAKEN.map(str::to_owned));
        let mut of = vec![String::new(); count];
        // Names that are words already keep them, whatever the others become.
        let named = |at: usize| match program.nodes.get(at).map(|n| &n.kind) {
            Some(NodeKind::Criterion(c)) => c.origin == Origin::Declared,
            Some(NodeKind::Operator(_)) => declared.get(at) == Some(&true),
            _ => false,
        };
        for fresh in [false, true] {
            for (at, node) in program.nodes.iter().enumerate().filter(|(at, _)| named(*at)) {
                let plain = is_word(&node.name) && !used.contains(&*node.name);
                let Some(slot) = of.get_mut(at).filter(|s| s.is_empty()) else { continue };
                if plain {
                    *slot = node.name.to_string();
                } else if fresh {
                    *slot = unused(&word_of(&node.name), &used);
                }
                if !slot.is_empty() {
                    used.insert(slot.clone());
                }
            }
        }
        for (at, node) in program.nodes.iter().enumerate() {
            let Some(slot) = of.get_mut(at) else { continue };
            match &node.kind {
                NodeKind::Criterion(c) if c.origin == Origin::Implied => {
                    if let super::super::Procedure::Rule(rule) = &c.procedure {
                        *slot = rule.text.to_string();
                    }
                }
                _ => {}
            }
        }
        let mut renamed = HashMap::default();
        for (list, name) in program.checklists.iter().zip(&lists) {
            if let Some(slot) = list.from.and_then(|id| of.get_mut(id.index())) {
                slot.clone_from(name);
            }
            for item in &list.items {
                if let Some(slot) = of.get_mut(item.node.index()) {
                    *slot = match &item.id {
                        Some(id) => format!("{name}.{id}"),
                        None => format!("{name}[{}]", item.number),
                    };
                }
            }
            if *name != *list.name {
                renamed.insert(list.name.to_string(), name.clone());
            }
        }
        for (at, node) in program.nodes.iter().enumerate().filter(|(at, _)| named(*at)) {
            if let Some(new) = of.get(at).filter(|new| **new != *node.name) {
                renamed.insert(node.name.to_string(), new.clone());
            }
        }
        let own = if is_word(&program.name) { program.name.to_string() } else { word_of(&program.name) };
        let bundles = bundles(program, &lists);
        Names { program: own, of, declared, typed, bundles, lists, renamed }
    }

    /// How a node is named in expressions.
    pub(super) fn of(&self, id: NodeId) -> &str {
        self.of.get(id.index()).map_or("", String::as_str)
    }

    /// The largest bundle whose items are the first of these nodes, in order, and how many those are.
    pub(super) fn bundle(&self, nodes: &[NodeId]) -> Option<(&str, usize)> {
        let starting = self.bundles.get(nodes.first()?)?;
        let (name, items) = starting.iter().find(|(_, items)| nodes.starts_with(items))?;
        Some((name, items.len()))
    }

    /// Whether a node is an operator with a declaration of its own.
    pub(super) fn declared(&self, id: NodeId) -> bool {
        self.declared.get(id.index()) == Some(&true)
    }

    /// How a checklist is named.
    pub(super) fn list(&self, index: usize) -> &str {
        self.lists.get(index).map_or("", String::as_str)
    }

    /// A requirement or test with the names of this text. It is in canonical layout, so names and strings are all there is to
    /// tell apart.
    pub(super) fn respelt(&self, text: &str) -> String {
        if self.renamed.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '"' => string_length(rest),
                c if c == '_' || unicode_ident::is_xid_start(c) => {
                    let path = |c: char| c == '.' || unicode_ident::is_xid_continue(c);
                    rest.find(|c| !path(c)).unwrap_or(rest.len())
                }
                // A number's digits are no name, nor is what follows them.
                c if c.is_ascii_digit() => rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            out.push_str(&self.renamed_path(part));
            rest = after;
        }
        out
    }

    /// A dotted path whose beginning, or whose beginning after a candidate's name, is called otherwise.
    fn renamed_path(&self, path: &str) -> String {
        let after_first = path.find('.').map_or(path.len(), |at| at + 1);
        for start in [0, after_first] {
            let (before, name) = path.split_at_checked(start).unwrap_or((path, ""));
            let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
            for end in ends.collect::<Vec<_>>().into_iter().rev() {
                let (head, tail) = name.split_at_checked(end).unwrap_or((name, ""));
                if let Some(new) = self.renamed.get(head) {
                    return format!("{before}{new}{tail}");
                }
            }
        }
        path.to_owned()
    }

    /// Whether its declaration must say its type.
    pub(super) fn typed(&self, id: NodeId) -> bool {
        self.typed.get(id.index()) == Some(&true)
    }
}

fn bundles(program: &Program, lists: &[String]) -> HashMap<NodeId, Vec<(String, Vec<NodeId>)>> {
    let mut out: HashMap<NodeId, Vec<(String, Vec<NodeId>)>> = HashMap::default();
    for (list, list_name) in program.checklists.iter().zip(lists) {
        let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); list.groups.len()];
        for item in &list.items {
            for group in super::checklist::path(list, item.group) {
                groups.get_mut(group).map(|items| items.push(item.node)).unwrap_or_default();
            }
        }
        let whole = (list_name.clone(), list.items.iter().map(|i| i.node).collect::<Vec<_>>());
        let named = list.groups.iter().map(|g| format!("{list_name}.{}", g.id)).zip(groups);
        for (name, items) in std::iter::once(whole).chain(named) {
            if let Some(first) = items.first() {
                out.entry(*first).or_default().push((name, items));
            }
        }
    }
    out
}

fn is_word(name: &str) -> bool {
    crate::types::is_bare_label(name) && name != "_" && !TAKEN.contains(&name)
}

/// Bytes of the string literal that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => _ = chars.next(),
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A word made of any text.
pub(in crate::graph) fn word_of(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if unicode_ident::is_xid_continue(c) { c } else { '_' }).collect();
    if !out.chars().next().is_some_and(unicode_ident::is_xid_start) {
        out.insert_str(0, "n_");
    }
    unicode_normalization::UnicodeNormalization::nfc(out.as_str()).collect()
}

fn unused(word: &str, used: &HashSet<String>) -> String {
    if !used.contains(word) {
        return word.to_owned();
    }
    (2..).map(|n| format!("{word}_{n}")).find(|w| !used.contains(w)).unwrap_or_else(|| word.to_owned())
}

/// The operators that are declared: all that cannot stand inside their one reader.
fn declared(program: &Program, typed: &[bool]) -> Vec<bool> {
    let count = program.nodes.len();
    let mut readers = vec![0_u32; count];
    let mut outside = vec![false; count];
    let mut mark = |id: NodeId| outside.get_mut(id.index()).map(|b| *b = true).unwrap_or_default();
    mark(program.sink);
    program.observed.iter().for_each(|id| mark(*id));
    let mut keys = Vec::new();
    for readout in &program.readouts {
        mark(readout.source);
        if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
            &readout.kind
            && let Tie::By { keys: by, .. } = tie
        {
            keys.extend(by.iter().copied());
        }
    }
    for node in &program.nodes {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        for id in operation.sources() {
            if let Some(n) = readers.get_mut(id.index()) {
                *n = n.saturating_add(1);
            }
        }
    }
    for key in keys {
        // A key is a name or `not` of one.
        let not = match program.node(key).map(|n| &n.kind) {
            Some(NodeKind::Operator(operation)) => {
                operation.op == Op::Not && operation.sources().all(|id| is_leaf(program, id))
            }
            _ => true,
        };
        if !not {
            mark(key);
        } else if let Some(n) = readers.get_mut(key.index()) {
            *n = n.saturating_add(1);
        }
    }
    let mut depth = vec![0_u16; count];
    let mut out = vec![false; count];
    for (at, node) in program.nodes.iter().enumerate() {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        let inside = operation.sources().filter_map(|id| depth.get(id.index())).max().map_or(0, |d| d + 1);
        let plain = readers.get(at) == Some(&1) && outside.get(at) == Some(&false) && typed.get(at) == Some(&false);
        let nested = plain && !is_gate(operation.op) && inside < MOST_NESTED && !is_word(&node.name);
        if let (Some(d), Some(b)) = (depth.get_mut(at), out.get_mut(at)) {
            *d = if nested { inside } else { 0 };
            *b = !nested;
        }
    }
    out
}

fn is_leaf(program: &Program, id: NodeId) -> bool {
    !matches!(program.node(id).map(|n| &n.kind), Some(NodeKind::Operator(_)))
}
