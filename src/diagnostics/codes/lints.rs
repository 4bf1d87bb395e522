//! Codes of lints: programs that run, but hardly mean what they say.

codes! {
    NEVER_ACTS = 901, "a threshold, band or cap that can never act";
}
