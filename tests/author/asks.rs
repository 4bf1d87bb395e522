//! One ask at a time: what conforms is stored once, what does not is put again with the reason, ceilings hold.

use super::faults::{self, Behaviour, Request, Server};
use rubric_lang::author::{Ask, Author, Purpose, Unsaid};
use rubric_lang::judge::budget::{Budget, Ceilings};
use rubric_lang::judge::config::Config;
use rubric_lang::judge::store::Store;
use rubric_lang::judge::wire::FailureKind;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn config(server: &Server) -> Config {
    let text = format!(
        "[models.default]\ndialect = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m-1\"\nretries = 0\n\
         [models.decider]\ndialect = \"systemone\"\nmodel = \"d\"\nbase_url = \"{}\"\n",
        server.url, server.url
    );
    Config::parse(Path::new("rubric.toml"), &text).unwrap()
}

fn author(server: &Server, store: Option<&Path>, calls: Option<u64>) -> Author {
    let store = store.map(|path| Store::open(path).unwrap());
    Author::open(config(server), "default", store, Budget::new(Ceilings { calls, cost: None })).unwrap()
}

fn ask(text: &str) -> Ask {
    let purpose = Purpose { command: "test".into(), step: "step".into(), about: "it".into() };
    Ask::new(purpose, "You write.".into(), text.to_owned())
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(future)
}

/// Any number.
fn number(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "it is no number".to_owned())
}

fn answering(text: &'static str) -> impl Fn(&Request) -> Behaviour {
    move |request| request.answer(text)
}

#[test]
fn plain_text_is_bound_to_no_schema_and_a_form_is() {
    let server = Server::start(answering("7"));
    let author = author(&server, None, None);
    block(async {
        let said = author.ask(&ask("A number?"), number).await.unwrap();
        assert_eq!((said.value, said.model.as_str(), said.from_store), (7, "served-1", false));
        let bound = Ask { schema: Some(json!({"type": "integer"})), ..ask("A number?") };
        author.ask(&bound, number).await.unwrap();
    });
    let requests = server.requests();
    assert!(requests[0].schema().is_none() && requests[0].json.get("response_format").is_none());
    assert_eq!(requests[1].schema().unwrap(), &json!({"type": "integer"}));
}

#[test]
fn what_does_not_conform_is_put_again_with_the_reason_and_stored_under_the_first_question() {
    let server = Server::start(|request| request.answer(["seven", "sept", "7"][request.number.min(2)]));
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store.sqlite");
    block(async {
        let first = author(&server, Some(&place), None);
        let said = first.ask(&ask("A number?"), number).await.unwrap();
        assert_eq!(said.value, 7);
        assert_eq!(said.refused.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), ["seven", "sept"]);
        drop(first);
        let second = author(&server, Some(&place), None);
        assert!(second.knows(&ask("A number?")).unwrap() && !second.knows(&ask("Another?")).unwrap());
        let said = second.ask(&ask("A number?"), number).await.unwrap();
        assert!(said.from_store && said.value == 7 && said.refused.is_empty());
        assert_eq!(second.judging().budget.total().0, 0);
    });
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let last = requests[2].prompt();
    assert!(last.contains("seven") && last.contains("sept") && last.contains("it is no number"), "{last}");
}

#[test]
fn after_the_last_attempt_every_reply_is_told_and_none_is_stored() {
    let server = Server::start(answering("many"));
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store.sqlite");
    block(async {
        let author = author(&server, Some(&place), None);
        for round in 1..=2 {
            let unsaid = author.ask(&ask("A number?"), number).await.unwrap_err();
            let Unsaid::Unfit(replies) = &unsaid else { panic!("{unsaid}") };
            assert_eq!((replies.len(), server.count()), (3, 3 * round));
            assert!(unsaid.to_string().contains("it is no number"), "{unsaid}");
        }
        assert!(!author.knows(&ask("A number?")).unwrap());
    });
}

#[test]
fn refusals_filters_and_cut_off_replies_are_failures_of_their_kind() {
    let server = Server::start(|request| match request.number {
        0 => faults::refusal(request),
        1 => faults::filtered(request),
        _ => faults::truncated(request, "7"),
    });
    let author = author(&server, None, None);
    block(async {
        for kind in [FailureKind::Refused, FailureKind::Filtered, FailureKind::Truncated] {
            let unsaid = author.ask(&ask("A number?"), number).await.unwrap_err();
            assert!(matches!(&unsaid, Unsaid::Failed(failure) if failure.kind == kind), "{unsaid}");
        }
    });
}

#[test]
fn two_asks_of_the_same_are_one_call_and_many_go_out_at_once() {
    let server = Server::start(|request| request.answer("7").after(Duration::from_millis(100)));
    let folder = tempfile::tempdir().unwrap();
    let author = author(&server, Some(&folder.path().join("store.sqlite")), None);
    block(async {
        let mut all = tokio::task::JoinSet::new();
        for n in 0..16 {
            let author = author.clone();
            all.spawn(async move { author.ask(&ask(&format!("Number {}?", n / 2)), number).await.unwrap().value });
        }
        assert_eq!(all.join_all().await, [7; 16]);
    });
    assert_eq!(server.count(), 8);
    assert!(server.most_at_once() > 4, "{}", server.most_at_once());
    assert_eq!(author.judging().counts.found.load(Ordering::Relaxed), 8);
}

#[test]
fn under_a_ceiling_tasks_are_served_whole_and_in_order() {
    let server = Server::start(answering("7"));
    let author = author(&server, None, Some(5));
    block(async {
        // Three tasks of two asks each, one after the other; the budget is enough for two and a half.
        let turns: Vec<_> = (0..3).map(|task| author.turn(task)).collect();
        let mut all = tokio::task::JoinSet::new();
        for (task, turn) in turns.into_iter().enumerate().rev() {
            let author = author.clone();
            all.spawn(async move {
                let mut done = 0;
                for n in 0..2 {
                    let ask = Ask { task: task as u64, ..ask(&format!("{task} {n}?")) };
                    done += usize::from(author.ask(&ask, number).await.is_ok());
                }
                drop(turn);
                (task, done)
            });
            // The last task is there first.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut done = all.join_all().await;
        done.sort_unstable();
        assert_eq!(done, [(0, 2), (1, 2), (2, 1)]);
    });
    assert_eq!((server.count(), author.judging().budget.total().0), (5, 5));
}

#[test]
fn a_stopped_author_sends_nothing_more() {
    let server = Server::start(answering("7"));
    let author = author(&server, None, None);
    author.judging().stop();
    let unsaid = block(author.ask(&ask("A number?"), number)).unwrap_err();
    assert!(matches!(unsaid, Unsaid::Stopped) && server.count() == 0);
}

#[test]
fn a_model_that_writes_no_text_or_that_nobody_named_is_an_error_before_the_first_call() {
    let server = Server::start(answering("7"));
    let open = |alias| Author::open(config(&server), alias, None, Budget::default()).map(|_| ()).unwrap_err();
    assert!(open("decider").contains("writes no text"));
    assert!(open("defualt").contains("did you mean `default`?"));
    let costly = Budget::new(Ceilings { calls: None, cost: Some(1_i64.into()) });
    assert!(Author::open(config(&server), "default", None, costly).map(|_| ()).unwrap_err().contains("price"));
}
