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

/// How many of a function's arguments, from the first, are computed; those behind them are written out.
fn values(function: Function) -> usize {
    match function {
        Function::Contains | Function::StartsWith | Function::EndsWith | Function::Similarity | Function::Otherwise => {
            2
        }
        Function::Min | Function::Max => usize::MAX,
        _ => 1,
    }
}

/// The only part; `None` where it is in error.
fn one(parts: Vec<Option<Part>>) -> Option<Part> {
    parts.into_iter().next().flatten()
}

/// Both parts; `None` where one is in error.
fn two(parts: Vec<Option<Part>>) -> Option<[Part; 2]> {
    let parts: Vec<Part> = parts.into_iter().collect::<Option<_>>()?;
    parts.try_into().ok()
}

/// A call with its canonical text.
fn call(function: Function, node: Node, kind: Kind, optional: bool, inside: &[String], span: Span) -> Option<Part> {
    let text = format!("{}({})", function.word(), inside.join(", "));
    Some(Part { node, kind, optional, text, tier: Tier::Atom, span })
}

impl Compiler<'_, '_> {
    /// Compiles a call. The values among its arguments come first, so that nothing large stands on the stack meanwhile.
    pub(super) fn call(&mut self, callee: &Path, args: &[Arg], result: bool, span: Span) -> Option<Part> {
        let word = callee.dotted();
        let Some(function) = Function::from_word(&word) else { return self.no_function(&word, callee.span) };
        let arguments = self.arguments(function, args, span)?;
        let result = result && function == Function::Otherwise;
        let values = arguments.plain.iter().take(values(function));
        let parts: Vec<Option<Part>> = values.map(|e| self.part(e, result)).collect();
        self.typed(function, parts, &arguments, span)
    }

    /// Types a call whose values are compiled. The number of arguments has been checked.
    fn typed(
        &mut self,
        function: Function,
        parts: Vec<Option<Part>>,
        arguments: &Arguments<'_>,
        span: Span,
    ) -> Option<Part> {
        match function {
            Function::WordCount => self.of_text(OfText::WordCount, parts, function, span),
            Function::CharCount => self.of_text(OfText::CharCount, parts, function, span),
            Function::SentenceCount => self.of_text(OfText::SentenceCount, parts, function, span),
            Function::LineCount => self.of_text(OfText::LineCount, parts, function, span),
            Function::JsonValid => self.of_text(OfText::JsonValid, parts, function, span),
            Function::Lower => self.of_text(OfText::Lower, parts, function, span),
            Function::Trim => self.of_text(OfText::Trim, parts, function, span),
            Function::CodeBlocks => self.of_text(OfText::CodeBlocks, parts, function, span),
            Function::Urls => self.of_text(OfText::Urls, parts, function, span),
            Function::NumberIn => self.of_text(OfText::NumberIn, parts, function, span),
            Function::Contains | Function::StartsWith | Function::EndsWith => self.part_of_text(function, parts, span),
            Function::Matches | Function::CountMatches | Function::FirstMatch | Function::LastMatch => {
                self.search(function, parts, arguments, span)
            }
            Function::JsonGet | Function::JsonMatches => self.of_json(function, parts, arguments, span),
            Function::Similarity => self.alike(parts, arguments, span),
            Function::Turn | Function::Transcript => self.of_chat(function, parts, arguments, span),
            Function::Size | Function::Known => self.of_any(function, parts, span),
            Function::Otherwise => {
                let [a, b] = two(parts)?;
                let (a, b, kind) = self.unify(a, b, "the two sides of `otherwise`")?;
                let (optional, inside) = (a.optional && b.optional, [a.text, b.text]);
                call(function, Node::Otherwise(Box::new(a.node), Box::new(b.node)), kind, optional, &inside, span)
            }
            Function::Clamp => self.clamp(parts, arguments, span),
            Function::Round => {
                let a = one(parts).and_then(|a| self.read(a, ReadAs::Number, "`round`"));
                let (step, mode) = (self.step(arguments), self.rounding(arguments));
                let (a, step, mode) = (a?, step?, mode?);
                let kind = Kind::Number(number(&a).round(&step, mode));
                let mut inside = vec![a.text];
                if step != Number::ONE {
                    inside.push(format!("step: {}", super::decimal(&step)));
                }
                if mode != Rounding::default() {
                    inside.push(format!("mode: {}", mode.word()));
                }
                call(function, Node::Round { step, mode, of: Box::new(a.node) }, kind, a.optional, &inside, span)
            }
            Function::Abs => {
                let a = one(parts)?;
                let a = self.read(a, ReadAs::Number, "`abs`")?;
                let kind = Kind::Number(number(&a).abs());
                call(function, Node::Abs(Box::new(a.node)), kind, a.optional, &[a.text], span)
            }
            Function::Min | Function::Max => self.extreme(function, parts, span),
        }
    }

