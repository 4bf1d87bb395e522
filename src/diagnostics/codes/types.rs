//! Codes of types and values.

codes! {
    UNKNOWN_TYPE = 301, "a type that does not exist";
    EMPTY_RANGE = 302, "a range without any number in it";
    INT_ENDS = 303, "an `int` whose ends are not whole numbers";
    INCOMPLETE_TYPE = 304, "a type that lacks its range, its labels or its bound";
    LABEL_TWICE = 305, "two labels of one type with the same name";
    LABEL_COUNT = 306, "a type with too few or too many labels";
    BAD_LABEL = 307, "a text that cannot be a label";
    TALLY_MAX = 308, "a `max` that no tally can have";
    UNKNOWN_FIELD_KIND = 309, "a kind of field that does not exist";
    NOT_CONSTANT = 310, "a value that has to be written down, not judged";
    DIVIDES_BY_ZERO = 311, "a constant that is divided by zero";
    CHAINED_COMPARISON = 312, "two comparisons in a row";
    FIELD_IN_SCORE = 313, "a field where a judgment is needed";
    BUNDLE_HERE = 314, "a whole checklist where one judgment is needed";
    NOTHING_NEW = 315, "a declaration that computes nothing";
    GATE_WITHOUT_WHEN = 316, "a gate that does not say when it acts";
    WHEN_WITHOUT_GATE = 317, "a condition behind something that is no gate";
    NO_JUDGMENT = 318, "something that is no judgment";
    TREE_WEIGHT = 319, "a tree with a group that has no weight";
    DEFINE_ARGUMENTS = 320, "arguments that do not fit a `define`";
    DEFINE_TOO_DEEP = 321, "definitions that unfold too far";
}
