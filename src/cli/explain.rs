//! `rubric explain`: the page of a diagnostic code, or the list of all.

use super::{CommandResult, output};
use crate::diagnostics::{Code, codes, did_you_mean, pages};
use std::fmt::Write;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric explain R0411
  rubric explain                              lists all codes";

/// Explain a diagnostic code with a failing example and the mended one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A code such as R0101; without it, all codes are listed
    code: Option<String>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let Some(wanted) = &args.code else {
        let mut list = String::new();
        for (code, title) in codes::all() {
            let _ = writeln!(list, "{code}  {title}");
        }
        output::print(&list)?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some(page) = Code::parse(wanted.trim()).and_then(pages::page) else {
        let known: Vec<String> = codes::all().map(|(code, _)| code.to_string()).collect();
        let help = match did_you_mean(&wanted.trim().to_uppercase(), known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`? `rubric explain` lists all codes"),
            None => "`rubric explain` lists all codes".to_owned(),
        };
        return Err(miette::miette!(help = help, "there is no code `{wanted}`"));
    };
    output::print(page)?;
    Ok(ExitCode::SUCCESS)
}
