//! What a program is compiled from: the specification S = (x, r, z, τ) of "Graph-Structured Rubrics" (arXiv 2608.12097, 2.1).
//!
//! *Architecture Invariant:* no type of this module has a place for a candidate, a judgment or a gold label, and whoever reads
//! records ([`super::records`]) refuses their keys by name. So no program can be fitted to what it will judge.
//!
//! Types and fields of the task contract τ are read by the checker of the language itself, as parts of a small program.

use crate::graph::Mode;
use crate::number::{Number, Rounding};
use crate::project;
use crate::source::FileId;
use crate::source::files::Files;
use crate::types::{Base, Field, Role, Type};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// S. Everything that the model is shown of the task, and all that the program may depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Specification {
    /// x, where the program is for one task only: a text, or an object of several inputs.
    pub task: Option<Json>,
    /// r: the policy, rubric or checklist in prose.
    pub rubric: Arc<str>,
    /// z: material that a right answer can be held against.
    pub reference: Option<Arc<str>>,
    /// τ
    pub contract: Contract,
}

/// The task contract τ. What is `None` is left to the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// m: one candidate, two, or two and more.
    pub mode: Mode,
    /// U_τ: the interval of the sink.
    pub interval: Option<(Number, Number)>,
    /// A_τ: what the pointwise readout yields, as written and as it is.
    pub output: Option<(Arc<str>, Type)>,
    /// How a number between two whole ones is rounded.
    pub quantise: Option<Rounding>,
    /// ε: how much higher a score must be to win.
    pub margin: Option<Number>,
    /// What decides where no score is higher.
    pub tie: Option<TieWord>,
    /// The fields that records will have, as written and as they are.
    pub fields: Option<(Arc<str>, Vec<Field>)>,
    /// What the program is called.
    pub name: Option<Arc<str>>,
}

/// The word of a tie policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieWord {
    /// A tie is said to be one
    Tie,
    /// No preference is given
    Abstain,
    /// The first in the record's order
    First,
    /// The smaller digest of record and candidate
    ById,
    /// Other nodes decide, in order
    By,
}

impl TieWord {
    pub const ALL: [TieWord; 5] = [TieWord::Tie, TieWord::Abstain, TieWord::First, TieWord::ById, TieWord::By];

    /// As an author writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            TieWord::Tie => "tie",
            TieWord::Abstain => "abstain",
            TieWord::First => "first",
            TieWord::ById => "by_id",
            TieWord::By => "by",
        }
    }
}

/// A contract as people write it; each part is a text of the language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    /// `pointwise` (the default), `pairwise`, `listwise`
    pub mode: Option<String>,
    /// `0..1`
    pub interval: Option<String>,
    /// `int[1..5]`
    pub output: Option<String>,
    /// `half_up`
    pub quantise: Option<String>,
    pub margin: Option<String>,
    pub tie: Option<String>,
    /// `input question: text  candidate answer: text`
    pub fields: Option<String>,
    pub name: Option<String>,
}

impl Written {
    /// The names of its parts, as flags and in records.
    pub const KEYS: [&'static str; 8] = ["mode", "interval", "output", "quantise", "margin", "tie", "fields", "name"];

    /// Sets a part by its name; `false` where there is none of that name.
    pub fn set(&mut self, key: &str, value: &str) -> bool {
        let part = match key {
            "mode" => &mut self.mode,
            "interval" => &mut self.interval,
            "output" => &mut self.output,
            "quantise" => &mut self.quantise,
            "margin" => &mut self.margin,
            "tie" => &mut self.tie,
            "fields" => &mut self.fields,
            "name" => &mut self.name,
            _ => return false,
        };
        *part = Some(value.to_owned());
        true
    }

    /// The contract that was meant.
    ///
    /// # Errors
    /// One sentence that names the part and says what can stand there.
    pub fn read(&self) -> Result<Contract, String> {
        let mode = match self.mode.as_deref().unwrap_or("pointwise") {
            "pointwise" => Mode::Pointwise,
            "pairwise" => Mode::Pairwise,
            "listwise" => Mode::Listwise,
            other => return Err(format!("`{other}` is no mode; write `pointwise`, `pairwise` or `listwise`")),
        };
        let word =
            |part: &Option<String>| part.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let contract = Contract {
            mode,
            interval: word(&self.interval).map(|text| interval(&text)).transpose()?,
            output: word(&self.output).map(|text| output(&text)).transpose()?,
            quantise: word(&self.quantise)
                .map(|text| {
                    let words = Rounding::ALL.map(Rounding::word).join("`, `");
                    Rounding::from_word(&text).ok_or(format!("`{text}` is no way to round; write one of `{words}`"))
                })
                .transpose()?,
            margin: word(&self.margin)
                .map(|text| {
                    let number = Number::from_decimal(&text).ok().filter(|n| !n.is_negative());
                    number.ok_or(format!("`{text}` is no margin; write a number that is not below 0, such as `0.05`"))
                })
                .transpose()?,
            tie: word(&self.tie)
                .map(|text| {
                    let words = TieWord::ALL.map(TieWord::word).join("`, `");
                    let tie = TieWord::ALL.into_iter().find(|tie| tie.word() == text);
                    tie.ok_or(format!("`{text}` decides no tie; write one of `{words}`"))
                })
                .transpose()?,
            fields: word(&self.fields).map(|text| fields(&text)).transpose()?,
            name: word(&self.name).map(|text| name(&text)).transpose()?,
        };
        contract.consistent()?;
        Ok(contract)
    }
}

impl Contract {
    /// Whether its parts fit each other.
    fn consistent(&self) -> Result<(), String> {
        let pointwise = self.mode == Mode::Pointwise;
        for (given, what) in [(self.margin.is_some(), "margin"), (self.tie.is_some(), "tie")] {
            if given && pointwise {
                return Err(format!("a `{what}` belongs to comparisons; the mode is `pointwise`"));
            }
        }
        for (given, what) in [(self.output.is_some(), "output"), (self.quantise.is_some(), "quantise")] {
            if given && !pointwise {
                return Err(format!(
                    "an `{what}` belongs to `pointwise`; a `{}` readout yields candidates, not values",
                    self.mode.word()
                ));
            }
        }
        match (&self.quantise, &self.output) {
            (Some(_), Some((text, ty))) if !matches!(ty.base, Base::Int { .. }) => {
                Err(format!("`quantise` rounds to whole numbers; the output `{text}` has none"))
            }
            (Some(_), None) => Err("`quantise` needs an `output` of whole numbers, such as `int[1..5]`".to_owned()),
            _ => Ok(()),
        }
    }

