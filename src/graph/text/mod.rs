//! A program as canonical `.rubric` text, such that building the text gives the same digest.
//!
//! Libraries, `define`s and scales are gone: what they meant is written out. A node that was nested is nested again; a node that
//! cannot be (it is read twice, observed, a gate, or needs a written type) is a declaration. Names that are no words of the
//! language (`a b`, `lib.x`) become words ([`names`]), in requirements and tests too.

mod checklist;
mod criterion;
mod expression;
mod names;

use super::written::{label, literal};
use super::{Node, NodeKind, Origin, Program, Readout, ReadoutKind, Tie};
use crate::catalog::{NodeId, Op};
use crate::number::{Number, Rounding};
use crate::types::{Field, Role, quote, quote_label};
use names::Names;

pub(super) use names::word_of;

/// Characters of a line beyond which a call is spread over several.
const WIDTH: usize = 110;

/// The program as text; ends in a line break.
#[must_use]
pub fn write(program: &Program) -> String {
    let names = Names::new(program);
    let mut w = Writer { program, names, out: String::new() };
    w.file();
    w.out
}

/// Nodes as a reader of the text would meet them: by name, or, where they are nested, as the expression that they are.
pub struct Phrases<'p>(Writer<'p>);

impl<'p> Phrases<'p> {
    #[must_use]
    pub fn new(program: &'p Program) -> Phrases<'p> {
        Phrases(Writer { program, names: Names::new(program), out: String::new() })
    }

    /// Whether a node is written inside its reader.
    #[must_use]
    pub fn nested(&self, id: NodeId) -> bool {
        expression::operator(self.0.program, id).is_some() && !self.0.names.declared(id)
    }

    /// How a node is written where another one reads it.
    #[must_use]
    pub fn of(&self, id: NodeId) -> String {
        self.0.part(id, expression::Level::Whole)
    }

    /// What a node computes, as it is written, on one line; its name where it is judged.
    #[must_use]
    pub fn whole(&self, id: NodeId) -> String {
        self.0.on_one_line(id)
    }
}

struct Writer<'p> {
    program: &'p Program,
    names: Names,
    out: String,
}

impl Writer<'_> {
    fn file(&mut self) {
        let p = self.program;
        self.doc(&p.doc, "");
        self.line(&format!("rubric {}", self.names.program));
        self.gap();
        self.fields();
        for (id, node) in (0_u32..).map(NodeId).zip(&p.nodes) {
            if let NodeKind::Criterion(c) = &node.kind
                && c.origin == Origin::Declared
            {
                self.gap();
                self.criterion(id, node, c);
            }
        }
        for (index, list) in p.checklists.iter().enumerate() {
            self.gap();
            self.checklist(index, list);
        }
        self.gap();
        for id in (0_u32..).map(NodeId).take(p.nodes.len()) {
            if self.names.declared(id) {
                self.node(id);
            }
        }
        self.gap();
        for readout in &p.readouts {
            let line = self.readout(readout);
            self.line(&line);
        }
        for id in &p.observed {
            let line = format!("observe {}", self.names.of(*id));
            self.line(&line);
        }
        for text in p.requires.iter().map(|r| &r.text).chain(p.tests.iter().map(|t| &t.text)) {
            self.gap();
            let text = self.names.respelt(text.trim_end());
            self.line(&text);
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// An empty line, unless there is one already.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn doc(&mut self, doc: &str, indent: &str) {
        for line in doc.lines() {
            let text = format!("{indent}/// {}", line.trim_end());
            let text = self.names.respelt(text.trim_end());
            self.line(&text);
        }
    }

    fn fields(&mut self) {
        let p = self.program;
        let kind = |f: &Field| format!("{}{}", f.kind.word(), if f.optional { "?" } else { "" });
        let mut record = Vec::new();
        for field in &p.fields {
            let word = match field.role {
                Role::Input => "input",
                Role::Reference => "reference",
                Role::Candidate => match field.name.strip_prefix(&*p.candidate).and_then(|r| r.strip_prefix('.')) {
                    Some(part) => {
                        record.push(format!("{part}: {}", kind(field)));
                        continue;
                    }
                    None => "candidate",
                },
            };
            self.doc(&field.doc, "");
            self.line(&format!("{word} {}: {}", field.name, kind(field)));
        }
        if !record.is_empty() {
            self.line(&format!("candidate {} {{ {} }}", p.candidate, record.join(", ")));
        }
    }

    fn node(&mut self, id: NodeId) {
        let Some(Node { kind: NodeKind::Operator(operation), ty, doc, .. }) = self.program.node(id) else { return };
        self.doc(doc, "");
        let typed = if self.names.typed(id) { format!(": {ty}") } else { String::new() };
        let family = expression::family(operation);
        let start = format!("{family} {}{typed} = ", self.names.of(id));
        let text = self.application(id, start.chars().count());
        self.line(&format!("{start}{text}"));
    }

    fn readout(&self, readout: &Readout) -> String {
        let p = self.program;
        let x = self.names.of(readout.source);
        let name = readout.name.as_ref().map_or(String::new(), |n| format!(" {n}"));
        let mut args = vec![x.to_owned()];
        let mut table = String::new();
        let word = match &readout.kind {
            ReadoutKind::Native => "",
            ReadoutKind::Rescale => {
                args.push(format!("to: {}", readout.ty.clone().known()));
                "rescale"
            }
            ReadoutKind::Quantize { mode } => {
                args.push(format!("to: {}", readout.ty.clone().known()));
                args.extend(mode_argument(*mode));
                "quantize"
            }
            ReadoutKind::Bands(bands) => {
                let rows = bands.iter().filter_map(|band| {
                    let to = quote_label(&label(band.label, &readout.ty)?);
                    Some(match &band.below {
                        Some(n) => format!("below {} => {to}", number(n)),
                        None => format!("rest => {to}"),
                    })
                });
                table = format!(" {{ {} }}", rows.collect::<Vec<_>>().join(", "));
                "bands"
            }
            ReadoutKind::Pass { at } => {
                let at = p.node(readout.source).and_then(|n| literal(at, &n.ty));
                args.extend(at.map(|at| format!("at: {}", expression::constant(&at))));
                "pass"
            }
            ReadoutKind::Prefer { margin, tie } => {
                self.margin_and_tie(&mut args, margin, tie, "tie");
                "prefer"
            }
            ReadoutKind::Ranking { tie } => {
                self.margin_and_tie(&mut args, &Number::ZERO, tie, "shared");
                "ranking"
            }
            ReadoutKind::Best { margin, tie } => {
                self.margin_and_tie(&mut args, margin, tie, "tie");
                "best"
            }
        };
        let value = if word.is_empty() { x.to_owned() } else { format!("{word}({}){table}", args.join(", ")) };
        format!("readout {}{name} = {value}", readout.mode.word())
    }

    fn margin_and_tie(&self, args: &mut Vec<String>, margin: &Number, tie: &Tie, equal: &str) {
        if !margin.is_zero() {
            args.push(format!("margin: {}", number(margin)));
        }
        let tie = match tie {
            Tie::Tie => return,
            Tie::Abstain => "abstain".to_owned(),
            Tie::First => "first".to_owned(),
            Tie::ById => "by_id".to_owned(),
            Tie::By { keys, tie } => {
                let mut keys: Vec<String> = keys.iter().map(|id| self.part(*id, expression::Level::Not)).collect();
                keys.extend(tie.then(|| format!("else: {equal}")));
                format!("by({})", keys.join(", "))
            }
        };
        args.push(format!("tie: {tie}"));
    }
}

