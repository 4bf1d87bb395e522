//! Rules as authors write them: what compiles, to which type and text, and what comes out.

use super::*;
use crate::source::{FileId, Source};
use crate::syntax::parse_expression;
use crate::types::{Base, FieldKind, Role};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::sync::LazyLock;

fn fields() -> Vec<Field> {
    let field = |name: &str, role, kind, optional| Field { name: name.into(), role, kind, optional, doc: "".into() };
    vec![
        field("question", Role::Input, FieldKind::Text, false),
        field("guideline", Role::Reference, FieldKind::Text, true),
        field("minor", Role::Input, FieldKind::Flag, false),
        field("budget", Role::Input, FieldKind::Number, false),
        field("data", Role::Reference, FieldKind::Json, false),
        field("dialogue", Role::Candidate, FieldKind::Chat, false),
        field("answer", Role::Candidate, FieldKind::Text, false),
        field("pair.left", Role::Candidate, FieldKind::Text, false),
        field("pair.right", Role::Candidate, FieldKind::Text, false),
        field("picture", Role::Candidate, FieldKind::Image, false),
    ]
}

fn record() -> serde_json::Map<String, Json> {
    let Json::Object(map) = json!({
        "question": "Is it 3,5 or 42?",
        "minor": true,
        "budget": 2.5,
        "data": {"n": 3, "name": "x", "list": [1, 2, "two"], "ok": true, "nothing": null},
        "dialogue": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}],
        "answer": "One two three. {\"a\": 1}",
        "pair.left": "the cat sat",
        "pair.right": "the cat ran",
    }) else {
        panic!()
    };
    map
}

fn try_compile(text: &str, expected: Option<&Type>, scope: Scope<'_>) -> (Option<Rule>, Vec<String>) {
    let source = Source::new(FileId(0), "rule", None, text);
    let mut sink = Sink::new();
    let expr = parse_expression(&source, &mut sink);
    let rule = compile(&expr, &fields(), expected, scope, &mut sink);
    (rule, sink.finish().into_iter().map(|d| format!("{} {}", d.code, d.headline)).collect())
}

fn rule(text: &str) -> Rule {
    let (rule, found) = try_compile(text, None, Scope::JUDGE);
    rule.unwrap_or_else(|| panic!("{text}: {found:?}"))
}

fn yields(text: &str) -> Result<String, String> {
    let rule = rule(text);
    rule.evaluate(&record()).map(|v| v.text(&rule.ty)).map_err(|e| e.0)
}

