//! Between the lexer and the automaton: brackets are paired, words get their meaning from their place.
//!
//! One pass with a stack of open brackets. Each open bracket knows what kind of [`Place`] it encloses, and that, with the
//! token before and the token after, decides whether a word is a keyword: a declaration can only begin where an
//! expression has just ended, a statement of a body likewise, `weight` only behind a slot, and so on. For a correct
//! program the answer is exact, so that any word may be a name anywhere.
//!
//! What it leaves is balanced: a bracket without a partner is reported here once, at the bracket, and its partner is
//! supplied, so the automaton never runs from one declaration into the next. The slips that a few tokens give away are
//! told and mended on the way ([`super::slips`], [`super::ranges`], [`super::brackets`]).

use super::token::{Kind, Token};
use super::words::{DECLARATIONS, ENTRIES, STATEMENTS, TESTS, lookup};
use crate::diagnostics::{Code, Diagnostic, Edit, did_you_mean};
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
    /// Whether the text is an expression or a type: no declaration begins in it.
    pub part: bool,
    /// Whether the `=` of the declaration at hand has been seen.
    pub assigned: bool,
    /// Where declarations and statements begin, in order.
    pub units: Vec<u32>,
    /// Whether this declaration has been found too deep.
    pub deep: bool,
    /// Tokens that have been dealt with out of turn: the index of the first, and how many.
    pub skip: Vec<(usize, usize)>,
}

/// What is left of a text.
pub(super) struct Mended {
    pub tokens: Vec<Token>,
    /// Where declarations and statements begin, in order: an error is told once in each.
    pub units: Vec<u32>,
}

/// The tokens for the automaton, from those without trivia; `part` where the text is an expression or a type instead of declarations.
pub(super) fn mend(text: &str, file: FileId, tokens: Vec<Token>, part: bool, found: &mut Vec<Diagnostic>) -> Mended {
    let top = Token { kind: Kind::Bad, start: 0, end: 0 };
    let mut mender = Mender {
        text,
        file,
        out: Vec::with_capacity(tokens.len() + 2),
        tokens,
        at: 0,
        stack: vec![Open { place: Place::Top, token: top, head: Kind::Bad, callee: None }],
        found: Vec::new(),
        part,
        assigned: part,
        units: Vec::new(),
        skip: Vec::new(),
        deep: false,
    };
    mender.run();
    found.append(&mut mender.found);
    Mended { tokens: mender.out, units: mender.units }
}

/// Whether a declaration, statement or operator may follow: something complete ends here.
pub(super) fn ends_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Word | Number | Text | True | False | Unknown | RParen | RSquare | RBrace | Question)
}

