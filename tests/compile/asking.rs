//! `rubric compile` as a user runs it: the binary, a folder, and a server that answers by a script.

use crate::faults::{self, Behaviour, Request, Server};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const POLICY: &str = "# Late parcels\n\nA reply must help the customer. It must not promise what the terms do not allow.\n\n- Replies are short.\n\
                      - The office closes at five.\n";

const PROGRAM: &str = r#"rubric late_parcel

input     message: text
candidate reply:   text

criterion helpful: int[1..5] "How well does the reply help this customer?"
criterion beyond:  bool      "Does the reply promise more than the terms allow?"
criterion short: bool { judge rule(word_count(reply) <= 150) }

reduce quality = weighted_mean(normalize(helpful) weight 3, normalize(short) weight 1)
gate   final   = cap(quality, at: 0.2) when beyond

readout pointwise = quantize(final, to: int[1..5])

require "what is promised too much is never good" { when beyond: pointwise <= 2 }

test "helpful and short" {
  given { helpful: 5, beyond: false, short: true }
  expect pointwise == 5
}
"#;

const BROKEN: &str = "rubric late_parcel\ncandidate reply: text\ncriterion helpful: mark \"How helpful?\"\nreadout pointwise = helpful\n";

struct Place {
    folder: tempfile::TempDir,
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new(server: &Server) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("policy.md", POLICY);
        let model = format!(
            "[models.default]\ndialect = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m-1\"\nkey = \"TEST_KEY\"\nretries = 1\n\
             max_wait = \"300ms\"\ntimeout = \"5s\"\nprice = {{ input = 1, output = 2 }}\n",
            server.url
        );
        place.write("rubric.toml", &model);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A story, held against its schema.
    fn story(&self, name: &str) -> Json {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/compile.schema.json");
        let schema: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let story: Json = serde_json::from_str(&self.read(name)).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&story).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{story:#}\n{faults:#?}");
        story
    }

