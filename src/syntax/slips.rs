//! Slips that a few tokens give away: they are reported and put right before the automaton reads them.
//!
//! Every report here has a fix whose application parses clean, and the tokens handed on are those of the mended text.

use super::mend::{Mender, Place, ends_operand};
use super::text::plain_number;
use super::token::{Kind, Token, counterpart};
use crate::diagnostics::{Code, Diagnostic, Edit};

/// Calls whose arguments are conditions, so that `=` in them compares.
const CONDITIONS: &[&str] = &["all", "any", "count", "fraction", "by", "not", "rule", "reachable", "pass"];

impl Mender<'_> {
    /// A token that is neither a word nor a bracket.
    pub fn slip(&mut self, token: Token) {
        let start = self.at_statement_start();
        match token.kind {
            Kind::OpenText | Kind::OpenBlock => self.open_text(token),
            Kind::OddText => self.odd_text(token),
            Kind::OddNumber => self.odd_number(token),
            Kind::Foreign => self.foreign(token),
            Kind::Bad | Kind::Fence => self.bad(token),
            Kind::Semicolon | Kind::Comma => self.separator(token),
            Kind::Assign => self.assign(token),
            Kind::Colon | Kind::FatArrow | Kind::Arrow => self.readout_sign(token),
            Kind::If => self.if_for_when(token),
            Kind::Less | Kind::LessEqual | Kind::Else if self.at_arm_start() => self.arm_start(token),
            Kind::Star if start && self.place() == Place::Checklist => self.bullet(token),
            Kind::Minus
                if start
                    && self.place() == Place::Checklist
                    && matches!(self.next_kind(), Some(Kind::Plus | Kind::Minus | Kind::Star)) =>
            {
                self.bullet(token);
            }
            Kind::Plus | Kind::Minus | Kind::Number if start && self.place() == Place::Checklist => {
                self.set_head(Kind::Plus, token);
                self.push(token);
            }
            Kind::Number | Kind::Minus if self.bare_range(token) => {}
            Kind::Number | Kind::Text | Kind::True | Kind::False | Kind::Unknown | Kind::Not => {
                self.missing_comma(token);
                self.push(token);
            }
            _ => self.push(token),
        }
    }

    /// Whether a statement of a body may begin here.
    pub fn at_statement_start(&self) -> bool {
        self.before().is_none_or(|k| k == Kind::LBrace || ends_operand(k))
    }

    pub fn at_arm_start(&self) -> bool {
        self.place() == Place::Table && matches!(self.before(), Some(Kind::LBrace | Kind::Comma))
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Whether the byte before or after a token belongs to a word, so that a word in its place needs a blank.
    fn spaced(&self, token: Token, word: &str) -> String {
        let touches = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | ')'));
        let before = self.text.get(..token.start as usize).unwrap_or("").chars().next_back();
        let after = self.text.get(token.end as usize..).unwrap_or("").chars().next();
        let mut text = String::new();
        if touches(before) {
            text.push(' ');
        }
        text.push_str(word);
        if touches(after) {
            text.push(' ');
        }
        text
    }

    fn open_text(&mut self, token: Token) {
        let quotes = if token.kind == Kind::OpenBlock { "\"\"\"" } else { "\"" };
        let span = self.span(token);
        let mut edits = vec![Edit::new(span.after(), quotes)];
        let written = self.slice(token);
        if let Some(first) = written.chars().next().filter(|c| !matches!(c, '"' | 'r')) {
            let end = token.start + u32::try_from(first.len_utf8()).unwrap_or(1);
            edits.insert(0, Edit::new(self.span(Token { end, ..token }), "\""));
        }
        self.report(
            Diagnostic::error(
                Code::UNCLOSED_TEXT,
                span,
                "the closing quotes of this text are missing",
                "a text begins here",
            )
            .help(format!("write {quotes} where the text ends; a text of several lines stands in \"\"\"…\"\"\""))
            .fix("close the text", edits),
        );
        self.missing_comma(token);
        self.push(Token { kind: Kind::Text, ..token });
    }

    fn odd_text(&mut self, token: Token) {
        let span = self.span(token);
        let written = self.slice(token);
        let mut inside = written.chars();
        inside.next();
        inside.next_back();
        let mended = format!("\"{}\"", inside.as_str().replace('"', "\\\""));
        self.report(
            Diagnostic::error(Code::QUOTES, span, "a text stands in plain double quotes", "other quotes")
                .help(format!("write `{mended}`"))
                .fix("write plain quotes", vec![Edit::new(span, mended)]),
        );
        self.missing_comma(token);
        self.push(Token { kind: Kind::Text, ..token });
    }

    fn odd_number(&mut self, token: Token) {
        let written = self.slice(token).to_owned();
        // One that is too long is reported where its value is read.
        if let Ok(number) = plain_number(&written) {
            let span = self.span(token);
            self.report(
                Diagnostic::error(Code::NUMBER, span, format!("`{written}` is no form of a number here"), "a number")
                    .help(format!("write `{number}`"))
                    .fix(format!("write `{number}`"), vec![Edit::new(span, number.to_string())]),
            );
        }
        self.slip(Token { kind: Kind::Number, ..token });
    }

    fn foreign(&mut self, token: Token) {
        let written = self.slice(token).to_owned();
        let Some((kind, plain)) = counterpart(&written) else { return self.push(token) };
        let span = self.span(token);
        let text =
            if matches!(kind, Kind::And | Kind::Or | Kind::Not) { self.spaced(token, plain) } else { plain.to_owned() };
        self.report(
            Diagnostic::error(
                Code::FOREIGN_SIGN,
                span,
                format!("`{written}` is written `{plain}` here"),
                format!("`{plain}`"),
            )
            .help(format!("write `{plain}`"))
            .fix(format!("write `{plain}`"), vec![Edit::new(span, text)]),
        );
        self.slip(Token { kind, ..token });
    }

    fn bad(&mut self, token: Token) {
        let written = self.slice(token).to_owned();
        let bullet = written.chars().all(|c| matches!(c, '•' | '◦' | '▪' | '‣' | '●' | '○'));
        if bullet && self.place() == Place::Checklist && self.at_statement_start() {
            return self.bullet(token);
        }
        let span = self.span(token);
        let shown: String = written.chars().take(20).collect();
        self.report(
            Diagnostic::error(
                Code::BAD_CHARACTER,
                span,
                format!("`{shown}` has no meaning here"),
                "not part of the language",
            )
            .help("leave it out, or put it into a quoted text or a `//` comment")
            .suggestion("leave it out", vec![Edit::new(span, "")]),
        );
    }

    /// `;` anywhere, and a comma where nothing is listed.
    fn separator(&mut self, token: Token) {
        let listed = matches!(
            self.place(),
            Place::Args | Place::List | Place::Given | Place::Table | Place::Record | Place::Require
        );
        let next = self.next_kind();
        let closes = matches!(next, None | Some(Kind::RParen | Kind::RSquare | Kind::RBrace));
        let opened = matches!(self.before(), None | Some(Kind::Comma | Kind::LParen | Kind::LSquare | Kind::LBrace));
        if token.kind == Kind::Comma {
            let belongs = match self.place() {
                _ if listed => !opened,
                Place::Body | Place::Checklist if self.head() == Kind::KwSees => next == Some(Kind::Word),
                Place::Body | Place::Checklist | Place::Test => false,
                Place::Top => next.is_some() && !self.declaration_ahead(0),
                _ => true,
            };
            if belongs {
                return self.push(token);
            }
        }
        let span = self.span(token);
        let written = self.slice(token).to_owned();
        if listed && token.kind == Kind::Semicolon && !closes && !opened && next != Some(Kind::Comma) {
            self.report(
                Diagnostic::error(
                    Code::SEPARATOR,
                    span,
                    "parts of a list are separated by commas",
                    "`,` instead of `;`",
                )
                .help("write `,`")
                .fix("write `,`", vec![Edit::new(span, ",")]),
            );
            return self.push(Token { kind: Kind::Comma, ..token });
        }
        self.report(
            Diagnostic::error(Code::SEPARATOR, span, format!("no `{written}` belongs here"), "not needed")
                .help("leave it out: new lines and signs between declarations mean nothing")
                .fix(format!("leave out `{written}`"), vec![Edit::new(span, "")]),
        );
    }

    fn assign(&mut self, token: Token) {
        let named = self.before() == Some(Kind::Word)
            && matches!(self.before2(), Some(Kind::LParen | Kind::Comma | Kind::LBrace | Kind::Dot))
            || self.before() == Some(Kind::RSquare);
        let unnamed = self.stack.last().and_then(|o| o.callee).is_some_and(|c| CONDITIONS.contains(&self.slice(c)));
        let decides = self.stack.last().and_then(|o| o.callee).is_some_and(|c| self.slice(c) == "decide");
        match self.place() {
            Place::Top if !self.assigned => {
                self.assigned = true;
                self.push(token);
            }
            Place::Args if self.before() == Some(Kind::KwWeight) => self.push(token),
            Place::Args if named && !unnamed => self.named(token),
            Place::Given if named => self.named(token),
            Place::Record => self.named(token),
            Place::Table if !decides => self.push(token),
            Place::Test if self.before() == Some(Kind::KwExpect) || self.head() == Kind::KwGiven => self.push(token),
            Place::Body | Place::Checklist => self.push(token),
            _ => {
                let span = self.span(token);
                self.report(
                    Diagnostic::error(Code::ASSIGN, span, "two values are compared with `==`", "`=` does not compare")
                        .help("write `==`")
                        .fix("write `==`", vec![Edit::new(span, "==")]),
                );
                self.push(Token { kind: Kind::Equal, ..token });
            }
        }
    }

    fn named(&mut self, token: Token) {
        let span = self.span(token);
        let before = self.text.get(..token.start as usize).unwrap_or("");
        let blank = u32::try_from(before.len() - before.trim_end().len()).unwrap_or(0);
        let after = self.text.get(token.end as usize..).is_some_and(|t| t.starts_with(char::is_whitespace));
        self.report(
            Diagnostic::error(Code::NAMED, span, "a name and its value are joined by `:`", "`:` instead of `=`")
                .help("write `name: value`")
                .fix(
                    "write `:`",
                    vec![Edit::new(
                        self.span(Token { start: token.start - blank, ..token }),
                        if after { ":" } else { ": " },
                    )],
                ),
        );
        self.push(Token { kind: Kind::Colon, ..token });
    }

    /// `readout pointwise: x`
    fn readout_sign(&mut self, token: Token) {
        let readout = self.place() == Place::Top && self.head() == Kind::KwReadout && !self.assigned;
        if !readout || self.before() != Some(Kind::Word) {
            return self.push(token);
        }
        self.assigned = true;
        let span = self.span(token);
        let text = self.spaced(token, "=");
        let written = self.slice(token).to_owned();
        self.report(
            Diagnostic::error(
                Code::READOUT_SIGN,
                span,
                "a readout is written with `=`",
                format!("`=` instead of `{written}`"),
            )
            .help("write `readout pointwise = …`")
            .fix("write `=`", vec![Edit::new(span, text)]),
        );
        self.push(Token { kind: Kind::Assign, ..token });
    }

    fn if_for_when(&mut self, token: Token) {
        let clause = self.place() == Place::Require
            && matches!(self.before(), Some(Kind::LBrace | Kind::Comma))
            && self.colon_before_then();
        let behind = self.before().is_some_and(ends_operand) && self.place() != Place::Checklist;
        if !clause && !behind {
            return self.push(token);
        }
        let span = self.span(token);
        self.report(
            Diagnostic::error(
                Code::IF_FOR_WHEN,
                span,
                "a condition behind or before a rule begins with `when`",
                "`when`",
            )
            .help("write `when`; `if` stands only in `if … then … else …`")
            .fix("write `when`", vec![Edit::new(span, "when")]),
        );
        self.push(Token { kind: Kind::When, ..token });
    }

    /// Whether a clause's `:` or arrow comes before any `then … else`.
    fn colon_before_then(&self) -> bool {
        let mut depth = 0_usize;
        for token in self.tokens.iter().skip(self.at).take(500) {
            match token.kind {
                Kind::LParen | Kind::LSquare | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RSquare | Kind::RBrace if depth == 0 => return false,
                Kind::RParen | Kind::RSquare | Kind::RBrace => depth -= 1,
                Kind::Colon | Kind::FatArrow | Kind::Arrow if depth == 0 => return true,
                Kind::Then if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// `< 0.4 => x` and `else => x` in a table.
    fn arm_start(&mut self, token: Token) {
        let rest = token.kind == Kind::Else;
        if rest && !matches!(self.next_kind(), Some(Kind::FatArrow | Kind::Colon | Kind::Arrow)) {
            return self.push(token);
        }
        self.arm_word_for(token, if rest { Kind::KwRest } else { Kind::KwBelow });
    }

    /// Reports another word or sign for `rest` or `below`, and puts that in its place.
    pub fn arm_word_for(&mut self, token: Token, kind: Kind) {
        let plain = if kind == Kind::KwRest { "rest" } else { "below" };
        let written = self.slice(token).to_owned();
        let span = self.span(token);
        let text =
            if kind == Kind::KwRest { plain.to_owned() } else { self.spaced(token, plain).trim_start().to_owned() };
        let diagnostic = Diagnostic::error(
            Code::ARM,
            span,
            format!("`{written}` is written `{plain}` in a table"),
            format!("`{plain}`"),
        )
        .help("write `below 0.4 => low, rest => high`; a bound itself belongs to the next band");
        let edits = vec![Edit::new(span, text)];
        // `<=` draws the line elsewhere; the author has to look.
        let diagnostic = if written == "<=" {
            diagnostic.suggestion(format!("write `{plain}`"), edits)
        } else {
            diagnostic.fix(format!("write `{plain}`"), edits)
        };
        self.report(diagnostic);
        self.push(Token { kind, ..token });
    }

    /// `* +4 "…"`, `- +4 "…"`, `* 4 "…"`
    fn bullet(&mut self, token: Token) {
        let span = self.span(token);
        let unsigned = matches!(self.next_kind(), Some(Kind::Number | Kind::OddNumber));
        let end = self.ahead(0).map_or(token.end, |t| t.start);
        let gap = self.span(Token { end, ..token });
        let edit = if unsigned { Edit::new(gap, "+") } else { Edit::new(gap, "") };
        self.report(
            Diagnostic::error(Code::BULLET, span, "items have no bullets, only their points", "a bullet")
                .help("begin an item with its points: `+4 \"…\"`, `-8 \"…\"`")
                .fix(if unsigned { "write `+`" } else { "leave out the bullet" }, vec![edit]),
        );
        if unsigned {
            self.set_head(Kind::Plus, token);
            self.push(Token { kind: Kind::Plus, ..token });
        }
    }

    /// Puts the `:` between a name and what it is declared to be (`input question text`), unless the name stands twice.
    pub fn missing_colon(&mut self, token: Token) {
        let Some(last) = self.out.last().copied() else { return };
        let name = self.slice(last).to_owned();
        if self.slice(token) == name {
            return;
        }
        let place = self.span(Token { start: last.end, end: last.end, ..token });
        self.report(
            Diagnostic::error(Code::NO_COLON, place, format!("a `:` is missing behind `{name}`"), "`:` belongs here")
                .help("between a name and what belongs to it stands a `:`")
                .fix("write `:`", vec![Edit::new(place, ":")]),
        );
        self.push(Token { kind: Kind::Colon, start: last.end, end: last.end });
    }

    /// Puts a comma between two parts of a list that have none between them.
    pub fn missing_comma(&mut self, token: Token) {
        let listed = matches!(self.place(), Place::Args | Place::List | Place::Given | Place::Table | Place::Record);
        let Some(last) = self.out.last().copied().filter(|t| listed && ends_operand(t.kind)) else { return };
        let place = self.span(Token { start: last.end, end: last.end, ..token });
        let callee = self.stack.last().and_then(|o| o.callee).map_or("", |c| self.slice(c));
        if matches!(token.kind, Kind::Number) && callee.starts_with("weighted_") {
            self.report(
                Diagnostic::error(
                    Code::WEIGHT,
                    self.span(token),
                    "the word `weight` is missing before this weight",
                    "a weight",
                )
                .help("write `x weight 3`")
                .fix("write `weight`", vec![Edit::new(self.span(token), format!("weight {}", self.slice(token)))]),
            );
            self.push(Token { kind: Kind::KwWeight, start: token.start, end: token.start });
            return;
        }
        // `{ left text, … }`, `given { harmful true }`: behind a key stands a `:`.
        let key = last.kind == Kind::Word && matches!(self.before2(), Some(Kind::LBrace | Kind::Comma));
        if key && matches!(self.place(), Place::Record | Place::Given) {
            self.missing_colon(token);
            return;
        }
        self.report(
            Diagnostic::error(Code::MISSING_COMMA, place, "a comma is missing between two parts of a list", "`,` here")
                .also(self.span(token), "the next part begins here")
                .help("write `,` between the parts")
                .fix("write `,`", vec![Edit::new(place, ",")]),
        );
        self.push(Token { kind: Kind::Comma, start: last.end, end: last.end });
    }
}
