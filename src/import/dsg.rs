//! DSG (Davidsonian Scene Graphs): yes/no questions about an image that make sense only where others hold.
//!
//! Every `item_id` of `questions.csv` becomes one program: a `bool?` criterion per question, and for a question with parents
//! a gate that makes it count as no where any parent's *own* answer was not yes (whatever the parent itself counts after its
//! parents; a parent without an answer does not block). The score is the share of questions that count, 0 where none was
//! answered; `without_parents` is the same with the parents ignored.
//!
//! A defective graph (a parent that does not exist, a question that depends on itself, a circle, a cell that is no number)
//! is an error with item, row and code. With `mend` the bad edge is dropped and the error becomes a warning; of a circle
//! the edge is dropped that leads from a question to a parent with a higher number, since the published graphs number
//! parents before their children. (Columns: j-min/DSG.)

use super::names::{Names, name_of};
use super::{doc, literal};
use crate::diagnostics::{Code, Diagnostic, Severity, Sink, did_you_mean};
use crate::source::{Source, Span};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// One question of an item.
#[derive(Debug, Clone)]
struct Question {
    number: u32,
    text: String,
    parents: Vec<u32>,
    kind: String,
    span: Span,
    row: usize,
}

/// The questions of one `item_id`, in file order.
#[derive(Debug, Clone)]
pub struct Item {
    /// As in the file.
    pub id: String,
    /// The name of the program.
    pub name: String,
    /// The image prompt.
    pub prompt: String,
    questions: Vec<Question>,
}

impl Item {
    /// The program's text.
    #[must_use]
    pub fn program(&self) -> String {
        let mut out = format!(
            "{}rubric {}\n\ninput     prompt:  text?\ncandidate picture: image\n\n",
            doc(&self.prompt, ""),
            self.name
        );
        for q in &self.questions {
            let tag = if q.kind.is_empty() { String::new() } else { format!(" {{ tag kind {} }}", literal(&q.kind)) };
            let _ = writeln!(out, "criterion q{}: bool? {}{tag}", q.number, literal(&q.text));
        }
        out.push('\n');
        let mut counted = Vec::new();
        for q in &self.questions {
            if q.parents.is_empty() {
                counted.push(format!("q{}", q.number));
                continue;
            }
            let parents: Vec<String> = q.parents.iter().map(|p| format!("q{p}")).collect();
            let n = q.number;
            let _ =
                writeln!(out, "gate on{n} = veto(q{n}, to: false, unknown: passes) unless {}", parents.join(" and "));
            counted.push(format!("on{n}"));
        }
        let all: Vec<String> = self.questions.iter().map(|q| format!("q{}", q.number)).collect();
        let _ = write!(
            out,
            "\nreduce    share = fraction({}, unknown: skip)\ntransform score = otherwise(share, 0)\n\n\
             reduce    flat_share = fraction({}, unknown: skip)\ntransform flat_score = otherwise(flat_share, 0)\n\n\
             readout pointwise = score\nreadout pointwise without_parents = flat_score\n",
            counted.join(", "),
            all.join(", ")
        );
        out
    }
}

/// Reads `questions.csv`. Faults go to `sink`; with `mend` those of the graphs are warnings, and the bad edges are gone.
pub fn questions(source: &Source, mend: bool, sink: &mut Sink) -> Vec<Item> {
    let Some(table) = Table::open(source, &QUESTIONS, sink) else { return Vec::new() };
    let mut items: Vec<Item> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    let mut names = Names::new();
    for row in table.rows(sink) {
        let id = row.get("item_id").to_owned();
        let item = *at.entry(id.clone()).or_insert_with(|| {
            let name = names.take(&format!("dsg_{}", name_of(&id)));
            items.push(Item { id: id.clone(), name, prompt: row.get("text").to_owned(), questions: Vec::new() });
            items.len() - 1
        });
        let Some(item) = items.get_mut(item) else { continue };
        if let Some(question) = question(&row, item, mend, sink) {
            item.questions.push(question);
        }
    }
    for item in &mut items {
        check(item, mend, sink);
    }
    items
}

