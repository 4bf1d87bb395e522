//! `rubric new`: a small commented program to start from.

use super::{CommandResult, output};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use unicode_normalization::UnicodeNormalization;

const PROGRAM: &str = include_str!("new.rubric");

/// Words that the language keeps for itself; none of them can name a program.
const RESERVED: [&str; 11] = ["true", "false", "unknown", "and", "or", "not", "if", "then", "else", "when", "unless"];

const EXAMPLES: &str = "Examples:
  rubric new essay                            writes essay.rubric, with comments";

/// Write a small commented program to start from
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The name of the program: a word, optionally after a folder; `.rubric` is added
    name: PathBuf,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let path = if args.name.extension().is_some_and(|e| e == "rubric") {
        args.name.clone()
    } else {
        let mut name = args.name.clone().into_os_string();
        name.push(".rubric");
        PathBuf::from(name)
    };
    let name = name_of(&path)?;
    let text = PROGRAM.replacen("rubric essay", &format!("rubric {name}"), 1);
    if path.symlink_metadata().is_ok() {
        return Err(miette::miette!(
            help = "choose another name, or move the file away",
            "`{}` exists already and was left as it is",
            path.display()
        ));
    }
    output::write(Some(&path), &text)?;
    let shown = path.display().to_string();
    let plain = shown.chars().all(|c| c.is_alphanumeric() || "._-/\\:".contains(c));
    // As it is typed: a name with a blank in it would be two arguments.
    let typed = if plain { shown.clone() } else { format!("'{}'", shown.replace('\'', "'\\''")) };
    output::note(&format!("wrote {shown}\nnext: `rubric check {typed}`, then `rubric test {typed}`"));
    Ok(ExitCode::SUCCESS)
}

/// The file's name as the name of a program: a word of letters, digits and `_`.
fn name_of(path: &Path) -> miette::Result<String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.nfc().collect::<String>().replace(['-', ' '], "_");
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    if starts && letters.all(unicode_ident::is_xid_continue) && !RESERVED.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(miette::miette!(
        help = "use letters, digits and `_`, beginning with a letter, such as `essay_2`; the words of the language \
                (true false unknown and or not if then else when unless) are taken",
        "`{stem}` cannot be the name of a program"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        assert_eq!(name_of(Path::new("a/essay-2.rubric")).unwrap(), "essay_2");
        assert_eq!(name_of(Path::new("é.rubric")).unwrap(), "é");
        for bad in ["2nd.rubric", "not.rubric", "a+b.rubric", ".rubric", "🙂.rubric"] {
            let name = name_of(Path::new(bad));
            assert!(bad == ".rubric" || name.is_err(), "{bad}: {name:?}");
        }
    }
}
