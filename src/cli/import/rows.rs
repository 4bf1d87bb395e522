//! `rubric import` of formats that come row by row, or as one file: reads, checks what was made, writes all or nothing.
//!
//! Records stream into a file beside their place, programs into a folder beside theirs; both are moved there at the end.

use super::super::{CommandResult, FAULTS, output};
use super::count;
use crate::format::laid_out;
use crate::import::format::{Form, Format, Named, PROGRAM, Row, Taken};
use crate::import::names::Names;
use crate::import::part::{Fault, Part};
use crate::import::rows::{Found, Rows};
use crate::project;
use crate::run::record::seen::Seen;
use indexmap::IndexMap;
use miette::{IntoDiagnostic, WrapErr, miette};
use serde_json::{Map, Value as Json};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Faults that are told one by one; of more only the number is.
const MOST_TOLD: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file; `-` for standard input
    file: PathBuf,
    /// Where programs go: a file, `-`, or a folder (which exists, or whose name ends in `/`) for several
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Where records go (JSON lines), with the judgments that the file holds
    #[arg(long)]
    records: Option<PathBuf>,
    /// Leave rows out that cannot be read, instead of writing nothing
    #[arg(long)]
    skip_bad: bool,
}

pub(super) fn run(format: &Format, args: &Args) -> CommandResult {
    let folder = args.output.is_dir() || args.output.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    let form = if format.own && (folder || format.shared.is_none()) { Form::Own } else { Form::Shared };
    if form == Form::Shared && args.records.is_none() {
        let help = if format.own {
            "add `--records FILE`, or `-o FOLDER/` for a program of its own for each row"
        } else {
            "add `--records FILE`"
        };
        return Err(miette!(
            help = help,
            "what the rows of {} hold goes into records, and no file is named for them",
            format.name
        ));
    }
    let mut rows = Rows::open(&args.file, format.holds)
        .map_err(|fault| miette!("`{}` cannot be read: {fault}", args.file.display()))?;
    let mut import = Import::new(format, form, args)?;
    while let Some(found) = rows.next_row().into_diagnostic().wrap_err_with(|| format!("`{}`", args.file.display()))? {
        import.row(&found)?;
    }
    import.finish(folder)
}

/// Programs by name, and records, of one row.
type Made = (Vec<(String, String)>, Vec<Map<String, Json>>);

/// What has been made so far.
struct Import<'a> {
    format: &'a Format,
    form: Form,
    args: &'a Args,
    stem: String,
    programs: Vec<(String, String)>,
    names: Names,
    records: Option<BufWriter<tempfile::NamedTempFile>>,
    ids: Seen,
    written: usize,
    bad: usize,
    warned: usize,
    /// What cannot be kept, and of how many rows.
    lost: IndexMap<String, usize>,
}

