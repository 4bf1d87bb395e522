//! The file that answers go to: one line each, whole and on the disk before the next question is shown.

use crate::cli::output;
use crate::evaluate::annotation::{Session, Whose, read_line};
use crate::run::record::json;
use crate::run::record::lines::Lines;
use miette::miette;
use serde_json::Value as Json;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A judgments file that is written to.
pub(super) struct Answers {
    path: PathBuf,
    file: File,
}

impl Answers {
    /// Opens or makes the file, and gives the session what the annotator answered before. A last line that was cut off while
    /// it was written is taken away; the second value says so.
    pub(super) fn open(path: &Path, session: &mut Session, annotator: &str) -> miette::Result<(Answers, bool)> {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path);
        let file = file.map_err(|error| output::failed(Some(path), error))?;
        let mut lines =
            Lines::new(BufReader::new(file.try_clone().map_err(|error| output::failed(Some(path), error))?));
        let mut torn = None;
        let unreadable = |line: u64, what: &str| miette!("`{}`, line {line}: {what}", path.display());
        let mut whole = true;
        while let Some(line) = lines.next_line().map_err(|error| output::failed(Some(path), error))? {
            let text = line.text.map_err(|what| unreadable(line.number, &what))?;
            if text.trim().is_empty() {
                continue;
            }
            whole = line.complete;
            let judgment = match json::parse(text) {
                Ok(judgment) => judgment,
                Err(_) if !line.complete => {
                    torn = Some(line.offset);
                    break;
                }
                Err(what) => return Err(unreadable(line.number, &what)),
            };
            let whose = read_line(&judgment, annotator).map_err(|what| unreadable(line.number, &what))?;
            if let (Some(whose), Json::Object(map)) = (whose, &judgment) {
                session.resume(whose, map).map_err(|what| unreadable(line.number, &what))?;
            }
        }
        let mut answers = Answers { path: path.to_owned(), file };
        if let Some(offset) = torn {
            answers.file.set_len(offset).map_err(|error| output::failed(Some(path), error))?;
        } else if !whole {
            answers.append("\n")?;
        }
        Ok((answers, torn.is_some()))
    }

    /// Writes an answer; one that was given before is replaced where it stands.
    pub(super) fn write(&mut self, line: &Json, replaces: bool, annotator: &str) -> miette::Result<()> {
        if !replaces {
            return self.append(&format!("{line}\n"));
        }
        let text = std::fs::read_to_string(&self.path).map_err(|error| output::failed(Some(&self.path), error))?;
        let about = |text: &str| -> Option<Whose> { read_line(&json::parse(text).ok()?, annotator).ok().flatten() };
        let own = read_line(line, annotator).ok().flatten();
        let mut new = String::with_capacity(text.len());
        for old in text.lines() {
            if own.is_some() && about(old) == own {
                new.push_str(&line.to_string());
            } else {
                new.push_str(old);
            }
            new.push('\n');
        }
        output::replace(&self.path, new.as_bytes()).map_err(|error| output::failed(Some(&self.path), error))?;
        // The old file is another one now.
        let file = OpenOptions::new().read(true).append(true).open(&self.path);
        self.file = file.map_err(|error| output::failed(Some(&self.path), error))?;
        Ok(())
    }

    fn append(&mut self, text: &str) -> miette::Result<()> {
        let written = self
            .file
            .seek(SeekFrom::End(0))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| output::failed(Some(&self.path), error))
    }
}
