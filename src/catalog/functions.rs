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
    function("abs", "abs(x)", "a number from 0 up", "The number without its sign."),
    function(
        "char_count",
        "char_count(text)",
        "a whole number from 0 up",
        "How many characters a reader sees: UAX 29 extended grapheme clusters.",
    ),
    function(
        "clamp",
        "clamp(x, to: int[0..10])",
        "the type after `to`",
        "The number, or the end of the interval that it lies beyond.",
    ),
    function(
        "code_blocks",
        "code_blocks(text)",
        "a list of texts",
        "The contents of the fenced code blocks (``` or ~~~, as in CommonMark).",
    ),
    function(
        "contains",
        "contains(text, part)",
        "bool",
        "Whether the part stands in the text, capitals and all; of a list, also one in JSON: whether one of its texts is exactly that.",
    ),
    function(
        "count_matches",
        "count_matches(text, r\"pattern\")",
        "a whole number from 0 up",
        "How often the regular expression matches, without overlaps.",
    ),
    function("ends_with", "ends_with(text, part)", "bool", "Whether the text ends with the part."),
    function(
        "first_match",
        "first_match(text, r\"pattern\")",
        "text?",
        "What the regular expression matches first, or its first group where it has one; unknown where there is no match.",
    ),
    function(
        "json_get",
        "json_get(text_or_json, \"/pointer\")",
        "json?",
        "What stands at an RFC 6901 pointer, read as number, text or bool by its place; unknown where there is no such thing.",
    ),
    function(
        "json_matches",
        "json_matches(text_or_json, \"schema.json\")",
        "bool",
        "Whether the value is JSON that fits a JSON Schema: a file beside the program, or the schema itself as a text.",
    ),
    function(
        "json_valid",
        "json_valid(text)",
        "bool",
        "Whether the whole text is one JSON value (RFC 8259), nested at most 127 deep.",
    ),
    function(
        "known",
        "known(x)",
        "bool",
        "Whether there is a value: the optional field is given, something was found.",
    ),
    function(
        "last_match",
        "last_match(text, r\"pattern\")",
        "text?",
        "What the regular expression matches last, without overlaps, or its first group where it has one; unknown where there is no match.",
    ),
    function(
        "line_count",
        "line_count(text)",
        "a whole number from 0 up",
        "How many lines a text has; a line break at the very end opens no new line, and an empty text has none.",
    ),
    function("lower", "lower(text)", "text", "The text in lower case (Unicode)."),
    function(
        "matches",
        "matches(text, r\"pattern\")",
        "bool",
        "Whether the regular expression matches somewhere in the text (syntax of the Rust crate `regex`, linear time).",
    ),
    function("max", "max(x, y, …)", "a number", "The greatest of the numbers."),
    function("min", "min(x, y, …)", "a number", "The least of the numbers."),
    function(
        "number_in",
        "number_in(text)",
        "a number?",
        "The first decimal number in the text; unknown where there is none, or where it can be read in two ways (`1,5`).",
    ),
    function("otherwise", "otherwise(x, v)", "x's type without ?", "The value, or `v` where there is none."),
    function("round", "round(x, step: 1, mode: half_up)", "a number", "The nearest multiple of the step."),
    function(
        "sentence_count",
        "sentence_count(text)",
        "a whole number from 0 up",
        "How many sentences a text has: UAX 29 sentence segments that hold a letter or a digit.",
    ),
    function(
        "similarity",
        "similarity(a, b, metric: rouge_l)",
        "a number from 0 to 1",
        "How alike two texts are: `rouge_l` is the F1 of the longest common subsequence of lower-cased words, `levenshtein` is 1 minus the edit distance over the longer length, in characters.",
    ),
    function(
        "size",
        "size(list)",
        "a whole number from 0 up",
        "How many turns a chat, texts a list, or entries a JSON array or object has.",
    ),
    function("starts_with", "starts_with(text, part)", "bool", "Whether the text begins with the part."),
    function("transcript", "transcript(chat)", "text", "The whole chat as lines `role: content`."),
    function("trim", "trim(text)", "text", "The text without white space at its ends."),
    function(
        "turn",
        "turn(chat, n)",
        "text?",
        "What was said in the n-th turn of a chat, from 1; -1 is the last; unknown where there is no such turn.",
    ),
    function("urls", "urls(text)", "a list of texts", "The http and https addresses in the text."),
    function(
        "word_count",
        "word_count(text)",
        "a whole number from 0 up",
        "How many words a text has: UAX 29 word segments that hold a letter or a digit.",
    ),
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
