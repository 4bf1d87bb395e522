//! `rubric expand --similarity ALIAS`: vectors that are asked for once, kept, and never taken for what they are not.

use super::expand::{Place, Ran, good, ran, statement};
use super::faults::{self, Behaviour, Dialect, Request, Server};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

const KEY: &str = "vk-58c1d9e0-not-to-be-seen";

/// Vectors in which the second criteria of all perspectives say the same, and no other two texts do.
fn meanings() -> impl Fn(&str) -> Vec<f64> + Send + Sync {
    let known: Mutex<HashMap<String, usize>> = Mutex::default();
    let same: HashSet<String> = (111..=116).map(statement).collect();
    move |text| {
        let mut known = known.lock().unwrap();
        let next = known.len() + 1;
        let place = if same.contains(text) { 0 } else { *known.entry(text.to_owned()).or_insert(next) };
        (0..400).map(|n| f64::from(u8::from(n == place))).collect()
    }
}

/// A server that writes and embeds; `spoil` changes what it says of vectors.
fn server(spoil: impl Fn(&Request, Behaviour) -> Behaviour + Send + Sync + 'static) -> Server {
    let of = meanings();
    Server::start(move |request| match request.dialect() {
        Dialect::Embeddings => spoil(request, request.vectors(&of)),
        _ => good(request),
    })
}

fn place(server: &Server) -> Place {
    let place = Place::new(server, 1, 8);
    let models = format!(
        "{}\n[models.vectors]\ndialect = \"embeddings\"\nbase_url = \"{}/v1\"\nmodel = \"e-1\"\nkey = \"RUBRIC_TEST_VECTORS\"\n\
         retries = 0\nprice = {{ input = 1, output = 0 }}\n",
        place.read("rubric.toml"),
        server.url
    );
    place.write("rubric.toml", &models);
    place
}

fn run(place: &Place, arguments: &str) -> Ran {
    ran(place.command(arguments).env("RUBRIC_TEST_VECTORS", KEY).output().unwrap())
}

const EXPAND: &str = "expand questions.jsonl -o out --similarity vectors";

/// What was told, without the breaks of its lines.
fn unwrapped(text: &str) -> String {
    text.replace("\n  │ ", " ")
}

fn embedded(server: &Server) -> Vec<Request> {
    server.requests().into_iter().filter(|request| request.dialect() == Dialect::Embeddings).collect()
}

/// Another JSON reply.
fn changed(reply: Behaviour, change: impl Fn(&mut Json)) -> Behaviour {
    let Behaviour::Reply { body, .. } = reply else { panic!("no reply") };
    let mut json: Json = serde_json::from_slice(&body).unwrap();
    change(&mut json);
    Behaviour::json(&json)
}

#[test]
fn texts_that_say_the_same_in_other_words_are_found_and_no_vector_is_asked_for_twice() {
    let server = server(|_, reply| reply);
    let place = place(&server);
    let ran = run(&place, EXPAND);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let stages = place.json("out/q_0.json");
    // By their letters 14 of the 18 criteria differ; six of these say the same.
    assert_eq!((&stages["dedup_stats"]["before"], &stages["dedup_stats"]["after"]), (&json!(18), &json!(9)));
    assert_eq!(stages["settings"]["similarity"], "vectors");
    assert!(stages["models"].as_array().unwrap().contains(&json!("served-vectors-1")), "{}", stages["models"]);
    assert_eq!(place.rubric("check --deny-warnings out/q_0.rubric").code, 0);
    let asked = embedded(&server);
    let texts: Vec<String> = asked.iter().flat_map(Request::embedded).collect();
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len(), "a text was sent twice");
    assert!(asked.iter().all(|request| request.headers["authorization"] == format!("Bearer {KEY}")));
    assert!(asked.iter().all(|request| request.json["model"] == "e-1"));
    // Nothing is asked again, and the outcome is the same; what is planned is nothing.
    let (count, before) = (server.count(), place.read("out/q_0.json"));
    assert_eq!(run(&place, EXPAND).code, 0);
    assert_eq!((server.count(), place.read("out/q_0.json")), (count, before));
    let plan = run(&place, "expand questions.jsonl --plan --similarity vectors");
    assert!(plan.out.contains("\n0 calls in all"), "{}{}", plan.out, plan.err);
    // The key stands nowhere.
    for entry in walkdir(place.path("")) {
        let bytes = std::fs::read(&entry).unwrap();
        assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{}", entry.display());
    }
}

