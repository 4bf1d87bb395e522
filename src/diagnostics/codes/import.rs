//! Codes of importers.

codes! {
    IMPORT_COLUMN = 1001, "a column that the importer needs is missing";
    IMPORT_ROW = 1002, "a row that cannot be read";
    IMPORT_NO_PARENT = 1003, "a question that depends on one that does not exist";
    IMPORT_ITSELF = 1004, "a question that depends on itself";
    IMPORT_CYCLE = 1005, "questions that depend on each other in a circle";
    IMPORT_NOT_A_NUMBER = 1006, "a dependency that is not the number of a question";
    IMPORT_TWICE = 1007, "two questions with one number";
    IMPORT_REPEATED = 1008, "a dependency that says nothing new";
    IMPORT_ANSWER = 1009, "an answer to a question that does not exist";
}
