//! The language server: `rubric lsp`, over two streams.
//!
//! One ordered queue. The main loop reads messages, applies edits to texts and hands everything to one worker in the order
//! in which it came, so that an answer always belongs to the text that the editor had sent before it asked. A check that
//! a later edit has made useless is passed over, unless the editor asks about that text; a cancelled question is answered
//! with `RequestCancelled`. Proofs, tests and influence wait on a thread of their own ([`verdicts`]) and are
//! dropped as soon as the text changes: a keystroke never waits for them.
//!
//! The worker catches whatever an analysis throws: that one request gets an error, and the server goes on.
//!
//! *Architecture Invariant:* only this module names the protocol; what it answers with comes from [`crate::ide`] as plain
//! data.

mod convert;
mod documents;
mod rename;
mod requests;
mod verdicts;
mod wire;
mod worker;

use crate::source::encoding::Encoding;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use worker::{Job, Worker};

/// Of threads that parse and check: trees are bounded, but not small.
const STACK: usize = 64 << 20;

/// How long the end waits for the last answers to be written (hundredths of a second).
const PATIENCE: u32 = 200;

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

/// What main loop, worker and verdicts share.
#[derive(Debug, Default)]
struct Shared {
    /// The version of each open text that was received last.
    latest: Mutex<HashMap<String, i32>>,
    cancelled: Mutex<HashSet<RequestId>>,
}

impl Shared {
    fn latest(&self) -> MutexGuard<'_, HashMap<String, i32>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cancelled(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a text has gone on since this version.
    fn is_stale(&self, uri: &str, version: i32) -> bool {
        self.latest().get(uri).is_none_or(|latest| *latest != version)
    }
}

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
    let shared = Arc::new(Shared::default());
    let (queue, jobs) = channel();
    let refresh = refreshes(&params.capabilities);
    let worker = Worker::new(connection.sender.clone(), Arc::clone(&shared), encoding, refresh, queue.clone());
    let thread = std::thread::Builder::new().name("analysis".to_owned()).stack_size(STACK);
    let Ok(thread) = thread.spawn(move || worker.run(&jobs)) else { return false };
    let mut main = Main { connection, shared, queue, encoding, texts: HashMap::new() };
    let orderly = main.messages();
    let _ = main.queue.send(Job::End);
    drop(thread);
    orderly
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
    queue: Sender<Job>,
    encoding: Encoding,
    texts: HashMap<String, Arc<str>>,
}

impl Main<'_> {
    fn messages(&mut self) -> bool {
        for message in &self.connection.receiver {
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
        }
        false
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if self.queue.send(Job::Request(request)).is_err() {
            let code = ErrorCode::InternalError as i32;
            let answer = Response::new_err(id, code, "the analysis has ended; restart the server".to_owned());
            let _ = self.connection.sender.send(answer.into());
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
                let Some(text) = self.texts.get(uri) else { return };
                let text = documents::edited(text, &change.content_changes, self.encoding);
                self.changed(uri, change.text_document.version, text);
            }
            "textDocument/didClose" => {
                let Ok(closed) = serde_json::from_value::<lsp::DidCloseTextDocumentParams>(params) else { return };
                let uri = closed.text_document.uri.as_str().to_owned();
                self.texts.remove(&uri);
                self.shared.latest().remove(&uri);
                let _ = self.queue.send(Job::Closed(uri));
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                let _ = self.queue.send(Job::Disk);
            }
            "$/cancelRequest" => {
                let id = params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
                if let Some(id) = id {
                    self.shared.cancelled().insert(id);
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, uri: &str, version: i32, text: Arc<str>) {
        self.texts.insert(uri.to_owned(), Arc::clone(&text));
        self.shared.latest().insert(uri.to_owned(), version);
        let _ = self.queue.send(Job::Changed { uri: uri.to_owned(), version, text });
    }
}
