//! Replies of servers: whatever bytes come back, nothing breaks, and what is taken is an answer to what was asked.
//!
//! The first byte chooses the dialect, the second one of the things that are asked of a record; the rest is the body of a
//! reply of status 200. What is taken as an answer must be of the criterion's type, and of a chat must carry the request's nonce.

use rubric_lang::judge::ask::{Asker, CallKind, Heard};
use rubric_lang::judge::config::Config;
use rubric_lang::judge::wire::{self, Answer};
use rubric_lang::project::check_files;
use rubric_lang::run::engine::Engine;
use rubric_lang::run::judgment::{answers, judge};
use rubric_lang::run::record::{DataFormat, Record, Records};
use rubric_lang::source::FileId;
use rubric_lang::source::files::Files;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

pub const NONCE: &str = "0123456789abcdef";
pub const CHATS: [&str; 4] = ["openai", "anthropic", "gemini", "ollama"];
pub const DECIDERS: [&str; 2] = ["systemone", "decisions"];

/// What every model is asked.
const ASKED: &str = "
criterion level: int[1..5] \"How good?\"
criterion met: bool \"Is it right?\"
criterion perhaps: bool? \"Is it kind?\"
criterion tone: choice(warm, cold) \"Which tone?\"
criterion parts: set(a, b) \"Which of these?\"
";

/// What only those are asked that write.
const WRITTEN: &str = "
criterion quoted: score[0..1] { ask \"How clear?\" judge llm(evidence: required) }
criterion slips: tally(slip) max 3 \"Which slips?\"
checklist care { judge llm(batch: 2) +1 one \"Is one\" +1 two \"Is two\" }
";

const RECORD: &str = r#"{"id": "r", "answer": "The sky is blue, and water is wet."}"#;

fn program(more: &str) -> String {
    format!(
        "rubric asked\ncandidate answer: text\n{ASKED}{more}observe level observe met observe perhaps observe tone observe parts\n{}reduce \
         total = normalize(level)\nreadout pointwise = total\n",
        if more.is_empty() {
            ""
        } else {
            "observe quoted observe slips\nreduce cared = clamp(points(care), to: score[0..1])\nobserve cared\n"
        }
    )
}

/// The models with what they are asked, by dialect.
fn ready() -> &'static [(Asker, Engine)] {
    static READY: OnceLock<Vec<(Asker, Engine)>> = OnceLock::new();
    READY.get_or_init(|| {
        let one = |dialect: &str| {
            let text = program(if DECIDERS.contains(&dialect) { "" } else { WRITTEN });
            let opened = check_files(Files::memory(&[("asked.rubric", &text)]), FileId(0));
            let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
            let models = format!("[models.default]\ndialect = \"{dialect}\"\nmodel = \"m\"\n");
            let config = Config::parse(Path::new("rubric.toml"), &models).expect("it is a configuration");
            (Asker::new(&program, &config, Path::new(".")).expect("it can be asked"), Engine::new(program))
        };
        CHATS.iter().chain(&DECIDERS).map(|dialect| one(dialect)).collect()
    })
}

fn record(engine: &Engine) -> Record {
    let records = Records::from_reader(Box::new(Cursor::new(RECORD)), Some(DataFormat::Jsonl));
    let raw = records.expect("they are lines").next_record().expect("it can be read").expect("it is there");
    Record::read(raw, &engine.program, &engine.layout).unwrap_or_else(|fault| panic!("{fault:?}"))
}

/// Reads a reply; whether it was taken as an answer.
pub fn read(data: &[u8]) -> bool {
    let [dialect, which, body @ ..] = data else { return false };
    let all = ready();
    let (asker, engine) = &all[usize::from(*dialect) % all.len()];
    let mut record = record(engine);
    let mut judged =
        judge(&engine.program, &engine.layout, &mut record, Vec::new(), None).expect("nothing is recorded");
    let mut askings = asker.plan(&record, &judged);
    let at = usize::from(*which) % askings.len();
    let asking = &mut askings[at];
    let Some((id, call)) = asking.calls().into_iter().next() else { return false };
    let CallKind::Ask { alias, .. } = &call.kind else { return false };
    let question = call.question(NONCE).expect("a model is asked");
    let rendered = wire::render(alias, &question).expect("it can be said");
    let reply = match wire::read(alias, &rendered, body) {
        Ok(reply) => reply,
        Err(failure) => {
            assert!(!failure.detail.is_empty(), "a failure without a word: {failure:?}");
            return false;
        }
    };
    if !matches!(asking.answered(id, NONCE, Ok(&reply)), Heard::Conforms) {
        return false;
    }
    if let Answer::Text { text, .. } = &reply.answer {
        // A letter may be written as an escape.
        assert!(text.contains(NONCE) || text.contains("\\u"), "an answer without the nonce: {text}");
    }
    let taken = asking.done().expect("it was all that was asked");
    answers::add(&engine.program, &record, &mut judged, taken).expect("an answer that is none of its type");
    true
}
