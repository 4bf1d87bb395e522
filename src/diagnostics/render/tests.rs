//! Snapshots of every format, and what no renderer may do: fail on a wild span, or pass on what harms a terminal.

use super::*;
use crate::diagnostics::{Code, Diagnostic, Edit, codes};
use crate::source::FileId;
use proptest::prelude::*;

const FORMATS: [Format; 6] =
    [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github, Format::Repair];

const TEXT: &str = "/// Grades an essay.\nrubric essay\n\ncandidate essay: text\n\ncriterion clear: int[1..5] {\n\task: \"Is it clear? 😀\"\n}\n\nreadout pointwise = cleer\n";

fn sample() -> (SourceMap, Vec<Diagnostic>) {
    let mut map = SourceMap::new();
    let file = map.add("essay.rubric", None, TEXT);
    let at = |word: &str| {
        let start = TEXT.rfind(word).unwrap();
        Span::new(file, start, start + word.len())
    };
    let colon = Span::new(file, at("ask:").end as usize - 1, at("ask:").end as usize);
    let found = vec![
        Diagnostic::error(Code(101), colon, "`ask` takes no colon", "this colon")
            .help("write the question right after `ask`")
            .fix("remove the colon", vec![Edit::new(colon, "")])
            .expected(vec!["a text".to_owned(), "`level`".to_owned(), "`judge`".to_owned()]),
        Diagnostic::warning(Code(101), at("cleer"), "nothing is called `cleer`", "not declared")
            .also(at("clear:"), "`clear` is declared here")
            .help("did you mean `clear`?")
            .note("names are declared anywhere in the file")
            .suggestion("write `clear`", vec![Edit::new(at("cleer"), "clear")]),
    ];
    (map, found)
}

fn shown(format: Format) -> String {
    let (map, diagnostics) = sample();
    render(format, &[Batch { map: &map, diagnostics: &diagnostics }], Look::default())
}

#[test]
fn human() {
    insta::assert_snapshot!(shown(Format::Human));
}

#[test]
fn concise() {
    insta::assert_snapshot!(shown(Format::Concise));
}

#[test]
fn github() {
    insta::assert_snapshot!(shown(Format::Github));
}

#[test]
fn repair() {
    insta::assert_snapshot!(shown(Format::Repair));
}

#[test]
fn json_fits_its_published_schema() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../grammar/diagnostics.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = shown(Format::Json);
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}\n{line}");
        let mut loose = value.clone();
        loose["extra"] = true.into();
        assert!(!validator.is_valid(&loose));
    }
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["place"]["start"], serde_json::json!({ "line": 7, "column": 5, "offset": 91 }));
}

#[test]
fn sarif_has_what_the_standard_demands() {
    let log: serde_json::Value = serde_json::from_str(&shown(Format::Sarif)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["level"], "error");
    assert_eq!(results[1]["level"], "warning");
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startColumn"], 5);
    assert_eq!(results[1]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 6);
    let change = &results[0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "essay.rubric");
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "");
}

#[test]
fn nothing_found_is_said_in_every_format() {
    let map = SourceMap::new();
    let batches = [Batch { map: &map, diagnostics: &[] }];
    for format in [Format::Human, Format::Concise, Format::Json, Format::Github] {
        assert_eq!(render(format, &batches, Look::default()), "");
    }
    assert_eq!(render(Format::Repair, &batches, Look::default()), "0 errors, 0 warnings\n");
    assert!(render(Format::Sarif, &batches, Look::default()).contains("\"results\": []"));
}

#[test]
fn a_file_cannot_write_to_the_terminal() {
    let mut map = SourceMap::new();
    let file = map.add("a\u{1b}[2J.rubric", None, "a \u{1b}[31m \u{202e} b\u{2028}c\u{85}d\u{c}e\n");
    let span = Span::new(file, 0, 30);
    let found = [Diagnostic::error(Code(101), span, "h\u{1b}[0m", "l\u{1b}").help("p\u{1b}").note("\u{202e}")];
    for format in [Format::Human, Format::Concise, Format::Repair] {
        let text = render(format, &[Batch { map: &map, diagnostics: &found }], Look::default());
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{85}', '\u{c}']), "{text:?}");
    }
}

#[test]
fn a_line_of_a_megabyte_is_cut_to_the_place() {
    let mut map = SourceMap::new();
    let text = format!("{}FAULT{}", "x".repeat(500_000), "y".repeat(500_000));
    let file = map.add("a", None, text);
    let found = [Diagnostic::error(Code(101), Span::new(file, 500_000, 500_005), "here it is", "this")];
    for format in [Format::Human, Format::Repair] {
        let text = render(format, &[Batch { map: &map, diagnostics: &found }], Look::default());
        assert!(text.len() < 1_500 && text.contains("FAULT") && text.contains("^^^^^ this"), "{text}");
    }
}

