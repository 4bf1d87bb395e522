//! Rows of a CSV (or tab-separated) file. Cells are texts here; [`super::shape`] reads them by the fields' kinds.
//!
//! The first row names the columns. A row with too few or too many cells, one that is not UTF-8, and a last row whose
//! quote is never closed are faults of that row.

use super::lines::{LONGEST, not_utf8};
use std::cell::Cell;
use std::io::{self, Read};
use std::sync::Arc;

/// A row: its cells, in the order of the columns.
#[derive(Debug)]
pub struct Row {
    pub columns: Arc<[String]>,
    pub cells: Vec<String>,
}

/// Reads rows.
pub(crate) struct Table {
    reader: csv::Reader<Watched>,
    columns: Arc<[String]>,
    row: csv::ByteRecord,
}

impl Table {
    /// Reads the header.
    ///
    /// # Errors
    /// Where there is none, it is not UTF-8, or it names a column twice.
    pub(crate) fn new(reader: Box<dyn Read + Send>, delimiter: u8) -> Result<Table, String> {
        let watched = Watched { reader, watch: Watch::default(), delimiter };
        let mut reader = csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(watched);
        let header = reader.byte_headers().map_err(|error| error.to_string())?;
        let mut columns = Vec::with_capacity(header.len());
        for (n, name) in header.iter().enumerate() {
            let name = if n == 0 { name.strip_prefix(b"\xef\xbb\xbf").unwrap_or(name) } else { name };
            let name = std::str::from_utf8(name).map_err(|error| {
                format!("the first line, which names the columns: {}", not_utf8(name, error.valid_up_to()))
            })?;
            let name = name.trim().to_owned();
            if name.is_empty() {
                return Err(format!("column {} has no name in the first line", n + 1));
            }
            columns.push(name);
        }
        if columns.is_empty() {
            return Err("the file is empty; its first line must name the columns".to_owned());
        }
        if let [only] = columns.as_slice()
            && let Some(mark) = [';', '\t', ','].into_iter().find(|mark| only.contains(*mark))
        {
            let mark = if mark == '\t' { "a tab".to_owned() } else { format!("`{mark}`") };
            return Err(format!(
                "the first line has one column only, `{only}`: its cells seem to stand between {mark}; save the table with \
                 commas (.csv) or tabs (.tsv) between its cells"
            ));
        }
        let mut sorted: Vec<&String> = columns.iter().collect();
        sorted.sort_unstable();
        if let Some([twice, _]) = sorted.array_windows::<2>().find(|[a, b]| a == b) {
            return Err(format!("two columns are named `{twice}`; rename one"));
        }
        Ok(Table { reader, columns: columns.into(), row: csv::ByteRecord::new() })
    }

    /// The names of the columns.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The next row with the number of its first line; `None` at the end.
    ///
    /// # Errors
    /// Where the file cannot be read any further. A fault of one row stands in the row's place.
    pub(crate) fn next_row(&mut self) -> io::Result<Option<(u64, Result<Row, String>)>> {
        self.reader.get_ref().watch.since.set(0);
        let line = self.reader.position().line();
        match self.reader.read_byte_record(&mut self.row) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => {
                let text = error.to_string();
                return match error.into_kind() {
                    csv::ErrorKind::Io(error) => Err(error),
                    _ => Ok(Some((line, Err(text)))),
                };
            }
        }
        let line = self.row.position().map_or(line, csv::Position::line);
        Ok(Some((line, self.cells())))
    }

    fn cells(&self) -> Result<Row, String> {
        if self.reader.get_ref().watch.ended.get() && self.reader.get_ref().watch.state.get() == State::Quoted {
            return Err(
                "a quote (\") is opened and never closed: the file is cut off, or the quote is not doubled".into()
            );
        }
        if self.row.len() != self.columns.len() {
            return Err(format!(
                "the row has {} cells, but the first line names {} columns",
                self.row.len(),
                self.columns.len()
            ));
        }
        let mut cells = Vec::with_capacity(self.row.len());
        for (column, cell) in self.columns.iter().zip(self.row.iter()) {
            let text = std::str::from_utf8(cell)
                .map_err(|error| format!("column `{column}`: {}", not_utf8(cell, error.valid_up_to())))?;
            cells.push(text.to_owned());
        }
        Ok(Row { columns: Arc::clone(&self.columns), cells })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Start,
    Bare,
    Quoted,
    /// After a quote inside quotes: it closed them, or is the first of a doubled one.
    Closed,
}

/// What has gone by: how many bytes since the last row, and whether a quote stands open.
#[derive(Default)]
struct Watch {
    since: Cell<usize>,
    /// Whether the end of the file has been seen; a row that is read then is the last.
    ended: Cell<bool>,
    state: Cell<State>,
}

/// A reader that ends a row without end and knows at the end of the file whether a quote stands open (the `csv` crate
/// takes both without a word).
struct Watched {
    reader: Box<dyn Read + Send>,
    watch: Watch,
    delimiter: u8,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.watch.since.get() > LONGEST {
            return Err(io::Error::other(format!(
                "a row is longer than {LONGEST} bytes; is there a quote (\") that is never closed?"
            )));
        }
        let read = self.reader.read(into)?;
        if read == 0 && !into.is_empty() {
            self.watch.ended.set(true);
        }
        self.watch.since.set(self.watch.since.get() + read);
        let mut state = self.watch.state.get();
        for byte in into.get(..read).unwrap_or(&[]) {
            state = match (state, *byte) {
                (State::Quoted, b'"') => State::Closed,
                (State::Quoted, _) => State::Quoted,
                (State::Start | State::Closed, b'"') => State::Quoted,
                (_, b'\n' | b'\r') => State::Start,
                (_, byte) if byte == self.delimiter => State::Start,
                _ => State::Bare,
            };
        }
        self.watch.state.set(state);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Vec<(u64, Result<Vec<String>, String>)> {
        let mut table = Table::new(Box::new(text.as_bytes()), b',').unwrap();
        let mut rows = Vec::new();
        while let Some((line, row)) = table.next_row().unwrap() {
            rows.push((line, row.map(|row| row.cells)));
        }
        rows
    }

    #[test]
    fn rows_with_their_lines() {
        let rows = read("\u{feff}id,answer\na,\"two\nlines\"\nb\nc,x,y\nd,5\" pipe\n");
        assert_eq!(rows[0], (2, Ok(vec!["a".to_owned(), "two\nlines".to_owned()])));
        assert!(rows[1].0 == 4 && rows[1].1.as_ref().unwrap_err().contains("1 cells"));
        assert!(rows[2].1.is_err());
        assert_eq!(rows[3].1.as_ref().unwrap()[1], "5\" pipe");
    }

    #[test]
    fn a_quote_left_open_is_a_fault() {
        let rows = read("id,answer\na,\"say \"\"no\"\"\"\nb,\"cut off");
        assert!(rows[0].1.is_ok());
        assert!(rows[1].1.as_ref().unwrap_err().contains("never closed"));
    }

    #[test]
    fn a_bad_header_is_told() {
        let fault = |text: &'static str| Table::new(Box::new(text.as_bytes()), b',').err().unwrap();
        assert!(fault("id,a,a\n").contains("two columns are named `a`"));
        assert!(fault("").contains("empty"));
    }
}
