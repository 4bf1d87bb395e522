//! Codes of names, scopes and files.

codes! {
    UNKNOWN_NAME = 201, "a name that nothing declares";
}
