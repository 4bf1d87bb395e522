//! Codes of requirements and tests.

codes! {
    TEST_KEY = 701, "a test gives something that the program does not ask for";
    SPEC_VALUE = 702, "a value in a test or requirement that does not fit";
    TEST_TWICE = 703, "something that a test gives twice";
    SPEC_NAME = 704, "a name in a condition that means nothing there";
    SPEC_COMPARISON = 705, "a condition that makes no sense";
    SPEC_CANDIDATE = 706, "a condition that does not fit the number of candidates";
    REQUIRE_PROPERTY = 707, "a property that cannot be required";
    SPEC_EMPTY = 708, "a test or requirement that demands nothing";
}
