//! What is open and what is at work: questions without an answer, versions of texts, and what the analysis does right now.
//!
//! Main loop, worker and verdicts share it. It makes three things possible. An answer is sent once: by whoever takes the
//! question off the list first, the worker or the main loop for a cancelled one. An analysis that has died or does not come to
//! an end can be replaced: each has a number, and one whose number is no longer the present one is not listened to. And the
//! text over which that happened is set aside until it changes, or its next check would end the same way.

use lsp_server::RequestId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The version of each open text that was received last.
    latest: HashMap<String, i32>,
    /// Questions without an answer.
    waiting: HashSet<RequestId>,
    /// The number of the present analysis.
    number: u64,
    /// Jobs that the main loop has handed over and that are not done.
    jobs: usize,
    /// Since when the analysis has been at its job.
    since: Option<Instant>,
    /// The text that is being checked.
    checked: Option<(String, i32)>,
    /// Texts over which an analysis ended, until they change.
    aside: HashMap<String, i32>,
    /// Analyses that were replaced one after the other without one job done.
    in_vain: u32,
}

/// What an analysis that was given up has left behind.
pub(super) struct Left {
    /// Questions that it did not answer.
    pub waiting: Vec<RequestId>,
    /// The text that it was checking.
    pub checked: Option<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- texts -------------------------------------------------------------------------------------------------------

    pub fn opened(&self, uri: &str, version: i32) {
        self.state().latest.insert(uri.to_owned(), version);
    }

    pub fn closed(&self, uri: &str) {
        let mut state = self.state();
        state.latest.remove(uri);
        state.aside.remove(uri);
    }

    /// Whether a text has gone on since this version.
    pub fn is_stale(&self, uri: &str, version: i32) -> bool {
        self.state().latest.get(uri).is_none_or(|latest| *latest != version)
    }

    // ---- questions ---------------------------------------------------------------------------------------------------

    pub fn asked(&self, id: &RequestId) {
        self.state().waiting.insert(id.clone());
    }

    /// Whether nobody has answered it yet.
    pub fn is_waiting(&self, id: &RequestId) -> bool {
        self.state().waiting.contains(id)
    }

    /// Takes a question off the list; whether it is the caller's to answer.
    pub fn take(&self, id: &RequestId) -> bool {
        self.state().waiting.remove(id)
    }

    // ---- the analysis ------------------------------------------------------------------------------------------------

    /// The number of the present analysis.
    pub fn number(&self) -> u64 {
        self.state().number
    }

    pub fn handed_over(&self) {
        self.state().jobs += 1;
    }

    /// An analysis turns to a job; `false` where it has been replaced.
    pub fn begin(&self, number: u64) -> bool {
        let mut state = self.state();
        if state.number != number {
            return false;
        }
        (state.since, state.checked) = (Some(Instant::now()), None);
        true
    }

    /// A text is to be checked; `false` where that has ended an analysis before.
    pub fn checks(&self, uri: &str, version: i32) -> bool {
        let mut state = self.state();
        state.checked = Some((uri.to_owned(), version));
        state.aside.get(uri) != Some(&version)
    }

    /// A job is done; `counted` where the main loop had handed it over.
    pub fn end(&self, number: u64, counted: bool) {
        let mut state = self.state();
        if state.number == number {
            (state.since, state.checked, state.in_vain) = (None, None, 0);
            state.jobs = state.jobs.saturating_sub(usize::from(counted));
        }
    }

    /// Whether something is to be done or being done.
    pub fn is_busy(&self) -> bool {
        let state = self.state();
        state.jobs > 0 || state.since.is_some()
    }

    /// Whether the job at hand has taken longer than this.
    pub fn is_overdue(&self, patience: Duration) -> bool {
        self.state().since.is_some_and(|since| since.elapsed() > patience)
    }

    /// Gives the present analysis up. `None` where that has been in vain `most` times in a row.
    pub fn give_up(&self, most: u32) -> Option<Left> {
        let mut state = self.state();
        state.number += 1;
        state.in_vain += 1;
        (state.jobs, state.since) = (0, None);
        let checked = state.checked.take();
        if let Some((uri, version)) = &checked {
            state.aside.insert(uri.clone(), *version);
        }
        if state.in_vain > most {
            return None;
        }
        Some(Left { waiting: state.waiting.drain().collect(), checked: checked.map(|(uri, _)| uri) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_once() {
        let shared = Shared::default();
        shared.asked(&1.into());
        assert!(shared.is_waiting(&1.into()) && shared.take(&1.into()));
        assert!(!shared.is_waiting(&1.into()) && !shared.take(&1.into()));
    }

    #[test]
    fn one_that_was_given_up_is_not_listened_to_and_its_text_is_set_aside() {
        let shared = Shared::default();
        shared.handed_over();
        shared.asked(&7.into());
        assert!(shared.is_busy() && shared.begin(0) && shared.checks("a", 3));
        assert!(shared.is_overdue(Duration::ZERO) && !shared.is_overdue(Duration::from_secs(1_000)));
        let left = shared.give_up(5).unwrap();
        assert_eq!((left.waiting.as_slice(), left.checked.as_deref()), (&[7.into()][..], Some("a")));
        assert!(!shared.is_busy() && !shared.begin(0) && !shared.is_waiting(&7.into()));
        assert!(shared.begin(1) && !shared.checks("a", 3) && shared.checks("a", 4) && shared.checks("b", 3));
        // What the first one ends is no job of the second.
        shared.handed_over();
        shared.end(0, true);
        assert!(shared.is_busy());
        shared.end(1, true);
        assert!(!shared.is_busy());
    }

    #[test]
    fn replacing_in_vain_comes_to_an_end() {
        let shared = Shared::default();
        assert!((0..3).all(|_| shared.give_up(3).is_some()));
        assert!(shared.give_up(3).is_none());
        // A job done, and there is hope again.
        shared.end(shared.number(), false);
        assert!(shared.give_up(3).is_some());
    }
}
