//! Results that are written come back; damaged files are told and never panic.

use super::{FromLines, Rows};
use crate::run::columns::result;
use parquet::file::reader::FileReader as _;
use serde_json::Value as Json;
use std::fs::File;
use std::io::{Seek as _, Write as _};

/// A file of results with everything that a line can have, `n` times.
fn written(n: usize) -> (File, String) {
    let mut lines = String::new();
    for at in 0..n {
        lines += &format!(
            r#"{{"line":{at},"run":1,"id":"r{at}","candidate":"x","status":"open","readouts":{{"score":0.{at}000000000000000000001,"grade":"good","best":{{"winner":"x"}},"none":null,"maybe":{{"open":[0,1]}}}},"decided_by_bounds":["grade","score"],"observed":{{"n":true}},"bounds":{{}},"missing":[{{"criterion":"c","reason":"budget"}},{{"criterion":"d","candidate":"x","reason":"outage","detail":"503"}}],"tags":{{"t":["a","b"]}},"program":"b3:1"}}"#
        );
        lines += "\n";
        lines += &format!(r#"{{"id":"s{at}","status":"decided","readouts":{{}},"program":"b3:1"}}"#);
        lines += "\n";
        lines += &format!(r#"{{"id":null,"status":"failed","line":{at},"reason":"why"}}"#);
        lines += "\n";
    }
    let mut out = FromLines::new(tempfile::tempfile().unwrap()).unwrap();
    // Pieces end anywhere.
    lines.as_bytes().chunks(97).for_each(|piece| out.write_all(piece).unwrap());
    let mut file = out.finish().unwrap();
    file.rewind().unwrap();
    (file, lines)
}

fn read(file: File) -> Result<String, String> {
    let mut rows = Rows::open(file)?;
    let mut lines = String::new();
    while let Some((_, row)) = rows.next_row().map_err(|error| error.to_string())? {
        lines += &Json::Object(result::line(row?)?).to_string();
        lines += "\n";
    }
    Ok(lines)
}

#[test]
fn what_is_written_comes_back_byte_for_byte() {
    for n in [0, 1, 300] {
        let (file, lines) = written(n);
        assert_eq!(read(file).unwrap(), lines);
    }
}

#[test]
fn several_groups_of_rows() {
    // Long texts end a group before its rows do.
    let long = "x".repeat(3 << 20);
    let mut out = FromLines::new(tempfile::tempfile().unwrap()).unwrap();
    let line =
        |n: usize| format!("{{\"id\":\"{n}\",\"status\":\"decided\",\"readouts\":{{}},\"tags\":[\"{long}\"]}}\n");
    let lines: String = (0..20).map(line).collect();
    out.write_all(lines.as_bytes()).unwrap();
    let mut file = out.finish().unwrap();
    file.rewind().unwrap();
    assert!(super::file::open(file.try_clone().unwrap()).unwrap().num_row_groups() > 2);
    assert!(read(file).unwrap() == lines);
}

#[test]
fn a_damaged_file_is_told_and_never_panics() {
    let (mut file, lines) = written(8);
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    let open = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        read(file)
    };
    assert!(open(&bytes[..bytes.len() / 2]).unwrap_err().contains("cut off"));
    assert!(open(b"PAR1PAR1").is_err());
    let encrypted: Vec<u8> = [b"PARE", &bytes[4..]].concat();
    assert!(open(&encrypted).unwrap_err().contains("encrypted"));
    let (mut told, mut tried) = (0, 0);
    for at in (4..bytes.len() - 4).step_by(5) {
        tried += 1;
        let mut other = bytes.clone();
        other[at] ^= 1 << (at % 8) | 0x11;
        match open(&other) {
            Ok(read) => assert_eq!(read.lines().count(), lines.lines().count()),
            Err(fault) => {
                assert!(!fault.is_empty());
                told += 1;
            }
        }
    }
    // The rest stands in statistics, in names and in values.
    assert!(told > tried / 4, "{told} of {tried}");
}
