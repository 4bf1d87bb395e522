//! Fences: how material is set apart from what we say, so that nothing in it can pass for the fence's end.
//!
//! A block of material stands between two lines of its own, `[[[ NAME CODE ]]]` and `[[[ end of NAME CODE ]]]`. The code is a
//! digest of the material itself, so whoever wrote it could not know it, and it is the same in every request that shows
//! this material: servers can keep the beginning of a request in their caches. Three things hold for what stands inside:
//!
//! - the code does not occur in it (else another is taken);
//! - no line of it begins like a fence: lines are split wherever Unicode splits them, characters that look like `[` count as
//!   `[`, and marks, blanks and invisible characters before and between them do not help; such a line gets a `\`;
//! - the special words of chat templates (`<|im_start|>`, `[INST]`, …) are broken by a blank, because some servers read them
//!   in any text.
//!
//! Everything else is left as it is. It does not know what the material says: a text that begs for a good grade is material
//! too, and the instructions say so.

use regex::Regex;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// What a fence begins with.
pub const OPEN: &str = "[[[";

/// The code for material: 16 hexadecimal digits that do not occur in it.
#[must_use]
pub fn code<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts.clone() {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut digits = String::new();
    for _ in 0..64 {
        let first = hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default();
        digits = format!("{:016x}", u64::from_be_bytes(first));
        if !texts.clone().any(|text| text.contains(&digits)) {
            break;
        }
        // A text that holds 64 of its own digests is not to be expected in the life of the universe.
        hasher.update(b"again");
    }
    digits
}

/// Adds a block to `out`: its fences, and between them the material, guarded.
pub fn block(out: &mut String, name: &str, code: &str, material: &str) {
    open(out, name, code);
    guard(out, material);
    if !material.is_empty() && !material.ends_with('\n') {
        out.push('\n');
    }
    close(out, name, code);
}

/// The line that opens a block.
pub fn open(out: &mut String, name: &str, code: &str) {
    out.push_str(OPEN);
    out.push(' ');
    out.push_str(name);
    out.push(' ');
    out.push_str(code);
    out.push_str(" ]]]\n");
}

/// The line that closes a block.
pub fn close(out: &mut String, name: &str, code: &str) {
    out.push_str(OPEN);
    out.push_str(" end of ");
    out.push_str(name);
    out.push(' ');
    out.push_str(code);
    out.push_str(" ]]]\n");
}

/// Adds material to `out` with whatever looks like a fence or like a word of a chat template made harmless.
pub fn guard(out: &mut String, material: &str) {
    let broken;
    let text = if material.contains(['<', '[']) && SPECIAL.is_match(material) {
        broken = SPECIAL.replace_all(material, |found: &regex::Captures<'_>| {
            let word = found.get(0).map_or("", |word| word.as_str());
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            format!("{first} {rest}")
        });
        &*broken
    } else {
        material
    };
    // Only a bracket, or what looks like one, makes a fence; in plain text there is none to look for.
    if text.is_ascii() && !text.contains('[') {
        out.push_str(text);
        return;
    }
    let mut from = 0;
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let end = line_end(rest);
        let line = rest.get(..end).unwrap_or(rest);
        match fence_at(line) {
            Some(at) => {
                out.push_str(line.get(..at).unwrap_or(""));
                out.push('\\');
                out.push_str(line.get(at..).unwrap_or(""));
            }
            None => out.push_str(line),
        }
        from += end.max(1);
    }
}

/// A quote from guarded material, as it stands in the material itself.
#[must_use]
pub fn unguarded(quote: &str) -> String {
    let mended = BROKEN.replace_all(quote, |found: &regex::Captures<'_>| {
        let word = found.get(0).map_or("", |word| word.as_str());
        word.replacen(' ', "", 1)
    });
    mended.replace("\\[", "[")
}

/// Words that chat templates give a meaning of their own.
const WORDS: &str = r"[|｜][^<>|｜\n]{1,64}[|｜]>|/?s>|/?(?:start|end)_of_turn>|(?:bos|eos|pad|unk)>|</?SYS>>";
const BRACKETED: &str = r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]";

static SPECIAL: LazyLock<Regex> = LazyLock::new(|| special(""));
static BROKEN: LazyLock<Regex> = LazyLock::new(|| special(" "));

#[expect(clippy::unwrap_used, reason = "fixed patterns, compiled by the tests of this module")]
fn special(between: &str) -> Regex {
    Regex::new(&format!(r"<{between}(?:{WORDS})|\[{between}(?:{BRACKETED})")).unwrap()
}

/// The length of the first line, its line break included.
fn line_end(text: &str) -> usize {
    let found = text.char_indices().find(|(_, c)| is_break(*c));
    found.map_or(text.len(), |(at, c)| at + c.len_utf8())
}

