//! `rubric fmt`: the one layout.

use super::{CommandResult, FAULTS, UNREADABLE, check, output};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::render::{self, Batch, Format, Look, clean};
use crate::format::{self, Refusal};
use crate::project::{self, STDIN};
use crate::source::files::{self, Files};
use crate::source::{FileId, ReadError, Source};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric fmt essay.rubric                     lays the file out
  rubric fmt rubrics/ --check                 says what would change, for CI";

/// Lay out programs and libraries in the one way: only blanks, line breaks and commas before closing brackets change
///
/// Files with syntax errors are left alone. Exit code: 0 all is laid out, 1 a file has syntax errors (with --check also: a
/// file would change), 2 a file could not be read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `.rubric` files, folders of them, `-` for standard input, which is then printed
    #[arg(default_value = ".")]
    files: Vec<PathBuf>,
    /// Write nothing: list the files that would change, each with what would change
    #[arg(long)]
    check: bool,
}

/// What became of the files.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    /// Written, or with `--check` to be written.
    changed: usize,
    faulty: usize,
    unreadable: usize,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut tally = Tally::default();
    for path in check::expand(&args.files, &mut tally.unreadable) {
        match open(&path) {
            Ok((files, file)) => {
                tally.files += 1;
                one(&path, &files, file, args.check, &mut tally)?;
            }
            Err(error) => {
                tally.unreadable += 1;
                output::note(&format!("{:?}", miette::Report::new(error)));
            }
        }
    }
    output::note(&summary(&tally, args.check));
    Ok(if tally.unreadable > 0 {
        ExitCode::from(UNREADABLE)
    } else if tally.faulty > 0 || args.check && tally.changed > 0 {
        ExitCode::from(FAULTS)
    } else {
        ExitCode::SUCCESS
    })
}

fn open(path: &Path) -> Result<(Files, FileId), ReadError> {
    if path == Path::new("-") {
        let text = files::read_all(std::io::stdin().lock(), STDIN)?;
        return Ok(Files::text(STDIN, Path::new("."), text));
    }
    Files::open(path)
}

/// Lays out one file.
fn one(path: &Path, files: &Files, file: FileId, check: bool, tally: &mut Tally) -> miette::Result<()> {
    let Some(source) = files.get(file) else { return Ok(()) };
    if project::is_json(source.text()) {
        tally.faulty += 1;
        output::note(&format!("{}: a JSON program has no layout of its own; it is left as it is", source.name));
        return Ok(());
    }
    let text = match format::format(source) {
        Ok(text) => text,
        Err(Refusal::Syntax(found)) => {
            tally.faulty += 1;
            tell(files, &found);
            return Ok(());
        }
        Err(Refusal::Changed) => {
            tally.faulty += 1;
            output::note(&format!(
                "{}: the new layout would not have read as the old one does, so the file is left as it is; this is a fault \
                 of `rubric fmt`, please report it with the file",
                source.name
            ));
            return Ok(());
        }
    };
    let changed = text != source.text();
    tally.changed += usize::from(changed);
    if check {
        return if changed { output::print(&diff(source, &text)) } else { Ok(()) };
    }
    let text = if source.bom() { format!("\u{feff}{text}") } else { text };
    match &source.path {
        None => output::print(&text),
        Some(_) if changed => output::write(Some(path), &text),
        Some(_) => Ok(()),
    }
}

/// Syntax errors, on standard error: standard output is for programs.
fn tell(files: &Files, found: &[Diagnostic]) {
    let batch = Batch { map: files.map(), diagnostics: found };
    let look = Look { colours: output::colours_on_stderr(), width: output::width() };
    output::note(render::render(Format::Human, &[batch], look).trim_end());
}

/// The lines that would change, as a unified diff.
fn diff(source: &Source, text: &str) -> String {
    let changes = similar::TextDiff::from_lines(source.text(), text);
    let name = clean::clean(&source.name);
    let shown = changes.unified_diff().context_radius(2).header(&name, &format!("{name} (laid out)")).to_string();
    shown.split_inclusive('\n').map(|line| format!("{}\n", clean::clean(line.trim_end_matches(['\n', '\r'])))).collect()
}

fn summary(tally: &Tally, check: bool) -> String {
    let unchanged = tally.files - tally.changed - tally.faulty;
    let mut parts = Vec::new();
    let mut part = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(format!("{n} {}", if n == 1 { one } else { many }));
        }
    };
    if check {
        part(tally.changed, "file would change", "files would change");
    } else {
        part(tally.changed, "file laid out", "files laid out");
    }
    part(unchanged, "file is as it should be", "files are as they should be");
    part(tally.faulty, "file is left alone", "files are left alone");
    part(tally.unreadable, "file could not be read", "files could not be read");
    parts.join(", ")
}
