//! Codes of criteria, checklists and judges.

codes! {
    NO_QUESTION = 501, "a criterion that asks nothing";
    REPEATED = 502, "something that may stand only once stands twice";
    LEVEL_VALUE = 503, "a value that does not belong to the criterion's type";
    BAD_EXAMPLE = 504, "an example that cannot be used";
    BAD_HOLE = 505, "`{{…}}` that inserts nothing";
    NOT_SEEN = 506, "a text that shows what the criterion does not see";
    APPLIES_NEEDS_UNKNOWN = 507, "`applies` on a criterion that cannot be unknown";
    UNKNOWN_PROCEDURE = 508, "a kind of judge that does not exist";
    JUDGE_PARAMETER = 509, "a parameter that this kind of judge does not have";
    JUDGE_VALUE = 510, "a judge's parameter with a value that it cannot have";
    COMBINE = 511, "a way to combine samples that does not fit the type";
    JUDGE_CONFLICT = 512, "parameters of a judge that cannot go together";
    CHECKLIST_TYPE = 513, "a checklist whose items are not yes/no";
    ITEM_TWICE = 514, "two parts of a checklist with one name";
    GROUP_WEIGHT = 515, "a group's weight that is not a positive number";
    EMPTY_CHECKLIST = 516, "a checklist or group without items";
    CHECKLIST_FROM = 517, "a checklist from something that cannot hold items";
    MISPLACED = 518, "a statement that cannot stand here";
}
