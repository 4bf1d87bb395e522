//! Between the lexer and the automaton: brackets are paired, words get their meaning from their place.
//!
//! One pass with a stack of open brackets. Each open bracket knows what kind of [`Place`] it encloses, and that, with the
//! token before and the token after, decides whether a word is a keyword: a declaration can only begin where an
//! expression has just ended, a statement of a body likewise, `weight` only behind a slot, and so on. For a correct
//! program the answer is exact, so that any word may be a name anywhere.
//!
//! What it leaves is balanced: a bracket without a partner is reported here once, at the bracket, and its partner is
//! supplied, so the automaton never runs from one declaration into the next.

use super::token::{Kind, Token};
use super::words::{DECLARATIONS, ENTRIES, STATEMENTS, TESTS, lookup};
use crate::diagnostics::Diagnostic;
use crate::source::{FileId, Span};

/// Brackets that may stand open at one time.
const MOST_OPEN: usize = 150;

/// What an open bracket encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// No bracket: declarations.
    Top,
    /// Statements of a criterion or an item.
    Body,
    /// Entries of a checklist or group.
    Checklist,
    /// `key: value` pairs of a `given` or an `example`.
    Given,
    /// Arms.
    Table,
    /// Fields of a candidate.
    Record,
    Require,
    Test,
    /// Arguments, parameters or labels in parentheses behind a word.
    Args,
    Paren,
    List,
}

/// An open bracket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub place: Place,
    pub token: Token,
    /// The keyword of the statement that is being read inside.
    pub head: Kind,
    /// The word before the bracket, for arguments and tables.
    pub callee: Option<Token>,
}

pub(super) struct Mender<'a> {
    pub text: &'a str,
    pub file: FileId,
    /// Without trivia.
    pub tokens: Vec<Token>,
    /// The token at hand.
    pub at: usize,
    pub out: Vec<Token>,
    pub stack: Vec<Open>,
    pub found: Vec<Diagnostic>,
}

/// The tokens for the automaton.
pub(super) fn mend(text: &str, file: FileId, tokens: &[Token], found: &mut Vec<Diagnostic>) -> Vec<Token> {
    let significant: Vec<Token> = tokens.iter().filter(|t| !t.kind.is_trivia()).copied().collect();
    let top = Token { kind: Kind::Bad, start: 0, end: 0 };
    let mut mender = Mender {
        text,
        file,
        out: Vec::with_capacity(significant.len() + 2),
        tokens: significant,
        at: 0,
        stack: vec![Open { place: Place::Top, token: top, head: Kind::Bad, callee: None }],
        found: Vec::new(),
    };
    mender.run();
    found.append(&mut mender.found);
    mender.out
}

/// Whether a declaration, statement or operator may follow: something complete ends here.
pub(super) fn ends_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Word | Number | Text | True | False | Unknown | RParen | RSquare | RBrace | Question)
}