impl Mender<'_> {
    fn run(&mut self) {
        while let Some(token) = self.tokens.get(self.at).copied() {
            if let Some((_, count)) = self.skip.pop_if(|(at, _)| *at == self.at) {
                self.at += count;
                continue;
            }
            self.at += 1;
            match token.kind {
                Kind::Word => self.any_word(token),
                Kind::RawText | Kind::BlockText => self.slip(Token { kind: Kind::Text, ..token }),
                Kind::LParen | Kind::LSquare | Kind::LBrace => self.open(token),
                Kind::RParen | Kind::RSquare | Kind::RBrace => self.close(token),
                _ => self.slip(token),
            }
        }
        let end = self.tokens.last().map_or(0, |t| t.end);
        self.close_all(end);
    }

    fn any_word(&mut self, token: Token) {
        if self.stack.len() > 1 && !self.part && self.declaration_begins(token) {
            self.close_all(token.start);
        }
        if self.odd_range(token) {
            return;
        }
        let mut kind = self.word(token);
        if kind == Kind::Word && self.before().is_some_and(ends_operand) {
            let commas = self.out.len();
            self.missing_comma(token);
            if self.out.len() > commas {
                kind = self.word(token);
            }
        }
        match kind {
            Kind::KwRest | Kind::KwBelow if !matches!(self.slice(token), "rest" | "below") => {
                self.arm_word_for(token, kind)
            }
            _ => self.push(Token { kind, ..token }),
        }
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

    /// A declaration or statement begins with `token`.
    pub fn set_head(&mut self, kind: Kind, token: Token) {
        self.units.push(token.start);
        if self.place() == Place::Top {
            self.assigned = false;
            self.deep = false;
        }
        if let Some(open) = self.stack.last_mut() {
            open.head = kind;
        }
    }

    /// What a word is in its place.
    fn word(&mut self, token: Token) -> Kind {
        let before = self.before();
        let complete = before.is_none_or(ends_operand);
        let begins = complete || before == Some(Kind::LBrace);
        let keyword = match self.place() {
            Place::Top if !self.part => self.top_word(token, before, complete),
            Place::Body if begins => self.keyword(STATEMENTS, token),
            Place::Checklist => self.checklist_word(token, before, begins),
            Place::Test if begins => self.keyword(TESTS, token),
            Place::Table if self.at_arm_start() => self.arm_word(token),
            Place::Args if complete && self.slice(token) == "weight" => Some(Kind::KwWeight),
            Place::Args if complete && self.next_kind() == Some(Kind::Number) => {
                self.misspelt(&[("weight", Kind::KwWeight)], token)
            }
            _ => None,
        };
        match keyword {
            Some(Kind::KwWeight | Kind::KwAs | Kind::KwFrom | Kind::KwMax | Kind::KwRest | Kind::KwBelow) => {}
            // `default judge` is one declaration.
            Some(Kind::KwJudge) if before == Some(Kind::KwDefault) => {}
            Some(keyword) => self.set_head(keyword, token),
            // `tally(a, b) max 9`, wherever a type can stand.
            None if before == Some(Kind::RParen)
                && self.next_kind() == Some(Kind::Number)
                && self.slice(token) == "max" =>
            {
                return Kind::KwMax;
            }
            None => {}
        }
        keyword.unwrap_or(Kind::Word)
    }

    /// The keyword of a list that a word is, or is a slip for.
    fn keyword(&mut self, list: &[(&'static str, Kind)], token: Token) -> Option<Kind> {
        lookup(list, self.slice(token)).or_else(|| self.misspelt(list, token))
    }

    /// A keyword that was meant, where what follows looks like one of its kind. Reported.
    fn misspelt(&mut self, list: &[(&'static str, Kind)], token: Token) -> Option<Kind> {
        let number = list.iter().any(|(_, kind)| matches!(kind, Kind::KwWeight | Kind::KwLevel));
        let fits = match self.next_kind()? {
            Kind::Word | Kind::Text | Kind::RawText | Kind::BlockText => true,
            Kind::Number => number,
            Kind::LBrace => list.iter().any(|(_, kind)| matches!(kind, Kind::KwGiven)),
            _ => false,
        };
        let written = self.slice(token).to_owned();
        let meant = did_you_mean(&written, list.iter().map(|(word, _)| *word)).filter(|_| fits)?;
        let span = self.span(token);
        self.report(
            Diagnostic::error(
                Code::DECLARATION,
                span,
                format!("there is no word `{written}` here; did you mean `{meant}`?"),
                format!("`{meant}`?"),
            )
            .help(format!("write `{meant}`"))
            .fix(format!("write `{meant}`"), vec![Edit::new(span, meant)]),
        );
        lookup(list, meant)
    }

    fn top_word(&mut self, token: Token, before: Option<Kind>, complete: bool) -> Option<Kind> {
        match (before, self.slice(token)) {
            (Some(Kind::KwDefault), "judge") => return Some(Kind::KwJudge),
            (Some(Kind::Text), "as") if self.head() == Kind::KwUse => return Some(Kind::KwAs),
            (Some(Kind::Word | Kind::Question), "from") if self.head() == Kind::KwChecklist => {
                return Some(Kind::KwFrom);
            }
            (Some(Kind::RParen), "max") => return None,
            _ => {}
        }
        if !complete {
            // Behind something unfinished, at the beginning of a line.
            return lookup(DECLARATIONS, self.slice(token)).filter(|_| self.declaration_begins(token));
        }
        // `require "title" PROPERTY(…)`
        if before == Some(Kind::Text)
            && self.before2() == Some(Kind::KwRequire)
            && self.next_kind() == Some(Kind::LParen)
        {
            return None;
        }
        // `readout pointwise NAME =`: the second word is a name even if it could begin a declaration.
        if self.before2() == Some(Kind::KwReadout) && !matches!(self.next_kind(), Some(Kind::Word | Kind::Text)) {
            return None;
        }
        // `input question text`: behind a fresh name, with its `:` forgotten, stands a type and no misspelt keyword.
        let named = matches!(
            self.before2(),
            Some(
                Kind::KwInput
                    | Kind::KwReference
                    | Kind::KwCandidate
                    | Kind::KwCriterion
                    | Kind::KwChecklist
                    | Kind::KwTransform
                    | Kind::KwReduce
                    | Kind::KwGate
            )
        );
        if named && before == Some(Kind::Word) {
            let keyword = lookup(DECLARATIONS, self.slice(token));
            if keyword.is_none() && self.next_kind() != Some(Kind::Colon) {
                self.missing_colon(token);
            }
            return keyword;
        }
        self.keyword(DECLARATIONS, token)
    }

    fn checklist_word(&mut self, token: Token, before: Option<Kind>, begins: bool) -> Option<Kind> {
        match before {
            // `+10 ID "text"`
            Some(Kind::Number)
                if matches!(
                    self.next_kind(),
                    Some(Kind::Text | Kind::RawText | Kind::BlockText | Kind::OddText | Kind::OpenText | Kind::Colon)
                ) =>
            {
                None
            }
            Some(Kind::Word) if self.before2() == Some(Kind::KwGroup) && self.slice(token) == "weight" => {
                Some(Kind::KwWeight)
            }
            Some(Kind::Number) => lookup(ENTRIES, self.slice(token)),
            _ if begins => self.keyword(ENTRIES, token),
            _ => None,
        }
    }

    /// `rest` and `below`, and the sign that other languages have for the first.
    fn arm_word(&mut self, token: Token) -> Option<Kind> {
        let next = self.next_kind();
        let arrow = matches!(next, Some(Kind::FatArrow | Kind::Colon | Kind::Arrow | Kind::Assign));
        match self.slice(token) {
            "rest" | "_" if arrow => Some(Kind::KwRest),
            "below" if matches!(next, Some(Kind::Number | Kind::OddNumber | Kind::Minus | Kind::Word)) => {
                Some(Kind::KwBelow)
            }
            _ => None,
        }
    }

    /// Whether a word at the beginning of a line, inside brackets, can only begin a declaration.
    fn declaration_begins(&self, token: Token) -> bool {
        let Some(keyword) = lookup(DECLARATIONS, self.slice(token)) else { return false };
        // A name behind its keyword, or behind the points of an item.
        let named = match self.before() {
            Some(Kind::Number) => self.place() == Place::Checklist,
            Some(kind) => kind >= Kind::KwRubric,
            None => false,
        };
        let line = self.text.get(..token.start as usize).unwrap_or("").rsplit('\n').next().unwrap_or("");
        !named && line.trim().is_empty() && self.follows(keyword, 0)
    }

    /// Whether the token at hand, `n` tokens ahead, begins a declaration.
    pub fn declaration_ahead(&self, n: usize) -> bool {
        let Some(word) = self.ahead(n).filter(|t| t.kind == Kind::Word) else { return false };
        lookup(DECLARATIONS, self.slice(word)).is_some_and(|keyword| self.follows(keyword, n + 1))
    }

    /// Whether what stands `n` tokens ahead continues the declaration that `keyword` begins.
    fn follows(&self, keyword: Kind, n: usize) -> bool {
        use Kind::*;
        let (first, second) = (self.ahead(n), self.ahead(n + 1).map(|t| t.kind));
        let Some(first) = first else { return false };
        let name = first.kind == Word;
        match keyword {
            KwUse => first.kind == Text,
            KwTest => first.kind == Text && second == Some(LBrace),
            KwRequire => matches!(first.kind, Text | LBrace) || name && second == Some(LParen),
            KwDefault => name && self.slice(first) == "judge",
            KwObserve | KwRubric | KwLibrary => name,
            KwReadout => name && matches!(second, Some(Word | Assign | Colon)),
            KwScale => name && second == Some(Assign),
            KwInput | KwReference => name && second == Some(Colon),
            KwCandidate => name && matches!(second, Some(Colon | LBrace)),
            KwCriterion => name && matches!(second, Some(Colon | LBrace | Text)),
            KwChecklist => name && matches!(second, Some(Colon | LBrace | Word)),
            KwDefine => name && second == Some(LParen),
            _ => name && matches!(second, Some(Assign | Colon)),
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
        if token.kind == Kind::LSquare && self.wordless_range(token)
            || token.kind == Kind::LBrace && self.table_inside(token)
        {
            return;
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
