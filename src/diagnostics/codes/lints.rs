//! Codes of lints: programs that run, but hardly mean what they say. (From `R0950` on: those of operators.)

codes! {
    NEVER_ACTS = 901, "a threshold, band or cap that can never act";
    FAMILY_WORD = 902, "`transform`, `reduce` or `gate` before something else";
    UNUSED = 903, "a declaration that nothing uses";
    ABSENCE = 904, "a negative item that is phrased as an absence";
    ALL_OF_CHECKLIST = 905, "`all` of a checklist, meant as perfect";
    CAP_ON_EDGE = 906, "a cap that lies exactly on the edge of a band";
    EVEN_SAMPLES = 907, "an even number of samples for a majority";
    NEVER_MATTERS = 908, "a judgment that can never change what comes out";
    ALWAYS_SAME = 950, "a comparison that always has the same answer";
    SAME_NODE_TWICE = 951, "the same judgment in two slots";
    POLICY_NEEDLESS = 952, "a policy for unknown where nothing can be unknown";
}
