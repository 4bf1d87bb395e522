//! Tokens: every byte of a text belongs to exactly one, blanks and comments included, so that whoever prints or colours a
//! file loses nothing.
//!
//! [`lex`] never fails: what is no token of the language is [`Kind::Foreign`] (a sign whose meaning can be guessed, such
//! as `&&` or `≤`), an unclosed string of its own kind, or [`Kind::Bad`]. logos finds where a token begins and how the
//! plain ones end; strings and words beyond ASCII are finished by hand, which keeps the automaton small and every step
//! linear. Words are not told apart here, except for the eleven reserved ones: which word is a keyword depends on its
//! place, and [`super::mend`] knows places.

use logos::Logos;

/// What a token is.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    #[regex(r"[ \t\r\n\f]+")]
    Blank,
    /// `// …`
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    /// `/// …`
    Doc,
    /// ```` ``` ```` and the rest of its line.
    #[regex(r"```[^\n]*", allow_greedy = true)]
    Fence,

    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    /// `3`, `0.25`
    #[regex(r"[0-9]+(\.[0-9]+)?")]
    Number,
    /// A number written in a way that is mended: `25%`, `.5`, `1e3`, `1_000`.
    #[regex(r"[0-9]+(\.[0-9]+)?%")]
    #[regex(r"\.[0-9]+%?")]
    #[regex(r"[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+")]
    #[regex(r"[0-9]+(_[0-9]+)+")]
    OddNumber,

    /// A text, whatever its quotes.
    #[token("\"")]
    Text,
    #[token("\"\"\"")]
    BlockText,
    #[token("r\"")]
    RawText,
    /// `“…”` or `'…'`
    OddText,
    /// A text that does not end on its line.
    OpenText,
    /// A text block that does not end.
    OpenBlock,

    True,
    False,
    Unknown,
    And,
    Or,
    Not,
    If,
    Then,
    Else,
    When,
    Unless,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LSquare,
    #[token("]")]
    RSquare,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("?")]
    Question,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("=>")]
    FatArrow,
    #[token("->")]
    Arrow,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    /// A sign of another language or of a word processor, with a known counterpart ([`counterpart`]).
    #[token("&&")]
    #[token("||")]
    #[token("!")]
    #[token("===")]
    #[token("!==")]
    #[token("<>")]
    #[token(":=")]
    #[token("...")]
    #[token("=<")]
    Foreign,
    Bad,

    // Words in the place of a keyword; `mend` makes them.
    KwRubric,
    KwLibrary,
    KwUse,
    KwAs,
    KwScale,
    KwDefault,
    KwJudge,
    KwInput,
    KwReference,
    KwCandidate,
    KwCriterion,
    KwChecklist,
    KwFrom,
    KwTransform,
    KwReduce,
    KwGate,
    KwDefine,
    KwReadout,
    KwObserve,
    KwRequire,
    KwTest,
    KwAsk,
    KwLevel,
    KwExample,
    KwSees,
    KwApplies,
    KwTag,
    KwGroup,
    KwWeight,
    KwGiven,
    KwExpect,
    KwMax,
    KwRest,
    KwBelow,
    /// The words `int` and `score`, put before a bare range.
    AddInt,
    AddScore,
    /// Marks what is to be parsed: an expression or a type instead of a file.
    StartExpression,
    StartType,
}

/// A token: its kind and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Kind {
    /// Blanks and comments.
    #[must_use]
    pub fn is_trivia(self) -> bool {
        matches!(self, Kind::Blank | Kind::Comment | Kind::Doc)
    }
}

/// The reserved words.
pub const RESERVED: &[(&str, Kind)] = &[
    ("true", Kind::True),
    ("false", Kind::False),
    ("unknown", Kind::Unknown),
    ("and", Kind::And),
    ("or", Kind::Or),
    ("not", Kind::Not),
    ("if", Kind::If),
    ("then", Kind::Then),
    ("else", Kind::Else),
    ("when", Kind::When),
    ("unless", Kind::Unless),
];

