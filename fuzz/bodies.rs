//! What the fuzz targets assert. Also run on stable, on mutated programs, by `tests/fuzzed.rs`.

use rubric_lang::diagnostics::Sink;
use rubric_lang::diagnostics::render::{Batch, Format, Look, render};
use rubric_lang::number::Number;
use rubric_lang::project::{self, Opened};
use rubric_lang::source::files::Files;
use rubric_lang::source::{FileId, Source};
use rubric_lang::syntax;

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// The tokens of a text follow one another and give the whole text back.
pub fn lexer(data: &[u8]) {
    let source = Source::new(FileId(0), "fuzz", None, text(data));
    let mut end = 0;
    for token in syntax::token::lex(source.text()) {
        assert_eq!(token.start, end, "a gap between tokens");
        assert!(source.text().get(token.start as usize..token.end as usize).is_some(), "a token inside a character");
        end = token.end;
    }
    assert_eq!(end as usize, source.text().len(), "the last token ends before the text does");
}

/// Parsing never fails, and whatever it says lies in the text.
pub fn parser(data: &[u8]) {
    let source = Source::new(FileId(0), "fuzz", None, text(data));
    let mut sink = Sink::new();
    let _ = syntax::parse(&source, &mut sink);
    for diagnostic in sink.finish() {
        for label in &diagnostic.labels {
            assert_eq!(source.clamp(label.span), label.span.range(), "a span outside the text: {diagnostic:?}");
        }
    }
    let _ = syntax::parse_expression(&source, &mut Sink::new());
    let _ = syntax::parse_type(&source, &mut Sink::new());
    let _ = syntax::parse_items(&source, &mut Sink::new());
}

/// A program comes out exactly where there are no errors; every diagnostic can be shown in every format, and fixes end.
pub fn checker(data: &[u8]) {
    check(&text(data));
}

/// The same for JSON programs: text that begins with a brace.
pub fn json_program(data: &[u8]) {
    let text = text(data);
    let json = if text.trim_start().starts_with('{') { text } else { format!("{{{text}") };
    check(&json);
}

fn check(text: &str) {
    let opened = project::check_files(Files::memory(&[("fuzz.rubric", text)]), FileId(0));
    assert!(!(opened.has_errors() && opened.program.is_some()), "a program with errors");
    show(&opened);
    let errors = opened.counts().0;
    let fixed = project::fix(opened);
    assert!(fixed.opened.counts().0 <= errors, "fixes made more errors");
}

fn show(opened: &Opened) {
    let batches = [Batch { map: opened.files.map(), diagnostics: &opened.diagnostics }];
    for format in [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github, Format::Repair] {
        let _ = render(format, &batches, Look::default());
    }
}

/// Numbers survive being written and read; arithmetic is exact.
pub fn number(data: &[u8]) {
    let text = text(data);
    let (left, right) = text.split_once(' ').unwrap_or((&text, "1"));
    let read = |text: &str| Number::from_exact(text).or_else(|_| Number::from_decimal(text));
    let (Ok(a), Ok(b)) = (read(left), read(right)) else { return };
    assert_eq!(Number::from_exact(&a.exact()).ok().as_ref(), Some(&a), "{a:?} does not survive its exact text");
    let sum = &a + &b;
    assert_eq!(&(&sum - &b), &a, "a + b - b is not a");
    if let Some(quotient) = a.checked_div(&b) {
        assert_eq!(&quotient * &b, a, "a / b * b is not a");
    }
    let _ = (a.to_string(), a.to_f64(), a.cmp(&b));
}
