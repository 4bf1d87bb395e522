//! Completions in a real shell, manual pages as a reader of them takes them, and colours where they belong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use std::process::{Command, Output};

fn rubric(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rubric")).args(args).output().unwrap()
}

fn text(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What bash offers behind `line`, whose last word is being written.
fn offered(script: &str, line: &[&str]) -> Option<Vec<String>> {
    let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (line[line.len() - 1], line[line.len() - 2]);
    let program = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_rubric rubric '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        line.len() - 1
    );
    let output = Command::new("bash").args(["--norc", "-c", &program]).output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no bash, so completions were not tried");
        return None;
    };
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_values() {
    let script = text(rubric(&["completions", "bash"]));
    let Some(commands) = offered(&script, &["rubric", "ex"]) else { return };
    assert_eq!(commands, ["expand", "explain", "export"]);
    let options = offered(&script, &["rubric", "run", "--re"]).unwrap();
    assert!(options.contains(&"--recorded".to_owned()), "{options:?}");
    let values = offered(&script, &["rubric", "graph", "--format", "m"]).unwrap();
    assert_eq!(values, ["mermaid"]);
    let nested = offered(&script, &["rubric", "import", "health"]).unwrap();
    assert_eq!(nested, ["healthbench", "healthbench-meta"]);
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(rubric(&["completions", shell]));
        assert!(script.contains("influence") && script.contains("recorded"), "{shell}");
    }
    assert_eq!(rubric(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn each_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man1");
    text(rubric(&["man", "-o", to.to_str().unwrap()]));
    let help = text(rubric(&["--help"]));
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let page =
            std::fs::read_to_string(to.join(format!("rubric-{name}.1"))).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(page.contains(".TH") && page.contains("SYNOPSIS") && page.contains("Examples:"), "{name}");
    }
    assert!(to.join("rubric-store-gc.1").exists());
    let main = text(rubric(&["man"]));
    assert!(main.contains(".TH rubric 1"));
    // Read as `man` does, where that can be had.
    let Ok(found) = Command::new("groff").args(["-Kutf8", "-man", "-ww", "-z"]).arg(to.join("rubric-run.1")).output()
    else {
        eprintln!("SKIPPED: there is no groff, so no page was laid out");
        return;
    };
    assert!(found.status.success() && found.stderr.is_empty(), "{}", String::from_utf8_lossy(&found.stderr));
}

/// What commands say of faults, of files that are not there and of themselves: a folder, and the words of each command.
const TOLD: [&[&str]; 8] = [
    &["check", "faulty.rubric"],
    &["check", "absent.rubric"],
    &["fmt", "broken.rubric"],
    &["test", "faulty.rubric"],
    &["run", "faulty.rubric", "--data", "absent.jsonl"],
    &["why", "absent.jsonl", "--id", "r1"],
    &["report", "--no-such-option"],
    &["check", "--help"],
];

fn faulty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "rubric r\ncandidate answer: text\ncriterion a: bol \"?\"\nreadout pointwise = b\n";
    std::fs::write(folder.path().join("faulty.rubric"), text).unwrap();
    std::fs::write(folder.path().join("broken.rubric"), text.replace("bol \"?\"", "bool {")).unwrap();
    folder
}

/// What environments say of colours by themselves; each is taken away before a test says its own.
const OF_COLOURS: [&str; 6] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLORTERM", "CI"];

fn without_settings(command: &mut Command) -> &mut Command {
    OF_COLOURS.iter().fold(command, |command, name| command.env_remove(name)).env("TERM", "xterm-256color")
}

#[test]
fn nothing_is_coloured_in_a_pipe_unless_it_is_asked_for() {
    let folder = faulty();
    let said = |command: &[&str], settings: &[(&str, &str)]| {
        let mut rubric = Command::new(env!("CARGO_BIN_EXE_rubric"));
        without_settings(&mut rubric).args(command).current_dir(folder.path()).envs(settings.iter().copied());
        let output = rubric.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for command in TOLD {
        for settings in
            [&[][..], &[("CI", "true")], &[("FORCE_COLOR", "1")], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]]
        {
            let plain = said(command, settings);
            assert!(!plain.is_empty() && !plain.contains('\u{1b}'), "{command:?} {settings:?}: {plain:?}");
        }
        let forced = said(command, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]);
        assert!(forced.contains("\u{1b}["), "{command:?}: {forced}");
    }
}

#[test]
fn a_terminal_is_coloured_unless_it_is_asked_not_to_be() {
    let folder = faulty();
    // What `script` runs has a terminal.
    let there = Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED: there is no `script`, so colours on a terminal were not tried");
        return;
    }
    let said = |command: &[&str], settings: &[(&str, &str)]| {
        let words = [&[env!("CARGO_BIN_EXE_rubric")], command].concat().join(" ");
        let mut script = Command::new("script");
        without_settings(&mut script).args(["-qec", &words, "/dev/null"]).current_dir(folder.path());
        script.envs(settings.iter().copied());
        String::from_utf8(script.output().unwrap().stdout).unwrap()
    };
    for command in TOLD {
        let coloured = said(command, &[]);
        assert!(coloured.contains("\u{1b}["), "{command:?}: {coloured}");
        // Where `CI` is set too: libraries would colour then against the rest.
        for setting in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
            for settings in [&[setting][..], &[setting, ("CI", "true")], &[setting, ("COLORTERM", "truecolor")]] {
                let plain = said(command, settings);
                assert!(!plain.contains('\u{1b}'), "{command:?} {settings:?}: {plain:?}");
            }
        }
    }
}
