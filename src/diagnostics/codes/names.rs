//! Codes of names, scopes and files.

codes! {
    UNKNOWN_NAME = 201, "a name that nothing declares";
    DUPLICATE_NAME = 202, "two declarations with one name";
    TAKEN_NAME = 203, "a name that the language keeps for itself";
    CYCLE = 204, "declarations that need each other in a circle";
    USE_FILE = 205, "a library that cannot be used";
    USE_CYCLE = 206, "libraries that use each other in a circle";
    LIBRARY_FIELD = 207, "a library's field that the program does not have";
    LIBRARY_ITEM = 208, "something that cannot stand in a library";
    CANDIDATE_COUNT = 209, "a program without exactly one candidate";
    UNKNOWN_ARGUMENT = 210, "an argument that the operator does not have";
    ARGUMENT_TWICE = 211, "an argument that is given twice";
    ARGUMENT_NAME = 212, "an argument that lacks its name";
    WRONG_KIND = 213, "a name of something that cannot stand here";
    DEFAULT_JUDGE_TWICE = 214, "two default judges in one file";
}
