//! Parquet: records, results and labels as columns; rows come out as JSON objects, and results go in as lines of JSON.
//!
//! A file is known by its first four bytes, not by its name. [`Rows`] reads any flat or nested file row by row, [`FromLines`]
//! writes results, [`ResultLines`] hands on lines of results whichever way they were written. Without the feature `parquet` the same
//! names say that this program cannot do it. `docs/cli.md` has the columns.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod cell;
#[cfg(feature = "parquet")]
mod file;
#[cfg(feature = "parquet")]
mod read;
mod result;
#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;
#[cfg(feature = "parquet")]
mod tree;
#[cfg(feature = "parquet")]
mod write;

#[cfg(not(feature = "parquet"))]
pub use absent::{FromLines, Rows};
#[cfg(feature = "parquet")]
pub use read::Rows;
#[cfg(feature = "parquet")]
pub use write::FromLines;

use super::record::lines::{Line, Lines};
use serde_json::{Map, Value as Json};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// What every Parquet file begins and ends with; with an encrypted footer it is another word.
const MAGIC: &[u8; 4] = b"PAR1";
const ENCRYPTED: &[u8; 4] = b"PARE";

/// What is said of Parquet that comes through a pipe.
pub const NO_PIPE: &str =
    "it is Parquet, whose index stands at its end, so it cannot be read from standard input; save it to a file";

/// A row: the number from 1, and its cells by column, or a sentence that says which cell cannot be read. A cell without a value
/// is null.
pub type Numbered = (u64, Result<Map<String, Json>, String>);

/// Whether a file that is to be written is named as Parquet.
#[must_use]
pub fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// Whether these are the first bytes of a Parquet file.
#[must_use]
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(ENCRYPTED)
}

/// Whether an opened file is Parquet; it is then read from its start again.
///
/// # Errors
/// Where it cannot be read. What cannot be read twice (a pipe) is left to whoever reads it once.
pub fn is_parquet(file: &mut File) -> io::Result<bool> {
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::with_capacity(4);
    Read::by_ref(file).take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(begins(&start))
}

/// The line of a row of results; another row stays as it is.
///
/// # Errors
/// A sentence, where a column holds what no line of results has.
pub fn line_of(row: Map<String, Json>) -> Result<Map<String, Json>, String> {
    if row.contains_key("status") && row.contains_key("readouts") { result::line(row) } else { Ok(row) }
}

/// Lines of results, of a file of lines or of columns. Other files of lines pass through as they are.
pub struct ResultLines {
    from: From,
}

enum From {
    Lines(Lines<BufReader<File>>),
    Columns { rows: Box<Rows>, text: String },
}

impl ResultLines {
    /// Opens a file.
    ///
    /// # Errors
    /// A sentence: it cannot be read, is a folder, or is Parquet that is broken or has what is not read.
    pub fn open(path: &Path) -> Result<ResultLines, String> {
        if path.is_dir() {
            return Err("it is a folder; name a file".to_owned());
        }
        let mut file = File::open(path).map_err(|error| crate::source::in_words(&error))?;
        let parquet = is_parquet(&mut file).map_err(|error| crate::source::in_words(&error))?;
        let from = if parquet {
            From::Columns { rows: Box::new(Rows::open(file)?), text: String::new() }
        } else {
            From::Lines(Lines::new(BufReader::with_capacity(256 * 1024, file)))
        };
        Ok(ResultLines { from })
    }

    /// The next line; `None` at the end. Of columns its number is the row's.
    ///
    /// # Errors
    /// Where the file cannot be read any further.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        match &mut self.from {
            From::Lines(lines) => lines.next_line(),
            From::Columns { rows, text } => {
                let Some((number, row)) = rows.next_row()? else { return Ok(None) };
                let read = row.and_then(|row| result::line(row).map(|line| Json::Object(line).to_string()));
                let read = read.map(|line| {
                    *text = line;
                    text.as_str()
                });
                Ok(Some(Line { number, offset: 0, complete: true, text: read }))
            }
        }
    }
}
