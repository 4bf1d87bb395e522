//! Sink, readouts and observed nodes.

use super::nodes::{Drafts, Nodes, named};
use super::parameters::{MODES, literal};
use super::shape::{Given, Reader};
use super::tree::Value;
use crate::catalog::NodeId;
use crate::catalog::typing::{Fault, Place, Written, WrittenArm, WrittenKey};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::validate::{self, Form, TieWritten};
use crate::graph::{Mode, Readout};
use crate::source::Span;
use crate::types::Type;
use std::collections::HashMap;
use std::sync::Arc;

const MODE_WORDS: [(&str, Mode); 3] =
    [("pointwise", Mode::Pointwise), ("pairwise", Mode::Pairwise), ("listwise", Mode::Listwise)];

/// Names that a readout cannot have.
const TAKEN: [&str; 9] =
    ["pointwise", "pairwise", "listwise", "first", "second", "others", "id", "candidates", "judgments"];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Native,
    Rescale,
    Quantize,
    Bands,
    Pass,
    Prefer,
    Ranking,
    Best,
}

const KINDS: [(&str, Kind); 8] = [
    ("native", Kind::Native),
    ("rescale", Kind::Rescale),
    ("quantize", Kind::Quantize),
    ("bands", Kind::Bands),
    ("pass", Kind::Pass),
    ("prefer", Kind::Prefer),
    ("ranking", Kind::Ranking),
    ("best", Kind::Best),
];

impl Kind {
    /// The keys beside `mode name source kind`.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Native => &[],
            Kind::Rescale => &["to"],
            Kind::Quantize => &["to", "rounding"],
            Kind::Bands => &["bands", "rest"],
            Kind::Pass => &["at"],
            Kind::Prefer | Kind::Best => &["margin", "tie"],
            Kind::Ranking => &["tie"],
        }
    }

    /// Those among them that must be there.
    fn needed(self) -> &'static [&'static str] {
        match self {
            Kind::Rescale | Kind::Quantize => &["to"],
            Kind::Bands => &["bands", "rest"],
            Kind::Pass => &["at"],
            _ => &[],
        }
    }
}

/// A readout before its source is typed.
struct Draft<'a, 'o> {
    given: Given<'a, 'o>,
    mode: Mode,
    kind: Kind,
    name: Option<Arc<str>>,
    source: Option<usize>,
    /// Keys of `by`.
    keys: Vec<Option<usize>>,
    span: Span,
}

/// Where values leave the program.
pub(super) struct Ends<'a, 'o> {
    sink: Option<usize>,
    readouts: Vec<Draft<'a, 'o>>,
    pub(super) observed: Vec<usize>,
    /// Some end could not be read, so nothing may be called unused.
    pub(super) faulty: bool,
}

impl Ends<'_, '_> {
    /// Every node that is read from outside.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let read = self.readouts.iter().flat_map(|d| d.source.into_iter().chain(d.keys.iter().flatten().copied()));
        self.sink.into_iter().chain(read).chain(self.observed.iter().copied())
    }
}

/// Reads what needs no types.
pub(super) fn ends<'a, 'o>(r: &mut Reader<'a>, root: &Given<'a, 'o>, drafts: &Drafts<'a, '_>) -> Ends<'a, 'o> {
    let before = r.sink.len();
    let sink = root.get("sink").map(|v| (named(r, drafts, v), r.span(v)));
    let mut readouts = Vec::new();
    let mut names: HashMap<String, Span> = HashMap::new();
    for value in r.list(root, "readouts") {
        if let Some(draft) = draft(r, value, drafts) {
            unique(r, &draft, drafts, &mut names);
            readouts.push(draft);
        }
    }
    let mut observed = Vec::new();
    for value in r.list(root, "observe") {
        if let Some(node) = named(r, drafts, value) {
            if observed.contains(&node) {
                let span = r.span(value);
                let headline = format!("`{}` is observed twice", drafts.name(node));
                r.error(Code::JSON_TWICE, span, headline, "the second time", "keep one of them");
                continue;
            }
            observed.push(node);
        }
    }
    // A misprint elsewhere in a readout does not hide that a node is unused; a missing end does.
    let lost = |d: &Draft<'_, '_>| d.source.is_none() || d.keys.contains(&None);
    let faulty = (r.sink.len() > before || sink.is_none()) && {
        let whole = readouts.len() == r.list(root, "readouts").len();
        !whole || sink.as_ref().is_none_or(|(s, _)| s.is_none()) || readouts.iter().any(lost)
    };
    let unread = root.get("readouts").is_some() && !faulty && !readouts.iter().any(|d| d.name.is_none());
    if unread && let Some(value) = root.get("readouts") {
        let span = r.span(value);
        let help =
            "add a readout without a name, such as {\"mode\": \"pointwise\", \"source\": …, \"kind\": \"native\"}";
        r.error(Code::NO_READOUT, span, "nothing reads the sink out", "no readout without a name", help);
    }
    if let Some((Some(sink), span)) = sink {
        for draft in readouts.iter().filter(|d| d.name.is_none()) {
            let Some(source) = draft.source.filter(|s| *s != sink) else { continue };
            let at = draft.given.get("source").map_or(draft.span, |v| r.span(v));
            r.sink.push(
                Diagnostic::error(
                    Code::SECOND_SINK,
                    at,
                    format!(
                        "the {} readout reads `{}`, and the sink is `{}`",
                        draft.mode.word(),
                        drafts.name(source),
                        drafts.name(sink)
                    ),
                    "not the sink",
                )
                .also(span, "the sink")
                .help("a readout without a name reads the sink; give it a name if it should read another node"),
            );
        }
    }
    Ends { sink: sink.and_then(|(s, _)| s), readouts, observed, faulty }
}

