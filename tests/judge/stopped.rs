//! Runs that are stopped: by Ctrl-C, and killed at any moment. What was paid for is there, once, and is not paid for again.

#![cfg(unix)]

use super::*;
use std::time::Duration;

fn signal(child: &Child, name: &str) {
    let done = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(done.success());
}

/// Waits until the server has been asked so often.
fn wait_for(server: &Server, requests: usize) {
    let began = std::time::Instant::now();
    while server.count() < requests {
        assert!(began.elapsed() < Duration::from_secs(60), "{} requests", server.count());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn after_ctrl_c_what_is_under_way_is_kept_and_the_run_can_go_on() {
    let server = Server::start(|request| judged(request).after(Duration::from_millis(200)));
    let place = Place::new(&server, 100, "concurrency = 16");
    let child = place.start("");
    wait_for(&server, 40);
    signal(&child, "INT");
    let ran = super::ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.err.contains("run the same command again"), "{}", ran.err);
    let asked = server.count();
    assert!(asked < 120, "{asked}");
    // Everything that was asked was waited for.
    assert_eq!(place.stored().len(), asked);
    let lines = place.lines("out.jsonl");
    assert!(lines.len() < 100 && lines.iter().all(|line| line["status"] == "decided"));
    assert_eq!(place.run("").code, 0);
    assert_eq!((server.count(), place.lines("out.jsonl").len()), (200, 100));
}

#[test]
fn killed_at_fifty_moments_nothing_stored_is_lost_or_paid_again() {
    const KILLS: usize = 50;
    let server = Server::start(|request| judged(request).after(Duration::from_millis(15)));
    // One after the other at first, so that fifty kills find something to kill.
    let place = Place::new(&server, 600, "concurrency = 4");
    let whole = Place::new(&server, 600, "concurrency = 64");
    assert_eq!(whole.run("--no-store").code, 0);
    let mut asked = server.count();
    let mut stored = BTreeSet::new();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut killed = 0;
    for _ in 0..KILLS {
        let mut child = place.start("--quiet");
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Most of them once it asks, whenever that is on a busy machine; the others at any time.
        let began = std::time::Instant::now();
        while !random.is_multiple_of(5) && server.count() == asked && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(random % 90));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // Requests that were out when it was killed may still arrive.
        std::thread::sleep(Duration::from_millis(30));
        let requests = server.requests();
        for request in &requests[asked..] {
            assert!(!stored.contains(&wanted(request)), "{} was stored, and is paid for again", wanted(request));
        }
        asked = requests.len();
        let now = place.stored();
        assert!(now.is_superset(&stored), "something is lost");
        stored = now;
    }
    assert!(killed > 40 && !stored.is_empty(), "{killed} kills, {} judgments", stored.len());
    let ran = place.run("");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let requests = server.requests();
    assert!(requests[asked..].iter().all(|request| !stored.contains(&wanted(request))));
    assert_eq!(place.stored().len(), 1200);
    assert_eq!(place.read("out.jsonl"), whole.read("out.jsonl"));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_whole_after_ctrl_c_and_the_old_file_stays_after_a_kill() {
    let server = Server::start(|request| judged(request).after(Duration::from_millis(100)));
    let place = Place::new(&server, 200, "concurrency = 8");
    let run = "run answers.rubric --data data.jsonl -o out.parquet";
    let rows = || {
        let ran = place.rubric("merge out.parquet -o lines.jsonl");
        assert_eq!(ran.code, 0, "{}", ran.err);
        place.lines("lines.jsonl").len()
    };
    let child = place.command(run).spawn().unwrap();
    // Three times as many as are let in at once, so that some records are done, the first of all among them.
    wait_for(&server, 240);
    signal(&child, "INT");
    let ran = super::ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.err);
    let stopped = rows();
    assert!(stopped > 0 && stopped < 200, "{stopped}");
    let old = std::fs::read(place.path("out.parquet")).unwrap();
    let asked = server.count();
    let mut child = place.command(run).spawn().unwrap();
    wait_for(&server, asked + 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read(place.path("out.parquet")).unwrap(), old);
    assert_eq!(place.rubric(run).code, 0);
    assert_eq!(rows(), 200);
}
