//! `rubric tags`: criteria tagged by a model, and the tags clustered into dimensions.

use super::author::{Writing, all, code, planned, spent};
use super::{CommandResult, output, program};
use crate::author::{Ask, Purpose, Unsaid};
use crate::format::laid_out;
use crate::graph;
use crate::project::{self, Opened};
use crate::tags::assign::{self, BATCH};
use crate::tags::{Dimension, Place, clusters, places, write};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use miette::miette;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tag criteria by the quality that each checks, and cluster the tags into dimensions for `rubric profile`
///
/// Exit code: 0 done, 1 a program has faults, 2 something could not be read or written, 5 the model gave no tags, 6 the
/// budget ended, 130 stopped. Without tags for every criterion nothing is written; what was answered is stored.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A `.rubric` file, a JSON program, or a folder of programs
    file: PathBuf,
    /// Write the program with the dimensions as tags; for a folder, a folder
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// The key of the tags that are written
    #[arg(long, value_name = "WORD", default_value = "topic", value_parser = key)]
    key: String,
    /// Criteria in one call
    #[arg(long, value_name = "N", default_value_t = BATCH as u64, value_parser = clap::value_parser!(u64).range(1..=100))]
    batch: u64,
    /// How the dimensions are shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    #[command(flatten)]
    writing: Writing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table of the dimensions
    Human,
    /// One JSON object (`grammar/tags.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric tags care.rubric -o tagged.rubric
  rubric tags expanded/ -o tagged/ --max-calls 100
  rubric tags care.rubric --plan";

fn key(text: &str) -> Result<String, String> {
    if crate::types::is_bare_label(text) {
        Ok(text.to_owned())
    } else {
        Err("a key is a word, such as topic".to_owned())
    }
}

