//! What may be written at a place: words of the language from its tables, names from the file.

use super::Snapshot;
use super::names::{self, Kind as NameKind};
use super::place::{Place, Room, place};
use crate::catalog::functions::FUNCTIONS;
use crate::catalog::procedures::{PROCEDURES, procedure};
use crate::catalog::readouts::{READOUTS, readout};
use crate::catalog::spaces::{FIELD_KINDS, TYPES};
use crate::catalog::table::Family;
use crate::catalog::{Op, table::ParamInfo};
use crate::syntax::token::Kind;

/// What a proposal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Keyword,
    Operator,
    Function,
    Procedure,
    Type,
    Parameter,
    /// A word that a parameter takes, or a label.
    Value,
    Name(NameKind),
}

/// A proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What is written.
    pub word: String,
    pub what: What,
    /// In one line: ports, type, default.
    pub detail: String,
    pub doc: String,
}

/// Everything that may be written at a byte of the file; the editor filters by what has been typed.
#[must_use]
pub fn complete(snapshot: &Snapshot, offset: u32) -> Vec<Proposal> {
    let Some(source) = snapshot.source() else { return Vec::new() };
    let place = place(source, offset);
    let mut list = List { snapshot, found: Vec::new() };
    if place.hole {
        list.fields(place_of_hole(source.text(), offset).as_deref());
    } else if !place.inert {
        list.at(&place);
    }
    let mut seen = std::collections::HashSet::new();
    list.found.retain(|p| seen.insert(p.word.clone()));
    list.found
}

/// The path before a dot in the hole at hand: `{{pair.`.
fn place_of_hole(text: &str, offset: u32) -> Option<String> {
    let before = text.get(..offset as usize)?;
    let inside = before.get(before.rfind("{{")? + 2..)?;
    inside.trim_start().rsplit_once('.').map(|(path, _)| path.to_owned())
}

struct List<'s> {
    snapshot: &'s Snapshot,
    found: Vec<Proposal>,
}

