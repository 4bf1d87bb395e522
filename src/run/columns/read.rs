//! Rows of any Parquet file as JSON objects, put together from the levels of its columns.
//!
//! Of each column some rows are decoded at a time, so that memory holds a page of each column and no more, whatever the size of the
//! file. A cell that cannot be read makes its own row unreadable; the next one is read.

use super::Numbered;
use super::cell::{Kind, Raw};
use super::file::{self, guarded};
use super::tree::{self, Node, Shape};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use serde_json::{Map, Value as Json};
use std::fs::File;
use std::io;

/// Rows of a column that are decoded at a time.
const AT_ONCE: u64 = 128;

/// Reads rows.
pub struct Rows {
    file: SerializedFileReader<File>,
    root: Node,
    /// The group of rows that comes next.
    group: usize,
    columns: Vec<Column>,
    /// Rows of this group that are not decoded yet, and rows that are decoded and not handed out.
    left: u64,
    decoded: u64,
    /// Handed out so far.
    number: u64,
}

impl Rows {
    /// Opens a file.
    ///
    /// # Errors
    /// A sentence: it is damaged, encrypted, or has what is not read.
    pub fn open(file: File) -> Result<Rows, String> {
        let file = file::open(file)?;
        let root = tree::read(file.metadata().file_metadata().schema())?;
        Ok(Rows { file, root, group: 0, columns: Vec::new(), left: 0, decoded: 0, number: 0 })
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// Where the file is damaged, so that it cannot be read any further.
    pub fn next_row(&mut self) -> io::Result<Option<Numbered>> {
        while self.decoded == 0 {
            if self.left > 0 {
                self.decode().map_err(|fault| self.damaged(&fault))?;
            } else if !self.next_group().map_err(|fault| self.damaged(&fault))? {
                return Ok(None);
            }
        }
        self.decoded -= 1;
        self.number += 1;
        let mut assembling = Assembling { columns: &mut self.columns, fault: None };
        let row = assembling.value(&self.root);
        let fault = assembling.fault.take();
        let row = row.map_err(|fault| self.damaged(&fault))?;
        Ok(Some((
            self.number,
            match (fault, row) {
                (Some(fault), _) => Err(fault),
                (None, Json::Object(row)) => Ok(row),
                (None, other) => Err(format!("the row is {other}, and no record")),
            },
        )))
    }

    fn damaged(&self, fault: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, format!("{fault} (at row {})", self.number + 1))
    }

    /// Goes to the next group of rows; whether there is one.
    fn next_group(&mut self) -> Result<bool, String> {
        if self.group >= self.file.num_row_groups() {
            return Ok(false);
        }
        let (number, file) = (self.group, &self.file);
        self.group += 1;
        self.left = u64::try_from(file.metadata().row_group(number).num_rows()).unwrap_or(0);
        let schema = file.metadata().file_metadata().schema_descr();
        self.columns = guarded(|| {
            let group = file.get_row_group(number)?;
            let column = |at: usize| {
                let described = schema.column(at);
                Ok(Column {
                    name: described.path().string(),
                    nullable: described.max_def_level() > 0,
                    repeated: described.max_rep_level() > 0,
                    values: Values::new(group.get_column_reader(at)?),
                    def: Vec::new(),
                    rep: Vec::new(),
                    levels: 0,
                    at: 0,
                    value: 0,
                })
            };
            (0..schema.num_columns()).map(column).collect::<Result<Vec<_>, ParquetError>>()
        })?;
        Ok(true)
    }

    /// Decodes the next rows of each column.
    fn decode(&mut self) -> Result<(), String> {
        let rows = self.left.min(AT_ONCE);
        for column in &mut self.columns {
            column.decode(rows)?;
        }
        self.left -= rows;
        self.decoded = rows;
        Ok(())
    }
}

/// A column of the group that is being read, with the rows that are decoded.
struct Column {
    /// The path of its names.
    name: String,
    nullable: bool,
    repeated: bool,
    values: Values,
    def: Vec<i16>,
    rep: Vec<i16>,
    levels: usize,
    /// The next level, and the next value.
    at: usize,
    value: usize,
}

