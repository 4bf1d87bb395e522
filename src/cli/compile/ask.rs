//! Puts the questions of compilations to a model: those of one program one after the other, programs side by side.

use super::told::Explained;
use super::{Args, Finished, Wanted};
use crate::author::{Ask, Author, Purpose, Unsaid};
use crate::compile::{Compiler, Next, Question, Reply, explain};
use crate::graph::Program;
use crate::judge::wire::{Content, FailureKind, Sampling};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Programs that are under way at once.
const SIDE_BY_SIDE: usize = 32;
/// How often quotes that do not hold are asked for again.
pub(super) const EXPLAIN_AGAIN: u32 = 2;

/// What one program asks with.
#[derive(Clone, Copy)]
struct Settings {
    form: crate::compile::answer::Form,
    repairs: u32,
    explain: bool,
    max_tokens: u32,
}

/// Asks for all programs; `done` is told each in the order wanted.
///
/// # Errors
/// What `done` says.
pub(super) async fn all(
    args: &Args,
    author: &Author,
    wanted: Vec<Wanted>,
    mut done: impl FnMut(&Wanted, Finished) -> miette::Result<()>,
) -> miette::Result<()> {
    let settings =
        Settings { form: args.form, repairs: args.repairs, explain: args.explain, max_tokens: args.max_tokens };
    let mut tasks = JoinSet::new();
    let mut waiting = wanted.iter().enumerate();
    let mut finished: Vec<Option<Finished>> = wanted.iter().map(|_| None).collect();
    let mut next = 0;
    loop {
        while tasks.len() < SIDE_BY_SIDE
            && let Some((at, one)) = waiting.next()
        {
            let (author, about) = (author.clone(), Arc::clone(&one.about));
            let compiler = Compiler::new(one.specification.clone(), settings.form, settings.repairs);
            // Taken here, in the order wanted, so that a budget buys the first programs whole.
            let turn = author.turn(at as u64);
            tasks.spawn(async move {
                let finished = program(&author, at, about, compiler, settings).await;
                drop(turn);
                (at, finished)
            });
        }
        let Some(joined) = tasks.join_next().await else { return Ok(()) };
        let (at, one) = joined.map_err(|error| miette::miette!("a compilation was broken off: {error}"))?;
        if let Some(place) = finished.get_mut(at) {
            *place = Some(one);
        }
        while let Some(one) = finished.get_mut(next).and_then(Option::take) {
            if let Some(wanted) = wanted.get(next) {
                done(wanted, one)?;
            }
            next += 1;
        }
    }
}

async fn program(
    author: &Author,
    task: usize,
    about: Arc<str>,
    mut compiler: Compiler,
    settings: Settings,
) -> Finished {
    loop {
        let accepted = match compiler.next() {
            Next::Failed => return Finished { compiler, explained: None, ended: None },
            Next::Accepted(program) => program,
            Next::Ask(question) => {
                let step = format!("attempt {}", compiler.attempts.len() + 1);
                let ask = ask(&question, task, &step, &about, settings.max_tokens);
                // Whatever it says is an attempt; what is wrong with it, the compiler finds.
                match author.ask(&ask, |text| Ok(text.to_owned())).await {
                    Ok(said) => compiler.told(Reply::Said {
                        text: said.value,
                        model: said.model,
                        input: said.usage.input,
                        output: said.usage.output,
                        from_store: said.from_store,
                    }),
                    Err(Unsaid::Failed(failure)) if had_its_say(failure.kind).is_some() => {
                        let kind = had_its_say(failure.kind).unwrap_or_default().to_owned();
                        compiler.told(Reply::Unsaid { kind, detail: failure.detail });
                    }
                    Err(ended) => return Finished { compiler, explained: None, ended: Some(ended) },
                }
                continue;
            }
        };
        let explained = match settings.explain {
            true => Some(explanation(author, task, &about, &compiler, &accepted, settings.max_tokens).await),
            false => None,
        };
        return Finished { compiler, explained, ended: None };
    }
}

/// The word for why a reply is of no use, where the model had its say; `None`: it was not asked, or could not be.
fn had_its_say(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::Refused => Some("refused"),
        FailureKind::Filtered => Some("filtered"),
        FailureKind::Truncated => Some("truncated"),
        FailureKind::Malformed => Some("malformed"),
        _ => None,
    }
}

async fn explanation(
    author: &Author,
    task: usize,
    about: &Arc<str>,
    compiler: &Compiler,
    program: &Program,
    max_tokens: u32,
) -> Result<Explained, Unsaid> {
    let policy = &compiler.specification.rubric;
    let ask = to_explain(policy, program, &compiler.text().unwrap_or_default(), task, about, max_tokens);
    let read = |text: &str| match explain::read(text, policy, program) {
        Ok((links, faults)) if faults.is_empty() => Ok(links),
        Ok((_, faults)) => Err(faults.join("; ")),
        Err(why) => Err(why),
    };
    let (links, unfit) = match author.ask(&ask, read).await {
        Ok(said) => (said.value, Vec::new()),
        // What holds of the last reply is kept; what does not is told.
        Err(Unsaid::Unfit(replies)) => {
            let last = replies.last().map(|(reply, _)| explain::read(reply, policy, program));
            match last {
                Some(Ok((links, faults))) => (links, faults),
                Some(Err(why)) => (Vec::new(), vec![why]),
                None => (Vec::new(), Vec::new()),
            }
        }
        Err(other) => return Err(other),
    };
    Ok(Explained { explanation: explain::explain(policy, program, &links), unfit })
}

/// The ask which clauses of a policy became which parts of a program.
pub(super) fn to_explain(
    policy: &str,
    program: &Program,
    text: &str,
    task: usize,
    about: &Arc<str>,
    max_tokens: u32,
) -> Ask {
    let mut ask = ask(&explain::question(policy, program, text), task, "explanation", about, max_tokens);
    ask.schema = Some(explain::schema(program));
    ask.retries = EXPLAIN_AGAIN;
    ask
}

pub(super) fn ask(question: &Question, task: usize, step: &str, about: &Arc<str>, max_tokens: u32) -> Ask {
    let purpose = Purpose { command: "compile".into(), step: step.into(), about: Arc::clone(about) };
    let mut ask = Ask::new(purpose, Arc::clone(&question.system), question.own.to_string());
    ask.task = task as u64;
    ask.shared = vec![Content::Text(Arc::clone(&question.shared))];
    ask.sampling = Sampling { max_tokens: Some(max_tokens), ..Sampling::default() };
    ask.retries = 0;
    ask
}