/// What a [`Kind::Foreign`] sign stands for, and how that is written.
#[must_use]
pub fn counterpart(sign: &str) -> Option<(Kind, &'static str)> {
    Some(match sign {
        "&&" => (Kind::And, "and"),
        "||" => (Kind::Or, "or"),
        "!" | "¬" => (Kind::Not, "not"),
        "===" => (Kind::Equal, "=="),
        "!==" | "<>" | "≠" => (Kind::NotEqual, "!="),
        "≤" | "=<" => (Kind::LessEqual, "<="),
        "≥" => (Kind::GreaterEqual, ">="),
        ":=" => (Kind::Assign, "="),
        "..." | "…" => (Kind::DotDot, ".."),
        "−" | "–" | "—" | "‐" | "‑" | "‒" | "―" | "﹣" | "-" => (Kind::Minus, "-"),
        "×" | "·" | "⋅" | "∗" => (Kind::Star, "*"),
        "÷" | "∕" => (Kind::Slash, "/"),
        "→" => (Kind::Arrow, "->"),
        "⇒" => (Kind::FatArrow, "=>"),
        "∧" => (Kind::And, "and"),
        "∨" => (Kind::Or, "or"),
        _ => return None,
    })
}

/// Cuts a text into tokens. They cover it without a gap, in order.
#[must_use]
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut lexer = Kind::lexer(text);
    while let Some(found) = lexer.next() {
        let start = lexer.span().start;
        let kind = match found {
            Err(()) => finish_other(&mut lexer),
            Ok(Kind::Word) => {
                lexer.bump(word_length(lexer.remainder()));
                reserved(lexer.slice())
            }
            Ok(Kind::Comment) if is_doc(lexer.slice()) => Kind::Doc,
            Ok(Kind::Text) => finish_text(&mut lexer, true),
            Ok(Kind::RawText) => finish_text(&mut lexer, false),
            Ok(Kind::BlockText) => finish_block(&mut lexer),
            Ok(kind) => kind,
        };
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let token = Token { kind, start: at(start), end: at(lexer.span().end) };
        match tokens.last_mut() {
            // A run of nonsense is one token.
            Some(Token { kind: Kind::Bad, end, .. }) if kind == Kind::Bad => *end = token.end,
            _ => tokens.push(token),
        }
    }
    tokens
}

fn is_doc(comment: &str) -> bool {
    comment.starts_with("///") && !comment.starts_with("////")
}

fn reserved(word: &str) -> Kind {
    if !(2..=7).contains(&word.len()) {
        return Kind::Word;
    }
    RESERVED.iter().find(|(text, _)| *text == word).map_or(Kind::Word, |(_, kind)| *kind)
}

/// How many bytes of `rest` continue a word.
fn word_length(rest: &str) -> usize {
    let next = rest.bytes().next();
    if next.is_none_or(|b| b.is_ascii()) {
        return 0;
    }
    rest.find(|c| !unicode_ident::is_xid_continue(c)).unwrap_or(rest.len())
}

/// A character that begins no plain token.
fn finish_other(lexer: &mut logos::Lexer<'_, Kind>) -> Kind {
    let from = lexer.span().start;
    let rest = lexer.source().get(from..).unwrap_or("");
    let Some(first) = rest.chars().next() else { return Kind::Bad };
    // logos may have stopped inside a longer failed match or inside a character.
    let taken = lexer.span().end - from;
    let mut extend = |n: usize| lexer.bump(n.saturating_sub(taken));
    if unicode_ident::is_xid_start(first) {
        extend(rest.find(|c| !unicode_ident::is_xid_continue(c)).unwrap_or(rest.len()));
        return Kind::Word;
    }
    let close = match first {
        '“' | '”' | '„' | '«' | '»' => Some(&['”', '“', '»', '«', '"', '\n'][..]),
        '‘' | '’' => Some(&['’', '‘', '\n'][..]),
        '\'' => Some(&['\'', '\n'][..]),
        _ => None,
    };
    if let Some(close) = close {
        let inside = rest.get(first.len_utf8()..).unwrap_or("");
        if let Some((at, c)) = inside.char_indices().find(|(_, c)| close.contains(c))
            && c != '\n'
        {
            extend(first.len_utf8() + at + c.len_utf8());
            return Kind::OddText;
        }
        // Without its end on this line, the rest of the line is the text.
        let length = open_length(inside);
        extend(first.len_utf8() + length);
        return if length == 0 { Kind::Bad } else { Kind::OpenText };
    }
    extend(first.len_utf8());
    if first.is_whitespace() || matches!(first, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}') {
        return Kind::Blank;
    }
    if counterpart(first.encode_utf8(&mut [0; 4])).is_some() { Kind::Foreign } else { Kind::Bad }
}