fn walkdir(folder: std::path::PathBuf) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walkdir(path) } else { vec![path] }).collect()
}

#[test]
fn vectors_belong_to_their_texts_in_whatever_order_they_come() {
    let [one, other] = [false, true].map(|turned| {
        let server = server(move |_, reply| {
            changed(reply, |json| {
                if turned {
                    json["data"].as_array_mut().unwrap().reverse()
                }
            })
        });
        let place = place(&server);
        let ran = run(&place, EXPAND);
        assert_eq!(ran.code, 0, "{}", ran.err);
        place.read("out/q_0.json")
    });
    assert_eq!(one, other);
}

#[test]
fn what_are_no_vectors_ends_the_question_with_the_reason_and_is_not_kept() {
    type Spoil = fn(&Request, Behaviour) -> Behaviour;
    let cases: [(&str, Spoil); 12] = [
        ("vectors for", |_, reply| changed(reply, |json| drop(json["data"].as_array_mut().unwrap().pop()))),
        ("two vectors for the text 0", |_, reply| changed(reply, |json| json["data"][1]["index"] = json!(0))),
        ("which text", |_, reply| changed(reply, |json| json["data"][1]["index"] = json!(null))),
        ("nothing but zeros", |_, reply| changed(reply, |json| json["data"][1]["embedding"] = json!(vec![0; 400]))),
        ("no list of numbers", |_, reply| changed(reply, |json| json["data"][1]["embedding"][3] = json!(null))),
        ("no list of numbers", |_, reply| changed(reply, |json| json["data"][1]["embedding"] = json!("AAAA"))),
        ("400 and 2 numbers", |_, reply| changed(reply, |json| json["data"][1]["embedding"] = json!([1, 2]))),
        ("no JSON", |_, _| faults::no_json()),
        ("does not take the request", |request, _| faults::refusal(request)),
        ("no answer", |_, _| faults::rate_limited(&[])),
        ("no answer", |_, _| Behaviour::Reset),
        ("key is not accepted", |request, _| faults::wrong_key(request)),
    ];
    for (said, spoil) in cases {
        let server = server(spoil);
        let place = place(&server);
        let ran = run(&place, EXPAND);
        assert_eq!(ran.code, 5, "{said}: {}", ran.err);
        let result = &place.results()[0];
        let reason = result["reason"].as_str().unwrap();
        assert!(result["status"] == "judge_failed" && reason.contains(said), "{said}: {result}");
        assert!(reason.starts_with("similarity of ") && !reason.contains(KEY), "{reason}");
        assert!(!place.path("out/q_0.rubric").exists());
        // It was not kept: the same command asks again.
        let before = embedded(&server).len();
        assert_eq!(run(&place, EXPAND).code, 5);
        assert!(embedded(&server).len() > before, "{said}");
    }
}

/// A reply that is no vectors is asked for again, as one of a model that writes is; a server that refuses is not.
#[test]
fn what_are_no_vectors_is_asked_for_again() {
    let wrong: Mutex<usize> = Mutex::new(0);
    let server = server(move |_, reply| {
        let mut wrong = wrong.lock().unwrap();
        *wrong += 1;
        // The first two replies of each three are spoilt.
        if wrong.is_multiple_of(3) {
            reply
        } else {
            changed(reply, |json| drop(json["data"].as_array_mut().unwrap().pop()))
        }
    });
    let place = place(&server);
    let ran = run(&place, EXPAND);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let asked = embedded(&server);
    assert!(asked.len() >= 3 && asked.len().is_multiple_of(3), "{}", asked.len());
    assert_eq!(asked[0].body, asked[2].body);
    // What was right at last is kept.
    assert_eq!(run(&place, EXPAND).code, 0);
    assert_eq!(embedded(&server).len(), asked.len());
}

