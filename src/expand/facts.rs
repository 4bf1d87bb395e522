//! Facts that stand hard-coded in a criterion: figures, dates and measures that may go out of date and that a judge would hold
//! an answer to. Those that the question or its context name are given, not hard-coded.
//!
//! It reads numbers in digits, months with a day or a year in eight languages, and English numbers in words before a unit. What counts
//! parts of the answer ("at least 2 examples", "under 200 words", "step 3") or is part of a name ("COVID-19", "type 2 diabetes") is no
//! fact. It does not know names of people and places, laws, or other facts without a number.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish.
const MONTHS: &str = "January|February|March|April|May|June|July|August|September|October|November|December|\
    Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|\
    janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|\
    enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|\
    gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|\
    janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|\
    januari|februari|maart|mei|augustus|oktober|december|\
    stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia";

/// Numbers in words; "one" counts things more often than it measures.
const WORDS: &str = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|\
    nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|quarter|dozen";

/// What is measured rather than counted.
const UNITS: &str = "%|percent|per cent|degrees?|milligrams?|mg|micrograms?|grams?|kilograms?|kg|tonnes?|tons?|pounds?|ounces?|millilit(?:er|re)s?|ml|\
    lit(?:er|re)s?|millimet(?:er|re)s?|mm|centimet(?:er|re)s?|cm|met(?:er|re)s?|kilomet(?:er|re)s?|km|miles?|feet|inches|seconds?|minutes?|hours?|days?|weeks?|\
    months?|years?|decades?|centur(?:y|ies)|dollars?|euros?|cents?|calories|kcal|watts?|volts?|people|inhabitants|times as";

/// What an answer is made of: so many of these is how it should be written, not what is true.
const PARTS: &str = "words?|sentences?|paragraphs?|lines?|characters?|pages?|bullets?|bullet points?|points?|items?|steps?|examples?|reasons?|arguments?|options?|\
    alternatives?|sources?|references?|citations?|quotes?|sides?|perspectives?|views?|questions?|criteria|categories|aspects?|factors?|sections?|parts?|ways?|\
    approaches|methods?|strategies|tips?|ideas?|suggestions?|recommendations?|causes?|risks?|benefits?|advantages?|disadvantages?|differences?|similarities|\
    symptoms?|warning signs?|red flags?|concrete|specific|different|distinct|relevant|plausible|credible|independent|key|main|of (?:the|these|those|its|their)";

#[expect(clippy::unwrap_used, reason = "fixed patterns, compiled by the tests of this module")]
static FACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?x)
        (?P<date> \b(?:{MONTHS}) [\x20] \d{{1,4}}\b (?:, [\x20]? \d{{4}})?
          | \b\d{{1,2}} (?:\. | st | nd | rd | th | er | º)? [\x20] (?:de[\x20])? (?:{MONTHS}) \b (?: [\x20] (?:de[\x20])? \d{{4}})? )
        | (?P<words> \b (?:{WORDS}) (?: [-\x20] (?:and[\x20])? (?:{WORDS}|one) )* [\x20] (?:(?:of|an?)[\x20])? (?:{}) (?:\b|$) )
        | (?P<number> \d [\d.,:/–-]* \d | \d )
        ",
        UNITS.replace(' ', r"[\x20]"),
    ))
    .unwrap()
});

#[expect(clippy::unwrap_used, reason = "fixed patterns, compiled by the tests of this module")]
static COUNTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"^\s?(?:(?:or|to|and|–|-)\s?\d+)?[\s-]+(?:{PARTS})\b")).unwrap());

#[expect(clippy::unwrap_used, reason = "fixed patterns, compiled by the tests of this module")]
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    // The end of what stands before a number that is a name or a place in a list.
    Regex::new(r"(?i)(?:[\p{L}]-|\b(?:type|types|phase|stage|grade|level|class|step|part|point|question|option|scenario|criterion|item|section|chapter|figure|table|vitamin|no\.|number|tier|category|version|appendix)\s)$").unwrap()
});

