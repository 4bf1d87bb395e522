//! `rubric annotate`: a person judges candidates in the terminal.

mod file;
mod front;

use super::run::{open_data, open_programs};
use super::{CommandResult, OPEN, STOPPED, output};
use crate::diagnostics::render::clean::clean;
use crate::evaluate::annotation::{Answer, Page, Session, is_one_key, read_answer};
use crate::run::driver::Programs;
use crate::run::record::Record;
use crate::types::{Type, Value};
use file::Answers;
use front::{Front, Typed};
use miette::miette;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Judge candidates yourself, question by question; the answers are judgments for `rubric run` and labels for `rubric eval`
///
/// Shows a candidate and one criterion at a time and takes one key per value. Recorded judgments and candidates' ids are not
/// shown, and candidates come in an order that follows from the seed. Every answer is on the disk before the next question;
/// the same command goes on where you stopped. Exit code: 0 everything is answered, 1 the program has faults, 2 something
/// could not be read or written, 3 some questions are not answered yet, 130 stopped by Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program (`.rubric` or JSON)
    file: PathBuf,
    /// The records
    #[arg(long)]
    data: PathBuf,
    /// Where the answers go, one JSON line each; answers that are there already are kept
    #[arg(short, long)]
    output: PathBuf,
    /// Who judges: the `by` of the answers [default: the name of the user]
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    /// Ask only these criteria (or checklists); may be given several times
    #[arg(long, value_name = "NAME")]
    criterion: Vec<String>,
    /// Another order of the candidates
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  rubric annotate essay.rubric --data essays.jsonl -o ann.jsonl --annotator ann
  rubric annotate essay.rubric --data essays.jsonl -o ann.jsonl --criterion clear
  rubric run essay.rubric --data essays.jsonl --judgments ann.jsonl -o people.jsonl
  rubric eval results.jsonl --labels people.jsonl

Keys: what stands before a value; u unknown, s skip, b back, e quote from the candidate, q stop.
Without a terminal, each line of standard input is a key (a quote: e and the words).";

pub(crate) fn run(args: &Args) -> CommandResult {
    if output::is_stdout(Some(&args.output)) {
        return Err(miette!(
            help = "name a file with `-o`",
            "answers go to a file, because they are kept and gone on with"
        ));
    }
    if args.data.as_os_str() == "-" {
        return Err(miette!("the records cannot come from standard input, where the answers come from"));
    }
    let place = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if [&args.file, &args.data].into_iter().any(|path| place(path) == place(&args.output)) {
        return Err(miette!(help = "write to another file", "`{}` is read by this command", args.output.display()));
    }
    let annotator = match args.annotator.clone().or_else(|| std::env::var("USER").ok()).filter(|name| !name.is_empty())
    {
        Some(annotator) => annotator,
        None => return Err(miette!(help = "say it with `--annotator NAME`", "it is not known who judges")),
    };
    let Programs::One(engine) = open_programs(&args.file)? else {
        return Err(miette!("`{}` is a folder; name one program", args.file.display()));
    };
    let mut records = open_data(&args.data, None)?;
    let mut read = Vec::new();
    let mut ids = std::collections::HashSet::new();
    while let Some(raw) = records.next_record().map_err(|error| miette!("`{}`: {error}", args.data.display()))? {
        let line = raw.line;
        match Record::read(raw, &engine.program, &engine.layout) {
            Ok(record) if !ids.insert(record.id.clone()) => {
                return Err(miette!("`{}`, line {line}: the id `{}` is there twice", args.data.display(), record.id));
            }
            Ok(record) => read.push(record),
            Err(fault) => {
                output::note(&format!("error: {}, line {line}: {}; it is left out", args.data.display(), fault.reason))
            }
        }
    }
    let session = Session::new(Arc::clone(&engine), read, &args.criterion, args.seed);
    let mut session = session.map_err(|fault| miette!("{fault}"))?;
    let (answers, torn) = Answers::open(&args.output, &mut session, &annotator)?;
    if torn {
        output::note(&format!("note: the last line of `{}` was cut off; it is asked again", args.output.display()));
    }
    let stopped = annotate(&mut session, answers, &annotator)?;
    let (questions, answered) = session.counts();
    output::note(&format!("{answered} of {questions} questions are answered in `{}`", args.output.display()));
    Ok(match (stopped, answered == questions) {
        (_, true) => ExitCode::SUCCESS,
        (true, _) => ExitCode::from(STOPPED),
        (false, _) => ExitCode::from(OPEN),
    })
}

