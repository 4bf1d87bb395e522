//! `rubric doctor`: whether the configuration holds, and whether every model in it answers.

use super::{CommandResult, FAULTS, UNREADABLE, output};
use crate::judge::config::{Alias, Config, Origin, Verifier};
use crate::judge::doctor::{Finding, advice, examine};
use crate::judge::wire::{Client, FailureKind};
use miette::IntoDiagnostic;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLES: &str = r#"Examples:
  rubric doctor                      what a program in this folder would be judged by
  rubric doctor rubrics/care.rubric  the same for that program
  rubric doctor --model quick        asks this model only
  rubric doctor --offline            checks the file and the keys, asks nobody

A small rubric.toml:
  [models.default]
  dialect = "openai"                 # openai, anthropic, gemini, ollama, systemone, decisions, embeddings
  model = "gpt-6-luna"
  key = "OPENAI_API_KEY"             # the name of the variable, never the key
  price = { input = 0.10, cached_input = 0.01, output = 0.50 }

  [models.local]
  dialect = "openai"                 # vLLM, llama.cpp, OpenRouter, LiteLLM, … too
  base_url = "http://localhost:8000/v1"
  model = "Qwen/Qwen3-8B"

Exit codes: 0 every model answered, 1 something has to be mended, 2 something could not be read"#;

/// Check the configuration, and ask every model one small question
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A program, or a folder: `rubric.toml` is looked for there and above
    #[arg(default_value = ".")]
    path: PathBuf,
    /// This configuration instead of the `rubric.toml` that would be found
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Only these models
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,
    /// Ask nobody: check the configuration and the keys only
    #[arg(long)]
    offline: bool,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if !args.path.exists() {
        miette::bail!(help = "name a program or a folder", "`{}` does not exist", args.path.display());
    }
    let start = if args.path.is_dir() { args.path.as_path() } else { args.path.parent().unwrap_or(Path::new(".")) };
    let config = match Config::load(start, args.config.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            let code = if error.is_unreadable() { UNREADABLE } else { FAULTS };
            output::note(&format!("{:?}", miette::Report::from(error)));
            return Ok(ExitCode::from(code));
        }
    };
    output::print(&heading(&config))?;
    let chosen = match chosen(&config, &args.models) {
        Ok(chosen) => chosen,
        Err(why) => {
            output::print(&format!("\n{why}\n"))?;
            return Ok(ExitCode::from(FAULTS));
        }
    };
    let client = Arc::new(Client::new());
    let findings = if args.offline { Vec::new() } else { ask(&client, &chosen)? };
    let warnings: usize = findings.iter().map(|f| f.warnings.len()).sum();
    let mut mend = 0;
    for (at, alias) in chosen.iter().enumerate() {
        let (text, fine) = model(&client, alias, findings.get(at));
        mend += usize::from(!fine);
        output::print(&text)?;
    }
    for (name, verifier) in &config.verifiers {
        let (text, fine) = command(name, verifier);
        mend += usize::from(!fine);
        output::print(&text)?;
    }
    let warned = match warnings {
        0 => String::new(),
        1 => " There is one warning.".to_owned(),
        n => format!(" There are {n} warnings."),
    };
    let last = match (mend, args.offline) {
        (0, true) => "\nNothing is wrong with the configuration; nobody was asked.\n".to_owned(),
        (0, false) => format!("\nEvery model answered.{warned}\n"),
        (1, _) => "\nOne thing has to be mended.\n".to_owned(),
        (n, _) => format!("\n{n} things have to be mended.\n"),
    };
    output::print(&last)?;
    Ok(if mend == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAULTS) })
}

fn heading(config: &Config) -> String {
    let file = config.file.as_ref().map(|f| f.display().to_string());
    match (&config.origin, file) {
        (Origin::File, Some(file)) => format!("Configuration: {file}\n"),
        (Origin::Variable(name), Some(file)) => {
            format!("Configuration: {file}, which names no models; `default` is from {name}\n")
        }
        (Origin::Variable(name), None) => format!("Configuration: no rubric.toml; `default` is from {name}\n"),
        (Origin::Ollama, file) => {
            let file = file.unwrap_or_else(|| "no rubric.toml".to_owned());
            format!("Configuration: {file}; `default` is from the Ollama on this machine\n")
        }
        (_, Some(file)) => format!("Configuration: {file}, which names no models\n"),
        (_, None) => "Configuration: none\n".to_owned(),
    }
}

/// The models to ask, or why there is none.
fn chosen(config: &Config, names: &[String]) -> Result<Vec<Arc<Alias>>, String> {
    if names.is_empty() {
        if config.aliases.is_empty() && config.verifiers.is_empty() {
            config.alias(crate::judge::config::DEFAULT)?;
        }
        return Ok(config.aliases.values().cloned().collect());
    }
    names.iter().map(|name| config.alias(name).cloned()).collect()
}

