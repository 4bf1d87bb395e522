//! Editors that are installed, on files with mistakes: each is started with the set-up that `editors/` has for it.

use crate::cli::TreeSitter;
use crate::root;
use std::path::Path;
use std::process::{Command, Stdio};

const BROKEN: &str = "rubric b\ncandidate 🙂answer: text\ncandidate answer: text\ncriterion a: bool { ask: \"x 🙂\" }\n\
                      reduce q = mean(normalise(a), b)\nreadout pointwise = q\n";

/// Whether a program is there; said where not.
fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        eprintln!("SKIPPED: {program} is not installed (.ci/run installs it)");
    }
    found
}

/// Everything that a command says; it must succeed.
fn told(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

/// The search path with the folder of the built program first.
fn path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_rubric")).parent().unwrap().to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&rest))).unwrap()
}

/// The codes that `rubric check` finds in a file.
fn codes(file: &Path) -> Vec<String> {
    let check = Command::new(env!("CARGO_BIN_EXE_rubric")).args(["check", "--format=concise"]).arg(file).output();
    let said = String::from_utf8(check.unwrap().stdout).unwrap();
    let mut codes: Vec<String> =
        said.lines().filter_map(|l| Some(l.split_once('[')?.1.split_once(']')?.0.to_owned())).collect();
    codes.sort();
    assert!(codes.len() > 2, "{said}");
    codes
}

fn nvim(setup: &Path, file: &Path) -> String {
    told(
        Command::new("nvim")
            .args(["--headless", "--clean", "--cmd"])
            .arg(format!("set rtp^={}", setup.display()))
            .arg("-c")
            .arg(format!("luafile {}", root().join("tests/editors/nvim.lua").display()))
            .env("PATH", path())
            .env("FILE", file),
    )
}

fn set_up_nvim(folder: &Path) {
    std::fs::create_dir_all(folder.join("plugin")).unwrap();
    std::fs::copy(root().join("editors/neovim/rubric.lua"), folder.join("plugin/rubric.lua")).unwrap();
}

#[test]
fn neovim_shows_what_is_wrong() {
    if !there("nvim") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (setup, file) = (folder.path().join("setup"), folder.path().join("b.rubric"));
    std::fs::write(&file, BROKEN).unwrap();
    set_up_nvim(&setup);
    let told = nvim(&setup, &file);
    assert!(told.contains(&format!("DIAGNOSTICS {}", codes(&file).join(" "))), "{told}");
    assert!(told.contains("COMMENTS // %s"), "{told}");
}

/// The parser compiled as the set-up says, of the kind that the installed Neovim reads, with the queries as they are.
#[test]
fn neovim_colours_by_the_grammar() {
    let Some(cli) = TreeSitter::find().filter(|_| there("nvim") && there("cc")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (setup, file) = (folder.path().join("setup"), folder.path().join("b.rubric"));
    std::fs::write(&file, BROKEN).unwrap();
    set_up_nvim(&setup);
    std::fs::create_dir_all(setup.join("parser")).unwrap();
    std::fs::create_dir_all(setup.join("queries/rubric")).unwrap();
    let made = folder.path().join("made");
    let (generated, said) = cli.run(&["generate", "--abi", "14", "--output", &made.display().to_string()]);
    assert!(generated, "{said}");
    told(
        Command::new("cc")
            .args(["-O1", "-shared", "-fPIC", "-I"])
            .arg(&made)
            .arg("-o")
            .arg(setup.join("parser/rubric.so"))
            .arg(made.join("parser.c")),
    );
    for query in crate::files(&root().join("editors/tree-sitter-rubric/queries"), ".scm") {
        std::fs::copy(&query, setup.join("queries/rubric").join(query.file_name().unwrap())).unwrap();
    }
    let told = nvim(&setup, &file);
    for line in [
        "HIGHLIGHTER true",
        "HIGHLIGHTS @keyword criterion",
        "HIGHLIGHTS @type.builtin bool",
        "HIGHLIGHTS @string \"x 🙂\"",
        "HIGHLIGHTS @function normalise",
        "FOLDS @fold (normalise(a), b)",
        "LOCALS @local.reference normalise",
        "INDENTS @indent.branch }",
    ] {
        assert!(told.contains(line), "{line} is missing:\n{told}");
    }
}

#[test]
fn emacs_shows_what_is_wrong() {
    if !there("emacs") {
        return;
    }
    let batch = |args: &[&str]| {
        let mut command = Command::new("emacs");
        command.arg("--batch").args(args).current_dir(root());
        command
    };
    let eglot = batch(&["-f", "package-initialize", "--eval", "(require 'eglot)"]).output().unwrap();
    if !eglot.status.success() {
        eprintln!("SKIPPED: Emacs has no eglot (.ci/run installs it)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b.rubric");
    std::fs::write(&file, BROKEN).unwrap();
    let told = told(
        batch(&["-L", "editors/emacs", "-l", "tests/editors/eglot.el"])
            .env("HOME", folder.path())
            .env("RUBRIC", env!("CARGO_BIN_EXE_rubric"))
            .env("FILE", &file),
    );
    assert!(told.contains("MODE rubric-mode") || told.contains("MODE rubric-ts-mode"), "{told}");
    for code in codes(&file) {
        assert!(told.lines().any(|l| l.starts_with("DIAGNOSTIC") && l.contains(&code)), "{code} is missing:\n{told}");
    }
    assert!(told.contains("FACE font-lock-keyword-face"), "{told}");
    assert!(told.contains("INDENTED \"criterion a: bool {\\n  ask \\\"x\\\"\\n}\\n\""), "{told}");
}

/// The lists of files and names in the set-ups that no editor here reads.
#[test]
fn set_ups_name_what_is_there() {
    let toml = |path: &str| -> toml::Table {
        let text = std::fs::read_to_string(root().join("editors").join(path)).unwrap();
        text.parse().unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let helix = toml("helix/languages.toml");
    let zed = toml("zed/extension.toml");
    for folder in [
        helix["grammar"][0]["source"]["subpath"].as_str().unwrap(),
        zed["grammars"]["rubric"]["path"].as_str().unwrap(),
    ] {
        assert!(root().join(folder).join("src/parser.c").is_file(), "{folder}");
    }
    assert_eq!(helix["language"][0]["language-servers"][0].as_str(), helix["language"][0]["name"].as_str());
    let config = toml("zed/languages/rubric/config.toml");
    assert_eq!(config["grammar"].as_str(), Some("rubric"));
    assert_eq!(config["name"], zed["language_servers"]["rubric"]["languages"][0]);
}
