//! Facts that stand hard-coded in a criterion: numbers, years and dates that may go out of date and that a judge would hold
//! an answer to. Those that the question or its context name are given, not hard-coded.
//!
//! It reads digits and the names of months; it does not know numbers in words, names or other facts.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

#[expect(clippy::unwrap_used, reason = "a fixed pattern, compiled by the tests of this module")]
static FACT: LazyLock<Regex> = LazyLock::new(|| {
    let months = "January|February|March|April|May|June|July|August|September|October|November|December";
    // A month with a day or a year; any number with what belongs to it.
    Regex::new(&format!(r"\b(?:(?:{months})\s+\d{{1,4}}(?:,\s*\d{{4}})?|\d{{1,2}}\.?\s+(?:{months})(?:\s+\d{{4}})?|\d[\d.,:/-]*\d|\d)\s?%?"))
        .unwrap()
});

/// The facts in a text that do not stand in `given`, each once, in order.
#[must_use]
pub fn facts(text: &str, given: &str) -> Vec<String> {
    let known: BTreeSet<&str> = FACT.find_iter(given).map(|found| found.as_str().trim()).collect();
    let mut seen = BTreeSet::new();
    let found = FACT.find_iter(text).map(|found| found.as_str().trim());
    found.filter(|fact| !known.contains(fact) && seen.insert(*fact)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_facts_unless_they_are_given() {
        assert_eq!(facts("Says that the limit is 2,400 mg since March 2021", ""), ["2,400", "March 2021"]);
        assert_eq!(facts("Says 12% of 5 people, and 12% again", "5 of us"), ["12%"]);
        assert!(facts("Names the current official limit", "").is_empty());
        assert!(facts("Compares 2019 with 2020", "How did 2019 differ from 2020?").is_empty());
    }
}
