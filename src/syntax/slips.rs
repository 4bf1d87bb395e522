//! Slips that a few tokens give away: they are reported and put right before the automaton reads them.

use super::cx::too_deep;
use super::mend::{Mender, Place};
use super::token::{Kind, Token};
use crate::diagnostics::{Code, Diagnostic, Edit};

impl Mender<'_> {
    /// A token that is neither a word nor a bracket.
    pub fn slip(&mut self, token: Token) {
        match token.kind {
            Kind::OpenText | Kind::OpenBlock => {
                let quotes = if token.kind == Kind::OpenBlock { "\"\"\"" } else { "\"" };
                let span = self.span(token);
                self.found.push(
                    Diagnostic::error(
                        Code::UNCLOSED_TEXT,
                        span,
                        "the closing quotes of this text are missing",
                        "a text begins here",
                    )
                    .help(format!(
                        "write {quotes} where the text ends; a text of several lines stands in \"\"\"…\"\"\""
                    ))
                    .fix("close the text", vec![Edit::new(span.after(), quotes)]),
                );
                self.push(Token { kind: Kind::Text, ..token });
            }
            // A statement of a checklist that begins with points has no keyword.
            Kind::Plus | Kind::Minus | Kind::Number if self.place() == Place::Checklist => {
                if self.before().is_none_or(|k| k == Kind::LBrace || super::mend::ends_operand(k)) {
                    self.set_head(Kind::Plus);
                }
                self.push(token);
            }
            _ => self.push(token),
        }
    }

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
        self.found.push(too_deep(span));
        let closer = match token.kind {
            Kind::LParen => Kind::RParen,
            Kind::LSquare => Kind::RSquare,
            _ => Kind::RBrace,
        };
        self.push(token);
        if token.kind == Kind::LParen {
            self.push(Token { kind: Kind::Unknown, start: token.end, end: token.end });
        }
        self.push(Token { kind: closer, start: last.start.max(token.end), end: last.end.max(token.end) });
    }

    /// A closing bracket that does not fit the last open one.
    pub fn mismatch(&mut self, token: Token, opener: Kind) {
        let span = self.span(token);
        if self.stack.iter().any(|o| o.place != Place::Top && o.token.kind == opener) {
            // What was opened inside is never closed.
            while let Some(open) = self.stack.last().copied().filter(|o| o.place != Place::Top) {
                if open.token.kind == opener {
                    break;
                }
                self.unclosed(token.start);
            }
            self.stack.pop();
            self.push(token);
            return;
        }
        let text = self.slice(token).to_owned();
        self.found.push(
            Diagnostic::error(
                Code::STRAY_BRACKET,
                span,
                format!("this `{text}` closes nothing"),
                "no bracket is open here",
            )
            .help("leave it out, or write the bracket that it should close")
            .fix(format!("leave out `{text}`"), vec![Edit::new(span, "")]),
        );
    }

    /// Closes the last open bracket before `at` and says that the author did not.
    pub fn unclosed(&mut self, at: u32) {
        let Some(open) = self.stack.pop() else { return };
        let (closer, kind) = match open.token.kind {
            Kind::LParen => (")", Kind::RParen),
            Kind::LSquare => ("]", Kind::RSquare),
            _ => ("}", Kind::RBrace),
        };
        let end = self.out.last().map_or(at, |t| t.end);
        let text = self.slice(open.token).to_owned();
        let place = Token { kind, start: end, end };
        self.found.push(
            Diagnostic::error(
                Code::UNCLOSED,
                self.span(open.token),
                format!("this `{text}` is never closed"),
                format!("its `{closer}` is missing"),
            )
            .also(self.span(place), format!("`{closer}` is missed here at the latest"))
            .help(format!("write `{closer}` where the part ends"))
            .suggestion(format!("write `{closer}`"), vec![Edit::new(self.span(place), closer)]),
        );
        self.push(place);
    }

    /// Closes what is open at the end of the text.
    pub fn close_all(&mut self) {
        let end = self.tokens.last().map_or(0, |t| t.end);
        while self.stack.last().is_some_and(|o| o.place != Place::Top) {
            self.unclosed(end);
        }
    }
}
