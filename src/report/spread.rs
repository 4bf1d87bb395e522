//! How often a readout said what, over all rows of a run and by tag of the records.

use indexmap::IndexMap;
use serde_json::Value as Json;

/// Numbers that are told one by one; more are put into ranges.
const MOST_VALUES: usize = 12;
/// Ranges of equal width.
const RANGES: u32 = 10;

/// What was said how often.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    numbers: Vec<f64>,
    words: IndexMap<String, u64>,
}

/// One bar of a spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub name: String,
    pub count: u64,
}

impl Spread {
    /// Adds what a readout said; what is not decided counts nowhere here.
    pub(super) fn add(&mut self, said: &Json) {
        match said {
            Json::Number(number) => self.numbers.extend(number.as_f64()),
            said if said.is_null() || said.get("open").is_some() => {}
            said => *self.words.entry(super::text::value(said).unwrap_or_default()).or_default() += 1,
        }
    }

    #[must_use]
    pub fn decided(&self) -> u64 {
        self.numbers.len() as u64 + self.words.values().sum::<u64>()
    }

    /// The mean of numbers, or the share of `true`; `None` of other words and of nothing.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        if !self.numbers.is_empty() {
            return Some(self.numbers.iter().sum::<f64>() / self.numbers.len() as f64);
        }
        let of = |word: &str| self.words.get(word).copied().unwrap_or(0);
        let (holds, all) = (of("true"), of("true") + of("false"));
        (all > 0 && all == self.decided()).then(|| holds as f64 / all as f64)
    }

    /// The bars: numbers lowest first (in ranges where they are many), words most frequent first.
    #[must_use]
    pub fn bars(&self) -> Vec<Bar> {
        let mut bars = self.of_numbers();
        let mut words: Vec<Bar> =
            self.words.iter().map(|(word, count)| Bar { name: word.clone(), count: *count }).collect();
        words.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        bars.extend(words);
        bars
    }

    fn of_numbers(&self) -> Vec<Bar> {
        let mut sorted = self.numbers.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let groups: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
        let short = |value: f64| super::text::number(&value.to_string());
        if groups.len() <= MOST_VALUES {
            let bar = |group: &&[f64]| Some(Bar { name: short(*group.first()?), count: group.len() as u64 });
            return groups.iter().filter_map(bar).collect();
        }
        let (Some(low), Some(high)) = (sorted.first().copied(), sorted.last().copied()) else { return Vec::new() };
        let width = (high - low) / f64::from(RANGES);
        let mut bars = Vec::new();
        for range in 0..RANGES {
            let (from, to) = (low + width * f64::from(range), low + width * f64::from(range + 1));
            let last = range + 1 == RANGES;
            let inside = |value: &&f64| **value >= from && (last || **value < to);
            let count = sorted.iter().filter(inside).count() as u64;
            bars.push(Bar { name: format!("{} to {}", short(from), short(if last { high } else { to })), count });
        }
        bars
    }
}

/// Rows that have one tag.
#[derive(Debug, Clone)]
pub struct OfTag {
    pub tag: String,
    /// By run.
    pub spreads: Vec<Spread>,
    pub rows: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_decided_outcome_is_in_one_bar() {
        let mut spread = Spread::default();
        for n in 0..1000 {
            spread.add(&json!(f64::from(n) / 7.0));
        }
        spread.add(&Json::Null);
        spread.add(&json!({"open": {"lo": 0, "hi": 1}}));
        let bars = spread.bars();
        assert_eq!((bars.len(), bars.iter().map(|bar| bar.count).sum::<u64>()), (10, 1000));
        let mut words = Spread::default();
        for said in [json!(true), json!(false), json!(true)] {
            words.add(&said);
        }
        assert_eq!(words.mean().map(|mean| (mean * 3.0).round()), Some(2.0));
        assert_eq!(words.bars()[0], Bar { name: "true".to_owned(), count: 2 });
        words.add(&json!({"winner": "b"}));
        assert_eq!(words.mean(), None);
        assert_eq!(Spread::default().bars(), []);
    }
}
