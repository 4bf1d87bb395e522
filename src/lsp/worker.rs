//! The queue's other end: checks texts, answers requests, one after the other.

use super::STACK;
use super::convert;
use super::requests;
use super::verdicts::{Verdicts, verdicts};
use super::watch::Shared;
use crate::diagnostics::Diagnostic;
use crate::graph::Program;
use crate::ide::Snapshot;
use crate::project::{self, Opened};
use crate::source::encoding::Encoding;
use crate::source::files::{Files, Overlay};
use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, channel};

/// What stands in the queue.
#[derive(Debug)]
pub(super) enum Job {
    Changed {
        uri: String,
        version: i32,
        text: Arc<str>,
    },
    Closed(String),
    /// Files on disk may be others than before.
    Disk,
    Request(Request),
    /// What was computed about a text in quiet.
    Verdicts {
        uri: String,
        version: i32,
        verdicts: Verdicts,
    },
    /// The editor has gone.
    End,
}

/// An error of a request: its code and what is said.
pub(super) type Failure = (ErrorCode, String);

/// An open text.
#[derive(Debug)]
pub(super) struct Document {
    pub version: i32,
    pub text: Arc<str>,
    /// `None` until it is checked, and where checking failed.
    pub opened: Option<Opened>,
    /// The last program without errors.
    pub program: Option<Arc<Program>>,
    /// Of this version; empty until they are there.
    pub verdicts: Verdicts,
    /// Addresses of other files about which it has said something.
    told: HashSet<String>,
}

pub(super) struct Worker {
    sender: Sender<Message>,
    shared: Arc<Shared>,
    /// Its own; another one at work means that nobody listens to this one.
    number: u64,
    pub encoding: Encoding,
    refresh: bool,
    pub documents: BTreeMap<String, Document>,
    /// Texts to prove and test in quiet.
    quiet: mpsc::Sender<(String, i32, Arc<Program>)>,
    refreshes: i32,
}

impl Worker {
    pub fn new(
        sender: Sender<Message>,
        shared: Arc<Shared>,
        encoding: Encoding,
        refresh: bool,
        queue: mpsc::Sender<Job>,
    ) -> Worker {
        let (quiet, waiting) = channel();
        let watched = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("verdicts".to_owned()).stack_size(STACK);
        // Without it there are no verdicts, and everything else.
        let _ = thread.spawn(move || compute(&waiting, &watched, &queue));
        let number = shared.number();
        Worker { sender, shared, number, encoding, refresh, documents: BTreeMap::new(), quiet, refreshes: 0 }
    }

    pub fn run(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            if matches!(job, Job::End) || !self.shared.begin(self.number) {
                return;
            }
            #[cfg(debug_assertions)]
            requests::fail_worker_for_tests(&job);
            let id = match &job {
                Job::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            let counted = !matches!(job, Job::Verdicts { .. });
            // Whatever is left half done is an analysis, which the next check replaces.
            let done = catch_unwind(AssertUnwindSafe(|| self.job(job)));
            if let (Err(_), Some(id)) = (done, id) {
                let text = "the analysis failed; this is a fault of the server, please report it with the file";
                self.answer(Response::new_err(id, ErrorCode::InternalError as i32, text.to_owned()));
            }
            self.shared.end(self.number, counted);
        }
    }

    fn job(&mut self, job: Job) {
        match job {
            Job::Changed { uri, version, text } => self.changed(uri, version, text),
            Job::Closed(uri) => self.closed(&uri),
            Job::Disk => {
                let all: Vec<String> = self.documents.keys().cloned().collect();
                all.iter().for_each(|uri| self.check(uri));
            }
            Job::Request(request) => self.request(request),
            Job::Verdicts { uri, version, verdicts } => self.settled(&uri, version, verdicts),
            Job::End => {}
        }
    }

    fn changed(&mut self, uri: String, version: i32, text: Arc<str>) {
        match self.documents.get_mut(&uri) {
            Some(document) => {
                document.version = version;
                document.text = text;
                document.opened = None;
                document.verdicts = Verdicts::default();
            }
            None => {
                let document = Document {
                    version,
                    text,
                    opened: None,
                    program: None,
                    verdicts: Verdicts::default(),
                    told: HashSet::new(),
                };
                self.documents.insert(uri.clone(), document);
            }
        }
        // A later edit waits in the queue: its check is worth more, unless somebody asks about this text.
        if self.shared.is_stale(&uri, version) {
            return;
        }
        self.check(&uri);
        self.dependents(&uri);
    }

    fn closed(&mut self, uri: &str) {
        let Some(document) = self.documents.remove(uri) else { return };
        for told in document.told.iter().map(String::as_str).chain([uri]) {
            self.publish(told, None, &[]);
        }
        self.dependents(uri);
    }

    /// Checks the open texts that use this one.
    fn dependents(&mut self, uri: &str) {
        let Some(path) = convert::path(uri) else { return };
        let uses = |d: &Document| {
            let files = d.opened.iter().flat_map(|o| o.files.map().iter());
            files.filter_map(|s| s.path.as_deref()).any(|p| convert::canonical(p) == path)
        };
        let others: Vec<String> = self
            .documents
            .iter()
            .filter(|(other, d)| *other != uri && uses(d))
            .map(|(other, _)| other.clone())
            .collect();
        others.iter().for_each(|other| self.check(other));
    }

    /// The open texts by path.
    pub fn overlay(&self) -> Overlay {
        let all = self.documents.iter();
        Arc::new(all.filter_map(|(uri, d)| Some((convert::path(uri)?, Arc::clone(&d.text)))).collect())
    }