#[test]
fn vectors_of_another_length_than_before_are_not_compared() {
    let first: Mutex<usize> = Mutex::new(0);
    let server = server(move |_, reply| {
        let mut first = first.lock().unwrap();
        *first += 1;
        let short = *first > 1;
        changed(reply, |json| {
            for entry in json["data"].as_array_mut().unwrap().iter_mut().filter(|_| short) {
                entry["embedding"] = json!([1, 1]);
            }
        })
    });
    let place = place(&server);
    let ran = run(&place, EXPAND);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("2 numbers after one of 400"), "{}", ran.err);
}

#[test]
fn a_model_that_does_not_embed_is_refused_before_anybody_is_asked_and_so_is_one_that_only_does() {
    let server = server(|_, reply| reply);
    let place = place(&server);
    for (arguments, said) in [
        ("expand questions.jsonl -o out --similarity default", "makes no vectors of texts"),
        ("expand questions.jsonl -o out --similarity nothing", "nothing"),
        ("expand questions.jsonl -o out --model vectors", "writes no text"),
    ] {
        let ran = run(&place, arguments);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        assert!(unwrapped(&ran.err).contains(said), "{}", ran.err);
    }
    // Without its key.
    let without = ran(place.command(EXPAND).env_remove("RUBRIC_TEST_VECTORS").output().unwrap());
    assert!(without.code == 2 && unwrapped(&without.err).contains("RUBRIC_TEST_VECTORS"), "{}", without.err);
    // What vectors take is planned for.
    let plan = run(&place, "plan expand questions.jsonl --similarity vectors");
    assert!(plan.code == 0 && plan.out.contains("and those for vectors"), "{}{}", plan.out, plan.err);
    // One scenario, one perspective and one criterion each have their vectors: three calls besides the 17, in a table of their own.
    assert!(plan.out.contains("0 calls are stored, 20 to "), "{}", plan.out);
    assert!(plan.out.contains("│ vectors ") && plan.out.matches("│ at least ").count() == 2, "{}", plan.out);
    // As a judge.
    place.write(
        "p.rubric",
        "rubric p\ncandidate answer: text\ncriterion c: bool {\n  ask \"Is it good?\"\n  judge llm(model: vectors)\n}\n\
         reduce q = mean(normalize(c))\nreadout pointwise = pass(q, at: 0.5)\n",
    );
    place.write("one.jsonl", "{\"id\": \"r\", \"answer\": \"!\"}\n");
    let judged = run(&place, "run p.rubric --data one.jsonl -o -");
    assert!(judged.code == 2 && unwrapped(&judged.err).contains("judges nothing"), "{} {}", judged.code, judged.err);
    assert_eq!(server.count(), 0);
    // `doctor` asks it.
    let doctor = run(&place, "doctor --model vectors");
    assert_eq!(embedded(&server).len(), 1, "{}{}", doctor.out, doctor.err);
    assert!(doctor.code == 0 && doctor.out.contains("served-vectors-1"), "{}{}", doctor.out, doctor.err);
    assert!(doctor.out.contains("can: vectors of texts"), "{}", doctor.out);
}

#[test]
fn what_vectors_cost_counts_and_a_ceiling_holds() {
    let server = server(|_, reply| reply);
    let place = place(&server);
    // Scenarios are asked for, then their vectors: the second call is one too many.
    let ran = run(&place, &format!("{EXPAND} --max-calls 1"));
    assert_eq!((ran.code, server.count()), (6, 1), "{}", ran.err);
    let ran = run(&place, EXPAND);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let stages = place.json("out/q_0.json");
    let asked = stages["calls"]["questions"].as_u64().unwrap();
    assert!(embedded(&server).len() > 3 && asked >= server.count() as u64, "{asked} {}", server.count());
}
