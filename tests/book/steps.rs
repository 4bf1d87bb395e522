//! Carries out the steps of a page in an empty folder.
//!
//! A fenced block whose info is a language and a file's name is that file. One that is `diff` and a name changes the file: its lines
//! with `-` and with a blank stand there in this order, and those with `+` and with a blank stand there afterwards. In a `console`
//! block, lines behind `$ ` are commands of a shell, and what follows each is what it says on both outputs, and its exit code
//! where that is not 0. Other blocks are only shown.

use std::path::Path;
use std::process::Command;

/// What came of a page.
pub struct Walked {
    /// The page, with what the commands said.
    pub text: String,
    pub commands: usize,
    pub faults: Vec<String>,
}

pub fn walk(text: &str, page: &str) -> Walked {
    let folder = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rubric"), bin.path().join("rubric")).unwrap();
    let mut walked = Walked { text: String::new(), commands: 0, faults: Vec::new() };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        walked.text.push_str(line);
        walked.text.push('\n');
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut shown = block.join("\n");
        let words: Vec<&str> = info.split_whitespace().collect();
        match words.as_slice() {
            ["diff", name] => changed(&folder.path().join(name), &block, page),
            ["console"] => {
                shown = console(&block, folder.path(), bin.path(), &mut walked.commands);
                if shown != block.join("\n") {
                    walked.faults.push(format!("{page}: the page shows\n{}\nand it is\n{shown}", block.join("\n")));
                }
            }
            [_, name] => {
                let path = folder.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, format!("{shown}\n")).unwrap();
            }
            _ => {}
        }
        walked.text.push_str(&shown);
        walked.text.push_str("\n```\n");
    }
    walked
}

/// Changes a file as a `diff` block says.
fn changed(path: &Path, block: &[&str], page: &str) {
    let side = |sign: char| -> Vec<&str> {
        let own = block.iter().filter(|line| line.starts_with([sign, ' ']) || line.is_empty());
        own.map(|line| line.get(1..).unwrap_or("")).collect()
    };
    let (before, after) = (side('-').join("\n"), side('+').join("\n"));
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        text.matches(&before).count(),
        1,
        "{page}: these lines are not there, or not once:\n{before}\nin\n{text}"
    );
    std::fs::write(path, text.replacen(&before, &after, 1)).unwrap();
}

/// Runs the commands of a block; what the block should show.
fn console(block: &[&str], folder: &Path, bin: &Path, commands: &mut usize) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut old: Vec<&str> = Vec::new();
    let mut skipped = false;
    for line in block.iter().chain(&["$ "]) {
        let Some(command) = line.strip_prefix("$ ") else {
            old.push(line);
            continue;
        };
        if skipped {
            shown.extend(old.drain(..).map(str::to_owned));
        }
        old.clear();
        if command.is_empty() {
            break;
        }
        shown.push(format!("$ {command}"));
        *commands += 1;
        skipped = command.starts_with("python3") && Command::new("python3").arg("--version").output().is_err();
        if skipped {
            eprintln!("SKIPPED: there is no Python, so `{command}` is not tried");
            continue;
        }
        shown.extend(said(command, folder, bin));
    }
    shown.join("\n")
}

fn said(command: &str, folder: &Path, bin: &Path) -> Vec<String> {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    // What goes to both outputs stands in the order in which it was said.
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env_remove("OPENAI_API_KEY")
        .env_remove("ANTHROPIC_API_KEY")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    match output.status.code() {
        Some(0) => {}
        code => lines.push(format!("(exit code {})", code.unwrap_or(-1))),
    }
    lines
}
