//! `rubric trim`: a smaller program.

use super::{CommandResult, FAULTS, output, program};
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::format::format;
use crate::project::{self, Keep};
use miette::miette;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a smaller program: the same, with fewer checklist items
///
/// What is kept has to fit everything that is asked for. Items that something else reads (a gate, a requirement, a tie)
/// stay in any case; tests that speak of an item that goes are taken out, and named. Exit code: 0 written, 1 the program has
/// faults, or would have them, 2 something could not be read or written, or nothing would be left.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub(crate) struct Args {
    /// A `.rubric` file or a JSON program; `-` is standard input
    file: PathBuf,
    /// Keep the K items with the most points, whatever their sign; of equal ones the first in the file
    #[arg(long, value_name = "K", group = "what", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Keep items with this tag; repeated: with one of the values of each key that is named
    #[arg(long, value_name = "KEY=VALUE", group = "what", value_parser = tag)]
    tag: Vec<(String, String)>,
    /// Keep items of this group; repeated: of one of these
    #[arg(long, value_name = "ID", group = "what")]
    group: Vec<String>,
    /// Trim only this checklist
    #[arg(long, value_name = "NAME")]
    checklist: Option<String>,
    /// Where it is written; `-` is standard output
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  rubric trim care.rubric --top 10 -o care-10.rubric
  rubric trim care.rubric --tag axis=accuracy
  rubric trim care.rubric --group safety --top 3 -o safety.rubric";

fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("a tag is KEY=VALUE, such as axis=accuracy".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let opened = project::open(&args.file)?;
    let is_json = opened.files.get(opened.file).is_some_and(|source| project::is_json(source.text()));
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let ready = program::ready(opened)?;
    let opened = if is_json {
        project::open_text("the program as text", folder, crate::graph::text::write(&ready.program))
    } else {
        project::Opened { files: ready.files, file: ready.file, program: None, diagnostics: Vec::new() }
    };
    let keep = Keep {
        checklist: args.checklist.clone(),
        groups: args.group.clone(),
        tags: args.tag.clone(),
        top: args.top.map(|top| usize::try_from(top).unwrap_or(usize::MAX)),
    };
    let trimmed = project::trim(&opened, &keep).map_err(|fault| miette!("{fault}"))?;
    // Columns that fitted the items that went do not fit the others; a layout of somebody's own is left alone.
    let source = opened.files.get(opened.file);
    let laid_out = is_json || source.is_some_and(|source| format(source).is_ok_and(|text| text == source.text()));
    let to_folder = match output::is_stdout(Some(&args.output)) {
        true => folder,
        false => args.output.parent().unwrap_or(Path::new(".")),
    };
    let checked = project::open_text("the trimmed program", to_folder, trimmed.text.clone());
    if checked.has_errors() {
        let batch = [Batch { map: checked.files.map(), diagnostics: &checked.diagnostics }];
        let look = Look { colours: output::colours_on_stderr(), width: output::width() };
        output::note(render::render(Format::Human, &batch, look).trim_end());
        output::note("nothing was written: with so few items the program does not hold any more");
        return Ok(ExitCode::from(FAULTS));
    }
    let again = checked.files.get(checked.file).filter(|_| laid_out).and_then(|source| format(source).ok());
    output::write(Some(&args.output), again.as_ref().unwrap_or(&trimmed.text))?;
    output::note(&format!("{} of {} items are left", trimmed.kept, trimmed.of));
    for (item, line) in &trimmed.held {
        output::note(&format!("`{item}` stays because line {line} reads it"));
    }
    for (number, id) in &trimmed.named {
        output::note(&format!(
            "item {number}, which had no ID, is now called `{id}`, so that nobody takes it for another"
        ));
    }
    for test in &trimmed.tests {
        output::note(&format!("the test \"{test}\" speaks of an item that went, and went with it"));
    }
    let (_, warnings) = checked.counts();
    if warnings > 0 {
        output::note("the smaller program has warnings; `rubric check` shows them");
    }
    Ok(ExitCode::SUCCESS)
}
