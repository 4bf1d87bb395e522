//! Codes of operators, their ports and parameters.

codes! {
    UNKNOWN_OPERATOR = 401, "an operator that does not exist";
    INPUT_MISSING = 402, "an operator that lacks an input";
    INPUT_CONSTANT = 404, "a constant where a judgment must stand";
    INPUT_TYPE = 405, "a judgment that the operator cannot work on";
    INPUT_UNBOUNDED = 406, "points without bounds outside of `clamp` and comparisons";
    PARAMETER_NOT_TAKEN = 407, "a parameter that the operator does not take";
    PARAMETER_MISSING = 408, "a parameter that must be given";
    PARAMETER_VALUE = 409, "a parameter with a value that makes no sense";
    SCALES_DIFFER = 410, "slots on different scales";
    UNKNOWN_UNSETTLED = 411, "an unknown that nothing settles";
    UNKNOWN_POLICY = 412, "a policy for unknown that the operator does not have";
    WEIGHT_MISSING = 413, "a slot without its weight";
    WEIGHT_NOT_TAKEN = 414, "a weight where the operator takes none";
    WEIGHT_VALUE = 415, "a weight that makes no sense";
    CONSTANT_OUTSIDE = 416, "a constant outside of the scale";
    CONSTANT_KIND = 417, "a constant of the wrong kind";
    LABEL_UNKNOWN = 418, "a label that the scale does not have";
    LABELS_WITHOUT_TYPE = 419, "labels whose scale is written nowhere";
    TABLE_MISSING = 420, "an operator without its table";
    TABLE_KEY = 421, "a row of a table that cannot match";
    TABLE_TWICE = 422, "two rows of a table for the same";
    TABLE_GAP = 423, "a table that does not cover every value";
    TABLE_VALUES = 424, "a table whose results do not fit together";
    TABLE_ORDER = 425, "rows of a table that do not ascend";
    DIVISOR_ZERO = 426, "a division that could be by 0";
    POINTS_NONE_POSITIVE = 427, "points without any positive item";
    POINTS_SIGNS = 428, "points of both signs where one is needed";
    BRANCHES_DIFFER = 429, "branches that do not fit together";
    TYPE_TOO_NARROW = 430, "a written type that does not hold every result";
    CANNOT_COMPARE = 431, "a comparison of things that cannot be compared";
    VETO_NEEDS_TO = 432, "a veto that does not know what is lowest";
    NUMBERS_TOO_LARGE = 433, "numbers that grow beyond all bounds";
    NOTHING_JUDGED = 434, "an expression in which nothing is judged";
}
