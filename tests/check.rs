//! The commands `check`, `explain` and `new` as a user runs them: output, exit codes, files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CLEAN: &str =
    "rubric essay\n\ncandidate essay: text\n\ncriterion clear: bool \"Is it clear?\"\n\nreadout pointwise = clear\n";
/// A name that nothing declares.
const FAULTY: &str =
    "rubric essay\n\ncandidate essay: text\n\ncriterion clear: bool \"Is it clear?\"\n\nreadout pointwise = cleer\n";
/// A slip that has a fix.
const SLIP: &str = "rubric essay\n\ncandidate essay: text\n\ncriterion clear: bool {\n  ask: \"Is it clear?\"\n}\n\nreadout pointwise = clear\n";

fn rubric(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rubric")).current_dir(folder).args(args).env("NO_COLOR", "1").output().unwrap()
}

fn piped(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_clean_program_says_so_on_standard_error_only() {
    let dir = folder(&[("a.rubric", CLEAN)]);
    let done = rubric(dir.path(), &["check", "a.rubric"]);
    assert_eq!((code(&done), out(&done).as_str()), (0, ""), "{}", err(&done));
    assert_eq!(err(&done), "1 file checked: no mistakes\n");
    // What was proved is told, and only what was.
    let text = format!("{CLEAN}\nrequire \"it is itself\" {{ when clear: pointwise }}\n");
    let dir = folder(&[("a.rubric", &text)]);
    assert_eq!(err(&rubric(dir.path(), &["check", "a.rubric"])), "1 file checked: no mistakes, 1 requirement proved\n");
    let unproved = rubric(dir.path(), &["check", "a.rubric", "--prove-budget", "0"]);
    assert_eq!(err(&unproved), "1 file checked: no mistakes\n");
}

#[test]
fn of_several_files_the_worst_decides_and_all_are_checked() {
    let dir = folder(&[("a.rubric", CLEAN), ("b.rubric", FAULTY)]);
    let check = |files: &[&str]| rubric(dir.path(), &[&["check", "--format", "concise"], files].concat());
    let faults = check(&["a.rubric", "b.rubric"]);
    assert_eq!(code(&faults), 1);
    assert!(out(&faults).starts_with("b.rubric:7:21: error[R0"), "{}", out(&faults));
    let unread = check(&["none.rubric", "b.rubric"]);
    assert_eq!(code(&unread), 2);
    assert!(out(&unread).starts_with("b.rubric:7:21: error"), "{}", out(&unread));
    assert!(err(&unread).contains("`none.rubric` does not exist"), "{}", err(&unread));
    assert!(err(&unread).ends_with("1 file checked: 1 error; 1 file could not be read\n"), "{}", err(&unread));
    assert!(err(&check(&["none.rubric"])).ends_with("\n1 file could not be read\n"));
}

#[test]
fn a_folder_stands_for_the_programs_below_it() {
    let dir =
        folder(&[("p/a.rubric", CLEAN), ("p/deep/b.rubric", FAULTY), ("p/.git/c.rubric", FAULTY), ("p/d.txt", FAULTY)]);
    let done = rubric(dir.path(), &["check", "--format", "concise", "p"]);
    assert_eq!(code(&done), 1);
    assert_eq!(out(&done).lines().count(), 1, "{}", out(&done));
    assert!(err(&done).contains("2 files checked: 1 error"), "{}", err(&done));
    let empty = folder(&[("x.txt", "")]);
    assert_eq!(code(&rubric(empty.path(), &["check", "."])), 2);
}

#[test]
fn what_is_no_text_is_unreadable() {
    let dir = folder(&[("empty.rubric", "")]);
    std::fs::write(dir.path().join("latin.rubric"), b"rubric a\n// caf\xe9\n").unwrap();
    std::fs::create_dir(dir.path().join("folder.rubric")).unwrap();
    for (name, says) in
        [("empty.rubric", "is empty"), ("latin.rubric", "line 2, column 7"), ("gone.rubric", "does not exist")]
    {
        let done = rubric(dir.path(), &["check", name]);
        assert_eq!(code(&done), 2, "{name}");
        let words = err(&done).split_whitespace().collect::<Vec<_>>().join(" ").replace(" │ ", " ");
        assert!(words.contains(says), "{name}: {words}");
    }
}

#[test]
fn standard_input_is_a_file_too() {
    let dir = folder(&[]);
    let done = piped(dir.path(), &["check", "-", "--format", "concise"], FAULTY.as_bytes());
    assert_eq!(code(&done), 1);
    assert!(out(&done).starts_with("<stdin>:7:21: error"), "{}", out(&done));
    assert_eq!(code(&piped(dir.path(), &["check", "-"], b"\xff")), 2);
}

#[test]
fn fixes_are_written_and_keep_byte_order_mark_and_line_ends() {
    let dir = folder(&[]);
    let path = dir.path().join("a.rubric");
    std::fs::write(&path, format!("\u{feff}{}", SLIP.replace('\n', "\r\n"))).unwrap();
    assert_eq!(code(&rubric(dir.path(), &["check", "a.rubric"])), 1);
    let done = rubric(dir.path(), &["check", "--fix", "a.rubric"]);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    assert!(err(&done).contains("1 mistake was mended"), "{}", err(&done));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("\u{feff}{}", SLIP.replace("ask:", "ask").replace('\n', "\r\n")));
}

