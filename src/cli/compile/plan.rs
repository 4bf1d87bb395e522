//! What a compilation would take, before it is paid for: calls, tokens and costs, at least, about and at most.
//!
//! The work is walked through with no budget, so what is stored is found and the next request of each program is the one that
//! will be sent. What comes after it depends on replies that nobody has: a program like those of `examples/policies/`
//! for "about", one as long as a reply may be for "at most". Replies that an explanation gets again are part of "at most".

use super::ask::{self, EXPLAIN_AGAIN, all};
use super::{Args, Finished, Wanted};
use crate::author::{Author, Unsaid, Weight};
use crate::cli::author::cannot;
use crate::cli::forecast::{Forecast, Load};
use crate::compile::answer::{self, Form};
use crate::compile::specification::{Contract, Written};
use crate::compile::{Next, prompt};
use crate::graph::json;
use crate::judge::wire::FailureKind;
use miette::miette;
use std::sync::atomic::Ordering;

/// Tokens of a program: the mean of those in `examples/policies/`, at four bytes each (a test holds it against them).
const PROGRAM: u64 = 840;
/// About as short as a program can be.
const SHORTEST: &str = "rubric r\ncandidate a: text\ncriterion c: bool \"?\"\nreadout pointwise = c\n";
/// Tokens of what is said of a program with two or three faults.
const FAULTS: u64 = 400;
/// Tokens of what is said of a program that is full of them.
const MOST_FAULTS: u64 = 4_000;

/// The plan, as people read it.
///
/// # Errors
/// The store cannot be read; the model cannot be asked.
pub(super) async fn text(args: &Args, author: &Author, wanted: Vec<Wanted>) -> miette::Result<String> {
    let programs = wanted.len();
    let mut sum = Forecast::default();
    let (mut done, mut begun) = (0, 0);
    all(args, author, wanted, |wanted, finished| {
        let forecast = one(args, author, wanted, &finished)?;
        match forecast {
            None => done += 1,
            Some(forecast) => {
                begun += usize::from(!finished.compiler.attempts.is_empty());
                sum.add(&forecast);
            }
        }
        Ok(())
    })
    .await?;
    let stored = author.judging().counts.found.load(Ordering::Relaxed);
    let mut text = format!(
        "{programs} program{}: {stored} call{} stored, {} to make of `{}`\n",
        if programs == 1 { "" } else { "s" },
        if stored == 1 { " is" } else { "s are" },
        sum.calls(),
        author.alias().name
    );
    if done > 0 {
        text += &format!("{done} of them lack nothing.\n");
    }
    if begun > 0 {
        text += &format!("{begun} go on after attempts that are stored.\n");
    }
    if done < programs {
        text += &sum.table(author.alias());
        text += &format!(
            "Each program takes 1 call for the first attempt and up to {} for repairs{}. \"About\" counts one repair of each that is \
             begun now, and programs of {} tokens; \"at most\", that every reply is as long as it may be and every attempt is needed.\n",
            args.repairs,
            if args.explain {
                format!(", 1 to explain it and up to {EXPLAIN_AGAIN} more where quotes do not hold")
            } else {
                String::new()
            },
            typical(args.form)
        );
    }
    Ok(text)
}

