//! A server on this machine that speaks all dialects and fails in every known way, as a script says.
//!
//! A test starts one with a closure from each request to what becomes of it:
//!
//! ```ignore
//! #[path = "support/faults/mod.rs"]
//! mod faults;
//! let server = faults::Server::start(|request| match request.number {
//!     0 => faults::rate_limited(&[("retry-after-ms", "5")]),
//!     _ => request.answer("yes"),
//! });
//! // … ask `server.url` …
//! assert_eq!(server.requests().len(), 2);
//! ```
//!
//! It listens on a free port of 127.0.0.1 in a thread of its own, keeps what it was asked, and stops when it is dropped.
//! It knows nothing of rubrics; [`Request::conforming`] fills a schema in, and finds the nonce in the prompt.

#![allow(dead_code, reason = "each test target uses another part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod answers;
mod http;
mod replies;

pub use http::Request;
pub use replies::*;

use serde_json::Value as Json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// What becomes of a request.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// A whole reply.
    Reply { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// The same after some time.
    After(Duration, Box<Behaviour>),
    /// A reply whose body comes one byte at a time, so long apart.
    Drip { body: Vec<u8>, apart: Duration },
    /// A reply that says that it is longer than what comes before the connection closes.
    CutOff { body: Vec<u8>, missing: usize },
    /// The connection is reset without a word.
    Reset,
    /// Nothing ever comes; the connection stays open.
    Never,
    /// These bytes, whatever they are; then the connection is closed.
    Raw(Vec<u8>),
}

impl Behaviour {
    /// JSON with status 200.
    pub fn json(body: &Json) -> Behaviour {
        Behaviour::status(200, body)
    }

    /// JSON with another status.
    pub fn status(status: u16, body: &Json) -> Behaviour {
        Behaviour::Reply { status, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    /// The same with headers.
    #[must_use]
    pub fn with(mut self, list: &[(&str, &str)]) -> Behaviour {
        if let Behaviour::Reply { headers, .. } = &mut self {
            headers.extend(list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
        }
        self
    }

    /// The same after some time.
    #[must_use]
    pub fn after(self, wait: Duration) -> Behaviour {
        Behaviour::After(wait, Box::new(self))
    }
}

type Script = dyn Fn(&Request) -> Behaviour + Send + Sync;

struct Shared {
    script: Box<Script>,
    requests: Mutex<Vec<Request>>,
    /// Whether requests are kept; not for benchmarks.
    keeps: bool,
    number: AtomicUsize,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

/// The server. It stops when it is dropped.
pub struct Server {
    /// Its address, `http://127.0.0.1:PORT`.
    pub url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub fn start(script: impl Fn(&Request) -> Behaviour + Send + Sync + 'static) -> Server {
        Server::make(Box::new(script), true)
    }

    /// One that keeps no requests, for many of them.
    pub fn forgetful(script: impl Fn(&Request) -> Behaviour + Send + Sync + 'static) -> Server {
        Server::make(Box::new(script), false)
    }

    fn make(script: Box<Script>, keeps: bool) -> Server {
        let shared = Arc::new(Shared {
            script,
            requests: Mutex::default(),
            keeps,
            number: AtomicUsize::default(),
            under_way: AtomicUsize::default(),
            most: AtomicUsize::default(),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let accept = async {
                    loop {
                        if let Ok((stream, _)) = listener.accept().await {
                            tokio::spawn(serve(stream, Arc::clone(&serving)));
                        }
                    }
                };
                tokio::select! {
                    () = accept => {}
                    _ = stopped => {}
                }
            });
        });
        let url = format!("http://{}", told.recv().unwrap());
        Server { url, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// What it was asked, in the order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// How often it was asked.
    pub fn count(&self) -> usize {
        self.shared.number.load(Ordering::SeqCst)
    }

    /// The most requests that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.shared.most.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    while let Some(mut request) = http::read(&mut stream, &mut buffer).await {
        request.number = shared.number.fetch_add(1, Ordering::SeqCst);
        let now = shared.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        shared.most.fetch_max(now, Ordering::SeqCst);
        let behaviour = (shared.script)(&request);
        if shared.keeps {
            shared.requests.lock().unwrap().push(request);
        }
        let open = act(&mut stream, behaviour).await;
        shared.under_way.fetch_sub(1, Ordering::SeqCst);
        if !open {
            return;
        }
    }
}

/// Does it; whether the connection is still of use.
async fn act(stream: &mut TcpStream, mut behaviour: Behaviour) -> bool {
    while let Behaviour::After(wait, then) = behaviour {
        tokio::time::sleep(wait).await;
        behaviour = *then;
    }
    match behaviour {
        Behaviour::Reply { status, headers, body } => {
            let mut out = http::head(status, &headers, body.len());
            out.extend_from_slice(&body);
            stream.write_all(&out).await.is_ok()
        }
        Behaviour::Drip { body, apart } => {
            if stream.write_all(&http::head(200, &[], body.len())).await.is_err() {
                return false;
            }
            for byte in body {
                tokio::time::sleep(apart).await;
                if stream.write_all(&[byte]).await.is_err() {
                    return false;
                }
            }
            true
        }
        Behaviour::CutOff { body, missing } => {
            let mut out = http::head(200, &[], body.len() + missing);
            out.extend_from_slice(&body);
            let _ = stream.write_all(&out).await;
            false
        }
        Behaviour::Reset => {
            let _ = stream.set_zero_linger();
            false
        }
        Behaviour::Never => {
            std::future::pending::<()>().await;
            false
        }
        Behaviour::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            false
        }
        Behaviour::After(..) => unreachable!("it was waited for above"),
    }
}
