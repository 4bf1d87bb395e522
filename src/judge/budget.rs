//! What a run may spend, and what it has spent.
//!
//! A ceiling is looked at *before* each call: the most that the call can cost is set aside, and given back for what it did
//! cost. While others' reservations are open a call waits for them rather than being refused, so that near a ceiling fewer
//! go out at once and the money is used up. After the first refusal nothing more is asked. What the server counts in the end
//! may exceed the estimate of the request's tokens a little; the reply's are bounded by `max_tokens`.
//!
//! Records are served in their order: a call of a later one waits for its turn until every call of an earlier one that is ready to
//! go out has been reserved, so that what a budget buys is whole records, the same ones each time. Questions that are put again and
//! second stages stand in line too, at their record's place: before the calls of later records that are not reserved yet.
//!
//! Only what was paid in this run counts: judgments out of the store cost nothing.

use super::config::Alias;
use super::wire::{Failure, FailureKind, Rendered, Usage};
use crate::number::Number;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// The most that a run may spend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ceilings {
    pub calls: Option<u64>,
    /// In the currency of the prices in `rubric.toml`.
    pub cost: Option<Number>,
}

/// What was spent on one model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spent {
    pub calls: u64,
    pub usage: Usage,
    /// `None`: the model has no price.
    pub cost: Option<Number>,
}

/// Watches over the ceilings of a run.
#[derive(Debug, Default)]
pub struct Budget {
    ceilings: Ceilings,
    state: Mutex<State>,
    settled: Notify,
    turns: Mutex<BTreeMap<u64, Waiting>>,
}

/// A record some of whose calls have not been reserved yet.
#[derive(Debug)]
struct Waiting {
    calls: u64,
    turn: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    paid: Number,
    reserved: Number,
    open: u64,
    /// Why nothing more is asked.
    ended: Option<String>,
    /// By alias.
    spent: BTreeMap<String, Spent>,
}

/// What was set aside for one call. Dropped, it is given back: the call was not made.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a Budget,
    most: Number,
    open: bool,
}

/// The most that a request can cost; `None` where the model has no price.
#[must_use]
pub fn most(alias: &Alias, rendered: &Rendered) -> Option<Number> {
    let usage = Usage { input: rendered.tokens, output: u64::from(rendered.max_tokens), ..Usage::default() };
    alias.price.as_ref().map(|price| price.cost(&usage))
}

impl Budget {
    #[must_use]
    pub fn new(ceilings: Ceilings) -> Budget {
        Budget { ceilings, ..Budget::default() }
    }

    /// So many more calls of a record are waited for, at its place in the line: records have ascending numbers.
    pub fn line_up(&self, record: u64, calls: u64) {
        if self.has_ceiling() && calls > 0 {
            let mut turns = self.turns();
            let waiting = turns.entry(record).or_insert_with(|| Waiting { calls: 0, turn: Arc::default() });
            waiting.calls = waiting.calls.saturating_add(calls);
        }
    }

    /// So many of a record's calls need not be waited for any more.
    pub fn leave(&self, record: u64, calls: u64) {
        if !self.has_ceiling() {
            return;
        }
        let mut turns = self.turns();
        let Some(waiting) = turns.get_mut(&record) else { return };
        waiting.calls = waiting.calls.saturating_sub(calls);
        if waiting.calls == 0 {
            turns.remove(&record);
            if let Some((_, next)) = turns.first_key_value() {
                next.turn.notify_waiters();
            }
        }
    }

    /// Waits until no record before this one has calls left that are ready.
    async fn turn(&self, record: u64) {
        while let Some(turn) = self.not_yet(record) {
            turn.await;
        }
    }

    /// What to wait for before a record's turn. A call that left the line does not wait.
    fn not_yet(&self, record: u64) -> Option<OwnedNotified> {
        let turns = self.turns();
        let (first, _) = turns.first_key_value()?;
        // Made while nobody can leave, it is told of whoever leaves next.
        turns.get(&record).filter(|_| *first < record).map(|own| Arc::clone(&own.turn).notified_owned())
    }

    fn has_ceiling(&self) -> bool {
        self.ceilings.calls.is_some() || self.ceilings.cost.is_some()
    }