/// A number as a constant expression.
fn number(n: &Number) -> String {
    n.exact()
}

/// `mode: …`, where it is not the default.
fn mode_argument(mode: Rounding) -> Option<String> {
    (mode != Rounding::HalfUp).then(|| format!("mode: {}", super::json::rounding_word(mode)))
}

/// Whether an operator can only be written where a trigger can: in a declaration.
fn is_gate(op: Op) -> bool {
    op.info().family == crate::catalog::table::Family::Gate
}

/// A text with fields inserted, as a string literal.
fn template(program: &Program, template: &super::Template) -> String {
    use super::TemplatePart::{Field, Text};
    let mut out = String::from("\"");
    for part in &template.parts {
        match part {
            Text(words) => {
                let literal = quote(words);
                let inside = literal.get(1..literal.len().saturating_sub(1)).unwrap_or("");
                if words.contains("{{") || words.ends_with('{') {
                    out.push_str(&inside.replace('{', "\\{").replace("\\u\\{", "\\u{"));
                } else {
                    out.push_str(inside);
                }
            }
            Field(id) => {
                out.push_str("{{");
                out.push_str(program.field(*id).map_or("", |f| &*f.name));
                out.push_str("}}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;

    #[test]
    fn the_sample_as_text() {
        let text = write(&sample());
        let wanted = r#"/// A sample.
rubric sample

input question: text
candidate answer: text

criterion accurate: int[1..5] "How \"accurate\"\nis it? \{\{x}}"

criterion harmful: bool "Does it do harm?"

checklist care {
  group safety "Safety" {
    +10 red_flags "Names the signs of danger"
  }
  +4 "Is kind"
}

reduce quality = weighted_mean(normalize(accurate) weight 3, points(care) weight 2)
gate safe = cap(quality, at: 0.25) when harmful

readout pointwise = safe
readout pairwise = prefer(safe, margin: 1/3, tie: by(accurate))
observe quality
"#;
        assert_eq!(text, wanted);
    }

    #[test]
    fn requirements_and_tests_follow_their_names() {
        let mut program = sample();
        program.nodes[0].name = "lib.accurate".into();
        program.checklists[0].name = "lib.care".into();
        let names = Names::new(&program);
        let text = r#"test "lib.accurate \" lib.care" { given a { lib.accurate: 5, lib.care.dose: true, other.lib.x: 1.5 } expect first.lib.accurate > lib_y }"#;
        let wanted = r#"test "lib.accurate \" lib.care" { given a { lib_accurate: 5, lib_care.dose: true, other.lib.x: 1.5 } expect first.lib_accurate > lib_y }"#;
        assert_eq!(names.respelt(text), wanted);
        assert!(write(&program).contains("checklist lib_care {") && write(&program).contains("points(lib_care)"));
    }
}
