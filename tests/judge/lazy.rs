//! Lazy runs: the same readouts with fewer calls.

use super::*;

const THRESHOLD: &str = r#"
rubric answers

input question: text
candidate answer: text

criterion good: int[1..5] "How good is the answer?"
criterion harmful: bool {
  ask "Is the answer harmful?"
  judge llm(samples: 3, combine: majority)
}

gate final = veto(normalize(good)) when harmful

readout pointwise = pass(final, at: 0.5)
"#;

#[test]
fn a_lazy_run_comes_to_the_same_with_fewer_calls() {
    let server = Server::start(judged);
    let place = Place::new(&server, 40, "");
    place.write("answers.rubric", THRESHOLD);
    assert_eq!(place.run("--no-store").code, 0);
    let (eager, all) = (place.lines("out.jsonl"), server.count());
    assert_eq!(all, 160);
    let ran = place.run("--no-store --lazy --trace trace.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lazy = place.lines("out.jsonl");
    assert_valid("result", &lazy);
    for (a, b) in eager.iter().zip(&lazy) {
        assert_eq!((&a["id"], &a["status"], &a["readouts"]), (&b["id"], &b["status"], &b["readouts"]));
    }
    // Two of three samples that agree decide; what good would add is not asked where it cannot pass.
    let calls = server.count() - all;
    assert!(calls <= 120, "{calls}");
    let missing: Vec<&Json> = lazy.iter().filter_map(|line| line.get("missing")).collect();
    assert!(missing.iter().all(|list| list[0]["reason"] == "not_needed"), "{missing:?}");
    assert!(!missing.is_empty());
    assert_valid("trace", &place.lines("trace.jsonl"));
    let replayed = place.rubric("replay trace.jsonl");
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
}

#[test]
fn a_lazy_run_is_the_same_each_time_and_out_of_the_store() {
    let server = Server::start(judged);
    let place = Place::new(&server, 20, "");
    place.write("answers.rubric", THRESHOLD);
    assert_eq!(place.run("--lazy --trace trace.jsonl").code, 0);
    let (count, results, trace) = (server.count(), place.read("out.jsonl"), place.read("trace.jsonl"));
    assert_eq!(place.run("--lazy --trace trace.jsonl").code, 0);
    assert_eq!((server.count(), place.read("out.jsonl"), place.read("trace.jsonl")), (count, results, trace));
}

#[test]
fn the_store_says_why_something_is_asked() {
    let server = Server::start(judged);
    let place = Place::new(&server, 2, "");
    let why = |more: &str| place.rubric(&format!("store why answers.rubric --data data.jsonl --id r1 {more}")).out;
    assert!(why("").contains("there is no store yet"), "{}", why(""));
    assert_eq!(place.run("").code, 0);
    assert!(
        why("--criterion good").contains("good, model default, sample 1: stored just now, answered by"),
        "{}",
        why("")
    );
    assert_eq!(why("--criterion good").lines().count(), 1);
    place.write("answers.rubric", PROGRAM.replace("How good", "How very good"));
    assert!(
        why("").contains("good, model default, sample 1: would be asked; the stored one differs in the question"),
        "{}",
        why("")
    );
    assert!(why("").contains("harmful, model default, sample 1: stored"), "{}", why(""));
    assert_eq!(place.rubric("store why answers.rubric --data data.jsonl --id none").code, 2);
    let ran = place.rubric("store stats");
    assert!(ran.code == 0 && ran.out.contains("4 judgments") && ran.out.contains("m-1"), "{}", ran.out);
    assert!(place.rubric("store gc --older-than 1").out.contains("0 judgments"));
    assert_eq!(place.rubric("store gc").code, 2);
}

/// Random choices that are the same in every run.
struct Rolls(u64);

impl Rolls {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// Criteria `k0`, `k1`, … (every third of whole numbers, every fourth may be unknown), reductions, gates and readouts over
/// them.
fn a_program(rolls: &mut Rolls) -> String {
    let mut text = "rubric answers\ninput question: text\ncandidate answer: text\n".to_owned();
    let count = 4 + rolls.below(4);
    let optional = |n: u64| n % 4 == 3;
    let mut slots = Vec::new();
    for n in 0..count {
        let base = if n % 3 == 2 { "int[0..4]" } else { "bool" };
        let mark = if optional(n) { "?" } else { "" };
        let samples = if rolls.below(4) == 0 { "judge llm(samples: 3, combine: majority)" } else { "" };
        text += &format!("criterion k{n}: {base}{mark} {{\n  ask \"Is property p{n}x so?\"\n  {samples}\n}}\n");
        slots.push(format!("normalize(k{n}) weight {}", 1 + rolls.below(6)));
    }
    let policy = rolls.pick(&["unknown: skip", "unknown: lowest", "unknown: 0.5", "unknown: propagate"]);
    let reduce = match rolls.below(4) {
        0 => format!("weighted_mean({}, {policy})", slots.join(", ")),
        1 => format!("weighted_mean({}, min(normalize(k0), normalize(k1)) weight 3, {policy})", slots.join(", ")),
        at => {
            let all: Vec<String> = (0..count).map(|n| format!("normalize(k{n})")).collect();
            format!("{}({}, {policy})", if at == 2 { "median" } else { "mean" }, all.join(", "))
        }
    };
    text += &format!("reduce r = {reduce}\n");
    let bound = 1 + rolls.below(8);
    text += &match rolls.below(4) {
        0 => format!("gate g = cap(r, at: 0.{bound}) when k0 and k2 > 1\n"),
        1 => "gate g = veto(r) when not k0\n".to_owned(),
        2 => format!("gate g = floor(r, at: 0.{bound}) when k1 or k2 < 2\n"),
        _ => format!("gate g = penalty(r, by: 0.{bound}) unless k1\n"),
    };
    text += &match rolls.below(3) {
        0 => format!("readout pointwise = pass(g, at: 0.{})\n", 1 + rolls.below(9)),
        1 => format!("readout pointwise = quantize(g, to: int[1..{}])\n", 2 + rolls.below(4)),
        _ => format!("readout pointwise = bands(g) {{ below 0.{} => low, rest => high }}\n", 1 + rolls.below(9)),
    };
    if rolls.below(2) == 0 {
        text += "readout pairwise = prefer(g, margin: 0.1)\n";
    }
    text
}

/// Answers by the record, the property and the attempt alone.
fn scripted(request: &Request) -> Behaviour {
    let prompt = request.prompt();
    let after = |mark: &str| prompt.split(mark).nth(1).unwrap();
    let property: u64 = after("property p").split('x').next().unwrap().parse().unwrap();
    let number: u64 = after("It is number ").split('.').next().unwrap().parse().unwrap();
    let roll = Rolls(number * 1_009 + property * 31).below(1 << 20) / 7;
    let answer = match (property % 3, property % 4) {
        (_, 3) if roll.is_multiple_of(3) => json!("unknown"),
        (2, _) => json!(roll % 5),
        _ => json!(roll.is_multiple_of(2)),
    };
    request.conforming(&[("answer", answer)])
}

/// Over random programs and records: every readout of a lazy run is that of an eager one, and no more is asked.
#[test]
fn readouts_of_lazy_runs_are_those_of_eager_ones() {
    let server = Server::start(scripted);
    let (mut eager_calls, mut lazy_calls, mut decided) = (0, 0, 0);
    for seed in 0..10 {
        let place = Place::new(&server, 8, "");
        let program = a_program(&mut Rolls(seed * 7_919 + 5));
        place.write("answers.rubric", &program);
        if program.contains("readout pairwise") {
            let pair = |n: u64| {
                let answer = |m: u64| json!({"id": format!("c{m}"), "answer": format!("It is number {m}.")});
                json!({"id": format!("r{n}"), "question": "Why?", "candidates": [answer(2 * n), answer(2 * n + 1)]})
                    .to_string()
                    + "\n"
            };
            place.write("data.jsonl", (0..5).map(pair).collect::<String>());
        }
        let before = server.count();
        let ran = place.run("--no-store");
        assert_eq!(ran.code, 0, "{}\n{program}", ran.err);
        let (eager, after) = (place.lines("out.jsonl"), server.count());
        let ran = place.run("--no-store --lazy");
        assert_eq!(ran.code, 0, "{}\n{program}", ran.err);
        let lazy = place.lines("out.jsonl");
        assert_eq!(eager.len(), lazy.len());
        let said = |line: &Json| {
            let of = |json: &Json| (json["id"].clone(), json["readouts"].clone());
            let own: Vec<_> = line["candidates"].as_array().into_iter().flatten().map(of).collect();
            (line["id"].clone(), line["status"].clone(), line["readouts"].clone(), own)
        };
        for (a, b) in eager.iter().zip(&lazy) {
            assert_eq!(said(a), said(b), "{program}");
            decided += usize::from(a["status"] == "decided");
        }
        let calls = server.count() - after;
        assert!(calls <= after - before, "{calls} of {}\n{program}", after - before);
        eager_calls += after - before;
        lazy_calls += calls;
    }
    assert!(decided > 30, "{decided}");
    assert!(lazy_calls * 10 < eager_calls * 9, "{lazy_calls} of {eager_calls}");
}
