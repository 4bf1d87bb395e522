//! What commands print and write: standard output, standard error, and `-o FILE` (with `-` for standard output).
//!
//! A reader that goes away (`rubric catalog | head`) is no mistake: [`print()`] ends quietly, and a stream of results that
//! nobody reads any more ends the command with [`Closed`], which [`super::main`] does not report. Files are written beside
//! their place and then renamed, so that a full disk or a crash leaves the old file as it was.

use crate::run::columns::{self, FromLines};
use crate::source::in_words;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Whoever read the output has gone. Ends a command without a word.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("nobody reads the output any more")]
pub(crate) struct Closed;

#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("`{}` could not be written: {}", path.display(), in_words(error))]
#[diagnostic(help("check that the folder exists, that you may write there and that the disk is not full"))]
struct WriteError {
    path: PathBuf,
    error: io::Error,
}

/// Prints to standard output; a reader that has gone is ignored.
///
/// # Errors
/// Where standard output cannot be written for another reason (a full disk).
pub(crate) fn print(text: &str) -> miette::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(failed(None, error)),
        Ok(()) => Ok(()),
    }
}

/// Prints a line to standard error. That it cannot be read there keeps no command from its work.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a whole text to `to`: a file, replaced in one step, or standard output (`None` or `-`).
///
/// # Errors
/// Where the file cannot be written; the old one is then still there.
pub(crate) fn write(to: Option<&Path>, text: &str) -> miette::Result<()> {
    match file(to) {
        None => print(text),
        Some(path) => replace(path, text.as_bytes()).map_err(|error| failed(Some(path), error)),
    }
}

/// A buffered stream to `to` (a file, or standard output for `None` and `-`), for what is written line by line.
/// Turn its errors into reports with [`failed`].
///
/// # Errors
/// Where the file cannot be made.
pub(crate) fn stream(to: Option<&Path>) -> miette::Result<Box<dyn Write>> {
    Ok(match file(to) {
        None => Box::new(BufWriter::new(io::stdout())),
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(|error| failed(Some(path), error))?)),
    })
}

/// The report of an error while writing to `to`; [`Closed`] where a reader has gone.
pub(crate) fn failed(to: Option<&Path>, error: io::Error) -> miette::Report {
    if error.kind() == ErrorKind::BrokenPipe {
        return Closed.into();
    }
    let path = file(to).unwrap_or(Path::new("standard output")).to_owned();
    WriteError { path, error }.into()
}

/// Whether `-o` names standard output.
pub(crate) fn is_stdout(to: Option<&Path>) -> bool {
    file(to).is_none()
}

/// Whether diagnostics on standard output may be coloured: where the environment asks for it, else on a terminal.
pub(crate) fn colours() -> bool {
    asked_for_colours().unwrap_or_else(|| io::stdout().is_terminal())
}

/// The same for standard error.
pub(crate) fn colours_on_stderr() -> bool {
    asked_for_colours().unwrap_or_else(|| io::stderr().is_terminal())
}

/// The same for what clap writes: help to standard output, mistakes to standard error.
///
/// Left to itself it would have a rule of its own (it colours a `dumb` terminal where `CI` is set), and so would miette.
pub(crate) fn colours_of_clap() -> clap::ColorChoice {
    match asked_for_colours() {
        Some(true) => clap::ColorChoice::Always,
        Some(false) => clap::ColorChoice::Never,
        None if io::stdout().is_terminal() && io::stderr().is_terminal() => clap::ColorChoice::Always,
        // One of the two is no terminal: clap looks at that which it writes to.
        None => clap::ColorChoice::Auto,
    }
}

/// Has reports of errors follow the same rule.
pub(crate) fn set_up_reports() {
    // That it is set already could only be by another call of this.
    let _ =
        miette::set_hook(Box::new(|_| Box::new(miette::MietteHandlerOpts::new().color(colours_on_stderr()).build())));
}

/// The columns to write in: those of the terminal, else 100, and never more than 120, which is hard to read.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(40, 120)
}