impl<'a> Import<'a> {
    fn new(format: &'a Format, form: Form, args: &'a Args) -> miette::Result<Import<'a>> {
        let records = args.records.as_deref().map(|path| {
            let beside = path.parent().filter(|p| !p.as_os_str().is_empty() && !output::is_stdout(Some(path)));
            let made = tempfile::Builder::new().prefix(".rubric-").tempfile_in(beside.unwrap_or(Path::new(".")));
            made.map(BufWriter::new).map_err(|error| output::failed(Some(path), error))
        });
        let stem = args.file.file_stem().map_or_else(|| format.name.to_owned(), |s| s.to_string_lossy().into_owned());
        Ok(Import {
            format,
            form,
            args,
            stem: if stem == "-" { format.name.to_owned() } else { stem },
            programs: Vec::new(),
            names: Names::new(),
            records: records.transpose()?,
            ids: Seen::new(),
            written: 0,
            bad: 0,
            warned: 0,
            lost: IndexMap::new(),
        })
    }

    fn row(&mut self, found: &Found) -> miette::Result<()> {
        let mut shorter: Option<Found> = None;
        loop {
            let found = shorter.as_ref().unwrap_or(found);
            let taken = match &found.content {
                Ok(json) => {
                    let stem = found.key.clone().unwrap_or_else(|| self.stem.clone());
                    let row = Row { part: Part::whole(json), number: found.number, stem: &stem, form: self.form };
                    (self.format.read)(&row).and_then(|taken| self.checked(taken))
                }
                Err(fault) => {
                    self.tell(&format!("{}: {fault}", found.place));
                    return Ok(());
                }
            };
            match taken {
                Ok((programs, records)) => {
                    self.programs.extend(programs);
                    return self.write(records);
                }
                Err(fault) => {
                    self.tell(&found.tell(&fault));
                    // A table is one program; a row of it that is bad is told, and the others are looked at without it.
                    match found.without(&fault) {
                        Some(others) => shorter = Some(others),
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    /// Tells what is wrong with a row.
    fn tell(&mut self, told: &str) {
        self.bad += 1;
        let word = if self.args.skip_bad { "left out" } else { "error" };
        if self.bad <= MOST_TOLD {
            output::note(&format!("{}: {word}: {told}", self.args.file.display()));
        } else if self.bad == MOST_TOLD + 1 {
            output::note("… and more, which are only counted");
        }
    }

    /// Checks what a row became before anything of it is kept; programs get their names.
    fn checked(&mut self, taken: Taken) -> Result<Made, Fault> {
        let whole = |message: String| Fault { key: String::new(), message };
        let mut programs = Vec::new();
        for named in &taken.programs {
            let (text, warned) = checked(named, &crate::import::names::name_of(&named.name)).map_err(whole)?;
            self.warned += usize::from(warned);
            programs.push((named, text));
        }
        let mut records = taken.records;
        if self.records.is_some() {
            for record in &records {
                if let Some(id) = record.get("id").and_then(Json::as_str)
                    && !self.ids.insert(id)
                {
                    return Err(whole(format!("the id `{id}` stands in the file twice")));
                }
            }
        }
        // A name that is taken gets a number, in the text too.
        let named: Vec<(String, String)> = programs
            .into_iter()
            .map(|(named, text)| {
                let name = self.names.take(&named.name);
                let text = if name == crate::import::names::name_of(&named.name) {
                    text
                } else {
                    laid_out(named.program(&name))
                };
                (name, text)
            })
            .collect();
        for record in &mut records {
            let place = record.shift_remove(PROGRAM).and_then(|n| n.as_u64()).and_then(|n| usize::try_from(n).ok());
            if let Some((name, _)) = named.get(place.unwrap_or(0)) {
                record.shift_insert(1.min(record.len()), "rubric".to_owned(), Json::String(name.clone()));
            }
        }
        for lost in taken.lost {
            *self.lost.entry(lost).or_default() += 1;
        }
        Ok((named, records))
    }

    fn write(&mut self, records: Vec<Map<String, Json>>) -> miette::Result<()> {
        let Some(out) = &mut self.records else { return Ok(()) };
        for record in records {
            writeln!(out, "{}", Json::Object(record))
                .map_err(|error| output::failed(self.args.records.as_deref(), error))?;
            self.written += 1;
        }
        Ok(())
    }

    fn finish(mut self, folder: bool) -> CommandResult {
        if self.bad > 0 && !self.args.skip_bad {
            let rows = count(self.bad, "fault");
            output::note(&format!("{rows}; nothing was written (`--skip-bad` leaves such rows out)"));
            return Ok(ExitCode::from(FAULTS));
        }
        if self.form == Form::Shared
            && let Some(shared) = self.format.shared
        {
            let named = shared();
            let (text, _) = checked(&named, &named.name).map_err(|fault| miette!("{fault}"))?;
            self.programs.push((named.name, text));
        }
        let records_only = self.format.shared.is_none() && !self.format.own;
        if (self.programs.is_empty() && !records_only) || (self.records.is_some() && self.written == 0 && self.bad > 0)
        {
            output::note("there was no row that could be read; nothing was written");
            return Ok(ExitCode::from(FAULTS));
        }
        if !folder && self.programs.len() > 1 {
            let n = self.programs.len();
            return Err(miette!(
                help = "name a folder: `-o programs/`",
                "the file makes {n} programs, which do not go into one file"
            ));
        }
        let to = self.programs_to(folder)?;
        self.records_to()?;
        let mut told = Vec::new();
        if !records_only {
            told.push(format!("{} to {to}", count(self.programs.len(), "program")));
        }
        if let Some(records) = &self.args.records {
            told.push(format!("{} to {}", count(self.written, "record"), shown(records)));
        }
        output::note(&format!("wrote {}", told.join(", ")));
        if self.bad > 0 {
            output::note(&format!("left out {}", count(self.bad, "row")));
        }
        if self.warned > 0 {
            output::note(&format!("{} in which `rubric check` warns of something", count(self.warned, "program")));
        }
        for (lost, rows) in &self.lost {
            let times = if *rows > 1 { format!(" ({rows} times)") } else { String::new() };
            output::note(&format!("not kept: {lost}{times}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn programs_to(&self, folder: bool) -> miette::Result<String> {
        let to = &self.args.output;
        if !folder {
            if let Some((_, text)) = self.programs.first() {
                output::write(Some(to), text)?;
            }
            return Ok(shown(to));
        }
        std::fs::create_dir_all(to).map_err(|error| output::failed(Some(to), error))?;
        for (name, text) in &self.programs {
            output::write(Some(&to.join(format!("{name}.rubric"))), text)?;
        }
        Ok(shown(to))
    }

    fn records_to(&mut self) -> miette::Result<()> {
        let (Some(out), Some(path)) = (self.records.take(), self.args.records.as_deref()) else { return Ok(()) };
        let failed = |error| output::failed(Some(path), error);
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        if output::is_stdout(Some(path)) {
            let text = std::fs::read_to_string(file.path()).map_err(failed)?;
            return output::print(&text);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // A temporary file is its owner's alone; what is written is read by others.
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(failed)?;
        }
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// The text of a program and whether the checker warns of something in it; a sentence where it has errors.
fn checked(named: &Named, name: &str) -> Result<(String, bool), String> {
    let text = laid_out(named.program(name));
    let opened = project::open_text("imported.rubric", Path::new("."), text.clone());
    match opened.diagnostics.iter().find(|found| found.is_error()) {
        Some(error) => Err(format!("the program that it makes has a fault, {}: {}", error.code, error.headline)),
        None => Ok((text, !opened.diagnostics.is_empty())),
    }
}

fn shown(path: &Path) -> String {
    if output::is_stdout(Some(path)) { "standard output".to_owned() } else { format!("`{}`", path.display()) }
}