/// The rest of a one-line text.
fn finish_text(lexer: &mut logos::Lexer<'_, Kind>, escapes: bool) -> Kind {
    let rest = lexer.remainder();
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                lexer.bump(at + 1);
                return if escapes { Kind::Text } else { Kind::RawText };
            }
            b'\n' => break,
            b'\\' if escapes && rest.as_bytes().get(at + 1).is_some_and(|b| *b != b'\n') => {
                bytes.next();
            }
            _ => {}
        }
    }
    lexer.bump(open_length(rest));
    Kind::OpenText
}

/// How far a text without its end reaches: to the end of its line, without what most likely closes brackets around it.
fn open_length(rest: &str) -> usize {
    let line = rest.split('\n').next().unwrap_or("").trim_end();
    let mut end = line.len();
    while let Some(last) = line.get(..end).and_then(|l| l.chars().next_back()) {
        let opener = match last {
            ')' => '(',
            '}' => '{',
            ']' => '[',
            ',' | ' ' => '\0',
            _ => break,
        };
        if line.contains(opener) {
            break;
        }
        end -= 1;
    }
    end
}

/// The rest of a text block.
fn finish_block(lexer: &mut logos::Lexer<'_, Kind>) -> Kind {
    let rest = lexer.remainder();
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' if rest.get(at..).is_some_and(|r| r.starts_with("\"\"\"")) => {
                lexer.bump(at + 3);
                return Kind::BlockText;
            }
            _ => {}
        }
        at += 1;
    }
    lexer.bump(rest.len());
    Kind::OpenBlock
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lex(text).into_iter().filter(|t| !t.kind.is_trivia()).map(|t| t.kind).collect()
    }

    #[test]
    fn ranges_are_not_decimals() {
        assert_eq!(kinds("1..5"), [Kind::Number, Kind::DotDot, Kind::Number]);
        assert_eq!(kinds("0.5..1.5"), [Kind::Number, Kind::DotDot, Kind::Number]);
        assert_eq!(kinds(".5 25% 1e-3"), [Kind::OddNumber; 3]);
    }

    #[test]
    fn tokens_cover_the_text() {
        for text in [
            "",
            "rubric é\r\n// x\n\"a\\\"b\" 'c' “d” 🙂🙂 \"open",
            "\"\"\"never",
            "a\u{301}b ≤ − ~~",
            "\u{feff}x",
            "“",
            "'",
            "r\"",
            "\"\\",
        ] {
            let mut end = 0;
            for token in lex(text) {
                assert_eq!(token.start, end, "{text:?}");
                assert!(token.end > token.start, "{text:?}");
                assert!(text.is_char_boundary(token.end as usize));
                end = token.end;
            }
            assert_eq!(end as usize, text.len(), "{text:?}");
        }
    }

    #[test]
    fn words_and_strings() {
        assert_eq!(
            kinds("größe ñ _x unknown unknowns"),
            [Kind::Word, Kind::Word, Kind::Word, Kind::Unknown, Kind::Word]
        );
        assert_eq!(kinds(r#""a\"b" r"\d+" """x"y""" r"#), [Kind::Text, Kind::RawText, Kind::BlockText, Kind::Word]);
        assert_eq!(kinds("mean(\"a (b)"), [Kind::Word, Kind::LParen, Kind::OpenText]);
        assert_eq!(kinds("{ ask \"why? }"), [Kind::LBrace, Kind::Word, Kind::OpenText, Kind::RBrace]);
    }

    #[test]
    fn a_hundred_thousand_comment_lines() {
        let text = "// comment\n".repeat(100_000);
        assert_eq!(lex(&text).len(), 200_000);
    }
}
