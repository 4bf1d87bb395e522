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
}
