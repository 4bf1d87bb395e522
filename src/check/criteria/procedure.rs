//! Judges: `llm(…)`, `rule(…)`, `verifier("name")`, `human`, and cascades of two models.
//!
//! A criterion's `llm(…)` changes only the parameters that it names; the rest comes from the file's `default judge`, then
//! from the language's defaults (language.md, section 5). What the parameters mean together is checked once they are all
//! known, against the criterion's type, so that no run starts with a judge that cannot answer.

use super::{Surroundings, literal};
use crate::catalog::procedures::COMBINE;
use crate::diagnostics::{Code, Diagnostic, Edit, did_you_mean};
use crate::graph::{Combine, FieldId, Llm, Procedure, Reason, View};
use crate::number::Number;
use crate::rules::{self, Rule};
use crate::source::Span;
use crate::syntax::ast::{self, Arg, BinaryOp, Expr, ExprKind};
use crate::types::{Base, Type};
use foldhash::HashMap;
use std::sync::Arc;

/// What is judged, as far as its judge must know.
pub(super) struct Judged<'a> {
    pub(super) ty: &'a Type,
    pub(super) name: &'a ast::Name,
    pub(super) sees: &'a [FieldId],
    /// An item of a checklist, where `batch` has a meaning.
    pub(super) in_checklist: bool,
}

/// The parameters of `llm` that were written, with their places; the criterion's own win over the default judge's.
#[derive(Default, Clone)]
struct Given<'a>(HashMap<&'static str, (&'a Arg, bool)>);

const LLM: [&str; 13] = [
    "model",
    "panel",
    "samples",
    "combine",
    "view",
    "evidence",
    "reason",
    "order",
    "each",
    "temperature",
    "max_tokens",
    "batch",
    "confidence",
];

/// The procedure that answers a criterion: its own `judge`, else the file's default, else `llm` with the defaults. `None`
/// where it is in error (reported).
pub(super) fn procedure(
    around: &mut Surroundings<'_>,
    own: Option<&ast::Procedure>,
    judged: &Judged<'_>,
) -> Option<Procedure> {
    let Some(written) = own.or(around.default_judge) else {
        return llm(around, None, &[], judged).map(Procedure::Llm);
    };
    let inherited = own.is_none();
    match &*written.word.text {
        "rule" => rule(around, written, judged),
        "verifier" => verifier(around, written),
        "human" => human(around, written, judged, inherited),
        "llm" => match &written.otherwise {
            None => llm(around, own, &[], judged).map(Procedure::Llm),
            Some(second) => cascade(around, written, second, judged),
        },
        _ => unknown(around, written),
    }
}

/// The rule of an `applies`, over inputs and references only.
pub(super) fn applies(
    around: &mut Surroundings<'_>,
    written: &ast::Procedure,
    ty: &Type,
    name: &ast::Name,
) -> Option<Rule> {
    if !ty.optional {
        around.sink.push(
            Diagnostic::error(
                Code::APPLIES_NEEDS_UNKNOWN,
                written.span,
                format!("`{}` may not apply, but its type has no room for that", name.text),
                "where this is false, the criterion is unknown",
            )
            .also(name.span, format!("its type is {ty}"))
            .help(format!("write the type as `{}?`", ty)),
        );
    }
    if &*written.word.text != "rule" {
        unknown_word(around, &written.word, &["rule"], "`applies` takes a rule over inputs and references");
        return None;
    }
    let expr = single(around, written, "rule")?;
    let scope = rules::Scope { candidate: false, ..around.rules };
    rules::compile(expr, around.fields, Some(&Type::BOOL), scope, around.sink)
}

fn unknown(around: &mut Surroundings<'_>, written: &ast::Procedure) -> Option<Procedure> {
    unknown_word(
        around,
        &written.word,
        &["llm", "rule", "verifier", "human"],
        "a judge is `llm(…)`, `rule(…)`, `verifier(\"name\")` or `human`",
    );
    None
}

fn unknown_word(around: &mut Surroundings<'_>, word: &ast::Name, known: &[&'static str], help: &str) {
    let mut found = Diagnostic::error(
        Code::UNKNOWN_PROCEDURE,
        word.span,
        format!("`{}` is no kind of judge", word.text),
        "not known here",
    )
    .help(help);
    if let Some(near) = did_you_mean(&word.text, known.iter().copied()) {
        found = found.suggestion(format!("write `{near}`"), vec![Edit::new(word.span, near)]);
    }
    around.sink.push(found);
}

