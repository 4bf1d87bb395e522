//! Calls of rule functions: arguments by place and name, and what each function yields.

use super::operators::{literal, number};
use super::{Compiler, Kind, Node, Part, Range, ReadAs, Tier, one_of};
use crate::diagnostics::{Code, Diagnostic, Edit, did_you_mean};
use crate::number::{Number, Rounding};
use crate::rules::Function;
use crate::rules::evaluate::OfText;
use crate::rules::schema::Schema;
use crate::rules::similarity::Metric;
use crate::source::Span;
use crate::syntax::ast::{Arg, Expr, ExprKind, Name, Path, Text, TypeKind};
use crate::types::{Base, Type, quote};
use std::sync::Arc;

/// How large a compiled regular expression may be, in bytes.
const MOST_PATTERN: usize = 4 << 20;

/// The arguments of a call: those without a name in order, and those with one.
struct Arguments<'e> {
    plain: Vec<&'e Expr>,
    named: Vec<(&'e Name, &'e Expr)>,
}

impl<'e> Arguments<'e> {
    fn named(&self, name: &str) -> Option<&'e Expr> {
        self.named.iter().find(|(n, _)| &*n.text == name).map(|(_, value)| *value)
    }
}

impl Compiler<'_, '_> {
    pub(super) fn call(&mut self, callee: &Path, args: &[Arg], result: bool, span: Span) -> Option<Part> {
        let word = callee.dotted();
        let Some(function) = Function::from_word(&word) else { return self.no_function(&word, callee.span) };
        let arguments = self.arguments(function, args, span)?;
        let plain = &arguments.plain;
        let of = format!("`{word}`");
        let (first, second) = (plain.first().copied(), plain.get(1).copied());
        // The number of arguments has been checked.
        let first = first?;
        let done = |node: Node, kind: Kind, optional: bool, inside: &[String]| {
            let text = format!("{word}({})", inside.join(", "));
            Some(Part { node, kind, optional, text, tier: Tier::Atom, span })
        };
        let count = || Kind::Number(Range::count());
        match function {
            Function::WordCount => self.of_text(OfText::WordCount, first, count(), &of, span),
            Function::CharCount => self.of_text(OfText::CharCount, first, count(), &of, span),
            Function::SentenceCount => self.of_text(OfText::SentenceCount, first, count(), &of, span),
            Function::LineCount => self.of_text(OfText::LineCount, first, count(), &of, span),
            Function::JsonValid => self.of_text(OfText::JsonValid, first, Kind::Bool, &of, span),
            Function::Lower => self.of_text(OfText::Lower, first, Kind::Text, &of, span),
            Function::Trim => self.of_text(OfText::Trim, first, Kind::Text, &of, span),
            Function::CodeBlocks => self.of_text(OfText::CodeBlocks, first, Kind::Texts, &of, span),
            Function::Urls => self.of_text(OfText::Urls, first, Kind::Texts, &of, span),
            Function::NumberIn => {
                let part = self.of_text(OfText::NumberIn, first, Kind::Number(Range::all()), &of, span)?;
                Some(Part { optional: true, ..part })
            }
            Function::Contains | Function::StartsWith | Function::EndsWith => {
                let (a, b) = (self.part(first, false), self.text(second?, &of));
                let (a, b) = (a?, b?);
                let list = function == Function::Contains && a.kind == Kind::Texts;
                let a = if list { a } else { self.read(a, ReadAs::Text, &of)? };
                let (optional, inside) = (a.optional || b.optional, [a.text, b.text]);
                let (a, b) = (Box::new(a.node), Box::new(b.node));
                let node = match function {
                    Function::Contains => Node::Contains(a, b),
                    Function::StartsWith => Node::StartsWith(a, b),
                    _ => Node::EndsWith(a, b),
                };
                done(node, Kind::Bool, optional, &inside)
            }
            Function::Matches | Function::CountMatches => {
                let (a, pattern) = (self.text(first, &of), self.pattern(second?, &word));
                let (a, (regex, pattern)) = (a?, pattern?);
                let inside = [a.text, pattern];
                let (node, kind) = match function {
                    Function::Matches => (Node::Matches(regex, Box::new(a.node)), Kind::Bool),
                    _ => (Node::CountMatches(regex, Box::new(a.node)), count()),
                };
                done(node, kind, a.optional, &inside)
            }
            Function::JsonGet => {
                let (a, pointer) = (self.json(first, &of), self.pointer(second?));
                let (a, pointer) = (a?, pointer?);
                let inside = [a.text, quote(&pointer)];
                done(Node::JsonGet(pointer, Box::new(a.node)), Kind::Json { strict: false }, true, &inside)
            }
            Function::JsonMatches => {
                let (a, schema) = (self.json(first, &of), self.schema(second?));
                let (a, schema) = (a?, schema?);
                let inside = [a.text, quote(&schema.text)];
                done(Node::JsonMatches(schema, Box::new(a.node)), Kind::Bool, a.optional, &inside)
            }
            Function::Similarity => {
                let (a, b) = (self.text(first, &of), self.text(second?, &of));
                let metric = self.metric(&arguments, span);
                let (a, b, metric) = (a?, b?, metric?);
                let inside = [a.text, b.text, format!("metric: {}", metric.word())];
                let node = Node::Similarity(metric, Box::new(a.node), Box::new(b.node));
                done(node, Kind::Number(Range::unit()), a.optional || b.optional, &inside)
            }
            Function::Turn => {
                let (a, n) = (self.chat(first, &of), self.turn_number(second?));
                let (a, n) = (a?, n?);
                done(Node::Turn(n, Box::new(a.node)), Kind::Text, true, &[a.text, n.to_string()])
            }
            Function::Transcript => {
                let a = self.chat(first, &of)?;
                done(Node::Transcript(Box::new(a.node)), Kind::Text, a.optional, &[a.text])
            }
            Function::Size => {
                let a = self.part(first, false)?;
                if !matches!(a.kind, Kind::Chat | Kind::Texts | Kind::Json { .. }) {
                    let wrong = Diagnostic::error(
                        Code::RULE_TYPE,
                        a.span,
                        format!("`size` counts a chat, a list or JSON, and this is {}", a.kind.words()),
                        a.kind.words(),
                    );
                    return self.report(
                        wrong.help("texts have `word_count`, `char_count`, `sentence_count` and `line_count`"),
                    );
                }
                done(Node::Size(Box::new(a.node)), count(), a.optional, &[a.text])
            }
            Function::Known => {
                let a = self.part(first, false)?;
                done(Node::Known(Box::new(a.node)), Kind::Bool, false, &[a.text])
            }
            Function::Otherwise => {
                let (a, b) = (self.part(first, result), self.part(second?, result));
                let (a, b) = (a?, b?);
                let (a, b, kind) = self.unify(a, b, "the two sides of `otherwise`")?;
                let inside = [a.text, b.text];
                done(Node::Otherwise(Box::new(a.node), Box::new(b.node)), kind, a.optional && b.optional, &inside)
            }
            Function::Clamp => {
                let (a, to) = (self.number(first, &of), self.interval(&arguments, span));
                let (a, (lo, hi, ty)) = (a?, to?);
                let range = number(&a);
                if matches!(ty.base, Base::Int { .. }) && !range.whole {
                    let wrong = Diagnostic::error(
                        Code::RULE_RANGE,
                        a.span,
                        format!("this need not be a whole number, and `{ty}` holds only those"),
                        range.words(),
                    );
                    return self.report(wrong.help("round it first: `clamp(round(…), to: …)`"));
                }
                let kind = Kind::Number(range.clamp(&lo, &hi));
                let inside = [a.text, format!("to: {ty}")];
                done(Node::Clamp { lo, hi, of: Box::new(a.node) }, kind, a.optional, &inside)
            }
            Function::Round => {
                let (a, step, mode) = (self.number(first, &of), self.step(&arguments), self.rounding(&arguments));
                let (a, step, mode) = (a?, step?, mode?);
                let kind = Kind::Number(number(&a).round(&step, mode));
                let mut inside = vec![a.text];
                if step != Number::ONE {
                    inside.push(format!("step: {}", super::decimal(&step)));
                }
                if mode != Rounding::default() {
                    inside.push(format!("mode: {}", mode.word()));
                }
                done(Node::Round { step, mode, of: Box::new(a.node) }, kind, a.optional, &inside)
            }
            Function::Abs => {
                let a = self.number(first, &of)?;
                let kind = Kind::Number(number(&a).abs());
                done(Node::Abs(Box::new(a.node)), kind, a.optional, &[a.text])
            }
            Function::Min | Function::Max => {
                let greatest = function == Function::Max;
                let parts: Vec<Option<Part>> = plain.iter().map(|e| self.number(e, &of)).collect();
                let parts: Vec<Part> = parts.into_iter().collect::<Option<_>>()?;
                let ranges = parts.iter().map(number);
                let range = ranges.reduce(|a, b| a.extreme(&b, greatest)).unwrap_or_else(Range::all);
                let optional = parts.iter().any(|p| p.optional);
                let inside: Vec<String> = parts.iter().map(|p| p.text.clone()).collect();
                let of = parts.into_iter().map(|p| p.node).collect();
                done(Node::Extreme { greatest, of }, Kind::Number(range), optional, &inside)
            }
        }
    }

