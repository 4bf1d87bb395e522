//! What a data set expects, and what was found: compared, counted, and written into `docs/evidence.md`.
//!
//! Each set's test ends with [`Expected::prove`], which fails where a figure differs, where one was neither compared nor left out
//! with a reason, and where the set's part of the page says something else than was found. With `RUBRIC_WRITE_EVIDENCE=1` the part is
//! written instead. It knows nothing of how figures come about.

use crate::{number, present, read, same, shared};
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// `expected.json` of a set.
pub struct Expected {
    folder: PathBuf,
    /// Entries that were not compared yet, by name.
    left: HashMap<String, Json>,
    /// Expected and found, by name.
    compared: BTreeMap<String, (Json, Json)>,
    faults: Vec<String>,
}

/// What a set shows.
pub struct Evidence<'a> {
    /// What of the language it exercises.
    pub exercises: &'a str,
    /// Where its program is.
    pub program: &'a str,
    /// Figures that stand in the table.
    pub headlines: &'a [&'a str],
    /// Names (or beginnings, with `*`) of entries that are not compared, and why not.
    pub left_out: &'a [(&'a str, &'a str)],
}

impl Expected {
    pub fn of(folder: &Path) -> Expected {
        let list: Vec<Json> = serde_json::from_str(&read(&folder.join("expected.json"))).unwrap();
        let left = list.into_iter().map(|e| (e["name"].as_str().unwrap().to_owned(), e)).collect();
        Expected { folder: folder.to_owned(), left, compared: BTreeMap::new(), faults: Vec::new() }
    }

    /// Compares a figure with the expected one; all differences are told together at the end.
    pub fn check(&mut self, name: &str, found: impl Into<Json>) {
        let found = found.into();
        let Some(entry) = self.left.remove(name) else {
            self.faults.push(format!("{name}: no such figure is expected (or it was compared before)"));
            return;
        };
        if !same(&entry["value"], &found, number(&entry["tolerance"])) {
            self.faults.push(format!("{name}: expected {}, found {found}", entry["value"]));
        }
        self.compared.insert(name.to_owned(), (entry["value"].clone(), found));
    }

    /// The names still to be compared that fit `wanted`.
    pub fn names(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        self.left.keys().filter(|name| wanted(name)).cloned().collect()
    }

    /// Fails where a figure differed or one that is not named in `left_out` was never compared.
    pub fn finish(mut self, left_out: &[&str]) {
        self.complain(left_out);
    }

    fn complain(&mut self, left_out: &[&str]) {
        for name in self.left.keys() {
            if !left_out.iter().any(|pattern| fits(pattern, name)) {
                self.faults.push(format!("{name}: never compared"));
            }
        }
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
    }

    /// Ends the test of a set: everything expected was found, and the page says so.
    pub fn prove(mut self, evidence: &Evidence<'_>) {
        let patterns: Vec<&str> = evidence.left_out.iter().map(|(pattern, _)| *pattern).collect();
        self.complain(&patterns);
        let set = self.folder.file_name().unwrap().to_string_lossy().into_owned();
        let part = self.part(&set, evidence);
        // Tests run beside each other and write one page.
        static PAGE: Mutex<()> = Mutex::new(());
        let _one = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
        let page = fs::read_to_string(page()).unwrap();
        let mut parts = parts(&page);
        if std::env::var_os("RUBRIC_WRITE_EVIDENCE").is_some() {
            parts.insert(set, part);
            let text: String = parts.values().map(String::as_str).collect();
            fs::write(self::page(), format!("{}{}{text}", head(&page), table(&parts))).unwrap();
        } else {
            let written = parts.get(&set).map_or("", String::as_str);
            assert_eq!(
                written, part,
                "docs/evidence.md: write it anew with RUBRIC_WRITE_EVIDENCE=1 cargo test --test real"
            );
        }
    }

    fn part(&self, set: &str, evidence: &Evidence<'_>) -> String {
        let source = read(&self.folder.join("SOURCE.txt"));
        let all = |key: &str| -> String {
            let lines = source.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
            let mut found: Vec<&str> = lines.map(str::trim).collect();
            found.dedup();
            found.join(", ")
        };
        let what = all("what");
        let what = what.strip_prefix(&format!("{set}: ")).unwrap_or(&what);
        let mut out = format!("{MARK}{set}\n\n{}.\n\n", what.trim_end_matches('.'));
        writeln!(out, "- Source: {} ({})", all("repository"), all("license")).unwrap();
        writeln!(out, "- Exercises: {}", evidence.exercises).unwrap();
        writeln!(out, "- Program: {}", evidence.program).unwrap();
        let count = self.compared.len() + self.left.len();
        writeln!(out, "- Figures: {} of {count} reproduced", self.compared.len()).unwrap();
        for (pattern, why) in evidence.left_out {
            let n = self.left.keys().filter(|name| fits(pattern, name)).count();
            writeln!(out, "- Left out: `{pattern}` ({n}), because {why}").unwrap();
        }
        out.push_str("\n| figure | expected | found |\n| --- | ---: | ---: |\n");
        for name in evidence.headlines {
            let (expected, found) = self.compared.get(*name).unwrap_or_else(|| panic!("{name} was not compared"));
            writeln!(out, "| `{name}` | {} | {} |", shown(expected), shown(found)).unwrap();
        }
        out.push('\n');
        out
    }
}

/// Before the name of a set, at its part of the page.
const MARK: &str = "## ";

fn fits(pattern: &str, name: &str) -> bool {
    name == pattern || pattern.strip_suffix('*').is_some_and(|start| name.starts_with(start))
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence.md")
}

/// The first line of the table.
const TABLE: &str = "| set | exercises | figures |\n";

/// What stands before the table.
fn head(page: &str) -> &str {
    page.find(TABLE).map_or(page, |at| &page[..at])
}

/// The table of the sets, made of their parts.
fn table(parts: &BTreeMap<String, String>) -> String {
    let mut out = format!("{TABLE}| --- | --- | --- |\n");
    for (set, part) in parts {
        let line = |key: &str| part.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("").trim();
        writeln!(out, "| [{set}](#{set}) | {} | {} |", line("- Exercises:"), line("- Figures:")).unwrap();
    }
    out + "\n"
}

/// The parts of the sets, by their names.
fn parts(page: &str) -> BTreeMap<String, String> {
    let first = page.find("\n## ").map_or(page.len(), |at| at + 1);
    let sets = page[first..].split(MARK).filter(|part| !part.is_empty());
    sets.map(|part| (part.lines().next().unwrap().to_owned(), format!("{MARK}{part}"))).collect()
}

/// A value at six decimals, as people read it.
fn shown(value: &Json) -> String {
    match value {
        Json::Number(_) => {
            let rounded = (number(value) * 1e6).round() / 1e6;
            rounded.to_string()
        }
        Json::Array(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Every set has its part, and no part is of a set that is not there.
#[test]
fn the_page_names_every_set() {
    let Some(folder) = present(shared().join("data")) else { return };
    let sets = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut sets: Vec<String> = sets
        .filter(|path| path.join("expected.json").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    sets.sort();
    if std::env::var_os("RUBRIC_WRITE_EVIDENCE").is_none() {
        let page = read(&page());
        let parts = parts(&page);
        assert!(page.contains(&table(&parts)), "the table is not that of the parts: write the page anew");
        assert_eq!(parts.into_keys().collect::<Vec<_>>(), sets);
    }
}