/// Asks until nothing is left or the person stops; whether that was by Ctrl-C.
fn annotate(session: &mut Session, mut answers: Answers, annotator: &str) -> miette::Result<bool> {
    let mut front = Front::new();
    let mut quotes: Vec<String> = Vec::new();
    let mut said = String::new();
    let mut again = false;
    loop {
        // After `back` the question is answered already, and shown all the same.
        if !again && session.to_open().is_none() {
            return Ok(false);
        }
        let (Some(page), Some(ty)) = (session.page(), session.ty().cloned()) else { return Ok(false) };
        let (questions, answered) = session.counts();
        front.show(&shown(&page, session.number(), questions, answered, &quotes))?;
        let one_key = is_one_key(&ty);
        let keys = |c: char| "usbeq".contains(c) || one_key && !c.is_whitespace();
        let prompt =
            format!("{}{}> ", if said.is_empty() { "" } else { &said }, if said.is_empty() { "" } else { "\n" });
        let typed = front.ask(&prompt, &keys)?;
        said.clear();
        let text = match typed {
            Typed::End => return Ok(false),
            Typed::Stop => return Ok(true),
            Typed::Text(text) => text,
        };
        let command = text.trim();
        let quote = command.strip_prefix("e ").map(str::to_owned);
        match command {
            "q" => return Ok(false),
            "s" => {
                session.skip();
                quotes.clear();
                again = false;
            }
            "b" => {
                again = true;
                quotes.clear();
                if !session.back() {
                    said = "this is the first question".to_owned();
                }
            }
            _ if command == "e" || quote.is_some() => {
                again = true;
                let quote = match quote {
                    Some(quote) => quote,
                    None => match front.ask("quote, word for word: ", &|_| false)? {
                        Typed::Text(quote) => quote,
                        Typed::End => return Ok(false),
                        Typed::Stop => return Ok(true),
                    },
                };
                match session.check_quote(&quote) {
                    Ok(()) => quotes.push(quote.trim().to_owned()),
                    Err(fault) => said = fault,
                }
            }
            _ => {
                again = true;
                match value_of(command, &ty) {
                    Ok(value) => {
                        let answer = Answer { value, quotes: std::mem::take(&mut quotes) };
                        if let Some((line, replaces)) = session.answer(answer, annotator) {
                            answers.write(&line, replaces, annotator)?;
                        }
                        again = false;
                    }
                    Err(fault) => said = fault,
                }
            }
        }
    }
}

fn value_of(command: &str, ty: &Type) -> Result<Value, String> {
    match command {
        "u" if ty.optional => Ok(Value::Unknown),
        "u" => Err("this criterion cannot be unknown; s skips it".to_owned()),
        command => read_answer(command, ty),
    }
}

/// A question as it is shown.
fn shown(page: &Page, number: usize, questions: usize, answered: usize, quotes: &[String]) -> String {
    let width = output::width();
    let mut out = format!("question {number} of {questions}, {answered} answered\n");
    for (heading, text) in &page.material {
        let _ =
            writeln!(out, "\n── {} {}", clean(heading), "─".repeat(width.saturating_sub(heading.chars().count() + 4)));
        for line in clean(text).lines() {
            let _ = writeln!(out, "{}", textwrap::fill(line, width));
        }
    }
    let _ = writeln!(out, "\n{}", "═".repeat(width));
    let ask = format!("{}: {}", clean(&page.criterion), clean(&page.ask));
    let _ = writeln!(out, "{}", textwrap::fill(&ask, width));
    for (key, value, level) in &page.values {
        let value = if key == value { String::new() } else { format!("  {}", clean(value)) };
        let level = if level.is_empty() { String::new() } else { format!("  {}", clean(level)) };
        let options = textwrap::Options::new(width).subsequent_indent("       ");
        let _ = writeln!(out, "{}", textwrap::fill(&format!("  {key:>2}{value}{level}"), options));
    }
    if let Some(range) = &page.range {
        let _ = writeln!(out, "  {range}");
    }
    for quote in quotes {
        let _ = writeln!(out, "  quoted: {}", clean(quote));
    }
    if let Some(before) = &page.before {
        let _ = writeln!(out, "  answered before: {}", clean(before));
    }
    let unknown = if page.may_be_unknown { "u unknown, " } else { "" };
    let _ = writeln!(out, "{unknown}s skip, b back, e quote, q stop");
    out
}
