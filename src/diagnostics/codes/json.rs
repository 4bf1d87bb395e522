//! Codes of JSON programs.

codes! {
    JSON_SYNTAX = 801, "text that is not JSON";
    JSON_UNKNOWN_KEY = 802, "a key that means nothing here";
    JSON_MISSING_KEY = 803, "a key that is missing";
    JSON_KIND = 804, "a value of the wrong kind";
    JSON_DUPLICATE_KEY = 805, "a key that stands twice";
    JSON_TWICE = 806, "a name that is given twice";
    JSON_UNKNOWN_NODE = 807, "a node that the program does not have";
    JSON_CYCLE = 808, "nodes that read each other in a circle";
    JSON_PORT = 809, "a port that the operator does not have";
    JSON_SLOT = 810, "slots with a gap or a repetition";
    JSON_ARITY = 811, "a port with too few or too many sources";
    JSON_WEIGHTS = 812, "weights that do not match the slots";
    JSON_PARAMETER = 813, "a parameter that the operator does not have";
    JSON_WORD = 814, "a word that is not among those allowed";
    JSON_DIGEST = 815, "a digest that does not match the program";
    JSON_TYPE = 816, "a type that is not the node's";
    JSON_CHECKLIST = 817, "a checklist that does not fit its items";
    JSON_TEXT = 818, "a text that is not what belongs here";
    JSON_NAME = 819, "a name that cannot be one";
}
