//! Windows that grow and halve, paces and pauses, on a clock that the tests turn.

use super::*;
use proptest::prelude::*;

fn endpoint() -> Endpoint {
    Endpoint { url: "http://x".to_owned(), model: "m".to_owned(), key: None }
}

fn most(concurrency: u32) -> Allowed {
    Allowed { concurrency, requests_per_minute: None, tokens_per_minute: None }
}

#[tokio::test(start_paused = true)]
async fn it_starts_small_doubles_per_round_and_stays_below_the_cap() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    let mut windows = Vec::new();
    for _ in 0..5 {
        let window = limiter.gate(&endpoint, most(50)).lock().window;
        windows.push(window);
        let mut round = Vec::new();
        for _ in 0..window {
            round.push(limiter.acquire(&endpoint, most(50), 0).await);
        }
        // No more than the window is under way.
        let more = limiter.acquire(&endpoint, most(50), 0);
        assert!(tokio::time::timeout(Duration::from_secs(1), more).await.is_err());
        for permit in round {
            permit.succeeded();
        }
    }
    assert_eq!(windows, [8, 16, 32, 50, 50]);
}

#[tokio::test(start_paused = true)]
async fn being_too_busy_halves_once_per_round_and_then_it_grows_by_one() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    let mut round = Vec::new();
    for _ in 0..8 {
        round.push(limiter.acquire(&endpoint, most(100), 0).await);
    }
    tokio::time::advance(Duration::from_millis(1)).await;
    for permit in &round {
        permit.too_busy();
    }
    assert_eq!(limiter.load(&endpoint), Load { window: 4, under_way: 8 });
    drop(round);
    tokio::time::advance(Duration::from_millis(1)).await;
    let mut next = Vec::new();
    for _ in 0..4 {
        next.push(limiter.acquire(&endpoint, most(100), 0).await);
    }
    let fifth = limiter.acquire(&endpoint, most(100), 0);
    assert!(tokio::time::timeout(Duration::from_secs(1), fifth).await.is_err(), "the places were not taken away");
    for permit in next {
        permit.succeeded();
    }
    assert_eq!(limiter.load(&endpoint), Load { window: 5, under_way: 0 });
}

#[tokio::test(start_paused = true)]
async fn a_window_never_closes() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    for _ in 0..20 {
        let permit = limiter.acquire(&endpoint, most(3), 0).await;
        tokio::time::advance(Duration::from_millis(1)).await;
        permit.too_busy();
    }
    assert_eq!(limiter.load(&endpoint), Load { window: 1, under_way: 0 });
}

#[tokio::test(start_paused = true)]
async fn a_pace_is_kept_and_a_pause_holds_everyone() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    let allowed = Allowed { concurrency: 100, requests_per_minute: Some(60), tokens_per_minute: None };
    let start = Instant::now();
    for _ in 0..10 {
        drop(limiter.acquire(&endpoint, allowed, 0).await);
    }
    // One per second, the first two at once.
    assert_eq!(start.elapsed().as_secs(), 8);
    limiter.acquire(&endpoint, allowed, 0).await.pause(Duration::from_secs(30));
    let start = Instant::now();
    drop(limiter.acquire(&endpoint, allowed, 0).await);
    assert!(start.elapsed() >= Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn tokens_are_counted_ahead_and_corrected() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    let allowed = Allowed { concurrency: 100, requests_per_minute: None, tokens_per_minute: Some(6_000) };
    let start = Instant::now();
    let mut first = limiter.acquire(&endpoint, allowed, 1_000).await;
    first.used(300);
    drop(first);
    drop(limiter.acquire(&endpoint, allowed, 100).await);
    // 300 tokens at 100 per second, less the second that may go out at once.
    assert_eq!(start.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_waiting_leaves_no_place_behind() {
    let (limiter, endpoint) = (Limiter::new(), endpoint());
    let held = limiter.acquire(&endpoint, most(1), 0).await;
    let waiting = limiter.acquire(&endpoint, most(1), 0);
    assert!(tokio::time::timeout(Duration::from_secs(1), waiting).await.is_err());
    drop(held);
    let again = limiter.acquire(&endpoint, most(1), 0);
    assert!(tokio::time::timeout(Duration::from_secs(1), again).await.is_ok());
}

/// What may happen to an endpoint.
#[derive(Debug, Clone, Copy)]
enum Event {
    Ask,
    Answered(usize),
    TooBusy(usize),
    GivenUp(usize),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::Ask),
        2 => (0_usize..40).prop_map(Event::Answered),
        1 => (0_usize..40).prop_map(Event::TooBusy),
        1 => (0_usize..40).prop_map(Event::GivenUp),
    ]
}

proptest! {
    /// Whatever happened, in the end exactly the window's places are free, and never were more under way than allowed.
    #[test]
    fn places_are_neither_lost_nor_made(allowed in 1_u32..40, events in proptest::collection::vec(event(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (limiter, endpoint) = (Limiter::new(), endpoint());
            let soon = Duration::from_millis(1);
            let mut held: Vec<Permit> = Vec::new();
            for event in events {
                match event {
                    Event::Ask => {
                        let asked = limiter.acquire(&endpoint, most(allowed), 0);
                        held.extend(tokio::time::timeout(soon, asked).await);
                    }
                    Event::Answered(n) if n < held.len() => held.swap_remove(n).succeeded(),
                    Event::TooBusy(n) if n < held.len() => {
                        tokio::time::advance(soon).await;
                        held[n].too_busy();
                    }
                    Event::GivenUp(n) if n < held.len() => drop(held.swap_remove(n)),
                    _ => {}
                }
                prop_assert!(held.len() <= allowed as usize);
                prop_assert!((1..=allowed).contains(&limiter.gate(&endpoint, most(allowed)).lock().window));
            }
            held.clear();
            let window = limiter.gate(&endpoint, most(allowed)).lock().window as usize;
            while let Ok(permit) = tokio::time::timeout(soon, limiter.acquire(&endpoint, most(allowed), 0)).await {
                held.push(permit);
                prop_assert!(held.len() <= window);
            }
            prop_assert_eq!(held.len(), window);
            Ok(())
        })?;
    }
}
