//! `rubric prompt`: what a judge would be sent about a record, to the letter, without sending anything.

use super::{CommandResult, output, program};
use crate::diagnostics::did_you_mean;
use crate::diagnostics::render::clean::clean;
use crate::graph::{NodeKind, Procedure, Program};
use crate::judge::ask::{Asker, Call, CallKind, PLACEHOLDER};
use crate::judge::config::Config;
use crate::judge::wire::{self, Content, Question};
use crate::run::engine::Engine;
use crate::run::judgment::{Judged, judge};
use crate::run::record::{DataFormat, Record, Records};
use miette::miette;
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show what a judge would be sent about a record, without sending anything
///
/// Recorded judgments are left aside. Where a call carries a nonce, the word NONCE stands; each call that is sent has a fresh
/// one. What follows from answers (the parts of `each`, the second model of a cascade, asking again) is not shown. Exit
/// code: 0 shown, 1 the program has faults, 2 something could not be read, or there is no such call.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program (`.rubric` or JSON)
    file: PathBuf,
    /// The records: JSON lines or a CSV table; `-` for standard input
    #[arg(long)]
    data: PathBuf,
    /// The record; without it the first
    #[arg(long)]
    id: Option<String>,
    /// The criterion or item; without it all that are asked
    #[arg(long)]
    criterion: Option<String>,
    /// The candidate; without it all
    #[arg(long)]
    candidate: Option<String>,
    /// Text to read, or the request as JSON, one line for each call
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The configuration; without it `rubric.toml` in the program's folder or above it
    #[arg(long)]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric prompt essay.rubric --data essays.jsonl --criterion clear
  rubric prompt essay.rubric --data essays.jsonl --id r7 --criterion care.red_flags --format json";

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let engine = Engine::new(ready.program);
    if let Some(name) = &args.criterion {
        check_criterion(&engine, name)?;
    }
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let mut config = Config::load(folder, args.config.as_deref())?;
    if config.aliases.is_empty() {
        config.aliases = stand_ins(&engine.program)?;
        output::note(
            "no model is configured: this is what a server that speaks OpenAI's language would be sent (see `rubric doctor`)",
        );
    }
    let images = args.data.parent().unwrap_or(Path::new("."));
    let asker = Asker::new(&engine.program, &config, images)
        .map_err(|faults| miette!("the judges of this program cannot be asked:\n  {}", faults.join("\n  ")))?;
    let (record, judged) = read(args, &engine)?;
    let candidate = match &args.candidate {
        None => None,
        Some(id) => Some(place(&record, id)?),
    };
    let mut out = String::new();
    let mut calls = 0_usize;
    let mut shown: HashSet<(Vec<String>, Option<usize>, String, String)> = HashSet::new();
    for mut asking in asker.plan(&record, &judged) {
        for (_, call) in asking.calls() {
            if wanted(args, &engine, &judged, &call, candidate) {
                // To read, the same text once is enough; the samples are counted.
                let same = (call.about.clone(), call.candidate, model(&call), text(&call));
                if args.format == Format::Text && !shown.insert(same) {
                    calls += 1;
                    continue;
                }
                show(&mut out, args.format, &record, &call).map_err(|fault| miette!("{fault}"))?;
                calls += 1;
            }
        }
        if let Some(fault) = asking.fault() {
            return Err(miette!("record `{}`: {fault}", record.id));
        }
    }
    if calls == 0 {
        return Err(nothing(args, &record));
    }
    output::print(&out)?;
    if calls > 1 {
        let alike = if args.format == Format::Text && shown.len() < calls {
            format!(", of which {} differ; the others are samples of the same", shown.len())
        } else {
            String::new()
        };
        output::note(&format!("{calls} calls{alike}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses names of what is not asked, and says what it is instead.
fn check_criterion(engine: &Engine, name: &str) -> miette::Result<()> {
    let checklists = || engine.program.checklists.iter().map(|list| &*list.name);
    let brings_items = |list: &&crate::graph::Checklist| list.from.is_some();
    if let Some(leaf) = engine.layout.find_leaf(name) {
        let procedure = match engine.program.node(leaf).map(|node| &node.kind) {
            Some(NodeKind::Criterion(criterion)) => &criterion.procedure,
            _ => return Ok(()),
        };
        return match procedure {
            Procedure::Rule(_) => Err(miette!("`{name}` is computed by a rule; nobody is asked")),
            Procedure::Human { .. } => Err(miette!("`{name}` is judged by people; no model is asked")),
            _ => Ok(()),
        };
    }
    let of_record =
        |list: &crate::graph::Checklist| name.strip_prefix(&*list.name).is_some_and(|rest| rest.starts_with('.'));
    if checklists().any(|list| list == name) || engine.program.checklists.iter().filter(brings_items).any(of_record) {
        return Ok(());
    }
    let near = did_you_mean(name, engine.layout.leaf_names().chain(checklists()));
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Err(miette!("there is no criterion `{name}`{near}"))
}

/// Models that stand in for those that nobody has configured.
fn stand_ins(
    program: &Program,
) -> miette::Result<indexmap::IndexMap<String, std::sync::Arc<crate::judge::config::Alias>>> {
    let mut text = String::new();
    let mut names = std::collections::BTreeSet::new();
    for node in &program.nodes {
        let criterion = match &node.kind {
            NodeKind::Criterion(criterion) | NodeKind::Items { template: criterion, .. } => criterion,
            NodeKind::Operator(_) => continue,
        };
        match &criterion.procedure {
            Procedure::Llm(llm) => names.extend(llm.models.iter()),
            Procedure::Cascade { first, second, .. } => names.extend(first.models.iter().chain(&second.models)),
            _ => {}
        }
    }
    for name in names {
        let name = toml::Value::String(name.to_string());
        let _ = write!(
            text,
            "[models.{name}]\ndialect = \"openai\"\nbase_url = \"http://localhost\"\nmodel = {name}\ncan = {{ images = true }}\n"
        );
    }
    Ok(Config::parse(Path::new("rubric.toml"), &text)?.aliases)
}

/// The record, and what is known of it without any judgment.
fn read(args: &Args, engine: &Engine) -> miette::Result<(Record, Judged)> {
    let name = args.data.display();
    let cannot = |fault: String| miette!("the records `{name}` cannot be read: {fault}");
    let mut records = Records::open(&args.data, None::<DataFormat>).map_err(cannot)?;
    let mut ids = Vec::new();
    loop {
        let raw = records.next_record().map_err(|error| cannot(error.to_string()))?;
        let Some(raw) = raw else {
            let id = args.id.as_deref().unwrap_or("");
            if args.id.is_none() {
                return Err(miette!("`{name}` holds no record"));
            }
            let near = did_you_mean(id, ids.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(miette!("`{name}` holds no record `{id}`{near}"));
        };
        let mut record = match Record::read(raw, &engine.program, &engine.layout) {
            Ok(record) if args.id.as_ref().is_none_or(|id| *id == record.id) => record,
            Ok(record) => {
                if ids.len() < 10_000 {
                    ids.push(record.id);
                }
                continue;
            }
            Err(fault) if args.id.is_none() || fault.id == args.id => {
                return Err(miette!("the record in line {} cannot be read: {}", fault.line, fault.reason));
            }
            Err(_) => continue,
        };
        record.judgments.clear();
        for candidate in &mut record.candidates {
            candidate.judgments.clear();
        }
        let judged = judge(&engine.program, &engine.layout, &mut record, Vec::new(), None);
        let judged = judged.map_err(|fault| miette!("record `{}`: {fault}", record.id))?;
        return Ok((record, judged));
    }
}

fn place(record: &Record, id: &str) -> miette::Result<usize> {
    let ids = || record.candidates.iter().filter_map(|candidate| candidate.id.as_deref());
    let found = record.candidates.iter().position(|candidate| candidate.id.as_deref() == Some(id));
    found.ok_or_else(|| {
        let near = did_you_mean(id, ids()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        miette!("record `{}` has no candidate `{id}`{near}", record.id)
    })
}

/// Whether a call is one of those asked for. A checklist's name stands for its items.
fn wanted(args: &Args, engine: &Engine, judged: &Judged, call: &Call, candidate: Option<usize>) -> bool {
    if candidate.is_some() && call.candidate.is_some() && call.candidate != candidate {
        return false;
    }
    let Some(name) = &args.criterion else { return true };
    let leaf = engine.layout.find_leaf(name).and_then(|leaf| engine.program.node(leaf));
    let by_number = || {
        let (list, number) = name.rsplit_once('.')?;
        let leaf = engine.layout.find_leaf(list)?;
        let leaf = judged.lists().flatten().find(|judged| judged.node == leaf)?;
        let item = leaf.items.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some(format!("{list}.{}", item.id))
    };
    let names = [Some(name.clone()), leaf.map(|leaf| leaf.name.to_string()), by_number()];
    call.about.iter().any(|about| {
        names.iter().flatten().any(|name| {
            about == name
                || about.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.') && is_list(engine, name))
        })
    })
}

fn is_list(engine: &Engine, name: &str) -> bool {
    engine.program.checklists.iter().any(|list| *list.name == *name)
}

fn nothing(args: &Args, record: &Record) -> miette::Report {
    match &args.criterion {
        Some(name) => miette!(
            help = "it may not apply to this record (`applies`), or be an item that this record does not have",
            "nobody is asked about `{name}` in record `{}`",
            record.id
        ),
        None => miette!("nobody is asked about record `{}`: rules and people judge all of it", record.id),
    }
}

/// The name of the model that is asked.
fn model(call: &Call) -> String {
    call.alias().map(|alias| alias.name.clone()).unwrap_or_default()
}

/// What a model reads.
fn text(call: &Call) -> String {
    match call.identity(PLACEHOLDER) {
        Some(Question::Chat(chat)) => format!("{:?}{:?}", chat.shared, chat.own),
        Some(Question::Decide(decide)) => format!("{decide:?}"),
        Some(Question::Embed(texts)) => texts.join("\n"),
        None => String::new(),
    }
}

/// Adds a call to what is printed.
fn show(out: &mut String, format: Format, record: &Record, call: &Call) -> Result<(), String> {
    let candidate = call.candidate.and_then(|place| record.candidates.get(place)).and_then(|c| c.id.as_deref());
    let (alias, question) = match (&call.kind, call.identity(PLACEHOLDER)) {
        (CallKind::Ask { alias, .. }, Some(question)) => (alias, question),
        (CallKind::Verify { name, verifier, input }, _) => {
            verifier_call(out, format, name, &verifier.command, input);
            return Ok(());
        }
        _ => return Err("there is nothing to show".to_owned()),
    };
    let rendered = wire::render(alias, &question)?;
    let body: Json = serde_json::from_slice(&rendered.body).map_err(|error| error.to_string())?;
    if format == Format::Json {
        let headers: Map<String, Json> =
            rendered.headers.iter().map(|(name, value)| ((*name).to_owned(), Json::from(*value))).collect();
        let line = json!({"record": record.id, "candidate": candidate, "criteria": call.about, "model": alias.name,
            "sample": call.sample, "url": rendered.url, "headers": headers, "body": body});
        let _ = writeln!(out, "{line}");
        return Ok(());
    }
    let whose = candidate.map_or(String::new(), |id| format!(", candidate {id}"));
    let head = format!("== {}{whose}: model {} ({}), {}", call.about.join(", "), alias.name, alias.model, rendered.url);
    let _ = writeln!(out, "{}", clean(&head));
    match question {
        Question::Chat(chat) => {
            let _ = writeln!(out, "\n-- system\n{}\n\n-- user", &*chat.system);
            for content in chat.shared.iter().chain(&chat.own) {
                match content {
                    Content::Text(text) => out.push_str(&clean(text)),
                    Content::Image(address) if address.len() > 200 => {
                        let _ = writeln!(out, "(an image of {} characters)", address.len());
                    }
                    Content::Image(address) => {
                        let _ = writeln!(out, "(the image {})", clean(address));
                    }
                }
            }
            let _ = writeln!(out, "\n-- schema\n{}\n", chat.schema.text());
        }
        Question::Decide(_) | Question::Embed(_) => {
            let pretty = serde_json::to_string_pretty(&body).unwrap_or_default();
            let _ = writeln!(out, "\n{}\n", clean(&pretty));
        }
    }
    Ok(())
}

fn verifier_call(out: &mut String, format: Format, name: &str, command: &[String], input: &Json) {
    if format == Format::Json {
        let _ = writeln!(out, "{}", json!({"verifier": name, "command": command, "stdin": input}));
    } else {
        let _ = writeln!(out, "== verifier {name}: {}", clean(&command.join(" ")));
        let pretty = serde_json::to_string_pretty(input).unwrap_or_default();
        let _ = writeln!(out, "\n-- standard input (in one line)\n{}\n", clean(&pretty));
    }
}