    fn of_text(&mut self, of_text: OfText, parts: Vec<Option<Part>>, function: Function, span: Span) -> Option<Part> {
        let a = one(parts)?;
        let a = self.text(a, function)?;
        let kind = match of_text {
            OfText::JsonValid => Kind::Bool,
            OfText::Lower | OfText::Trim => Kind::Text,
            OfText::CodeBlocks | OfText::Urls => Kind::Texts,
            OfText::NumberIn => Kind::Number(Range::all()),
            OfText::WordCount | OfText::CharCount | OfText::SentenceCount | OfText::LineCount => {
                Kind::Number(Range::count())
            }
        };
        let optional = a.optional || of_text == OfText::NumberIn;
        call(function, Node::OfText(of_text, Box::new(a.node)), kind, optional, &[a.text], span)
    }

    fn part_of_text(&mut self, function: Function, parts: Vec<Option<Part>>, span: Span) -> Option<Part> {
        let [a, b] = two(parts)?;
        // What JSON holds is seen only when it is there: a text, or a list.
        let list = function == Function::Contains && matches!(a.kind, Kind::Texts | Kind::Json { .. });
        let a = if list { Some(a) } else { self.text(a, function) };
        let (b, a) = (self.text(b, function), a);
        let (a, b) = (a?, b?);
        let (optional, inside) = (a.optional || b.optional, [a.text, b.text]);
        let (a, b) = (Box::new(a.node), Box::new(b.node));
        let node = match function {
            Function::Contains => Node::Contains(a, b),
            Function::StartsWith => Node::StartsWith(a, b),
            _ => Node::EndsWith(a, b),
        };
        call(function, node, Kind::Bool, optional, &inside, span)
    }

    fn search(
        &mut self,
        function: Function,
        parts: Vec<Option<Part>>,
        arguments: &Arguments<'_>,
        span: Span,
    ) -> Option<Part> {
        let a = one(parts).and_then(|a| self.text(a, function));
        let pattern = arguments.plain.get(1).and_then(|p| self.pattern(p, function.word()));
        let (a, (regex, pattern)) = (a?, pattern?);
        let (node, kind) = match function {
            Function::Matches => (Node::Matches(regex, Box::new(a.node)), Kind::Bool),
            Function::CountMatches => (Node::CountMatches(regex, Box::new(a.node)), Kind::Number(Range::count())),
            _ => {
                let last = function == Function::LastMatch;
                (Node::Match { regex, last, of: Box::new(a.node) }, Kind::Text)
            }
        };
        // There may be no match.
        let optional = a.optional || kind == Kind::Text;
        call(function, node, kind, optional, &[a.text, pattern], span)
    }

    fn of_json(
        &mut self,
        function: Function,
        parts: Vec<Option<Part>>,
        arguments: &Arguments<'_>,
        span: Span,
    ) -> Option<Part> {
        let a = one(parts).and_then(|a| match a.kind {
            Kind::Json { .. } | Kind::Chat => Some(a),
            _ => self.text(a, function),
        });
        let second = arguments.plain.get(1)?;
        if function == Function::JsonGet {
            let (pointer, a) = (self.pointer(second)?, a?);
            let inside = [a.text, quote(&pointer)];
            return call(
                function,
                Node::JsonGet(pointer, Box::new(a.node)),
                Kind::Json { strict: false },
                true,
                &inside,
                span,
            );
        }
        let (schema, a) = (self.schema(second)?, a?);
        let inside = [a.text, quote(&schema.text)];
        call(function, Node::JsonMatches(schema, Box::new(a.node)), Kind::Bool, a.optional, &inside, span)
    }