/// The one unnamed argument of `rule(…)` or `verifier(…)`.
fn single<'p>(around: &mut Surroundings<'_>, written: &'p ast::Procedure, word: &str) -> Option<&'p Expr> {
    match written.args.as_slice() {
        [Arg { name: None, weight: None, value, .. }] => Some(value),
        _ => {
            around.sink.push(
                Diagnostic::error(
                    Code::JUDGE_PARAMETER,
                    written.span,
                    format!("`{word}` takes exactly one thing in its brackets"),
                    "one is wanted here",
                )
                .help(match word {
                    "rule" => "such as `rule(word_count(answer) <= 250)`",
                    _ => "such as `verifier(\"unit_tests\")`",
                }),
            );
            None
        }
    }
}

fn rule(around: &mut Surroundings<'_>, written: &ast::Procedure, judged: &Judged<'_>) -> Option<Procedure> {
    let expr = single(around, written, "rule")?;
    no_cascade(around, written);
    let scope = rules::Scope { candidate: true, ..around.rules };
    rules::compile(expr, around.fields, Some(judged.ty), scope, around.sink).map(Procedure::Rule)
}

fn verifier(around: &mut Surroundings<'_>, written: &ast::Procedure) -> Option<Procedure> {
    let expr = single(around, written, "verifier")?;
    no_cascade(around, written);
    match &expr.bare().kind {
        ExprKind::Text(text) if !text.value.trim().is_empty() => Some(Procedure::Verifier { name: text.value.clone() }),
        ExprKind::Error => None,
        _ => {
            bad_value(
                around,
                expr.span,
                "a verifier is named by a text",
                "write its name from the configuration in quotes",
            );
            None
        }
    }
}

fn human(
    around: &mut Surroundings<'_>,
    written: &ast::Procedure,
    judged: &Judged<'_>,
    inherited: bool,
) -> Option<Procedure> {
    no_cascade(around, written);
    let given = gather(around, written, &["combine"], "human", false)?;
    let combine = combine(around, &given, judged, Combine::default_of(judged.ty), inherited)?;
    if combine == Combine::Expected {
        let span = given.0.get("combine").map_or(written.span, |(arg, _)| arg.span);
        conflict(around, span, "people give no probabilities to weigh", "`expected` needs a model", "use `mean`");
        return None;
    }
    Some(Procedure::Human { combine })
}

fn no_cascade(around: &mut Surroundings<'_>, written: &ast::Procedure) {
    if let Some(second) = &written.otherwise {
        let span = second.0.span;
        conflict(around, span, "only a model can hand over to another", "after `llm(…)` only", "keep one judge");
    }
}

fn cascade(
    around: &mut Surroundings<'_>,
    written: &ast::Procedure,
    second: &(ast::Procedure, Expr),
    judged: &Judged<'_>,
) -> Option<Procedure> {
    let (other, condition) = second;
    if &*other.word.text != "llm" || other.otherwise.is_some() {
        let help = "the form is `llm(…) else llm(…) when confidence < 0.8`";
        conflict(around, other.span, "a cascade goes from one model to one other", "not a single `llm(…)`", help);
        return None;
    }
    let threshold = threshold(condition);
    if threshold.is_none() && !matches!(condition.kind, ExprKind::Error) {
        around.sink.push(
            Diagnostic::error(
                Code::JUDGE_VALUE,
                condition.span,
                "a cascade hands over on low confidence, and on nothing else",
                "this is not `confidence < NUMBER` with a number from 0 to 1",
            )
            .help("write `when confidence < 0.8`"),
        );
    }
    let base: Vec<&Arg> = around.default_judge.filter(|d| !std::ptr::eq(*d, written)).map_or(Vec::new(), llm_args);
    let first = llm_from(around, &base, written, judged);
    let second = llm_from(around, &base, other, judged);
    let (first, second) = (first?, second?);
    if first.each.is_some() || second.each.is_some() {
        let says = "how sure a model is of a share of parts cannot be told";
        conflict(around, written.span, says, "a cascade with `each`", "use one `llm(…)` with `each`");
        return None;
    }
    Some(Procedure::Cascade { first: Box::new(first), second: Box::new(second), threshold: threshold? })
}

