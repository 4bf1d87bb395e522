//! So many units per minute, spread evenly: each taker gets the next free moment.
//!
//! A bucket that leaks (the generic cell rate algorithm): it keeps only the moment at which all that was taken is paid off.
//! A second's worth may go out at once.

use std::time::Duration;
use tokio::time::Instant;

/// What may go out at once is what this long brings.
const BURST: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Pace {
    /// Units per second.
    rate: f64,
    /// When all that was taken is paid off.
    paid: Instant,
}

impl Pace {
    /// `per_minute` is above 0.
    pub(super) fn new(per_minute: u64, now: Instant) -> Pace {
        #[expect(clippy::cast_precision_loss, reason = "a rate; 53 bits are far more than it is exact to")]
        let rate = (per_minute.max(1) as f64) / 60.0;
        Pace { rate, paid: now }
    }

    /// Takes units; the moment from which they may be used.
    pub(super) fn take(&mut self, units: u64, now: Instant) -> Instant {
        let start = self.paid.max(now);
        self.paid = start + self.time(units);
        start.checked_sub(BURST).map_or(now, |early| early.max(now))
    }

    /// What was taken as `counted` units was `used` ones.
    pub(super) fn correct(&mut self, counted: u64, used: u64) {
        if used >= counted {
            self.paid += self.time(used - counted);
        } else if let Some(earlier) = self.paid.checked_sub(self.time(counted - used)) {
            self.paid = earlier;
        }
    }

    /// How long units take; at most a day, so that one absurd count cannot stop everything.
    fn time(&self, units: u64) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "a count of tokens; 53 bits are exact enough")]
        let seconds = units as f64 / self.rate;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).min(Duration::from_hours(24))
    }
}