#[test]
fn a_file_without_fixes_is_not_touched() {
    let dir = folder(&[("a.rubric", FAULTY)]);
    let path = dir.path().join("a.rubric");
    let before = path.metadata().unwrap().modified().unwrap();
    assert_eq!(code(&rubric(dir.path(), &["check", "--fix", "a.rubric"])), 1);
    assert_eq!(path.metadata().unwrap().modified().unwrap(), before);
}

#[test]
fn whoever_stops_reading_stops_it_without_a_word() {
    let many: String = (0..20_000).map(|i| format!("observe nothing_{i}\n")).collect();
    let dir = folder(&[("a.rubric", &format!("{CLEAN}{many}"))]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .current_dir(dir.path())
        .args(["check", "--format", "concise", "a.rubric"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0u8; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let done = child.wait_with_output().unwrap();
    assert_eq!(code(&done), 1);
    assert!(err(&done).ends_with("20000 errors\n"), "{}", err(&done));
}

#[test]
fn a_new_program_is_clean_and_is_never_overwritten() {
    let dir = folder(&[]);
    assert_eq!(code(&rubric(dir.path(), &["new", "my-essay"])), 0);
    let text = std::fs::read_to_string(dir.path().join("my-essay.rubric")).unwrap();
    assert!(text.contains("rubric my_essay\n"));
    let check = rubric(dir.path(), &["check", "--deny-warnings", "my-essay.rubric"]);
    assert_eq!(code(&check), 0, "{}", out(&check));
    let test = rubric(dir.path(), &["test", "my-essay.rubric"]);
    assert_eq!(code(&test), 0, "{}{}", out(&test), err(&test));
    std::fs::write(dir.path().join("my-essay.rubric"), "mine").unwrap();
    let again = rubric(dir.path(), &["new", "my-essay.rubric"]);
    assert_eq!(code(&again), 2);
    assert!(err(&again).contains("exists already"), "{}", err(&again));
    assert_eq!(std::fs::read_to_string(dir.path().join("my-essay.rubric")).unwrap(), "mine");
    assert_eq!(code(&rubric(dir.path(), &["new", "2nd"])), 2);
    // What is to be typed next can be typed.
    let spaced = rubric(dir.path(), &["new", "my essay"]);
    assert!(err(&spaced).contains("`rubric check 'my essay.rubric'`"), "{}", err(&spaced));
}

/// A library that a library uses is named as the user reaches it, so that an annotation finds the file.
#[test]
fn mistakes_in_a_library_of_a_library_are_told_with_its_path() {
    let dir = folder(&[
        ("rubric.toml", ""),
        (
            "main.rubric",
            "rubric m\nuse \"lib/a.rubric\" as a\ncandidate x: text\ncriterion z: score[0..1] \"z?\"\nreadout pointwise = z\n",
        ),
        ("lib/a.rubric", "library a\nuse \"deep/b.rubric\" as b\n"),
        ("lib/deep/b.rubric", "library b\nuse \"../c.rubric\" as c\n"),
        ("lib/c.rubric", "library c\nuse \"deep/b.rubric\" as b\nscale s = int[1..]\n"),
    ]);
    let told = out(&rubric(dir.path(), &["check", "--format", "github", "main.rubric"]));
    assert!(
        told.contains("file=lib/c.rubric,line=3,") && told.contains("`lib/c.rubric` → `lib/deep/b.rubric`"),
        "{told}"
    );
    assert!(!told.contains(&*dir.path().to_string_lossy()), "{told}");
}

#[test]
fn codes_are_explained_and_listed() {
    let dir = folder(&[]);
    let list = out(&rubric(dir.path(), &["explain"]));
    assert!(list.starts_with("R0101  "), "{list}");
    let page = out(&rubric(dir.path(), &["explain", "r0101"]));
    assert!(page.starts_with("# R0101: ") && page.contains("## Mended"), "{page}");
    let unknown = rubric(dir.path(), &["explain", "R9999"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("no code `R9999`"), "{}", err(&unknown));
}

#[test]
fn every_format_is_given_by_its_name() {
    let dir = folder(&[("a.rubric", FAULTY)]);
    for (format, start) in [
        ("human", "[R0"),
        ("concise", "a.rubric:7:21: error["),
        ("json", "{\"code\":\"R0"),
        ("sarif", "{\n  \"$schema\""),
        ("github", "::error file=a.rubric,line=7,col=21,endColumn=26,title="),
        ("repair", "1 error, 0 warnings\n\n1. error R0"),
    ] {
        let done = rubric(dir.path(), &["check", "--format", format, "a.rubric"]);
        assert_eq!(code(&done), 1);
        assert!(out(&done).starts_with(start), "{format}: {}", out(&done));
    }
}
