//! What asking costs besides the calls: `cargo bench --bench judge`. No network; a server that does next to nothing answers on loopback, in a process
//! of its own (this program, started again), so that its CPU time is told apart from ours. It shares the processors all the same.
//!
//! - `in_flight`: 100,000 judgments by a server that answers after 50 ms, 1,000 at once. The ideal is 20,000 a second.
//! - `from the store`: records with ten judgments each, all of them in the store, in a process of its own; the largest resident size is
//!   printed for 10,000 and 100,000 records (Linux).
//! - CPU time of the process and of the server are printed for each, and for the same number of bare calls by the HTTP client alone.
//!   Words pick the stages whose names hold them; a number is how many judgments the first stages make (for a profiler).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark may fail"
)]

use rubric_lang::judge::budget::{Budget, Ceilings};
use rubric_lang::judge::config::Config;
use rubric_lang::judge::schedule::{self, Host, Judges, Judging};
use rubric_lang::judge::store::Store;
use rubric_lang::judge::wire::{Chat, Client, Content, Question, Sampling, render};
use rubric_lang::project;
use rubric_lang::run::driver::{Done, Driver, Programs};
use rubric_lang::run::engine::Engine;
use rubric_lang::run::record::{DataFormat, Records};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// As the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DELAY: Duration = Duration::from_millis(50);
const AT_ONCE: usize = 1000;

struct Counting {
    judging: Arc<Judging>,
    records: usize,
    decided: usize,
}

impl Host<String> for Counting {
    fn judging(&mut self, engine: &Engine) -> Result<Option<Judges>, String> {
        self.judging.judges(engine).map(Some).map_err(|faults| faults.join("\n"))
    }

    fn done(&mut self, done: Done) -> Result<(), String> {
        self.records += 1;
        self.decided += usize::from(done.lines.iter().all(|line| line.json["status"] == "decided"));
        Ok(())
    }
}

/// A program with so many criteria that are bool.
fn engine(criteria: usize) -> Arc<Engine> {
    let mut text = String::from("rubric bench\ncandidate answer: text\n");
    (0..criteria).for_each(|n| text += &format!("criterion c{n}: bool \"Is it good in way {n}?\"\n"));
    let all: Vec<String> = (0..criteria).map(|n| format!("c{n}")).collect();
    text += &format!("reduce share = fraction({})\nreadout pointwise = share\n", all.join(", "));
    let opened = project::open_text("bench.rubric", Path::new("."), text);
    Arc::new(Engine::new(opened.program.expect("it has no errors")))
}

fn config(url: &str) -> Config {
    let text = format!(
        "[models.default]\ndialect = \"openai\"\nbase_url = \"{url}/v1\"\nmodel = \"m\"\nconcurrency = {AT_ONCE}\n"
    );
    Config::parse(Path::new("rubric.toml"), &text).unwrap()
}

struct Lines {
    next: usize,
    end: usize,
    line: Vec<u8>,
}

impl std::io::Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.line.is_empty() && self.next < self.end {
            let text = "This is the answer that is judged. ".repeat(10);
            self.line = format!("{{\"id\": \"r{}\", \"answer\": \"{} {text}\"}}\n", self.next, self.next).into_bytes();
            self.next += 1;
        }
        let n = self.line.len().min(into.len());
        into[..n].copy_from_slice(&self.line[..n]);
        self.line.drain(..n);
        Ok(n)
    }
}

fn run(engine: &Arc<Engine>, judging: &Arc<Judging>, records: usize) -> Counting {
    let data = Box::new(Lines { next: 0, end: records, line: Vec::new() });
    let records_from = Records::from_reader(data, Some(DataFormat::Jsonl)).unwrap();
    let driver = Driver::new(Programs::One(Arc::clone(engine)), records_from, None);
    let mut host = Counting { judging: Arc::clone(judging), records: 0, decided: 0 };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (ended, _) = runtime.block_on(schedule::run(driver, &mut host)).unwrap();
    assert!(matches!(ended, schedule::Ended::Whole), "{ended:?}");
    assert_eq!((host.records, host.decided), (records, records));
    host
}

