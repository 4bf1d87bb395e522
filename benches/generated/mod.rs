//! Programs and records for the benchmarks: as large as is asked for, always the same, and without a mistake.

#![allow(dead_code, reason = "not every benchmark uses all of it")]

use std::fmt::Write as _;

/// A program of `criteria` short criteria, each normalized and weighted in one mean.
pub fn flat(criteria: usize) -> String {
    let mut text = String::from("rubric flat\n\ninput question: text\ncandidate answer: text\n\n");
    for n in 0..criteria {
        let _ = writeln!(text, "criterion c{n}: int[1..5] \"How well does the answer cover point {n}?\"");
    }
    text.push_str("\nreduce quality = weighted_mean(\n");
    for n in 0..criteria {
        let _ = writeln!(text, "  normalize(c{n}) weight {},", 1 + n % 7);
    }
    text.push_str(")\n\nreadout pointwise = quantize(quality, to: int[1..5])\n");
    text
}

/// A program of at least `bytes` bytes as people write them: questions with levels, checklists in groups, gates, comments.
pub fn prose(bytes: usize) -> String {
    let mut text = String::from("rubric prose\n\ninput question: text\ncandidate answer: text\n\n");
    let mut parts = 0;
    while text.len() + 40 * parts < bytes {
        let n = parts;
        let _ = write!(
            text,
            r#"/// Part {n}: what an answer to this part must do.
criterion factual_{n}: int[1..5] {{
  ask "How accurate are the claims that the answer makes about part {n} of the question?"
  level 1 "Contains a falsehood that could hurt the reader"
  level 3 "Small inaccuracies that would not change what the reader does"
  level 5 "Every claim is accurate"
  judge llm(samples: 3, combine: median)
  tag axis "accuracy"
}}

criterion harmful_{n}: bool "Does the answer recommend something about part {n} that could harm the reader?"
criterion plain_{n}: int[1..5]? "How easy is what the answer says about part {n} to follow?"

// Worked out with two nurses.
checklist care_{n} {{
  group safety "Safety" {{
    +10 red_flags "Names the symptoms that need urgent care"
    -8  dose      "Gives a prescription dose without knowing the patient"
  }}
  group tone "Empathy" {{
    +4 acknowledges "Acknowledges the patient's discomfort"
  }}
}}

transform clear_{n} = otherwise(normalize(plain_{n}), 0.5)
reduce quality_{n} = weighted_mean(
  normalize(factual_{n})                   weight 3,
  clamp(points(care_{n}), to: score[0..1]) weight 2,
  clear_{n}                                weight 1,
)
gate part_{n} = cap(quality_{n}, at: 0.25) when harmful_{n}

"#
        );
        parts += 1;
    }
    text.push_str("reduce final = mean(");
    for n in 0..parts {
        let _ = write!(text, "{}part_{n}", if n == 0 { "" } else { ", " });
    }
    text.push_str(")\n\nreadout pointwise = quantize(final, to: int[1..5])\n");
    text
}

/// Criteria of which most is text: long questions in blocks and levels of a sentence each, some 660 bytes a criterion.
pub fn long(bytes: usize) -> String {
    let mut text = String::from("rubric long\n\ninput question: text\ncandidate answer: text\n\n");
    let mut parts = 0;
    while text.len() + 25 * parts < bytes {
        let n = parts;
        let _ = write!(
            text,
            r#"/// What a careful reader of part {n} would want to know before anything else.
criterion long_{n}: int[1..5] {{
  ask """
    Read the answer with part {n} of the question in mind. How well does it say what the reader needs to decide, in words that
    someone without training understands, and without hiding what is not known?
  """
  level 1 "Says nothing about part {n}, or says something that would lead the reader to a decision that harms them"
  level 3 "Says the main thing, but leaves out a condition under which it does not hold"
  level 5 "Says the main thing, the conditions under which it does not hold, and what to do then"
}}
"#
        );
        parts += 1;
    }
    text.push_str("reduce final = mean(");
    for n in 0..parts {
        let _ = write!(text, "{}normalize(long_{n})", if n == 0 { "" } else { ", " });
    }
    text.push_str(")\nreadout pointwise = quantize(final, to: int[1..5])\n");
    text
}

/// JSON of about `bytes` bytes: what a strict parser does with as much text.
pub fn json(bytes: usize) -> String {
    let mut text = String::from("[");
    let mut n = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            "{}{{\"name\": \"c{n}\", \"type\": \"int[1..5]\", \"ask\": \"How well does the answer cover point {n}?\", \"weight\": {}}}",
            if n == 0 { "" } else { ", " },
            1 + n % 7
        );
        n += 1;
    }
    text.push(']');
    text
}

/// A program with a score from 20 ratings, 40 checklist items, means with awkward denominators and gates.
pub fn clinical() -> String {
    let mut text = String::from("rubric clinical\n\ncandidate answer: text\n\n");
    for n in 0..20 {
        let _ = writeln!(text, "criterion rating_{n}: int[1..5] \"How good is the answer in respect {n}?\"");
    }
    text.push_str("checklist care {\n");
    for n in 0..40 {
        let points = if n % 5 == 4 { "-6".to_owned() } else { format!("+{}", 1 + n % 10) };
        let _ = writeln!(text, "  {points} item_{n} \"Names point {n}\"");
    }
    text.push_str("}\n");
    for n in 0..18 {
        let _ = writeln!(
            text,
            "reduce mean_{n} = weighted_mean(normalize(rating_{n}) weight 1/3, normalize(rating_{}) weight 2/7, \
             normalize(rating_{}) weight 3/11)\ngate capped_{n} = cap(mean_{n}, at: 0.75) when care.item_{n}",
            n + 1,
            n + 2
        );
    }
    text.push_str("reduce quality = mean(clamp(points(care), to: score[0..1])");
    for n in 0..18 {
        let _ = write!(text, ", capped_{n}");
    }
    text.push_str(")\nreadout pointwise = quantize(quality, to: int[1..5])\n");
    text.push_str("readout pointwise verdict = pass(quality, at: 0.6)\n");
    text
}

/// `count` records for [`clinical`], as JSON lines.
pub fn records(count: usize) -> String {
    let mut text = String::new();
    for record in 0..count {
        let _ = write!(text, "{{\"id\": \"r{record}\", \"answer\": \"…\", \"judgments\": {{");
        for n in 0..20 {
            let _ = write!(text, "\"rating_{n}\": {}, ", 1 + (record + n * 7) % 5);
        }
        for n in 0..40 {
            let comma = if n == 39 { "" } else { ", " };
            let _ = write!(text, "\"care.item_{n}\": {}{comma}", (record + n) % 3 != 0);
        }
        text.push_str("}}\n");
    }
    text
}
