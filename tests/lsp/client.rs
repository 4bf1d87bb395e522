//! An editor for tests: sends what it is told to, and waits for what it asks for.

use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Json>,
    /// Notifications that nobody has asked for yet.
    waiting: VecDeque<Json>,
    last: i64,
}

pub fn uri(path: &Path) -> String {
    url::Url::from_file_path(path).unwrap().into()
}

impl Client {
    /// A server that has been greeted. `capabilities` are the client's.
    pub fn new(capabilities: &Json, environment: &[(&str, &str)]) -> (Client, Json) {
        let mut client = Client::silent(environment);
        let answer = client.request("initialize", json!({ "capabilities": capabilities, "processId": null }));
        client.notify("initialized", json!({}));
        (client, answer["result"].clone())
    }

    pub fn plain() -> Client {
        Client::new(&json!({}), &[]).0
    }

    /// A server that has not been greeted.
    pub fn silent(environment: &[(&str, &str)]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .arg("lsp")
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take();
        let out = child.stdout.take().unwrap();
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut out = BufReader::new(out);
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if out.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(n) = line.strip_prefix("Content-Length: ") {
                        length = n.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                out.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        Client { child, to, from, waiting: VecDeque::new(), last: 0 }
    }

    pub fn send(&mut self, message: &Json) {
        let body = message.to_string();
        let to = self.to.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        to.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting; its id.
    pub fn ask(&mut self, method: &str, params: Json) -> i64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The whole answer to a request.
    pub fn request(&mut self, method: &str, params: Json) -> Json {
        let id = self.ask(method, params);
        self.answer(id)
    }

    pub fn answer(&mut self, id: i64) -> Json {
        self.wait(|m| m["id"] == id && m.get("method").is_none())
    }

    /// The next message that fits.
    pub fn wait(&mut self, fits: impl Fn(&Json) -> bool) -> Json {
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let message = self.from.recv_timeout(PATIENCE).expect("an answer");
            if fits(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Whether no such message has come up to now, the answered ones aside.
    pub fn never(&mut self, fits: impl Fn(&Json) -> bool) -> bool {
        self.waiting.extend(self.from.try_iter());
        !self.waiting.iter().any(fits)
    }

    pub fn open(&mut self, uri: &str, text: &str) -> Vec<Json> {
        let document = json!({ "uri": uri, "languageId": "rubric", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics(uri, 1)
    }

    /// What was published about a version of a text.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Json> {
        let found = self.wait(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        });
        found["params"]["diagnostics"].as_array().unwrap().clone()
    }

    pub fn change(&mut self, uri: &str, version: i64, changes: Json) {
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes }),
        );
    }

    /// The result of a request about a place, which must not fail.
    pub fn at(&mut self, method: &str, uri: &str, place: (usize, usize)) -> Json {
        self.with(method, uri, place, json!({}))
    }

    pub fn with(&mut self, method: &str, uri: &str, place: (usize, usize), more: Json) -> Json {
        let position = json!({ "line": place.0, "character": place.1 });
        let mut params = json!({ "textDocument": { "uri": uri }, "position": position });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub fn of(&mut self, method: &str, uri: &str) -> Json {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
        let params = json!({
            "textDocument": { "uri": uri },
            "range": range,
            "context": { "diagnostics": [] },
            "options": { "tabSize": 2, "insertSpaces": true },
        });
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Ends the server as the protocol asks; its exit code.
    pub fn end(mut self) -> i32 {
        self.request("shutdown", Json::Null);
        self.notify("exit", Json::Null);
        self.code()
    }

    pub fn code(&mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }

    /// Goes away without a word.
    pub fn hang_up(&mut self) {
        self.to = None;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
