//! Codes of JSON programs.

codes! {
    JSON_SYNTAX = 801, "text that is not JSON";
}
