//! Mistakes that only the grammar can see: what is reported, with which fix, and which tree is built instead.
//!
//! Each is told once, with a fix whose application parses clean; the tree is the one that was meant.

use super::ast::*;
use super::cx::{Cx, Part, Recovered, Sep};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::number::Number;
use crate::source::Span;

impl Cx<'_> {
    /// A declaration of which only the name could be read.
    pub fn named(&mut self, name: Name, e: Recovered) -> ItemKind {
        self.broken(e);
        ItemKind::Error(Some(name))
    }

    pub fn added_path(&self, word: &str, l: u32) -> Path {
        let name = self.added_word(word, l);
        Path { span: name.span, parts: vec![name] }
    }

    pub fn criterion(
        &mut self,
        name: Name,
        ty: Option<Box<TypeExpr>>,
        question: Option<Box<BodyItem>>,
        body: Option<Vec<BodyItem>>,
    ) -> ItemKind {
        if ty.is_none() {
            self.found.push(
                Diagnostic::error(
                    Code::NO_TYPE,
                    name.span,
                    format!("the criterion `{}` does not say what its answer may be", name.text),
                    "no type behind this name",
                )
                .help("write `: bool` for a yes/no question, `: int[1..5]` for a scale, `: choice(a, b)` for labels")
                .fix("make it a yes/no question", vec![Edit::new(name.span.after(), ": bool")]),
            );
        }
        let mut body = body.unwrap_or_default();
        if let Some(question) = question {
            body.insert(0, *question);
        }
        ItemKind::Criterion(Criterion { name, ty: ty.map(|ty| *ty), body })
    }

    /// `ask: "…"`, `level 1 = "…"`, `x weight: 3`
    pub fn stray(&mut self, l: u32, r: u32) {
        let (sign, span) = (self.slice(l, r), self.span(l, r));
        let before = self.text.get(..l as usize).unwrap_or("").trim_end();
        let word = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let (code, headline) = match word {
            "weight" => (Code::WEIGHT, format!("a weight is written without `{sign}`: `weight 3`")),
            "" => (Code::STRAY_SIGN, format!("no `{sign}` belongs here")),
            _ => (Code::STRAY_SIGN, format!("no `{sign}` belongs behind `{word}`")),
        };
        self.found.push(
            Diagnostic::error(code, span, headline, "not needed")
                .help(format!("leave out the `{sign}`"))
                .fix(format!("leave out `{sign}`"), vec![Edit::new(span, blank_for(before, self.text, r))]),
        );
    }

    pub fn bracketed_sees(&mut self, l: u32, r: u32, paths: &[Path]) {
        let span = self.span(l, r);
        let list = paths.iter().map(Path::dotted).collect::<Vec<_>>().join(", ");
        self.found.push(
            Diagnostic::error(Code::SEES_BRACKETS, span, "the fields behind `sees` stand without brackets", "brackets")
                .help(format!("write `sees {list}`"))
                .fix("leave out the brackets", vec![Edit::new(span, list)]),
        );
    }

    pub fn arrow_before_type(&mut self, l: u32, r: u32) {
        let span = self.span(l, r);
        let before = self.text.get(..l as usize).unwrap_or("");
        let blank = u32::try_from(before.len() - before.trim_end().len()).unwrap_or(0);
        self.found.push(
            Diagnostic::error(
                Code::RESULT_ARROW,
                span,
                "the type of a `define` stands behind a colon",
                "`:` instead of `->`",
            )
            .help("write `define name(x: bool): bool = …`")
            .fix("write `:`", vec![Edit::new(self.span(l - blank, r), ":")]),
        );
    }

    /// A name where a quoted title belongs.
    pub fn unquoted(&mut self, name: Name) -> Text {
        self.found.push(
            Diagnostic::error(
                Code::TITLE,
                name.span,
                format!("the title `{}` needs quotes", name.text),
                "a title in quotes",
            )
            .help(format!("write `\"{}\"`", name.text))
            .fix("quote it", vec![Edit::new(name.span, format!("\"{}\"", name.text))]),
        );
        Text { value: name.text, span: name.span, raw: false, holes: Vec::new() }
    }

    /// A type of labels, its separators settled: `<` in an ordinal, commas elsewhere.
    pub fn labels_type(
        &mut self,
        word: Name,
        labels: Vec<(Label, Option<Sep>)>,
        max: Option<(Number, Span)>,
    ) -> TypeKind {
        if matches!(&*word.text, "ordinal" | "choice" | "set" | "tally") {
            let less = &*word.text == "ordinal";
            let last = labels.len().saturating_sub(1);
            let wrong: Vec<Span> = labels
                .iter()
                .enumerate()
                .filter(|(at, _)| *at < last)
                .filter_map(|(_, (_, sep))| sep.as_ref().filter(|s| s.less != less).map(|s| s.span))
                .collect();
            if let Some(first) = wrong.first() {
                let (headline, sign) = if less {
                    ("the labels of an `ordinal` are ordered with `<`", " <")
                } else {
                    ("these labels have no order; a comma stands between them", ",")
                };
                self.found.push(
                    Diagnostic::error(Code::LABELS, *first, headline, format!("`{}` here", sign.trim()))
                        .help(if less {
                            "write the lowest first: `ordinal(poor < fair < good)`".to_owned()
                        } else {
                            format!("write `{}(a, b)`, or `ordinal(a < b)` if they have an order", word.text)
                        })
                        .fix(
                            format!("write `{}`", sign.trim()),
                            wrong.iter().map(|s| self.separator_edit(*s, sign)).collect(),
                        ),
                );
            }
        }
        TypeKind::Labels { word, labels: labels.into_iter().map(|(label, _)| label).collect(), max }
    }

    fn separator_edit(&self, span: Span, sign: &str) -> Edit {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let blank = u32::try_from(before.len() - before.trim_end().len()).unwrap_or(0);
        Edit::new(Span { start: span.start - blank, ..span }, sign)
    }

    /// Parts the statements at the head of a checklist or group from its entries.
    pub fn split(&mut self, parts: Vec<Part>) -> (Vec<BodyItem>, Vec<Entry>) {
        let (mut head, mut entries) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Head(statement) => {
                    if !entries.is_empty() {
                        self.found.push(
                            Diagnostic::error(
                                Code::HEAD,
                                statement.span,
                                "what holds for the whole list must stand before its first item",
                                "behind an item",
                            )
                            .help("move it up, right behind the `{`; for one item only, write it in braces behind its text"),
                        );
                    }
                    head.push(statement);
                }
                Part::Entry(entry) => entries.push(entry),
            }
        }
        (head, entries)
    }

    pub fn unsigned(&mut self, l: u32) {
        let span = self.span(l, l);
        let number = self.text.get(l as usize..).unwrap_or("").split(|c: char| !c.is_ascii_digit() && c != '.').next();
        let number = number.unwrap_or("");
        let place = self.span(l, l + u32::try_from(number.len()).unwrap_or(0));
        self.found.push(
            Diagnostic::error(
                Code::UNSIGNED,
                place,
                "the points of an item carry a sign",
                "`+` for a merit, `-` for a fault",
            )
            .help(format!("write `+{number}`, or `-{number}` if the item describes something bad"))
            .fix(format!("write `+{number}`"), vec![Edit::new(span, "+")]),
        );
    }

    /// `when a => b` or `a => b` in a requirement; the sign is at `s..e`, the condition begins at `l`.
    pub fn arrow_clause(&mut self, l: u32, s: u32, e: u32, add_when: bool) {
        let (sign, span) = (self.slice(s, e), self.span(s, e));
        let mut edits = vec![Edit::new(self.tight(span), ":")];
        if add_when {
            edits.insert(0, Edit::new(self.span(l, l), "when "));
        }
        self.found.push(
            Diagnostic::error(
                Code::CLAUSE_ARROW,
                span,
                "a requirement has `when` before its condition and `:` behind it",
                format!("`:` instead of `{sign}`"),
            )
            .help("write `{ when condition: what must hold }`")
            .fix("write `when … :`", edits),
        );
    }

    /// `a: 0`, `a -> 0`, `a = 0` in a table.
    pub fn arm_sign(&mut self, l: u32, r: u32) {
        let (sign, span) = (self.slice(l, r), self.span(l, r));
        let spaced = self.text.get(..l as usize).is_some_and(|b| b.ends_with(char::is_whitespace));
        self.found.push(
            Diagnostic::error(
                Code::ARM,
                span,
                "in a table `=>` stands between a value and what it becomes",
                format!("`=>` instead of `{sign}`"),
            )
            .help("write `a => 0, b => 1`")
            .fix("write `=>`", vec![Edit::new(span, if spaced { "=>" } else { " =>" })]),
        );
    }

    /// The span with the blanks before it.
    fn tight(&self, span: Span) -> Span {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let blank = u32::try_from(before.len() - before.trim_end().len()).unwrap_or(0);
        Span { start: span.start - blank, ..span }
    }
}

