//! What `rubric.toml` may say, and that whatever else it says is told.

use super::*;
use crate::number::Number;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("/p/rubric.toml"), text)
}

/// The only fault.
fn fault(text: &str) -> String {
    let error = parse(text).unwrap_err();
    let [one] = error.problems() else { panic!("{error:?}") };
    one.message.clone()
}

#[test]
fn a_whole_file() {
    let config = parse(
        r#"
[models.default]
dialect = "anthropic"
model = "claude-haiku-4-5"
concurrency = 200
requests_per_minute = 4_000
timeout = "90s"
temperature = 0
price = { input = 1, cached_input = 0.1, cache_write = 1.25, output = 5.00 }

[models.local]
dialect = "openai"
base_url = "http://localhost:8000/v1/"
model = "Qwen/Qwen3-VL-8B"
can = { images = true, logprobs = 5, seed = false }
extra = { chat_template_kwargs = { enable_thinking = false }, top_k = 1, x = 0.10 }

[verifiers.compiles]
command = ["./compile.sh", "--strict"]
timeout = "2m"
allow = true
"#,
    )
    .unwrap();
    let default = config.alias("default").unwrap();
    assert_eq!(default.key.as_deref(), Some("ANTHROPIC_API_KEY"));
    assert_eq!((default.limits.concurrency, default.limits.timeout), (200, Duration::from_secs(90)));
    assert_eq!(default.price.as_ref().unwrap().cache_write, Number::from_decimal("1.25").unwrap());
    let local = config.alias("local").unwrap();
    assert_eq!((local.base_url.as_str(), &local.key), ("http://localhost:8000/v1", &None));
    assert_eq!((local.capabilities.logprobs, local.capabilities.seed), (Some(5), false));
    assert_eq!(local.extra.get("x").unwrap().to_string(), "0.10");
    let verifier = config.verifier("compiles").unwrap();
    assert_eq!((verifier.folder.as_path(), verifier.timeout), (Path::new("/p"), Duration::from_secs(120)));
}

#[test]
fn money_is_exact_and_cached_tokens_have_their_price() {
    let config = parse(
        "[models.a]\ndialect = \"openai\"\nmodel = \"m\"\nprice = { input = 0.1, cached_input = 0.01, output = 0.5 }",
    )
    .unwrap();
    let usage = crate::judge::wire::Usage { input: 1_000_000, cached: 900_000, cache_written: 0, output: 2_000_000 };
    let cost = config.alias("a").unwrap().price.as_ref().unwrap().cost(&usage);
    assert_eq!(cost, Number::from_decimal("1.019").unwrap());
    // A server that counts more cached tokens than tokens costs no less than nothing.
    let odd = crate::judge::wire::Usage { input: 10, cached: 20, cache_written: 20, output: 0 };
    assert_eq!(
        config.alias("a").unwrap().price.as_ref().unwrap().cost(&odd),
        Number::from_decimal("0.0000001").unwrap()
    );
}

#[test]
fn an_empty_file_says_nothing_and_is_no_mistake() {
    assert!(parse("").unwrap().aliases.is_empty());
    assert!(parse("# only a comment\n").unwrap().aliases.is_empty());
}

#[test]
fn unknown_keys_are_told_with_the_nearest() {
    assert!(fault("[model.a]\n").contains("did you mean `models`?"));
    let text = "[models.a]\ndialect = \"openai\"\nmodel = \"m\"\nconcurency = 3";
    assert!(fault(text).contains("did you mean `concurrency`?"));
    let text = "[models.a]\ndialect = \"openai\"\nmodel = \"m\"\nprice = { input = 1, output = 1, in = 3 }";
    assert!(fault(text).contains("`in` is not known here"));
    assert!(fault("[verifiers.a]\ncommand = [\"x\"]\nallowed = true").contains("did you mean `allow`?"));
}

#[test]
fn wrong_values_are_told_and_never_replaced() {
    let with = |line: &str| fault(&format!("[models.a]\ndialect = \"openai\"\nmodel = \"m\"\n{line}"));
    for (line, said) in [
        ("timeout = 30", "is a duration"),
        ("timeout = \"0s\"", "is a duration"),
        ("concurrency = 0", "from 1 to 10000"),
        ("concurrency = 2.5", "whole number"),
        ("max_tokens = -1", "whole number"),
        ("temperature = nan", "is a number"),
        ("temperature = 2.1", "from 0 to 2"),
        ("price = 3", "is a table"),
        ("price = { input = -1, output = 2 }", "0 or more"),
        ("price = { input = 1 }", "does not say `output`"),
        ("base_url = \"localhost:8000\"", "http:// or https://"),
        ("base_url = \"https://me:secret@host/v1\"", "user name or password"),
        ("base_url = \"https://host/v1?key=1\"", "before any `?`"),
        ("key = \"sk-proj-abcdefghijk\"", "never the key itself"),
        ("key = \"0123456789abcdef\"", "never the key itself"),
        ("can = { images = 1 }", "true or false"),
        ("extra = { messages = [] }", "cannot set `messages`"),
        ("extra = { d = 2020-01-01 }", "`extra` is a table"),
    ] {
        let message = with(line);
        assert!(message.contains(said), "{line}: {message}");
        assert!(!message.contains("sk-proj") && !message.contains("secret@"), "{message}");
    }
    assert!(fault("[models.a]\ndialect = \"open_ai\"\nmodel = \"m\"").contains("did you mean \"openai\"?"));
    assert!(fault("[models.a]\nmodel = \"m\"").contains("does not say its `dialect`"));
    assert!(fault("[models.a]\ndialect = \"openai\"").contains("does not say its `model`"));
    let ollama = "[models.a]\ndialect = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://localhost:11434/v1\"";
    assert!(fault(ollama).contains("not below `/v1`"));
    assert!(fault("[verifiers.a]\ncommand = \"rm -rf\"").contains("list of texts"));
    assert!(fault("models = 3").contains("a table for each name"));
}