#[test]
fn functions_yield_what_their_documentation_says() {
    for (text, value) in [
        ("word_count(answer)", "5"),
        ("char_count(pair.left)", "11"),
        ("sentence_count(\"A b. C d.\")", "2"),
        ("line_count(\"a\\nb\")", "2"),
        ("contains(pair.left, \"cat\") and not contains(pair.left, \"Cat\")", "true"),
        ("starts_with(pair.left, \"the\") and ends_with(pair.left, \"sat\")", "true"),
        ("matches(answer, r\"\\bt\\w+\")", "true"),
        ("count_matches(answer, r\"\\bt\\w+\")", "2"),
        ("first_match(pair.left, r\"[a-z]at\") == \"cat\"", "true"),
        ("last_match(pair.left, r\"([a-z])at\") == \"s\"", "true"),
        ("last_match(pair.left, r\"xyz\") == \"s\"", "unknown"),
        ("known(last_match(pair.left, r\"(x)?cat\"))", "false"),
        ("json_valid(answer)", "false"),
        ("json_valid(\"[1]\")", "true"),
        ("json_get(data, \"/n\") + 1 == 4", "true"),
        ("json_get(data, \"/name\") == \"x\"", "true"),
        ("contains(json_get(data, \"/list\"), \"two\")", "true"),
        ("contains(json_get(data, \"/list\"), \"tw\")", "false"),
        ("contains(json_get(data, \"/list\"), \"1\")", "false"),
        ("contains(json_get(data, \"/name\"), \"x\")", "true"),
        ("contains(json_get(data, \"/n\"), \"3\")", "unknown"),
        ("json_get(data, \"/ok\")", "true"),
        ("json_get(data, \"/list/1\") >= 2", "true"),
        ("json_get(data, \"/absent\") >= 2", "unknown"),
        ("json_get(data, \"/nothing\") == \"x\"", "unknown"),
        ("json_get(data, \"/name\") >= 2", "unknown"),
        ("json_get(\"{\\\"a\\\": [7]}\", \"/a/0\") == 7", "true"),
        ("otherwise(json_get(answer, \"/a\"), 0) == 0", "true"),
        ("similarity(pair.left, pair.right, metric: rouge_l)", "2/3"),
        ("similarity(pair.left, pair.right, metric: levenshtein)", "9/11"),
        ("lower(\"ÄB\") == \"äb\" and trim(\" x \") == \"x\"", "true"),
        ("number_in(\"about 7 of 9\") == 7", "true"),
        ("number_in(question) == 42", "unknown"),
        ("size(code_blocks(\"```\\nx\\n```\"))", "1"),
        ("size(urls(\"see https://a.org.\"))", "1"),
        ("contains(urls(\"see https://a.org.\"), \"https://a.org\")", "true"),
        ("turn(dialogue, 1) == \"Hello\"", "true"),
        ("turn(dialogue, -1) == \"Good day\"", "true"),
        ("known(turn(dialogue, 3))", "false"),
        ("contains(transcript(dialogue), \"user: Hello\")", "true"),
        ("size(dialogue)", "2"),
        ("size(data)", "5"),
        ("known(guideline)", "false"),
        ("contains(guideline, \"x\")", "unknown"),
        ("known(guideline) and contains(guideline, \"x\")", "false"),
        ("otherwise(guideline, \"none\") == \"none\"", "true"),
        ("clamp(budget * 3, to: score[0..5])", "5"),
        ("round(clamp(budget, to: score[0..5]))", "3"),
        ("round(clamp(budget, to: score[0..5]), mode: half_down)", "2"),
        ("abs(clamp(-budget, to: score[-5..5]))", "2.5"),
        ("min(word_count(answer), 3) + max(0, 1)", "4"),
        ("if minor then 1 else 0", "1"),
        ("minor", "true"),
        ("clamp(1 / 3, to: score[0..1])", "1/3"),
        ("json_matches(data, \"{\\\"required\\\": [\\\"n\\\"]}\")", "true"),
        ("json_matches(answer, \"{\\\"type\\\": \\\"object\\\"}\")", "false"),
    ] {
        assert_eq!(yields(text).as_deref(), Ok(value), "{text}");
    }
}

#[test]
fn the_canonical_text_compiles_to_the_same_rule() {
    for (text, canonical) in [
        ("(word_count( answer )<=250)", "word_count(answer) <= 250"),
        ("not (minor and (budget>1 or false))", "not (minor and (budget > 1 or false))"),
        ("(1+2)*3 - (4 - 5) >= -(6)", "(1 + 2) * 3 - (4 - 5) >= -6"),
        ("(if minor then 1 else 2) + 1", "(if minor then 1 else 2) + 1"),
        ("round(budget, mode: half_up, step: 1.0) > 2", "round(budget) > 2"),
        ("matches(answer, r\"\\d{2}\")", "matches(answer, \"\\\\d{2}\")"),
        ("similarity(answer, question, metric: levenshtein)", "similarity(answer, question, metric: levenshtein)"),
        ("0.12345678901234567 < 1 * budget", "0.12345678901234567 < 1 * budget"),
    ] {
        let first = rule(text);
        assert_eq!(&*first.text, canonical, "{text}");
        assert_eq!(rule(&first.text), first, "{text}");
    }
}

#[test]
fn types_follow_from_the_parts() {
    for (text, ty) in [
        ("word_count(answer) <= 250", "bool"),
        ("contains(guideline, \"x\")", "bool?"),
        ("min(word_count(answer), 10)", "int[0..10]"),
        ("min(word_count(answer), 9) / 3", "score[0..3]"),
        ("if minor then 1 else 0.5", "score[0.5..1]"),
        ("clamp(number_in(answer), to: score[0..1])", "score[0..1]?"),
    ] {
        assert_eq!(rule(text).ty.to_string(), ty, "{text}");
    }
    let rule = rule("contains(answer, question) or minor or contains(answer, \"x\")");
    assert_eq!(rule.fields.iter().map(|f| &**f).collect::<Vec<_>>(), ["answer", "question", "minor"]);
    assert!(rule.reads_candidate);
    assert!(!super::tests::rule("minor").reads_candidate);
}

#[test]
fn labels_of_the_expected_type_are_results() {
    let ty = Type::of(Base::Ordinal(["weak".into(), "fair".into(), "A+".into()].into()));
    let text = "if word_count(answer) > 9 then \"A+\" else if minor then weak else fair";
    let (rule, found) = try_compile(text, Some(&ty), Scope::JUDGE);
    let rule = rule.unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(rule.evaluate(&record()), Ok(Value::Label(0)));
    assert_eq!(&*rule.text, text);
    let optional = ty.clone().optional();
    assert!(try_compile("if minor then weak else unknown", Some(&optional), Scope::JUDGE).0.is_some());
    assert_eq!(try_compile("if minor then weak else unknown", Some(&ty), Scope::JUDGE).1.len(), 1);
}