/// A program that is tagged.
struct Tagged {
    /// As it was named, and as it is written.
    name: String,
    file: PathBuf,
    text: String,
    places: Vec<Place>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let programs = read(args)?;
    let criteria: Vec<&Place> = programs.iter().flat_map(|program| &program.places).collect();
    if criteria.is_empty() {
        return Err(miette!("`{}` has no criteria with a question", args.file.display()));
    }
    let size = usize::try_from(args.batch).unwrap_or(BATCH);
    let batches: Vec<&[&Place]> = criteria.chunks(size).collect();
    let asks: Vec<Ask> = batches
        .iter()
        .map(|batch| {
            let about = batch.first().map_or("", |place| place.name.as_str());
            let purpose = Purpose { command: "tags".into(), step: "assign".into(), about: about.into() };
            let text = assign::batch(batch.iter().map(|place| place.text.as_str()));
            let mut ask = Ask::new(purpose, assign::system(), text);
            ask.schema = Some(assign::schema());
            ask
        })
        .collect();
    let author = args.writing.open(&args.file)?;
    if args.writing.plan {
        output::print(&planned(&author, &asks)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let counts: Vec<usize> = batches.iter().map(|batch| batch.len()).collect();
    let outcomes = all(&author, asks, move |place, text| assign::read(text, counts.get(place).copied().unwrap_or(0)))?;
    let unsaid: Vec<&Unsaid> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    if let Some(first) = unsaid.first() {
        let (failed, calls) = (unsaid.len(), outcomes.len());
        output::note(&format!("{failed} of {calls} calls gave no tags, so nothing is written; the first: {first}"));
        output::note(&spent(&author));
        return Ok(ExitCode::from(code(&author, unsaid).unwrap_or(super::JUDGE_FAILED)));
    }
    let tags: Vec<Vec<String>> = outcomes.into_iter().flatten().flat_map(|said| said.value).collect();
    let mut frequent: BTreeMap<String, u64> = BTreeMap::new();
    for tag in tags.iter().flatten() {
        *frequent.entry(tag.clone()).or_default() += 1;
    }
    let dimensions = clusters(&frequent);
    let of: HashMap<&str, &str> =
        dimensions.iter().flat_map(|d| d.tags.iter().map(move |tag| (tag.as_str(), d.name.as_str()))).collect();
    let assigned: Vec<Vec<String>> = tags.iter().map(|tags| dimensions_of(tags, &of)).collect();
    if let Some(output) = &args.output {
        write_all(args, output, &programs, &assigned)?;
    }
    let text = match args.format {
        Format::Human => human(&dimensions, criteria.len()),
        Format::Json => format!("{:#}\n", as_json(&dimensions, &criteria, &tags, &assigned)),
    };
    if output::is_stdout(args.output.as_deref()) && args.output.is_some() {
        output::note(text.trim_end());
    } else {
        output::print(&text)?;
    }
    output::note(&spent(&author));
    Ok(ExitCode::SUCCESS)
}

/// The dimensions of some tags, each once, in the order of the tags.
fn dimensions_of(tags: &[String], of: &HashMap<&str, &str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for dimension in tags.iter().filter_map(|tag| of.get(tag.as_str())) {
        if !found.iter().any(|known| known == dimension) {
            found.push((*dimension).to_owned());
        }
    }
    found
}

fn read(args: &Args) -> miette::Result<Vec<Tagged>> {
    if !args.file.is_dir() {
        return Ok(vec![tagged(args, project::open(&args.file)?, &args.file)?]);
    }
    let folder = program::require_folder(&args.file)?;
    let each = folder.into_values().map(|ready| {
        let path = ready.files.get(ready.file).map(|source| PathBuf::from(&*source.name)).unwrap_or_default();
        let opened =
            Opened { files: ready.files, file: ready.file, program: Some(ready.program), diagnostics: Vec::new() };
        tagged(args, opened, &path)
    });
    each.collect()
}

fn tagged(args: &Args, opened: Opened, path: &Path) -> miette::Result<Tagged> {
    let is_json = opened.files.get(opened.file).is_some_and(|source| project::is_json(source.text()));
    let ready = program::ready(opened)?;
    let opened = if is_json {
        let folder = path.parent().unwrap_or(Path::new("."));
        project::open_text("the program as text", folder, graph::text::write(&ready.program))
    } else {
        Opened { files: ready.files, file: ready.file, program: None, diagnostics: Vec::new() }
    };
    let text = opened.files.get(opened.file).map(|source| source.text().to_owned()).unwrap_or_default();
    let file = PathBuf::from(path.file_name().unwrap_or(path.as_os_str())).with_extension("rubric");
    Ok(Tagged { name: ready.program.name.to_string(), file, text, places: places(&opened, &args.key) })
}

/// Writes every program with its tags, once all of them are known to hold.
fn write_all(args: &Args, to: &Path, programs: &[Tagged], assigned: &[Vec<String>]) -> miette::Result<()> {
    let mut values = assigned.iter();
    let mut texts = Vec::with_capacity(programs.len());
    for one in programs {
        let tagged: Vec<(Place, Vec<String>)> =
            one.places.iter().map(|place| (place.clone(), values.next().cloned().unwrap_or_default())).collect();
        let text = write(&one.text, &args.key, &tagged);
        // What was laid out stays so; what was not is its author's.
        let text = if laid_out(one.text.clone()) == one.text { laid_out(text) } else { text };
        let checked = project::open_text(&one.name, args.file.parent().unwrap_or(Path::new(".")), text.clone());
        if let Some(error) = checked.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            return Err(miette!("`{}` would not hold any more with its tags: {}", one.name, error.headline));
        }
        texts.push(text);
    }
    if !args.file.is_dir() {
        return texts.iter().try_for_each(|text| output::write(Some(to), text));
    }
    std::fs::create_dir_all(to).map_err(|error| output::failed(Some(to), error))?;
    programs.iter().zip(&texts).try_for_each(|(one, text)| output::write(Some(&to.join(&one.file)), text))
}

fn human(dimensions: &[Dimension], criteria: usize) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(["dimension", "tags given", "tags in it"]);
    table.set_width(u16::try_from(output::width()).unwrap_or(100));
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    for dimension in dimensions {
        table.add_row([dimension.name.clone(), dimension.count.to_string(), dimension.tags.join(", ")]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n{criteria} criteria, {} dimensions\n", dimensions.len())
}

fn as_json(dimensions: &[Dimension], criteria: &[&Place], tags: &[Vec<String>], assigned: &[Vec<String>]) -> Json {
    let dimensions: Vec<Json> =
        dimensions.iter().map(|d| json!({ "name": d.name, "count": d.count, "tags": d.tags })).collect();
    let each = criteria.iter().zip(tags).zip(assigned);
    let criteria: Vec<Json> = each
        .map(|((place, tags), dimensions)| {
            json!({ "criterion": place.name, "text": place.text, "tags": tags, "dimensions": dimensions })
        })
        .collect();
    json!({ "format": "rubric-tags/1", "dimensions": dimensions, "criteria": criteria })
}
