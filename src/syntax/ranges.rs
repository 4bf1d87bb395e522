//! Ranges in other clothes: `int(1..5)`, `int[1-5]`, `int[1, 5]`, `int 1 to 5`, `[1..5]`, `1..5`.

use super::mend::Mender;
use super::token::{Kind, Token, counterpart};
use crate::diagnostics::{Code, Diagnostic, Edit};

/// A range read ahead: the tokens of both ends, what stands between, and how many tokens it takes.
struct Range {
    low: (Option<Token>, Token),
    high: (Option<Token>, Token),
    between: Token,
    length: usize,
}

impl Mender<'_> {
    /// A signed number `n` tokens ahead.
    fn signed_ahead(&self, n: usize) -> Option<((Option<Token>, Token), usize)> {
        let first = self.ahead(n)?;
        match first.kind {
            Kind::Number | Kind::OddNumber => Some(((None, first), n + 1)),
            Kind::Minus | Kind::Foreign if first.kind == Kind::Minus || self.is_minus(first) => {
                let number = self.ahead(n + 1).filter(|t| matches!(t.kind, Kind::Number | Kind::OddNumber))?;
                Some(((Some(first), number), n + 2))
            }
            _ => None,
        }
    }

    fn is_minus(&self, token: Token) -> bool {
        counterpart(self.slice(token)).is_some_and(|(kind, _)| kind == Kind::Minus)
    }

    /// Two numbers with something like "to" between them, `n` tokens ahead.
    fn range_ahead(&self, n: usize) -> Option<Range> {
        let (low, n) = self.signed_ahead(n)?;
        let between = self.ahead(n)?;
        let fits = match between.kind {
            Kind::DotDot | Kind::Minus | Kind::Comma | Kind::Colon | Kind::Semicolon => true,
            Kind::Foreign => {
                counterpart(self.slice(between)).is_some_and(|(k, _)| matches!(k, Kind::DotDot | Kind::Minus))
            }
            Kind::Word => self.slice(between) == "to",
            _ => false,
        };
        let (high, length) = self.signed_ahead(n + 1).filter(|_| fits)?;
        Some(Range { low, high, between, length })
    }

    /// `int(1..5)`, `int[1-5]`, `int 1..5`: `word` is `int` or `score`. Whether it was one, and has been put right.
    pub fn odd_range(&mut self, word: Token) -> bool {
        if !matches!(self.slice(word), "int" | "score") {
            return false;
        }
        let opener = self.ahead(0).map(|t| t.kind);
        let closer = match opener {
            Some(Kind::LParen) => Kind::RParen,
            Some(Kind::LSquare) => Kind::RSquare,
            Some(Kind::Number | Kind::Minus) => Kind::Bad,
            _ => return false,
        };
        let bare = closer == Kind::Bad;
        let Some(range) = self.range_ahead(usize::from(!bare)) else { return false };
        let last = if bare { range.high.1 } else { self.ahead(range.length).unwrap_or(word) };
        if !bare && last.kind != closer || bare && range.between.kind != Kind::DotDot {
            return false;
        }
        if opener == Some(Kind::LSquare) && range.between.kind == Kind::DotDot {
            return false;
        }
        let name = self.slice(word).to_owned();
        let written = self.written(&range, &name);
        let whole = self.span(Token { end: last.end, ..word });
        self.tell_range(whole, &written);
        self.push(Token { kind: Kind::Word, ..word });
        self.put_range(&range, Token { start: word.end, ..range.low.1 }, last.end);
        self.at += range.length + usize::from(!bare);
        true
    }

    /// `[1..5]` without its word; the bracket is at hand.
    pub fn wordless_range(&mut self, bracket: Token) -> bool {
        if self.before() == Some(Kind::Word) {
            return false;
        }
        let Some(range) = self.range_ahead(0).filter(|r| r.between.kind == Kind::DotDot) else { return false };
        let Some(last) = self.ahead(range.length).filter(|t| t.kind == Kind::RSquare) else { return false };
        self.add_word(&range, bracket.start, last.end);
        self.put_range(&range, bracket, last.end);
        self.at += range.length + 1;
        true
    }

    /// `1..5` without word and brackets; its first token is at hand.
    pub fn bare_range(&mut self, first: Token) -> bool {
        let bracketed = self.before() == Some(Kind::LSquare)
            || self.before() == Some(Kind::Minus) && self.before2() == Some(Kind::LSquare)
            // The end of an interval may be a fraction: `score[-4/7..1]`.
            || self.before() == Some(Kind::Slash);
        if bracketed {
            return false;
        }
        self.at -= 1;
        let range = self.range_ahead(0).filter(|r| r.between.kind == Kind::DotDot);
        let Some(range) = range else {
            self.at += 1;
            return false;
        };
        self.add_word(&range, first.start, range.high.1.end);
        self.put_range(&range, first, range.high.1.end);
        self.at += range.length;
        true
    }

    /// Whole numbers beyond 0 to 1 are most likely a scale of whole numbers.
    fn add_word(&mut self, range: &Range, start: u32, end: u32) {
        let (low, high) = (self.slice(range.low.1), self.slice(range.high.1));
        let whole = !(low.contains(['.', '%']) || high.contains(['.', '%']) || low == "0" && high == "1");
        let (kind, name) = if whole { (Kind::AddInt, "int") } else { (Kind::AddScore, "score") };
        let written = self.written(range, name);
        let span = self.span(Token { kind, start, end });
        self.tell_range(span, &written);
        self.push(Token { kind, start, end: start });
    }

    fn written(&self, range: &Range, word: &str) -> String {
        let end = |(sign, number): (Option<Token>, Token)| {
            format!("{}{}", if sign.is_some() { "-" } else { "" }, self.slice(number))
        };
        format!("{word}[{}..{}]", end(range.low), end(range.high))
    }

    fn tell_range(&mut self, span: crate::source::Span, written: &str) {
        self.report(
            Diagnostic::error(Code::RANGE, span, format!("a range is written `{written}`"), "a range in another form")
                .help(format!("write `{written}`"))
                .fix(format!("write `{written}`"), vec![Edit::new(span, written)]),
        );
    }

    fn put_range(&mut self, range: &Range, opener: Token, end: u32) {
        self.push(Token { kind: Kind::LSquare, start: opener.start, end: opener.start });
        for (sign, number) in [range.low, range.high] {
            if let Some(sign) = sign {
                self.push(Token { kind: Kind::Minus, ..sign });
            }
            self.push(Token { kind: Kind::Number, ..number });
            if number == range.low.1 {
                self.push(Token { kind: Kind::DotDot, ..range.between });
            }
        }
        self.push(Token { kind: Kind::RSquare, start: end, end });
    }
}