const QUESTIONS: [&str; 5] = ["item_id", "text", "proposition_id", "dependency", "question_natural_language"];
const ANSWERS: [&str; 4] = ["t2i_model", "item_id", "question_id", "answer"];

fn question(row: &Row, item: &Item, mend: bool, sink: &mut Sink) -> Option<Question> {
    let written = row.get("proposition_id").trim();
    let Ok(number) = written.parse::<u32>() else {
        let found = format!("{}: `proposition_id` is `{written}`, which is no number", row.place(&item.id));
        sink.push(Diagnostic::error(Code::IMPORT_ROW, row.span, found, "this row").help("number the questions from 1"));
        return None;
    };
    if let Some(other) = item.questions.iter().find(|q| q.number == number) {
        let found = format!("{}: question {number} is there twice", row.place(&item.id));
        sink.push(
            Diagnostic::error(Code::IMPORT_TWICE, row.span, found, "the second one")
                .also(other.span, "the first one")
                .help("give each question of an item a number of its own"),
        );
        return None;
    }
    let text = row.get("question_natural_language").trim();
    if text.is_empty() {
        let found = format!("{}: question {number} has no text", row.place(&item.id));
        sink.push(Diagnostic::error(Code::IMPORT_ROW, row.span, found, "this row").help("write the question"));
        return None;
    }
    let mut parents = Vec::new();
    let cell = row.get("dependency");
    let parts: Vec<&str> = cell.split(',').map(str::trim).collect();
    for part in &parts {
        match part.parse::<u32>() {
            Ok(0) if parts.len() > 1 => {
                let says =
                    format!("{}: 0 means that there are no parents, but `{cell}` names some", row.place(&item.id));
                sink.push(
                    Diagnostic::warning(Code::IMPORT_REPEATED, row.span, says, "the 0 is left out")
                        .help("take the 0 away"),
                );
            }
            Ok(0) => {}
            Ok(parent) if parents.contains(&parent) => {
                let says = format!("{}: question {number} names its parent {parent} twice", row.place(&item.id));
                sink.push(
                    Diagnostic::warning(Code::IMPORT_REPEATED, row.span, says, "counted once").help("name it once"),
                );
            }
            Ok(parent) => parents.push(parent),
            Err(_) => {
                let says = format!("{}: `{part}` is not the number of a question", row.place(&item.id));
                defect(sink, mend, Code::IMPORT_NOT_A_NUMBER, row.span, says, "write the numbers of the parents, or 0");
            }
        }
    }
    let kind = row.get("category_broad").trim().to_owned();
    Some(Question { number, text: text.to_owned(), parents, kind, span: row.span, row: row.number })
}

/// A fault of a graph: an error, or, mended, a warning that says what was dropped.
fn defect(sink: &mut Sink, mend: bool, code: Code, span: Span, says: String, help: &str) {
    let mut found = Diagnostic::error(code, span, says, if mend { "this dependency is dropped" } else { "this row" });
    if mend {
        found.severity = Severity::Warning;
    } else {
        found = found.help(format!("{help}; or let `--mend` drop the bad dependency"));
    }
    sink.push(found);
}

/// Checks the graph of one item; the bad edges are dropped whether or not that is what the user asked for, so that one
/// mistake is told once.
fn check(item: &mut Item, mend: bool, sink: &mut Sink) {
    let numbers: Vec<u32> = item.questions.iter().map(|q| q.number).collect();
    let id = item.id.clone();
    for q in &mut item.questions {
        let (number, span, row) = (q.number, q.span, q.row);
        let place = place(&id, row);
        q.parents.retain(|parent| {
            if *parent == number {
                let says = format!("{place}: question {number} depends on itself");
                defect(sink, mend, Code::IMPORT_ITSELF, span, says, "name another question, or 0");
                return false;
            }
            if !numbers.contains(parent) {
                let says = format!("{place}: question {number} depends on question {parent}, which does not exist");
                let help = format!("the questions of this item are {}", ranges(&numbers));
                defect(sink, mend, Code::IMPORT_NO_PARENT, span, says, &help);
                return false;
            }
            true
        });
    }
    circles(item, mend, sink);
}