/// The server in a process of its own, which ends with it.
struct Elsewhere {
    child: Child,
    url: String,
}

impl Elsewhere {
    fn start(delay: Duration) -> Elsewhere {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([SERVE, &delay.as_millis().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Elsewhere { child, url: url.trim().to_owned() }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

const SERVE: &str = "--serve";
const AGAIN: &str = "--again";

/// A run in a process of its own that finds every answer in the store; with the largest resident size that it ever had.
fn again(url: &str, store: &Path, records: usize) {
    let judging = Judging::new(
        config(url),
        Some(Store::open(store).unwrap()),
        Budget::new(Ceilings { calls: Some(0), cost: None }),
        store.parent().unwrap().to_owned(),
    );
    let began = Instant::now();
    run(&engine(10), &Arc::new(judging), records);
    let (wall, n) = (began.elapsed().as_secs_f64(), (records * 10) as f64);
    println!(
        "from the store, {records} records: {n} judgments in {wall:.2} s, {:.0} a second, {:.1} µs of CPU time each; {} MB at the most",
        n / wall,
        cpu("self") * 1e6 / n,
        memory("VmHWM"),
    );
}

/// Is the server until the input ends. It does as little as a server can, because it shares the processors with what is
/// measured: it looks for the length and the nonce of a request, and answers with the same few bytes.
fn serve(delay: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::spawn(move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            println!("http://{}", listener.local_addr().unwrap());
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(stream, delay));
            }
        });
    });
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}