fn draft<'a, 'o>(r: &mut Reader<'a>, value: &'o Value<'a>, drafts: &Drafts<'a, '_>) -> Option<Draft<'a, 'o>> {
    let any = r.any_object(value, "a readout")?;
    let kind = any.get("kind").map(|v| r.word(v, "kind of readout", &KINDS));
    let own = kind.flatten().map_or(ALL_KEYS, Kind::keys);
    let known: Vec<&str> = ["mode", "name", "source", "kind"].iter().chain(own).copied().collect();
    let more = kind.flatten().map_or(&[][..], Kind::needed);
    let needed: Vec<&str> = ["mode", "source", "kind"].iter().chain(more).copied().collect();
    let given = r.object(value, "a readout", &known, &needed)?;
    let mode = given.get("mode").and_then(|v| r.word(v, "mode", &MODE_WORDS));
    let source = given.get("source").and_then(|v| named(r, drafts, v));
    let name = given.get("name").map(|v| r.name(v));
    let keys = by(r, &given, drafts);
    let span = r.span(value);
    if name == Some(None) {
        return None;
    }
    Some(Draft { given, mode: mode?, kind: kind??, name: name.flatten(), source, keys, span })
}

const ALL_KEYS: &[&str] = &["to", "rounding", "bands", "rest", "at", "margin", "tie"];

/// The nodes of `{"by": […]}`.
fn by<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>, drafts: &Drafts<'a, '_>) -> Vec<Option<usize>> {
    let Some(tie @ Value::Object(_)) = given.get("tie") else { return Vec::new() };
    let Some(tie) = r.object(tie, "a tie", &["by", "else"], &["by"]) else { return Vec::new() };
    let list = r.list(&tie, "by");
    list.iter().map(|v| named(r, drafts, v)).collect()
}

/// One unnamed readout per mode; names are nobody else's.
fn unique(r: &mut Reader<'_>, draft: &Draft<'_, '_>, drafts: &Drafts<'_, '_>, names: &mut HashMap<String, Span>) {
    let place = draft.given.get("name").or_else(|| draft.given.get("mode")).map_or(draft.span, |v| r.span(v));
    let name = draft.name.as_deref().unwrap_or(draft.mode.word());
    let taken = draft.name.is_some() && (TAKEN.contains(&name) || drafts.find(name).is_some());
    if taken {
        let headline = format!("a readout cannot be called `{name}`: that means something else already");
        r.error(Code::JSON_TWICE, place, headline, "taken", "choose another name");
    } else if let Some(first) = names.insert(name.to_owned(), place) {
        let headline = match &draft.name {
            Some(_) => format!("two readouts are called `{name}`"),
            None => format!("two {name} readouts have no name"),
        };
        r.sink.push(
            Diagnostic::error(Code::JSON_TWICE, place, headline, "the second one")
                .also(first, "the first one")
                .help("give each readout a name of its own; one of each mode may be without"),
        );
    }
}

/// Types the readouts.
pub(super) fn read<'a>(
    r: &mut Reader<'a>,
    ends: &Ends<'a, '_>,
    drafts: &Drafts<'a, '_>,
    nodes: &Nodes,
) -> (Vec<Readout>, Option<NodeId>) {
    let node = |at: usize| {
        let ty = nodes.types.get(at)?.clone()?;
        Some((*nodes.ids.get(at)?, ty, drafts.list.get(at)?.id.clone()))
    };
    let mut out = Vec::new();
    for draft in &ends.readouts {
        let keys = draft.keys.iter().map(|key| node((*key)?)).collect();
        let before = r.sink.len();
        let form = form(r, draft, keys);
        let Some(form) = form.filter(|_| r.sink.len() == before) else { continue };
        let Some((id, ty, name)) = draft.source.and_then(node) else {
            let stand_in = (&Type::UNIT, &Arc::from(""));
            let faults = validate::readout(draft.mode, NodeId(0), stand_in.0, stand_in.1, &form).err();
            // Of what it reads nothing is known; these faults are its own.
            let own = [Code::READOUT_FORM, Code::READOUT_TIE, Code::READOUT_MARGIN];
            faults.iter().flatten().filter(|f| own.contains(&f.code)).for_each(|fault| tell(r, draft, fault));
            continue;
        };
        match validate::readout(draft.mode, id, &ty, &name, &form) {
            Ok((kind, ty, lints)) => {
                lints.iter().for_each(|fault| tell(r, draft, fault));
                out.push(Readout {
                    mode: draft.mode,
                    name: draft.name.clone(),
                    source: id,
                    kind,
                    ty,
                    span: draft.span,
                });
            }
            Err(faults) => faults.iter().for_each(|fault| tell(r, draft, fault)),
        }
    }
    (out, ends.sink.and_then(|at| nodes.ids.get(at).copied()))
}

