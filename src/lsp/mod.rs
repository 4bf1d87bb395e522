//! The language server: `rubric lsp`, over two streams.
//!
//! One ordered queue. The main loop reads messages, applies edits to texts and hands everything to one worker in the order
//! in which it came, so that an answer always belongs to the text that the editor had sent before it asked. A check that
//! a later edit has made useless is passed over, unless the editor asks about that text; a cancelled question is answered
//! with `RequestCancelled` at once, and passed over when its turn comes. Proofs, tests and influence wait on a thread of their
//! own ([`verdicts`]) and are dropped as soon as the text changes: a keystroke never waits for them.
//!
//! The worker catches whatever an analysis throws: that one request gets an error, and the server goes on. A worker that
//! dies all the same, or is at one job for half a minute, is replaced ([`watch`]): its questions get errors, and the new one
//! gets the open texts.
//!
//! *Architecture Invariant:* only this module names the protocol; what it answers with comes from [`crate::ide`] as plain
//! data.

mod convert;
mod documents;
mod rename;
mod requests;
mod verdicts;
mod watch;
mod wire;
mod worker;

use crate::source::encoding::Encoding;
use crossbeam_channel::RecvTimeoutError;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use watch::Shared;
use worker::{Job, Worker};

/// Of threads that parse and check: trees are bounded, but not small.
const STACK: usize = 64 << 20;

/// How long the end waits for the last answers to be written (hundredths of a second).
const PATIENCE: u32 = 200;

/// How long a worker may be at one job before it is replaced. The largest files are checked in seconds.
const LONGEST_JOB: Duration = Duration::from_secs(30);

/// How often a busy worker is looked after.
const LOOK: Duration = Duration::from_millis(200);

/// How many workers are tried one after the other while none of them does a single job.
const MOST_WORKERS: u32 = 5;

/// Names of token types, in the order of their numbers.
const TOKEN_TYPES: [&str; 13] = [
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "type",
    "function",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "namespace",
    "event",
];

/// Serves one editor until it says `exit` or goes away. Whether it ended as the protocol asks: `shutdown`, then `exit`.
#[must_use]
pub fn serve(from: impl BufRead + Send + 'static, to: impl Write + Send + 'static) -> bool {
    let (connection, writer) = wire::connect(from, to);
    let orderly = run(&connection);
    drop(connection);
    // What is still computed nobody waits for.
    for _ in 0..PATIENCE {
        if writer.is_finished() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    orderly
}

fn run(connection: &Connection) -> bool {
    let Ok((id, params)) = connection.initialize_start() else { return false };
    let params: lsp::InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let encoding = encoding(&params.capabilities);
    if connection.initialize_finish(id, capabilities(encoding)).is_err() {
        return false;
    }
    let refresh = refreshes(&params.capabilities);
    let mut main = Main { connection, shared: Arc::default(), encoding, refresh, worker: None, texts: HashMap::new() };
    main.worker = main.employ();
    if main.worker.is_none() {
        return false;
    }
    let orderly = main.messages();
    if let Some((queue, _)) = &main.worker {
        let _ = queue.send(Job::End);
    }
    orderly
}

/// How long a worker may be at one job.
fn longest_job() -> Duration {
    #[cfg(debug_assertions)]
    if let Some(wanted) = std::env::var("RUBRIC_LSP_LONGEST_JOB").ok().and_then(|ms| ms.parse().ok()) {
        return Duration::from_millis(wanted);
    }
    LONGEST_JOB
}

/// UTF-8 where the editor can, else UTF-16.
fn encoding(capabilities: &lsp::ClientCapabilities) -> Encoding {
    let offered = capabilities.general.as_ref().and_then(|g| g.position_encodings.as_ref());
    match offered {
        Some(list) if list.contains(&lsp::PositionEncodingKind::UTF8) => Encoding::Utf8,
        _ => Encoding::Utf16,
    }
}

/// Whether the editor asks for lenses again when it is told to.
fn refreshes(capabilities: &lsp::ClientCapabilities) -> bool {
    let workspace = capabilities.workspace.as_ref();
    workspace.and_then(|w| w.code_lens.as_ref()).and_then(|l| l.refresh_support).unwrap_or(false)
}

fn capabilities(encoding: Encoding) -> Json {
    json!({
        "capabilities": {
            "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
            "textDocumentSync": { "openClose": true, "change": 2 },
            "completionProvider": { "triggerCharacters": ["{", ".", ":", "(", "="] },
            "hoverProvider": true,
            "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
            "codeLensProvider": {},
            "inlayHintProvider": true,
            "foldingRangeProvider": true,
            "documentFormattingProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": ["declaration"] },
                "full": true,
            },
        },
        "serverInfo": { "name": "rubric", "version": env!("CARGO_PKG_VERSION") },
    })
}

struct Main<'c> {
    connection: &'c Connection,
    shared: Arc<Shared>,
    encoding: Encoding,
    refresh: bool,
    /// `None` where none can be had any more.
    worker: Option<(Sender<Job>, JoinHandle<()>)>,
    /// The open texts and their versions.
    texts: HashMap<String, (i32, Arc<str>)>,
}