#[test]
fn a_temperature_for_a_model_that_takes_none_is_told_before_any_call() {
    assert!(
        fault("[models.a]\ndialect = \"openai\"\nmodel = \"gpt-6-luna\"\ntemperature = 0").contains("no `temperature`")
    );
}

#[test]
fn several_mistakes_are_told_together_each_with_its_place() {
    let text = "[models.a]\ndialect = \"opnai\"\nmodel = \"m\"\nspeed = 3\n[models.b]\ndialect = \"gemini\"\n";
    let error = parse(text).unwrap_err();
    let places: Vec<&str> = error.problems().iter().map(|p| &text[p.span.clone().unwrap()]).collect();
    assert_eq!(places.len(), 3, "{error:?}");
    assert!(places.contains(&"speed") && places.contains(&"\"opnai\""), "{places:?}");
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    let error = parse("[models.a\ndialect = ").unwrap_err();
    assert!(error.problems().iter().all(|p| p.span.is_some() && p.help.is_some()), "{error:?}");
}

#[test]
fn the_file_is_found_upwards_and_its_models_stand_alone() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(dir.path().join(FILE), "[models.quick]\ndialect = \"ollama\"\nmodel = \"m\"\n").unwrap();
    let keys = |name: &str| (name == "OPENAI_API_KEY").then(|| "k".to_owned());
    let config = Config::load_with(&deep, None, &keys).unwrap();
    assert_eq!(config.origin, Origin::File);
    let missing = config.alias("default").unwrap_err();
    assert!(missing.contains("`quick`") && missing.contains("[models.default]"), "{missing}");
    assert!(config.alias("quik").unwrap_err().contains("did you mean `quick`?"));
}

#[test]
fn a_verifier_runs_only_where_it_is_allowed() {
    let config = parse("[verifiers.compiles]\ncommand = [\"make\", \"-s\"]").unwrap();
    let refused = config.verifier("compiles").unwrap_err();
    assert!(refused.contains("`make -s`") && refused.contains("allow = true"), "{refused}");
    assert!(config.verifier("compile").unwrap_err().contains("did you mean `compiles`?"));
    assert!(config.verifier("x").unwrap_err().contains("[verifiers.x]"));
}

#[test]
fn the_documentation_has_every_key_and_its_examples_are_read() {
    let page = include_str!("../../../docs/judging.md");
    let examples: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        parse(example).unwrap();
    }
    let documented = |key: &&str| page.lines().any(|line| line.starts_with('|') && line.contains(&format!("`{key}`")));
    let missing: Vec<&str> = read::MODEL
        .into_iter()
        .chain(read::PRICE)
        .chain(read::CAN)
        .chain(read::VERIFIER)
        .filter(|key| !documented(key))
        .collect();
    assert!(missing.is_empty(), "docs/judging.md does not say: {missing:?}");
}

/// A line that a file may hold, right or wrong.
fn a_line() -> impl Strategy<Value = String> {
    let key =
        prop::sample::select([&read::MODEL[..], &read::PRICE, &read::CAN, &read::VERIFIER, &["x", "'é'"]].concat());
    let value = prop_oneof![
        Just("true".to_owned()),
        Just("[\"a\"]".to_owned()),
        Just("{ input = 1, output = 2, images = true }".to_owned()),
        Just("\"sk-0123456789\"".to_owned()),
        Just("\"https://a:b@c\"".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("0xff_ff".to_owned()),
        Just("\"openai\"".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string().to_lowercase()),
        "[ -~é😀]{0,12}",
    ];
    prop_oneof![
        Just("[models.a]".to_owned()),
        Just("[verifiers.a]".to_owned()),
        Just("[models.a.price]".to_owned()),
        (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        ".{0,20}",
    ]
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader_and_every_fault_can_be_drawn(lines in proptest::collection::vec(a_line(), 0..8)) {
        if let Err(error) = parse(&lines.join("\n")) {
            prop_assert!(!error.problems().is_empty());
            let drawn = format!("{:?}", miette::Report::from(error));
            // A key that was pasted where its variable belongs is not shown, whatever else is wrong.
            let pasted = lines.iter().filter(|l| l.contains("sk-0")).all(|l| l.starts_with("key ="));
            prop_assert!(!pasted || !drawn.contains("sk-0"), "{}", drawn);
        }
    }
}
