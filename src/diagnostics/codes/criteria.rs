//! Codes of criteria, checklists and judges.

codes! {
    NO_QUESTION = 501, "a criterion that asks nothing";
}