#[test]
fn each_mistake_is_one_diagnostic_with_its_code() {
    let int = Type::int(0, 100);
    for (text, expected, code) in [
        ("word_count(answer)", Some(&Type::BOOL), "R0551"),
        ("word_count(dialogue)", None, "R0551"),
        ("size(answer)", None, "R0551"),
        ("picture == \"x\"", None, "R0551"),
        ("answer < \"b\"", None, "R0551"),
        ("1 < 2 < 3", None, "R0551"),
        ("data == data", None, "R0551"),
        ("number_in(answer) == unknown", None, "R0551"),
        ("if minor then 1 else \"a\"", None, "R0551"),
        ("answer", None, "R0551"),
        ("map(answer) { rest => 1 }", None, "R0551"),
        ("wordcount(answer)", None, "R0552"),
        ("mean(budget, budget)", None, "R0552"),
        ("word_count()", None, "R0553"),
        ("word_count(answer, answer)", None, "R0553"),
        ("similarity(answer, question)", None, "R0553"),
        ("similarity(answer, question, metric: rouge)", None, "R0553"),
        ("similarity(answer, question, by: rouge_l)", None, "R0553"),
        ("matches(answer, question)", None, "R0553"),
        ("turn(dialogue, 0) == \"\"", None, "R0553"),
        ("clamp(budget) > 1", None, "R0553"),
        ("clamp(budget, to: int[5..1]) > 1", None, "R0553"),
        ("contains(anser, \"x\")", None, "R0554"),
        ("contains(pair, \"x\")", None, "R0554"),
        ("word_count(answer)", Some(&int), "R0556"),
        ("clamp(budget, to: score[0..100])", Some(&int), "R0556"),
        ("contains(guideline, \"x\")", Some(&Type::BOOL), "R0557"),
        ("matches(answer, r\"(\")", None, "R0558"),
        ("matches(answer, r\"(?=x)\")", None, "R0558"),
        ("matches(answer, r\"((\\w{1000}){1000}){1000}\")", None, "R0558"),
        ("json_matches(answer, \"schema.json\")", None, "R0559"),
        ("json_matches(answer, \"{\\\"type\\\": 3}\")", None, "R0559"),
        ("1 / word_count(answer) > 1", None, "R0560"),
        ("json_get(data, \"a.b\") == 1", None, "R0561"),
        ("json_get(data, \"/a~\") == 1", None, "R0561"),
        ("word_count(answer) >= 0", None, "R0901"),
    ] {
        let (_, found) = try_compile(text, expected, Scope::JUDGE);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(code), "{text}: {found:?}");
    }
    let (_, found) = try_compile("contains(answer, \"x\")", Some(&Type::BOOL), Scope::APPLIES);
    assert!(found.len() == 1 && found[0].starts_with("R0555"), "{found:?}");
    assert!(try_compile("contains(question, \"x\")", Some(&Type::BOOL), Scope::APPLIES).0.is_some());
}

#[test]
fn a_name_in_error_elsewhere_is_not_reported_again() {
    let scope = Scope::JUDGE.with_silent(&|name| name == "broken");
    assert_eq!(try_compile("contains(broken, \"x\")", None, scope).1, Vec::<String>::new());
}

