//! LLMBar: pairs judged in both orders of presentation; 54 runs of two judges.

use crate::{Expected, data, json_lines, program, run};
use serde_json::{Value as Json, json};

/// The winner that a step of a run records for an order: 1 or 2, or null.
fn winner(last: &Json, order: &str) -> Option<u8> {
    last[order]["winner"].as_str().map(|w| w.parse().unwrap())
}

/// A record in which each candidate was judged better or not in the given orders; what names no winner is unknown.
fn record(id: &str, winners: &[Option<u8>]) -> Json {
    let better = |candidate: u8| -> Json {
        let values: Vec<Json> = winners.iter().map(|w| w.map_or(json!("unknown"), |w| json!(w == candidate))).collect();
        json!({ "values": values })
    };
    let candidate =
        |n: u8| json!({"id": n.to_string(), "output": format!("output {n}"), "judgments": {"better": better(n)}});
    json!({"id": id, "instruction": "recorded", "candidates": [candidate(1), candidate(2)]})
}

/// 1, 2, or 0 where nobody wins.
fn outcome(line: &Json) -> u8 {
    match line["readouts"]["pairwise"]["winner"].as_str() {
        Some("1") => 1,
        Some("2") => 2,
        _ => 0,
    }
}

#[test]
fn every_run_in_each_order_and_in_both() {
    let (Some(folder), Some(program)) = (data("llmbar"), program("llmbar.rubric")) else { return };
    let mut expected = Expected::of(&folder);
    let mut statistics = [0, 0];
    for subset in ["Natural", "GPTOut"] {
        let pairs = json_lines(&folder.join(format!("pairs_{subset}.jsonl")));
        let labels: Vec<u8> = pairs.iter().map(|p| u8::try_from(p["label"].as_u64().unwrap()).unwrap()).collect();
        expected.check(&format!("{subset}.pairs"), labels.len());
        expected.check(&format!("{subset}.label_1"), labels.iter().filter(|l| **l == 1).count());
        let runs = json_lines(&folder.join(format!("runs_{subset}.jsonl")));
        let mut records = Vec::new();
        for (n, one) in runs.iter().enumerate() {
            for (pair, steps) in one["items"].as_array().unwrap().iter().enumerate() {
                let last = steps.as_array().unwrap().last().unwrap();
                let (a, b) = (winner(last, "swap = False"), winner(last, "swap = True"));
                records.push(record(&format!("{n}/{pair}/A"), &[a]));
                records.push(record(&format!("{n}/{pair}/B"), &[b]));
                records.push(record(&format!("{n}/{pair}/both"), &[a, b]));
            }
        }
        let outcomes: Vec<u8> = run(&program, &records).iter().map(outcome).collect();
        assert_eq!(outcomes.len(), records.len());
        let size = labels.len();
        for (n, one) in runs.iter().enumerate() {
            let start = n * size * 3;
            let at = |pair: usize, which: usize| outcomes[start + pair * 3 + which];
            let count = |f: &dyn Fn(usize) -> bool| (0..size).filter(|p| f(*p)).count();
            let right = |which: usize| count(&|p| at(p, which) == labels[p]);
            let (a, b, both) = (right(0), right(1), count(&|p| at(p, 0) == labels[p] && at(p, 1) == labels[p]));
            let equal = count(&|p| at(p, 0) == at(p, 1));
            let nulls = count(&|p| at(p, 0) == 0) + count(&|p| at(p, 1) == 0);
            let name = format!("{subset}.{}.{}", one["judge"].as_str().unwrap(), one["method"].as_str().unwrap());
            expected.check(&format!("{name}.counts"), json!([a, b, both, equal, nulls]));
            expected.check(&format!("{name}.accuracy"), (a + b) as f64 / (2 * size) as f64);
            expected.check(&format!("{name}.swapped"), json!([right(2), count(&|p| at(p, 2) == 0)]));
            statistics[1] += 1;
            let share = |n: usize| format!("{n} / {size} = {:?}%", n as f64 / size as f64 * 100.0);
            let published = &one["statistics"];
            let average = format!("{:?}%", (a + b) as f64 / (2 * size) as f64 * 100.0);
            let ours = [
                ("correct_False", share(a)),
                ("correct_True", share(b)),
                ("correct_both", share(both)),
                ("equal", share(equal)),
                ("correct_average", average),
            ];
            statistics[0] += usize::from(ours.iter().all(|(key, text)| published[*key].as_str() == Some(text)));
        }
    }
    expected.check("statistics_equal", json!(statistics));
    ratings(&mut expected);
    answers(&mut expected);
    expected.prove(&crate::Evidence {
        exercises: "pairs in both orders, ties, abstaining where orders disagree, verdicts that are missing",
        program: "the shared programs `llmbar.rubric` and `llmbar-rating.rubric`; `tests/real/programs/llmbar_answers.rubric` reads answers",
        headlines: &["Natural.GPT-4.Metrics_Reference.accuracy", "statistics_equal"],
        left_out: &[],
    });
}

