//! The words of the language that are keywords in some place and names everywhere else.

use super::token::Kind;

/// Words that begin a declaration; `rubric` and `library` begin the header.
pub(super) const DECLARATIONS: &[(&str, Kind)] = &[
    ("rubric", Kind::KwRubric),
    ("library", Kind::KwLibrary),
    ("use", Kind::KwUse),
    ("scale", Kind::KwScale),
    ("default", Kind::KwDefault),
    ("input", Kind::KwInput),
    ("reference", Kind::KwReference),
    ("candidate", Kind::KwCandidate),
    ("criterion", Kind::KwCriterion),
    ("checklist", Kind::KwChecklist),
    ("transform", Kind::KwTransform),
    ("reduce", Kind::KwReduce),
    ("gate", Kind::KwGate),
    ("define", Kind::KwDefine),
    ("readout", Kind::KwReadout),
    ("observe", Kind::KwObserve),
    ("require", Kind::KwRequire),
    ("test", Kind::KwTest),
];

/// Words that begin a statement in the body of a criterion or item.
pub(super) const STATEMENTS: &[(&str, Kind)] = &[
    ("ask", Kind::KwAsk),
    ("level", Kind::KwLevel),
    ("example", Kind::KwExample),
    ("sees", Kind::KwSees),
    ("applies", Kind::KwApplies),
    ("judge", Kind::KwJudge),
    ("tag", Kind::KwTag),
];

/// Words that begin an entry or a statement of a checklist or group.
pub(super) const ENTRIES: &[(&str, Kind)] = &[
    ("group", Kind::KwGroup),
    ("judge", Kind::KwJudge),
    ("sees", Kind::KwSees),
    ("applies", Kind::KwApplies),
    ("tag", Kind::KwTag),
    ("ask", Kind::KwAsk),
    ("level", Kind::KwLevel),
    ("example", Kind::KwExample),
];

/// Words that begin a statement of a test.
pub(super) const TESTS: &[(&str, Kind)] = &[("given", Kind::KwGiven), ("expect", Kind::KwExpect)];

/// The keyword of a word in one of these lists.
pub(super) fn lookup(list: &[(&str, Kind)], word: &str) -> Option<Kind> {
    list.iter().find(|(text, _)| *text == word).map(|(_, kind)| *kind)
}
