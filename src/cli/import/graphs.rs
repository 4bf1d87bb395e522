//! `rubric import` of files that are graphs: PaperBench's trees and DSG's dependent questions.

use super::super::{CommandResult, FAULTS, output};
use super::count;
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::diagnostics::{Diagnostic, Sink};
use crate::format::laid_out;
use crate::import::{dsg, paperbench};
use crate::source::files::{Files, read_text};
use miette::{IntoDiagnostic, WrapErr, miette};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Kind {
    /// A PaperBench tree of requirements (JSON), graded or not.
    Paperbench {
        /// The tree.
        tree: PathBuf,
        /// Where to write the program (`-`: standard output).
        #[arg(short, long, default_value = "-")]
        output: PathBuf,
        /// Where to write a record with the scores of a graded tree.
        #[arg(long)]
        records: Option<PathBuf>,
    },
    /// DSG questions (CSV): a program per image prompt.
    Dsg {
        /// `questions.csv`.
        questions: PathBuf,
        /// The folder to write the programs to.
        #[arg(short, long)]
        output: PathBuf,
        /// Answers of a model (CSV), to become records with judgments.
        #[arg(long, requires = "records")]
        answers: Option<PathBuf>,
        /// Where to write the records of the answers.
        #[arg(long, requires = "answers")]
        records: Option<PathBuf>,
        /// Drop the dependencies that make a graph invalid, with a warning, instead of refusing the file.
        #[arg(long)]
        mend: bool,
    },
}

pub(super) fn run(kind: &Kind) -> CommandResult {
    match kind {
        Kind::Paperbench { tree, output, records } => paperbench(tree, output, records.as_deref()),
        Kind::Dsg { questions, output, answers, records, mend } => {
            let both = answers.as_deref().zip(records.as_deref());
            dsg(questions, output, both, *mend)
        }
    }
}

fn paperbench(tree: &Path, to: &Path, records: Option<&Path>) -> CommandResult {
    let shown = tree.display();
    let text = read_text(tree, &tree.to_string_lossy())?;
    let json: serde_json::Value =
        serde_json::from_str(&text).into_diagnostic().wrap_err_with(|| format!("`{shown}` is not JSON"))?;
    let name = tree.file_stem().map_or_else(|| "paper".to_owned(), |s| s.to_string_lossy().into_owned());
    let imported = match paperbench::import(&json, &name) {
        Ok(imported) => imported,
        Err(errors) => {
            for error in &errors {
                output::note(&format!("{shown}: error: {error}"));
            }
            output::note(&format!("{} in `{shown}`; nothing was written", count(errors.len(), "fault")));
            return Ok(ExitCode::from(FAULTS));
        }
    };
    if let Some(records) = records {
        let Some(record) = &imported.record else {
            return Err(miette!(
                help = "leave `--records` away, or import a graded tree, whose leaves have a `score`",
                "`{shown}` is not graded, so there are no judgments to write"
            ));
        };
        output::write(Some(records), &format!("{record}\n"))?;
    }
    output::write(Some(to), &laid_out(imported.program))?;
    let [nodes, leaves, depth] = imported.shape;
    output::note(&format!("imported {nodes} nodes, {leaves} of them leaves, to depth {depth}"));
    Ok(ExitCode::SUCCESS)
}

fn dsg(questions: &Path, to: &Path, answers: Option<(&Path, &Path)>, mend: bool) -> CommandResult {
    let mut sink = Sink::new();
    let (files, file) = Files::open(questions)?;
    let source = files.get(file).ok_or_else(|| miette!("`{}` was not read", questions.display()))?;
    let items = dsg::questions(source, mend, &mut sink);
    let found = sink.finish();
    let mut faulty = report(&files, &found)?;
    let mut records = Vec::new();
    if let Some((answers, _)) = answers {
        let mut sink = Sink::new();
        let (files, file) = Files::open(answers)?;
        let source = files.get(file).ok_or_else(|| miette!("`{}` was not read", answers.display()))?;
        records = dsg::answers(source, &items, &mut sink);
        faulty |= report(&files, &sink.finish())?;
    }
    if faulty {
        let mendable = found.iter().any(Diagnostic::is_error) && !mend;
        let help = if mendable { "; `--mend` drops the bad dependencies of a graph" } else { "" };
        output::note(&format!("nothing was written{help}"));
        return Ok(ExitCode::from(FAULTS));
    }
    std::fs::create_dir_all(to).into_diagnostic().wrap_err_with(|| format!("`{}` could not be made", to.display()))?;
    for item in &items {
        let path = to.join(format!("{}.rubric", item.name));
        std::fs::write(&path, laid_out(item.program())).map_err(|error| output::failed(Some(&path), error))?;
    }
    if let Some((_, path)) = answers {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        output::write(Some(path), &lines)?;
    }
    let programs = count(items.len(), "program");
    output::note(&format!("wrote {programs} to `{}`, {}", to.display(), count(records.len(), "record")));
    Ok(ExitCode::SUCCESS)
}

/// Tells what was found; whether there are errors.
fn report(files: &Files, found: &[Diagnostic]) -> miette::Result<bool> {
    let batch = Batch { map: files.map(), diagnostics: found };
    output::print(&render::render(Format::Concise, &[batch], Look::default()))?;
    Ok(found.iter().any(Diagnostic::is_error))
}
