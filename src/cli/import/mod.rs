//! `rubric import`: files of other rubric formats become programs, and their recorded judgments records.
//!
//! An import that finds a fault writes nothing, since half a set would be taken for the whole; `--skip-bad` leaves bad rows
//! out, and says how many. The subcommands are the rows of [`crate::import::format::FORMATS`] ([`rows`]), and two for files
//! that are graphs ([`graphs`]).

mod graphs;
mod rows;

use super::CommandResult;
use crate::import::format::{FORMATS, Format};
use clap::{ArgMatches, Args as _, Command, FromArgMatches, Subcommand, error::ErrorKind};

/// Turn another rubric format into programs of this language
///
/// Exit code: 0 imported, 1 the input has faults (each is named, nothing is written), 2 a file could not be read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    kind: Kind,
}

const EXAMPLES: &str = "\
Examples:
  rubric import healthbench hard.jsonl -o healthbench.rubric --records hard.records.jsonl
  rubric import healthbench hard.jsonl -o programs/ --records hard.records.jsonl
  rubric import promptfoo promptfooconfig.yaml -o programs/
  rubric import csv criteria.csv -o criteria.rubric
  rubric import paperbench tree.json -o paper.rubric --records paper.jsonl
  rubric import dsg questions.csv -o programs/ --answers answers.csv --records images.jsonl --mend";

#[derive(Debug)]
enum Kind {
    Graph(graphs::Kind),
    Rows(&'static Format, rows::Args),
}

impl Subcommand for Kind {
    fn augment_subcommands(command: Command) -> Command {
        let with = |command: Command, format: &Format| {
            command.subcommand(rows::Args::augment_args(Command::new(format.name)).about(format.about))
        };
        graphs::Kind::augment_subcommands(FORMATS.iter().fold(command, with))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        FORMATS.iter().any(|format| format.name == name) || graphs::Kind::has_subcommand(name)
    }
}

impl FromArgMatches for Kind {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Kind, clap::Error> {
        let Some((name, inner)) = matches.subcommand() else {
            return Err(clap::Error::raw(ErrorKind::MissingSubcommand, "name the format\n"));
        };
        match FORMATS.iter().find(|format| format.name == name) {
            Some(format) => Ok(Kind::Rows(format, rows::Args::from_arg_matches(inner)?)),
            None => Ok(Kind::Graph(graphs::Kind::from_arg_matches(matches)?)),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Kind::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    match &args.kind {
        Kind::Graph(kind) => graphs::run(kind),
        Kind::Rows(format, args) => rows::run(format, args),
    }
}

/// A number of things in words.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
