//! The command line: one file per subcommand. Only this module prints.
//!
//! Exit codes are the same everywhere: 0 it holds, 1 the program has faults (or a test, a comparison failed), 2 something
//! could not be read or written, 3 some records are open, 4 some records failed, 5 judges failed, 6 the budget ended, 130
//! stopped by Ctrl-C. `docs/cli.md` has them per command.

mod ablate;
mod annotate;
mod author;
mod build;
mod catalog;
mod check;
mod compile;
mod completions;
mod diff;
mod doctor;
mod eval;
mod expand;
mod explain;
mod export;
mod figures;
mod fmt;
mod forecast;
mod grammar;
mod graph;
mod import;
mod influence;
mod lsp;
mod man;
mod merge;
mod mutate;
mod new;
pub(crate) mod output;
mod plan;
mod profile;
pub(crate) mod program;
mod prompt;
mod quality;
mod record;
mod replay;
mod report;
mod run;
mod store;
mod summary;
mod tags;
mod test;
mod trim;
mod why;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::process::ExitCode;

/// Judge text with rubrics: check, build, run, replay and test `.rubric` programs.
#[derive(Debug, Parser)]
#[command(name = "rubric", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Compile(Box<compile::Args>),
    Doctor(doctor::Args),
    Expand(expand::Args),
    Explain(explain::Args),
    Fmt(fmt::Args),
    New(new::Args),
    Build(build::Args),
    Catalog(catalog::Args),
    Grammar(grammar::Args),
    Graph(graph::Args),
    Run(run::Args),
    Plan(plan::Args),
    Prompt(prompt::Args),
    Replay(replay::Args),
    Report(Box<report::Args>),
    Test(test::Args),
    Mutate(mutate::Args),
    Why(why::Args),
    Influence(influence::Args),
    Import(import::Args),
    Export(export::Args),
    Lsp(lsp::Args),
    Merge(merge::Args),
    Eval(eval::Args),
    Ablate(ablate::Args),
    Diff(diff::Args),
    Annotate(annotate::Args),
    Store(store::Args),
    Trim(trim::Args),
    Profile(profile::Args),
    Quality(quality::Args),
    Tags(tags::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// What a command ends with where nothing could be done: told on stderr, exit code 2.
pub(crate) type CommandResult = miette::Result<ExitCode>;

/// The program has faults, or a test or a comparison failed.
pub(crate) const FAULTS: u8 = 1;
/// Something could not be read or written.
pub(crate) const UNREADABLE: u8 = 2;
/// Judgments are missing, so that some records are not decided.
pub(crate) const OPEN: u8 = 3;
/// Some records could not be run.
pub(crate) const FAILED: u8 = 4;
/// Judges that were asked gave no judgment, and some records are not decided for that.
pub(crate) const JUDGE_FAILED: u8 = 5;
/// A ceiling of calls or costs was reached before all records were decided.
pub(crate) const BUDGET_ENDED: u8 = 6;
/// Stopped by Ctrl-C, as shells say it.
pub(crate) const STOPPED: u8 = 130;

/// Runs the command line; what the process ends with.
#[must_use]
pub fn main() -> ExitCode {
    output::set_up_reports();
    let matches = Cli::command().color(output::colours_of_clap()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|mistake| mistake.exit());
    let result = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Expand(args) => expand::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::New(args) => new::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Catalog(args) => catalog::run(&args),
        Command::Grammar(args) => grammar::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Prompt(args) => prompt::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Mutate(args) => mutate::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Influence(args) => influence::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Ablate(args) => ablate::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Annotate(args) => annotate::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Trim(args) => trim::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Quality(args) => quality::run(&args),
        Command::Tags(args) => tags::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(report) if report.downcast_ref::<output::Closed>().is_some() => ExitCode::SUCCESS,
        Err(report) if report.downcast_ref::<program::Faulty>().is_some() => ExitCode::from(FAULTS),
        Err(report) => {
            output::note(&format!("{report:?}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of a command with their paths, itself among them.
    fn all(command: &clap::Command, path: &str, into: &mut Vec<(String, clap::Command)>) {
        into.push((path.to_owned(), command.clone()));
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            all(inner, &format!("{path} {}", inner.get_name()), into);
        }
    }

    /// The words of an example, without what is said of it: quotes hold words together, and a shell's `|`, `>` and two blanks end it.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
        let mut before = 'x';
        for c in line.trim().chars().chain([' ']) {
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted && before == ' ' => break,
                ' ' if !quoted => words.push(std::mem::take(&mut word)),
                c => word.push(c),
            }
            before = c;
        }
        let end = words.iter().position(|word| ["|", ">", ">>"].contains(&word.as_str())).unwrap_or(words.len());
        words.truncate(end);
        words
    }

    #[test]
    fn every_command_has_examples_that_it_would_take() {
        let mut commands = Vec::new();
        all(&Cli::command(), "rubric", &mut commands);
        let mut checked = 0;
        for (path, command) in &commands {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> = help.lines().filter(|line| line.trim_start().starts_with("rubric ")).collect();
            // Those of a command with commands of its own stand there.
            let has = !examples.is_empty() || command.has_subcommands() || path.split(' ').count() > 2;
            assert!(has, "`{path} --help` shows no example");
            for example in examples {
                if let Err(error) = Cli::try_parse_from(words(example)) {
                    panic!("{path}: {example}\n{error}");
                }
                checked += 1;
            }
        }
        assert!(checked > 60, "only {checked} examples found");
    }

    #[test]
    fn options_are_declared_without_contradictions() {
        Cli::command().debug_assert();
    }
}
