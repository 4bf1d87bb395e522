//! Writes results as Parquet, in groups of rows, so that memory holds one group and no more.
//!
//! [`SCHEMA`] is the same for all programs. The file is whole once [`FromLines::finish`] returns: the index of the format stands at the
//! end, and whoever holds the place that it is written to puts it there then.

use super::cell::Kind;
use super::result;
use super::tree::{self, Node, Shape};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value as Json};
use std::io::{self, Write};
use std::sync::Arc;

/// The columns of results.
const SCHEMA: &str = "message results {
  optional int64 line;
  optional int64 run;
  optional binary id (STRING);
  optional binary candidate (STRING);
  required binary status (STRING);
  optional group readouts (MAP) {
    repeated group key_value {
      required binary key (STRING);
      optional group value { optional binary value (JSON); optional double number; optional binary text (STRING); }
    }
  }
  optional group decided_by_bounds (LIST) { repeated group list { optional binary element (STRING); } }
  optional group observed (MAP) {
    repeated group key_value {
      required binary key (STRING);
      optional group value { optional binary value (JSON); optional double number; optional binary text (STRING); }
    }
  }
  optional binary bounds (JSON);
  optional group missing (LIST) {
    repeated group list {
      optional group element {
        optional binary criterion (STRING);
        optional binary candidate (STRING);
        optional binary reason (STRING);
        optional binary detail (STRING);
      }
    }
  }
  optional binary tags (JSON);
  optional binary reason (STRING);
  optional binary program (STRING);
  optional binary other (JSON);
}";

/// A group of rows ends with this many of them, or with so many bytes of texts.
const MOST_ROWS: usize = 65_536;
const MOST_BYTES: usize = 16 << 20;

/// Takes lines of results, and writes them as columns.
pub struct FromLines<W: Write + Send> {
    file: SerializedFileWriter<W>,
    root: Node,
    columns: Vec<Column>,
    rows: usize,
    /// A line that has not ended yet.
    line: Vec<u8>,
}

impl<W: Write + Send> FromLines<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W) -> io::Result<FromLines<W>> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(in_io)?);
        let root = tree::read(&schema).map_err(io::Error::other)?;
        let properties = WriterProperties::builder()
            .set_created_by(concat!("rubric ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![KeyValue::new("rubric".to_owned(), "results/1".to_owned())]))
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(in_io)?;
        let levels =
            file.schema_descr().columns().iter().map(|column| (column.max_def_level(), column.max_rep_level()));
        let columns =
            levels.map(|(def, rep)| Column { nullable: def > 0, repeated: rep > 0, ..Column::default() }).collect();
        Ok(FromLines { file, root, columns, rows: 0, line: Vec::new() })
    }

    /// Ends the file, and gives back what it was written to.
    ///
    /// # Errors
    /// Where it cannot be written, or the last line is cut off.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take(&line)?;
        }
        self.write_group()?;
        self.file.into_inner().map_err(in_io)
    }

    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let map: Map<String, Json> = serde_json::from_slice(line)?;
        let row = Json::Object(result::row(map));
        put(&self.root, Some(&row), 0, 0, &mut self.columns)?;
        self.rows += 1;
        if self.rows >= MOST_ROWS || self.columns.iter().map(|column| column.bytes).sum::<usize>() >= MOST_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(in_io)?;
        let mut columns = self.columns.iter_mut();
        while let Some(mut writer) = group.next_column().map_err(in_io)? {
            let column = columns.next().ok_or_else(|| io::Error::other("a column has no place"))?;
            let (def, rep) = (column.nullable.then_some(&*column.def), column.repeated.then_some(&*column.rep));
            let written = match writer.untyped() {
                ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&column.ints, def, rep),
                ColumnWriter::DoubleColumnWriter(writer) => writer.write_batch(&column.floats, def, rep),
                ColumnWriter::ByteArrayColumnWriter(writer) => writer.write_batch(&column.texts, def, rep),
                _ => Err(ParquetError::General("a column has another type".to_owned())),
            };
            written.map_err(in_io)?;
            writer.close().map_err(in_io)?;
            column.clear();
        }
        group.close().map_err(in_io)?;
        self.rows = 0;
        Ok(())
    }
}

