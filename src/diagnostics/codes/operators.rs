//! Codes of operators, their ports and parameters.

codes! {
    UNKNOWN_OPERATOR = 401, "an operator that does not exist";
}
