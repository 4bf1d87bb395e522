//! `rubric fmt`: every program of this project is laid out twice as once, reads the same afterwards, and keeps every comment
//! wherever one can stand. The examples are laid out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use proptest::prelude::*;
use rubric_lang::diagnostics::Sink;
use rubric_lang::format::{self, Refusal, WIDTH};
use rubric_lang::graph::digest;
use rubric_lang::project::{self, programs_below};
use rubric_lang::source::{FileId, Source};
use rubric_lang::syntax::{self, token};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

fn source(text: &str) -> Source {
    Source::new(FileId(0), "t.rubric", None, text)
}

fn laid_out(text: &str) -> String {
    format::format(&source(text)).unwrap_or_else(|refusal| panic!("{refusal:?}\n{text}"))
}

/// The tree without its places.
fn tree(text: &str) -> String {
    let mut sink = Sink::new();
    let file = syntax::parse(&source(text), &mut sink);
    assert!(sink.is_empty(), "{text}");
    let shown = format!("{file:?}");
    shown
        .split("Span {")
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('}').unwrap().1 })
        .collect()
}

fn comments(text: &str) -> Vec<&str> {
    let is_comment = |t: &token::Token| matches!(t.kind, token::Kind::Comment | token::Kind::Doc);
    token::lex(text)
        .iter()
        .filter(|t| is_comment(t))
        .map(|t| text[t.start as usize..t.end as usize].trim_end())
        .collect()
}

/// What holds of every layout.
fn sound(text: &str) -> String {
    let once = laid_out(text);
    assert_eq!(laid_out(&once), once, "laid out twice is not once");
    assert_eq!(tree(text), tree(&once), "the tree has changed\n{once}");
    assert_eq!(comments(text), comments(&once), "comments are lost\n{once}");
    assert!(once.ends_with('\n') && !once.ends_with("\n\n"));
    assert!(!once.contains("\n\n\n"), "two blank lines\n{once}");
    once
}

/// Programs without syntax errors, with their paths.
static PROGRAMS: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["examples", "tests/ui", "src/cli", "../shared/programs"] {
        let Ok(files) = programs_below(&root.join(folder)) else {
            eprintln!("SKIPPED: {folder} is not there");
            continue;
        };
        for path in files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "rubric")) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let mut sink = Sink::new();
            syntax::parse(&source(&text), &mut sink);
            if sink.is_empty() {
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 60, "{} programs", found.len());
    found
});

#[test]
fn every_program_is_laid_out_once_and_for_all() {
    for (path, text) in PROGRAMS.iter() {
        let once = sound(text);
        let Ok(before) = project::open(path) else { continue };
        let (files, id) = before.files.with_text(before.file, once);
        let after = project::check_files(files, id);
        match (&before.program, &after.program) {
            (Some(a), Some(b)) => assert_eq!(digest(a), digest(b), "{}", path.display()),
            (a, b) => assert_eq!(a.is_some(), b.is_some(), "{}", path.display()),
        }
    }
}

#[test]
fn the_examples_are_laid_out() {
    for (path, text) in PROGRAMS.iter().filter(|(path, _)| path.components().any(|c| c.as_os_str() == "examples")) {
        assert_eq!(&laid_out(text), text, "run `rubric fmt examples`: {}", path.display());
    }
}

/// Every form of the language, from which comments and blanks are made.
fn everything() -> &'static str {
    &PROGRAMS.iter().find(|(path, _)| path.ends_with("ok/everything.rubric")).expect("tests/ui/ok").1
}

/// The text with a comment on its own line (or behind what stands there) at the `n`th boundary between tokens.
fn with_comments(text: &str, at: impl Fn(usize) -> Option<&'static str>) -> String {
    let mut out = String::new();
    for (n, token) in token::lex(text).iter().enumerate() {
        if let Some(comment) = at(n) {
            out.push_str(comment);
        }
        out.push_str(&text[token.start as usize..token.end as usize]);
    }
    out
}

#[test]
fn a_comment_between_any_two_tokens_stays() {
    let text = everything();
    let count = token::lex(text).len();
    // Every tenth boundary in each of ten texts, so that each has one and its neighbours have none.
    for own in [" // c\n", "\n\n/// d\n"] {
        for offset in 0..10 {
            sound(&with_comments(text, |n| (n % 10 == offset).then_some(own)));
        }
    }
    sound(&with_comments(text, |_| Some("\n// c\n")));
    sound(&with_comments(text, |_| Some(" // c\n")));
    assert!(count > 500, "{count} tokens");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_blanks_and_comments(seed in prop::collection::vec(0..12_usize, 1..400), which in 0..1000_usize) {
        let blanks = ["", "", "", "", " ", "\n", "\n\n\n", "\t", " // x\n", "\n// y\n", "\n\n// z\n\n", "\r\n"];
        let (_, text) = &PROGRAMS[which % PROGRAMS.len()];
        let text = with_comments(text, |n| Some(blanks[seed[n % seed.len()]]).filter(|b| !b.is_empty()));
        sound(&text);
    }
}