/// Asks all of them at once, each within its limits.
fn ask(client: &Arc<Client>, chosen: &[Arc<Alias>]) -> miette::Result<Vec<Finding>> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().into_diagnostic()?;
    runtime.block_on(async {
        let tasks: Vec<_> = chosen
            .iter()
            .map(|alias| {
                let (client, alias) = (Arc::clone(client), Arc::clone(alias));
                tokio::spawn(async move { examine(&client, &alias).await })
            })
            .collect();
        let mut findings = Vec::new();
        for task in tasks {
            findings.push(task.await.into_diagnostic()?);
        }
        Ok(findings)
    })
}

/// What is said of a model, and whether it is fine.
fn model(client: &Client, alias: &Alias, finding: Option<&Finding>) -> (String, bool) {
    let mut out = format!("\n{}: `{}`, {} at {}\n", alias.name, alias.model, alias.dialect.word(), alias.base_url);
    let ready = client.ready(alias);
    let unready = ready.as_ref().err().map(|failure| failure.kind);
    match &alias.key {
        Some(variable) if unready == Some(FailureKind::Unauthorised) => {
            line(&mut out, &format!("key: {variable} is not set"));
        }
        Some(variable) => line(&mut out, &format!("key: {variable} is set")),
        None => line(&mut out, "key: none is needed"),
    }
    line(&mut out, &abilities(alias));
    if alias.price.is_none() {
        line(&mut out, "price: not said, so that costs cannot be counted; add `price = { input = …, output = … }`");
    }
    let failure = match (finding, ready) {
        (None, Err(failure)) => Some(failure),
        (None, Ok(())) => None,
        (Some(finding), _) => {
            if let Ok(answered) = &finding.answer {
                let seconds = answered.took.as_secs_f64();
                let (input, output) = (answered.usage.input, answered.usage.output);
                line(
                    &mut out,
                    &format!("answered as `{}` in {seconds:.1} s; {input} tokens in, {output} out", answered.model),
                );
            }
            for warning in &finding.warnings {
                line(&mut out, &format!("warning: {warning}"));
            }
            finding.answer.as_ref().err().cloned()
        }
    };
    if let Some(failure) = &failure {
        line(&mut out, &format!("FAILED: {}", failure.detail));
        let what_to_do = match (unready, &alias.key) {
            (Some(FailureKind::Unauthorised), Some(variable)) => {
                format!("set {variable} where you run `rubric`, or name another variable in `key`")
            }
            (Some(_), _) => "nobody was asked".to_owned(),
            (None, _) => advice(alias, failure.kind),
        };
        line(&mut out, &format!("→ {what_to_do}"));
    }
    (out, failure.is_none())
}

fn abilities(alias: &Alias) -> String {
    let can = &alias.capabilities;
    if alias.dialect.embeds() {
        return "can: vectors of texts; no text and no judgments".to_owned();
    }
    if can.decision {
        return "can: typed questions with probabilities; no text, so no evidence and no reasons".to_owned();
    }
    let all = [
        ("schemas", can.structured),
        ("probabilities", can.logprobs.is_some()),
        ("temperature", can.temperature),
        ("seeds", can.seed),
        ("images", can.images),
    ];
    let of = |wanted: bool| {
        all.iter().filter(|(_, has)| *has == wanted).map(|(what, _)| *what).collect::<Vec<_>>().join(", ")
    };
    let (can, cannot) = (of(true), of(false));
    if cannot.is_empty() { format!("can: {can}") } else { format!("can: {can}; cannot: {cannot}") }
}

/// What is said of a verifier, and whether it is fine.
fn command(name: &str, verifier: &Verifier) -> (String, bool) {
    let program = verifier.command.first().map_or("", String::as_str);
    let found = on_path(program, &verifier.folder);
    let mut out = format!("\nverifier {name}: {}\n", verifier.command.join(" "));
    if !verifier.allow {
        line(&mut out, "not allowed to run: write `allow = true` if you trust it");
    }
    if !found {
        line(&mut out, &format!("FAILED: there is no program `{program}` that may be run"));
        line(&mut out, "→ install it, or write the path to it, relative to the folder of rubric.toml");
    }
    (out, found)
}

/// Whether a command names a file: with a `/`, relative to the folder; without, in one of the folders of PATH.
fn on_path(program: &str, folder: &Path) -> bool {
    if program.contains(std::path::is_separator) {
        return folder.join(program).is_file();
    }
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|dir| {
            let file = dir.join(program);
            file.is_file() || file.with_extension("exe").is_file()
        })
    })
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "  {text}");
}