    fn turns(&self) -> MutexGuard<'_, BTreeMap<u64, Waiting>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the ceilings can be kept with this model.
    ///
    /// # Errors
    /// A sentence: a ceiling of costs, and a model without a price.
    pub fn check(&self, alias: &Alias) -> Result<(), String> {
        if self.ceilings.cost.is_some() && alias.price.is_none() {
            return Err(format!(
                "--max-cost cannot be kept: the model `{}` has no price; write its `price` in rubric.toml, or use --max-calls",
                alias.name
            ));
        }
        Ok(())
    }

    /// Sets aside what a call can cost, once it is its record's turn and that is certain to fit.
    ///
    /// # Errors
    /// [`FailureKind::Budget`].
    pub async fn reserve(&self, record: u64, alias: &Alias, rendered: &Rendered) -> Result<Reservation<'_>, Failure> {
        self.turn(record).await;
        let most = most(alias, rendered).unwrap_or_default();
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // From here on no settling goes unnoticed.
            settled.as_mut().enable();
            {
                let mut state = self.state();
                if let Some(why) = &state.ended {
                    return Err(Failure { kind: FailureKind::Budget, detail: why.clone(), usage: Usage::default() });
                }
                if self.ceilings.calls.is_some_and(|calls| state.calls >= calls) {
                    state.ended = Some(format!("the ceiling of {} calls is reached", state.calls));
                    continue;
                }
                let ceiling = self.ceilings.cost.as_ref();
                if ceiling.is_none_or(|ceiling| &(&state.paid + &state.reserved) + &most <= *ceiling) {
                    state.calls += 1;
                    state.open += 1;
                    state.reserved = &state.reserved + &most;
                    return Ok(Reservation { budget: self, most, open: true });
                }
                if state.open == 0 {
                    let ceiling = ceiling.cloned().unwrap_or_default();
                    state.ended = Some(format!(
                        "{} of the {ceiling} that may be spent are, and the next call may cost {}",
                        state.paid.as_judged(),
                        most.as_judged()
                    ));
                    self.settled.notify_waiters();
                    continue;
                }
            }
            settled.await;
        }
    }

    /// What was spent, by alias.
    #[must_use]
    pub fn spent(&self) -> BTreeMap<String, Spent> {
        self.state().spent.clone()
    }

    /// Calls made, and what they cost as far as prices are known.
    #[must_use]
    pub fn total(&self) -> (u64, Number) {
        let state = self.state();
        (state.calls, state.paid.clone())
    }

    /// Why nothing more is asked, if that is so.
    #[must_use]
    pub fn ended(&self) -> Option<String> {
        self.state().ended.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// The call is over, and the server counted this.
    pub fn settle(mut self, alias: &Alias, usage: &Usage) {
        self.open = false;
        let cost = alias.price.as_ref().map(|price| price.cost(usage));
        let mut state = self.budget.state();
        state.open -= 1;
        state.reserved = &state.reserved - &self.most;
        let spent = state.spent.entry(alias.name.clone()).or_default();
        spent.calls += 1;
        spent.usage.input += usage.input;
        spent.usage.cached += usage.cached;
        spent.usage.cache_written += usage.cache_written;
        spent.usage.output += usage.output;
        if let Some(cost) = cost {
            spent.cost = Some(spent.cost.as_ref().map_or_else(|| cost.clone(), |sum| sum + &cost));
            state.paid = &state.paid + &cost;
        }
        drop(state);
        self.budget.settled.notify_waiters();
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.open {
            let mut state = self.budget.state();
            state.open -= 1;
            state.calls -= 1;
            state.reserved = &state.reserved - &self.most;
            drop(state);
            self.budget.settled.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::config::Config;
    use std::path::Path;
    use std::time::Duration;

    /// 10 for a million tokens in, 20 for a million out.
    fn alias() -> Arc<Alias> {
        let text = "[models.m]\ndialect = \"openai\"\nmodel = \"m\"\nprice = { input = 10, output = 20 }";
        let config = Config::parse(Path::new("rubric.toml"), text).unwrap();
        Arc::clone(config.alias("m").unwrap())
    }

    /// At most 1000 · 10 + 500 · 20 millionths: 0.02.
    fn rendered() -> Rendered {
        Rendered {
            url: String::new(),
            headers: &[],
            body: Vec::new().into(),
            asked: Arc::new([]),
            tokens: 1000,
            max_tokens: 500,
        }
    }

    fn ceiling(calls: Option<u64>, cost: Option<&str>) -> Budget {
        Budget::new(Ceilings { calls, cost: cost.map(|cost| Number::from_decimal(cost).unwrap()) })
    }

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    async fn soon<T>(future: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(Duration::from_millis(30), future).await.ok()
    }

    #[test]
    fn what_is_not_used_is_given_back_and_the_end_is_the_end() {
        block(async {
            let (budget, alias, rendered) = (ceiling(Some(2), None), alias(), rendered());
            drop(budget.reserve(0, &alias, &rendered).await.unwrap());
            let usage = Usage { input: 900, output: 100, ..Usage::default() };
            for _ in 0..2 {
                budget.reserve(0, &alias, &rendered).await.unwrap().settle(&alias, &usage);
            }
            let failure = budget.reserve(0, &alias, &rendered).await.unwrap_err();
            assert_eq!(failure.kind, FailureKind::Budget);
            assert_eq!(budget.total(), (2, Number::from_decimal("0.022").unwrap()));
            assert_eq!(budget.spent()["m"].usage.input, 1800);
            assert!(budget.ended().is_some());
        });
    }

    #[test]
    fn near_the_ceiling_a_call_waits_for_what_others_cost_in_the_end() {
        block(async {
            let (budget, alias, rendered) = (ceiling(None, Some("0.03")), alias(), rendered());
            let first = budget.reserve(0, &alias, &rendered).await.unwrap();
            // Twice 0.02 does not fit, but the first may cost less.
            assert!(soon(budget.reserve(0, &alias, &rendered)).await.is_none());
            let (second, ()) = tokio::join!(budget.reserve(0, &alias, &rendered), async {
                first.settle(&alias, &Usage { input: 500, ..Usage::default() });
            });
            second.unwrap().settle(&alias, &Usage { input: 1000, output: 500, ..Usage::default() });
            // 0.025 are spent; another 0.02 do not fit whatever happens.
            assert_eq!(budget.reserve(0, &alias, &rendered).await.unwrap_err().kind, FailureKind::Budget);
            assert_eq!(budget.total().1, Number::from_decimal("0.025").unwrap());
        });
    }

    #[test]
    fn later_records_wait_for_the_calls_of_earlier_ones() {
        block(async {
            let (budget, alias, rendered) = (ceiling(Some(10), None), alias(), rendered());
            budget.line_up(0, 1);
            budget.line_up(1, 1);
            assert!(soon(budget.reserve(1, &alias, &rendered)).await.is_none());
            // It has another call.
            budget.line_up(0, 1);
            drop(budget.reserve(0, &alias, &rendered).await.unwrap());
            budget.leave(0, 1);
            assert!(soon(budget.reserve(1, &alias, &rendered)).await.is_none());
            let (second, ()) = tokio::join!(budget.reserve(1, &alias, &rendered), async { budget.leave(0, 1) });
            drop(second.unwrap());
            // What it asks again stands in line at its place, before those that wait.
            budget.line_up(2, 1);
            budget.line_up(0, 1);
            budget.leave(1, u64::MAX);
            assert!(soon(budget.reserve(2, &alias, &rendered)).await.is_none());
            assert!(soon(budget.reserve(0, &alias, &rendered)).await.is_some());
            assert!(soon(budget.reserve(2, &alias, &rendered)).await.is_none());
            budget.leave(0, 1);
            // One that never lined up waits for nobody.
            assert!(soon(budget.reserve(9, &alias, &rendered)).await.is_some());
            assert!(soon(budget.reserve(2, &alias, &rendered)).await.is_some());
        });
    }

    #[test]
    fn a_ceiling_of_costs_wants_prices() {
        let mut unpriced = (*alias()).clone();
        unpriced.price = None;
        assert!(ceiling(None, Some("1")).check(&unpriced).unwrap_err().contains("price"));
        assert!(ceiling(Some(1), None).check(&unpriced).is_ok());
    }
}