#[test]
fn columns_blank_lines_and_breaks() {
    let text = "rubric t\n\n\n\ninput q: text\nreference gold: text?\ncandidate answer: text\ncriterion a:int[1..5] {\n\
                level 1 \"bad\"\nlevel unknown \"?\" }\n\nchecklist c { +10 x \"X\" -3 \"Y\" }\n\
                reduce r=weighted_mean(\nnormalize(a) weight 3, clamp(points(c),to:score[0..1]) weight 10)\n\
                gate g = cap(r, at: 0.5) when a >= 3 and not c.x\n\
                readout pointwise=bands(g){ below 0.25=>low,below 0.5=>mid,\nrest=>high }\n";
    let want = r#"rubric t

input     q:      text
reference gold:   text?
candidate answer: text
criterion a: int[1..5] {
  level 1       "bad"
  level unknown "?"
}

checklist c {
  +10 x "X"
  -3  "Y"
}
reduce r = weighted_mean(
  normalize(a)                      weight 3,
  clamp(points(c), to: score[0..1]) weight 10,
)
gate   g = cap(r, at: 0.5) when a >= 3 and not c.x
readout pointwise = bands(g) { below 0.25 => low, below 0.5 => mid, rest => high }
"#;
    // `reduce` stands on several lines, so the gate below it is no row of a run.
    assert_eq!(sound(text), want.replace("gate   g", "gate g"));
}

#[test]
fn what_is_too_long_is_broken_at_its_weakest_joint() {
    let long = |n: usize| "a".repeat(n);
    let text = format!(
        "rubric t\ncandidate y: text\ncriterion {a}: bool \"q\"\ncriterion {b}: bool \"q\"\n\
         gate g = veto(all_of({a}, {b}), to: 0) when {a} and not {b} or {b} and not {a}\nreadout pointwise = g\n",
        a = long(40),
        b = long(41)
    );
    let once = sound(&text);
    assert!(once.contains("\n  when "), "{once}");
    assert!(once.contains("\n    or "), "{once}");
    assert!(once.lines().all(|line| line.len() <= WIDTH), "{once}");
}

#[test]
fn text_blocks_move_with_their_lines_and_keep_their_value() {
    let text = "rubric t\ncandidate y: text\ncriterion a: bool { ask \"\"\"\n        One\n\n          two\n        \"\"\" }\n\
                criterion b: bool { ask \"\"\"first\n  second\"\"\" }\n";
    let once = sound(text);
    assert!(once.contains("  ask \"\"\"\n    One\n\n      two\n  \"\"\"\n"), "{once}");
    assert!(
        once.contains("{ ask \"\"\"first\n  second\"\"\" }") || once.contains("ask \"\"\"first\n  second\"\"\"\n"),
        "{once}"
    );
}

#[test]
fn line_ends_are_those_of_the_first_line() {
    let once = laid_out("rubric t\r\ncandidate y:text\r\ncriterion a: bool {\r\n ask \"\"\"\r\n   x\r\n \"\"\"\n}\n");
    assert_eq!(once.matches("\r\n").count(), once.matches('\n').count(), "{once:?}");
    assert!(!laid_out("rubric t\ncandidate y: text\r\n").contains('\r'));
}

#[test]
fn files_with_syntax_errors_and_slips_are_left_alone() {
    for text in
        ["rubric t\ncriterion", "rubric t\ncandidate y: text\ncriterion a: bool { ask: \"x\" }", "scale a = bool"]
    {
        assert!(matches!(format::format(&source(text)), Err(Refusal::Syntax(_))), "{text}");
    }
}

fn rubric(arguments: &[&str], stdin: &str, folder: &Path) -> (i32, String, String) {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_writes_checks_and_refuses() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let bad = "\u{feff}rubric t\ncandidate y:text\n";
    let good = "\u{feff}rubric t\ncandidate y: text\n";
    std::fs::write(path("a.rubric"), bad).unwrap();
    std::fs::write(path("b.rubric"), "rubric b\ncandidate y: text\n").unwrap();

    let (code, out, err) = rubric(&["fmt", "--check"], "", place.path());
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("-candidate y:text\n+candidate y: text"), "{out}");
    assert!(out.contains("a.rubric") && !out.contains("b.rubric"), "{out}");
    assert_eq!(std::fs::read_to_string(path("a.rubric")).unwrap(), bad, "--check writes nothing");

    assert_eq!(rubric(&["fmt", "."], "", place.path()).0, 0);
    assert_eq!(std::fs::read_to_string(path("a.rubric")).unwrap(), good);
    assert_eq!(rubric(&["fmt", "--check", "a.rubric"], "", place.path()).0, 0);

    let (code, out, _) = rubric(&["fmt", "-"], "rubric t\ncandidate y:text", place.path());
    assert_eq!((code, out.as_str()), (0, "rubric t\ncandidate y: text\n"));

    std::fs::write(path("broken.rubric"), "rubric t\ncandidate y:text\ncriterion a: bool { asks }").unwrap();
    let before = std::fs::read(path("broken.rubric")).unwrap();
    let (code, out, err) = rubric(&["fmt", "broken.rubric"], "", place.path());
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("R0101") && err.contains("left alone"), "{err}");
    assert_eq!(std::fs::read(path("broken.rubric")).unwrap(), before);

    assert_eq!(rubric(&["fmt", "none.rubric"], "", place.path()).0, 2);
}
