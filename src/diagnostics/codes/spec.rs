//! Codes of requirements and tests.

codes! {
    TEST_KEY = 701, "a test gives something that the program does not ask for";
}
