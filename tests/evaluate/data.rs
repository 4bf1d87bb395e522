//! Random results and labels with many ties, the same on every machine.

use serde_json::{Value as Json, json};
use std::path::Path;

/// Numbers that follow from a seed (the generator of Knuth's MMIX).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

pub fn result(id: &str, value: &Json, tags: &Json) -> Json {
    json!({
        "id": id, "status": if value.is_null() { "abstained" } else { "decided" }, "readouts": { "pointwise": value },
        "tags": tags, "program": format!("b3:{}", "0".repeat(64)),
    })
}

pub fn write(path: &Path, lines: &[Json]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, text).unwrap();
}

/// Writes `NAME.results.jsonl` and `NAME.labels.jsonl` of every case into a folder.
pub fn all(folder: &Path) {
    let mut random = Random(20);
    let mut case = |name: &str, rows: u64, row: &mut dyn FnMut(&mut Random, u64) -> (Json, Json, Json)| {
        let (mut results, mut labels) = (Vec::new(), Vec::new());
        for n in 0..rows {
            let (value, label, tags) = row(&mut random, n);
            let id = format!("r{n}");
            results.push(result(&id, &value, &tags));
            labels.push(json!({ "id": id, "label": label }));
        }
        // Labels stand in another order.
        labels.reverse();
        write(&folder.join(format!("{name}.results.jsonl")), &results);
        write(&folder.join(format!("{name}.labels.jsonl")), &labels);
    };
    // A scale from 1 to 5, the results near the labels.
    case("scale", 300, &mut |random, _| {
        let label = 1 + random.below(5);
        let value = (label + random.below(3)).saturating_sub(1).clamp(1, 5);
        (json!(value), json!(label), json!({}))
    });
    // Tenths against labels with gaps, by systems; of one system all labels are the same.
    case("tenths", 240, &mut |random, n| {
        let system = n % 12;
        let label = if system == 7 { 5 } else { [0, 2, 5, 9][usize::try_from(random.below(4)).unwrap()] };
        let value = (label * 7 + random.below(31) + system) as f64 / 10.0;
        (json!(value), json!(label), json!({ "system": format!("s{system}") }))
    });
    case("truth", 250, &mut |random, _| {
        let label = random.below(10) < 2;
        let value = if random.below(10) < 7 { label } else { random.below(3) == 0 };
        (json!(value), json!(label), json!({}))
    });
    // The class `d` is never a result.
    case("words", 200, &mut |random, _| {
        let words = ["a", "b", "c", "d"];
        let label = words[usize::try_from(random.below(4)).unwrap()];
        let value =
            if random.below(2) == 0 && label != "d" { label } else { words[usize::try_from(random.below(3)).unwrap()] };
        (json!(value), json!(label), json!({}))
    });
    for (name, words) in [("raters", false), ("wordraters", true)] {
        let (mut results, mut labels) = (Vec::new(), Vec::new());
        for n in 0..80 {
            let truth = 1 + random.below(5);
            let id = format!("r{n}");
            let as_json =
                |value: u64| if words { json!(["u", "v", "w", "x", "y"][value as usize - 1]) } else { json!(value) };
            results.push(result(&id, &as_json(truth), &json!({})));
            for by in ["ann", "ben", "cid", "dee"] {
                // Some values are missing, of some units all but one.
                if random.below(12) == 0 || n % 20 == 19 && by != "ann" {
                    continue;
                }
                let value = (truth + random.below(2)).min(5);
                labels.push(json!({ "id": id, "by": by, "label": as_json(value) }));
            }
        }
        write(&folder.join(format!("{name}.results.jsonl")), &results);
        write(&folder.join(format!("{name}.labels.jsonl")), &labels);
    }
}
