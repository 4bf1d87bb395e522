//! Codes of readouts and of nodes that nothing reads.

codes! {
    NEVER_USED = 601, "something that is never used in the score";
}
