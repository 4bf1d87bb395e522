//! The digest of a program: equal for programs that ask and compute the same.
//!
//! A node's digest covers what it is and the digests of what it reads, so it depends on the graph alone. The program's digest
//! covers fields (without docs), checklists (ids, points, groups, weights), the nodes that readouts and `observe` reach,
//! and the readouts under their keys.
//!
//! In: everything a judge is shown or told, every operator, parameter, type and edge; names of fields, of declared criteria
//! and items (recorded judgments call them by name), of checklists, of observed nodes and named readouts (results do).
//! Names count as the words that the language makes of them: `lib.tone` and `lib_tone` are one name.
//! Out: the program's name, docs, spans, tags and group texts (no judge sees them), requirements and tests, the order of
//! declarations, names of operator nodes and of implied rules. So layout, comments, `define`s, libraries and the ids that
//! a writer of JSON chose for operators change nothing as long as the graph is the same.

use super::json;
use super::text::word_of;
use super::{NodeId, NodeKind, Origin, Program};
use crate::catalog::Input;
use blake3::Hasher;
use serde_json::Value as Json;

/// What the digest begins with; changes whenever the meaning of the bytes below changes.
const VERSION: &str = "rubric digest 1";

/// The digest: `b3:` and 64 hexadecimal digits (BLAKE3).
#[must_use]
pub fn digest(program: &Program) -> String {
    let nodes = node_digests(program);
    let of = |id: NodeId| nodes.get(id.index()).map_or([0; 32], |h| *h);
    let mut out = Hasher::new();
    put(&mut out, VERSION);
    put(&mut out, &program.candidate);
    for field in &program.fields {
        let mut field = json::field(field);
        forget(&mut field, &["doc"]);
        put(&mut out, &field.to_string());
    }
    for list in &program.checklists {
        put(&mut out, "checklist");
        let name = &list.name;
        let mut list = json::checklist(program, list);
        forget(&mut list, &["doc", "name", "from"]);
        put(&mut out, &word_of(name));
        if let Some(Json::Array(groups)) = list.get_mut("groups") {
            groups.iter_mut().for_each(|group| forget(group, &["text"]));
        }
        // Their nodes are named after the checklist and their id or number.
        if let Some(Json::Array(items)) = list.get_mut("items") {
            items.iter_mut().for_each(|item| forget(item, &["node"]));
        }
        put(&mut out, &list.to_string());
    }
    let mut readouts: Vec<_> = program.readouts.iter().collect();
    readouts.sort_by_key(|r| (r.mode, r.name.clone()));
    for readout in readouts {
        put(&mut out, "readout");
        out.update(&of(readout.source));
        let mut value = json::readout(program, readout);
        forget(&mut value, &["source"]);
        if let Some(tie) = value.get_mut("tie") {
            forget(tie, &["by"]);
        }
        put(&mut out, &value.to_string());
        use super::ReadoutKind::{Best, Prefer, Ranking};
        if let Prefer { tie, .. } | Ranking { tie } | Best { tie, .. } = &readout.kind
            && let super::Tie::By { keys, .. } = tie
        {
            keys.iter().for_each(|key| _ = out.update(&of(*key)));
        }
    }
    let mut observed: Vec<_> =
        program.observed.iter().filter_map(|id| Some((word_of(&program.node(*id)?.name), of(*id)))).collect();
    observed.sort();
    for (name, node) in observed {
        put(&mut out, "observe");
        put(&mut out, &name);
        out.update(&node);
    }
    put(&mut out, "sink");
    out.update(&of(program.sink));
    format!("b3:{}", out.finalize().to_hex())
}

/// The digest of every node, in order; linear, because a node comes after what it reads.
fn node_digests(program: &Program) -> Vec<[u8; 32]> {
    let mut done: Vec<[u8; 32]> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        let mut out = Hasher::new();
        put(&mut out, &node.ty.to_string());
        match &node.kind {
            NodeKind::Criterion(criterion) => {
                put(&mut out, "criterion");
                match criterion.origin {
                    Origin::Implied => put(&mut out, ""),
                    Origin::Declared => put(&mut out, &word_of(&node.name)),
                    Origin::Item { .. } => put(&mut out, &item_name(&node.name)),
                }
                put(&mut out, &asked(program, criterion));
            }
            NodeKind::Items { field, template } => {
                put(&mut out, "items");
                put(&mut out, &word_of(&node.name));
                put(&mut out, program.field(*field).map_or("", |f| &f.name));
                put(&mut out, &asked(program, template));
            }
            NodeKind::Operator(operation) => {
                put(&mut out, "operator");
                put(&mut out, operation.op.word());
                let parameters = json::parameters(program, operation, &node.ty);
                put(&mut out, &Json::Object(parameters).to_string());
                for port in &operation.ports {
                    put(&mut out, port.name);
                    for input in &port.inputs {
                        match input {
                            Input::Node(id) => out.update(done.get(id.index()).unwrap_or(&[0; 32])),
                            // Its value is among the parameters.
                            Input::Constant(_) => out.update(b"constant"),
                        };
                    }
                }
            }
        }
        done.push(*out.finalize().as_bytes());
    }
    done
}

