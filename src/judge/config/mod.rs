//! Who judges: the aliases of models and the commands of verifiers, from `rubric.toml` or from the environment.
//!
//! A `.rubric` file names aliases only; what an alias stands for, what it costs and how hard it may be asked is said here.
//! [`Config::load`] finds `rubric.toml` upwards from a folder and reads it ([`read`]): unknown keys, wrong kinds and values
//! out of range are errors with their place in the file. Where the file names no models, the environment gives one alias,
//! `default` ([`environment`]): the key of a known provider, or an Ollama server on this machine.
//!
//! It holds the *names* of the variables that keys are in, never a key, and sends nothing but one question to a local
//! Ollama. What a model can do is a table ([`capabilities`]) that the file may correct; nobody is asked for it.

mod alias;
mod capabilities;
mod environment;
mod error;
mod read;
#[cfg(test)]
mod tests;
mod units;

pub use alias::{Alias, Dialect, Limits, Price};
pub use capabilities::{Capabilities, Needs};
pub use error::{ConfigError, Problem};

use crate::source::did_you_mean;
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The name of the file, looked for in a folder and those above it.
pub const FILE: &str = "rubric.toml";

/// The alias of an `llm(…)` that names none.
pub const DEFAULT: &str = "default";

/// Looks a variable of the environment up.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Everything that configuration says.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Where it was read; `None` where there is no file.
    pub file: Option<PathBuf>,
    /// By name, in the order of the file's names.
    pub aliases: IndexMap<String, Arc<Alias>>,
    /// By name.
    pub verifiers: IndexMap<String, Verifier>,
    /// What the aliases come from, for `rubric doctor`.
    pub origin: Origin,
}

/// What the aliases come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// `rubric.toml` names them.
    File,
    /// The variable that holds a key.
    Variable(String),
    /// An Ollama server on this machine.
    Ollama,
    /// There are none.
    #[default]
    Nothing,
}

/// A command that judges: it reads JSON on standard input and answers JSON on standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verifier {
    /// The program and its arguments. Not given to a shell.
    pub command: Vec<String>,
    /// Where it runs: the folder of `rubric.toml`.
    pub folder: PathBuf,
    /// It is stopped after this long.
    pub timeout: Duration,
    /// It is stopped once it has written more bytes than this.
    pub max_output: u64,
    /// Whether the machine's owner allows it to run. Without `allow = true` it is refused.
    pub allow: bool,
    /// Whether it says the same of the same again, so that what it says may be stored.
    pub store: bool,
    /// Files and folders that what it says depends on, beside its program and its arguments; from `folder`.
    pub reads: Vec<PathBuf>,
}

impl Config {
    /// Reads the configuration: `explicit` (the file of `--config`), else `rubric.toml` in `start` or the nearest folder above
    /// it, else what the environment gives. That there is no model at all is no error here: a program may need none.
    /// [`Config::alias`] then says what to set.
    ///
    /// # Errors
    /// Where the file cannot be read, is no TOML, or says something that is not understood; all such places are told.
    pub fn load(start: &Path, explicit: Option<&Path>) -> Result<Config, ConfigError> {
        Config::load_with(start, explicit, &|name| std::env::var(name).ok())
    }

    /// [`Config::load`] with other variables than those of the process.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_with(start: &Path, explicit: Option<&Path>, variables: Variables<'_>) -> Result<Config, ConfigError> {
        let file = explicit.map(Path::to_owned).or_else(|| find(start));
        let mut config = match &file {
            Some(path) => read::file(path)?,
            None => Config::default(),
        };
        config.file = file;
        if config.aliases.is_empty() {
            if let Some((alias, origin)) = environment::default_alias(variables)? {
                config.aliases.insert(DEFAULT.to_owned(), Arc::new(alias));
                config.origin = origin;
            }
        } else {
            config.origin = Origin::File;
        }
        Ok(config)
    }

    /// Reads the text of a `rubric.toml`; `path` is where it stands, or would.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
        read::text(path, text)
    }

    /// What an alias stands for.
    ///
    /// # Errors
    /// Where there is no such alias, with what to do about it.
    pub fn alias(&self, name: &str) -> Result<&Arc<Alias>, String> {
        self.aliases.get(name).ok_or_else(|| self.no_alias(name))
    }

    /// A verifier that may run.
    ///
    /// # Errors
    /// Where there is none of this name or it is not allowed, with what to do about it.
    pub fn verifier(&self, name: &str) -> Result<&Verifier, String> {
        let Some(verifier) = self.verifiers.get(name) else {
            let near = did_you_mean(name, self.verifiers.keys().map(String::as_str));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add `[verifiers.{name}]` with its `command` to {}", self.place()),
            };
            return Err(format!("there is no verifier `{name}`: {hint}"));
        };
        if !verifier.allow {
            return Err(format!(
                "the verifier `{name}` runs a program on this machine and is not allowed to: if you trust `{}`, write \
                 `allow = true` below `[verifiers.{name}]` in {}",
                verifier.command.join(" "),
                self.place()
            ));
        }
        Ok(verifier)
    }

    fn no_alias(&self, name: &str) -> String {
        if self.aliases.is_empty() {
            return format!("no model is configured for `{name}`: {}", environment::WHAT_TO_SET);
        }
        let known: Vec<&str> = self.aliases.keys().map(String::as_str).collect();
        if let Some(near) = did_you_mean(name, known.iter().copied()) {
            return format!("there is no model `{name}`: did you mean `{near}`?");
        }
        let known = known.iter().take(10).map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
        format!("there is no model `{name}`: {} has {known}; add `[models.{name}]` there", self.place())
    }

    fn place(&self) -> String {
        match &self.file {
            Some(path) => format!("`{}`", path.display()),
            None => "a file `rubric.toml` beside the program".to_owned(),
        }
    }
}

/// The nearest `rubric.toml` in a folder or above it.
fn find(start: &Path) -> Option<PathBuf> {
    let start = if start.as_os_str().is_empty() { Path::new(".") } else { start };
    let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    start.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}
