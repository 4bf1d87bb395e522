//! Where a person answers: a terminal, key by key, or lines of standard input (a pipe, a test).
//!
//! What is printed comes cleaned. Raw mode is on only while a key is waited for, so that a panic or a signal leaves a
//! terminal that works.

use crate::cli::output;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read,
};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::{self, BufRead, IsTerminal, Write};

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    Text(String),
    /// Nothing more will come.
    End,
    /// Ctrl-C.
    Stop,
}

/// A person's place.
pub(super) enum Front {
    Terminal,
    Lines(io::StdinLock<'static>),
}

impl Front {
    pub(super) fn new() -> Front {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            Front::Terminal
        } else {
            Front::Lines(io::stdin().lock())
        }
    }

    /// Shows a page; in a terminal on a screen that was cleared.
    pub(super) fn show(&mut self, text: &str) -> miette::Result<()> {
        if matches!(self, Front::Terminal) {
            output::print("\u{1b}[2J\u{1b}[3J\u{1b}[H")?;
        }
        output::print(text)
    }

    /// Waits for an answer. `keys`: single keys that are one, without return.
    pub(super) fn ask(&mut self, prompt: &str, keys: &dyn Fn(char) -> bool) -> miette::Result<Typed> {
        output::print(prompt)?;
        match self {
            Front::Terminal => typed(keys).map_err(|error| miette::miette!("the terminal cannot be read: {error}")),
            Front::Lines(lines) => {
                let mut line = String::new();
                let read = lines.read_line(&mut line);
                let n = read.map_err(|error| miette::miette!("standard input cannot be read: {error}"))?;
                output::print("\n")?;
                Ok(if n == 0 { Typed::End } else { Typed::Text(line.trim_end_matches(['\n', '\r']).to_owned()) })
            }
        }
    }
}

/// Raw mode, until it is dropped.
struct Raw;

impl Raw {
    fn on() -> io::Result<Raw> {
        enable_raw_mode()?;
        let _ = crossterm::execute!(io::stdout(), EnableBracketedPaste);
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = crossterm::execute!(io::stdout(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

/// Reads keys until they make an answer: one of `keys` at the beginning, or a line.
fn typed(keys: &dyn Fn(char) -> bool) -> io::Result<Typed> {
    let raw = Raw::on()?;
    let mut text = String::new();
    let mut out = io::stdout();
    let end = loop {
        match read()? {
            Event::Paste(pasted) => {
                // A pasted text is one line: breaks in it are white space, and control characters are nobody's keys.
                let clean: String = pasted.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                write!(out, "{clean}")?;
                text.push_str(&clean);
            }
            Event::Key(KeyEvent { code, modifiers, kind, .. }) if kind != KeyEventKind::Release => match code {
                KeyCode::Char('c' | 'd') if modifiers.contains(KeyModifiers::CONTROL) => break Typed::Stop,
                KeyCode::Char(_) if modifiers.contains(KeyModifiers::CONTROL) => {}
                KeyCode::Char(c) => {
                    write!(out, "{c}")?;
                    text.push(c);
                    if text.chars().count() == 1 && keys(c) {
                        break Typed::Text(text);
                    }
                }
                KeyCode::Enter => break Typed::Text(text),
                KeyCode::Backspace if text.pop().is_some() => write!(out, "\u{8} \u{8}")?,
                _ => {}
            },
            _ => {}
        }
        out.flush()?;
    };
    drop(raw);
    writeln!(out)?;
    Ok(end)
}
