//! Verifiers: commands that judge. JSON on their standard input, JSON on their standard output.
//!
//! In: `{"criterion", "type", "question", "record", "candidate"?, "fields": {…}}`, the fields that the criterion sees. Out: an
//! object with `value`, or with `missing` and why, and perhaps `evidence`, `reason`, `note`. Whatever else comes back is no
//! value: other text, another type, an exit code that is not 0, too much output, too long a time. The command is run as it
//! is written in the configuration, without a shell, in the folder of `rubric.toml`, and only if its owner allows it; text of
//! a record reaches it on standard input alone, never as an argument.

use crate::graph::Criterion;
use crate::judge::config::Verifier;
use crate::judge::wire::{Answer, Diagnostics, Failure, FailureKind, Reply, Usage};
use crate::run::judgment::entry::{self, Sample};
use crate::run::record::json;
use crate::run::{Missing, MissingReason};
use serde_json::{Map, Value as Json};
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// Keys of what a verifier answers.
const KEYS: [&str; 6] = ["value", "missing", "unknown", "evidence", "reason", "note"];

/// Runs a verifier and returns what it wrote, as the reply of a model called `verifier NAME`.
///
/// # Errors
/// Where it may not run, cannot be started, fails, or exceeds its limits. It is stopped then.
pub async fn run(name: &str, verifier: &Verifier, input: &Json) -> Result<Reply, Failure> {
    let fail = |kind, detail: String| Failure {
        kind,
        detail: format!("the verifier `{name}` {detail}"),
        usage: Usage::default(),
    };
    if !verifier.allow {
        return Err(fail(FailureKind::Rejected, "is not allowed to run".to_owned()));
    }
    let Some((program, arguments)) = verifier.command.split_first() else {
        return Err(fail(FailureKind::Rejected, "has no command".to_owned()));
    };
    let child = Command::new(program)
        .args(arguments)
        .current_dir(&verifier.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            let why = crate::source::in_words(&error);
            return Err(fail(FailureKind::Rejected, format!("cannot be started (`{program}`): {why}")));
        }
    };
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let text = input.to_string();
    let write = async move {
        if let Some(mut stdin) = stdin {
            // A verifier need not read all of it.
            let _ = stdin.write_all(text.as_bytes()).await;
            let _ = stdin.write_all(b"\n").await;
            let _ = stdin.shutdown().await;
        }
    };
    let work = async {
        let ((), out, complaint) = tokio::join!(write, read_some(stdout, verifier.max_output), read_some(stderr, 2000));
        (out, complaint, child.wait().await)
    };
    let Ok((out, complaint, status)) = tokio::time::timeout(verifier.timeout, work).await else {
        // Dropped, and so killed.
        return Err(fail(FailureKind::Outage, format!("took longer than {} s", verifier.timeout.as_secs_f64())));
    };
    let (out, more) = out;
    if more {
        return Err(fail(FailureKind::Truncated, format!("wrote more than {} bytes", verifier.max_output)));
    }
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => {
            let said = last_line(&complaint.0);
            let said = if said.is_empty() { String::new() } else { format!(": {said}") };
            return Err(fail(FailureKind::Outage, format!("failed ({status}){said}")));
        }
        Err(error) => return Err(fail(FailureKind::Outage, format!("was lost: {error}"))),
    }
    let Ok(text) = String::from_utf8(out) else {
        return Err(fail(FailureKind::Malformed, "wrote no UTF-8".to_owned()));
    };
    Ok(Reply {
        model: format!("verifier {name}"),
        usage: Usage::default(),
        answer: Answer::Text { text, logprobs: Vec::new() },
        diagnostics: Diagnostics::new(),
    })
}

/// Reads up to so many bytes; whether there were more. What is beyond is read and thrown away only up to one buffer: the
/// pipe is closed then, and whoever writes into it ends.
async fn read_some(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let Some(pipe) = pipe else { return (bytes, false) };
    let _ = pipe.take(most.saturating_add(1)).read_to_end(&mut bytes).await;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let more = bytes.len() > most;
    bytes.truncate(most);
    (bytes, more)
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    line.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// What a verifier wrote, as an entry of a recorded judgment.
pub(super) fn read(text: &str, criterion: &Criterion) -> Result<Map<String, Json>, Missing> {
    let no = |detail: String| Missing {
        reason: MissingReason::Unparseable,
        detail: format!("what the verifier wrote: {detail}"),
    };
    let Json::Object(map) = json::parse(text.trim()).map_err(no)? else {
        return Err(no("it must be an object such as {\"value\": …}".to_owned()));
    };
    if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(no(format!("it has a key that means nothing, `{key}`")));
    }
    let read = entry::read(&Json::Object(map.clone()), &criterion.ty, false).map_err(no)?;
    match read.samples.as_slice() {
        [Sample::Value(_)] => Ok(map),
        [Sample::Missing(missing)] => Err(missing.clone()),
        _ => Err(no("it says neither `value` nor `missing`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Origin, testing};
    use crate::types::Type;
    use serde_json::json;
    use std::time::Duration;

    fn said(text: &str) -> Result<Json, String> {
        let criterion = testing::criterion(Type::int(1, 5), Origin::Declared, "?");
        read(text, &criterion)
            .map(Json::Object)
            .map_err(|missing| format!("{}: {}", missing.reason.word(), missing.detail))
    }

    #[test]
    fn what_it_says_is_a_value_or_a_reason() {
        assert_eq!(said("{\"value\": 4, \"reason\": \"r\"}\n").unwrap()["value"], 4);
        assert_eq!(said("{\"missing\": \"no compiler\"}").unwrap_err(), "other: no compiler");
        for (text, part) in [
            ("4", "must be an object"),
            ("{\"value\": 9}", "from 1 to 5"),
            ("{\"value\": null}", "neither"),
            ("{}", "neither"),
            ("ok\n{\"value\": 4}", "JSON"),
            ("{\"vlaue\": 4}", "`vlaue`"),
            ("{\"value\": 4, \"value\": 5}", "value"),
            ("", "cut off"),
        ] {
            let fault = said(text).unwrap_err();
            assert!(fault.starts_with("unparseable") && fault.contains(part), "{text}: {fault}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn limits_are_kept() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let run = |script: &str, allow: bool| {
            let verifier = Verifier {
                command: vec!["/bin/sh".into(), "-c".into(), script.into()],
                folder: std::env::temp_dir(),
                timeout: Duration::from_millis(1500),
                max_output: 1000,
                allow,
                store: false,
                reads: Vec::new(),
            };
            runtime.block_on(super::run("v", &verifier, &json!({"fields": {"answer": "x".repeat(300_000)}})))
        };
        let Answer::Text { text, .. } = run("wc -c", true).unwrap().answer else { panic!() };
        assert_eq!(text.trim(), "300025");
        assert!(run("true", true).is_ok());
        let kind = |script, allow| run(script, allow).unwrap_err();
        assert_eq!(kind("echo 1", false).kind, FailureKind::Rejected);
        assert_eq!(kind("sleep 30", true).kind, FailureKind::Outage);
        assert_eq!(kind("yes", true).kind, FailureKind::Truncated);
        let failed = kind("echo broken >&2; exit 3", true);
        assert!(failed.kind == FailureKind::Outage && failed.detail.contains("broken"), "{failed:?}");
    }
}
