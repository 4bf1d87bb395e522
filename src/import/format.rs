//! What an importer is: a name, a sentence, and a function from a row of the foreign file to programs and records.
//!
//! Where every row brings a rubric of its own, there are two ways to keep it. *Shared*: one program, whose items come with
//! each record (`checklist … from`, or fields that a question inserts); this is what large sets want. *Own*: a program
//! for each row, named in the record's `rubric`. A format says which of the two it has; many have both. A file that is
//! one rubric as a whole has only programs of its own.

use super::kinds;
use super::part::{Fault, Part};
use serde_json::{Map, Value as Json};

/// Where rubrics go that come row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Into the records; one program reads them.
    Shared,
    /// Into programs, one for each row.
    Own,
}

/// What a file of the format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Rows, one after the other: JSON lines, a table, or a JSON list (or object by id).
    Rows,
    /// One thing: JSON or YAML.
    Whole,
    /// As `Whole`, or a table whose rows are gathered into one list.
    Table,
}

/// A program by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// A name of the language; made unique by the caller.
    pub name: String,
    /// The text behind the header line `rubric NAME`, and what stands before it.
    pub doc: String,
    pub text: String,
}

impl Named {
    /// The whole text, under this name.
    #[must_use]
    pub fn program(&self, name: &str) -> String {
        format!("{}rubric {name}\n\n{}", super::doc(&self.doc, ""), self.text)
    }
}

/// What a row, or a whole file, became.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    pub programs: Vec<Named>,
    /// Records. `rubric` is filled in by the caller where there is exactly one program of its own; else a record says the
    /// place of its program in `programs` under [`PROGRAM`].
    pub records: Vec<Map<String, Json>>,
    /// What the language, or this importer, cannot keep: sentences without the row.
    pub lost: Vec<String>,
}

/// The key of a record that says which of several programs is its own; it is replaced by `rubric`.
pub const PROGRAM: &str = "\u{0}program";

/// A row of the foreign file.
#[derive(Debug, Clone)]
pub struct Row<'j> {
    pub part: Part<'j>,
    /// From 1: of a list the entry, of lines the row.
    pub number: u64,
    /// The file's name without its ending, or the key under which the row stands in an object.
    pub stem: &'j str,
    pub form: Form,
}

impl Row<'_> {
    /// The id that the row gives itself under one of `keys`, else `row-N`.
    ///
    /// # Errors
    /// Where it is there and no id.
    pub fn id(&self, keys: &[&str]) -> Result<String, Fault> {
        self.part.any(keys).map_or_else(|| Ok(format!("row-{}", self.number)), |part| part.word())
    }
}

/// A format that `rubric import` reads.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The word on the command line.
    pub name: &'static str,
    /// One line for the help.
    pub about: &'static str,
    pub holds: Holds,
    /// The name and text of the one program for all rows, where there is one.
    pub shared: Option<fn() -> Named>,
    /// Whether it can make a program for each row.
    pub own: bool,
    pub read: fn(&Row<'_>) -> Result<Taken, Fault>,
}

/// All formats, in the order of the help. (PaperBench and DSG have commands of their own.)
pub const FORMATS: &[Format] = &[
    kinds::healthbench::FORMAT,
    kinds::healthbench::META,
    kinds::levels::FORMAT,
    kinds::flask::FORMAT,
    kinds::flask::RECORDS,
    kinds::weighted::LLM_DATA,
    kinds::weighted::AUTORUBRIC,
    kinds::promptfoo::FORMAT,
    kinds::table::FORMAT,
    kinds::qworld::FORMAT,
    kinds::checkeval::FORMAT,
    kinds::rocketeval::FORMAT,
    kinds::openrubrics::FORMAT,
    kinds::rubricbench::FORMAT,
    kinds::tick::FORMAT,
    kinds::inspect::FORMAT,
    kinds::verifiers::FORMAT,
    kinds::deepeval::FORMAT,
    kinds::ultrafeedback::FORMAT,
    kinds::helpsteer::FORMAT,
    kinds::helpsteer::PREFERENCE,
    kinds::summeval::FORMAT,
    kinds::mtbench::VOTES,
    kinds::mtbench::GRADES,
    kinds::hle::FORMAT,
];
