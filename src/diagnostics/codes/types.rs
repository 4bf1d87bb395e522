//! Codes of types and values.

codes! {
    UNKNOWN_TYPE = 301, "a type that does not exist";
}
