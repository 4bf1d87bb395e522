//! `rubric store`: what the judgment store holds, and taking out what is old.

use super::run::judging::{Asking, Opener};
use super::run::{open_data, open_judgments, open_programs};
use super::{CommandResult, output};
use crate::judge::ask::CallKind;
use crate::judge::schedule::{self, Judges};
use crate::judge::store::look::{self, Look, OfModel, Old};
use crate::run::driver::{Driver, Prepared};
use crate::source::files::project_root;
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use miette::miette;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Look into the judgment store: what models answered, kept so that nothing is paid twice
///
/// Exit code: 0 done, 2 the store could not be read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// What there is, by model: judgments, tokens, when
    Stats(Place),
    /// Say for each call of a record whether its answer is stored, and if not, what differs from what is stored
    Why(Why),
    /// Every judgment as a line of JSON, in the order in which they were stored
    Export {
        #[command(flatten)]
        place: Place,
        /// Where the lines go; `-` for standard output
        #[arg(short, long, default_value = "-")]
        output: PathBuf,
    },
    /// Take out what is old; at least one condition, all of which must hold
    Gc {
        #[command(flatten)]
        place: Place,
        /// Stored longer ago than so many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,
        /// Asked of this model, as its provider calls it
        #[arg(long)]
        model: Option<String>,
        /// Asked first by this program: its name, or its digest
        #[arg(long)]
        program: Option<String>,
        /// Asked first by another program than these: files, or folders with all programs in them
        #[arg(long, value_name = "FILE|FOLDER", num_args = 1..)]
        keep_programs: Vec<PathBuf>,
        /// Only say how many there are
        #[arg(long)]
        dry_run: bool,
    },
}

/// Whose judgments.
#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// The program
    file: PathBuf,
    /// The records
    #[arg(long)]
    data: PathBuf,
    /// The record
    #[arg(long)]
    id: String,
    /// Only calls about this criterion or item
    #[arg(long)]
    criterion: Option<String>,
    /// More recorded judgments, one JSON line each
    #[arg(long)]
    judgments: Option<PathBuf>,
    #[command(flatten)]
    asking: Asking,
}

/// Which store.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The store; without it that of the project in the current folder
    #[arg(long)]
    store: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rubric store stats
  rubric store why essay.rubric --data essays.jsonl --id e7 --criterion clear
  rubric store export -o judgments.jsonl
  rubric store gc --older-than 90 --dry-run
  rubric store gc --model gpt-4o-2024-08-06
  rubric store gc --keep-programs rubrics/ --dry-run";

/// The store of the project in which a folder lies: below its root, out of version control.
pub(crate) fn default_place(folder: &Path) -> PathBuf {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    // `absolute` leaves a `.` at the end, which is no folder above anything.
    let folder: PathBuf = folder.components().collect();
    project_root(&folder).join(".rubric").join("store.sqlite")
}

