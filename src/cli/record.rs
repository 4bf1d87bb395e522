//! Finding one record of a trace, and one of its candidates: shared by the commands that look at a record.

use super::output;
use crate::diagnostics::did_you_mean;
use crate::graph::Program;
use crate::project;
use crate::run::engine::Engine;
use crate::run::replay::Replay;
use crate::run::replay::find::{Located, Search};
use miette::miette;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// The program that stands in a trace.
pub(super) fn open_program(json: &str) -> Result<Arc<Program>, String> {
    let opened = project::open_text("the program in the trace", Path::new("."), json.to_owned());
    match (opened.program, opened.diagnostics.iter().find(|diagnostic| diagnostic.is_error())) {
        (Some(program), None) => Ok(program),
        (_, Some(error)) => Err(error.headline.clone()),
        (None, None) => Err("it is no program".to_owned()),
    }
}

/// A record of a trace, under its own program or another; `None`: it had failed, which has been said.
///
/// # Errors
/// A report where the trace cannot be read or has no such record, or the record cannot be computed.
pub(super) fn find<R: BufRead>(
    replay: &mut Replay<'_, R>,
    trace: &Path,
    id: &str,
    other: Option<&Engine>,
) -> miette::Result<Option<Box<Located>>> {
    let found = replay.find(id, other).map_err(|error| super::replay::unreadable(trace, &error))?;
    match found {
        Search::Found(located) => Ok(Some(located)),
        Search::Failed(reason) => {
            output::note(&format!("record `{id}` failed when it was run: {reason}"));
            Ok(None)
        }
        Search::Fault(what) => Err(miette!("record `{id}` cannot be explained: {what}")),
        Search::Absent(ids) => {
            let near = did_you_mean(id, ids.iter().map(String::as_str));
            let help = match (near, ids.first()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, Some(first)) => format!("its first record is `{first}`"),
                (None, None) => "it has no records".to_owned(),
            };
            Err(miette!(help = help, "the trace `{}` has no record `{id}`", trace.display()))
        }
    }
}

/// The place of a candidate.
///
/// # Errors
/// A report where the record has none of this name.
pub(super) fn candidate(located: &Located, id: &str, name: &str) -> miette::Result<usize> {
    let place = located.candidates.iter().position(|id| id.as_deref() == Some(name));
    let names: Vec<&str> = located.candidates.iter().flatten().map(String::as_str).collect();
    let help = match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "its only candidate has no id; leave `--candidate` out".to_owned(),
        None => format!("its candidates are {}", names.join(", ")),
    };
    place.ok_or_else(|| miette!(help = help, "record `{id}` has no candidate `{name}`"))
}