/// An item's name with its checklist's name as a word: `lib.care.dose` counts as `lib_care.dose`.
fn item_name(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((list, own)) => format!("{}.{own}", word_of(list)),
        None => word_of(name),
    }
}

/// What a judge is shown and told, with the fields it sees in full.
fn asked(program: &Program, criterion: &super::Criterion) -> String {
    let mut value = json::criterion(program, criterion);
    value.shift_remove("tags");
    let names = criterion.sees.iter().filter_map(|id| program.field(*id)).map(|f| Json::from(&*f.name));
    value.insert("sees".into(), names.collect());
    Json::Object(value).to_string()
}

fn forget(value: &mut Json, keys: &[&str]) {
    if let Json::Object(map) = value {
        keys.iter().for_each(|key| _ = map.shift_remove(*key));
    }
}

/// A text with its length before it, so that two neighbours never run into each other.
fn put(out: &mut Hasher, text: &str) {
    out.update(&(text.len() as u64).to_le_bytes());
    out.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::testing::{sample, words};
    use super::*;
    use crate::number::Number;

    fn edited(edit: impl Fn(&mut Program)) -> bool {
        let mut program = sample();
        edit(&mut program);
        digest(&program) != digest(&sample())
    }

    fn criterion(program: &mut Program, at: usize) -> &mut super::super::Criterion {
        match &mut program.nodes[at].kind {
            NodeKind::Criterion(c) => c,
            _ => unreachable!("a criterion"),
        }
    }

    #[test]
    fn what_no_judge_sees_and_no_outcome_feels_is_left_out() {
        assert!(!edited(|p| p.name = "other".into()));
        assert!(!edited(|p| p.doc = "other".into()));
        assert!(!edited(|p| p.fields[0].doc = "other".into()));
        assert!(!edited(|p| p.nodes[6].doc = "other".into()));
        assert!(!edited(|p| p.nodes[4].name = "n1".into()));
        assert!(!edited(|p| p.checklists[0].groups[0].text = "other".into()));
        assert!(!edited(|p| criterion(p, 0).tags.push(("axis".into(), "x".into()))));
        assert!(!edited(|p| p.readouts.reverse()));
        let mut library = sample();
        library.nodes[0].name = "lib.accurate".into();
        let mut flat = sample();
        flat.nodes[0].name = "lib_accurate".into();
        assert_eq!(digest(&library), digest(&flat));
    }

    #[test]
    fn what_changes_a_judgment_or_an_outcome_is_in() {
        assert!(edited(|p| p.nodes[0].name = "exact".into()));
        assert!(edited(|p| p.nodes[6].name = "n1".into()), "it is observed");
        assert!(edited(|p| criterion(p, 0).ask = words("Other?")));
        assert!(edited(|p| criterion(p, 0).sees = vec![super::super::FieldId(1)]));
        assert!(edited(|p| criterion(p, 0).levels.push((crate::types::Value::Number(Number::ONE), words("bad")))));
        assert!(edited(|p| p.sink = NodeId(6)));
        assert!(edited(|p| p.checklists[0].items[0].points = Number::int(9)));
        assert!(edited(|p| p.fields[0].optional = true));
        assert!(edited(|p| p.readouts[1].name = Some("better".into())));
        assert!(edited(|p| p.observed.clear()));
        assert!(edited(|p| match &mut p.nodes[6].kind {
            NodeKind::Operator(o) => o.params.weights[1] = Number::int(3),
            _ => unreachable!("an operator"),
        }));
        assert!(edited(|p| match &mut p.nodes[6].kind {
            NodeKind::Operator(o) => o.ports[0].inputs.swap(0, 1),
            _ => unreachable!("an operator"),
        }));
    }

    #[test]
    fn the_digest_has_its_form() {
        let digest = digest(&sample());
        assert!(digest.strip_prefix("b3:").is_some_and(|hex| hex.len() == 64), "{digest}");
    }
}
