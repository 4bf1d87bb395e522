//! Codes of rule expressions.

codes! {
    RULE_TYPE = 551, "a part of a rule that has the wrong type";
    RULE_FUNCTION = 552, "a rule function that does not exist";
    RULE_ARGUMENTS = 553, "a rule function with the wrong arguments";
    RULE_NAME = 554, "a name in a rule that is no field";
    RULE_CANDIDATE = 555, "an `applies` that reads the candidate";
    RULE_RANGE = 556, "a rule whose value can leave the criterion's type";
    RULE_UNKNOWN = 557, "a rule that can be unknown where the type has no `?`";
    RULE_PATTERN = 558, "a regular expression that cannot be used";
    RULE_SCHEMA = 559, "a JSON schema that cannot be used";
    RULE_DIVISION = 560, "a division by something that can be 0";
    RULE_POINTER = 561, "a text that is no JSON pointer";
}