impl Mender<'_> {
    fn run(&mut self) {
        while let Some(token) = self.tokens.get(self.at).copied() {
            self.at += 1;
            match token.kind {
                Kind::Word => {
                    let kind = self.word(token);
                    self.push(Token { kind, ..token });
                }
                Kind::RawText | Kind::BlockText => self.push(Token { kind: Kind::Text, ..token }),
                Kind::LParen | Kind::LSquare | Kind::LBrace => self.open(token),
                Kind::RParen | Kind::RSquare | Kind::RBrace => self.close(token),
                _ => self.slip(token),
            }
        }
        self.close_all();
    }

    pub fn push(&mut self, token: Token) {
        self.out.push(token);
    }

    pub fn slice(&self, token: Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    pub fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The kind of the token before the one at hand.
    pub fn before(&self) -> Option<Kind> {
        self.out.last().map(|t| t.kind)
    }

    /// The kind two tokens before the one at hand.
    pub fn before2(&self) -> Option<Kind> {
        self.out.len().checked_sub(2).and_then(|n| self.out.get(n)).map(|t| t.kind)
    }

    /// The `n`th token behind the one at hand (0 is the next).
    pub fn ahead(&self, n: usize) -> Option<Token> {
        self.tokens.get(self.at + n).copied()
    }

    pub fn next_kind(&self) -> Option<Kind> {
        self.ahead(0).map(|t| t.kind)
    }

    pub fn place(&self) -> Place {
        self.stack.last().map_or(Place::Top, |o| o.place)
    }

    pub fn head(&self) -> Kind {
        self.stack.last().map_or(Kind::Bad, |o| o.head)
    }

    pub fn set_head(&mut self, kind: Kind) {
        if let Some(open) = self.stack.last_mut() {
            open.head = kind;
        }
    }

    /// What a word is in its place.
    fn word(&mut self, token: Token) -> Kind {
        let before = self.before();
        let complete = before.is_none_or(ends_operand);
        let keyword = match self.place() {
            Place::Top => self.top_word(token, before, complete),
            Place::Body if complete || before == Some(Kind::LBrace) => lookup(STATEMENTS, self.slice(token)),
            Place::Checklist => self.checklist_word(token, before, complete),
            Place::Test if complete || before == Some(Kind::LBrace) => lookup(TESTS, self.slice(token)),
            Place::Table if matches!(before, Some(Kind::LBrace | Kind::Comma)) => self.arm_word(token),
            Place::Args if complete && self.slice(token) == "weight" => Some(Kind::KwWeight),
            _ => None,
        };
        if let Some(keyword) = keyword {
            if !matches!(keyword, Kind::KwWeight | Kind::KwAs | Kind::KwFrom | Kind::KwMax) {
                self.set_head(keyword);
            }
            return keyword;
        }
        // `tally(a, b) max 9`, wherever a type can stand.
        if before == Some(Kind::RParen) && self.next_kind() == Some(Kind::Number) && self.slice(token) == "max" {
            return Kind::KwMax;
        }
        Kind::Word
    }

    fn top_word(&mut self, token: Token, before: Option<Kind>, complete: bool) -> Option<Kind> {
        let word = self.slice(token);
        match (before, word) {
            (Some(Kind::KwDefault), "judge") => return Some(Kind::KwJudge),
            (Some(Kind::Text), "as") if self.head() == Kind::KwUse => return Some(Kind::KwAs),
            (Some(Kind::Word | Kind::Question), "from") if self.head() == Kind::KwChecklist => {
                return Some(Kind::KwFrom);
            }
            _ => {}
        }
        if !complete {
            return None;
        }
        // `readout pointwise NAME =`: the second word is a name even if it could begin a declaration.
        if self.before2() == Some(Kind::KwReadout) && self.next_kind() == Some(Kind::Assign) {
            return None;
        }
        lookup(DECLARATIONS, word)
    }

    fn checklist_word(&mut self, token: Token, before: Option<Kind>, complete: bool) -> Option<Kind> {
        let next = self.next_kind();
        match before {
            // `+10 ID "text"`
            Some(Kind::Number) if matches!(next, Some(Kind::Text | Kind::RawText | Kind::BlockText | Kind::Colon)) => {
                None
            }
            Some(Kind::Word) if self.before2() == Some(Kind::KwGroup) && self.slice(token) == "weight" => {
                Some(Kind::KwWeight)
            }
            _ if complete || before == Some(Kind::LBrace) => lookup(ENTRIES, self.slice(token)),
            _ => None,
        }
    }

    fn arm_word(&mut self, token: Token) -> Option<Kind> {
        let next = self.next_kind();
        match self.slice(token) {
            "rest" if matches!(next, Some(Kind::FatArrow | Kind::Colon | Kind::Arrow)) => Some(Kind::KwRest),
            "below" if matches!(next, Some(Kind::Number | Kind::OddNumber | Kind::Minus | Kind::Word)) => {
                Some(Kind::KwBelow)
            }
            _ => None,
        }
    }

    fn open(&mut self, token: Token) {
        let before = self.out.last().copied().filter(|t| t.kind == Kind::Word);
        let mut callee = before;
        let place = match token.kind {
            Kind::LSquare => Place::List,
            Kind::LParen if before.is_some() => Place::Args,
            Kind::LParen => Place::Paren,
            _ => {
                let place = self.brace_place();
                if place == Place::Table && before.is_none() {
                    // `map(x) {`: the word stands before the arguments, which have just been closed.
                    callee = self.stack.last().and_then(|o| o.callee);
                }
                place
            }
        };
        if self.stack.len() > MOST_OPEN {
            return self.cut(token);
        }
        self.push(token);
        self.stack.push(Open { place, token, head: Kind::Bad, callee });
    }

    fn brace_place(&self) -> Place {
        let head = self.head();
        match self.place() {
            Place::Top => match head {
                Kind::KwCriterion => Place::Body,
                Kind::KwChecklist => Place::Checklist,
                Kind::KwCandidate => Place::Record,
                Kind::KwRequire => Place::Require,
                Kind::KwTest => Place::Test,
                _ => Place::Table,
            },
            Place::Checklist if head == Kind::KwGroup => Place::Checklist,
            Place::Body | Place::Checklist if head == Kind::KwExample => Place::Given,
            Place::Body | Place::Checklist => Place::Body,
            Place::Test if head == Kind::KwGiven => Place::Given,
            _ => Place::Table,
        }
    }

    fn close(&mut self, token: Token) {
        let opener = match token.kind {
            Kind::RParen => Kind::LParen,
            Kind::RSquare => Kind::LSquare,
            _ => Kind::LBrace,
        };
        match self.stack.last() {
            Some(open) if open.place != Place::Top && open.token.kind == opener => {
                self.stack.pop();
                self.push(token);
            }
            _ => self.mismatch(token, opener),
        }
    }
}
