//! What calls of commands that write will take, as a table of three rows: at least, about, at most.
//!
//! It adds up and prints; which calls there will be, and what their replies may be like, the commands say. Figures of
//! requests come from requests as they would be sent ([`crate::author::Author::weigh`]).

use super::run::judging::money;
use crate::judge::config::Alias;
use crate::judge::wire::Usage;
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};

/// Calls with their tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Load {
    pub(crate) calls: u64,
    /// Tokens of the requests.
    pub(crate) input: u64,
    /// Tokens of the replies.
    pub(crate) output: u64,
}

impl Load {
    /// One call.
    pub(crate) fn one(input: u64, output: u64) -> Load {
        Load { calls: 1, input, output }
    }

    /// So many like it.
    pub(crate) fn times(self, n: u64) -> Load {
        let [calls, input, output] = [self.calls, self.input, self.output].map(|count| count.saturating_mul(n));
        Load { calls, input, output }
    }

    pub(crate) fn add(&mut self, other: Load) {
        self.calls = self.calls.saturating_add(other.calls);
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }

    /// Each figure brought between those of two others, of which the second wins where they cross.
    fn between(self, low: Load, high: Load) -> Load {
        let within = |count: u64, low: u64, high: u64| count.max(low).min(high);
        Load {
            calls: within(self.calls, low.calls, high.calls),
            input: within(self.input, low.input, high.input),
            output: within(self.output, low.output, high.output),
        }
    }
}

/// What is to be expected of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Forecast {
    pub(crate) least: Load,
    pub(crate) about: Load,
    pub(crate) most: Load,
}

impl Forecast {
    /// With the middle between the ends: it is a guess, they are not.
    pub(crate) fn new(least: Load, about: Load, most: Load) -> Forecast {
        Forecast { least, about: about.between(least, most), most }
    }

    pub(crate) fn add(&mut self, other: &Forecast) {
        self.least.add(other.least);
        self.about.add(other.about);
        self.most.add(other.most);
    }

    /// The calls, such as `2 to 7, about 3`.
    pub(crate) fn calls(&self) -> String {
        let (low, high) = (self.least.calls, self.most.calls);
        if low == high { format!("{low}") } else { format!("{low} to {high}, about {}", self.about.calls) }
    }

    /// The table for one model, with what it costs where its price is known.
    pub(crate) fn table(&self, alias: &Alias) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header([alias.name.as_str(), "calls", "input tokens", "reply tokens", "cost"]);
        for (name, load) in [("at least", self.least), ("about", self.about), ("at most", self.most)] {
            let usage = Usage { input: load.input, output: load.output, ..Usage::default() };
            let cost = alias.price.as_ref().map_or_else(|| "?".to_owned(), |price| money(&price.cost(&usage)));
            let [calls, input, output] = [load.calls, load.input, load.output].map(|count| count.to_string());
            table.add_row([name.to_owned(), calls, input, output, cost]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let unknown = match alias.price {
            Some(_) => String::new(),
            None => format!("What it costs is not known: the model `{}` has no `price` in rubric.toml.\n", alias.name),
        };
        format!("{table}\n{unknown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_stays_between_the_ends() {
        let forecast = Forecast::new(Load::one(10, 1), Load::one(5, 90).times(3), Load::one(100, 50).times(2));
        assert_eq!(forecast.about, Load { calls: 2, input: 15, output: 100 });
        let mut sum = forecast;
        sum.add(&forecast);
        assert_eq!(sum.most, Load { calls: 4, input: 400, output: 200 });
        assert_eq!(sum.calls(), "2 to 4, about 4");
        assert_eq!(Load::one(u64::MAX, 1).times(2).input, u64::MAX);
    }
}
