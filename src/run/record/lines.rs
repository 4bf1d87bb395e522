//! Lines of a file, one at a time, none of them trusted: too long, not UTF-8 and cut off are told, and reading goes on.
//!
//! Memory is bounded by [`LONGEST`] whatever the file holds.

use std::io::{self, BufRead, BufReader, Read, Seek};

/// The longest line that is read, in bytes (64 MiB). Of a longer one only its number is known.
pub const LONGEST: usize = 64 * 1024 * 1024;

/// Reads lines into one buffer that is used again.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    number: u64,
    offset: u64,
    longest: usize,
}

/// A line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: u64,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Whether it ends in a line break; only the last line of a file may lack one.
    pub complete: bool,
    /// Its text without the line break.
    ///
    /// An error is a sentence that says why it cannot be read.
    pub text: Result<&'a str, String>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), number: 0, offset: 0, longest: LONGEST }
    }

    #[cfg(test)]
    fn with_longest(reader: R, longest: usize) -> Lines<R> {
        Lines { longest, ..Lines::new(reader) }
    }

    /// The next line; `None` at the end of the file.
    ///
    /// # Errors
    /// Where the file itself cannot be read any further.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let (mut length, mut complete) = (0_u64, false);
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            if self.buffer.len() <= self.longest {
                self.buffer.extend_from_slice(chunk.get(..taken).unwrap_or(&[]));
            }
            length += taken as u64;
            self.reader.consume(taken);
            if end.is_some() {
                complete = true;
                break;
            }
        }
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let offset = self.offset;
        self.offset += length;
        let bytes = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let bytes = if self.number == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
        let text = if self.buffer.len() > self.longest {
            Err(format!("the line is longer than {} bytes", self.longest))
        } else {
            std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to()))
        };
        Ok(Some(Line { number: self.number, offset, complete, text }))
    }
}

impl<R: Read + Seek> Lines<BufReader<R>> {
    /// Goes to the line with this number, which starts at this offset.
    ///
    /// # Errors
    /// Where the file cannot be read there.
    pub fn seek(&mut self, offset: u64, number: u64) -> io::Result<()> {
        match offset.checked_signed_diff(self.offset) {
            // Within the buffer this costs nothing, so lines in order are read straight through.
            Some(by) => self.reader.seek_relative(by)?,
            None => {
                self.reader.seek(io::SeekFrom::Start(offset))?;
            }
        }
        (self.offset, self.number) = (offset, number.saturating_sub(1));
        Ok(())
    }
}

/// Says where a text stops being UTF-8.
pub(crate) fn not_utf8(bytes: &[u8], valid: usize) -> String {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return "the text is UTF-16, not UTF-8; save the file as UTF-8".to_owned();
    }
    format!("the text is not UTF-8 (byte {}); save the file as UTF-8", valid + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<(u64, u64, bool, Result<String, String>)> {
        let mut lines = Lines::with_longest(text, 10);
        let mut out = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            out.push((line.number, line.offset, line.complete, line.text.map(str::to_owned)));
        }
        out
    }

    #[test]
    fn lines_with_their_places() {
        let found = all(b"\xef\xbb\xbfab\r\n\ncd");
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(found, [(1, 0, true, ok("ab")), (2, 7, true, ok("")), (3, 8, false, ok("cd"))]);
    }

    #[test]
    fn a_bad_line_does_not_stop_the_next() {
        let found = all(b"0123456789012345\n\xc3\x28\nok\n");
        assert!(found[0].3.as_ref().unwrap_err().contains("longer than"));
        assert!(found[1].3.as_ref().unwrap_err().contains("UTF-8"));
        assert_eq!(found[2].3.as_deref(), Ok("ok"));
    }
}