impl Column {
    fn decode(&mut self, rows: u64) -> Result<(), String> {
        if self.at != self.levels {
            return Err(format!("the Parquet file is damaged: the column `{}` has more values than rows", self.name));
        }
        self.def.clear();
        self.rep.clear();
        (self.at, self.value) = (0, 0);
        let (def, rep) = (self.nullable.then_some(&mut self.def), self.repeated.then_some(&mut self.rep));
        let values = &mut self.values;
        let (read, levels) = guarded(|| values.read(usize::try_from(rows).unwrap_or(0), def, rep))?;
        if read as u64 != rows {
            return Err(format!("the Parquet file is damaged: the column `{}` ends before the others", self.name));
        }
        self.levels = levels;
        Ok(())
    }

    /// The definition and the repetition level of what comes next.
    fn next(&self) -> Option<(i16, i16)> {
        let level = |levels: &[i16], there: bool| if there { levels.get(self.at).copied() } else { Some(0) };
        if self.at >= self.levels {
            return None;
        }
        Some((level(&self.def, self.nullable)?, level(&self.rep, self.repeated)?))
    }
}

/// Puts one row together.
struct Assembling<'a> {
    columns: &'a mut [Column],
    /// The first cell that cannot be read.
    fault: Option<String>,
}

impl Assembling<'_> {
    fn first(&self, node: &Node) -> Result<(i16, i16), String> {
        let column = self.columns.get(node.leaves.0);
        column.and_then(Column::next).ok_or_else(|| "the Parquet file is damaged: a row ends too early".to_owned())
    }

    /// Goes past what stands for a part that is not there.
    fn pass(&mut self, node: &Node) {
        for column in self.columns.get_mut(node.leaves.0..node.leaves.1).unwrap_or_default() {
            column.at += 1;
        }
    }

    fn value(&mut self, node: &Node) -> Result<Json, String> {
        let (def, _) = self.first(node)?;
        if node.optional && def < node.def {
            self.pass(node);
            return Ok(Json::Null);
        }
        match &node.shape {
            Shape::Leaf(kind) => self.leaf(node, *kind),
            Shape::Struct(fields) => {
                let mut map = Map::new();
                for (name, field) in fields {
                    let value = self.value(field)?;
                    map.insert(name.clone(), value);
                }
                Ok(Json::Object(map))
            }
            Shape::List { element, def: there, rep } => {
                let mut list = Vec::new();
                self.repeat(node, def, *there, *rep, |this| {
                    list.push(this.value(element)?);
                    Ok(())
                })?;
                Ok(Json::Array(list))
            }
            Shape::Map { key, value, def: there, rep } => {
                let mut map = Map::new();
                let name = |this: &Self| this.columns.get(node.leaves.0).map_or(String::new(), |c| c.name.clone());
                self.repeat(node, def, *there, *rep, |this| {
                    let key = match this.value(key)? {
                        Json::String(key) => key,
                        other => other.to_string(),
                    };
                    let value = value.as_ref().map_or(Ok(Json::Null), |value| this.value(value))?;
                    if map.insert(key.clone(), value).is_some() {
                        let name = name(this);
                        this.fault
                            .get_or_insert_with(|| format!("column `{name}`: the key `{key}` stands twice in one map"));
                    }
                    Ok(())
                })?;
                Ok(Json::Object(map))
            }
        }
    }

    /// Calls `each` for every element of a list.
    fn repeat(
        &mut self,
        node: &Node,
        def: i16,
        there: i16,
        rep: i16,
        mut each: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        if def < there {
            self.pass(node);
            return Ok(());
        }
        loop {
            let before = self.columns.get(node.leaves.0).map(|column| column.at);
            each(self)?;
            let column = self.columns.get(node.leaves.0);
            if column.map(|column| column.at) == before {
                return Err("the Parquet file is damaged: a list does not end".to_owned());
            }
            if column.and_then(Column::next).is_none_or(|(_, next)| next != rep) {
                return Ok(());
            }
        }
    }

    fn leaf(&mut self, node: &Node, kind: Kind) -> Result<Json, String> {
        let column = self.columns.get_mut(node.leaves.0).ok_or("the Parquet file is damaged: a column is not there")?;
        let (at, narrow) = (column.value, matches!(column.values, Values::Int32(..)));
        column.at += 1;
        column.value += 1;
        let found = column.values.get(at).map(|raw| kind.json(&raw, narrow));
        match found {
            None => Err(format!("the Parquet file is damaged: the column `{}` lacks values", column.name)),
            Some(Ok(json)) => Ok(json),
            Some(Err(fault)) => {
                let fault = format!("column `{}`: {fault}", column.name);
                self.fault.get_or_insert(fault);
                Ok(Json::Null)
            }
        }
    }
}