impl<W: Write + Send> Write for FromLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, behind) = rest.split_at(end);
            if self.line.is_empty() {
                self.take(line)?;
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take(&whole)?;
            }
            rest = behind.get(1..).unwrap_or_default();
        }
        self.line.extend_from_slice(rest);
        Ok(bytes.len())
    }

    /// Nothing can be read before the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a column of the group has so far: levels, and values of one of the kinds.
#[derive(Default)]
struct Column {
    nullable: bool,
    repeated: bool,
    def: Vec<i16>,
    rep: Vec<i16>,
    ints: Vec<i64>,
    floats: Vec<f64>,
    texts: Vec<ByteArray>,
    /// Of texts and levels.
    bytes: usize,
}

impl Column {
    fn clear(&mut self) {
        self.def.clear();
        self.rep.clear();
        self.ints.clear();
        self.floats.clear();
        self.texts.clear();
        self.bytes = 0;
    }

    fn level(&mut self, def: i16, rep: i16) {
        self.def.push(def);
        self.rep.push(rep);
        self.bytes += size_of::<[i16; 2]>();
    }
}

/// Puts a value, or that there is none, into the columns below a node. `rep`: which list goes on; `parent`: the definition level of
/// what it stands in.
fn put(node: &Node, value: Option<&Json>, rep: i16, parent: i16, columns: &mut [Column]) -> io::Result<()> {
    let nothing = |def: i16, columns: &mut [Column]| {
        let leaves = columns.get_mut(node.leaves.0..node.leaves.1).unwrap_or_default();
        leaves.iter_mut().for_each(|column| column.level(def, rep));
    };
    let Some(value) = value.filter(|value| !value.is_null()) else {
        if node.optional {
            nothing(parent, columns);
            return Ok(());
        }
        return Err(unfit("nothing"));
    };
    match &node.shape {
        Shape::Leaf(kind) => {
            let column = columns.get_mut(node.leaves.0).ok_or_else(|| unfit("a value"))?;
            column.level(node.def, rep);
            match (kind, value) {
                (Kind::Int, value) => column.ints.push(value.as_i64().ok_or_else(|| unfit(value))?),
                (Kind::Float, value) => column.floats.push(value.as_f64().ok_or_else(|| unfit(value))?),
                (Kind::Json, value) => column.text(value.to_string().into_bytes()),
                (_, Json::String(text)) => column.text(text.clone().into_bytes()),
                (_, value) => return Err(unfit(value)),
            }
            Ok(())
        }
        Shape::Struct(fields) => {
            let map = value.as_object().ok_or_else(|| unfit(value))?;
            fields.iter().try_for_each(|(name, field)| put(field, map.get(name), rep, node.def, columns))
        }
        Shape::List { element, def, rep: again } => {
            let list = value.as_array().ok_or_else(|| unfit(value))?;
            if list.is_empty() {
                nothing(node.def, columns);
            }
            let mut levels = std::iter::once(rep).chain(std::iter::repeat(*again));
            list.iter().try_for_each(|one| put(element, Some(one), levels.next().unwrap_or(*again), *def, columns))
        }
        Shape::Map { key, value: inner, def, rep: again } => {
            let map = value.as_object().ok_or_else(|| unfit(value))?;
            if map.is_empty() {
                nothing(node.def, columns);
            }
            let mut levels = std::iter::once(rep).chain(std::iter::repeat(*again));
            map.iter().try_for_each(|(name, one)| {
                let rep = levels.next().unwrap_or(*again);
                put(key, Some(&Json::String(name.clone())), rep, *def, columns)?;
                inner.as_ref().map_or(Ok(()), |inner| put(inner, Some(one), rep, *def, columns))
            })
        }
    }
}

impl Column {
    fn text(&mut self, bytes: Vec<u8>) {
        self.bytes += bytes.len() + size_of::<ByteArray>();
        self.texts.push(bytes.into());
    }
}

fn unfit(what: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{what} stands where a line of results has something else"))
}

fn in_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