type Key = Option<(NodeId, Type, Arc<str>)>;

/// The mapping as written.
fn form<'a>(r: &mut Reader<'a>, draft: &Draft<'a, '_>, keys: Vec<Key>) -> Option<Form> {
    let given = &draft.given;
    let to = |r: &mut Reader<'a>| given.get("to").and_then(|v| r.ty(v));
    Some(match draft.kind {
        Kind::Native => Form::Native,
        Kind::Rescale => Form::Rescale(Written { to: Some(to(r)?), ..Written::default() }),
        Kind::Quantize => {
            let mode = given.get("rounding").map(|v| r.word(v, "way to round", &MODES));
            Form::Quantize(Written { to: Some(to(r)?), mode: mode.flatten(), ..Written::default() })
        }
        Kind::Bands => Form::Bands(Written { table: Some(bands(r, given)), ..Written::default() }),
        Kind::Pass => Form::Pass { at: literal(r, given.get("at")?)? },
        Kind::Prefer => Form::Prefer { margin: margin(r, given), tie: tie(r, given, keys) },
        Kind::Ranking => Form::Ranking { tie: tie(r, given, keys) },
        Kind::Best => Form::Best { margin: margin(r, given), tie: tie(r, given, keys) },
    })
}

fn margin<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>) -> Option<crate::number::Number> {
    given.get("margin").and_then(|v| r.number(v))
}

fn bands<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>) -> Vec<WrittenArm> {
    let mut rows = Vec::new();
    for value in r.list(given, "bands") {
        let Some(row) = r.object(value, "a band", &["below", "label"], &["below", "label"]) else { continue };
        let below = row.get("below").and_then(|v| r.number(v));
        let label = row.get("label").and_then(|v| literal(r, v));
        if let (Some(below), Some(label)) = (below, label) {
            rows.push(WrittenArm { key: WrittenKey::Below(below), value: label });
        }
    }
    if let Some(rest) = given.get("rest").and_then(|v| literal(r, v)) {
        rows.push(WrittenArm { key: WrittenKey::Rest, value: rest });
    }
    rows
}

fn tie<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>, keys: Vec<Key>) -> TieWritten {
    match given.get("tie") {
        None => TieWritten::Default,
        Some(Value::Object(object)) => {
            let otherwise = object.properties.iter().find(|p| p.name.as_str() == "else");
            let otherwise = otherwise.and_then(|p| r.string(&p.value)).map(Arc::from);
            TieWritten::By { keys, otherwise }
        }
        Some(other) => r.string(other).map_or(TieWritten::Default, |word| TieWritten::Word(word.into())),
    }
}

/// A fault of a readout, at its place.
fn tell(r: &mut Reader<'_>, draft: &Draft<'_, '_>, fault: &Fault) {
    let given = &draft.given;
    let row = |at: usize, key: &str| {
        let Some(Value::Array(list)) = given.get("bands") else { return None };
        match list.elements.get(at) {
            Some(Value::Object(row)) => row.properties.iter().find(|p| p.name.as_str() == key).map(|p| &p.value),
            _ => given.get("rest"),
        }
    };
    let part = |key: &str| match given.get("tie") {
        Some(Value::Object(tie)) => tie.properties.iter().find(|p| p.name.as_str() == key).map(|p| &p.value),
        _ => None,
    };
    let value = match fault.place {
        Place::Param("mode") => given.get("rounding"),
        Place::Param("else") => part("else"),
        Place::Param(key) => given.get(key),
        Place::Slot(0, at) => match part("by") {
            Some(Value::Array(list)) => list.elements.get(at),
            _ => None,
        },
        Place::ArmKey(at) => row(at, "below"),
        Place::ArmValue(at) => row(at, "label"),
        _ => None,
    };
    let value = value.or_else(|| given.get("kind"));
    let span = value.map_or(draft.span, |v| r.span(v));
    let named = draft.name.as_deref().map_or(String::new(), |n| format!(" `{n}`"));
    let headline = format!("readout {}{named}: {}", draft.mode.word(), fault.headline);
    let found = if fault.warning {
        Diagnostic::warning(fault.code, span, headline, fault.label.clone())
    } else {
        Diagnostic::error(fault.code, span, headline, fault.label.clone())
    };
    r.sink.push(match &fault.help {
        Some(help) => found.help(help.clone()),
        None => found,
    });
}
