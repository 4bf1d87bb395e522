//! Progress on a terminal's standard error, once a run takes longer than a second.

use crate::judge::schedule::Judging;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Larger files are not counted before they are read.
const LARGEST: u64 = 4 << 30;

pub(crate) struct Progress {
    began: Instant,
    bar: Option<indicatif::ProgressBar>,
    done: u64,
    /// Records, as near as lines of the file tell.
    total: Option<u64>,
    shown: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { began: Instant::now(), bar: None, done: 0, total: None, shown: io::stderr().is_terminal() }
    }

    /// Counts the records of a file, so that it can be said how long the run will take. `parts`: only one of so many is run; `runs`: so often.
    pub(crate) fn count(&mut self, data: &Path, parts: u64, runs: u64) {
        let small = std::fs::metadata(data).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        if self.shown && small && self.total.is_none() {
            self.total = lines(data).map(|lines| lines.div_ceil(parts) * runs);
        }
    }

    pub(crate) fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        } else if self.done.is_multiple_of(64) {
            self.begin("{spinner} {human_pos} records, {per_sec}, {elapsed}");
        }
    }

    /// Shows how a run that asks is doing.
    pub(crate) fn tick(&mut self, judging: Option<&Judging>) {
        self.begin("{spinner} {msg}");
        if let (Some(bar), Some(judging)) = (&self.bar, judging) {
            bar.set_message(self.text(judging));
        }
    }

    fn text(&self, judging: &Judging) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        let of = self.total.map_or(String::new(), |total| format!(" of {total}"));
        let (calls, cost) = judging.budget.total();
        let found = judging.counts.found.load(Ordering::Relaxed);
        let under_way = judging.counts.under_way.load(Ordering::Relaxed);
        let mut text = format!("{}{of} records; {calls} calls ({under_way} under way), ", self.done);
        text += &format!("{:.1} a second; {found} from the store", calls as f64 / seconds.max(0.001));
        if !cost.is_zero() {
            text += &format!("; cost {}", super::judging::money(&cost));
        }
        if let Some(total) = self.total.filter(|total| self.done > 0 && *total > self.done) {
            let left = seconds / self.done as f64 * (total - self.done) as f64;
            text += &format!("; about {} left", time(left));
        }
        text
    }

    fn begin(&mut self, template: &str) {
        if self.bar.is_none() && self.shown && self.began.elapsed() > Duration::from_secs(1) {
            let bar = indicatif::ProgressBar::new_spinner();
            let style = indicatif::ProgressStyle::with_template(template);
            bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        90.0..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

fn lines(path: &Path) -> Option<u64> {
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(path).ok()?);
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let chunk = reader.fill_buf().ok()?;
        let Some(end) = chunk.last() else { break };
        last = *end;
        lines += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        let n = chunk.len();
        reader.consume(n);
    }
    Some(lines + u64::from(last != b'\n'))
}