/// What the environment says of colours: `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE` and `CLICOLOR` (bixense.com/clicolors),
/// then a `TERM` that has none.
fn asked_for_colours() -> Option<bool> {
    if anstyle_query::no_color() {
        Some(false)
    } else if anstyle_query::clicolor_force() {
        Some(true)
    } else if anstyle_query::clicolor() == Some(false) || !anstyle_query::term_supports_color() {
        Some(false)
    } else {
        None
    }
}

fn file(to: Option<&Path>) -> Option<&Path> {
    to.filter(|path| *path != Path::new("-"))
}

/// Replaces a file in one step: the new one is written beside it, then renamed. It keeps the old one's permissions and, if
/// the path is a symbolic link, replaces what it points to. What is no plain file (`/dev/stdout`) is written to directly.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = Replacing::begin(path)?;
    new.write_all(bytes)?;
    new.finish()
}

/// A file on its way into its place; dropped before it is finished, the old one stays.
pub(crate) enum Replacing {
    Beside { new: tempfile::NamedTempFile, target: PathBuf, old: Option<Permissions> },
    Directly(File),
}

impl Replacing {
    fn begin(path: &Path) -> io::Result<Replacing> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let old = target.metadata().ok();
        if old.as_ref().is_some_and(|m| !m.is_file()) {
            return Ok(Replacing::Directly(File::options().write(true).open(&target)?));
        }
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rubric-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Less the user's mask, as for any new file.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let new = builder.tempfile_in(folder)?;
        let old = old.map(|old| old.permissions());
        Ok(Replacing::Beside { new, target, old })
    }

    fn finish(self) -> io::Result<()> {
        let Replacing::Beside { new, target, old } = self else { return Ok(()) };
        new.as_file().sync_all()?;
        if let Some(old) = old {
            new.as_file().set_permissions(old)?;
        }
        new.persist(&target).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for Replacing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Replacing::Beside { new, .. } => new.write(bytes),
            Replacing::Directly(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Replacing::Beside { new, .. } => new.flush(),
            Replacing::Directly(file) => file.flush(),
        }
    }
}

/// Where results go, line by line.
pub(crate) enum ResultsOut {
    Lines(Box<dyn Write>),
    /// Parquet, which is there once it is finished, and until then leaves the old file as it was.
    Columns(Box<FromLines<Replacing>>),
}

/// A stream of results to `to`: lines of JSON, or Parquet where the name ends in `.parquet`.
///
/// # Errors
/// Where the file cannot be made, or Parquet cannot be written.
pub(crate) fn results(to: Option<&Path>) -> miette::Result<ResultsOut> {
    match file(to).filter(|path| columns::is_named(path)) {
        None => Ok(ResultsOut::Lines(stream(to)?)),
        Some(path) => {
            let new = Replacing::begin(path).and_then(FromLines::new).map_err(|error| failed(Some(path), error))?;
            Ok(ResultsOut::Columns(Box::new(new)))
        }
    }
}

impl ResultsOut {
    /// Ends it: everything is written after this.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            ResultsOut::Lines(mut out) => out.flush(),
            ResultsOut::Columns(out) => out.finish()?.finish(),
        }
    }
}

impl Write for ResultsOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ResultsOut::Lines(out) => out.write(bytes),
            ResultsOut::Columns(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            ResultsOut::Lines(out) => out.flush(),
            ResultsOut::Columns(out) => out.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left_in_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        write(Some(&path), "one").unwrap();
        write(Some(&path), "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_symbolic_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_folder_that_is_missing_is_said_in_words() {
        let error = write(Some(Path::new("/no/such/folder/a.json")), "x").unwrap_err();
        assert!(error.to_string().contains("/no/such/folder/a.json"), "{error}");
    }

    #[test]
    fn a_reader_that_has_gone_is_not_reported() {
        let closed = failed(None, io::Error::from(ErrorKind::BrokenPipe));
        assert!(closed.downcast_ref::<Closed>().is_some());
        let full = failed(None, io::Error::from(ErrorKind::StorageFull));
        assert!(full.downcast_ref::<Closed>().is_none());
    }
}