fn threshold(condition: &Expr) -> Option<Number> {
    let ExprKind::Binary(BinaryOp::Less, _, left, right) = &condition.bare().kind else { return None };
    let word = left.word()?;
    let number = literal::constant(right)?;
    (&*word.text == "confidence" && number.is_positive() && number <= Number::ONE).then_some(number)
}

/// The arguments of a default judge that is a plain `llm(…)`.
fn llm_args(default: &ast::Procedure) -> Vec<&Arg> {
    if &*default.word.text == "llm" && default.otherwise.is_none() { default.args.iter().collect() } else { Vec::new() }
}

fn llm(around: &mut Surroundings<'_>, own: Option<&ast::Procedure>, base: &[&Arg], judged: &Judged<'_>) -> Option<Llm> {
    let default: Vec<&Arg> = around.default_judge.map_or(Vec::new(), llm_args);
    let base: Vec<&Arg> = base.iter().copied().chain(default).collect();
    match own {
        Some(own) => llm_from(around, &base, own, judged),
        None => {
            let given = merge(around, &base, &[], &LLM, "llm")?;
            settle(around, &given, judged)
        }
    }
}

fn llm_from(around: &mut Surroundings<'_>, base: &[&Arg], own: &ast::Procedure, judged: &Judged<'_>) -> Option<Llm> {
    let own: Vec<&Arg> = own.args.iter().collect();
    let given = merge(around, base, &own, &LLM, "llm")?;
    settle(around, &given, judged)
}

fn gather<'p>(
    around: &mut Surroundings<'_>,
    written: &'p ast::Procedure,
    known: &[&'static str],
    word: &str,
    inherited: bool,
) -> Option<Given<'p>> {
    let args: Vec<&Arg> = written.args.iter().collect();
    if inherited { merge(around, &args, &[], known, word) } else { merge(around, &[], &args, known, word) }
}

/// Sorts arguments by parameter; `own` wins over `base`, and naming `model` drops an inherited `panel` and the reverse.
fn merge<'p>(
    around: &mut Surroundings<'_>,
    base: &[&'p Arg],
    own: &[&'p Arg],
    known: &[&'static str],
    word: &str,
) -> Option<Given<'p>> {
    let mut given = Given::default();
    let mut fine = true;
    for (args, is_own) in [(base, false), (own, true)] {
        let mut here: Vec<(&str, Span)> = Vec::new();
        for arg in args {
            let Some(key) = parameter(around, arg, known, word) else {
                fine = false;
                continue;
            };
            if let Some((_, earlier)) = here.iter().find(|(k, _)| *k == key) {
                around.sink.push(
                    Diagnostic::error(Code::REPEATED, arg.span, format!("`{key}` is given twice"), "the second time")
                        .also(*earlier, "the first time")
                        .help("keep one of them"),
                );
                fine = false;
                continue;
            }
            here.push((key, arg.span));
            given.0.insert(key, (arg, is_own));
        }
        let named = |key| here.iter().find(|(k, _)| *k == key).map(|(_, span)| *span);
        match (named("model"), named("panel")) {
            (Some(model), Some(panel)) => {
                let found = Diagnostic::error(
                    Code::JUDGE_CONFLICT,
                    panel,
                    "a judge is one `model` or a `panel` of several, not both",
                    "a panel",
                );
                around.sink.push(found.also(model, "one model").help("keep one of them"));
                fine = false;
            }
            (Some(_), None) => drop(given.0.remove("panel")),
            (None, Some(_)) => drop(given.0.remove("model")),
            (None, None) => {}
        }
    }
    fine.then_some(given)
}

fn parameter(around: &mut Surroundings<'_>, arg: &Arg, known: &[&'static str], word: &str) -> Option<&'static str> {
    let Some(name) = &arg.name else {
        if !matches!(arg.value.kind, ExprKind::Error) {
            let found = format!("`{word}` takes its parameters by name");
            let help = format!("such as `{word}({}: …)`", known.first().unwrap_or(&"combine"));
            around.sink.push(Diagnostic::error(Code::JUDGE_PARAMETER, arg.span, found, "without a name").help(help));
        }
        return None;
    };
    // `confidence` is known only so that it can be explained.
    if let Some(key) = known.iter().find(|k| **k == &*name.text && **k != "confidence") {
        return Some(key);
    }
    let found = format!("`{word}` has no parameter `{}`", name.text);
    let mut told = Diagnostic::error(Code::JUDGE_PARAMETER, name.span, found, "not known");
    told = match did_you_mean(&name.text, known.iter().copied().filter(|k| *k != "confidence")) {
        Some(near) => told
            .help(format!("did you mean `{near}`?"))
            .suggestion(format!("write `{near}`"), vec![Edit::new(name.span, near)]),
        None => {
            let all: Vec<_> = known.iter().filter(|k| **k != "confidence").map(|k| format!("`{k}`")).collect();
            told.help(format!("it has {}", all.join(", ")))
        }
    };
    around.sink.push(told);
    None
}