#[test]
fn repair_is_bounded_and_tells_errors_before_warnings() {
    let mut map = SourceMap::new();
    let file = map.add("a", None, "word ".repeat(20_000));
    let at = |i: usize| Span::new(file, i * 5, i * 5 + 4);
    let mut found: Vec<Diagnostic> = (0..500).map(|i| Diagnostic::warning(Code(101), at(i), "w", "")).collect();
    found.push(Diagnostic::error(Code(101), at(9_000), "the error".repeat(1000), ""));
    let text = render(Format::Repair, &[Batch { map: &map, diagnostics: &found }], Look::default());
    assert!(text.len() < 25_000);
    assert!(text.starts_with("1 error, 500 warnings\n\n1. error R0101 at a:1:45001: the error"), "{text}");
    assert!(text.ends_with("481 more, left out here: mend these first and check again.\n"));
}

#[test]
fn people_are_told_everything_however_much_there_is() {
    let mut map = SourceMap::new();
    let file = map.add("a", None, "word\n".repeat(3_000));
    let found: Vec<Diagnostic> =
        (0..3_000).map(|i| Diagnostic::error(Code(101), Span::new(file, i * 5, i * 5 + 4), "w", "")).collect();
    let text = render(Format::Human, &[Batch { map: &map, diagnostics: &found }], Look::default());
    assert!(text.contains("a:1:1") && text.ends_with("a:3000:1: error[R0101] w\n"));
}

#[test]
fn lines_count_alike_whatever_ends_them() {
    let mut map = SourceMap::new();
    let file = map.add("a", None, "one\r\ntwo\u{2028}\rthree\u{b}\r\nx\n");
    let span = Span::new(file, map.get(file).unwrap().text().find('x').unwrap(), 100);
    let found = [Diagnostic::error(Code(101), span, "h", "l")];
    let text = |format| render(format, &[Batch { map: &map, diagnostics: &found }], Look::default());
    assert!(text(Format::Human).contains("a:3:1"), "{}", text(Format::Human));
    assert!(text(Format::Concise).starts_with("a:3:1:"));
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("\t"),
        Just("😀"),
        Just("é"),
        Just("👩‍👩‍👧"),
        Just("\u{feff}"),
        Just("rubric x"),
        Just("\u{2028}"),
        Just("\u{202e}"),
        Just("\u{1b}["),
        Just("e\u{301}"),
        Just(" "),
        Just("a very long stretch of words that goes on and on, and on, and then a little further on still, and on "),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn spans() -> impl Strategy<Value = Span> {
    let offset = prop_oneof![0u32..60, Just(u32::MAX), 0u32..400];
    (0u32..4, offset.clone(), offset).prop_map(|(file, start, end)| Span { file: FileId(file), start, end })
}

fn found() -> impl Strategy<Value = Diagnostic> {
    let code = prop::sample::select(codes::all().map(|(code, _)| code).collect::<Vec<_>>());
    let labels = prop::collection::vec((spans(), texts()), 0..4);
    let edits = prop::collection::vec((spans(), texts()), 0..3);
    (code, labels, edits, texts(), any::<bool>()).prop_map(|(code, labels, edits, text, odd)| {
        let mut d = Diagnostic::error(code, Span::default(), text.clone(), "");
        d.labels = labels.into_iter().map(|(span, text)| crate::diagnostics::Label { span, text }).collect();
        d = if odd { d.help(text.clone()).note(text.clone()).expected(vec![text.clone()]) } else { d };
        d.pointer = odd.then_some(text);
        d.fix("mend", edits.into_iter().map(|(span, text)| Edit::new(span, text)).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_span_is_too_wild_for_any_renderer(
        files in prop::collection::vec(texts(), 0..3),
        diagnostics in prop::collection::vec(found(), 0..4),
        colours: bool,
        width in 0usize..200,
    ) {
        let mut map = SourceMap::new();
        for text in &files {
            map.add("a,b:c\n.rubric", None, text.as_str());
        }
        let batches = [Batch { map: &map, diagnostics: &diagnostics }];
        for format in FORMATS {
            let text = render(format, &batches, Look { colours, width });
            prop_assert_eq!(&text, &render(format, &batches, Look { colours, width }));
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            match format {
                Format::Json => {
                    prop_assert_eq!(text.lines().count(), diagnostics.len());
                    prop_assert!(text.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()));
                }
                Format::Concise | Format::Github => prop_assert_eq!(text.lines().count(), diagnostics.len()),
                Format::Sarif => prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok()),
                Format::Human | Format::Repair => {}
            }
        }
    }
}