#[test]
fn a_schema_file_becomes_part_of_the_rule() {
    let read = |_: Span, path: &str| match path {
        "schema.json" => Ok("{ \"required\": [\"n\"] }".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let scope = Scope::JUDGE.with_files(&read);
    let (first, _) = try_compile("json_matches(data, \"schema.json\")", None, scope);
    let first = first.unwrap();
    assert_eq!(&*first.text, r#"json_matches(data, "{\"required\":[\"n\"]}")"#);
    assert_eq!(rule(&first.text), first);
    let (_, found) = try_compile("json_matches(data, \"none.json\")", None, scope);
    assert!(found[0].contains("no such file"), "{found:?}");
}

#[test]
fn a_field_of_the_wrong_kind_is_an_error_and_never_a_value() {
    let mut wrong = record();
    wrong.insert("answer".into(), json!(3));
    wrong.insert("dialogue".into(), json!([{"role": "user"}]));
    wrong.insert("budget".into(), json!("2"));
    wrong.remove("question");
    for (text, part) in [
        ("word_count(answer) > 1", "should hold text, and holds a number"),
        ("turn(dialogue, 1) == \"\"", "each turn of a chat"),
        ("budget > 1", "should hold a number"),
        ("data > 1", "reads a JSON field as a number"),
        ("contains(data, \"x\")", "wants a text or a list, and `data` holds an object"),
        ("word_count(question) > 1", "is not given"),
    ] {
        let error = rule(text).evaluate(&wrong).unwrap_err();
        assert!(error.0.contains(part), "{text}: {error}");
    }
}

#[test]
fn deep_rules_do_not_overflow_the_stack() {
    let text = format!("{}minor", "not ".repeat(150));
    assert_eq!(yields(&text).as_deref(), Ok("true"));
    let text = format!("{}word_count(answer){} > 1", "min(9, ".repeat(90), ")".repeat(90));
    assert_eq!(yields(&text).as_deref(), Ok("true"));
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        ".{0,40}".prop_map(Json::String),
        "[0-9.,eE+ -]{0,12}".prop_map(Json::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((prop_oneof!["a", "role", "content", ".{0,4}"], inner), 0..4)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

/// Rules of all kinds, compiled once.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        "min(word_count(answer), 5) * number_in(question) / (1 + char_count(answer))",
        "clamp(round(number_in(answer), step: 0.5), to: score[-1..1])",
        "if json_get(data, \"/a\") > 0 then size(data) else size(dialogue) + line_count(answer)",
        "similarity(answer, otherwise(guideline, question), metric: rouge_l)",
        "similarity(pair.left, pair.right, metric: levenshtein)",
        "contains(transcript(dialogue), lower(trim(turn(dialogue, -1)))) or json_valid(answer) and minor",
        "size(urls(answer)) + size(code_blocks(answer)) + sentence_count(answer) > max(budget, 3)",
        "abs(clamp(-budget, to: score[-3..2])) - json_get(answer, \"\") * 2 != 3",
        "matches(answer, r\"(a|b)+c\") == (count_matches(question, r\"\\s\") > 2)",
        "json_matches(data, \"{\\\"type\\\": [\\\"object\\\", \\\"array\\\"], \\\"minProperties\\\": 1}\")",
    ]
    .map(rule)
    .into()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Whatever a record holds, a rule gives a value of its type or an error.
    #[test]
    fn a_rule_gives_a_value_of_its_type_or_an_error(values in prop::collection::vec(any_json(), 9)) {
        let names = ["question", "guideline", "minor", "budget", "data", "dialogue", "answer", "pair.left", "pair.right"];
        let fields: serde_json::Map<String, Json> =
            names.into_iter().map(str::to_owned).zip(values).collect();
        for rule in RULES.iter() {
            if let Ok(value) = rule.evaluate(&fields) {
                prop_assert!(rule.ty.holds(&value), "{}: {:?}", rule.text, value);
            }
        }
    }

    /// The same with fields of the right kind, so that values come out.
    #[test]
    fn fields_of_the_right_kind_give_values(answer in ".{0,80}", question in "[a-z0-9., -]{0,30}", n in any::<i32>()) {
        let mut fields = record();
        fields.insert("answer".into(), json!(answer));
        fields.insert("question".into(), json!(question));
        fields.insert("budget".into(), json!(n));
        for (text, ty) in [
            ("clamp(number_in(question) * budget, to: score[0..1])", "score[0..1]?"),
            ("similarity(answer, question, metric: rouge_l) + similarity(answer, question, metric: levenshtein)", "score[0..2]"),
            ("min(word_count(answer) / (1 + char_count(answer)), 1)", "score[0..1]"),
        ] {
            let rule = rule(text);
            prop_assert_eq!(rule.ty.to_string(), ty);
            let value = rule.evaluate(&fields);
            prop_assert!(value.is_ok(), "{:?}", value);
        }
    }
}

/// A rule over 10,000 characters takes milliseconds even without optimisation.
#[test]
fn rules_over_long_texts_are_quick() {
    let mut fields = record();
    fields.insert("answer".into(), json!("The quick brown fox, 12 times. ".repeat(320)));
    fields.insert("question".into(), json!("A slow brown dog; 13 times? ".repeat(360)));
    let started = std::time::Instant::now();
    for text in [
        "word_count(answer) + sentence_count(answer) + size(urls(answer)) > 3",
        "similarity(answer, question, metric: levenshtein) > 0.5",
        "similarity(answer, question, metric: rouge_l) > 0.5",
        "matches(answer, r\"(a*)*$\")",
    ] {
        rule(text).evaluate(&fields).unwrap();
    }
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}
