//! Codes of requirements that are proved or broken.

codes! {
    REQUIRE_BROKEN = 1101, "a requirement that some judgments break";
    REQUIRE_UNREACHABLE = 1102, "something required to be reachable that no judgments reach";
    REQUIRE_UNDECIDED = 1103, "a requirement that could not be decided";
}
