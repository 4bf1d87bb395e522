//! Tests of the whole way from text to tree.

use super::*;
use crate::diagnostics::Diagnostic;
use crate::source::{FileId, Source};

fn source(text: &str) -> Source {
    Source::new(FileId(0), "test.rubric", None, text)
}

pub(crate) fn read(text: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut sink = Sink::new();
    let file = parse(&source(text), &mut sink);
    (file, sink.finish())
}

#[test]
fn scratch() {
    let Ok(dir) = std::env::var("SCRATCH") else { return };
    for path in dir.split(':') {
        let text = std::fs::read_to_string(path).unwrap();
        let src = source(&text);
        let (file, found) = read(&text);
        println!("{path}: {} items", file.items.len());
        for d in found {
            let at = src.position(d.span().start);
            println!("  {}:{} {} {} | {:?} {:?}", at.line, at.column, d.code, d.headline, d.labels[0].text, d.help);
        }
        if std::env::var("SHOW").is_ok() {
            println!("{file:#?}");
        }
    }
}
