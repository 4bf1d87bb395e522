//! The formats, a file each: the keys that are read, the program that keeps what they mean, and what it cannot keep.

pub mod checkeval;
pub mod deepeval;
pub mod flask;
pub mod healthbench;
pub mod helpsteer;
pub mod hle;
pub mod inspect;
pub mod levels;
pub mod mtbench;
pub mod openrubrics;
pub mod promptfoo;
pub mod qworld;
pub mod rocketeval;
pub mod rubricbench;
pub mod summeval;
pub mod table;
pub mod tick;
pub mod ultrafeedback;
pub mod verifiers;
pub mod weighted;

use super::draft::{self, Item};
use super::format::{Form, Named, Row, Taken};
use serde_json::{Map, Value as Json};

/// How a row of items becomes a program or a record.
struct Scheme<'a> {
    /// The declarations of the fields.
    fields: &'a str,
    /// What stands behind the checklist `items` of a program of its own.
    own: &'a str,
    /// Whether judges may abstain.
    abstain: bool,
}

/// A row whose rubric is a list of items: into a program of its own, or into the record's field `rubric_items`.
fn with_items(row: &Row<'_>, scheme: &Scheme<'_>, id: &str, doc: &str, items: &[Item], record: Record) -> Taken {
    let mut taken = Taken::default();
    match row.form {
        Form::Shared => {
            let mut record = record.0;
            record.insert("rubric_items".into(), draft::carried(items));
            judged(&mut record, draft::judgments_by_number("items", items));
            taken.records.push(record);
        }
        Form::Own => {
            let mut record = record.0;
            judged(&mut record, draft::judgments_of("items", items));
            taken.records.push(record);
            let text =
                format!("{}\n{}\n{}", scheme.fields, draft::checklist("items", items, scheme.abstain), scheme.own);
            taken.programs.push(Named { name: id.to_owned(), doc: doc.to_owned(), text });
        }
    }
    taken
}

/// A record that is being put together.
struct Record(Map<String, Json>);

impl Record {
    fn new(id: &str) -> Record {
        let mut map = Map::new();
        map.insert("id".to_owned(), Json::String(id.to_owned()));
        Record(map)
    }

    fn with(mut self, field: &str, value: impl Into<Json>) -> Record {
        self.0.insert(field.to_owned(), value.into());
        self
    }

    /// With a value that may be absent.
    fn maybe(mut self, field: &str, value: Option<impl Into<Json>>) -> Record {
        if let Some(value) = value {
            self.0.insert(field.to_owned(), value.into());
        }
        self
    }
}

/// Adds judgments to a record, where there are any.
fn judged(record: &mut Map<String, Json>, judgments: Map<String, Json>) {
    if !judgments.is_empty() {
        record.insert("judgments".into(), Json::Object(judgments));
    }
}

/// What a test does with a format: reads one row, checks the program, and gives both.
#[cfg(test)]
pub(crate) mod testing {
    use super::super::format::{Form, Format, Named, Row, Taken};
    use super::super::part::{Fault, Part};
    use serde_json::Value as Json;
    use std::path::Path;

    pub(crate) fn read(format: &Format, json: &Json, form: Form) -> Result<Taken, Fault> {
        (format.read)(&Row { part: Part::whole(json), number: 1, stem: "file", form })
    }

    /// The text of a program that the checker finds nothing wrong with, not even a warning.
    #[track_caller]
    pub(crate) fn clean(named: &Named) -> String {
        let text = named.program("imported");
        let opened = crate::project::open_text("imported.rubric", Path::new("."), text.clone());
        let told: Vec<_> = opened.diagnostics.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
        assert!(told.is_empty(), "{told:#?}\n{text}");
        text
    }
}
