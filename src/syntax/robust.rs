//! Tests that the parser stands whatever it is given: damaged programs, depth, length, odd encodings.

use super::*;
use crate::diagnostics::{Code, Diagnostic};
use crate::source::FileId;
use std::time::{Duration, Instant};

/// A program with nearly every form of the language.
const SAMPLE: &str = r#"/// Grades a letter of complaint.
rubric letter

use "shared/tone.rubric" as tone
default judge llm(reason: before)
scale grade = int[1..5]
scale mood = ordinal(cold < fair < warm)?

input task: text
reference guide: text?
candidate reply { text: text, length: number }

/// Whether the facts hold.
criterion facts: grade {
  ask "Are the facts in {{text}} right?"
  level 1 "Most are wrong"
  level 5 "All are right"
  example { text: "It arrived.", judgment: 5, because: "true" }
  sees task, reply.text
  judge llm(samples: 3, combine: median) else llm(model: strong) when confidence < 0.8
}

criterion polite: bool? "Is the reply polite?"
criterion short: bool { judge rule(word_count(reply.text) <= 200 and not contains(reply.text, "sorry")) }

checklist care: bool? {
  judge llm(batch: 4)
  group safety weight 2 "Safety" {
    +10 names_risk "Names the risk" { tag axis "safety" }
    -8 "Blames the customer"
  }
  group tone weight 1 { +4 thanks "Thanks the customer" }
}
checklist own from guide

transform kindness = map(tone.feel) { cold => 0, fair => 0.5, rest => 1 }
reduce quality: score[0..1] = weighted_mean(
  normalize(facts) weight 3,
  kindness weight 2,
  clamp(points(care), to: score[0..1]) weight 2,
  unknown: skip,
)
reduce chosen = if polite then quality else quality * 0.5 - 0.1
transform band = bands(chosen) { below 0.4 => low, rest => high }
gate safe = cap(chosen, at: 0.25) when care.safety[1] or facts < 2
gate final = floor(safe, at: 0.1) unless short or polite

define softer(x: score[0..1], trigger: bool): score[0..1] = cap(x, at: 0.5) when trigger

observe band
readout pointwise = quantize(final, to: int[1..5])
readout pointwise verdict = pass(final, at: 0.6)
readout pairwise = prefer(final, margin: 0.02, tie: by(not short, facts, else: abstain))

require "blame costs" { when care[2]: pointwise <= 3, when short: verdict }
require increasing(facts)

test "a good letter" {
  given { facts: 5, polite: true, others: unknown, care: [names_risk, thanks], task: -2/3 }
  expect pointwise == 5
  expect not verdict
}
"#;

fn read(text: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut sink = Sink::new();
    let file = parse(&Source::new(FileId(0), "sample.rubric", None, text), &mut sink);
    (file, sink.finish())
}

/// Names of the declarations that are whole.
fn whole(file: &ast::File) -> usize {
    file.items.iter().filter(|i| !i.poisoned).count()
}

#[test]
fn the_sample_is_clean() {
    let (file, found) = read(SAMPLE);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(file.items.len(), 26);
    assert_eq!(&*file.doc.unwrap().text, "Grades a letter of complaint.");
    assert_eq!(&*file.items[7].doc.as_ref().map(|d| d.text.clone()).unwrap_or_default(), "Whether the facts hold.");
}

/// Of all programs with one token changed: how many give at most one diagnostic, and how many declarations beyond the
/// changed one are lost, per program.
fn rates(change: impl Fn(&str, &[token::Token], usize) -> String) -> (f64, f64) {
    let tokens: Vec<token::Token> = token::lex(SAMPLE).into_iter().filter(|t| !t.kind.is_trivia()).collect();
    let all = whole(&read(SAMPLE).0);
    let (mut single, mut lost) = (0, 0);
    for at in 0..tokens.len() {
        let text = change(SAMPLE, &tokens, at);
        let (file, found) = read(&text);
        single += usize::from(found.len() <= 1);
        lost += all.saturating_sub(whole(&file) + 1);
    }
    let count = tokens.len() as f64;
    (single as f64 / count, lost as f64 / count)
}

fn piece(text: &str, token: token::Token) -> &str {
    &text[token.start as usize..token.end as usize]
}

#[test]
fn a_lost_token_is_mostly_one_diagnostic() {
    let (single, lost) = rates(|text, tokens, at| {
        let t = tokens[at];
        format!("{}{}", &text[..t.start as usize], &text[t.end as usize..])
    });
    println!("deleted: {single} {lost}");
    assert!(single > 0.9 && lost < 0.3, "{single} {lost}");
}

