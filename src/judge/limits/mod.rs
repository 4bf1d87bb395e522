//! How hard each server is asked: never more at once than it bears, never faster than it allows.
//!
//! Per endpoint ([`Limiter::acquire`] makes them as they are met) three things are kept:
//! - a *window*, how many requests may be under way: it starts small, doubles with every round of successes until the server
//!   first says that it is too busy, then grows by one per round, and halves each time it says so again (additive increase,
//!   multiplicative decrease). It never exceeds the configured concurrency. Who waits is served in order.
//! - a *pace*, for configured requests and tokens per minute ([`pace`]).
//! - a *pause*, until a moment that the server named; nothing goes out before.
//!
//! It counts and waits; it sends nothing and knows no dialect. Its state lives as long as the process.

mod pace;

use foldhash::HashMap;
use pace::Pace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// So many requests may be under way before the server has answered one: a sixteenth of what is allowed, within these.
const START: std::ops::RangeInclusive<u32> = 8..=64;
/// The smallest window.
const LEAST: u32 = 1;

/// What one endpoint is asked by: servers count per model and key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    pub url: String,
    pub model: String,
    /// The name of the variable that holds the key.
    pub key: Option<String>,
}

/// What configuration allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// Most requests at once.
    pub concurrency: u32,
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u64>,
}

/// All endpoints of a process.
#[derive(Debug, Default)]
pub struct Limiter {
    gates: Mutex<HashMap<Endpoint, Arc<Gate>>>,
}

/// How an endpoint is doing, for progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// How many requests may be under way.
    pub window: u32,
    /// How many are.
    pub under_way: u32,
}

#[derive(Debug)]
struct Gate {
    /// One permit per request that may be under way and is not.
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    window: u32,
    most: u32,
    under_way: u32,
    /// Whether the server has never said that it is too busy.
    ramping: bool,
    /// Successes since the window last grew by one.
    credit: u32,
    /// Places to take away once they are given back.
    owed: u32,
    /// Requests sent before this have nothing more to say about the window: it was halved after they were sent.
    halved: Instant,
    /// Nothing is sent before this.
    paused: Instant,
    requests: Option<Pace>,
    tokens: Option<Pace>,
}

/// The right to have one request under way; given back when it is dropped.
#[derive(Debug)]
pub struct Permit {
    gate: Arc<Gate>,
    place: Option<OwnedSemaphorePermit>,
    sent: Instant,
    /// Tokens that were counted ahead.
    tokens: u64,
}

impl Limiter {
    #[must_use]
    pub fn new() -> Limiter {
        Limiter::default()
    }

    /// Waits until one more request may go out, of about so many tokens.
    pub async fn acquire(&self, endpoint: &Endpoint, allowed: Allowed, tokens: u64) -> Permit {
        let gate = self.gate(endpoint, allowed);
        // The semaphore is never closed; were it, nothing would be counted and the request goes out all the same.
        let place = Arc::clone(&gate.places).acquire_owned().await.ok();
        let mut permit = Permit { gate, place, sent: Instant::now(), tokens };
        permit.gate.lock().under_way += 1;
        let at = permit.gate.lock().slot(Instant::now(), tokens);
        permit.until(at).await;
        permit
    }

    /// How an endpoint is doing.
    #[must_use]
    pub fn load(&self, endpoint: &Endpoint) -> Load {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.get(endpoint).map_or_else(Load::default, |gate| {
            let state = gate.lock();
            Load { window: state.window, under_way: state.under_way }
        })
    }

    fn gate(&self, endpoint: &Endpoint, allowed: Allowed) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(endpoint) {
            return Arc::clone(gate);
        }
        let gate = Arc::new(Gate::new(allowed));
        gates.insert(endpoint.clone(), Arc::clone(&gate));
        gate
    }
}

impl Permit {
    /// The server took the request.
    pub fn succeeded(&self) {
        let grown = self.gate.lock().grow();
        if grown > 0 {
            self.gate.places.add_permits(grown as usize);
        }
    }

    /// The server said that it is too busy: the window is halved, once for all requests that were under way.
    pub fn too_busy(&self) {
        let mut state = self.gate.lock();
        if self.sent < state.halved {
            return;
        }
        state.halved = Instant::now();
        state.ramping = false;
        state.credit = 0;
        let window = (state.window / 2).max(LEAST);
        let fewer = state.window - window;
        state.window = window;
        // Those that are free are taken now, the others as they are given back.
        let taken = u32::try_from(self.gate.places.forget_permits(fewer as usize)).unwrap_or(fewer);
        state.owed += fewer - taken;
    }

    /// Nothing more is sent to this endpoint for so long.
    pub fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut state = self.gate.lock();
        state.paused = state.paused.max(until);
    }

    /// Waits so long, and for whatever else holds the endpoint, before the same request is sent again.
    pub async fn again(&mut self, wait: Duration) {
        let at = {
            let now = Instant::now();
            self.gate.lock().slot(now, self.tokens).max(now + wait)
        };
        self.until(at).await;
    }

    /// Corrects the tokens that were counted ahead by those that were used.
    pub fn used(&mut self, tokens: u64) {
        let mut state = self.gate.lock();
        if let Some(pace) = &mut state.tokens {
            pace.correct(self.tokens, tokens);
        }
        self.tokens = tokens;
    }

    async fn until(&mut self, mut at: Instant) {
        loop {
            at = at.max(self.gate.lock().paused);
            if at <= Instant::now() {
                break;
            }
            tokio::time::sleep_until(at).await;
        }
        self.sent = Instant::now();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.under_way = state.under_way.saturating_sub(1);
        if state.owed > 0 {
            state.owed -= 1;
            if let Some(place) = self.place.take() {
                place.forget();
            }
        }
    }
}

impl Gate {
    fn new(allowed: Allowed) -> Gate {
        let most = allowed.concurrency.max(LEAST);
        let window = (most / 16).clamp(*START.start(), *START.end()).min(most);
        let now = Instant::now();
        Gate {
            places: Arc::new(Semaphore::new(window as usize)),
            state: Mutex::new(State {
                window,
                most,
                under_way: 0,
                ramping: true,
                credit: 0,
                owed: 0,
                halved: now,
                paused: now,
                requests: allowed.requests_per_minute.map(|n| Pace::new(n.into(), now)),
                tokens: allowed.tokens_per_minute.map(|n| Pace::new(n, now)),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What is kept is valid after every statement, so a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// When a request of so many tokens may go out by the paces.
    fn slot(&mut self, now: Instant, tokens: u64) -> Instant {
        let requests = self.requests.as_mut().map_or(now, |pace| pace.take(1, now));
        let tokens = self.tokens.as_mut().map_or(now, |pace| pace.take(tokens, now));
        requests.max(tokens)
    }

    /// One more success; how many places there are more.
    fn grow(&mut self) -> u32 {
        if self.window >= self.most {
            return 0;
        }
        self.credit += 1;
        if !self.ramping && self.credit < self.window {
            return 0;
        }
        self.credit = 0;
        self.window += 1;
        if self.owed > 0 {
            self.owed -= 1;
            return 0;
        }
        1
    }
}

#[cfg(test)]
mod tests;