/// Fills in the defaults and checks the parameters against each other and the type.
fn settle(around: &mut Surroundings<'_>, given: &Given<'_>, judged: &Judged<'_>) -> Option<Llm> {
    let before = around.sink.len();
    let view = word_of(
        around,
        given,
        "view",
        &[("separate", View::Separate), ("joint", View::Joint), ("swapped", View::Swapped)],
        View::Separate,
    );
    let default = if view == View::Swapped { Combine::Unanimous } else { Combine::default_of(judged.ty) };
    let inherited = given.0.get("combine").is_some_and(|(_, own)| !own);
    let combine = combine(around, given, judged, default, inherited);
    let models = models(around, given);
    let llm = Llm {
        models,
        samples: whole(around, given, "samples", 1, 1000).unwrap_or(1),
        combine: combine.unwrap_or(default),
        view,
        evidence: word_of(around, given, "evidence", &[("none", false), ("required", true)], false),
        reason: word_of(
            around,
            given,
            "reason",
            &[("before", Reason::Before), ("after", Reason::After), ("none", Reason::None)],
            Reason::Before,
        ),
        shuffled: word_of(around, given, "order", &[("declared", false), ("shuffled", true)], false),
        each: text_of(around, given, "each"),
        temperature: number_of(around, given, "temperature"),
        max_tokens: whole(around, given, "max_tokens", 1, 10_000_000),
        batch: whole(around, given, "batch", 1, 1000),
    };
    if around.sink.len() > before {
        return None;
    }
    together(around, given, judged, &llm);
    (around.sink.len() == before).then_some(llm)
}

/// What cannot go together.
fn together(around: &mut Surroundings<'_>, given: &Given<'_>, judged: &Judged<'_>, llm: &Llm) {
    let at = |key: &str| given.0.get(key).filter(|(_, own)| *own).map_or(judged.name.span, |(arg, _)| arg.span);
    let sees_candidate = judged.sees.iter().any(|id| around.is_candidate(*id));
    if llm.view == View::Swapped && !judged.ty.optional {
        conflict(
            around,
            at("view"),
            "two orders can disagree, and the type has no room for that",
            "judged in both orders",
            &format!("write the type as `{}?`", judged.ty),
        );
    }
    if llm.view != View::Separate && !sees_candidate {
        conflict(
            around,
            at("view"),
            "the criterion sees no part of the candidate, so there are no candidates to show together",
            "shown together",
            "take `view` away, or let it see the candidate",
        );
    }
    if llm.evidence && !sees_candidate {
        conflict(
            around,
            at("evidence"),
            "evidence is quoted from the candidate, which this criterion does not see",
            "quotes from what?",
            "let it see the candidate, or take `evidence` away",
        );
    }
    if llm.each.is_none() {
        return;
    }
    let unit = Type::UNIT.optional();
    if *judged.ty != unit {
        conflict(
            around,
            at("each"),
            &format!("`each` answers with the share of parts that are met, not with {}", judged.ty),
            "asked of each part",
            "write the criterion's type as `score[0..1]?`",
        );
    }
    let joined = ["samples", "panel", "view", "batch"].into_iter().find(|key| given.0.contains_key(key));
    if let Some(key) = joined.filter(|key| *key != "batch" || !judged.in_checklist || at(key) != judged.name.span) {
        conflict(
            around,
            at(key),
            &format!("`each` cannot go with `{key}`"),
            "not together with `each`",
            &format!("take `{key}` or `each` away"),
        );
    }
}

