//! Where records come from: a file or standard input, as JSON lines or as a table.
//!
//! Parquet is known by its first bytes. Of the others the format follows from the ending of the name, else from the first character that is no space (`{`: JSON lines).

use super::super::columns;
use super::json;
use super::lines::Lines;
use super::table::{Row, Table};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated, the first line names the columns.
    Csv,
    /// Tab-separated, else as CSV.
    Tsv,
    /// Columns with types.
    Parquet,
}

impl DataFormat {
    fn of_name(path: &Path) -> Option<DataFormat> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "jsonl" | "ndjson" | "json" => Some(DataFormat::Jsonl),
            "csv" => Some(DataFormat::Csv),
            "tsv" | "tab" => Some(DataFormat::Tsv),
            "parquet" => Some(DataFormat::Parquet),
            _ => None,
        }
    }
}

/// A record as it stands in the file.
#[derive(Debug)]
pub struct Raw {
    /// The line on which it starts, from 1; of Parquet its row.
    pub line: u64,
    /// An error is a sentence that says why it cannot be read.
    pub content: Result<Content, String>,
}

/// What is said of a file that is called Parquet and is none.
const NOT_PARQUET: &str = "it is no Parquet file, which begins with `PAR1`: it was cut off, or it is text under a wrong name (then say \
                           `--data-format`, or rename it)";

/// What a record holds.
#[derive(Debug)]
pub enum Content {
    Object(Map<String, Value>),
    Row(Row),
    /// Cells that have types. One without a value is null.
    Columns(Map<String, Value>),
}

/// Reads records one by one.
pub struct Records {
    from: From,
}

enum From {
    Lines(Lines<Box<dyn BufRead + Send>>),
    Table(Table),
    Columns(Box<columns::Rows>),
}

impl Records {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, is a folder, is empty, holds one JSON list, or has a bad first line.
    pub fn open(path: &Path, format: Option<DataFormat>) -> Result<Records, String> {
        let stdin = path.as_os_str() == "-";
        let reader: Box<dyn Read + Send> = if stdin {
            Box::new(io::stdin())
        } else {
            if path.is_dir() {
                return Err("it is a folder; name a file of records".to_owned());
            }
            let mut file = File::open(path).map_err(|error| crate::source::in_words(&error))?;
            if columns::is_parquet(&mut file).map_err(|error| crate::source::in_words(&error))? {
                return Ok(Records { from: From::Columns(Box::new(columns::Rows::open(file)?)) });
            }
            Box::new(file)
        };
        let format = format.or_else(|| if stdin { None } else { DataFormat::of_name(path) });
        Records::from_reader(reader, format)
    }

    /// Reads records from anything.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub fn from_reader(reader: Box<dyn Read + Send>, format: Option<DataFormat>) -> Result<Records, String> {
        let mut reader = BufReader::with_capacity(64 * 1024, reader);
        let start = reader.fill_buf().map_err(|error| error.to_string())?;
        if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            return Err("the text is UTF-16, not UTF-8; save the file as UTF-8".to_owned());
        }
        if columns::begins(start) {
            return Err(columns::NO_PIPE.to_owned());
        }
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let first = start.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
        let Some(first) = first.or((start.len() >= 64 * 1024).then_some(b' ')) else {
            return Err(
                "there is nothing in it; a file of records holds one JSON object per line, or a table".to_owned()
            );
        };
        let format = format.unwrap_or(match first {
            b'{' | b'[' => DataFormat::Jsonl,
            _ if start.split(|b| *b == b'\n').next().is_some_and(|line| line.contains(&b'\t')) => DataFormat::Tsv,
            _ => DataFormat::Csv,
        });
        if format == DataFormat::Jsonl && first == b'[' {
            return Err("it holds one JSON list; write one record per line instead, without the list's brackets \
                        (`jq -c '.[]'` does that)"
                .to_owned());
        }
        let from = match format {
            DataFormat::Jsonl => From::Lines(Lines::new(Box::new(reader))),
            DataFormat::Csv => From::Table(Table::new(Box::new(reader), b',')?),
            DataFormat::Tsv => From::Table(Table::new(Box::new(reader), b'\t')?),
            DataFormat::Parquet => return Err(NOT_PARQUET.to_owned()),
        };
        Ok(Records { from })
    }

    /// The names of a table's columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        match &self.from {
            From::Lines(_) | From::Columns(_) => &[],
            From::Table(table) => table.columns(),
        }
    }

    /// The next record; `None` at the end. Empty lines are no records.
    ///
    /// # Errors
    /// Where the file cannot be read any further.
    pub fn next_record(&mut self) -> io::Result<Option<Raw>> {
        match &mut self.from {
            From::Table(table) => {
                let row = table.next_row()?;
                Ok(row.map(|(line, row)| Raw { line, content: row.map(Content::Row) }))
            }
            From::Columns(rows) => {
                let row = rows.next_row()?;
                Ok(row.map(|(line, row)| Raw { line, content: row.map(Content::Columns) }))
            }
            From::Lines(lines) => {
                while let Some(line) = lines.next_line()? {
                    if line.text.as_ref().is_ok_and(|text| text.trim().is_empty()) {
                        continue;
                    }
                    let content = line.text.and_then(|text| match json::parse(text)? {
                        Value::Object(map) => Ok(Content::Object(map)),
                        _ => Err("the line is not a JSON object; a record is `{\"id\": …, FIELD: …}`".to_owned()),
                    });
                    let content = content.map_err(|fault| {
                        if line.complete {
                            fault
                        } else {
                            format!("{fault} (it is the last line, without a line break)")
                        }
                    });
                    return Ok(Some(Raw { line: line.number, content }));
                }
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &'static str) -> Result<Records, String> {
        Records::from_reader(Box::new(text.as_bytes()), None)
    }

    #[test]
    fn the_format_follows_from_the_content() {
        assert!(open("id,answer\n1,x\n").unwrap().columns().len() == 2);
        assert!(open("id\tanswer\n1\tx\n").unwrap().columns().len() == 2);
        assert!(open("\n {\"id\": 1}\n").unwrap().columns().is_empty());
        assert!(open("[{\"id\": 1}]").err().unwrap().contains("per line"));
        assert!(open(" \n").err().unwrap().contains("nothing in it"));
    }

    #[test]
    fn faults_are_of_one_line() {
        let mut records = open("{\"id\": 1}\n\n{\"id\": NaN}\n[1]\n{\"id\": 2}\n{\"id\":").unwrap();
        let mut seen = Vec::new();
        while let Some(raw) = records.next_record().unwrap() {
            seen.push((raw.line, raw.content.err()));
        }
        assert_eq!(seen.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
        assert!(seen[0].1.is_none() && seen[3].1.is_none());
        assert!(seen[1].1.as_ref().unwrap().contains("NaN"));
        assert!(seen[2].1.as_ref().unwrap().contains("not a JSON object"));
        assert!(seen[4].1.as_ref().unwrap().contains("cut off"));
    }
}