/// What replaces a sign that is left out: a blank where two words would touch.
fn blank_for(before: &str, text: &str, r: u32) -> &'static str {
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let after = text.get(r as usize..).unwrap_or("");
    if touches(before.chars().next_back()) && after.starts_with(|c: char| !c.is_whitespace()) { " " } else { "" }
}

/// `0.3 * x` or `x: 0.3` as a slot of a weighted mean or sum.
pub(super) fn weights(cx: &mut Cx<'_>, callee: &Path, args: &mut [Arg]) {
    let weighted = callee.parts.len() == 1 && callee.parts.iter().all(|p| p.text.starts_with("weighted_"));
    if !weighted || args.iter().any(|a| a.weight.is_some() && a.name.is_none()) {
        return;
    }
    for arg in args {
        let Some((value, weight)) = weighted_slot(arg) else { continue };
        let text = |e: &Expr| cx.slice(e.span.start, e.span.end);
        let written = format!("{} weight {}", text(&value), text(&weight));
        cx.found.push(
            Diagnostic::error(
                Code::WEIGHT,
                arg.span,
                "the weight of a slot stands behind it, after the word `weight`",
                "a weight in another form",
            )
            .help(format!("write `{written}`"))
            .fix(format!("write `{written}`"), vec![Edit::new(arg.span, written.clone())]),
        );
        arg.name = None;
        arg.value = value;
        arg.weight = Some(Box::new(weight));
    }
}

