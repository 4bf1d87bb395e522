//! Programs that are hard to prove by intervals alone, for tests of verdicts and benches of time.

/// A checklist of so many items, `care`, every fifth of them bad; items are called `i1`, `i2`, …
pub fn checklist(items: usize) -> String {
    let item = |n: usize| {
        let points = 1 + (n * 7) % 10;
        let sign = if n.is_multiple_of(5) { "-" } else { "+" };
        format!("  {sign}{points} i{n} \"Item {n}\"\n")
    };
    let all: String = (1..=items).map(item).collect();
    format!("checklist care {{\n{all}}}\n")
}

const HEAD: &str = r#"rubric hard
candidate answer: text
criterion factuality: int[1..5] "F?"
criterion completeness: int[1..5]? "C?"
criterion harmful: bool "H?"
criterion short: bool "S?"
"#;

const GATED: &str = r"
reduce earned = points(care)
reduce quality = weighted_mean(
  normalize(factuality) weight 3,
  otherwise(normalize(completeness), 0.5) weight 2,
  clamp(earned, to: score[0..1]) weight 2,
)
gate safe = cap(quality, at: 0.25) when harmful
gate final = cap(safe, at: 0.8) unless short
readout pointwise = quantize(final, to: int[1..5])
readout pointwise raw = final
";

fn harm() -> String {
    format!("{HEAD}{}{GATED}require {{ when harmful: pointwise <= 2 }}\n", checklist(45))
}

fn good_is_good() -> String {
    format!(
        "{HEAD}{}{GATED}require {{ when earned >= 0.8 and factuality == 5 and completeness == 5 and short and not harmful: \
         pointwise >= 4 }}\nrequire increasing(factuality)\nrequire increasing(care)\nrequire decreasing(harmful)\n",
        checklist(45)
    )
}

/// Sixty items, gates on items that are also scored, counts, a replacement.
pub fn sixty() -> String {
    let named: Vec<String> = (1..=60).filter(|n| n % 5 != 0).map(|n| format!("care.i{n}")).collect();
    format!(
        "{HEAD}{}{GATED_SIXTY}
reduce met = count({})
gate counted = cap(noted, at: 0.6) when met < 20
gate last = replace(counted, with: 1) when met == {} and not care.i5
readout pointwise = quantize(last, to: int[1..5])
require {{ when harmful: pointwise <= 3 or met == {} }}
require {{ when care.i5 and care.i10: pointwise <= 3 }}
require {{ when met < 20: pointwise <= 3 }}
require increasing(factuality)
require decreasing(care.i5)
require reachable(pointwise == 5)
require {{ when factuality == 1 and earned < 0.2 and met < 48: pointwise <= 3 }}
",
        checklist(60),
        named.join(", "),
        named.len(),
        named.len(),
    )
}

const GATED_SIXTY: &str = r"
reduce earned = points(care)
reduce quality = weighted_mean(
  normalize(factuality) weight 3,
  otherwise(normalize(completeness), 0.5) weight 2,
  clamp(earned, to: score[0..1]) weight 2,
)
gate safe = cap(quality, at: 0.25) when harmful
gate dosed = cap(safe, at: 0.5) when care.i5
gate noted = cap(dosed, at: 0.8) unless care.i1 and short
";

/// Twelve optional judgments whose mean decides.
fn skipping() -> String {
    let criteria: String = (1..=12).map(|n| format!("criterion c{n}: int[1..5]? \"C{n}?\"\n")).collect();
    let all: Vec<String> = (1..=12).map(|n| format!("c{n}")).collect();
    let high: Vec<String> = (1..=12).map(|n| format!("(c{n} >= 4 or c{n} == unknown)")).collect();
    format!(
        "rubric hard\ncandidate answer: text\n{criteria}reduce average = mean({}, unknown: skip)\n\
         transform rounded = round(average)\nreadout pointwise = rounded\n\
         require {{ when average >= 4: pointwise >= 4 }}\n\
         require {{ when {}: pointwise >= 4 or pointwise == unknown }}\n\
         require increasing(c1)\n",
        all.join(", "),
        high.join(" and ")
    )
}

/// Whether a sum of points can be exactly one half of all.
fn subset_sum() -> String {
    let items: String = (1..=45).map(|n| format!("  +{} \"Item {n}\"\n", 2 * (1 + (n * 7) % 10))).collect();
    // All points are even and their half is odd, so no items come to exactly half.
    format!(
        "rubric hard\ncandidate answer: text\nchecklist care {{\n{items}}}\nreduce earned = points(care)\n\
         readout pointwise = earned\nrequire {{ pointwise != {} }}\n",
        half_between()
    )
}

/// A share that lies between two sums of the items of [`subset_sum`].
fn half_between() -> String {
    let total: usize = (1..=45).map(|n| 2 * (1 + (n * 7) % 10)).sum();
    format!("{}/{total}", total / 2 / 2 * 2 + 1)
}

/// A name and what writes the program.
pub type Named = (&'static str, fn() -> String);

/// Name and text of each.
pub const HARD: &[Named] = &[
    ("harm dominates 45 items", harm),
    ("good points and facts are good", good_is_good),
    ("sixty items with gates, counts and a replacement", sixty),
    ("twelve optional judgments", skipping),
    ("a sum of points is never exactly this", subset_sum),
];