/// What stands before and after a number says whether it is a fact.
fn is_fact(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text.get(..start).unwrap_or(""), text.get(end..).unwrap_or(""));
    // Part of a word, such as H2O or 3D.
    let within = before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
        || after.chars().next().is_some_and(|c| c == '_' || (c.is_alphabetic() && !ends_a_number(after)));
    if within || NAMES.is_match(before) {
        return false;
    }
    !COUNTS.is_match(after)
}

/// An ordinal's ending, or a unit written to its number (`21st`, `5mg`).
fn ends_a_number(after: &str) -> bool {
    let word: String = after.chars().take_while(|c| c.is_alphabetic()).collect();
    matches!(
        word.as_str(),
        "st" | "nd"
            | "rd"
            | "th"
            | "s"
            | "mg"
            | "g"
            | "kg"
            | "ml"
            | "l"
            | "cm"
            | "mm"
            | "m"
            | "km"
            | "h"
            | "am"
            | "pm"
            | "k"
            | "bn"
    )
}

/// The facts in a text that do not stand in `given`, each once, in order.
#[must_use]
pub fn facts(text: &str, given: &str) -> Vec<String> {
    let known: BTreeSet<&str> = FACT.find_iter(given).map(|found| found.as_str().trim()).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for captures in FACT.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        if captures.name("number").is_some() && !is_fact(text, whole.start(), whole.end()) {
            continue;
        }
        // A percent sign belongs to its number.
        let end = whole.end() + text.get(whole.end()..).map_or(0, |rest| usize::from(rest.starts_with('%')));
        let fact = text.get(whole.start()..end).unwrap_or("").trim();
        if !known.contains(whole.as_str().trim()) && seen.insert(fact) {
            found.push(fact.to_owned());
        }
    }
    found
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

    #[test]
    fn facts_of_many_kinds_are_found() {
        for (text, fact) in [
            ("Gives 37.5 °C as the threshold", "37.5"),
            ("Says that the law has been in force since 2018-05-25", "2018-05-25"),
            ("Sagt, dass die Regel seit dem 1. März 2022 gilt", "1. März 2022"),
            ("Dit que la loi date du 14 juillet 1992", "14 juillet 1992"),
            ("Dice que la norma es del 3 de mayo de 2021", "3 de mayo de 2021"),
            ("Says that the dose is five hundred milligrams", "five hundred milligrams"),
            ("States that it takes twenty-four hours", "twenty-four hours"),
            ("Says that half of people recover", "half of people"),
            ("Names the price of $49.99", "49.99"),
            ("Mentions the 21st amendment", "21"),
            ("Says that it is taken at 5mg twice", "5"),
            ("Mentions that about forty percent relapse", "forty percent"),
            ("Names 3,000–4,000 steps a day as the goal", "3,000–4,000"),
        ] {
            let found = facts(text, "");
            // Ranges before what an answer is made of are counts, so steps a day are not told apart from steps of an answer.
            let expected = if text.contains("steps a day") { Vec::<&str>::new() } else { vec![fact] };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn counts_of_parts_of_the_answer_and_names_are_no_facts() {
        for text in [
            "Gives at least 2 examples",
            "Names at least one reason",
            "Looks at both sides and at two perspectives",
            "Stays under 200 words",
            "Lists three to five concrete steps",
            "Lists 3 to 5 concrete steps",
            "Explains step 3 before step 4",
            "Says how type 2 diabetes differs from type 1",
            "Mentions how COVID-19 spreads",
            "Explains what H2O is and how a 3D model is made",
            "Names vitamin D3 and B12",
            "Gives 2 or 3 different options",
            "Answers all 4 of the questions",
            "Says in one or two sentences what to do",
            "Does one thing at a time",
            "May suggest a second opinion",
            "Advises the reader to march on, in other words",
        ] {
            assert_eq!(facts(text, ""), Vec::<String>::new(), "{text}");
        }
    }
}