#[test]
fn a_doubled_token_is_mostly_one_diagnostic() {
    let (single, lost) = rates(|text, tokens, at| {
        let t = tokens[at];
        format!("{} {} {}", &text[..t.end as usize], piece(text, t), &text[t.end as usize..])
    });
    println!("doubled: {single} {lost}");
    assert!(single > 0.9 && lost < 0.3, "{single} {lost}");
}

#[test]
fn nonsense_for_a_token_is_mostly_one_diagnostic() {
    let (single, lost) = rates(|text, tokens, at| {
        let t = tokens[at];
        format!("{} @@ {}", &text[..t.start as usize], &text[t.end as usize..])
    });
    println!("nonsense: {single} {lost}");
    assert!(single > 0.8 && lost < 0.3, "{single} {lost}");
}

#[test]
fn swapped_tokens_are_mostly_one_diagnostic() {
    let (single, lost) = rates(|text, tokens, at| {
        let (Some(a), Some(b)) = (tokens.get(at), tokens.get(at + 1)) else { return text.to_owned() };
        let between = &text[a.end as usize..b.start as usize];
        format!(
            "{} {} {between} {} {}",
            &text[..a.start as usize],
            piece(text, *b),
            piece(text, *a),
            &text[b.end as usize..]
        )
    });
    println!("swapped: {single} {lost}");
    assert!(single > 0.65 && lost < 0.4, "{single} {lost}");
}

#[test]
fn every_prefix_of_a_program_is_read() {
    for (at, _) in SAMPLE.char_indices() {
        let (_, found) = read(&SAMPLE[..at]);
        assert!(found.len() < 8, "{at}: {found:?}");
    }
}

#[test]
fn any_word_is_a_name() {
    let lists = [words::DECLARATIONS, words::STATEMENTS, words::ENTRIES, words::TESTS];
    let more =
        ["weight", "as", "from", "max", "rest", "below", "int", "score", "rank", "safety", "ordinal", "set", "decide"];
    let all = lists.into_iter().flatten().map(|(word, _)| *word).chain(more);
    for w in all {
        let text = format!(
            "rubric {w}\ninput {w}: text?\ncandidate {w} {{ {w}: text, b: flag }}\ncandidate {w}: text\nreference {w}: chat\n\
             use \"x\" as {w}\ncriterion {w}: bool\ncriterion {w}: {w}? \"x\"\n\
             criterion {w}: int[1..5] {{ ask \"x\" level {w} \"y\" sees {w}, {w}.{w} tag {w} \"v\" judge {w}({w}: {w}) applies {w}({w}) \
             example {{ {w}: 1, {w}: {w} }} judge {w} }}\n\
             checklist {w} {{ judge {w} else {w} when {w} < 0.8 +1 {w} \"x\" group {w} weight 3 \"t\" {{ -2 {w} \"x\" {{ tag {w} \"y\" }} \
             +3 {w} \"z\" }} group {w} {{ tag {w} \"x\" }} }}\n\
             checklist {w} from {w}\nscale {w} = {w}\nscale {w} = ordinal({w} < b)\nscale {w} = tally({w}, b) max 3\n\
             reduce {w} = mean({w} weight 2, {w}, {w}: {w}, {w}: 3 weight 2)\ntransform {w}: {w} = {w} + {w} * {w}\n\
             transform x = map({w}) {{ {w} => {w}, b => {w} }}\ntransform x = bands({w}) {{ below 3 => {w}, rest => {w} }}\n\
             gate {w} = cap({w}, at: {w}) when {w} and not {w}.{w}\ngate {w} = veto({w}[3]) unless {w}\n\
             define {w}({w}: {w}, {w}: bool): {w} = if {w} then {w} else {w}\n\
             readout {w} = {w}\nreadout {w} {w} = {w}(({w}))\nobserve {w}\nobserve {w}.{w}\n\
             require {{ when {w}: {w}, {w} > 3 }}\nrequire {w}({w})\nrequire \"x\" {w}({w} == {w})\n\
             test \"t\" {{ given {{ {w}: {w}, {w}.{w}: [{w}, {w}], {w}[3]: true }} given {w} {{ {w}: 1 }} expect {w} expect {w} == {w} }}\n"
        );
        let (file, found) = read(&text);
        assert!(found.is_empty(), "{w}: {} {:?}", found[0].headline, &text[found[0].span().range().start..]);
        assert_eq!(file.items.len(), 28, "{w}");
        assert!(file.items.iter().all(|i| !matches!(i.kind, ast::ItemKind::Error(_))));
    }
}

/// Parses within a second or so even unoptimised, and tells at most `most` things.
fn bounded(text: &str, most: usize) -> Vec<Diagnostic> {
    let start = Instant::now();
    let (_, found) = read(text);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(found.len() <= most, "{}: {:?}", found.len(), found.first());
    found
}

