//! Ctrl-C while a model is asked: what is under way is paid for, so it is waited for and stored; nothing more goes out.

use super::Author;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// How long calls that are under way are waited for once somebody stopped it.
const GRACE: Duration = Duration::from_secs(30);
/// How often `tick` is called.
const TICK: Duration = Duration::from_millis(250);

/// Whoever watches the work.
pub trait Watch {
    /// Some time has gone by.
    fn tick(&mut self) {}

    /// Somebody stopped it; so many calls are under way and are waited for.
    fn stopping(&mut self, _under_way: u64) {}
}

/// Does `work`, which asks `author`, and listens for Ctrl-C meanwhile. The first lets no further call go out, so that asks end
/// with [`super::Unsaid::Stopped`], and `work` with what it makes of that; the second, and half a minute, end it at once.
/// `None`: it was ended. Whether somebody stopped it, [`crate::judge::schedule::Judging::is_stopped`] says.
pub async fn watched<T>(author: &Author, work: impl Future<Output = T>, watch: &mut impl Watch) -> Option<T> {
    let (interrupted, mut interrupts) = tokio::sync::mpsc::unbounded_channel();
    let listener = tokio::spawn(async move {
        // One task listens all the time, so that none is lost while the loop is busy.
        while tokio::signal::ctrl_c().await.is_ok() && interrupted.send(()).is_ok() {}
    });
    let mut tick = tokio::time::interval(TICK);
    let mut until: Option<Instant> = None;
    tokio::pin!(work);
    let done = loop {
        let deadline = until.unwrap_or_else(Instant::now);
        tokio::select! {
            done = &mut work => break Some(done),
            Some(()) = interrupts.recv() => {
                if until.is_some() {
                    break None;
                }
                until = Some(Instant::now() + GRACE);
                watch.stopping(author.judging().counts.under_way.load(Ordering::Relaxed));
                author.judging().stop();
            }
            () = tokio::time::sleep_until(deadline), if until.is_some() => break None,
            _ = tick.tick() => watch.tick(),
        }
    };
    listener.abort();
    done
}