impl Combine {
    /// How samples are combined where nothing is said (language.md, section 5).
    #[must_use]
    pub fn default_of(ty: &Type) -> Combine {
        match ty.base {
            Base::Int { .. } => Combine::Median,
            Base::Score { .. } | Base::Real => Combine::Mean,
            Base::Set(_) | Base::Tally { .. } => Combine::PerLabel,
            Base::Bool | Base::Choice(_) | Base::Ordinal(_) | Base::Items => Combine::Majority,
        }
    }

    /// The words that a type takes, in the order shown.
    #[must_use]
    pub fn words_for(ty: &Type) -> &'static [(&'static str, Combine)] {
        use Combine::{Expected, Majority, Max, Mean, Median, Min, PerLabel, Unanimous};
        match ty.base {
            Base::Bool => &[
                ("majority", Majority),
                ("mean", Mean),
                ("min", Min),
                ("max", Max),
                ("unanimous", Unanimous),
                ("expected", Expected),
            ],
            Base::Int { .. } => &[
                ("median", Median),
                ("mean", Mean),
                ("min", Min),
                ("max", Max),
                ("majority", Majority),
                ("unanimous", Unanimous),
                ("expected", Expected),
            ],
            Base::Score { .. } | Base::Real => {
                &[("mean", Mean), ("median", Median), ("min", Min), ("max", Max), ("unanimous", Unanimous)]
            }
            Base::Ordinal(_) => {
                &[("majority", Majority), ("median", Median), ("min", Min), ("max", Max), ("unanimous", Unanimous)]
            }
            Base::Choice(_) => &[("majority", Majority), ("unanimous", Unanimous)],
            Base::Set(_) => &[("majority", PerLabel), ("unanimous", Unanimous)],
            Base::Tally { .. } => &[("median", PerLabel), ("unanimous", Unanimous)],
            Base::Items => &[],
        }
    }
}

fn combine(
    around: &mut Surroundings<'_>,
    given: &Given<'_>,
    judged: &Judged<'_>,
    default: Combine,
    inherited: bool,
) -> Option<Combine> {
    let Some((arg, _)) = given.0.get("combine") else { return Some(default) };
    let place = if inherited { judged.name.span } else { arg.value.span };
    let words = Combine::words_for(judged.ty);
    let written = arg.value.word().map(|w| w.text.clone()).unwrap_or_default();
    let Some((_, combine)) = words.iter().find(|(word, _)| *word == &*written) else {
        if matches!(arg.value.kind, ExprKind::Error) {
            return None;
        }
        let all: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let headline = format!("samples of {} cannot be combined by `{written}`", judged.ty);
        let mut told = Diagnostic::error(Code::COMBINE, place, headline, "does not fit the type");
        if inherited {
            told = told.also(arg.span, "from the default judge");
        }
        told = told.help(format!("it takes {}", all.join(", ")));
        let known = COMBINE.contains(&&*written);
        if inherited && known {
            // Another word in the default would change the criteria that it fits.
            told = told.help(
                "leave `combine` out of the default judge, so that each type takes its own, or give this criterion a judge of \
                 its own",
            );
        } else if !known && let Some(near) = did_you_mean(&written, words.iter().map(|(word, _)| *word)) {
            told = told.suggestion(format!("write `{near}`"), vec![Edit::new(arg.value.span, near)]);
        }
        around.sink.push(told);
        return None;
    };
    if *combine == Combine::Unanimous && !judged.ty.optional {
        conflict(
            around,
            place,
            "samples can disagree, and the type has no room for that",
            "`unanimous` makes unknown of a disagreement",
            &format!("write the type as `{}?`", judged.ty),
        );
        return None;
    }
    Some(*combine)
}