    fn alike(&mut self, parts: Vec<Option<Part>>, arguments: &Arguments<'_>, span: Span) -> Option<Part> {
        let metric = self.metric(arguments, span);
        let [a, b] = two(parts)?;
        let (a, b) = (self.text(a, Function::Similarity), self.text(b, Function::Similarity));
        let (a, b, metric) = (a?, b?, metric?);
        let (optional, inside) = (a.optional || b.optional, [a.text, b.text, format!("metric: {}", metric.word())]);
        let node = Node::Similarity(metric, Box::new(a.node), Box::new(b.node));
        call(Function::Similarity, node, Kind::Number(Range::unit()), optional, &inside, span)
    }

    fn of_chat(
        &mut self,
        function: Function,
        parts: Vec<Option<Part>>,
        arguments: &Arguments<'_>,
        span: Span,
    ) -> Option<Part> {
        let chat = one(parts).and_then(|a| self.chat(a, function));
        if function == Function::Transcript {
            let a = chat?;
            return call(function, Node::Transcript(Box::new(a.node)), Kind::Text, a.optional, &[a.text], span);
        }
        let n = arguments.plain.get(1).and_then(|n| self.turn_number(n))?;
        let a = chat?;
        call(function, Node::Turn(n, Box::new(a.node)), Kind::Text, true, &[a.text, n.to_string()], span)
    }

    fn of_any(&mut self, function: Function, parts: Vec<Option<Part>>, span: Span) -> Option<Part> {
        let a = one(parts)?;
        if function == Function::Known {
            return call(function, Node::Known(Box::new(a.node)), Kind::Bool, false, &[a.text], span);
        }
        if matches!(a.kind, Kind::Chat | Kind::Texts | Kind::Json { .. }) {
            let kind = Kind::Number(Range::count());
            return call(function, Node::Size(Box::new(a.node)), kind, a.optional, &[a.text], span);
        }
        let headline = format!("`size` counts a chat, a list or JSON, and this is {}", a.kind.words());
        let wrong = Diagnostic::error(Code::RULE_TYPE, a.span, headline, a.kind.words());
        self.report(wrong.help("texts have `word_count`, `char_count`, `sentence_count` and `line_count`"))
    }

    fn clamp(&mut self, parts: Vec<Option<Part>>, arguments: &Arguments<'_>, span: Span) -> Option<Part> {
        let to = self.interval(arguments, span);
        let a = one(parts).and_then(|a| self.read(a, ReadAs::Number, "`clamp`"));
        let (a, (lo, hi, ty)) = (a?, to?);
        let range = number(&a);
        if matches!(ty.base, Base::Int { .. }) && !range.whole {
            let headline = format!("this need not be a whole number, and `{ty}` holds only those");
            let wrong = Diagnostic::error(Code::RULE_RANGE, a.span, headline, range.words())
                .help("round it first: `clamp(round(…), to: …)`")
                .suggestion("round it", super::wrap(a.span, "round(", ")"));
            return self.report(wrong);
        }
        let kind = Kind::Number(range.clamp(&lo, &hi));
        let inside = [a.text, format!("to: {ty}")];
        call(Function::Clamp, Node::Clamp { lo, hi, of: Box::new(a.node) }, kind, a.optional, &inside, span)
    }

    fn extreme(&mut self, function: Function, parts: Vec<Option<Part>>, span: Span) -> Option<Part> {
        let of = format!("`{}`", function.word());
        let read = |p: Option<Part>, it: &mut Self| p.and_then(|p| it.read(p, ReadAs::Number, &of));
        let parts: Vec<Option<Part>> = parts.into_iter().map(|p| read(p, self)).collect();
        let parts: Vec<Part> = parts.into_iter().collect::<Option<_>>()?;
        let greatest = function == Function::Max;
        let range = parts.iter().map(number).reduce(|a, b| a.extreme(&b, greatest)).unwrap_or_else(Range::all);
        let optional = parts.iter().any(|p| p.optional);
        let inside: Vec<String> = parts.iter().map(|p| p.text.clone()).collect();
        let of = parts.into_iter().map(|p| p.node).collect();
        call(function, Node::Extreme { greatest, of }, Kind::Number(range), optional, &inside, span)
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
            | Function::FirstMatch
            | Function::LastMatch
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

    fn text(&mut self, part: Part, function: Function) -> Option<Part> {
        self.read(part, ReadAs::Text, &format!("`{}`", function.word()))
    }

    fn chat(&mut self, part: Part, function: Function) -> Option<Part> {
        if part.kind == Kind::Chat {
            return Some(part);
        }
        let headline = format!("`{}` wants a chat, and this is {}", function.word(), part.kind.words());
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
