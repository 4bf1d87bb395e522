//! Codes of rule expressions.

codes! {
    RULE_TYPE = 551, "a part of a rule that has the wrong type";
}