impl List<'_> {
    fn push(&mut self, word: &str, what: What, detail: impl Into<String>, doc: impl Into<String>) {
        self.found.push(Proposal { word: word.to_owned(), what, detail: detail.into(), doc: doc.into() });
    }

    fn keywords(&mut self, words: &[&str]) {
        words.iter().for_each(|word| self.push(word, What::Keyword, "", ""));
    }

    fn at(&mut self, place: &Place) {
        if let Some(of) = &place.of {
            return self.members(of);
        }
        if let Some(path) = &place.compared {
            self.values(path);
            return self.expression(place);
        }
        match (place.room(), place.last()) {
            (Room::Top, last) => self.top(place, last),
            (Room::Body | Room::Checklist, last) => self.statement(place, last),
            (Room::Test, Some(Kind::KwExpect)) => self.expression(place),
            (Room::Test, _) => {
                self.keywords(&["given", "expect"]);
                self.expression(place);
            }
            (Room::Require, Some(Kind::LBrace | Kind::Comma)) => {
                self.keywords(&["when"]);
                self.expression(place);
            }
            (Room::Given, _) => match place.named.clone() {
                Some(name) => self.given(&name),
                None => self.names(|kind| {
                    matches!(kind, NameKind::Criterion | NameKind::Checklist | NameKind::Field | NameKind::Item)
                }),
            },
            (Room::Record, Some(Kind::Colon)) => self.field_kinds(),
            (Room::Record, _) => {}
            (Room::Table, Some(Kind::LBrace | Kind::Comma)) => {
                self.keywords(&["below", "rest"]);
                self.expression(place);
            }
            (Room::Args, _) => self.argument(place),
            _ => self.expression(place),
        }
    }

    fn top(&mut self, place: &Place, last: Option<Kind>) {
        const DECLARATIONS: &[&str] = &[
            "use",
            "scale",
            "default judge",
            "input",
            "reference",
            "candidate",
            "criterion",
            "checklist",
            "transform",
            "reduce",
            "gate",
            "define",
            "readout",
            "observe",
            "require",
            "test",
        ];
        match (last, place.declaration) {
            (None, _) => self.keywords(&["rubric", "library"]),
            (Some(Kind::Colon), Kind::KwInput | Kind::KwReference | Kind::KwCandidate) => self.field_kinds(),
            (Some(Kind::Colon), _) | (Some(Kind::Assign), Kind::KwScale) => self.types(),
            (Some(Kind::KwReadout), _) => self.keywords(&["pointwise", "pairwise", "listwise"]),
            (Some(Kind::Assign), Kind::KwReadout) => {
                for info in READOUTS {
                    self.push(info.word, What::Operator, info.result, format!("{}\n\n    {}", info.doc, info.example));
                }
                self.names(is_value);
            }
            (Some(Kind::KwJudge), _) => self.procedures(),
            (Some(Kind::KwDefault), _) => self.keywords(&["judge"]),
            (Some(Kind::KwFrom), _) => self.fields(None),
            (Some(Kind::KwObserve), _) => self.names(is_value),
            (Some(Kind::KwRequire), _) => self.keywords(&["increasing", "decreasing", "reachable"]),
            // A new name is no business of ours.
            (
                Some(
                    Kind::KwInput
                    | Kind::KwReference
                    | Kind::KwCandidate
                    | Kind::KwCriterion
                    | Kind::KwChecklist
                    | Kind::KwScale
                    | Kind::KwDefine
                    | Kind::KwTransform
                    | Kind::KwReduce
                    | Kind::KwGate
                    | Kind::KwRubric
                    | Kind::KwLibrary
                    | Kind::KwUse
                    | Kind::KwAs
                    | Kind::KwTest,
                ),
                _,
            ) => {}
            (Some(last), declaration) => {
                let ended = ends_operand(last);
                if ended {
                    self.keywords(DECLARATIONS);
                    if declaration == Kind::KwGate {
                        self.keywords(&["when", "unless"]);
                    }
                    if matches!(declaration, Kind::KwTransform | Kind::KwReduce | Kind::KwGate | Kind::KwReadout) {
                        self.keywords(&["and", "or", "then", "else"]);
                    }
                } else {
                    self.expression(place);
                }
            }
        }
    }

    fn statement(&mut self, place: &Place, last: Option<Kind>) {
        match (last, place.statement) {
            (Some(Kind::KwJudge | Kind::KwApplies | Kind::Else), _) => return self.procedures(),
            (Some(Kind::KwSees), _) | (Some(Kind::Comma), Kind::KwSees) => return self.fields(None),
            (Some(Kind::KwLevel), _) => {
                if let Some(name) = &place.name {
                    self.values(name);
                }
                return;
            }
            (Some(Kind::KwAsk | Kind::KwTag | Kind::KwGroup), _) => return,
            _ => {}
        }
        self.keywords(&["ask", "level", "example", "sees", "applies", "judge", "tag"]);
        if place.room() == Room::Checklist {
            self.keywords(&["group"]);
        }
        if place.statement == Kind::KwJudge {
            self.keywords(&["else", "when"]);
        }
    }

    /// Inside the parentheses of a call.
    fn argument(&mut self, place: &Place) {
        let callee = place.callee.clone().unwrap_or_default();
        if let Some(name) = &place.named {
            let params = parameters(&callee);
            let words = params.iter().find(|p| p.name == name).map_or(&[][..], |p| p.words);
            words.iter().for_each(|word| self.push(word, What::Value, "", ""));
            if name == "to" {
                self.types();
            }
            if procedure(&callee).is_none() {
                self.expression(place);
            }
            return;
        }
        for param in parameters(&callee) {
            let default = param.default.map_or_else(|| "must be given".to_owned(), |d| format!("default {d}"));
            self.push(&format!("{}:", param.name), What::Parameter, default, param.is);
        }
        if let Some(op) = Op::called(&callee) {
            for port in op.info().ports.iter().filter(|p| p.named) {
                self.push(&format!("{}:", port.name), What::Parameter, port.accepts, "");
            }
            if matches!(place.last(), Some(last) if ends_operand(last)) {
                self.keywords(&["weight"]);
            }
        }
        match callee.as_str() {
            "llm" | "human" | "verifier" => {}
            _ => self.expression(place),
        }
    }

    fn given(&mut self, name: &str) {
        self.values(name);
        self.keywords(&["unknown"]);
        if !names::members_of(self.snapshot, name).is_empty() {
            ["best", "worst"].iter().for_each(|word| self.push(word, What::Value, "", ""));
        }
    }

    /// The values of what a name gives, where they are words.
    fn values(&mut self, name: &str) {
        let labels = names::labels_of(self.snapshot, name);
        labels.iter().for_each(|label| self.push(label, What::Value, name, ""));
        let ty = self.snapshot.type_of(name).unwrap_or_default();
        if ty.starts_with("bool") {
            self.keywords(&["true", "false"]);
        }
        if ty.ends_with('?') {
            self.keywords(&["unknown"]);
        }
    }

    /// Names, operators, and in a rule functions.
    fn expression(&mut self, place: &Place) {
        let in_rule =
            matches!(place.statement, Kind::KwJudge | Kind::KwApplies) || place.declaration == Kind::KwDefault;
        if in_rule {
            for function in FUNCTIONS {
                let detail = format!("{} → {}", function.form, function.result);
                self.push(function.name, What::Function, detail, function.doc);
            }
            self.fields(None);
            return;
        }
        self.names(is_value);
        if matches!(place.declaration, Kind::KwRequire | Kind::KwTest) {
            self.names(|kind| kind == NameKind::Readout);
            self.keywords(&["pointwise", "pairwise", "listwise", "not", "unknown"]);
            return;
        }
        let family = match place.declaration {
            Kind::KwTransform => Some(Family::Transform),
            Kind::KwReduce => Some(Family::Reduce),
            Kind::KwGate => Some(Family::Gate),
            _ => None,
        };
        // Right behind the `=` only operators of the declaration's family fit; below, all that compose.
        let outermost = place.room() == Room::Top && place.last() == Some(Kind::Assign);
        for op in Op::ALL.iter().filter(|op| op.info().is_call()) {
            let info = op.info();
            if outermost && family.is_some_and(|f| f != info.family) || !outermost && info.family == Family::Gate {
                continue;
            }
            self.push(op.word(), What::Operator, form(*op), format!("{}\n\n    {}", info.doc, info.example));
        }
        self.names(|kind| kind == NameKind::Define);
        self.keywords(&["if", "not", "true", "false", "unknown"]);
    }

    fn members(&mut self, of: &str) {
        let own = format!("{of}.");
        for (name, kind, _, _) in names::declared(self.snapshot) {
            if let Some(rest) = name.strip_prefix(&own).filter(|rest| !rest.contains('.')) {
                self.push(rest, What::Name(kind), self.snapshot.type_of(&name).unwrap_or_default(), "");
            }
        }
        for (name, kind) in names::members_of(self.snapshot, of) {
            self.push(&name.text, What::Name(kind), "", "");
        }
    }

    fn names(&mut self, wanted: impl Fn(NameKind) -> bool) {
        for (name, kind, _, _) in names::declared(self.snapshot) {
            if wanted(kind) {
                self.push(&name, What::Name(kind), self.snapshot.type_of(&name).unwrap_or_default(), "");
            }
        }
    }

    fn fields(&mut self, of: Option<&str>) {
        if let Some(of) = of {
            return self.members(of);
        }
        self.names(|kind| kind == NameKind::Field);
        for (name, kind, _, _) in names::declared(self.snapshot) {
            if kind == NameKind::Field {
                for (part, kind) in names::members_of(self.snapshot, &name) {
                    self.push(&format!("{name}.{}", part.text), What::Name(kind), "", "");
                }
            }
        }
    }

    fn types(&mut self) {
        for info in TYPES.iter().filter(|t| t.word != "?") {
            self.push(info.word, What::Type, info.form, info.doc);
        }
        self.names(|kind| kind == NameKind::Scale);
    }

    fn field_kinds(&mut self) {
        FIELD_KINDS.iter().for_each(|info| self.push(info.word, What::Type, info.form, info.doc));
    }

    fn procedures(&mut self) {
        for info in PROCEDURES.iter().filter(|p| p.word != "cascade") {
            self.push(info.word, What::Procedure, "", format!("{}\n\n    {}", info.doc, info.example));
        }
    }
}