/// Drops upward edges until no circle is left; each circle is told once, with all its questions.
fn circles(item: &mut Item, mend: bool, sink: &mut Sink) {
    let mut graph = DiGraphMap::<u32, ()>::new();
    for q in &item.questions {
        for parent in &q.parents {
            graph.add_edge(q.number, *parent, ());
        }
    }
    for mut circle in tarjan_scc(&graph) {
        if circle.len() < 2 {
            continue;
        }
        circle.sort_unstable();
        let shown: Vec<String> = circle.iter().map(u32::to_string).collect();
        for q in &mut item.questions {
            let upward: Vec<u32> = q
                .parents
                .iter()
                .copied()
                .filter(|p| *p > q.number && circle.contains(p) && circle.contains(&q.number))
                .collect();
            for parent in upward {
                let says = format!(
                    "{}: question {} depends on question {parent}, and both stand in the circle {}",
                    place(&item.id, q.row),
                    q.number,
                    shown.join(", ")
                );
                defect(
                    sink,
                    mend,
                    Code::IMPORT_CYCLE,
                    q.span,
                    says,
                    "a question can only depend on one that is asked before it",
                );
                q.parents.retain(|p| *p != parent);
            }
        }
    }
}

fn ranges(numbers: &[u32]) -> String {
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(lo), Some(hi)) if (*hi - *lo) as usize + 1 == numbers.len() => format!("{lo} to {hi}"),
        _ => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn place(item: &str, row: usize) -> String {
    format!("item `{item}`, row {row}")
}

/// Turns `answers.csv` into records, one per image: exactly `yes` is true, any other answer false, no answer `unknown`.
pub fn answers(source: &Source, items: &[Item], sink: &mut Sink) -> Vec<Json> {
    let Some(table) = Table::open(source, &ANSWERS, sink) else { return Vec::new() };
    let by_id: HashMap<&str, &Item> = items.iter().map(|i| (i.id.as_str(), i)).collect();
    let mut order: Vec<(String, String)> = Vec::new();
    let mut images: HashMap<(String, String), BTreeMap<u32, bool>> = HashMap::new();
    for row in table.rows(sink) {
        let (model, id, number) = (row.get("t2i_model"), row.get("item_id"), row.get("question_id").trim());
        let question = by_id.get(id).and_then(|i| i.questions.iter().find(|q| q.number.to_string() == number));
        let Some(question) = question else {
            let says = format!("{}: no question {number} was imported", row.place(id));
            let mut found = Diagnostic::error(Code::IMPORT_ANSWER, row.span, says, "an answer to nothing");
            if let Some(near) = did_you_mean(id, by_id.keys().copied().take(5000)) {
                found = found.help(format!("did you mean item `{near}`?"));
            }
            sink.push(found);
            continue;
        };
        let key = (model.to_owned(), id.to_owned());
        let image = images.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            BTreeMap::new()
        });
        if image.insert(question.number, row.get("answer") == "yes").is_some() {
            let says = format!("{}: question {number} of `{model}` is answered twice", row.place(id));
            sink.push(
                Diagnostic::error(Code::IMPORT_TWICE, row.span, says, "the second answer").help("keep one of them"),
            );
        }
    }
    let mut records = Vec::new();
    for key in order {
        let (Some(item), Some(given)) = (by_id.get(key.1.as_str()), images.get(&key)) else { continue };
        let judgments: Map<String, Json> = item
            .questions
            .iter()
            .map(|q| {
                let answer =
                    given.get(&q.number).map_or_else(|| Json::String("unknown".to_owned()), |yes| Json::Bool(*yes));
                (format!("q{}", q.number), answer)
            })
            .collect();
        let image = format!("{}/{}", key.0, key.1);
        records.push(serde_json::json!({
            "id": image, "rubric": item.name, "prompt": item.prompt, "picture": image,
            "model": key.0, "judgments": judgments,
        }));
    }
    records
}