/// The reader of a column, and the values that it decoded.
enum Values {
    Bool(Decoder<BoolType>),
    Int32(Decoder<Int32Type>),
    Int64(Decoder<Int64Type>),
    Int96(Decoder<Int96Type>),
    Float(Decoder<FloatType>),
    Double(Decoder<DoubleType>),
    Bytes(Decoder<ByteArrayType>),
    Fixed(Decoder<FixedLenByteArrayType>),
}

struct Decoder<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Decoder<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Decoder<T> {
        Decoder { reader, values: Vec::new() }
    }

    /// Decodes rows: how many there were, and how many levels they have.
    fn read(
        &mut self,
        rows: usize,
        def: Option<&mut Vec<i16>>,
        rep: Option<&mut Vec<i16>>,
    ) -> Result<(usize, usize), ParquetError> {
        self.values.clear();
        let (rows, _, levels) = self.reader.read_records(rows, def, rep, &mut self.values)?;
        Ok((rows, levels))
    }
}

impl Values {
    fn new(reader: ColumnReader) -> Values {
        match reader {
            ColumnReader::BoolColumnReader(reader) => Values::Bool(Decoder::new(reader)),
            ColumnReader::Int32ColumnReader(reader) => Values::Int32(Decoder::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Values::Int64(Decoder::new(reader)),
            ColumnReader::Int96ColumnReader(reader) => Values::Int96(Decoder::new(reader)),
            ColumnReader::FloatColumnReader(reader) => Values::Float(Decoder::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(Decoder::new(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(Decoder::new(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Values::Fixed(Decoder::new(reader)),
        }
    }

    fn read(
        &mut self,
        rows: usize,
        def: Option<&mut Vec<i16>>,
        rep: Option<&mut Vec<i16>>,
    ) -> Result<(usize, usize), ParquetError> {
        match self {
            Values::Bool(decoder) => decoder.read(rows, def, rep),
            Values::Int32(decoder) => decoder.read(rows, def, rep),
            Values::Int64(decoder) => decoder.read(rows, def, rep),
            Values::Int96(decoder) => decoder.read(rows, def, rep),
            Values::Float(decoder) => decoder.read(rows, def, rep),
            Values::Double(decoder) => decoder.read(rows, def, rep),
            Values::Bytes(decoder) => decoder.read(rows, def, rep),
            Values::Fixed(decoder) => decoder.read(rows, def, rep),
        }
    }

    fn get(&self, at: usize) -> Option<Raw<'_>> {
        Some(match self {
            Values::Bool(decoder) => Raw::Bool(*decoder.values.get(at)?),
            Values::Int32(decoder) => Raw::Int(i64::from(*decoder.values.get(at)?)),
            Values::Int64(decoder) => Raw::Int(*decoder.values.get(at)?),
            Values::Int96(decoder) => Raw::Int96(decoder.values.get(at)?.data()),
            Values::Float(decoder) => Raw::Float(*decoder.values.get(at)?),
            Values::Double(decoder) => Raw::Double(*decoder.values.get(at)?),
            // One without bytes was never set, and has none to show.
            Values::Bytes(decoder) => {
                decoder.values.get(at).map(|b| Raw::Bytes(if b.is_empty() { &[] } else { b.data() }))?
            }
            Values::Fixed(decoder) => {
                decoder.values.get(at).map(|b| Raw::Bytes(if b.is_empty() { &[] } else { b.data() }))?
            }
        })
    }
}