fn is_value(kind: NameKind) -> bool {
    matches!(kind, NameKind::Criterion | NameKind::Checklist | NameKind::Node | NameKind::Field | NameKind::Library)
}

fn ends_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Word | Number | Text | True | False | Unknown | RParen | RSquare | RBrace | Question)
}

/// The parameters of an operator, readout or procedure.
#[must_use]
pub fn parameters(callee: &str) -> &'static [ParamInfo] {
    let op = Op::called(callee).map(|op| op.info().params);
    let readout = || readout(callee).map(|r| r.params);
    op.or_else(readout).or_else(|| procedure(callee).map(|p| p.params)).unwrap_or(&[])
}

/// A call with its ports and parameters: `cap(x, at:, unknown:) when …`.
#[must_use]
pub fn form(op: Op) -> String {
    let info = op.info();
    let many = |arity| if arity == crate::catalog::table::Arity::Many { ", …" } else { "" };
    let ports = info.ports.iter().filter(|p| p.name != "trigger");
    let ports = ports.map(|p| if p.named { format!("{}: …", p.name) } else { format!("{}{}", p.name, many(p.arity)) });
    let params = info.params.iter().map(|p| match p.default {
        Some(default) if default.len() < 16 => format!("{}: {default}", p.name),
        _ => format!("{}: …", p.name),
    });
    let arguments: Vec<String> = ports.chain(params).collect();
    let table = if info.table.is_some() { " { … }" } else { "" };
    let when = if info.family == Family::Gate { " when …" } else { "" };
    format!("{}({}){table}{when}", op.word(), arguments.join(", "))
}
