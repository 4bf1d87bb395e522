//! The functions that a `rule(…)` may call, as data. What they compute is in the rules.

/// A function over fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionInfo {
    pub name: &'static str,
    /// With its arguments, as an author writes it.
    pub form: &'static str,
    /// What it yields, in words.
    pub result: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
}

const fn function(name: &'static str, form: &'static str, result: &'static str, doc: &'static str) -> FunctionInfo {
    FunctionInfo { name, form, result, doc }
}

/// All of them, by name.
pub const FUNCTIONS: &[FunctionInfo] = &[
    function("char_count", "char_count(t)", "a whole number", "Characters, as a reader counts them (UAX 29)."),
    function("code_blocks", "code_blocks(t)", "a whole number", "Fenced code blocks."),
    function("contains", "contains(t, \"part\")", "bool", "Whether the part stands in the text, capitals and all."),
    function("count_matches", "count_matches(t, r\"…\")", "a whole number", "How often the pattern is found."),
    function("ends_with", "ends_with(t, \"part\")", "bool", "Whether the text ends so."),
    function("json_get", "json_get(t, \"/pointer\")", "a JSON value", "What stands at a JSON pointer."),
    function("json_matches", "json_matches(t, \"schema.json\")", "bool", "Whether the text is JSON of that schema."),
    function("json_valid", "json_valid(t)", "bool", "Whether the text is JSON."),
    function("line_count", "line_count(t)", "a whole number", "Lines."),
    function("lower", "lower(t)", "a text", "The text in lower case."),
    function("matches", "matches(t, r\"…\")", "bool", "Whether the pattern is found; in linear time."),
    function("number_in", "number_in(t)", "a number, or unknown", "The first number that stands in the text."),
    function("sentence_count", "sentence_count(t)", "a whole number", "Sentences (UAX 29)."),
    function(
        "similarity",
        "similarity(a, b, metric: rouge_l)",
        "a number from 0 to 1",
        "How alike two texts are, by the metric `rouge_l` or `levenshtein`.",
    ),
    function("size", "size(list)", "a whole number", "How many entries a JSON list or chat has."),
    function("starts_with", "starts_with(t, \"part\")", "bool", "Whether the text begins so."),
    function("transcript", "transcript(chat)", "a text", "The whole chat as one text."),
    function("trim", "trim(t)", "a text", "The text without white space at its ends."),
    function("turn", "turn(chat, n)", "a text", "What was said at that turn."),
    function("urls", "urls(t)", "a whole number", "Web addresses in the text."),
    function("word_count", "word_count(t)", "a whole number", "Words (UAX 29)."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_stand_in_order_and_once() {
        assert!(FUNCTIONS.windows(2).all(|w| w[0].name < w[1].name));
        assert!(FUNCTIONS.iter().all(|f| f.form.starts_with(f.name)));
    }
}