/// Answers the requests of a connection, one after the other.
async fn answer(mut stream: tokio::net::TcpStream, delay: Duration) {
    let mut buffer = Vec::with_capacity(16 * 1024);
    stream.set_nodelay(true).unwrap();
    loop {
        let end = loop {
            if let Some(end) = end_of_request(&buffer) {
                break end;
            }
            if !matches!(stream.read_buf(&mut buffer).await, Ok(1..)) {
                return;
            }
        };
        let reply = reply(nonce(&buffer[..end]));
        buffer.drain(..end);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if stream.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Where a request ends, once it is whole.
fn end_of_request(bytes: &[u8]) -> Option<usize> {
    let head = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).unwrap().to_ascii_lowercase();
    let length = text.split("content-length:").nth(1)?.lines().next()?.trim().parse::<usize>().unwrap();
    (bytes.len() >= head + length).then_some(head + length)
}

/// The nonce that the prompt names last.
fn nonce(request: &[u8]) -> &str {
    let before = br#"\"nonce\": \""#;
    let at = memchr::memmem::rfind(request, before).expect("a nonce in the prompt") + before.len();
    let rest = &request[at..];
    std::str::from_utf8(&rest[..memchr::memchr(b'\\', rest).unwrap()]).unwrap()
}

fn reply(nonce: &str) -> String {
    let body = format!(
        "{{\"id\":\"1\",\"object\":\"chat.completion\",\"model\":\"served-1\",\"choices\":[{{\"index\":0,\"finish_reason\":\"stop\",\
         \"message\":{{\"role\":\"assistant\",\"content\":\"{{\\\"nonce\\\":\\\"{nonce}\\\",\\\"reason\\\":\\\"It is so.\\\",\\\"answer\\\":true}}\"}}}}],\
         \"usage\":{{\"prompt_tokens\":100,\"completion_tokens\":10}}}}"
    );
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// User and system time of a process, in seconds (Linux; elsewhere 0).
fn cpu(process: &str) -> f64 {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return 0.0 };
    let after = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// A size of this process in megabytes, by the system's name for it (Linux; elsewhere 0).
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Whether a stage was asked for.
fn wanted(what: &str) -> bool {
    let words = |arg: &String| !arg.starts_with("--") && arg.parse::<usize>().is_err();
    !std::env::args().skip(1).filter(words).any(|arg| !what.contains(&arg))
}

fn measured(what: &str, server: &Elsewhere, n: usize, work: impl FnOnce()) {
    if !wanted(what) {
        return;
    }
    let theirs = server.child.id().to_string();
    let (began, ours, other) = (Instant::now(), cpu("self"), cpu(&theirs));
    work();
    let wall = began.elapsed().as_secs_f64();
    let each = |now: f64, before: f64| (now - before) * 1e6 / n as f64;
    println!(
        "{what}: {n} judgments in {wall:.2} s, {:.0} a second, {:.1} µs of CPU time each, and {:.1} µs of the server; {} MB",
        n as f64 / wall,
        each(cpu("self"), ours),
        each(cpu(&theirs), other),
        memory("VmRSS")
    );
}

/// The calls alone: rendered once, sent as often, `AT_ONCE` of them at once.
fn bare(server: &Elsewhere, n: usize) {
    let config = config(&server.url);
    let alias = Arc::clone(config.alias("default").unwrap());
    let schema = serde_json::json!({"type": "object", "required": ["nonce", "reason", "answer"], "additionalProperties": false,
        "properties": {"nonce": {"type": "string"}, "reason": {"type": "string"}, "answer": {"type": "boolean"}}});
    let text = "This is the answer that is judged. ".repeat(40) + "\"nonce\": \"abc\"";
    let question = Question::Chat(Chat {
        system: "You judge.".into(),
        shared: vec![Content::Text(text.as_str().into())],
        own: vec![],
        again: vec![],
        schema: schema.into(),
        schema_name: "judgment",
        sampling: Sampling::default(),
    });
    let rendered = Arc::new(render(&alias, &question).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Arc::new(Client::new());
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..n {
            let (client, alias, rendered) = (Arc::clone(&client), Arc::clone(&alias), Arc::clone(&rendered));
            tasks.spawn(async move { client.send(&alias, &rendered).await.unwrap() });
            if tasks.len() >= AT_ONCE * 2 {
                tasks.join_next().await.unwrap().unwrap();
            }
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.as_slice() {
        [_, word, delay] if word == SERVE => return serve(Duration::from_millis(delay.parse().unwrap())),
        [_, word, url, store, records] if word == AGAIN => {
            return again(url, Path::new(store), records.parse().unwrap());
        }
        _ => {}
    }
    // `cargo test --benches` runs this with `--test`; then a little is enough.
    let small = arguments.iter().any(|arg| arg == "--test");
    // Long enough that opening 1,000 connections counts for little.
    let wanted_n = arguments.iter().find_map(|arg| arg.parse().ok());
    let n = wanted_n.unwrap_or(if small { 500 } else { 100_000 });
    let server = Elsewhere::start(DELAY);
    measured("bare calls", &server, n, || bare(&server, n));
    let folder = tempfile::tempdir().unwrap();
    let judging = |server: &Elsewhere, store: Option<&str>| {
        let store = store.map(|store| Store::open(&folder.path().join(store)).unwrap());
        let budget = Budget::new(Ceilings::default());
        Arc::new(Judging::new(config(&server.url), store, budget, folder.path().to_owned()))
    };
    let one = engine(1);
    measured("in flight, no store", &server, n, || drop(run(&one, &judging(&server, None), n)));
    measured("in flight, each a record", &server, n, || drop(run(&one, &judging(&server, Some("one")), n)));
    let ten = engine(10);
    measured("in flight, ten a record", &server, n, || drop(run(&ten, &judging(&server, Some("ten")), n / 10)));
    drop(server);
    let server = Elsewhere::start(Duration::ZERO);
    for records in if small { [20, 100] } else { [10_000, 100_000] } {
        let name = format!("store-{records}");
        let (asked, found) = (format!("asked, {records} records"), format!("from the store, {records} records"));
        // What is to be found has to be asked first.
        let work = || drop(run(&ten, &judging(&server, Some(&name)), records));
        if wanted(&asked) {
            measured(&asked, &server, records * 10, work);
        } else if wanted(&found) {
            work();
        }
        if wanted(&found) {
            let store = folder.path().join(&name);
            let arguments = [AGAIN.as_ref(), server.url.as_ref(), store.as_os_str(), records.to_string().as_ref()]
                .map(std::ffi::OsStr::to_owned);
            let status = Command::new(std::env::current_exe().unwrap()).args(arguments).status().unwrap();
            assert!(status.success());
        }
    }
}
