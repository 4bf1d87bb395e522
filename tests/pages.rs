//! Compiles both examples of every page of `docs/codes/`: the failing one gives exactly its code, the mended one is clean.
//!
//! A fenced block whose first line is ```` ```rubric lib.rubric ```` is a further file that both examples can use. Examples
//! in ```` ```csv ```` are tables of the DSG importer: questions, or answers where the page has a file `questions.csv`.
//! With a file `contract.json` the examples are what a model answered to a task with that contract.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use rubric_lang::compile::answer;
use rubric_lang::compile::specification::Written;
use rubric_lang::diagnostics::{Code, Diagnostic, Sink, codes, pages};
use rubric_lang::import::dsg;
use rubric_lang::project;
use rubric_lang::prove::{self, Budget};
use rubric_lang::source::files::Files;
use rubric_lang::source::{FileId, Source};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A page in its parts.
#[derive(Debug, Default)]
struct Page {
    title: String,
    prose: String,
    fails: String,
    mended: String,
    why: String,
    /// Name and text.
    side: Vec<(String, String)>,
    /// The examples are tables, not programs.
    table: bool,
}

fn read(text: &str) -> Page {
    let mut page = Page::default();
    let (mut section, mut fence) = (String::new(), None::<String>);
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            let side = info.split_once(' ').map(|(_, name)| name.trim().to_owned());
            if fence.is_none()
                && let Some(name) = &side
            {
                page.side.push((name.clone(), String::new()));
            }
            page.table |= info == "csv";
            fence = if fence.is_some() { None } else { Some(side.unwrap_or_default()) };
            continue;
        }
        let target = match (&fence, section.as_str()) {
            (Some(name), _) if !name.is_empty() => &mut page.side.last_mut().unwrap().1,
            (Some(_), "Fails") => &mut page.fails,
            (Some(_), "Mended") => &mut page.mended,
            (Some(_), other) => panic!("a block in the section `{other}`"),
            (None, _) if line.starts_with("# ") => {
                line.trim_start_matches("# ").clone_into(&mut page.title);
                continue;
            }
            (None, _) if line.starts_with("## ") => {
                line.trim_start_matches("## ").clone_into(&mut section);
                continue;
            }
            (None, "Why") => &mut page.why,
            (None, "") => &mut page.prose,
            (None, _) => continue,
        };
        target.push_str(line);
        target.push('\n');
    }
    page
}

/// What an example gives, in the order of its lines.
fn check(page: &Page, example: &str) -> Vec<Diagnostic> {
    if page.table {
        return import(page, example);
    }
    if let Some((_, contract)) = page.side.iter().find(|(name, _)| name == "contract.json") {
        return compiled(contract, example);
    }
    let mut list = vec![("example.rubric", example)];
    list.extend(page.side.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let opened = project::check_files(Files::memory(&list), FileId(0));
    let budget = Budget { boxes: 500, time: Duration::from_secs(60) };
    let proofs = opened.program.iter().flat_map(|program| prove::check(program, &budget));
    opened.diagnostics.iter().cloned().chain(proofs).collect()
}

/// What is wrong with a program that is held against a task contract.
fn compiled(contract: &str, example: &str) -> Vec<Diagnostic> {
    let mut written = Written::default();
    let parts: serde_json::Map<String, serde_json::Value> = serde_json::from_str(contract).unwrap();
    for (key, value) in &parts {
        assert!(written.set(key, value.as_str().unwrap()), "a contract has no `{key}`");
    }
    answer::check(example, &written.read().unwrap()).opened.diagnostics
}

fn import(page: &Page, example: &str) -> Vec<Diagnostic> {
    let source = |text: &str| Source::new(FileId(0), "table.csv", None, text);
    let mut sink = Sink::new();
    match page.side.iter().find(|(name, _)| name == "questions.csv") {
        Some((_, questions)) => {
            let items = dsg::questions(&source(questions), false, &mut sink);
            dsg::answers(&source(example), &items, &mut sink);
        }
        None => drop(dsg::questions(&source(example), false, &mut sink)),
    }
    sink.finish()
}

fn codes_of(found: &[Diagnostic]) -> BTreeSet<Code> {
    found.iter().map(|d| d.code).collect()
}

fn lines(found: &[Diagnostic]) -> String {
    found.iter().map(|d| format!("    {} {}\n", d.code, d.headline)).collect()
}

#[test]
fn the_examples_of_every_page_do_what_it_says() {
    let mut report = Vec::new();
    for (code, text) in pages::all() {
        let page = read(text);
        if page.title != format!("{code}: {}", code.title()) {
            report.push(format!("{code}: the heading is `# {}`, not `# {code}: {}`", page.title, code.title()));
        }
        for (what, part) in [
            ("a paragraph", &page.prose),
            ("a block under `## Fails`", &page.fails),
            ("a block under `## Mended`", &page.mended),
            ("a text under `## Why`", &page.why),
        ] {
            if part.trim().is_empty() {
                report.push(format!("{code}: the page lacks {what}"));
            }
        }
        let fails = check(&page, &page.fails);
        if codes_of(&fails) != BTreeSet::from([code]) {
            report.push(format!("{code}: the failing example gives\n{}", lines(&fails)));
        }
        let mended = check(&page, &page.mended);
        if mended.iter().any(Diagnostic::is_error) || codes_of(&mended).contains(&code) {
            report.push(format!("{code}: the mended example gives\n{}", lines(&mended)));
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n"));
}

#[test]
fn pages_folder_and_register_name_the_same_codes() {
    let register: BTreeSet<String> = codes::all().map(|(code, _)| code.to_string()).collect();
    let embedded: BTreeSet<String> = pages::all().map(|(code, _)| code.to_string()).collect();
    let folder: BTreeSet<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/codes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".md").to_owned())
        .filter(|name| name != "README")
        .collect();
    let without_page: Vec<&String> = register.difference(&folder).collect();
    let without_code: Vec<&String> = folder.difference(&register).collect();
    assert!(without_page.is_empty(), "codes without a page in docs/codes: {without_page:?}");
    assert!(without_code.is_empty(), "pages of codes that the register does not have: {without_code:?}");
    assert_eq!(embedded, folder, "left: pages in the binary; right: pages in docs/codes");
}

#[test]
fn no_code_is_given_twice_and_all_are_in_order() {
    let all: Vec<Code> = codes::all().map(|(code, _)| code).collect();
    let sorted: BTreeSet<Code> = all.iter().copied().collect();
    assert_eq!(all.len(), sorted.len(), "a number is given twice");
    for code in all {
        assert_eq!(Code::parse(&code.to_string().to_lowercase()), Some(code));
        assert!(!code.title().is_empty());
    }
}