    fn rubric(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("TEST_KEY", "sk-secret")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let ran = Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    fn compile(&self, more: &[&str]) -> Ran {
        self.rubric(&[&["compile", "policy.md", "-o", "out.rubric"], more].concat())
    }
}

/// A server that answers in this order; the last answer for ever.
fn server(answers: Vec<fn(&Request) -> Behaviour>) -> Server {
    Server::start(move |request| answers[request.number.min(answers.len() - 1)](request))
}

fn valid(request: &Request) -> Behaviour {
    request.answer(PROGRAM)
}

fn broken(request: &Request) -> Behaviour {
    request.answer(BROKEN)
}

#[test]
fn the_first_program_is_taken_and_known_again() {
    let server = server(vec![valid]);
    let place = Place::new(&server);
    let ran = place.compile(&["--yields", "int[1..5]", "--interval", "0..1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = place.read("out.rubric");
    assert!(text.ends_with(PROGRAM) && text.starts_with("// Written by a language model"), "{text}");
    let story = place.story("out.provenance.json");
    assert_eq!(
        (&story["outcome"], &story["served"], &story["model"]),
        (&json!("program"), &json!("served-1"), &json!("m-1"))
    );
    assert!(text.contains(story["digest"].as_str().unwrap()));
    assert_eq!(story["specification"]["rubric"], POLICY);
    assert_eq!(place.rubric(&["check", "--deny-warnings", "out.rubric"]).code, 0);
    assert_eq!(place.rubric(&["test", "out.rubric"]).code, 0);

    // The model was shown the policy as material, and the catalogue.
    let prompt = server.requests()[0].prompt();
    assert!(
        prompt.contains("[[[ policy ") && prompt.contains("must help the customer") && prompt.contains("harmonic_mean")
    );
    assert!(server.requests()[0].schema().is_none(), "a program is text");

    // Again: from the store, to the same bytes.
    let again = place.compile(&["--yields", "int[1..5]", "--interval", "0..1"]);
    assert_eq!((again.code, server.count()), (0, 1), "{}", again.err);
    assert_eq!(place.read("out.rubric"), text);
    assert_eq!(place.story("out.provenance.json")["attempts"][0]["from_store"], true);
}

#[test]
fn faults_go_back_until_the_program_is_valid() {
    for repairs in 1..=3 {
        let mut answers: Vec<fn(&Request) -> Behaviour> = vec![broken; repairs];
        answers.push(valid);
        let server = server(answers);
        let place = Place::new(&server);
        let ran = place.compile(&[]);
        assert_eq!((ran.code, server.count()), (0, repairs + 1), "{}", ran.err);
        let second = server.requests()[1].prompt();
        assert!(
            second.contains("[[[ last program ") && second.contains("[[[ faults ") && second.contains("`mark`"),
            "{second}"
        );
        let story = place.story("out.provenance.json");
        assert_eq!(story["attempts"].as_array().unwrap().len(), repairs + 1);
        assert!(!story["attempts"][0]["diagnostics"].as_array().unwrap().is_empty());
    }
}

#[test]
fn without_a_valid_program_every_attempt_is_recorded_and_nothing_is_guessed() {
    let server = server(vec![broken]);
    let place = Place::new(&server);
    let ran = place.compile(&["--repairs", "2"]);
    assert_eq!((ran.code, server.count()), (1, 3), "{}", ran.err);
    assert!(!place.path("out.rubric").exists() && !place.path("out.provenance.json").exists());
    assert!(
        ran.err.contains("none of 3 attempts") && ran.err.contains("out.failure.json") && ran.err.contains("`mark`")
    );
    let story = place.story("out.failure.json");
    assert_eq!((&story["outcome"], story["attempts"].as_array().unwrap().len()), (&json!("failure"), 3));

    // What was answered is known; with more repairs it goes on from there.
    let ran = place.compile(&["--repairs", "2"]);
    assert_eq!((ran.code, server.count()), (1, 3), "{}", ran.err);
    let ran = place.compile(&["--repairs", "3"]);
    // The third repair is put as the second was, since the same program had the same faults.
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(server.count() <= 4);
}

#[test]
fn refusals_cut_off_replies_and_prose_are_attempts() {
    type Odd = (fn(&Request) -> Behaviour, &'static str);
    let odd: [Odd; 5] = [
        (faults::refusal, "refused"),
        (faults::filtered, "filtered"),
        (|request| faults::truncated(request, &PROGRAM[..200]), "truncated"),
        (|request| request.answer("I cannot write that."), ""),
        (|request| request.answer(" "), ""),
    ];
    for (answer, missing) in odd {
        let server = server(vec![answer, valid]);
        let place = Place::new(&server);
        let ran = place.compile(&[]);
        assert_eq!(ran.code, 0, "{missing}: {}", ran.err);
        let first = &place.story("out.provenance.json")["attempts"][0];
        if missing.is_empty() {
            assert!(first["missing"].is_null() || first["missing"] == "malformed", "{first}");
        } else {
            assert_eq!(first["missing"], missing);
        }
    }
}

#[test]
fn what_stands_round_the_program_is_left_out_with_a_note() {
    let server =
        server(vec![|request| request.answer(&format!("Here it is:\n\n```rubric\n{PROGRAM}```\n\nI hope it helps."))]);
    let place = Place::new(&server);
    let ran = place.compile(&[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(place.read("out.rubric").ends_with(PROGRAM));
    assert!(ran.err.contains("Markdown fence"), "{}", ran.err);
}

#[test]
fn a_program_that_does_not_keep_the_contract_is_mended() {
    let server = server(vec![valid, |request| {
        request.answer(
            &PROGRAM
                .replace("int[1..5])\n\nrequire", "int[1..10])\n\nrequire")
                .replace("expect pointwise == 5", "expect pointwise == 10")
                .replace("pointwise <= 2", "pointwise <= 3"),
        )
    }]);
    let place = Place::new(&server);
    let ran = place.compile(&["--yields", "int[1..10]"]);
    assert_eq!((ran.code, server.count()), (0, 2), "{}", ran.err);
    let first = &place.story("out.provenance.json")["attempts"][0];
    assert_eq!(first["diagnostics"][0]["code"], "R1202");
    assert!(server.requests()[1].prompt().contains("int[1..10]"));
}

#[test]
fn a_json_program_where_one_is_wanted() {
    let server = Server::start(|request| {
        let json = rubric_lang::compile::answer::check(
            PROGRAM,
            &rubric_lang::compile::specification::Written::default().read().unwrap(),
        );
        let json = rubric_lang::graph::json::write(json.program().unwrap());
        request.answer(&format!("```json\n{json}```\n"))
    });
    let place = Place::new(&server);
    let ran = place.rubric(&["compile", "policy.md", "-o", "out.json", "--as", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let program: Json = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(program["rubric"], "late_parcel");
    assert_eq!(place.rubric(&["check", "--deny-warnings", "out.json"]).code, 0);
    assert!(server.requests()[0].prompt().contains("rubric-program/1"));
    // The same text on its own: the check takes the fence off as well.
    place.write("fenced.json", &format!("Sure:\n```json\n{}```\n", place.read("out.json")));
    let checked = place.rubric(&["check", "--format", "repair", "fenced.json"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    assert!(checked.out.contains("R0113"), "{}", checked.out);
}

#[test]
fn clauses_are_explained_by_quotes_that_hold() {
    let links = |quote: &str| {
        json!({"links": [
            {"quote": "A reply must help the customer.", "parts": ["helpful", "quality"]},
            {"quote": "must not promise what the terms do not allow", "parts": ["beyond", "final"]},
            {"quote": quote, "parts": ["short"]},
        ]})
        .to_string()
    };
    let server = Server::start(move |request| match (request.schema().is_some(), request.number) {
        (false, _) => valid(request),
        (true, 1) => request.answer(&links("Replies must be brief.")),
        (true, _) => request.answer(&links("Replies are short.")),
    });
    let place = Place::new(&server);
    let ran = place.compile(&["--explain"]);
    assert_eq!((ran.code, server.count()), (0, 3), "{}", ran.err);
    assert!(server.requests()[2].prompt().contains("does not stand in the policy word for word"));
    let story = place.story("out.provenance.json");
    let parts: Vec<String> =
        story["explanation"]["clauses"].as_array().unwrap().iter().map(|c| c["parts"].to_string()).collect();
    assert_eq!(parts, [r#"["helpful","quality"]"#, r#"["beyond","final"]"#, r#"["short"]"#, "[]"]);
    assert!(ran.out.contains("The office closes at five.\n      → became none"), "{}", ran.out);
    assert!(ran.out.contains("3 of 4 clauses"), "{}", ran.out);

    // Quotes that never hold are not counted, and it is said.
    let server = Server::start(move |request| match request.schema() {
        None => valid(request),
        Some(_) => request.answer(&links("Replies must be brief.")),
    });
    let place = Place::new(&server);
    let ran = place.compile(&["--explain"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Not counted: \"Replies must be brief.\""), "{}", ran.out);
    assert!(ran.out.contains("No clause led to: short."), "{}", ran.out);
}

#[test]
fn one_program_for_each_record_and_none_for_a_leak() {
    let server = Server::start(|request| {
        let name = if request.prompt().contains("called `q_1`") { "q_1" } else { "task_2" };
        if request.prompt().contains("impossible-7") {
            broken(request)
        } else {
            request.answer(&PROGRAM.replace("late_parcel", name))
        }
    });
    let place = Place::new(&server);
    place.write(
        "leak.jsonl",
        "{\"id\": \"a\", \"rubric\": \"r\"}\n{\"id\": \"b\", \"rubric\": \"r\", \"response\": \"x\", \"gold\": 1}\n",
    );
    let ran = place.rubric(&["compile", "--each", "leak.jsonl", "-o", "programs"]);
    assert_eq!((ran.code, server.count()), (1, 0), "{}", ran.err);
    assert!(
        ran.err.contains("leak.jsonl:2") && ran.err.contains("`gold`") | ran.err.contains("`response`"),
        "{}",
        ran.err
    );

    let records = "{\"id\": \"q-1\", \"input\": \"Why?\", \"rubric\": [\"Names a cause\"]}\n{\"id\": 2, \"rubric\": \"Be kind.\"}\n\
                   {\"id\": \"bad\", \"rubric\": \"This is impossible-7.\"}\n";
    place.write("tasks.jsonl", records);
    let ran = place.rubric(&["compile", "--each", "tasks.jsonl", "-o", "programs", "--repairs", "1"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("2 compiled, 1 without a valid attempt"), "{}", ran.err);
    assert!(place.read("programs/q-1.rubric").contains("rubric q_1"));
    assert_eq!(place.story("programs/2.provenance.json")["program"]["name"], "task_2");
    assert_eq!(place.story("programs/bad.failure.json")["outcome"], "failure");
    let mine = server.requests().into_iter().map(|r| r.prompt()).find(|p| p.contains("called `q_1`")).unwrap();
    assert!(mine.contains("[[[ task input ") && mine.contains("Why?") && !mine.contains("Be kind."));
}

#[test]
fn what_cannot_be_asked_is_no_failure_of_the_program() {
    let place = |answer: fn(&Request) -> Behaviour| {
        let server = server(vec![answer]);
        (Place::new(&server), server)
    };
    let (there, _server) = place(|_| faults::failing());
    let ran = there.compile(&[]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(!there.path("out.rubric").exists() && !there.path("out.failure.json").exists());

    let (there, _server) = place(faults::wrong_key);
    let ran = there.compile(&[]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(!ran.err.contains("sk-secret"));

    // A ceiling ends it after the calls that it allows; with more it goes on from the store.
    let (there, server) = place(broken);
    let ran = there.compile(&["--max-calls", "1"]);
    assert_eq!((ran.code, server.count()), (6, 1), "{}", ran.err);
    assert!(!there.path("out.failure.json").exists());

    let ran = there.rubric(&["compile", "policy.md", "-o", "x.rubric", "--model", "nobody"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = there.rubric(&["compile", "policy.md", "-o", "x.rubric", "--yields", "int[5..1]"]);
    assert!(ran.code == 2 && ran.err.contains("cannot be the output"), "{}", ran.err);
}

#[test]
fn what_is_written_is_laid_out_as_fmt_does_it() {
    // As a model may write it: crooked, in one line, with its own comments.
    let crooked: fn(&Request) -> Behaviour = |request| {
        request.answer(
            "rubric late_parcel\n// What comes in.\ninput message:text\n\n\n\n  candidate   reply :text\n\
             criterion helpful:int[1..5] \"How well?\"\nchecklist c { +3 short \"Is it short?\" -2 rude \"Is it rude?\" } // points\n\
             reduce quality=mean(normalize(helpful),normalize(points(c)))\nreadout pointwise=quality\n",
        )
    };
    let json: fn(&Request) -> Behaviour = |request| {
        let open = rubric_lang::compile::specification::Written::default().read().unwrap();
        let checked = rubric_lang::compile::answer::check(PROGRAM, &open);
        request.answer(&rubric_lang::graph::json::write(checked.program().unwrap()))
    };
    for answer in [crooked, json, valid] {
        let server = server(vec![answer]);
        let place = Place::new(&server);
        let ran = place.compile(&["--repairs", "0"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ran = place.rubric(&["fmt", "--check", "out.rubric"]);
        assert_eq!(ran.code, 0, "{}{}\n{}", ran.out, ran.err, place.read("out.rubric"));
        assert_eq!(place.rubric(&["check", "out.rubric"]).code, 0);
        // The reply is kept as it came.
        let story = place.story("out.provenance.json");
        assert!(story["attempts"][0].to_string().contains("late_parcel"), "{story:#}");
    }
}

/// The row of a plan's table that begins so: calls, tokens of requests and of replies, costs.
fn row(plan: &str, name: &str) -> [f64; 4] {
    let line = plan.lines().find(|line| line.starts_with(&format!("│ {name} "))).unwrap_or_else(|| panic!("{plan}"));
    let cells: Vec<f64> = line.split(['│', '┆']).filter_map(|cell| cell.trim().parse().ok()).collect();
    cells.try_into().unwrap_or_else(|cells| panic!("{cells:?}: {line}"))
}

#[test]
fn a_plan_asks_nobody() {
    let server = server(vec![valid]);
    let place = Place::new(&server);
    let ran = place.rubric(&["compile", "policy.md", "--plan", "--explain"]);
    assert_eq!((ran.code, server.count()), (0, 0), "{}", ran.err);
    assert!(ran.out.contains("1 program: 0 calls are stored, 2 to 7, about 3 to make of `default`"), "{}", ran.out);
    let same = place.rubric(&["plan", "compile", "policy.md", "--explain"]);
    assert_eq!((same.code, same.out), (0, ran.out), "{}", same.err);
    assert_eq!(place.compile(&[]).code, 0);
    let ran = place.rubric(&["compile", "policy.md", "--plan"]);
    assert!(ran.out.contains("1 call is stored, 0 to make") && ran.out.contains("lack nothing"), "{}", ran.out);
    // The program is there; what explains it is not, and is weighed with that program.
    let ran = place.rubric(&["compile", "policy.md", "--plan", "--explain"]);
    assert!(ran.out.contains("1 call is stored, 1 to 3, about 1 to make"), "{}", ran.out);
    // Without a price nothing is said of costs but that.
    place.write("rubric.toml", &place.read("rubric.toml").replace("price = ", "# price = "));
    let ran = place.rubric(&["plan", "compile", "policy.md", "--no-store"]);
    assert!(ran.code == 0 && ran.out.contains("has no `price`"), "{}{}", ran.out, ran.err);
    // Without a place for the program nobody is asked.
    let before = server.count();
    let ran = place.rubric(&["compile", "policy.md", "--no-store"]);
    assert!(ran.code == 2 && ran.err.contains("--output") && server.count() == before, "{} {}", ran.code, ran.err);
}

/// Tokens of requests, as they are estimated everywhere: four bytes of text make one.
fn sent(server: &Server, from: usize) -> f64 {
    server.requests()[from..].iter().map(|request| request.prompt().len() as f64 / 4.0).sum()
}

#[test]
fn what_is_planned_holds_what_is_made() {
    // Valid at the first attempt, after 1, 2 and 3 repairs, and never.
    for (repairs, code) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 1)] {
        for more in [&[][..], &["--explain"]] {
            let server = Server::start(move |request| match request.schema() {
                Some(_) => request.answer(r#"{"links": []}"#),
                None if request.number < repairs => broken(request),
                None => valid(request),
            });
            let place = Place::new(&server);
            let plan = place.rubric(&[&["plan", "compile", "policy.md"], more].concat());
            assert_eq!((plan.code, server.count()), (0, 0), "{}", plan.err);
            let [low, about, high] = ["at least", "about", "at most"].map(|name| row(&plan.out, name));
            let ran = place.compile(more);
            assert_eq!(ran.code, code, "{}", ran.err);
            let calls = server.count() as f64;
            let context = format!("{repairs} repairs, {more:?}: {calls} calls\n{}", plan.out);
            assert!(low[0] <= calls && calls <= high[0], "{context}");
            let input = sent(&server, 0);
            assert!(low[1] <= input * 1.05 && input <= high[1], "{input} tokens, {context}");
            if repairs == 1 {
                assert_eq!(about[0], calls, "{context}");
                assert!((about[1] - input).abs() < input / 5.0, "{input} tokens, {context}");
            }
            // 1 for a million tokens of requests and 2 of replies, as rubric.toml says.
            for row in [low, about, high] {
                let cost = (row[1] + 2.0 * row[2]) / 1e6;
                assert!((row[3] - cost).abs() < 1e-4, "{row:?}");
            }
        }
    }
}

#[test]
fn a_plan_goes_on_from_the_attempts_that_are_stored() {
    let server = server(vec![broken, broken, valid]);
    let place = Place::new(&server);
    assert_eq!(place.compile(&["--max-calls", "2"]).code, 6);
    let plan = place.rubric(&["plan", "compile", "policy.md"]);
    assert!(plan.out.contains("2 calls are stored, 1 to 2, about 1 to make"), "{}{}", plan.out, plan.err);
    assert!(plan.out.contains("1 go on after attempts that are stored"), "{}", plan.out);
    assert_eq!(server.count(), 2, "a plan asks nobody");
    assert_eq!((place.compile(&[]).code, server.count()), (0, 3));
    // The next request is the one that was weighed, up to what stands round its texts.
    let (weighed, sent) = (row(&plan.out, "at least")[1], sent(&server, 2));
    assert!((weighed - sent).abs() < sent / 20.0, "{weighed} and {sent}");
}

#[test]
fn an_id_that_stands_twice_is_told_with_both_lines_and_nobody_is_asked() {
    let server = server(vec![valid]);
    let place = Place::new(&server);
    place.write("twice.jsonl", "{\"id\": \"a\", \"rubric\": \"r\"}\n\n{\"id\": \"A\", \"rubric\": \"s\"}\n");
    let ran = place.rubric(&["compile", "--each", "twice.jsonl", "-o", "programs"]);
    assert_eq!((ran.code, server.count()), (1, 0), "{}", ran.err);
    assert!(ran.err.contains("twice.jsonl:3") && ran.err.contains("line 1"), "{}", ran.err);
}

#[test]
fn a_connection_that_breaks_off_is_no_attempt() {
    // It is sent again, and what comes then counts.
    let there = server(vec![|request| faults::cut_off(request, PROGRAM), valid]);
    let place = Place::new(&there);
    let ran = place.compile(&[]);
    assert_eq!((ran.code, there.count()), (0, 2), "{}", ran.err);
    assert_eq!(place.story("out.provenance.json")["attempts"].as_array().unwrap().len(), 1);
    // Broken off each time, nothing is written, neither a program nor a failure.
    for broken_off in [|request: &Request| faults::cut_off(request, PROGRAM), |_: &Request| Behaviour::Reset] {
        let there = server(vec![broken_off]);
        let place = Place::new(&there);
        let ran = place.compile(&[]);
        assert_eq!((ran.code, there.count()), (5, 2), "{}", ran.err);
        assert!(!place.path("out.rubric").exists() && !place.path("out.failure.json").exists());
    }
}

#[cfg(unix)]
#[test]
fn after_ctrl_c_what_was_answered_is_kept_and_it_goes_on_from_there() {
    let server = Server::start(|request| {
        let reply = if request.number == 0 { broken(request) } else { valid(request) };
        reply.after(std::time::Duration::from_millis(400))
    });
    let place = Place::new(&server);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
    command.args(["compile", "policy.md", "-o", "out.rubric"]).current_dir(place.folder.path());
    command.env("TEST_KEY", "sk-secret").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let began = std::time::Instant::now();
    while server.count() < 1 && began.elapsed() < std::time::Duration::from_secs(20) {
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), server.count()), (Some(130), 1), "{told}");
    assert!(!place.path("out.rubric").exists() && !place.path("out.failure.json").exists());
    // The first attempt was paid for and is there; only the repair is asked for.
    let ran = place.compile(&[]);
    assert_eq!((ran.code, server.count()), (0, 2), "{}", ran.err);
}
