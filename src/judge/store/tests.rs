//! The store as processes use it: found again, shared, claimed, killed, damaged.

use super::identity::tests::{chat, identity};
use super::look::{Difference, Look, Old, Why};
use super::*;
use crate::judge::wire::Answer;

fn asked() -> Arc<Asked> {
    Arc::new(Asked {
        program: "b3:1".into(),
        program_name: "p".into(),
        criterion: "good".into(),
        record: "r1".into(),
        candidate: "".into(),
    })
}

fn reply(text: &str) -> Reply {
    let usage = Usage { input: 100, cached: 40, cache_written: 0, output: 5 };
    Reply {
        model: "m-1".to_owned(),
        usage,
        answer: Answer::Text { text: text.to_owned(), logprobs: Vec::new() },
        diagnostics: Default::default(),
    }
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A claim that was given up is taken back by the writer a little later, so this asks again for a while.
fn ours(store: &Store, identity: &Arc<Identity>) -> Claim {
    for _ in 0..1000 {
        match block(store.claim(identity)).unwrap() {
            Claimed::Ours(claim) => return claim,
            Claimed::Stored(_) => panic!("it is stored"),
            Claimed::Theirs => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
    panic!("somebody asks");
}

fn is_theirs(store: &Store, identity: &Arc<Identity>) -> bool {
    matches!(block(store.claim(identity)).unwrap(), Claimed::Theirs)
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".rubric").join("store.sqlite");
    (folder, path)
}

#[test]
fn an_answer_is_found_by_the_next_process_too() {
    let (_folder, path) = place();
    let id = Arc::new(identity("Is it good?", 0));
    let store = Store::open(&path).unwrap();
    assert_eq!(store.find(&id.key).unwrap(), None);
    block(ours(&store, &id).put(&asked(), "n1", &reply("yes"))).unwrap();
    let wanted = Stored { reply: reply("yes"), nonce: "n1".to_owned() };
    assert_eq!(store.find(&id.key).unwrap().as_ref(), Some(&wanted));
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.find(&id.key).unwrap(), Some(wanted));
    assert!(matches!(block(store.claim(&id)).unwrap(), Claimed::Stored(_)));
    assert_eq!(std::fs::read_to_string(path.with_file_name(".gitignore")).unwrap(), "*\n");
}

#[test]
fn two_never_ask_at_once() {
    let (_folder, path) = place();
    let id = Arc::new(identity("Is it good?", 0));
    let (one, two) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
    let claim = ours(&one, &id);
    assert!(is_theirs(&one, &id) && is_theirs(&two, &id));
    // Given up: whoever comes next may ask.
    drop(claim);
    let claim = ours(&two, &id);
    assert!(is_theirs(&one, &id));
    block(claim.put(&asked(), "n", &reply("no"))).unwrap();
    assert!(matches!(block(one.claim(&id)).unwrap(), Claimed::Stored(stored) if stored.reply == reply("no")));
}

#[test]
fn a_claim_of_a_process_that_was_killed_binds_nobody() {
    let (folder, path) = place();
    let id = Arc::new(identity("Is it good?", 0));
    drop(Store::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection.execute("INSERT INTO claim (key, owner) VALUES (?1, 7)", [&id.key.0[..]]).unwrap();
    let store = Store::open(&path).unwrap();
    drop(ours(&store, &id));
    // Killed while another runs: its file is there, and nobody holds it.
    std::fs::write(path.with_file_name("store.sqlite-run-0000000000000008"), "").unwrap();
    connection.execute("INSERT OR REPLACE INTO claim (key, owner) VALUES (?1, 8)", [&id.key.0[..]]).unwrap();
    drop(ours(&store, &id));
    drop(store);
    let left: Vec<_> =
        std::fs::read_dir(folder.path().join(".rubric")).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("-run-")), "{left:?}");
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, "These are my notes, long enough to be no header of anything at all, and more of them.")
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&path).err().unwrap();
    assert!(error.to_string().contains("cannot be used"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let other = folder.path().join("b");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    assert!(Store::open(&other).err().unwrap().to_string().contains("something else"));
    let later = folder.path().join("c");
    drop(Store::open(&later).unwrap());
    Connection::open(&later).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(Store::open(&later).err().unwrap().to_string().contains("version 99"));
    assert!(Store::open(folder.path()).is_err());
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_again_and_replaced() {
    let (_folder, path) = place();
    let id = Arc::new(identity("Is it good?", 0));
    let store = Store::open(&path).unwrap();
    block(ours(&store, &id).put(&asked(), "n", &reply("yes"))).unwrap();
    Connection::open(&path).unwrap().execute("UPDATE judgment SET reply = '{\"mod'", []).unwrap();
    assert_eq!(store.find(&id.key).unwrap(), None);
    block(ours(&store, &id).put(&asked(), "n", &reply("no"))).unwrap();
    assert_eq!(store.find(&id.key).unwrap().unwrap().reply, reply("no"));
}

#[test]
fn why_names_what_differs() {
    let (_folder, path) = place();
    let store = Store::open(&path).unwrap();
    let id = Arc::new(identity("Is it good?", 0));
    block(ours(&store, &id).put(&asked(), "n", &reply("yes"))).unwrap();
    let look = Look::open(&path).unwrap();
    let why = |identity: &Identity| look.why(identity, &asked()).unwrap();
    assert!(matches!(why(&id), Why::Hit { answered, .. } if answered == "m-1"));
    let of = |identity: &Identity| match why(identity) {
        Why::Differs { stored: 1, differences } => differences,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&identity("Is it bad?", 0)), [Difference::Question]);
    assert_eq!(of(&identity("Is it good?", 2)), [Difference::Sample { stored: 0, now: 2 }]);
    let question = chat("Is it good?");
    assert_eq!(
        of(&Identity::of(&id.url, "n", b"Is it good?", 0, &question)),
        [Difference::Model { stored: "m".to_owned(), now: "n".to_owned() }]
    );
    assert_eq!(of(&Identity::of(&id.url, "m", b"with extra", 0, &question)), [Difference::Else]);
    let other = Asked { record: "r2".into(), ..(*asked()).clone() };
    assert_eq!(look.why(&identity("Is it bad?", 0), &other).unwrap(), Why::Nothing);
}

#[test]
fn what_there_is_can_be_counted_exported_and_taken_out() {
    let (_folder, path) = place();
    let store = Store::open(&path).unwrap();
    for n in 0..3 {
        let id = Arc::new(identity("Is it good?", n));
        block(ours(&store, &id).put(&asked(), "n", &reply("yes"))).unwrap();
    }
    let look = Look::open(&path).unwrap();
    let models = look.models().unwrap();
    assert_eq!((models.len(), models[0].judgments, models[0].input, models[0].cached), (1, 3, 300, 120));
    assert_eq!(models[0].answered, ["m-1"]);
    let mut out = Vec::new();
    assert_eq!(look.export(&mut out).unwrap().unwrap(), 3);
    let lines: Vec<serde_json::Value> =
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[2]["sample"], 2);
    assert_eq!(lines[0]["reply"]["text"], "yes");
    let old = |old: &Old, count| look.collect(old, count).unwrap();
    assert_eq!(old(&Old { before: Some(1_000_000_000), ..Old::default() }, false), 0);
    assert_eq!(old(&Old { program: Some("q".to_owned()), ..Old::default() }, false), 0);
    let mine = Old { program: Some("p".to_owned()), model: Some("m".to_owned()), ..Old::default() };
    assert_eq!((old(&mine, true), old(&mine, false), old(&mine, false)), (3, 3, 0));
}

#[test]
fn many_at_once_are_all_there() {
    let (_folder, path) = place();
    let store = Arc::new(Store::open(&path).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..1000 {
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                // Every judgment is wanted by two.
                let id = Arc::new(identity("Is it good?", n / 2));
                loop {
                    match store.claim(&id).await.unwrap() {
                        Claimed::Stored(_) => return 0,
                        Claimed::Theirs => tokio::task::yield_now().await,
                        Claimed::Ours(claim) => {
                            claim.put(&asked(), "n", &reply(&n.to_string())).await.unwrap();
                            return 1;
                        }
                    }
                }
            });
        }
        let paid: u32 = tasks.join_all().await.into_iter().sum();
        assert_eq!(paid, 500);
    });
    assert!((0..500).all(|n| store.find(&identity("Is it good?", n).key).unwrap().is_some()));
}

/// SQLite does not wait by itself where several make one file at the same moment.
#[test]
fn many_open_one_new_store_at_the_same_moment() {
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let start = std::sync::Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    start.wait();
                    Store::open(&path).map(drop).unwrap();
                });
            }
        });
    }
}
