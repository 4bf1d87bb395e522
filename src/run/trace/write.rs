//! Writes a trace line by line; each is whole once it is written.

use super::FORMAT;
use super::chain::Chain;
use super::render::{Parts, record_body};
use crate::graph::json;
use crate::run::engine::{Engine, Outcomes};
use crate::run::record::RecordFault;
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes a trace.
pub struct Writer<W> {
    out: W,
    chain: Chain,
    /// The numbers of the programs, by their names; no two programs of a run have one name.
    programs: HashMap<Arc<str>, usize>,
    records: u64,
    line: String,
}

impl<W: Write> Writer<W> {
    /// Writes the head.
    ///
    /// # Errors
    /// Where it cannot be written; so with all others here.
    pub fn new(out: W) -> io::Result<Writer<W>> {
        let mut writer =
            Writer { out, chain: Chain::default(), programs: HashMap::new(), records: 0, line: String::new() };
        writer.line.push_str(&format!("{{\"trace\":\"{FORMAT}\""));
        writer.put()?;
        Ok(writer)
    }

    /// Writes a record, and its program before it where that is the first of its records.
    ///
    /// # Errors
    /// See [`Writer::new`].
    pub fn record(&mut self, engine: &Engine, parts: &Parts<'_>, outcomes: &Outcomes) -> io::Result<()> {
        let program = self.program(engine)?;
        self.records += 1;
        record_body(&mut self.line, engine, &Parts { program, ..*parts }, outcomes);
        self.put()
    }

    /// Writes that a record failed.
    ///
    /// # Errors
    /// See [`Writer::new`].
    pub fn failed(&mut self, fault: &RecordFault) -> io::Result<()> {
        self.records += 1;
        let body = json!({ "record": fault.id, "line": fault.line, "failed": fault.reason }).to_string();
        self.line.push_str(body.strip_suffix('}').unwrap_or(&body));
        self.put()
    }

    /// Writes the end. A trace without it was cut off.
    ///
    /// # Errors
    /// See [`Writer::new`].
    pub fn end(&mut self) -> io::Result<()> {
        self.line.push_str(&format!("{{\"end\":{{\"records\":{}}}", self.records));
        self.put()
    }

    fn program(&mut self, engine: &Engine) -> io::Result<usize> {
        let number = self.programs.len();
        if let Some(known) = self.programs.get(&*engine.program.name) {
            return Ok(*known);
        }
        self.programs.insert(Arc::clone(&engine.program.name), number);
        let body =
            json!({ "number": number, "digest": engine.digest, "program": json::value(&engine.program) }).to_string();
        self.line.push_str(body.strip_suffix('}').unwrap_or(&body));
        self.put()?;
        Ok(number)
    }

    /// Seals and writes the line in the buffer.
    fn put(&mut self) -> io::Result<()> {
        self.chain.seal(&mut self.line);
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())?;
        self.out.flush()?;
        self.line.clear();
        Ok(())
    }
}