#[test]
fn depth_is_bounded() {
    let n = 10_000;
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("not ", ""),
        ("- ", ""),
        ("if a then b else ", ""),
        ("f(x) { a => ", " }"),
    ] {
        let text = format!("rubric r\nreduce x = {}a{}\nobserve y\n", open.repeat(n), close.repeat(n));
        let found = bounded(&text, 1);
        assert_eq!(found.first().map(|d| d.code), Some(Code::TOO_DEEP), "{open}");
    }
    let text = format!("rubric r\nchecklist c {{ {}+1 \"x\"{} }}\n", "group g { ".repeat(n), " }".repeat(n));
    assert_eq!(bounded(&text, 1)[0].code, Code::TOO_DEEP);
    for open in ["(", "f(", "[", "{"] {
        bounded(&format!("rubric r\nreduce x = {}", open.repeat(n)), 200);
        bounded(&format!("rubric r\n{}", open.repeat(n)), 200);
    }
}

#[test]
fn length_is_no_matter() {
    let sum = format!("rubric r\nreduce x = {}a\n", "a + ".repeat(100_000));
    assert_eq!(bounded(&sum, 1)[0].code, Code::TOO_DEEP);
    let args = format!("rubric r\nreduce x = sum({}a)\n", "a, ".repeat(100_000));
    assert!(bounded(&args, 0).is_empty());
    bounded(&format!("{}rubric r\n", "// remark\n".repeat(100_000)), 0);
    bounded(&format!("rubric r\n{}", "/// remark\n".repeat(100_000)), 0);
    bounded(&format!("rubric r\nreduce x = {}\n", "mean(a b ".repeat(20_000)), 30_000);
    bounded(&"\"".repeat(100_001), 300_000);
    bounded(&"}".repeat(50_000), 60_000);
    bounded(&format!("rubric r\nrequire {{ {} }}", ", if a".repeat(20_000)), 60_000);
    bounded(&format!("rubric r\nreduce x = f({})", "a, { ".repeat(20_000)), 60_000);
}

#[test]
fn encodings_do_not_move_places() {
    let plain = "rubric r\n// 🙂 é\ncriterion a: bool { ask \"🙂\" nope }\n";
    let at = |text: &str| {
        let (_, found) = read(text);
        let source = Source::new(FileId(0), "t", None, text);
        found
            .iter()
            .map(|d| (d.code, source.position(d.span().start), source.slice(d.span()).to_owned()))
            .collect::<Vec<_>>()
    };
    let expected = at(plain);
    assert_eq!(expected.len(), 1);
    assert_eq!((expected[0].1.line, expected[0].1.column), (3, 29));
    assert_eq!(at(&plain.replace('\n', "\r\n")), expected);
    let with_mark = at(&format!("\u{feff}{plain}"));
    assert_eq!(with_mark, expected);
}

#[test]
fn names_are_in_one_form() {
    let (file, found) = read("rubric r\ncriterion cafe\u{301}: bool \"x\"\nobserve caf\u{e9}\n");
    assert!(found.is_empty());
    let ast::ItemKind::Criterion(c) = &file.items[0].kind else { panic!() };
    let ast::ItemKind::Observe(p) = &file.items[1].kind else { panic!() };
    assert_eq!(c.name.text, p.parts[0].text);
}

#[test]
fn nothing_but_noise() {
    for text in [
        "",
        " ",
        "\u{feff}",
        "\n\n",
        "}",
        "{",
        "\"",
        "```",
        "rubric",
        "rubric r",
        "?",
        "🙂",
        "criterion",
        "reduce x =",
        "Hello there, how are you?",
    ] {
        let (_, found) = read(text);
        assert!(found.len() <= 3, "{text:?} {found:?}");
        assert_eq!(found.is_empty(), text == "rubric r", "{text:?}");
    }
}

#[test]
fn prose_round_a_program_is_left_out() {
    let program = "rubric r\n\ncriterion a: bool \"It's fine?\"\n";
    let plain = read(program).0;
    for text in [
        format!("```rubric\n{program}```\n"),
        format!("Here's the rubric you wanted:\n\n```\n{program}```\nIt's \"good\" {{ (\n"),
        format!("Here's the rubric you wanted:\n\n{program}"),
        format!("{program}```\n"),
    ] {
        let (file, found) = read(&text);
        assert_eq!(found.len(), 1, "{text}\n{found:?}");
        assert_eq!((found[0].code, found[0].is_error()), (Code::AROUND, false));
        assert_eq!(file.items.len(), plain.items.len());
        let source = Source::new(FileId(0), "t", None, text.as_str());
        let mended = crate::diagnostics::fixes::apply_safe(&source, &found).unwrap();
        assert_eq!(mended.text, program);
    }
}
