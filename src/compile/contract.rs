//! Whether a program keeps the task contract τ: its readouts, its output space, its sink, its ties, its fields, its name.
//!
//! What it does not keep is a diagnostic like any other, so that a model mends it as it mends a fault of the language. Nothing
//! is mended here: which of two ways an author meant to leave an interval is not ours to say.

use super::specification::{Contract, TieWord};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{Mode, Program, Readout, ReadoutKind, Tie};
use crate::run::spec::{Answer, Tester};
use crate::source::{FileId, Span};
use crate::types::{Base, Field, Role};

/// What the program does otherwise than the contract says, in the order of the contract.
#[must_use]
pub fn check(program: &Program, file: FileId, contract: &Contract) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let whole = Span::new(file, 0, 0);
    name(program, whole, contract, &mut found);
    fields(program, whole, contract, &mut found);
    interval(program, whole, contract, &mut found);
    let own = program.readouts.iter().find(|readout| readout.mode == contract.mode && readout.name.is_none());
    match own {
        None => found.push(no_readout(whole, contract)),
        Some(readout) => {
            output(readout, contract, &mut found);
            ties(readout, contract, &mut found);
        }
    }
    found
}

/// Tests of the program that fail.
#[must_use]
pub fn tests(program: &Program) -> Vec<Diagnostic> {
    let tester = Tester::new(program);
    let mut found = Vec::new();
    for report in program.tests.iter().map(|test| tester.run(test)).filter(|report| !report.passed()) {
        if let Some(fault) = &report.fault {
            let headline = format!("the test \"{}\" cannot be computed", report.name);
            found.push(Diagnostic::error(Code::TASK_TEST, report.span, headline, "this test").note(fault.clone()));
        }
        for expect in report.expects.iter().filter(|expect| expect.answer != Answer::Holds) {
            let values: Vec<String> = expect.found.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let headline = format!("the test \"{}\" fails: `{}` does not hold", report.name, expect.text);
            let mut one = Diagnostic::error(Code::TASK_TEST, expect.span, headline, values.join(", "))
                .help("mend the program where it is wrong, or the test where it expects the wrong thing");
            if !expect.missing.is_empty() {
                one = one.note(format!("it depends on what the test does not give: {}", expect.missing.join(", ")));
            }
            found.push(one);
        }
    }
    found
}

fn name(program: &Program, whole: Span, contract: &Contract, found: &mut Vec<Diagnostic>) {
    if let Some(name) = contract.name.as_deref().filter(|name| **name != *program.name) {
        found.push(
            Diagnostic::error(
                Code::TASK_NAME,
                whole,
                format!("the program is called `{}`; the task wants `{name}`", program.name),
                "the program",
            )
            .help(format!("begin the program with `rubric {name}`")),
        );
    }
}

fn shown(field: &Field) -> String {
    let role = match field.role {
        Role::Input => "input",
        Role::Reference => "reference",
        Role::Candidate => "candidate",
    };
    format!("{role} {}: {}{}", field.name, field.kind.word(), if field.optional { "?" } else { "" })
}

fn fields(program: &Program, whole: Span, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let Some((written, wanted)) = &contract.fields else { return };
    let wanted: Vec<String> = wanted.iter().map(shown).collect();
    let own: Vec<String> = program.fields.iter().map(shown).collect();
    let missing: Vec<&str> = wanted.iter().filter(|f| !own.contains(f)).map(String::as_str).collect();
    let extra: Vec<&str> = own.iter().filter(|f| !wanted.contains(f)).map(String::as_str).collect();
    if missing.is_empty() && extra.is_empty() {
        return;
    }
    let mut one = Diagnostic::error(
        Code::TASK_FIELDS,
        whole,
        "the program declares other fields than the records will have",
        "the program",
    )
    .help(format!("declare exactly these: {}", written.split_whitespace().collect::<Vec<_>>().join(" ")));
    if !missing.is_empty() {
        one = one.note(format!("missing: `{}`", missing.join("`, `")));
    }
    if !extra.is_empty() {
        one = one.note(format!("not in the records: `{}`", extra.join("`, `")));
    }
    found.push(one);
}