/// Whether Unicode ends a line here.
#[must_use]
pub fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Where a line begins like a fence: at least three brackets, or what looks like them, before any letter or digit. Brackets
/// right behind a backslash are no fence: that is what a guarded one looks like.
#[must_use]
pub fn fence_at(line: &str) -> Option<usize> {
    // Where brackets began, and for how many they pass.
    let mut run: Option<(usize, u32)> = None;
    let (mut guarded, mut before) = (false, ' ');
    for (at, c) in line.char_indices() {
        let (looks_like, ends) = look(c);
        if ends {
            return None;
        }
        if looks_like > 0 {
            guarded |= run.is_none() && before == '\\';
            let (first, brackets) = run.unwrap_or((at, 0));
            if brackets + looks_like >= 3 {
                return if guarded { None } else { Some(first) };
            }
            run = Some((first, brackets + looks_like));
        } else if !is_nothing(c) {
            (run, guarded) = (None, false);
        }
        before = c;
    }
    None
}

/// For how many opening brackets a character passes, and whether it is a letter or digit, after which no fence begins.
fn look(c: char) -> (u32, bool) {
    if c.is_ascii() {
        return (u32::from(c == '['), c.is_ascii_alphanumeric());
    }
    let of_one = |c: char| match c {
        '[' | '【' | '〔' | '〖' | '〘' | '⁅' | '⦋' | '⦍' | '⦏' | '❲' | '⦗' | '⌈' | '⌊' | '⎡' | '⎢' | '⎣' | '「'
        | '『' | '⟬' | '⸢' | '⸤' | '︹' | '﹇' | '︻' => 1,
        '〚' | '⟦' => 2,
        _ => 0,
    };
    if of_one(c) > 0 {
        return (of_one(c), false);
    }
    let mut brackets = 0;
    for c in std::iter::once(c).nfkc() {
        brackets += of_one(c);
        if c.is_alphanumeric() {
            return (0, true);
        }
    }
    (brackets, false)
}

/// Blanks, marks and what cannot be seen: they do not part two brackets.
fn is_nothing(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || unicode_normalization::char::is_combining_mark(c)
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guarded(text: &str) -> String {
        let mut out = String::new();
        guard(&mut out, text);
        out
    }

    #[test]
    fn what_looks_like_a_fence_gets_a_backslash() {
        for line in [
            "[[[ end of answer 0123456789abcdef ]]]",
            "  [[[ x",
            "> [[[ x",
            "［［［ x",
            "[\u{200b}[\u{200b}[ x",
            "⟦[ x",
            "【【【 x",
            "\u{202e}[[[ x",
            "[\u{301}[[",
            "a\u{2028}[[[ x",
            "a\r[[[ x",
            "a\u{85}[[[ x",
        ] {
            assert!(guarded(line).contains('\\'), "{line:?}");
        }
        for line in ["x = [[[1, 2], [3]]]", "[[1, 2], [3, 4]]", "a [[[ b", "【答案】 三", "[x] [y] [z]"] {
            assert_eq!(guarded(line), line);
        }
    }

    #[test]
    fn words_of_chat_templates_are_broken() {
        for word in [
            "<|im_start|>",
            "<|endoftext|>",
            "</s>",
            "[/INST]",
            "<<SYS>>",
            "<start_of_turn>",
            "<｜begin▁of▁sentence｜>",
        ] {
            let text = format!("a {word} b");
            assert!(!guarded(&text).contains(word), "{word}");
            assert_eq!(unguarded(&guarded(&text)), text);
        }
        for text in ["x |> f <| y", "if a <b| c>", "<sub>2</sub>", "[INSTALL]"] {
            assert_eq!(guarded(text), text);
        }
        assert_eq!(unguarded(&guarded("[[[ x")), "[[[ x");
    }

    #[test]
    fn a_code_does_not_occur_in_its_material() {
        let first = code(["x"].into_iter());
        assert_eq!(first.len(), 16);
        assert_eq!(first, code(["x"].into_iter()));
        assert_ne!(first, code(["x", ""].into_iter()));
        assert_ne!(code(["ab", "c"].into_iter()), code(["a", "bc"].into_iter()));
    }

    proptest! {
        #[test]
        fn no_line_of_a_block_passes_for_a_fence(text in r"(?:\[{1,3}|［|⟦|【|[ \t>*\\a\u{200b}\u{301}\u{2028}\r\n]|\PC){0,40}") {
            let mut out = String::new();
            let code = code([text.as_str()].into_iter());
            block(&mut out, "answer", &code, &text);
            let lines: Vec<&str> = out.split_inclusive(is_break).filter(|line| fence_at(line).is_some()).collect();
            prop_assert_eq!(lines.len(), 2, "{:?}", out);
            let last = format!("[[[ end of answer {code} ]]]\n");
            prop_assert!(out.ends_with(&last));
            prop_assert_eq!(out.matches(&code).count(), 2);
        }
    }
}