impl Place {
    fn path(&self) -> PathBuf {
        self.store.clone().unwrap_or_else(|| default_place(Path::new(".")))
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    match &args.command {
        Command::Why(args) => return why(args),
        Command::Stats(place) => {
            let path = place.path();
            let look = Look::open(&path)?;
            output::print(&stats(&path, &look.models()?))?;
        }
        Command::Export { place, output: to } => {
            let look = Look::open(&place.path())?;
            let mut out = output::stream(Some(to))?;
            let n = look.export(out.as_mut())?.map_err(|error| output::failed(Some(to), error))?;
            output::note(&format!("{n} judgments"));
        }
        Command::Gc { place, older_than, model, program, keep_programs, dry_run } => {
            if older_than.is_none() && model.is_none() && program.is_none() && keep_programs.is_empty() {
                return Err(miette!(
                    help = "say --older-than DAYS, --model MODEL, --program PROGRAM or --keep-programs FILES; to take out everything, delete \
                            the file",
                    "nothing says what is old"
                ));
            }
            let before = older_than.map(|days| now() - i64::from(days) * 24 * 60 * 60);
            let kept_programs = digests(keep_programs)?;
            let old = Old { before, model: model.clone(), program: program.clone(), kept_programs };
            let n = Look::open(&place.path())?.collect(&old, *dry_run)?;
            let said = if *dry_run { "would be taken out" } else { "taken out" };
            output::print(&format!("{n} judgments {said}\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The digests of programs in files and folders. One that has errors ends it: what it asked would be lost.
fn digests(paths: &[PathBuf]) -> miette::Result<Vec<String>> {
    let mut digests = Vec::new();
    for path in paths {
        let before = digests.len();
        digests.extend(open_programs(path)?.all().map(|engine| engine.digest.clone()));
        if digests.len() == before {
            return Err(miette!(
                help = "name a file, or a folder with programs; nothing was taken out",
                "`{}` holds no programs",
                path.display()
            ));
        }
    }
    Ok(digests)
}

/// Says of each call of a record why it would be made or not.
fn why(args: &Why) -> CommandResult {
    let judgments = open_judgments(args.judgments.as_deref())?;
    let mut driver = Driver::new(open_programs(&args.file)?, open_data(&args.data, None)?, judgments);
    let ready = loop {
        let next =
            driver.next_prepared().map_err(|error| miette!("the records cannot be read any further: {error}"))?;
        match next {
            None => {
                return Err(miette!(
                    help = "name one with --id",
                    "`{}` has no record `{}`",
                    args.data.display(),
                    args.id
                ));
            }
            Some(Prepared::Ready(ready)) if ready.record.id == args.id => break ready,
            Some(Prepared::Failed(fault, _)) if fault.id.as_ref() == Some(&args.id) => {
                return Err(miette!("the record `{}` cannot be run: {}", args.id, fault.reason));
            }
            Some(_) => {}
        }
    };
    let mut opener = Opener::new(&args.asking, None, &args.file, &args.data);
    let Some(Judges { asker, judging, .. }) = opener.open(&ready.engine)? else {
        return Err(miette!("nobody is asked"));
    };
    let look = judging.store.as_ref().map(|store| Look::open(store.path())).transpose()?;
    let mut text = String::new();
    for asking in &mut asker.plan(&ready.record, &ready.judged) {
        for (_, call) in asking.calls() {
            let wanted = args.criterion.as_ref().is_none_or(|name| call.about.contains(name));
            if !wanted {
                continue;
            }
            let asked = schedule::asked(&ready, &call);
            let (who, identity) = match &call.kind {
                CallKind::Ask { alias, .. } => {
                    let Some(found) = schedule::identity(&call) else { continue };
                    let who = format!("model {}, sample {}", alias.name, call.sample + 1);
                    (who, found.map(|(identity, _)| identity))
                }
                CallKind::Verify { name, verifier, input } => {
                    let who = format!("verifier {name}");
                    match judging.digests.identity(name, verifier, input) {
                        Some(found) => (who, found),
                        None => {
                            text += &format!(
                                "{}, {who}: runs each time, as it does not say `store = true`\n",
                                asked.criterion
                            );
                            continue;
                        }
                    }
                }
            };
            let of = if asked.candidate.is_empty() { String::new() } else { format!(" of `{}`", asked.candidate) };
            let said = match identity {
                Err(failure) => format!("cannot be asked: {}", failure.detail),
                Ok(identity) => match look.as_ref().map(|look| look.why(&identity, &asked)).transpose()? {
                    Some(look::Why::Hit { time, answered }) => format!("stored {}, answered by {answered}", ago(time)),
                    Some(look::Why::Differs { stored, differences }) => {
                        let list: Vec<String> = differences.iter().map(look::Difference::in_words).collect();
                        let of = if stored == 1 { "the stored one" } else { "the nearest stored one" };
                        format!("would be asked; {of} differs in {}", list.join("; "))
                    }
                    Some(look::Why::Nothing) => {
                        "would be asked; nothing is stored about this criterion of this record".to_owned()
                    }
                    None => "would be asked; there is no store yet".to_owned(),
                },
            };
            text += &format!("{}{of}, {who}: {said}\n", asked.criterion);
        }
    }
    if text.is_empty() {
        text = "no model is asked: everything is recorded, computed or does not apply\n".to_owned();
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}

fn stats(path: &Path, models: &[OfModel]) -> String {
    let total: u64 = models.iter().map(|model| model.judgments).sum();
    // What was stored last stands in a second file until SQLite puts it into the first.
    let log = path.with_file_name(format!("{}-wal", path.file_name().unwrap_or_default().to_string_lossy()));
    let size: u64 = [path, &log].iter().map(|file| std::fs::metadata(file).map_or(0, |file| file.len())).sum();
    let mut text = format!("{}: {total} judgments, {}\n", path.display(), bytes(size));
    if models.is_empty() {
        return text;
    }
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["model", "address", "judgments", "input tokens", "of these cached", "output tokens", "last"]);
    for model in models {
        let answered = model.answered.iter().filter(|answered| **answered != model.model);
        let answered: Vec<&str> = answered.map(String::as_str).collect();
        let named = if answered.is_empty() {
            model.model.clone()
        } else {
            format!("{} ({})", model.model, answered.join(", "))
        };
        let counts = [model.judgments, model.input, model.cached, model.output].map(|n| n.to_string());
        let [judgments, input, cached, output] = counts;
        table.add_row([named, model.url.clone(), judgments, input, cached, output, ago(model.last)]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    text += &format!("{table}\n");
    text
}

fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{n} bytes"),
        10_000..10_000_000 => format!("{} kB", n / 1000),
        _ => format!("{} MB", n / 1_000_000),
    }
}

/// How long ago, roughly.
fn ago(time: i64) -> String {
    let seconds = (now() - time).max(0);
    let (n, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" })
}