    fn check(&mut self, uri: &str) {
        #[cfg(debug_assertions)]
        requests::fail_for_tests("check");
        let overlay = self.overlay();
        let Some(document) = self.documents.get_mut(uri) else { return };
        if !self.shared.checks(uri, document.version) {
            return;
        }
        #[cfg(debug_assertions)]
        requests::wait_for_tests(&document.text);
        let (files, file) = match convert::path(uri) {
            Some(path) => Files::over(&path, &document.text, overlay),
            None => Files::text(uri, Path::new("."), document.text.to_string()),
        };
        let opened = project::check_files(files, file);
        if self.shared.number() != self.number {
            return;
        }
        if let Some(program) = &opened.program {
            document.program = Some(Arc::clone(program));
            let _ = self.quiet.send((uri.to_owned(), document.version, Arc::clone(program)));
        }
        document.verdicts = Verdicts::default();
        document.opened = Some(opened);
        self.tell(uri);
    }

    /// What was computed in quiet, where the text is still the same.
    fn settled(&mut self, uri: &str, version: i32, verdicts: Verdicts) {
        let Some(document) = self.documents.get_mut(uri).filter(|d| d.version == version) else { return };
        document.verdicts = verdicts;
        self.tell(uri);
        if self.refresh {
            self.refreshes += 1;
            let id = format!("refresh-{}", self.refreshes);
            let request = Request::new(id.into(), "workspace/codeLens/refresh".to_owned(), Json::Null);
            let _ = self.sender.send(request.into());
        }
    }

    /// Publishes what was found about a text, and about files that it uses and nobody has open.
    fn tell(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let Some(opened) = &document.opened else { return };
        let mut by_file: HashMap<String, Vec<Json>> = HashMap::new();
        by_file.insert(uri.to_owned(), Vec::new());
        let all: Vec<&Diagnostic> = opened.diagnostics.iter().chain(&document.verdicts.diagnostics).collect();
        for found in all {
            let Some(source) = opened.files.get(found.span().file) else { continue };
            let address = match (source.id == opened.file, &source.path) {
                (true, _) => uri.to_owned(),
                (false, Some(path)) => convert::address(&convert::canonical(path)),
                (false, None) => continue,
            };
            // Open files speak for themselves.
            if address != uri && self.documents.contains_key(&address) {
                continue;
            }
            let shown = convert::diagnostic(&opened.files, found, uri, self.encoding);
            by_file.entry(address).or_default().extend(shown);
        }
        let version = document.version;
        let told: HashSet<String> = by_file.keys().filter(|a| *a != uri).cloned().collect();
        let gone: Vec<String> = document.told.difference(&told).cloned().collect();
        gone.iter().for_each(|address| self.publish(address, None, &[]));
        for (address, list) in &by_file {
            self.publish(address, (address == uri).then_some(version), list);
        }
        if let Some(document) = self.documents.get_mut(uri) {
            document.told = told;
        }
    }

    fn publish(&self, uri: &str, version: Option<i32>, diagnostics: &[Json]) {
        let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
        if let (Some(version), Some(params)) = (version, params.as_object_mut()) {
            params.insert("version".to_owned(), version.into());
        }
        let notification = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
        if self.shared.number() == self.number {
            let _ = self.sender.send(notification.into());
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        // Cancelled, and answered by the main loop.
        if !self.shared.is_waiting(&id) {
            return;
        }
        // A text whose check was passed over.
        let uri = request.params.pointer("/textDocument/uri").and_then(Json::as_str).unwrap_or("").to_owned();
        if self.documents.get(&uri).is_some_and(|d| d.opened.is_none()) {
            self.check(&uri);
        }
        let answer = match requests::answer(self, &request) {
            Ok(result) => Response::new_ok(id, result),
            Err((code, text)) => Response::new_err(id, code as i32, text),
        };
        self.answer(answer);
    }

    /// Unless somebody else has: the editor cancelled the question, or this worker has been replaced.
    fn answer(&self, response: Response) {
        if self.shared.take(&response.id) {
            let _ = self.sender.send(response.into());
        }
    }

    /// An open text as it was checked.
    pub fn document(&self, uri: &str) -> Result<(&Document, &Opened), Failure> {
        let unknown = || (ErrorCode::InvalidParams, format!("`{uri}` is not open"));
        let document = self.documents.get(uri).ok_or_else(unknown)?;
        let failed = || (ErrorCode::RequestFailed, "this text could not be checked".to_owned());
        Ok((document, document.opened.as_ref().ok_or_else(failed)?))
    }

    pub fn snapshot(&self, uri: &str) -> Result<Snapshot, Failure> {
        let (document, opened) = self.document(uri)?;
        Ok(Snapshot::new(opened.clone(), document.program.clone()))
    }
}

/// Proves and tests what is handed over, always the newest first.
fn compute(waiting: &Receiver<(String, i32, Arc<Program>)>, shared: &Shared, queue: &mpsc::Sender<Job>) {
    while let Ok(first) = waiting.recv() {
        let mut newest: HashMap<String, (i32, Arc<Program>)> = HashMap::new();
        for (uri, version, program) in std::iter::once(first).chain(waiting.try_iter()) {
            newest.insert(uri, (version, program));
        }
        for (uri, (version, program)) in newest {
            let stale = || shared.is_stale(&uri, version);
            let found = catch_unwind(AssertUnwindSafe(|| verdicts(&program, &stale)));
            let Ok(Some(verdicts)) = found else { continue };
            if queue.send(Job::Verdicts { uri: uri.clone(), version, verdicts }).is_err() {
                return;
            }
        }
    }
}