/// What one program takes; `None`: nothing, all of it is stored.
fn one(args: &Args, author: &Author, wanted: &Wanted, finished: &Finished) -> miette::Result<Option<Forecast>> {
    let explained = finished.explained.as_ref().and_then(|explained| explained.as_ref().err());
    for unsaid in finished.ended.iter().chain(explained) {
        match unsaid {
            Unsaid::Store(error) => return Err(error.clone().into()),
            Unsaid::Failed(failure) if failure.kind == FailureKind::Budget => {}
            other => return Err(miette!("{}: {other}", wanted.about)),
        }
    }
    let policy = &wanted.specification.rubric;
    let explain = |program: &str, contract: &Contract| -> miette::Result<Weight> {
        let checked = answer::check(program, contract);
        let program = checked
            .program()
            .ok_or_else(|| miette!("an example of ours is no program; this is a fault of `rubric`"))?;
        let text = answer::written(&checked, program, args.form);
        weigh(author, &ask::to_explain(policy, program, &text, 0, &wanted.about, args.max_tokens))
    };
    let links = (policy.len() as u64).div_ceil(4) * 3 / 2;
    match finished.compiler.next() {
        Next::Failed => Ok(None),
        Next::Accepted(program) if explained.is_some() => {
            let text = finished.compiler.text().unwrap_or_default();
            let ask = ask::to_explain(policy, &program, &text, 0, &wanted.about, args.max_tokens);
            let weight = weigh(author, &ask)?;
            let once = Load::one(weight.input, links);
            Ok(Some(Forecast::new(Load::one(weight.input, 1), once, explanations(weight, 0))))
        }
        Next::Accepted(_) => Ok(None),
        Next::Ask(question) => {
            let made = finished.compiler.attempts.len();
            let step = format!("attempt {}", made + 1);
            let next = weigh(author, &ask::ask(&question, 0, &step, &wanted.about, args.max_tokens))?;
            let fresh = prompt::question(&wanted.specification, args.form, None, 0);
            let fresh = weigh(author, &ask::ask(&fresh, 0, "attempt 1", &wanted.about, args.max_tokens))?;
            let later = (args.repairs as usize).saturating_sub(made) as u64;
            let size = typical(args.form);
            let mut least = Load::one(next.input, shortest(args.form));
            let mut about = Load::one(next.input, size);
            if made == 0 && later > 0 {
                about.add(Load::one(next.input + size + FAULTS, size));
            }
            let mut most = Load::one(next.input, next.most_output);
            most.add(Load::one(fresh.input + next.most_output + MOST_FAULTS, next.most_output).times(later));
            if args.explain {
                let open = Written::default().read().map_err(|why| miette!("{why}"))?;
                // Where no attempt is left after the next one, that may be all: a failure is not explained.
                if later > 0 {
                    least.add(Load::one(explain(SHORTEST, &open)?.input, 1));
                }
                let weight = explain(prompt::EXAMPLE, &open)?;
                about.add(Load::one(weight.input, links));
                // The program, and its parts by name, twice: as a list and in the form of the reply.
                most.add(explanations(weight, 3 * next.most_output));
            }
            Ok(Some(Forecast::new(least, about, most)))
        }
    }
}

/// All calls that an explanation can take: each shows the replies before it, with what was wrong with them.
fn explanations(weight: Weight, program: u64) -> Load {
    (0..=u64::from(EXPLAIN_AGAIN)).fold(Load::default(), |mut sum, again| {
        let before = again * 2 * weight.most_output;
        sum.add(Load::one(weight.input + program + before, weight.most_output));
        sum
    })
}

fn weigh(author: &Author, ask: &crate::author::Ask) -> miette::Result<Weight> {
    author.weigh(ask).map_err(|failure| cannot(author, &failure))
}

/// Tokens of a program in this form; JSON is longer by as much as the example is.
fn typical(form: Form) -> u64 {
    scaled(form, prompt::EXAMPLE, PROGRAM)
}

fn shortest(form: Form) -> u64 {
    scaled(form, SHORTEST, (SHORTEST.len() as u64).div_ceil(4))
}

fn scaled(form: Form, example: &str, tokens: u64) -> u64 {
    if form == Form::Rubric {
        return tokens;
    }
    let checked = Written::default().read().map(|open| answer::check(example, &open));
    match checked.as_ref().ok().and_then(answer::Checked::program) {
        Some(program) => tokens * json::write(program).len() as u64 / example.len().max(1) as u64,
        None => tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_taken_to_be_as_long_as_those_beside_the_policies() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/policies");
        let sizes: Vec<u64> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "rubric"))
            .map(|path| std::fs::metadata(path).unwrap().len())
            .collect();
        let mean = sizes.iter().sum::<u64>() / sizes.len() as u64 / 4;
        assert!(sizes.len() >= 10 && mean.abs_diff(PROGRAM) < PROGRAM / 5, "{mean} tokens of {} programs", sizes.len());
    }

    #[test]
    fn the_examples_that_are_weighed_are_programs() {
        let open = Written::default().read().unwrap();
        for text in [SHORTEST, prompt::EXAMPLE] {
            assert!(answer::check(text, &open).program().is_some(), "{text}");
        }
        assert!(typical(Form::Json) > typical(Form::Rubric) && shortest(Form::Json) > shortest(Form::Rubric));
    }
}
