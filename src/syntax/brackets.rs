//! Brackets without their partner, beyond the limit, or round a table.

use super::cx::too_deep;
use super::mend::{Mender, Open, Place};
use super::token::{Kind, Token};
use crate::diagnostics::{Code, Diagnostic, Edit};

fn partner(opener: Kind) -> (Kind, &'static str) {
    match opener {
        Kind::LParen => (Kind::RParen, ")"),
        Kind::LSquare => (Kind::RSquare, "]"),
        _ => (Kind::RBrace, "}"),
    }
}

impl Mender<'_> {
    /// Leaves out what a bracket beyond the limit encloses.
    pub fn cut(&mut self, token: Token) {
        let mut depth = 1_usize;
        let mut last = token;
        while let Some(next) = self.tokens.get(self.at).copied() {
            self.at += 1;
            last = next;
            match next.kind {
                Kind::LParen | Kind::LSquare | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RSquare | Kind::RBrace => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        let span = self.span(Token { end: last.end, ..token });
        if !std::mem::replace(&mut self.deep, true) {
            self.report(too_deep(span));
        }
        self.push(token);
        if token.kind == Kind::LParen {
            self.push(Token { kind: Kind::Unknown, start: token.end, end: token.end });
        }
        let kind = partner(token.kind).0;
        self.push(Token { kind, start: last.start.max(token.end), end: last.end.max(token.end) });
    }

    /// A closing bracket that does not fit the last open one.
    pub fn mismatch(&mut self, token: Token, opener: Kind) {
        let span = self.span(token);
        if self.stack.iter().any(|o| o.place != Place::Top && o.token.kind == opener) {
            // What was opened inside is never closed.
            while self.stack.last().is_some_and(|o| o.place != Place::Top && o.token.kind != opener) {
                self.unclosed(token.start);
            }
            self.stack.pop();
            return self.push(token);
        }
        let written = self.slice(token).to_owned();
        let open = self.stack.last().copied().filter(|o| o.place != Place::Top);
        if let Some(open) = open
            && self.next_kind() != Some(partner(open.token.kind).0)
        {
            let (kind, text) = partner(open.token.kind);
            let opened = self.slice(open.token).to_owned();
            self.report(
                Diagnostic::error(
                    Code::STRAY_BRACKET,
                    span,
                    format!("`{opened}` is closed by `{text}`, not by `{written}`"),
                    format!("`{text}` here"),
                )
                .also(self.span(open.token), "opened here")
                .help(format!("write `{text}`"))
                .fix(format!("write `{text}`"), vec![Edit::new(span, text)]),
            );
            self.stack.pop();
            return self.push(Token { kind, ..token });
        }
        self.report(
            Diagnostic::error(
                Code::STRAY_BRACKET,
                span,
                format!("this `{written}` closes nothing"),
                "no bracket is open here",
            )
            .help("leave it out, or write the bracket that it should close")
            .fix(format!("leave out `{written}`"), vec![Edit::new(span, "")]),
        );
    }

    /// Closes the last open bracket before `at` and says that the author did not.
    pub fn unclosed(&mut self, at: u32) {
        let Some(open) = self.stack.pop() else { return };
        let (kind, closer) = partner(open.token.kind);
        let end = self.out.last().map_or(at, |t| t.end);
        let written = self.slice(open.token).to_owned();
        let place = Token { kind, start: end, end };
        self.report(
            Diagnostic::error(
                Code::UNCLOSED,
                self.span(open.token),
                format!("this `{written}` is never closed"),
                format!("its `{closer}` is missing"),
            )
            .also(self.span(place), format!("`{closer}` belongs here at the latest"))
            .help(format!("write `{closer}` where the part ends"))
            .suggestion(format!("write `{closer}`"), vec![Edit::new(self.span(place), closer)]),
        );
        self.push(place);
    }

    /// Closes what is open where a declaration begins.
    pub fn close_all(&mut self, at: u32) {
        while self.stack.last().is_some_and(|o| o.place != Place::Top) {
            self.unclosed(at);
        }
    }

    /// `map(x, { … })` or `decide({ … })`: the parentheses are closed before the table. The brace is at hand.
    pub fn table_inside(&mut self, brace: Token) -> bool {
        let before = self.before();
        if self.place() != Place::Args || !matches!(before, Some(Kind::Comma | Kind::LParen)) {
            return false;
        }
        let Some(end) = self.closing() else { return false };
        let comma = usize::from(self.tokens.get(end + 1).is_some_and(|t| t.kind == Kind::Comma));
        let Some(paren) = self.tokens.get(end + 1 + comma).copied().filter(|t| t.kind == Kind::RParen) else {
            return false;
        };
        let (Some(args), Some(last)) = (self.stack.pop(), self.out.pop()) else { return false };
        let after = self.tokens.get(end).map_or(paren.start, |t| t.end);
        let first = self.span(Token { end: brace.start, ..last });
        let second = self.span(Token { start: after, ..paren });
        let text = if before == Some(Kind::Comma) { ") " } else { " " };
        self.report(
            Diagnostic::error(
                Code::TABLE_INSIDE,
                self.span(brace),
                "the table stands behind the parentheses, not inside them",
                "a table",
            )
            .help("write `map(x) { a => 0, b => 1 }`, `decide { … }`")
            .fix("close the parentheses before the table", vec![Edit::new(first, text), Edit::new(second, "")]),
        );
        if before == Some(Kind::Comma) {
            self.push(Token { kind: Kind::RParen, start: last.start, end: last.end });
        }
        self.push(brace);
        self.stack.push(Open { place: Place::Table, token: brace, head: Kind::Bad, callee: args.callee });
        // The parenthesis (and a comma before it) is left out when its turn comes.
        self.skip.push((end + 1, 1 + comma));
        true
    }

    /// The index of the bracket that closes the one at hand.
    fn closing(&self) -> Option<usize> {
        let mut depth = 1_usize;
        for (n, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                Kind::LParen | Kind::LSquare | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RSquare | Kind::RBrace => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return (token.kind == Kind::RBrace).then_some(n);
            }
        }
        None
    }
}
