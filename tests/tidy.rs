//! What no compiler checks about the sources: layers, headers, lengths, and that only the command line prints.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The modules of the crate, lowest first. Each may use those before it, and itself. `docs/architecture.md` says why.
const LAYERS: &[&str] = &[
    "number",
    "source",
    "diagnostics",
    "types",
    "syntax",
    "format",
    "catalog",
    "rules",
    "graph",
    "resolve",
    "check",
    "json",
    "project",
    "ide",
    "run",
    "prove",
    "mutate",
    "why",
    "profile",
    "judge",
    "author",
    "import",
    "export",
    "quality",
    "tags",
    "evaluate",
    "report",
    "expand",
    "compile",
    "lsp",
    "cli",
];

/// Lines of a file; longer ones are to be split by behaviour.
const LONGEST: usize = 700;

fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file of the folder, with its path relative to the crate and its text.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![crate_root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_none_or(|n| n != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(crate_root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn layer_of(file: &str) -> Option<usize> {
    let module = file.strip_prefix("src/")?.split(['/', '.']).next()?;
    LAYERS.iter().position(|layer| *layer == module)
}

/// The text without comments and without what is compiled for tests only, line for line.
fn code(file: &str, text: &str) -> Vec<String> {
    let mut skipping = is_for_tests(file);
    let mut lines = Vec::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        // Test modules stand last in their files; what ends in `;` (a module elsewhere, an import) is one line.
        skipping |= line.starts_with("#[cfg(test)]") && rest.peek().is_some_and(|next| !next.ends_with(';'));
        let before_comment = line.split("//").next().unwrap_or_default();
        lines.push(if skipping { String::new() } else { before_comment.to_owned() });
    }
    lines
}

/// Whether the module of a file, or one that it lies in, is declared for tests only.
fn is_for_tests(file: &str) -> bool {
    Path::new(file).ancestors().filter(|path| path.file_stem().is_some()).any(|path| {
        let name = path.file_stem().unwrap().to_string_lossy();
        let Some(folder) = path.parent() else { return false };
        let parents = [folder.join("mod.rs"), folder.with_extension("rs"), folder.join("lib.rs")];
        parents.iter().filter_map(|parent| std::fs::read_to_string(crate_root().join(parent)).ok()).any(|text| {
            let mut lines = text.lines();
            std::iter::from_fn(|| {
                lines.find(|line| *line == "#[cfg(test)]")?;
                lines.next()
            })
            .any(|line| line.trim_start_matches("pub ").trim_start_matches("pub(crate) ") == format!("mod {name};"))
        })
    })
}

#[test]
fn modules_use_only_those_below_them() {
    let mut report = Vec::new();
    for (file, text) in rust_files("src") {
        let Some(own) = layer_of(&file) else { continue };
        for (number, line) in code(&file, &text).iter().enumerate() {
            for part in line.split("crate::").skip(1) {
                let used: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                match LAYERS.iter().position(|layer| *layer == used) {
                    Some(layer) if layer > own => {
                        report.push(format!(
                            "{file}:{}: `{}` uses `{used}`, which is above it",
                            number + 1,
                            LAYERS[own]
                        ));
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n"));
}

#[test]
fn every_module_has_its_layer() {
    let modules: BTreeSet<String> = rust_files("src")
        .iter()
        .filter_map(|(file, _)| file.strip_prefix("src/")?.split(['/', '.']).next().map(str::to_owned))
        .filter(|module| module != "lib" && module != "main")
        .collect();
    let layers: BTreeSet<String> = LAYERS.iter().map(|l| (*l).to_owned()).collect();
    assert_eq!(modules, layers, "left: modules in src; right: layers known to this test");
}

#[test]
fn the_map_of_the_crate_names_the_layers_in_their_order() {
    let map = std::fs::read_to_string(crate_root().join("docs/architecture.md")).unwrap();
    let order = LAYERS.join(" < ");
    assert!(map.contains(&order), "docs/architecture.md does not say: {order}");
}

#[test]
fn every_file_says_what_it_is() {
    let without: Vec<String> = ["src", "tests", "benches", "build", "fuzz"]
        .iter()
        .flat_map(|folder| rust_files(folder))
        .filter(|(_, text)| !text.starts_with("//! ") && !text.starts_with("#![no_main]\n//! "))
        .map(|(file, _)| file)
        .collect();
    assert!(without.is_empty(), "no `//!` header: {without:#?}");
}

#[test]
fn no_file_is_too_long_to_read() {
    let long: Vec<String> = ["src", "tests", "benches", "build", "fuzz"]
        .iter()
        .flat_map(|folder| rust_files(folder))
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(file, lines)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST} lines: {long:#?}");
}

#[test]
fn only_the_command_line_prints() {
    let mut report = Vec::new();
    for (file, text) in rust_files("src") {
        if file.starts_with("src/cli/") || file == "src/main.rs" {
            continue;
        }
        for (number, line) in code(&file, &text).iter().enumerate() {
            let printing = ["println!", "print!", "dbg!", "stdout()", "stderr()"];
            if printing.iter().any(|p| line.contains(p)) {
                report.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n"));
}

#[test]
fn commands_print_through_the_helpers_that_survive_a_closed_pipe() {
    let mut report = Vec::new();
    for (file, text) in rust_files("src/cli") {
        for (number, line) in code(&file, &text).iter().enumerate() {
            if line.contains("println!") || line.contains("print!(") && !line.contains("sprint!(") {
                report.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(report.is_empty(), "use `output::print` and `output::note`:\n{}\n", report.join("\n"));
}