/// A CSV text with its header checked.
struct Table<'s> {
    source: &'s Source,
    header: csv::StringRecord,
}

struct Row<'h> {
    header: &'h csv::StringRecord,
    cells: csv::StringRecord,
    span: Span,
    /// As a spreadsheet numbers it: the header is row 1.
    number: usize,
}

impl Row<'_> {
    fn get(&self, column: &str) -> &str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at)).unwrap_or("")
    }

    fn place(&self, item: &str) -> String {
        place(item, self.number)
    }
}

fn reader(source: &Source) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().flexible(true).from_reader(source.text().trim_start_matches('\u{feff}').as_bytes())
}

impl<'s> Table<'s> {
    fn open(source: &'s Source, columns: &[&str], sink: &mut Sink) -> Option<Table<'s>> {
        let top = Span::new(source.id, 0, source.line(1).len());
        let header = match reader(source).headers() {
            Ok(header) => header.clone(),
            Err(error) => {
                sink.push(Diagnostic::error(
                    Code::IMPORT_ROW,
                    top,
                    format!("the header cannot be read: {error}"),
                    "here",
                ));
                return None;
            }
        };
        let missing: Vec<&&str> = columns.iter().filter(|c| !header.iter().any(|h| h == **c)).collect();
        for column in &missing {
            let mut found =
                Diagnostic::error(Code::IMPORT_COLUMN, top, format!("there is no column `{column}`"), "the header");
            found = match did_you_mean(column, header.iter()) {
                Some(near) => found.help(format!("is it the one called `{near}`? Rename it to `{column}`")),
                None => found.help(format!("the columns are {}", header.iter().collect::<Vec<_>>().join(", "))),
            };
            sink.push(found);
        }
        missing.is_empty().then_some(Table { source, header })
    }

    fn rows(&self, sink: &mut Sink) -> Vec<Row<'_>> {
        let bom = self.source.text().len() - self.source.text().trim_start_matches('\u{feff}').len();
        let mut rows = Vec::new();
        for (n, record) in reader(self.source).into_records().enumerate() {
            let number = n + 2;
            let start =
                |at: Option<&csv::Position>| at.map_or(0, |p| usize::try_from(p.byte()).unwrap_or(usize::MAX)) + bom;
            match record {
                Ok(cells) => {
                    let start = start(cells.position());
                    let rest = self.source.text().get(start..).unwrap_or("");
                    // The record's text may begin with the line break that ended the one before.
                    let skipped = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
                    let length: usize = rest.get(skipped..).and_then(|r| r.find('\n')).unwrap_or(rest.len());
                    let span = Span::new(self.source.id, start + skipped, start + skipped + length);
                    if cells.len() == self.header.len() {
                        rows.push(Row { header: &self.header, cells, span, number });
                        continue;
                    }
                    let says = format!("row {number} has {} cells, the header has {}", cells.len(), self.header.len());
                    sink.push(
                        Diagnostic::error(Code::IMPORT_ROW, span, says, "this row")
                            .help("is a comma or a quotation mark missing?"),
                    );
                }
                Err(error) => {
                    let at = start(error.position());
                    let span = Span::new(self.source.id, at, at);
                    let says = format!("row {number} cannot be read: {error}");
                    sink.push(Diagnostic::error(Code::IMPORT_ROW, span, says, "here"));
                }
            }
        }
        rows
    }
}
