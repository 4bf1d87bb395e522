//! Codes of syntax errors and tolerated mistakes.

codes! {
    SYNTAX = 101, "something stands where the language does not expect it";
    UNCLOSED = 102, "a bracket that is never closed";
    STRAY_BRACKET = 103, "a closing bracket that closes nothing";
    UNCLOSED_TEXT = 104, "a text whose closing quotes are missing";
    BAD_CHARACTER = 105, "a character that has no meaning here";
    ESCAPE = 106, "an escape that means nothing";
    NUMBER = 107, "a number in a form that the language does not have";
    FOREIGN_SIGN = 108, "a sign from another notation";
    QUOTES = 109, "typographic or single quotes";
    HEADER = 110, "a file that does not begin with its header";
    DECLARATION = 111, "a misspelt word at the beginning of a declaration or statement";
    TOO_DEEP = 112, "parts inside one another beyond the limit";
    AROUND = 113, "a Markdown fence or prose around the program";
    SEPARATOR = 114, "a comma or semicolon where none belongs";
    ASSIGN = 115, "`=` where `==` is meant";
    IF_FOR_WHEN = 116, "`if` where `when` is meant";
    STRAY_SIGN = 117, "a sign behind a word that takes none";
    SEES_BRACKETS = 118, "brackets around the fields of `sees`";
    UNSIGNED = 119, "an item whose points have no sign";
    BULLET = 120, "a bullet before an item";
    RANGE = 121, "a range in a form that the language does not have";
    NO_TYPE = 122, "a criterion without a type";
    WEIGHT = 123, "a weight in a form that the language does not have";
    ARM = 124, "an arm of a table in a form that the language does not have";
    TABLE_INSIDE = 125, "a table inside the parentheses of its call";
    READOUT_SIGN = 126, "a readout without its `=`";
    RESULT_ARROW = 127, "`->` before the type of a `define`";
    CLAUSE_ARROW = 128, "an arrow in a requirement";
    LABELS = 129, "labels that do not fit their type";
    MISSING_COMMA = 130, "a comma that is missing between two parts";
    NAMED = 131, "`=` between a name and its value";
    TITLE = 132, "a title without quotes";
    HEAD = 133, "a statement for a whole checklist behind its items";
    NO_COLON = 134, "a name and its type without a `:` between them";
}