fn models(around: &mut Surroundings<'_>, given: &Given<'_>) -> Vec<Arc<str>> {
    if let Some((arg, _)) = given.0.get("panel") {
        let ExprKind::List(list) = &arg.value.bare().kind else {
            if !matches!(arg.value.kind, ExprKind::Error) {
                bad_value(around, arg.value.span, "a panel is a list of models", "write `panel: [one, two, three]`");
            }
            return Vec::new();
        };
        let mut names: Vec<Arc<str>> = Vec::new();
        for entry in list {
            let (name, _) = literal::label(entry);
            if name.is_empty() {
                bad_value(
                    around,
                    entry.span,
                    "a model is named by a word or a text",
                    "name an alias of the configuration",
                );
            } else if names.iter().any(|n| **n == *name) {
                bad_value(
                    around,
                    entry.span,
                    &format!("`{name}` sits on the panel twice"),
                    "use `samples` to ask a model several times",
                );
            } else {
                names.push(name.as_str().into());
            }
        }
        if list.is_empty() {
            bad_value(around, arg.value.span, "the panel is empty", "name at least one model");
        }
        return names;
    }
    let Some((arg, _)) = given.0.get("model") else { return vec!["default".into()] };
    let (name, _) = literal::label(&arg.value);
    if name.is_empty() && !matches!(arg.value.kind, ExprKind::Error) {
        bad_value(around, arg.value.span, "a model is named by a word or a text", "name an alias of the configuration");
    }
    vec![name.as_str().into()]
}

fn word_of<T: Copy>(
    around: &mut Surroundings<'_>,
    given: &Given<'_>,
    key: &str,
    words: &[(&'static str, T)],
    default: T,
) -> T {
    let Some((arg, _)) = given.0.get(key) else { return default };
    let written = arg.value.word().map(|w| w.text.clone()).unwrap_or_default();
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == &*written) {
        return *value;
    }
    if !matches!(arg.value.kind, ExprKind::Error) {
        let all: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        bad_value(around, arg.value.span, &format!("`{key}` is one of {}", all.join(", ")), "write one of these words");
    }
    default
}

fn whole(around: &mut Surroundings<'_>, given: &Given<'_>, key: &str, least: u32, most: u32) -> Option<u32> {
    let (arg, _) = given.0.get(key)?;
    let number = literal::constant(&arg.value).and_then(|n| u32::try_from(n.to_i64()?).ok());
    let fits = number.filter(|n| (least..=most).contains(n));
    if fits.is_none() && !matches!(arg.value.kind, ExprKind::Error) {
        bad_value(
            around,
            arg.value.span,
            &format!("`{key}` is a whole number from {least} to {most}"),
            "write such a number",
        );
    }
    fits
}

fn number_of(around: &mut Surroundings<'_>, given: &Given<'_>, key: &str) -> Option<Number> {
    let (arg, _) = given.0.get(key)?;
    let number = literal::constant(&arg.value).filter(|n| !n.is_negative());
    if number.is_none() && !matches!(arg.value.kind, ExprKind::Error) {
        bad_value(around, arg.value.span, &format!("`{key}` is a number that is not negative"), "such as 0.7");
    }
    number
}

fn text_of(around: &mut Surroundings<'_>, given: &Given<'_>, key: &str) -> Option<Arc<str>> {
    let (arg, _) = given.0.get(key)?;
    match &arg.value.bare().kind {
        ExprKind::Text(text) if !text.value.trim().is_empty() => return Some(text.value.clone()),
        ExprKind::Error => {}
        _ => bad_value(around, arg.value.span, &format!("`{key}` wants a text"), "such as `each: \"factual claim\"`"),
    }
    None
}

fn bad_value(around: &mut Surroundings<'_>, span: Span, says: &str, help: &str) {
    around.sink.push(Diagnostic::error(Code::JUDGE_VALUE, span, says, "not such a value").help(help));
}

fn conflict(around: &mut Surroundings<'_>, span: Span, says: &str, label: &str, help: &str) {
    around.sink.push(Diagnostic::error(Code::JUDGE_CONFLICT, span, says, label).help(help));
}