/// Slot and weight of `0.3 * x`, `x * 0.3` and `x: 0.3`.
fn weighted_slot(arg: &Arg) -> Option<(Expr, Expr)> {
    let number = |e: &Expr| {
        let e = match &e.kind {
            ExprKind::Unary(UnaryOp::Negate, inner) => inner,
            _ => e,
        };
        matches!(e.kind, ExprKind::Number(_))
    };
    match (&arg.name, &arg.value.kind) {
        (None, ExprKind::Binary(BinaryOp::Multiply, _, a, b)) if number(a) && !number(b) => {
            Some((Expr::clone(b), Expr::clone(a)))
        }
        (None, ExprKind::Binary(BinaryOp::Multiply, _, a, b)) if number(b) && !number(a) => {
            Some((Expr::clone(a), Expr::clone(b)))
        }
        (Some(name), _) if number(&arg.value) && &*name.text != "unknown" => {
            let path = Path { parts: vec![name.clone()], span: name.span };
            Some((Expr { kind: ExprKind::Path(path), span: name.span, depth: 0 }, arg.value.clone()))
        }
        _ => None,
    }
}

/// Whether arguments can be read as labels: an operator may be called `ordinal`, too.
pub(super) fn are_labels(args: &[Arg]) -> bool {
    let chained = |mut expr: &Expr| {
        while let ExprKind::Binary(BinaryOp::Less, _, a, b) = &expr.kind {
            if label(b).is_none() {
                return false;
            }
            expr = a;
        }
        label(expr).is_some()
    };
    !args.is_empty() && args.iter().all(|a| a.name.is_none() && a.weight.is_none() && chained(&a.value))
}

/// Reads `a < b < c` as labels; `false` where something else stands between.
pub(super) fn chain(expr: Expr, labels: &mut Vec<(Label, Option<Sep>)>) -> bool {
    let mut rest = expr;
    let mut found = Vec::new();
    loop {
        match rest.kind {
            ExprKind::Binary(BinaryOp::Less, at, a, b) => {
                let Some(label) = label(&b) else { return false };
                found.push((label, at));
                rest = *a;
            }
            _ => {
                let Some(first) = label(&rest) else { return false };
                labels.push((first, None));
                break;
            }
        }
    }
    for (label, at) in found.into_iter().rev() {
        if let Some((_, sep)) = labels.last_mut() {
            *sep = Some(Sep { less: true, span: at });
        }
        labels.push((label, None));
    }
    true
}

fn label(expr: &Expr) -> Option<Label> {
    match &expr.kind {
        ExprKind::Path(p) => match p.parts.as_slice() {
            [name] => Some(Label { text: name.text.clone(), span: name.span, quoted: false }),
            _ => None,
        },
        ExprKind::Text(t) => Some(Label { text: t.value.clone(), span: t.span, quoted: true }),
        _ => None,
    }
}
