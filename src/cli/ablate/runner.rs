//! Runs programs over records and hands each record over as it is done; asks models where something is not recorded.

use super::super::run::judging::Opener;
use super::super::run::progress::Progress;
use super::super::{CommandResult, STOPPED, output};
use super::Args;
use crate::judge::schedule::{self, Ended, Host, Judges};
use crate::run::driver::{Done, Driver};
use crate::run::engine::Engine;
use crate::run::{Leaf, MissingReason};
use miette::miette;
use std::process::ExitCode;

/// What takes a record that is done.
type Take<'t> = &'t mut dyn FnMut(&Done) -> miette::Result<()>;

/// What the runs of one command have in common.
pub(super) struct Runner<'a> {
    args: &'a Args,
    opener: Opener<'a>,
    progress: Progress,
    /// One for both programs, because connections to servers live in it.
    runtime: Option<tokio::runtime::Runtime>,
    /// Judgments that nobody recorded.
    not_recorded: u64,
}

struct Running<'r, 'a, 't> {
    runner: &'r mut Runner<'a>,
    take: Take<'t>,
}

impl<'a> Runner<'a> {
    pub(super) fn new(args: &'a Args) -> Runner<'a> {
        let opener = Opener::new(&args.asking, Some(&args.limits), &args.file, &args.data);
        Runner { args, opener, progress: Progress::new(), runtime: None, not_recorded: 0 }
    }

    /// Runs over all records; `None`: somebody stopped it.
    ///
    /// # Errors
    /// Where records cannot be read, answers cannot be kept, nobody can be asked, or a record is not taken.
    pub(super) fn run(&mut self, mut driver: Driver, take: Take<'_>) -> miette::Result<Option<Driver>> {
        let asks = !self.opener.is_recorded() && driver.programs().all().any(|engine| schedule::asks(engine));
        if !asks {
            loop {
                match driver.next_record() {
                    Ok(Some(done)) => self.taken(&done, take)?,
                    Ok(None) => return Ok(Some(driver)),
                    Err(error) => return Err(self.unreadable(&error)),
                }
            }
        }
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(|error| miette!("no calls can be made: {error}"))?,
        };
        self.progress.count(&self.args.data, 1, 1);
        let ran = runtime.block_on(schedule::run(driver, &mut Running { runner: self, take }));
        self.runtime = Some(runtime);
        let (ended, driver) = ran?;
        self.progress.end();
        match ended {
            Ended::Whole => Ok(driver),
            Ended::Stopped => Ok(None),
            Ended::Unreadable(error) => Err(self.unreadable(&error)),
            Ended::Store(error) => Err(error.into()),
        }
    }

    fn taken(&mut self, done: &Done, take: Take<'_>) -> miette::Result<()> {
        if let Ok(finished) = &done.outcome {
            let leaves = finished.judged.lists().flatten().map(|judged| &judged.leaf);
            let lacking = leaves.filter(|leaf| match leaf {
                Leaf::Missing(missing) => missing.reason == MissingReason::NotRecorded,
                _ => false,
            });
            self.not_recorded += lacking.count() as u64;
        }
        take(done)?;
        self.progress.step();
        Ok(())
    }

    fn unreadable(&self, error: &std::io::Error) -> miette::Report {
        miette!("the records `{}` cannot be read any further: {error}", self.args.data.display())
    }

    /// Says what was asked. On standard error, since figures may be read by a program.
    pub(super) fn end(&self) {
        let spent = self.opener.text();
        if !spent.is_empty() {
            output::note(spent.trim());
        }
        self.opener.tell_nobody(self.not_recorded);
        self.opener.tell_models();
    }

    /// Says that it was stopped.
    pub(super) fn stopped(self) -> CommandResult {
        self.end();
        output::note(
            "stopped: nothing is measured; what was answered is kept, and the same command goes on from there",
        );
        Ok(ExitCode::from(STOPPED))
    }
}

impl Host<miette::Report> for Running<'_, '_, '_> {
    fn judging(&mut self, engine: &Engine) -> miette::Result<Option<Judges>> {
        self.runner.opener.open(engine)
    }

    fn done(&mut self, done: Done) -> miette::Result<()> {
        self.runner.taken(&done, self.take)
    }

    fn tick(&mut self) {
        self.runner.progress.tick(self.runner.opener.opened().map(|judging| &**judging));
    }

    fn stopping(&mut self, under_way: u64) {
        self.runner.progress.end();
        output::note(&format!("stopping; {under_way} calls that are under way are waited for (Ctrl-C again: at once)"));
    }
}
