//! Tests of the whole way from text to tree.

use super::*;
use crate::diagnostics::{Code, Diagnostic, fixes};
use crate::source::FileId;

fn source(text: &str) -> Source {
    Source::new(FileId(0), "test.rubric", None, text)
}

fn read(text: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut sink = Sink::new();
    let file = parse(&source(text), &mut sink);
    (file, sink.finish())
}

/// A tree without its places.
fn shape(tree: &impl std::fmt::Debug) -> String {
    let text = format!("{tree:?}");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("Span { file") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').unwrap() + 1..];
    }
    out + rest
}

/// Every tolerated mistake: its code, the text, the text after the fix.
const TOLERATED: &[(Code, &str, &str)] = &[
    (Code::STRAY_SIGN, "criterion a: bool { ask: \"x\" }", "criterion a: bool { ask \"x\" }"),
    (Code::STRAY_SIGN, "criterion a: bool { judge: human }", "criterion a: bool { judge human }"),
    (Code::STRAY_SIGN, "criterion a: int[1..5] { level 1: \"x\" }", "criterion a: int[1..5] { level 1 \"x\" }"),
    (Code::STRAY_SIGN, "criterion a: int[1..5] { level 1 = \"x\" }", "criterion a: int[1..5] { level 1 \"x\" }"),
    (Code::STRAY_SIGN, "criterion a: bool { tag axis: \"x\" }", "criterion a: bool { tag axis \"x\" }"),
    (Code::STRAY_SIGN, "default judge: llm", "default judge llm"),
    (Code::STRAY_SIGN, "checklist c { +4 id: \"x\" }", "checklist c { +4 id \"x\" }"),
    (Code::STRAY_SIGN, "checklist c { group g: \"G\" { +4 \"x\" } }", "checklist c { group g \"G\" { +4 \"x\" } }"),
    (Code::SEES_BRACKETS, "criterion a: bool { sees [q, c.x] }", "criterion a: bool { sees q, c.x }"),
    (Code::SEPARATOR, "observe a; observe b", "observe a observe b"),
    (Code::SEPARATOR, "criterion a: bool { ask \"x\"; judge human }", "criterion a: bool { ask \"x\" judge human }"),
    (Code::SEPARATOR, "criterion a: bool { ask \"x\", judge human }", "criterion a: bool { ask \"x\" judge human }"),
    (Code::SEPARATOR, "checklist c { +4 a \"x\", -1 b \"y\" }", "checklist c { +4 a \"x\" -1 b \"y\" }"),
    (Code::SEPARATOR, "reduce r = mean(a; b)", "reduce r = mean(a, b)"),
    (Code::SEPARATOR, "reduce r = mean(a,, b)", "reduce r = mean(a, b)"),
    (Code::FOREIGN_SIGN, "reduce r = a && b", "reduce r = a and b"),
    (Code::FOREIGN_SIGN, "reduce r = a||b", "reduce r = a or b"),
    (Code::FOREIGN_SIGN, "reduce r = !a", "reduce r = not a"),
    (Code::FOREIGN_SIGN, "gate g = cap(a, at: 1) when b ≤ 3", "gate g = cap(a, at: 1) when b <= 3"),
    (Code::FOREIGN_SIGN, "transform t = a − 1", "transform t = a - 1"),
    (Code::FOREIGN_SIGN, "checklist c { –8 a \"x\" }", "checklist c { -8 a \"x\" }"),
    (Code::ASSIGN, "gate g = cap(a, at: 1) when b = 3", "gate g = cap(a, at: 1) when b == 3"),
    (Code::ASSIGN, "test \"t\" { expect pointwise = 3 }", "test \"t\" { expect pointwise == 3 }"),
    (Code::ASSIGN, "require { when a = 3: b }", "require { when a == 3: b }"),
    (Code::ASSIGN, "criterion a: bool { judge rule(f(x) = 3) }", "criterion a: bool { judge rule(f(x) == 3) }"),
    (Code::ASSIGN, "transform t = decide { a = 1 => x, rest => y }", "transform t = decide { a == 1 => x, rest => y }"),
    (Code::IF_FOR_WHEN, "gate g = cap(a, at: 1) if b", "gate g = cap(a, at: 1) when b"),
    (Code::IF_FOR_WHEN, "require { if a: b }", "require { when a: b }"),
    (Code::UNSIGNED, "checklist c { 4 a \"x\" 2 \"y\" }", "checklist c { +4 a \"x\" +2 \"y\" }"),
    (Code::BULLET, "checklist c { * +4 a \"x\" }", "checklist c { +4 a \"x\" }"),
    (Code::BULLET, "checklist c { - +4 a \"x\" }", "checklist c { +4 a \"x\" }"),
    (Code::BULLET, "checklist c { • 4 a \"x\" }", "checklist c { +4 a \"x\" }"),
    (Code::NUMBER, "gate g = cap(a, at: 25%) when b", "gate g = cap(a, at: 0.25) when b"),
    (Code::NUMBER, "gate g = cap(a, at: .5) when b", "gate g = cap(a, at: 0.5) when b"),
    (Code::NUMBER, "gate g = cap(a, at: 1e3) when b", "gate g = cap(a, at: 1000) when b"),
    (Code::RANGE, "criterion a: int(1..5) \"x\"", "criterion a: int[1..5] \"x\""),
    (Code::RANGE, "criterion a: int[1-5]? \"x\"", "criterion a: int[1..5]? \"x\""),
    (Code::RANGE, "criterion a: int[1–5] \"x\"", "criterion a: int[1..5] \"x\""),
    (Code::RANGE, "criterion a: int[1,5] \"x\"", "criterion a: int[1..5] \"x\""),
    (Code::RANGE, "criterion a: int[-1 to 5] \"x\"", "criterion a: int[-1..5] \"x\""),
    (Code::RANGE, "criterion a: 1..5 \"x\"", "criterion a: int[1..5] \"x\""),
    (Code::RANGE, "scale s = [0..1]", "scale s = score[0..1]"),
    (Code::RANGE, "transform t = clamp(a, to: 0..1)", "transform t = clamp(a, to: score[0..1])"),
    (Code::RANGE, "transform t = clamp(a, to: score(0, 1))", "transform t = clamp(a, to: score[0..1])"),
    (Code::NO_TYPE, "criterion a \"x\"", "criterion a: bool \"x\""),
    (Code::NO_TYPE, "criterion a", "criterion a: bool"),
    (
        Code::WEIGHT,
        "reduce r = weighted_mean(a weight: 3, b weight 2)",
        "reduce r = weighted_mean(a weight 3, b weight 2)",
    ),
    (Code::WEIGHT, "reduce r = weighted_mean(a weight = 3)", "reduce r = weighted_mean(a weight 3)"),
    (Code::WEIGHT, "reduce r = weighted_mean(0.3 * a)", "reduce r = weighted_mean(a weight 0.3)"),
    (
        Code::WEIGHT,
        "reduce r = weighted_sum(a * 3, unknown: skip)",
        "reduce r = weighted_sum(a weight 3, unknown: skip)",
    ),
    (Code::WEIGHT, "reduce r = weighted_mean(a: 3)", "reduce r = weighted_mean(a weight 3)"),
    (Code::WEIGHT, "reduce r = weighted_mean(a 3)", "reduce r = weighted_mean(a weight 3)"),
    (Code::WEIGHT, "checklist c { group g weight: 3 { +1 \"x\" } }", "checklist c { group g weight 3 { +1 \"x\" } }"),
    (Code::ARM, "transform t = map(a) { x: 0 }", "transform t = map(a) { x => 0 }"),
    (Code::ARM, "transform t = map(a) { x -> 0 }", "transform t = map(a) { x => 0 }"),
    (Code::ARM, "transform t = map(a) { x = 0 }", "transform t = map(a) { x => 0 }"),
    (
        Code::ARM,
        "transform t = bands(a) { < 0.4 => f, rest => p }",
        "transform t = bands(a) { below 0.4 => f, rest => p }",
    ),
    (Code::ARM, "transform t = map(a) { x => 1, else => 0 }", "transform t = map(a) { x => 1, rest => 0 }"),
    (Code::ARM, "transform t = map(a) { x => 1, _ => 0 }", "transform t = map(a) { x => 1, rest => 0 }"),
    (Code::TABLE_INSIDE, "transform t = map(x, { a => 0 })", "transform t = map(x) { a => 0 }"),
    (Code::TABLE_INSIDE, "transform t = map(x, { a => 0 },)", "transform t = map(x) { a => 0 }"),
    (Code::TABLE_INSIDE, "transform t = decide({ a => x, rest => y })", "transform t = decide { a => x, rest => y }"),
    (Code::READOUT_SIGN, "readout pointwise: x", "readout pointwise = x"),
    (Code::READOUT_SIGN, "readout pointwise verdict -> x", "readout pointwise verdict = x"),
    (Code::RESULT_ARROW, "define f(a: bool) -> bool = not a", "define f(a: bool): bool = not a"),
    (Code::CLAUSE_ARROW, "require { when a => b }", "require { when a: b }"),
    (Code::CLAUSE_ARROW, "require { a => b }", "require { when a: b }"),
    (Code::CLAUSE_ARROW, "require { when a then b }", "require { when a: b }"),
    (Code::QUOTES, "criterion a: bool “Is it ok?”", "criterion a: bool \"Is it ok?\""),
    (Code::QUOTES, "criterion a: bool 'Is \"it\" ok?'", "criterion a: bool \"Is \\\"it\\\" ok?\""),
    (Code::LABELS, "scale s = ordinal(a, b, c)", "scale s = ordinal(a < b < c)"),
    (Code::LABELS, "scale s = choice(a < b)", "scale s = choice(a, b)"),
    (Code::LABELS, "scale s = choice(a, 2)", "scale s = choice(a, \"2\")"),
    (Code::LABELS, "transform t = rescale(a, to: ordinal(x, y))", "transform t = rescale(a, to: ordinal(x < y))"),
    (Code::MISSING_COMMA, "reduce r = mean(a b, c)", "reduce r = mean(a, b, c)"),
    (Code::MISSING_COMMA, "test \"t\" { given { a: 1 b: 2 } }", "test \"t\" { given { a: 1, b: 2 } }"),
    (Code::MISSING_COMMA, "transform t = map(x) { a => 0 rest => 1 }", "transform t = map(x) { a => 0, rest => 1 }"),
    (Code::NAMED, "gate g = cap(a, at = 0.5) when b", "gate g = cap(a, at: 0.5) when b"),
    (Code::NAMED, "test \"t\" { given { a = 1, c.b=2 } }", "test \"t\" { given { a: 1, c.b: 2 } }"),
    (Code::TITLE, "test works { expect a }", "test \"works\" { expect a }"),
    (
        Code::UNCLOSED_TEXT,
        "criterion a: bool \"Is it (very) ok?\n\nobserve b",
        "criterion a: bool \"Is it (very) ok?\"\n\nobserve b",
    ),
    (Code::UNCLOSED_TEXT, "criterion a: bool { ask \"Ok? }", "criterion a: bool { ask \"Ok?\" }"),
    (Code::DECLARATION, "critereon a: bool \"x\"", "criterion a: bool \"x\""),
    (Code::DECLARATION, "Criterion a: bool \"x\"", "criterion a: bool \"x\""),
    (Code::DECLARATION, "criterion a: bool { aks \"x\" }", "criterion a: bool { ask \"x\" }"),
    (Code::DECLARATION, "criterion a: int[1..2] { levl 1 \"x\" }", "criterion a: int[1..2] { level 1 \"x\" }"),
    (Code::DECLARATION, "test \"t\" { gven { a: 1 } expect b }", "test \"t\" { given { a: 1 } expect b }"),
    (Code::DECLARATION, "reduce r = weighted_mean(a wieght 3)", "reduce r = weighted_mean(a weight 3)"),
    (Code::ESCAPE, r#"criterion a: bool "x\d""#, r#"criterion a: bool "x\\d""#),
    (Code::STRAY_BRACKET, "observe a } observe b", "observe a  observe b"),
    (Code::STRAY_BRACKET, "reduce r = mean(a, b]", "reduce r = mean(a, b)"),
];

/// Why a case of [`TOLERATED`] does not hold.
fn fault_of(code: Code, wrong: &str, right: &str) -> Option<String> {
    // Around it stand declarations that must survive, and an emoji stands before every fault.
    let frame = |part: &str| format!("// 🙂\nrubric r\n\n{part}\nobserve last\n");
    let text = frame(wrong);
    let (file, found) = read(&text);
    let codes: Vec<String> = found.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
    if found.is_empty() || found.iter().any(|d| d.code != code || d.help.is_none()) {
        return Some(format!("{wrong}: {codes:?}"));
    }
    let Some(mended) = fixes::apply_safe(&source(&text), &found) else { return Some(format!("{wrong}: no fix")) };
    let (again, left) = read(&mended.text);
    let (expected, clean) = read(&frame(right));
    if !left.is_empty() || !clean.is_empty() {
        return Some(format!("{wrong}: mended to {}: {left:?} {clean:?}", mended.text));
    }
    if shape(&again.items) != shape(&expected.items) {
        return Some(format!("{wrong}: mended to {}", mended.text));
    }
    // The tree is the mended one at once, except where a part was left out.
    let exact = !matches!(code, Code::NO_TYPE | Code::ESCAPE | Code::STRAY_BRACKET);
    if exact && shape(&file.items) != shape(&expected.items) {
        return Some(format!("{wrong}: read as {}\ninstead of {}", shape(&file.items), shape(&expected.items)));
    }
    None
}

#[test]
fn tolerated_mistakes_are_told_once_and_mended() {
    let faults: Vec<String> = TOLERATED.iter().filter_map(|(c, wrong, right)| fault_of(*c, wrong, right)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
