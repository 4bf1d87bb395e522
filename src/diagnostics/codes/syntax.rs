//! Codes of syntax errors and tolerated mistakes.

codes! {
    SYNTAX = 101, "something stands where the language does not expect it";
}
