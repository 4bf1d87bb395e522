//! Writes what came of a compilation: the program, where it came from, or every attempt at one; and what people are told.

use super::{Args, Finished, Wanted};
use crate::author::{Author, Unsaid};
use crate::cli::output;
use crate::cli::run::judging::money;
use crate::compile::answer::Form;
use crate::compile::explain::Explanation;
use crate::compile::provenance::{self, Asked};
use crate::compile::{Attempt, Reply};
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::format::laid_out;
use crate::judge::wire::FailureKind;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// An explanation, and quotes that did not hold.
pub(super) struct Explained {
    pub explanation: Explanation,
    pub unfit: Vec<String>,
}

/// What came of all.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub compiled: u64,
    /// No attempt was a program.
    pub failed: u64,
    /// Why some could not be asked for; the budget only where nothing else is.
    pub unasked: Option<FailureKind>,
    pub stopped: bool,
    pub left: u64,
}

/// Writes and tells what came of one.
///
/// # Errors
/// Something cannot be written, or the store cannot be used.
pub(super) fn one(
    args: &Args,
    asked: &Asked,
    wanted: &Wanted,
    finished: Finished,
    tally: &mut Tally,
) -> miette::Result<()> {
    if let Some(ended) = &finished.ended {
        tally.left += 1;
        match ended {
            Unsaid::Store(error) => return Err(error.clone().into()),
            Unsaid::Stopped => tally.stopped = true,
            Unsaid::Failed(failure) => {
                if tally.unasked.is_none_or(|kind| kind == FailureKind::Budget) {
                    tally.unasked = Some(failure.kind);
                }
                output::note(&format!("{}: {ended}", wanted.about));
            }
            Unsaid::Unfit(_) => output::note(&format!("{}: {ended}", wanted.about)),
        }
        return Ok(());
    }
    let explanation = match &finished.explained {
        Some(Ok(explained)) => Some(explained),
        Some(Err(why)) => {
            output::note(&format!("{}: the clauses could not be explained: {why}", wanted.about));
            None
        }
        None => None,
    };
    let value = provenance::value(&finished.compiler, asked, explanation.map(|e| &e.explanation));
    let story = format!("{value:#}\n");
    let Some(to) = &wanted.output else { return Ok(()) };
    let attempts = finished.compiler.attempts.len();
    let of = format!("attempt {attempts} of at most {}", finished.compiler.repairs + 1);
    if !finished.is_accepted() {
        tally.failed += 1;
        return failed(wanted, &finished, to, &story);
    }
    tally.compiled += 1;
    let mut text = finished.compiler.text().unwrap_or_default();
    if args.form == Form::Rubric {
        // Models lay programs out in many ways; what they wrote stands in the provenance.
        text = laid_out(provenance::header(&finished.compiler, asked) + &text);
    }
    output::write(Some(to), &text)?;
    let mut said = if output::is_stdout(Some(to)) { String::new() } else { format!("wrote `{}` ({of})", to.display()) };
    if !output::is_stdout(Some(to)) {
        let beside = beside(to, "provenance");
        output::write(Some(&beside), &story)?;
        let _ = write!(said, "; where it came from is in `{}`", beside.display());
        // An older failure would tell of a program that is there now.
        let _ = std::fs::remove_file(self::beside(to, "failure"));
        output::note(&said);
    }
    for note in finished.compiler.attempts.iter().filter_map(|a| a.checked.as_ref()).flat_map(|c| &c.notes) {
        output::note(&format!("note: {note}"));
    }
    if let Some(explained) = explanation {
        let text = explained_text(wanted, explained, args.each.is_some());
        if output::is_stdout(Some(to)) { output::note(text.trim_end()) } else { output::print(&text)? }
    }
    Ok(())
}

fn failed(wanted: &Wanted, finished: &Finished, to: &Path, story: &str) -> miette::Result<()> {
    let n = finished.compiler.attempts.len();
    let attempts = if n == 1 { "the one attempt" } else { &format!("none of {n} attempts") };
    let verb = if n == 1 { "is no program" } else { "is a program" };
    output::note(&format!("{}: {attempts} {verb}; nothing was guessed", wanted.about));
    match finished.compiler.attempts.last() {
        Some(Attempt { checked: Some(checked), .. }) => {
            let batch = [Batch { map: checked.opened.files.map(), diagnostics: &checked.opened.diagnostics }];
            let look = Look { colours: output::colours_on_stderr(), width: output::width() };
            output::note(render::render(Format::Human, &batch, look).trim_end());
        }
        Some(Attempt { reply: Reply::Unsaid { kind, detail }, .. }) => {
            output::note(&format!("the last reply was {kind}: {detail}"));
        }
        _ => {}
    }
    if output::is_stdout(Some(to)) {
        return Ok(());
    }
    let beside = beside(to, "failure");
    output::write(Some(&beside), story)?;
    output::note(&format!("every attempt with what is wrong about it is in `{}`", beside.display()));
    if to.exists() {
        output::note(&format!("`{}` is there from before and was left as it was", to.display()));
    }
    Ok(())
}

/// `a/b.rubric` to `a/b.WHAT.json`.
fn beside(path: &Path, what: &str) -> PathBuf {
    let stem = path.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned());
    path.with_file_name(format!("{stem}.{what}.json"))
}

/// Clause by clause, what became of it.
fn explained_text(wanted: &Wanted, explained: &Explained, several: bool) -> String {
    let mut out = if several { format!("{}\n", wanted.about) } else { String::new() };
    let none = explained.explanation.clauses.iter().filter(|clause| clause.parts.is_empty()).count();
    for clause in &explained.explanation.clauses {
        let became = if clause.parts.is_empty() { "became none".to_owned() } else { clause.parts.join(", ") };
        let plain: String = clause.text.chars().filter(|c| !c.is_control()).collect();
        let head = format!("{:>4}  ", clause.line);
        let options = textwrap::Options::new(output::width()).initial_indent(&head).subsequent_indent("      ");
        let _ = writeln!(out, "{}\n      → {became}", textwrap::fill(&plain, options));
    }
    let all = explained.explanation.clauses.len();
    let _ = writeln!(out, "\n{} of {all} clauses became a part of the program, {none} became none.", all - none);
    if !explained.explanation.without_clause.is_empty() {
        let _ = writeln!(out, "No clause led to: {}.", explained.explanation.without_clause.join(", "));
    }
    for unfit in &explained.unfit {
        let _ = writeln!(out, "Not counted: {unfit}.");
    }
    out
}

/// What it came to, where several were wanted, and what was spent.
pub(super) fn end(args: &Args, author: &Author, tally: &Tally) {
    if args.each.is_some() {
        let mut text = format!("{} compiled", tally.compiled);
        for (n, what) in [(tally.failed, "without a valid attempt"), (tally.left, "not finished")] {
            if n > 0 {
                let _ = write!(text, ", {n} {what}");
            }
        }
        output::note(&text);
    }
    let judging = author.judging();
    let (calls, cost) = judging.budget.total();
    let found = judging.counts.found.load(std::sync::atomic::Ordering::Relaxed);
    let cost = if cost.is_zero() { String::new() } else { format!(", cost {}", money(&cost)) };
    let s = if calls == 1 { "" } else { "s" };
    output::note(&format!("asked: {calls} call{s}, {found} from the store{cost}"));
    if tally.stopped {
        output::note("stopped; run the same command again to go on");
    } else if let Some(why) = judging.budget.ended() {
        output::note(&format!("the budget ended: {why}; run again with more to go on from here"));
    }
}
