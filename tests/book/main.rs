//! The book: every step of its tutorial and its how-to pages is carried out, every link leads somewhere, and every page is listed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod links;
mod steps;

use std::path::{Path, PathBuf};

pub fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The pages whose blocks are steps.
fn walked() -> Vec<PathBuf> {
    let mut pages = vec![docs().join("tutorial.md")];
    let howto = std::fs::read_dir(docs().join("howto")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(howto.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.sort();
    pages
}

/// With `RUBRIC_WRITE_BOOK=1` what commands say is written into the pages instead of compared.
#[test]
fn every_step_says_what_the_page_shows() {
    let write = std::env::var_os("RUBRIC_WRITE_BOOK").is_some();
    let mut commands = 0;
    for page in walked() {
        let text = std::fs::read_to_string(&page).unwrap();
        let done = steps::walk(&text, &page.display().to_string());
        commands += done.commands;
        if write {
            std::fs::write(&page, &done.text).unwrap();
        } else {
            assert!(done.faults.is_empty(), "{}", done.faults.join("\n\n"));
        }
    }
    assert!(commands > 20, "only {commands} commands were found in the book");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let mut pages = Vec::new();
    for folder in [docs(), docs().join("howto")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("SUMMARY.md") {
                pages.push(path.strip_prefix(docs()).unwrap().display().to_string());
            }
        }
    }
    let absent: Vec<&String> = pages.iter().filter(|page| !summary.contains(&format!("({page})"))).collect();
    assert!(absent.is_empty(), "docs/SUMMARY.md does not list {absent:?}");
}

/// The table of contents and the list of codes that follow from the codes' pages.
fn written() -> [(PathBuf, String); 2] {
    let list: Vec<(String, &str)> =
        rubric_lang::diagnostics::codes::all().map(|(code, title)| (code.to_string(), title)).collect();
    let mut page = CODES.to_owned();
    let mut stage = String::new();
    for (code, title) in &list {
        // The first two digits are the part of the checker that finds it.
        if code[1..3] != stage {
            code[1..3].clone_into(&mut stage);
            page.push_str("\n| code | mistake |\n| --- | --- |\n");
        }
        page.push_str(&format!("| [{code}](codes/{code}.md) | {} |\n", title.replace('|', "\\|")));
    }
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let (before, after) = summary.split_once(CODES_LINE).expect("the line of the list of codes");
    let after = after.trim_start_matches(|c| c != '\n').trim_start_matches('\n');
    let after: String =
        after.lines().filter(|line| !line.contains("](codes/")).map(|line| format!("{line}\n")).collect();
    let lines: String = list.iter().map(|(code, _)| format!("  - [{code}](codes/{code}.md)\n")).collect();
    [(docs().join("codes.md"), page), (docs().join("SUMMARY.md"), format!("{before}{CODES_LINE}\n{lines}{after}"))]
}

const CODES: &str = "# All diagnostics\n\nEvery mistake that the checker reports has a code and a page, with an example that fails and the same one mended.\n\
    `rubric explain R0401` prints a page; `rubric explain` lists them all. This list is written from the source.\n";
const CODES_LINE: &str = "- [All diagnostics](codes.md)";

/// With `RUBRIC_WRITE_BOOK=1` they are written.
#[test]
fn the_codes_are_those_of_the_source() {
    for (path, text) in written() {
        if std::env::var_os("RUBRIC_WRITE_BOOK").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(&path).is_ok_and(|old| old == text),
            "{} is not what the source says; RUBRIC_WRITE_BOOK=1 writes it",
            path.display()
        );
    }
}

/// The book as mdBook makes it, where that is there.
#[test]
fn the_book_is_built() {
    let Some(mdbook) = std::env::var_os("RUBRIC_MDBOOK") else {
        eprintln!("SKIPPED: RUBRIC_MDBOOK does not name mdBook, so the book is not built");
        return;
    };
    let made = tempfile::tempdir().unwrap();
    let output =
        std::process::Command::new(mdbook).arg("build").arg(docs()).arg("-d").arg(made.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains("WARN") && !said.contains("ERROR"), "{said}");
    let page = std::fs::read_to_string(made.path().join("tutorial.html")).unwrap();
    assert!(page.contains("language-rubric") && page.contains("theme/rubric"), "the tutorial has no coloured programs");
    for name in ["language.html", "codes/R0401.html", "howto/ci.html", "catalog.html"] {
        assert!(made.path().join(name).is_file(), "{name} was not made");
    }
}