fn interval(program: &Program, whole: Span, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let (Some((lo, hi)), Some(sink)) = (&contract.interval, program.node(program.sink)) else { return };
    let fits = match &sink.ty.base {
        Base::Int { lo: a, hi: b } | Base::Score { lo: a, hi: b } => a == lo && b == hi,
        _ => false,
    };
    if !fits {
        let span = if sink.span == Span::default() { whole } else { sink.span };
        found.push(
            Diagnostic::error(
                Code::TASK_SINK,
                span,
                format!(
                    "the sink `{}` is `{}`; the task wants a number on `{}..{}`",
                    sink.name,
                    sink.ty,
                    lo.exact(),
                    hi.exact()
                ),
                "the sink",
            )
            .help("bring it onto the interval with `rescale`, `normalize` or `clamp` before the readout reads it"),
        );
    }
}

fn no_readout(whole: Span, contract: &Contract) -> Diagnostic {
    let form = match (contract.mode, &contract.output) {
        (Mode::Pointwise, Some((text, _))) => format!("a `readout pointwise = …` that yields `{text}`"),
        (Mode::Pointwise, None) => "`readout pointwise = …`".to_owned(),
        (Mode::Pairwise, _) => "`readout pairwise = prefer(…)`".to_owned(),
        (Mode::Listwise, _) => "`readout listwise = ranking(…)`".to_owned(),
    };
    Diagnostic::error(
        Code::TASK_MODE,
        whole,
        format!("the program has no `{}` readout without a name, which the task asks for", contract.mode.word()),
        "the program",
    )
    .help(format!("write {form}"))
}

fn output(readout: &Readout, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let Some((text, wanted)) = &contract.output else { return };
    if readout.ty.base != wanted.base {
        found.push(
            Diagnostic::error(
                Code::TASK_OUTPUT,
                readout.span,
                format!("the `{}` readout yields `{}`; the task wants `{text}`", readout.mode.word(), readout.ty),
                "this readout",
            )
            .help(match &wanted.base {
                Base::Bool => "write `readout pointwise = pass(x, at: …)`".to_owned(),
                Base::Int { .. } => format!("write `readout pointwise = quantize(x, to: {text})`"),
                Base::Ordinal(_) => "write `readout pointwise = bands(x) { below … => …, rest => … }`".to_owned(),
                _ => format!("write `readout pointwise = rescale(x, to: {text})`"),
            }),
        );
        return;
    }
    if let (Some(wanted), ReadoutKind::Quantize { mode }) = (contract.quantise, &readout.kind)
        && *mode != wanted
    {
        found.push(
            Diagnostic::error(
                Code::TASK_OUTPUT,
                readout.span,
                format!("the readout rounds `{}`; the task wants `{}`", mode.word(), wanted.word()),
                "this readout",
            )
            .help(format!("write `quantize(x, to: {text}, mode: {})`", wanted.word())),
        );
    }
}

fn ties(readout: &Readout, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let (margin, tie) = match &readout.kind {
        ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie } => (Some(margin), tie),
        ReadoutKind::Ranking { tie } => (None, tie),
        _ => return,
    };
    let own = match tie {
        Tie::Tie => TieWord::Tie,
        Tie::Abstain => TieWord::Abstain,
        Tie::First => TieWord::First,
        Tie::ById => TieWord::ById,
        Tie::By { .. } => TieWord::By,
    };
    if let Some(wanted) = contract.tie.filter(|wanted| *wanted != own) {
        found.push(
            Diagnostic::error(
                Code::TASK_TIE,
                readout.span,
                format!("a tie is decided by `{}`; the task wants `{}`", own.word(), wanted.word()),
                "this readout",
            )
            .help(match wanted {
                TieWord::By => "write `tie: by(a, not b, …)`".to_owned(),
                other => format!("write `tie: {}`", other.word()),
            }),
        );
    }
    if let (Some(wanted), Some(own)) = (&contract.margin, margin)
        && wanted != own
    {
        found.push(
            Diagnostic::error(
                Code::TASK_TIE,
                readout.span,
                format!("the margin is {}; the task wants {}", own.exact(), wanted.exact()),
                "this readout",
            )
            .help(format!("write `margin: {}`", wanted.exact())),
        );
    }
}