impl Main<'_> {
    fn messages(&mut self) -> bool {
        let patience = longest_job();
        loop {
            // Only a busy worker is looked after; otherwise nothing happens until the editor speaks.
            let message = if self.shared.is_busy() {
                match self.connection.receiver.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) => {
                        self.look_after_worker(patience);
                        continue;
                    }
                    received => received.ok(),
                }
            } else {
                self.connection.receiver.recv().ok()
            };
            let Some(message) = message else { return false };
            match message {
                Message::Request(request) => match self.connection.handle_shutdown(&request) {
                    Ok(true) => return true,
                    Ok(false) => self.request(request),
                    Err(_) => return false,
                },
                Message::Notification(notification) if notification.method == "exit" => return false,
                Message::Notification(notification) => self.notification(notification),
                // An answer to a refresh.
                Message::Response(_) => {}
            }
            self.look_after_worker(patience);
        }
    }

    /// Starts a worker.
    fn employ(&self) -> Option<(Sender<Job>, JoinHandle<()>)> {
        let (queue, jobs) = channel();
        let sender = self.connection.sender.clone();
        let worker = Worker::new(sender, Arc::clone(&self.shared), self.encoding, self.refresh, queue.clone());
        let thread = std::thread::Builder::new().name("analysis".to_owned()).stack_size(STACK);
        Some((queue, thread.spawn(move || worker.run(&jobs)).ok()?))
    }

    /// Replaces a worker that has died or does not come to an end.
    fn look_after_worker(&mut self, patience: Duration) {
        let Some((_, thread)) = &self.worker else { return };
        let slow = self.shared.is_overdue(patience);
        if !slow && !thread.is_finished() {
            return;
        }
        // The old one is left to itself: a thread cannot be ended from outside, but nobody listens to it any more.
        self.worker = None;
        let Some(left) = self.shared.give_up(MOST_WORKERS) else { return };
        let how = if slow { "took too long and was given up" } else { "has failed" };
        for id in left.waiting {
            let text = format!("the analysis {how}; this is a fault of the server, please report it with the file");
            self.answer(Response::new_err(id, ErrorCode::InternalError as i32, text));
        }
        if let Some(uri) = left.checked {
            let name = uri.rsplit('/').next().unwrap_or(&uri).to_owned();
            let message = format!("rubric: the analysis of {name} {how}. It is tried again when the text changes.");
            let params = json!({ "type": 1, "message": message });
            let _ = self.connection.sender.send(Notification::new("window/showMessage".to_owned(), params).into());
        }
        self.worker = self.employ();
        let mut texts: Vec<_> =
            self.texts.iter().map(|(uri, (version, text))| (uri.clone(), *version, Arc::clone(text))).collect();
        texts.sort();
        for (uri, version, text) in texts {
            self.hand_over(Job::Changed { uri, version, text });
        }
    }

    /// Whether there was a worker to take it.
    fn hand_over(&self, job: Job) -> bool {
        let Some((queue, _)) = &self.worker else { return false };
        self.shared.handed_over();
        // A worker that has just died is replaced in the next moment, and gets the texts then.
        queue.send(job).is_ok()
    }

    fn answer(&self, response: Response) {
        let _ = self.connection.sender.send(response.into());
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        self.shared.asked(&id);
        if !self.hand_over(Job::Request(request)) && self.worker.is_none() && self.shared.take(&id) {
            let code = ErrorCode::InternalError as i32;
            self.answer(Response::new_err(id, code, "the analysis has ended; restart the server".to_owned()));
        }
    }

    /// Texts; everything else is of no interest. A notification that cannot be read is passed over, as there is nobody
    /// to answer.
    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let Ok(opened) = serde_json::from_value::<lsp::DidOpenTextDocumentParams>(params) else { return };
                let document = opened.text_document;
                self.changed(document.uri.as_str(), document.version, document.text.into());
            }
            "textDocument/didChange" => {
                let Ok(change) = serde_json::from_value::<lsp::DidChangeTextDocumentParams>(params) else { return };
                let uri = change.text_document.uri.as_str();
                let Some((_, text)) = self.texts.get(uri) else { return };
                let text = documents::edited(text, &change.content_changes, self.encoding);
                self.changed(uri, change.text_document.version, text);
            }
            "textDocument/didClose" => {
                let Ok(closed) = serde_json::from_value::<lsp::DidCloseTextDocumentParams>(params) else { return };
                let uri = closed.text_document.uri.as_str().to_owned();
                self.texts.remove(&uri);
                self.shared.closed(&uri);
                self.hand_over(Job::Closed(uri));
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.hand_over(Job::Disk);
            }
            "$/cancelRequest" => {
                let id = params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
                if let Some(id) = id.filter(|id| self.shared.take(id)) {
                    let code = ErrorCode::RequestCanceled as i32;
                    self.answer(Response::new_err(id, code, "cancelled by the editor".to_owned()));
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, uri: &str, version: i32, text: Arc<str>) {
        self.texts.insert(uri.to_owned(), (version, Arc::clone(&text)));
        self.shared.opened(uri, version);
        self.hand_over(Job::Changed { uri: uri.to_owned(), version, text });
    }
}
