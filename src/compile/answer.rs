//! What a model answered, as `rubric check --format repair` sees it: what stands round the program is left out, safe fixes are
//! applied, requirements are tried, and then the task's own demands are looked at.
//!
//! The text is not trusted: it is checked as a file of its own, so `use` finds nothing on this machine.

use super::contract;
use super::specification::Contract;
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{self, Program};
use crate::project::{self, Opened};
use crate::prove::{self, Budget};
use crate::source::files::Files;
use crate::source::{FileId, Span};
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::Duration;

/// What a proof of each requirement may cost. The boxes decide, so that the same text is judged alike on every machine; the
/// time is for programs that nobody would wait for.
const PROOFS: Budget = Budget { boxes: 20_000, time: Duration::from_secs(30) };

/// How a program is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// A `.rubric` text
    Rubric,
    /// A JSON program
    Json,
}

impl Form {
    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Form::Rubric => "rubric",
            Form::Json => "json",
        }
    }
}

/// An answer that was looked at.
#[derive(Debug, Clone)]
pub struct Checked {
    /// After safe fixes; with all diagnostics, those of the task among them.
    pub opened: Opened,
    /// What was passed over in silence by the checker, for people.
    pub notes: Vec<String>,
    /// Safe fixes that were applied.
    pub fixed: usize,
}

impl Checked {
    /// The program, where nothing is wrong with it. Warnings are nothing wrong.
    #[must_use]
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.opened.program.as_ref().filter(|_| !self.opened.has_errors())
    }

    /// The text as it is after the fixes.
    #[must_use]
    pub fn text(&self) -> &str {
        self.opened.files.get(self.opened.file).map_or("", |source| source.text())
    }

    /// What is wrong, for a model.
    #[must_use]
    pub fn repair(&self) -> String {
        self.render(Format::Repair)
    }

    /// What is wrong, one object each (`grammar/diagnostics.schema.json`).
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Json> {
        self.render(Format::Json).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn render(&self, format: Format) -> String {
        let batch = [Batch { map: self.opened.files.map(), diagnostics: &self.opened.diagnostics }];
        render::render(format, &batch, Look::default())
    }
}

/// Looks at an answer.
#[must_use]
pub fn check(reply: &str, contract: &Contract) -> Checked {
    let files = Files::memory(&[("program", reply)]);
    let opened = project::check_files(files, FileId(0));
    let notes = opened.diagnostics.iter().filter(|d| d.code == Code::AROUND).map(|d| d.headline.clone()).collect();
    let fixed = project::fix(opened);
    let (mut opened, fixed) = (fixed.opened, fixed.applied);
    let file = opened.file;
    if let Some(program) = opened.program.clone() {
        opened.diagnostics.extend(prove::check(&program, &PROOFS));
        opened.diagnostics.extend(contract::check(&program, file, contract));
        opened.diagnostics.extend(contract::tests(&program));
        opened.diagnostics.sort_by_key(|d| (d.span().file, d.span().start, d.span().end, d.code));
    } else if !begins(reply) {
        let place = Span::new(file, 0, 0);
        opened.diagnostics = vec![
            Diagnostic::error(Code::TASK_NOTHING, place, "the reply holds no program", "the reply")
                .help("write the whole program and nothing else; a `.rubric` text begins with `rubric NAME`"),
        ];
    } else if !opened.has_errors() {
        let place = Span::new(file, 0, 0);
        opened.diagnostics.push(
            Diagnostic::error(
                Code::TASK_NOTHING,
                place,
                "the reply is a library, which has no score of its own",
                "the reply",
            )
            .help("begin with `rubric NAME`, and write a readout"),
        );
    }
    Checked { opened, notes, fixed }
}

/// Whether a program was meant at all.
fn begins(reply: &str) -> bool {
    let header = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("rubric" | "library")) && words.next().is_some()
    };
    reply.lines().any(header)
        || reply.contains("\"rubric-program/")
        || reply.contains("\"nodes\"")
        || reply.contains("\ncriterion ")
}

/// A program in a form: as it was written where that is the form, else translated.
#[must_use]
pub fn written(checked: &Checked, program: &Program, form: Form) -> String {
    let is_json = project::is_json(checked.text());
    match form {
        Form::Json if !is_json => graph::json::write(program),
        Form::Rubric if is_json => graph::text::write(program),
        _ => {
            let text = checked.text().trim();
            format!("{text}\n")
        }
    }
}
