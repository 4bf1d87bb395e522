//! `rubric check`: every mistake of some files, in one of six formats; with `--fix`, mends what has one good fix.

use super::{CommandResult, FAULTS, UNREADABLE, output};
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::project::{self, Opened};
use crate::prove::{self, Budget};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "Examples:
  rubric check essay.rubric                   every mistake at once; its requirements are proved
  rubric check essay.rubric --fix             mends what has one good fix
  rubric check rubrics/ --deny-warnings       all programs of a folder, for CI
  rubric check essay.rubric --format repair   for a language model that mends its program";

/// Report every mistake of a program, and prove its requirements
///
/// Exit code: 0 no errors, 1 errors (with --deny-warnings also warnings), 2 a file could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Programs and libraries (`.rubric` or JSON), folders of them, `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How mistakes are shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Apply the fixes that keep what the author meant, and write the files
    #[arg(long)]
    fix: bool,
    /// Warnings count as errors
    #[arg(long)]
    deny_warnings: bool,
    /// What a proof of each requirement may cost: a time (`2s`, `500ms`, `1m`) or a number of cases; 0 proves nothing
    #[arg(long, value_name = "BUDGET", default_value = "2s", value_parser = budget)]
    prove_budget: Budget,
}

/// Cases that are looked at where a time is the budget, and time where cases are: no bound that is met before the other.
const PLENTY: (u64, Duration) = (u64::MAX, Duration::from_secs(3_600));

/// Reads a budget.
fn budget(text: &str) -> Result<Budget, String> {
    let wrong = || "write a time such as `2s`, `500ms` or `1m`, or a number of cases such as `10000`".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let time = match unit {
        "" => return Ok(Budget { boxes: number, time: PLENTY.1 }),
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" | "min" => Duration::from_secs(number.saturating_mul(60)),
        _ => return Err(wrong()),
    };
    Ok(Budget { boxes: if number == 0 { 0 } else { PLENTY.0 }, time })
}

/// Proves the requirements of a program without errors.
fn prove(opened: &mut Opened, budget: &Budget) {
    let Some(program) = opened.program.clone().filter(|_| budget.boxes > 0) else { return };
    let found = prove::check(&program, budget);
    opened.diagnostics.extend(found);
    opened.diagnostics.sort_by_key(|d| (d.span().file, d.span().start, d.span().end, d.code));
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut unreadable = 0;
    let mut opened = Vec::new();
    for path in expand(&args.files, &mut unreadable) {
        match project::open(&path) {
            Ok(one) => {
                let mut one = if args.fix { mend(&path, one)? } else { one };
                prove(&mut one, &args.prove_budget);
                opened.push(one);
            }
            Err(error) => {
                unreadable += 1;
                output::note(&format!("{:?}", miette::Report::new(error)));
            }
        }
    }
    let batches: Vec<Batch<'_>> =
        opened.iter().map(|o| Batch { map: o.files.map(), diagnostics: &o.diagnostics }).collect();
    let look = Look { colours: output::colours(), width: output::width() };
    output::print(&render::render(args.format, &batches, look))?;
    let (errors, warnings) = opened.iter().map(Opened::counts).fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    // What could not be decided is a warning, so where there is none every requirement was proved.
    let proved: usize = match args.prove_budget.boxes {
        0 => 0,
        _ => opened.iter().filter_map(|one| Some(one.program.as_ref()?.requires.len())).sum(),
    };
    output::note(&summary(opened.len(), (errors, warnings), proved, unreadable));
    // The process ends here; giving back a large program piece by piece would take as long as reading a part of it.
    std::mem::forget(opened);
    Ok(if unreadable > 0 {
        ExitCode::from(UNREADABLE)
    } else if errors > 0 || (args.deny_warnings && warnings > 0) {
        ExitCode::from(FAULTS)
    } else {
        ExitCode::SUCCESS
    })
}

/// The files that were named, and the `.rubric` files below the folders that were.
pub(super) fn expand(named: &[PathBuf], unreadable: &mut usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = project::programs_below(path).map(|all| {
            all.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rubric")).collect::<Vec<PathBuf>>()
        });
        let error = match found {
            Ok(found) if !found.is_empty() => {
                files.extend(found);
                continue;
            }
            Ok(_) => project::FolderError::Empty { path: path.to_string_lossy().into_owned() },
            Err(error) => error,
        };
        *unreadable += 1;
        output::note(&format!("{:?}", miette::Report::new(error)));
    }
    files
}

/// Applies fixes and writes the file, if it came from one.
fn mend(path: &Path, opened: Opened) -> miette::Result<Opened> {
    let fixed = project::fix(opened);
    if fixed.applied == 0 {
        return Ok(fixed.opened);
    }
    let Some(source) = fixed.opened.files.get(fixed.opened.file) else { return Ok(fixed.opened) };
    let text = if source.bom() { format!("\u{feff}{}", source.text()) } else { source.text().to_owned() };
    output::note(&format!("{}: {}", source.name, count(fixed.applied, "mistake was mended", "mistakes were mended")));
    if source.path.is_some() {
        output::write(Some(path), &text)?;
    } else {
        output::note("standard input cannot be written back; name a file to keep the mended program");
    }
    Ok(fixed.opened)
}

fn summary(files: usize, (errors, warnings): (usize, usize), proved: usize, unreadable: usize) -> String {
    let unread = count(unreadable, "file could not be read", "files could not be read");
    if files == 0 {
        return unread;
    }
    let found = match (errors, warnings) {
        (0, 0) if proved > 0 => format!("no mistakes, {} proved", count(proved, "requirement", "requirements")),
        (0, 0) => "no mistakes".to_owned(),
        (0, w) => format!("no errors, {}", count(w, "warning", "warnings")),
        (e, 0) => count(e, "error", "errors"),
        (e, w) => format!("{}, {}", count(e, "error", "errors"), count(w, "warning", "warnings")),
    };
    let checked = format!("{} checked: {found}", count(files, "file", "files"));
    if unreadable == 0 { checked } else { format!("{checked}; {unread}") }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