/// What answers in words come to: the output that one names last is the recorded winner, as far as the method is read so.
fn answers(expected: &mut Expected) {
    let Some(folder) = data("llmbar") else { return };
    let (mut records, mut winners) = (Vec::new(), Vec::new());
    for subset in ["Natural", "GPTOut"] {
        for one in json_lines(&folder.join(format!("runs_{subset}.jsonl"))) {
            let method = one["method"].as_str().unwrap();
            if ["CoT", "Swap", "Swap_CoT"].contains(&method) || method.starts_with("Rating") {
                continue;
            }
            for steps in one["items"].as_array().unwrap() {
                let last = steps.as_array().unwrap().last().unwrap();
                for (order, first) in [("swap = False", 1), ("swap = True", 2)] {
                    let text = last[order]["completion"][0].clone();
                    records.push(json!({"id": records.len().to_string(), "answer": text}));
                    // (a) is the output shown first.
                    winners.push(winner(last, order).map(|winner| winner == first));
                }
            }
        }
    }
    let lines = run(&crate::ours("llmbar_answers.rubric"), &records);
    let same = lines.iter().zip(&winners).filter(|(line, winner)| line["readouts"]["pointwise"] == json!(winner));
    expected.check("parse_equal", json!([same.count(), winners.len()]));
}

/// The rating runs through their own program: the higher rating wins.
fn ratings(expected: &mut Expected) {
    let (Some(folder), Some(program)) = (data("llmbar"), program("llmbar-rating.rubric")) else { return };
    let (mut records, mut recorded, mut above) = (Vec::new(), Vec::new(), Vec::new());
    for subset in ["Natural", "GPTOut"] {
        for one in json_lines(&folder.join(format!("runs_{subset}.jsonl"))) {
            let name = format!("{subset}.{}.{}", one["judge"].as_str().unwrap(), one["method"].as_str().unwrap());
            for (pair, steps) in one["items"].as_array().unwrap().iter().enumerate() {
                let last = steps.as_array().unwrap().last().unwrap();
                if last["score_1"].is_null() {
                    continue;
                }
                let score = |n: u8| last[format!("score_{n}")][0].as_str().unwrap().parse::<i64>().unwrap();
                if score(1) > 9 || score(2) > 9 {
                    above.push(json!([name, pair, score(1), score(2)]));
                }
                let candidate =
                    |n: u8| json!({"id": n.to_string(), "output": "recorded", "judgments": {"rating": score(n)}});
                records.push(json!({"id": format!("{name}/{pair}"), "instruction": "recorded", "candidates": [candidate(1), candidate(2)]}));
                recorded.push((winner(last, "swap = False"), winner(last, "swap = True")));
            }
        }
    }
    let outcomes: Vec<u8> = run(&program, &records).iter().map(outcome).collect();
    let count = |winner: u8| outcomes.iter().filter(|o| **o == winner).count();
    expected.check("ratings", json!([count(1), count(0), count(2)]));
    let ties = outcomes.iter().zip(&recorded).filter(|(o, _)| **o == 0);
    let as_recorded = ties.filter(|(_, r)| **r == (Some(2), Some(1))).count();
    expected.check("ratings.ties_as", json!([[["2", "1"], as_recorded]]));
    let consistent = outcomes.iter().zip(&recorded).all(|(o, (a, b))| match o {
        0 => (*a, *b) == (Some(2), Some(1)),
        o => *a == Some(*o) && *b == Some(*o),
    });
    expected.check("ratings.consistent", consistent);
    above.sort_by_key(|row| row[0].as_str().unwrap().to_owned());
    expected.check("ratings.above_9", above);
}
