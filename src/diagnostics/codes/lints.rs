//! Codes of lints: programs that run, but hardly mean what they say.

codes! {
    NEVER_ACTS = 901, "a threshold, band or cap that can never act";
    ALWAYS_SAME = 950, "a comparison that always has the same answer";
    SAME_NODE_TWICE = 951, "the same judgment in two slots";
    POLICY_NEEDLESS = 952, "a policy for unknown where nothing can be unknown";
}