    /// What it settles, in the words of flags and records; the rest is left out.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut map = serde_json::Map::new();
        let mut put = |key: &str, value: String| {
            map.insert(key.to_owned(), Json::from(value));
        };
        put("mode", self.mode.word().to_owned());
        if let Some((lo, hi)) = &self.interval {
            put("interval", format!("{}..{}", lo.exact(), hi.exact()));
        }
        if let Some((text, _)) = &self.output {
            put("output", text.to_string());
        }
        if let Some(mode) = self.quantise {
            put("quantise", mode.word().to_owned());
        }
        if let Some(margin) = &self.margin {
            put("margin", margin.exact());
        }
        if let Some(tie) = self.tie {
            put("tie", tie.word().to_owned());
        }
        if let Some((text, _)) = &self.fields {
            put("fields", text.to_string());
        }
        if let Some(name) = &self.name {
            put("name", name.to_string());
        }
        Json::Object(map)
    }
}

impl Specification {
    /// S as JSON, the parts that are given.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut map = serde_json::Map::new();
        if let Some(task) = &self.task {
            map.insert("input".to_owned(), task.clone());
        }
        map.insert("rubric".to_owned(), json!(&*self.rubric));
        if let Some(reference) = &self.reference {
            map.insert("reference".to_owned(), json!(&**reference));
        }
        map.insert("contract".to_owned(), self.contract.json());
        Json::Object(map)
    }

    /// BLAKE3 of S, by which its programs know where they came from: `blake3:` and 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("blake3:{}", blake3::hash(self.json().to_string().as_bytes()).to_hex())
    }
}

/// The program of a text, where it has no errors; else the first of them.
fn checked(text: &str) -> Result<Arc<crate::graph::Program>, String> {
    let opened = project::check_files(Files::memory(&[("contract", text)]), FileId(0));
    match opened.diagnostics.iter().find(|d| d.is_error()) {
        Some(fault) => Err(fault.headline.clone()),
        None => opened.program.ok_or_else(|| "it is no program".to_owned()),
    }
}

fn one_line(text: &str) -> Result<&str, String> {
    let plain = !text.contains(['\n', '{', '"']) && !text.contains("//");
    if plain { Ok(text) } else { Err(format!("`{text}` holds more than a type")) }
}

fn output(text: &str) -> Result<(Arc<str>, Type), String> {
    let program = one_line(text).and_then(|text| {
        checked(&format!(
            "rubric contract\ncandidate it: text\ncriterion judged: {text} \"Q?\"\nreadout pointwise = judged"
        ))
    });
    let program = program.map_err(|why| {
        format!("`{text}` cannot be the output: {why}; write a type such as `int[1..5]`, `score[0..100]`, `bool`")
    })?;
    let ty = program.readouts.first().map(|readout| readout.ty.clone());
    ty.map(|ty| (text.into(), ty)).ok_or_else(|| format!("`{text}` cannot be the output"))
}