    fn no_function(&mut self, word: &str, span: Span) -> Option<Part> {
        let wrong = Diagnostic::error(
            Code::RULE_FUNCTION,
            span,
            format!("rules have no function called `{word}`"),
            "no such function",
        );
        let wrong = match did_you_mean(word, Function::ALL.iter().map(|f| f.word())) {
            Some(near) => wrong
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![Edit::new(span, near)]),
            None => wrong.help(format!(
                "the functions are {}; what needs a program of its own is a `verifier`",
                Function::ALL.iter().map(|f| format!("`{}`", f.word())).collect::<Vec<_>>().join(", ")
            )),
        };
        self.report(wrong)
    }

    /// Sorts the arguments of a call and checks how many there are and what they are called.
    fn arguments<'e>(&mut self, function: Function, args: &'e [Arg], span: Span) -> Option<Arguments<'e>> {
        let (least, most, names): (usize, usize, &[&str]) = match function {
            Function::Contains
            | Function::StartsWith
            | Function::EndsWith
            | Function::Matches
            | Function::CountMatches
            | Function::JsonGet
            | Function::JsonMatches
            | Function::Turn
            | Function::Otherwise => (2, 2, &[]),
            Function::Similarity => (2, 2, &["metric"]),
            Function::Clamp => (1, 1, &["to"]),
            Function::Round => (1, 1, &["step", "mode"]),
            Function::Min | Function::Max => (2, usize::MAX, &[]),
            _ => (1, 1, &[]),
        };
        let word = function.word();
        let call = function.info().map_or(word, |i| i.form);
        let mut found = Arguments { plain: Vec::new(), named: Vec::new() };
        let mut fine = true;
        for arg in args {
            if let Some(weight) = &arg.weight {
                fine = false;
                let wrong = Diagnostic::error(Code::RULE_ARGUMENTS, weight.span, "a rule has no weights", "a weight");
                self.sink.push(wrong.help(format!("write `{call}`")));
            }
            match &arg.name {
                None => found.plain.push(&arg.value),
                Some(name) if found.named(&name.text).is_some() => {
                    fine = false;
                    let headline = format!("`{}` is given twice", name.text);
                    self.sink.push(Diagnostic::error(Code::RULE_ARGUMENTS, name.span, headline, "a second time"));
                }
                Some(name) if names.contains(&&*name.text) => found.named.push((name, &arg.value)),
                Some(name) => {
                    fine = false;
                    let headline = format!("`{word}` has no argument called `{}`", name.text);
                    let mut wrong = Diagnostic::error(Code::RULE_ARGUMENTS, name.span, headline, "no such argument")
                        .help(format!("write `{call}`"));
                    if let Some(near) = did_you_mean(&name.text, names.iter().copied()) {
                        wrong = wrong.suggestion(format!("write `{near}`"), vec![Edit::new(name.span, near)]);
                    }
                    self.sink.push(wrong);
                }
            }
        }
        let given = found.plain.len();
        if fine && !(least..=most).contains(&given) {
            let wanted = match (least, most) {
                (1, 1) => "one value".to_owned(),
                (n, usize::MAX) => format!("at least {n} values"),
                (n, _) => format!("{n} values"),
            };
            let headline = format!(
                "`{word}` takes {wanted}, and here {}",
                match given {
                    0 => "is none".to_owned(),
                    1 => "is one".to_owned(),
                    n => format!("are {n}"),
                }
            );
            fine = false;
            let wrong = Diagnostic::error(Code::RULE_ARGUMENTS, span, headline, "this call");
            self.sink.push(wrong.help(format!("write `{call}`")));
        }
        fine.then_some(found)
    }

    fn of_text(&mut self, function: OfText, arg: &Expr, kind: Kind, of: &str, span: Span) -> Option<Part> {
        let part = self.text(arg, of)?;
        let text = format!("{}({})", of.trim_matches('`'), part.text);
        let node = Node::OfText(function, Box::new(part.node));
        Some(Part { node, kind, optional: part.optional, text, tier: Tier::Atom, span })
    }

    fn text(&mut self, arg: &Expr, of: &str) -> Option<Part> {
        let part = self.part(arg, false)?;
        self.read(part, ReadAs::Text, of)
    }

    fn number(&mut self, arg: &Expr, of: &str) -> Option<Part> {
        let part = self.part(arg, false)?;
        self.read(part, ReadAs::Number, of)
    }

    /// A text that holds JSON, or JSON.
    fn json(&mut self, arg: &Expr, of: &str) -> Option<Part> {
        let part = self.part(arg, false)?;
        if matches!(part.kind, Kind::Json { .. } | Kind::Chat) { Some(part) } else { self.read(part, ReadAs::Text, of) }
    }

    fn chat(&mut self, arg: &Expr, of: &str) -> Option<Part> {
        let part = self.part(arg, false)?;
        if part.kind == Kind::Chat {
            return Some(part);
        }
        let headline = format!("{of} wants a chat, and this is {}", part.kind.words());
        let wrong = Diagnostic::error(Code::RULE_TYPE, part.span, headline, part.kind.words());
        self.report(wrong.help("declare the field as `chat`: a list of `{role, content}`"))
    }

    /// An argument that must be written out as a text.
    fn written<'e>(&mut self, arg: &'e Expr, what: &str) -> Option<&'e Text> {
        match &arg.bare().kind {
            ExprKind::Text(text) => Some(text),
            ExprKind::Error => None,
            _ => {
                let headline = format!("{what} is written out as a text, so that it can be checked now");
                self.report(Diagnostic::error(Code::RULE_ARGUMENTS, arg.span, headline, "not a text in quotes"))
            }
        }
    }

    fn pattern(&mut self, arg: &Expr, word: &str) -> Option<(regex::Regex, String)> {
        let pattern = self.written(arg, &format!("the regular expression of `{word}`"))?;
        match regex::RegexBuilder::new(&pattern.value).size_limit(MOST_PATTERN).dfa_size_limit(MOST_PATTERN).build() {
            Ok(regex) => Some((regex, quote(&pattern.value))),
            Err(error) => {
                let whole = error.to_string();
                let why = match error {
                    regex::Error::CompiledTooBig(_) => "it grows too large",
                    _ => whole.lines().last().unwrap_or("").trim().trim_start_matches("error: "),
                };
                let wrong = Diagnostic::error(
                    Code::RULE_PATTERN,
                    arg.span,
                    format!("this regular expression cannot be used: {why}"),
                    why,
                );
                self.report(wrong.help(
                    "the syntax is that of the Rust crate `regex`: no look-around and no back-references, so that every text is searched in linear time",
                ))
            }
        }
    }

    fn pointer(&mut self, arg: &Expr) -> Option<Arc<str>> {
        let pointer = self.written(arg, "the pointer of `json_get`")?;
        let value = &*pointer.value;
        let mut tildes = value.split('~').skip(1);
        let fine = (value.is_empty() || value.starts_with('/')) && tildes.all(|rest| rest.starts_with(['0', '1']));
        if fine {
            return Some(pointer.value.clone());
        }
        let wrong = Diagnostic::error(
            Code::RULE_POINTER,
            arg.span,
            format!("`{value}` is not a JSON pointer"),
            "not a JSON pointer",
        );
        if value.contains('~') {
            return self.report(wrong.help("a `~` in a key is written `~0`, and a `/` in a key `~1`"));
        }
        let mended = format!("/{}", value.trim_start_matches(['$', '.']).replace(['.', '['], "/").replace(']', ""));
        let edit = Edit::new(arg.span, quote(&mended));
        self.report(
            wrong
                .help("a pointer names the way from the top with slashes, list places from 0: `/items/0/name`")
                .suggestion(format!("write {}", quote(&mended)), vec![edit]),
        )
    }

    fn schema(&mut self, arg: &Expr) -> Option<Schema> {
        let written = self.written(arg, "the schema of `json_matches`")?;
        let inline = written.value.trim_start().starts_with('{');
        let loaded = match (inline, self.scope.read) {
            (true, _) => Ok(written.value.to_string()),
            (false, Some(read)) => read(written.span, &written.value),
            (false, None) => Err("files cannot be read from here; write the schema itself as the text".to_owned()),
        };
        match loaded.and_then(|text| Schema::new(&text)) {
            Ok(schema) => Some(schema),
            Err(why) => {
                let shown = if inline { "the JSON schema".to_owned() } else { format!("`{}`", written.value) };
                let headline = format!("{shown} cannot be used as a schema: {why}");
                self.report(Diagnostic::error(Code::RULE_SCHEMA, arg.span, headline, "this schema").help(
                    "name a JSON Schema file beside the program, or write the schema as a text; it may not refer to the network",
                ))
            }
        }
    }

    fn metric(&mut self, arguments: &Arguments<'_>, span: Span) -> Option<Metric> {
        let words @ [first, second] = Metric::ALL.map(Metric::word);
        let Some(arg) = arguments.named("metric") else {
            let wrong = Diagnostic::error(
                Code::RULE_ARGUMENTS,
                span,
                "`similarity` must be told how to measure",
                "no `metric:`",
            );
            return self.report(wrong.help(format!("add `metric: {first}` or `metric: {second}`")));
        };
        let word = arg.word().map(|n| n.text.clone());
        let found = Metric::ALL.into_iter().find(|m| word.as_deref() == Some(m.word()));
        found.or_else(|| self.no_word(arg, "metric", &words))
    }

    fn rounding(&mut self, arguments: &Arguments<'_>) -> Option<Rounding> {
        let Some(arg) = arguments.named("mode") else { return Some(Rounding::default()) };
        let found = arg.word().and_then(|n| Rounding::from_word(&n.text));
        found.or_else(|| self.no_word(arg, "mode", &Rounding::ALL.map(Rounding::word)))
    }

    fn no_word<T>(&mut self, arg: &Expr, name: &str, words: &[&str]) -> Option<T> {
        if arg.bare().kind == ExprKind::Error {
            return None;
        }
        let headline = format!("`{name}:` is {}", one_of(words));
        let mut wrong = Diagnostic::error(Code::RULE_ARGUMENTS, arg.span, headline, "none of these");
        if let Some(near) = arg.word().and_then(|w| did_you_mean(&w.text, words.iter().copied())) {
            wrong = wrong.suggestion(format!("write `{near}`"), vec![Edit::new(arg.span, near)]);
        }
        self.report(wrong)
    }

    fn step(&mut self, arguments: &Arguments<'_>) -> Option<Number> {
        let Some(arg) = arguments.named("step") else { return Some(Number::ONE) };
        match literal(arg) {
            Some(step) if step.is_positive() => Some(step),
            _ => self.report(Diagnostic::error(
                Code::RULE_ARGUMENTS,
                arg.span,
                "`step:` is a number above 0, written out",
                "no such number",
            )),
        }
    }

    fn turn_number(&mut self, arg: &Expr) -> Option<i64> {
        match literal(arg).and_then(|n| n.to_i64()) {
            Some(n) if n != 0 => Some(n),
            _ => {
                let wrong = Diagnostic::error(
                    Code::RULE_ARGUMENTS,
                    arg.span,
                    "the turn is a whole number other than 0, written out",
                    "no such number",
                );
                self.report(wrong.help("1 is the first turn, -1 the last"))
            }
        }
    }

    /// The interval after `to:`, and the type as it is written canonically.
    fn interval(&mut self, arguments: &Arguments<'_>, span: Span) -> Option<(Number, Number, Type)> {
        let Some(arg) = arguments.named("to") else {
            let wrong = Diagnostic::error(
                Code::RULE_ARGUMENTS,
                span,
                "`clamp` must be told the interval to stay in",
                "no `to:`",
            );
            return self.report(wrong.help("add `to: int[0..100]` or `to: score[0..1]`"));
        };
        let ty = match &arg.bare().kind {
            ExprKind::Type(ty) if !ty.optional => match &ty.kind {
                TypeKind::Range { word, lo, hi } if lo <= hi => {
                    let (lo, hi) = (lo.clone(), hi.clone());
                    match &*word.text {
                        "int" if lo.is_integer() && hi.is_integer() => Some(Type::of(Base::Int { lo, hi })),
                        "score" => Some(Type::of(Base::Score { lo, hi })),
                        _ => None,
                    }
                }
                TypeKind::Error => return None,
                _ => None,
            },
            ExprKind::Path(path) => self.scope.scales.and_then(|scale| scale(&path.dotted())).filter(Type::is_number),
            ExprKind::Error => return None,
            _ => None,
        };
        match ty.as_ref().and_then(Type::interval) {
            Some((lo, hi)) => {
                let ty = ty.clone()?.known();
                Some((lo.clone(), hi.clone(), ty))
            }
            None => self.report(
                Diagnostic::error(
                    Code::RULE_ARGUMENTS,
                    arg.span,
                    "`to:` is an interval of numbers",
                    "no such interval",
                )
                .help("write `int[0..100]` or `score[0..1]`, the lower end first"),
            ),
        }
    }
}
