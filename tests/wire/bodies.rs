//! The bytes of requests, per dialect: what a change of them costs is every stored judgment.

use super::*;
use rubric_lang::judge::wire::Rendered;
use rubric_lang::number::Number;

fn show(rendered: &Rendered) -> String {
    let headers: Vec<String> = rendered.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let body: serde_json::Value = serde_json::from_slice(&rendered.body).unwrap();
    format!("POST {}\n{}\n\n{}\n", rendered.url, headers.join("\n"), serde_json::to_string_pretty(&body).unwrap())
}

/// A chat with everything in it.
fn full() -> Chat {
    let mut chat = chat();
    chat.again = vec![("{\"answer\": 3}".into(), "The answer is no true or false.".into())];
    chat.sampling = Sampling {
        temperature: Some(Number::from_decimal("0.30").unwrap()),
        max_tokens: Some(300),
        seed: Some(0xFFFF_FFFF_0000_0007),
        top_logprobs: 5,
    };
    chat
}

#[test]
fn openai() {
    let alias = alias("openai", "https://api.openai.com/v1", "extra = { service_tier = \"flex\" }");
    insta::assert_snapshot!(show(&render(&alias, &Question::Chat(full())).unwrap()));
}

#[test]
fn openai_compatible_with_images() {
    let alias =
        alias("openai", "http://localhost:8000", "can = { images = true, structured = false }\ntemperature = 0");
    let mut chat = chat();
    chat.shared.push(Content::Image("data:image/png;base64,iVBORw0KGgo=".into()));
    insta::assert_snapshot!(show(&render(&alias, &Question::Chat(chat)).unwrap()));
}

#[test]
fn anthropic() {
    let alias = alias("anthropic", "https://api.anthropic.com", "");
    let mut chat = full();
    chat.sampling.top_logprobs = 0;
    chat.own.push(Content::Image("https://example.org/a.png".into()));
    insta::assert_snapshot!(show(&render(&alias, &Question::Chat(chat)).unwrap()));
}

#[test]
fn gemini() {
    let more = "can = { logprobs = 5 }\nextra = { generationConfig = { thinkingConfig = { thinkingBudget = 0 } } }";
    let alias = alias("gemini", "https://generativelanguage.googleapis.com", more);
    let mut chat = full();
    chat.shared.push(Content::Image("data:image/png;base64,iVBORw0KGgo=".into()));
    insta::assert_snapshot!(show(&render(&alias, &Question::Chat(chat)).unwrap()));
}

#[test]
fn ollama() {
    let alias = alias("ollama", "http://localhost:11434", "can = { images = true }");
    let mut chat = full();
    chat.own.push(Content::Image("data:image/png;base64,iVBORw0KGgo=".into()));
    insta::assert_snapshot!(show(&render(&alias, &Question::Chat(chat)).unwrap()));
}

#[test]
fn systemone() {
    let alias = alias("systemone", "https://api.typesafe.ai", "");
    insta::assert_snapshot!(show(&render(&alias, &Question::Decide(decide())).unwrap()));
}

#[test]
fn decisions() {
    let alias = alias("decisions", "https://api.openai.com/v1", "");
    insta::assert_snapshot!(show(&render(&alias, &Question::Decide(decide())).unwrap()));
}

#[test]
fn what_a_model_cannot_express_is_refused_before_anything_is_sent() {
    let refused = |alias: &Alias, change: &dyn Fn(&mut Chat)| {
        let mut chat = chat();
        change(&mut chat);
        render(alias, &Question::Chat(chat)).unwrap_err()
    };
    let anthropic = alias("anthropic", "http://x", "");
    assert!(refused(&anthropic, &|c| c.sampling.top_logprobs = 1).contains("no log-probabilities"));
    let openai = alias("openai", "http://x", "can = { logprobs = 5, temperature = false }");
    assert!(refused(&openai, &|c| c.sampling.top_logprobs = 6).contains("at most 5"));
    assert!(refused(&openai, &|c| c.sampling.temperature = Some(Number::default())).contains("`temperature`"));
    let ollama = alias("ollama", "http://x", "can = { images = true }");
    for image in ["data:text/html;base64,AAAA", "data:image/png;base64,@@", "file:///etc/passwd", "https://x.org/a.png"]
    {
        let said = refused(&ollama, &|c| c.own.push(Content::Image(image.into())));
        assert!(said.contains("image"), "{image}: {said}");
    }
    let qwen = alias("ollama", "http://x", "");
    assert!(refused(&qwen, &|c| c.own.push(Content::Image("https://x.org/a.png".into()))).contains("can = { images"));

    let systemone = alias("systemone", "http://x", "");
    assert!(render(&systemone, &Question::Chat(chat())).unwrap_err().contains("no text"));
    assert!(render(&openai, &Question::Decide(decide())).unwrap_err().contains("no decision model"));
    let refused = |change: &dyn Fn(&mut Decide)| {
        let mut decide = decide();
        change(&mut decide);
        render(&systemone, &Question::Decide(decide)).unwrap_err()
    };
    assert!(refused(&|d| d.questions.clear()).contains("asked nothing"));
    assert!(refused(&|d| d.state = json!(3)).contains("as its state"));
    assert!(refused(&|d| d.questions.push(d.questions[0].clone())).contains("one id"));
    let levels = |n: usize| (0..n).map(|n| (n.to_string(), None)).collect();
    let score = |n| ("s".into(), DecideQuestion::Score { instructions: String::new(), levels: levels(n) });
    assert!(refused(&|d| d.questions.push(score(11))).contains("2 to 10 levels"));
    assert!(refused(&|d| d.questions.push(score(1))).contains("2 to 10 levels"));
    let options = || vec![("a".to_owned(), None), ("a".to_owned(), None)];
    let twice = || ("c".into(), DecideQuestion::Choice { instructions: String::new(), options: options() });
    assert!(refused(&|d| d.questions.push(twice())).contains("twice"));
}

#[test]
fn the_same_question_has_the_same_bytes_and_no_key_is_in_them() {
    for dialect in CHATS.into_iter().chain(["systemone", "decisions"]) {
        let alias = alias(dialect, "https://host.example", "");
        let (one, two) = (render(&alias, &question(dialect)).unwrap(), render(&alias, &question(dialect)).unwrap());
        assert_eq!(one, two);
        assert!(one.tokens > 10 && one.tokens < 1_000, "{dialect}: {}", one.tokens);
        assert!(!format!("{alias:?} {one:?}").contains(KEY));
    }
}