/// `0..1`, `score[0..1]`
fn interval(text: &str) -> Result<(Number, Number), String> {
    let wrong = || format!("`{text}` is no interval; write its ends, such as `0..1`");
    let inside = text.trim_start_matches("score").trim_start_matches(['[', ' ']).trim_end_matches([']', ' ']);
    let (lo, hi) = inside.split_once("..").ok_or_else(wrong)?;
    let end = |end: &str| Number::from_exact(end.trim()).map_err(|_| wrong());
    let (lo, hi) = (end(lo)?, end(hi)?);
    if lo < hi { Ok((lo, hi)) } else { Err(format!("`{text}` is no interval: its second end must be above its first")) }
}

fn fields(text: &str) -> Result<(Arc<str>, Vec<Field>), String> {
    let help = "write declarations such as `input question: text  reference guideline: text?  candidate answer: text`";
    let program = checked(&format!(
        "rubric contract\n{text}\ncriterion judged_by_nobody: bool \"Q?\"\nreadout pointwise = judged_by_nobody"
    ));
    let program = program.map_err(|why| format!("the fields cannot be read: {why}; {help}"))?;
    if program.nodes.len() > 1
        || program.readouts.len() > 1
        || !program.tests.is_empty()
        || !program.requires.is_empty()
    {
        return Err(format!("the fields hold more than fields; {help}"));
    }
    if !program.fields.iter().any(|field| field.role == Role::Candidate) {
        return Err(format!("no field is the candidate; {help}"));
    }
    Ok((text.into(), program.fields.clone()))
}

fn name(text: &str) -> Result<Arc<str>, String> {
    let mut chars = text.chars();
    let first = chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    let reserved = crate::syntax::token::RESERVED.iter().any(|(word, _)| *word == text);
    if first && chars.all(unicode_ident::is_xid_continue) && !reserved {
        Ok(text.into())
    } else {
        Err(format!("`{text}` cannot be a program's name; write one word, such as `patient_answer`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[(&str, &str)]) -> Result<Contract, String> {
        let mut written = Written::default();
        for (key, value) in parts {
            assert!(written.set(key, value), "{key}");
        }
        written.read()
    }

    #[test]
    fn a_contract_is_read_by_the_language_itself() {
        let contract = written(&[
            ("interval", "0..1"),
            ("output", "int[1..5]"),
            ("quantise", "half_even"),
            ("fields", "input question: text reference guideline: text? candidate answer: text"),
            ("name", "patient_answer"),
        ])
        .unwrap();
        assert_eq!(contract.fields.as_ref().unwrap().1.len(), 3);
        assert!(matches!(contract.output.as_ref().unwrap().1.base, Base::Int { .. }));
        let again = contract.json();
        assert_eq!(again["interval"], "0..1");
        let back: Vec<(String, String)> =
            again.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect();
        let back: Vec<(&str, &str)> = back.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(written(&back).unwrap(), contract);
    }

    #[test]
    fn faults_name_the_part_and_what_can_stand_there() {
        for (parts, said) in [
            (&[("mode", "both")][..], "no mode"),
            (&[("interval", "1..0")], "above its first"),
            (&[("interval", "all")], "no interval"),
            (&[("output", "int[5..1]")], "cannot be the output"),
            (&[("output", "bool \"x\" criterion y: bool")], "more than a type"),
            (&[("output", "set(a, b)")], "cannot be the output"),
            (&[("quantise", "half_up")], "needs an `output`"),
            (&[("quantise", "half_up"), ("output", "score[0..1]")], "has none"),
            (&[("tie", "first")], "pointwise"),
            (&[("mode", "pairwise"), ("output", "bool")], "yields candidates"),
            (&[("mode", "pairwise"), ("tie", "coin")], "decides no tie"),
            (&[("mode", "pairwise"), ("margin", "-1")], "no margin"),
            (&[("fields", "input q: text")], "candidate"),
            (&[("fields", "candidate a: text criterion b: bool \"B?\" observe b")], "more than fields"),
            (&[("fields", "candidate a: prose")], "cannot be read"),
            (&[("name", "not")], "program's name"),
            (&[("name", "a-b")], "program's name"),
        ] {
            let fault = written(parts).unwrap_err();
            assert!(fault.contains(said), "{parts:?}: {fault}");
        }
    }

    #[test]
    fn the_digest_is_of_everything_that_is_given_and_of_nothing_else() {
        let base =
            Specification { task: None, rubric: "Be kind.".into(), reference: None, contract: written(&[]).unwrap() };
        let digest = base.digest();
        assert!(digest.starts_with("blake3:") && digest.len() == 7 + 64);
        assert_eq!(base.clone().digest(), digest);
        let others = [
            Specification { task: Some(json!("x")), ..base.clone() },
            Specification { rubric: "Be kind".into(), ..base.clone() },
            Specification { reference: Some("z".into()), ..base.clone() },
            Specification { contract: written(&[("interval", "0..1")]).unwrap(), ..base },
        ];
        for other in others {
            assert_ne!(other.digest(), digest);
        }
    }
}
