//! Random sentences of the grammar pass the parser without a word.
//!
//! Sentences are made from the parts of the grammar alone, with blanks where two tokens would touch and now and then a line
//! break or a comment between others. Names are random letters, or words that are keywords elsewhere; those that open a
//! declaration are left out, as the header of the grammar says.

use super::{GRAMMAR, Part, is_token};
use crate::diagnostics::Sink;
use crate::source::{FileId, Source};
use std::collections::HashMap;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Words that mean something in other places.
const WORDS: &[&str] =
    &["ask", "level", "sees", "tag", "judge", "weight", "rest", "below", "max", "from", "as", "given", "expect", "int"];

struct Maker {
    dice: Dice,
    /// How many rules lie below each rule at least.
    least: HashMap<String, usize>,
    tokens: Vec<String>,
    /// Rules and tokens that were used.
    used: HashMap<String, usize>,
}

impl Maker {
    fn new(seed: u64) -> Maker {
        let mut least: HashMap<String, usize> = HashMap::new();
        for _ in 0..GRAMMAR.rules.len() {
            for (name, part) in &GRAMMAR.rules {
                if let Some(depth) = depth(part, &least) {
                    least.insert(name.clone(), depth + 1);
                }
            }
        }
        assert_eq!(least.len(), GRAMMAR.rules.len(), "some rule never ends");
        Maker { dice: Dice(seed), least, tokens: Vec::new(), used: HashMap::new() }
    }

    fn sentence(&mut self, most: usize) -> String {
        self.tokens.clear();
        let root = GRAMMAR.rules.first().unwrap().1;
        self.make(root, most);
        let tokens = std::mem::take(&mut self.tokens);
        self.join(&tokens)
    }

    fn make(&mut self, part: &Part, left: usize) {
        match part {
            Part::Rule(name) => {
                *self.used.entry(name.clone()).or_default() += 1;
                if is_token(name) {
                    let text = self.token(name);
                    self.tokens.push(text);
                } else {
                    self.make(GRAMMAR.rule(name).unwrap(), left.saturating_sub(1));
                }
            }
            Part::Literal(text) => self.tokens.push(text.clone()),
            Part::Sequence(all) => all.iter().for_each(|p| self.make(p, left)),
            Part::Choice(ways) => {
                let way = self.way(ways, left);
                self.make(way, left);
            }
            Part::Repeat { of, once, many } => {
                let fits = depth(of, &self.least).unwrap() <= left;
                let more = if fits { self.dice.below(if *many { 4 } else { 2 }) } else { 0 };
                for _ in 0..more.max(usize::from(*once)) {
                    self.make(of, left);
                }
            }
            Part::Class(_) | Part::Without(..) => panic!("it stands in tokens only"),
        }
    }

    /// One of those that end within what is left, or the shortest.
    fn way<'p>(&mut self, ways: &'p [Part], left: usize) -> &'p Part {
        let fits: Vec<&Part> = ways.iter().filter(|w| depth(w, &self.least).unwrap() < left).collect();
        match fits.len() {
            0 => ways.iter().min_by_key(|w| depth(w, &self.least).unwrap()).unwrap(),
            n => fits[self.dice.below(n)],
        }
    }

    fn token(&mut self, name: &str) -> String {
        if name == "NAME" && self.dice.below(5) == 0 {
            return WORDS[self.dice.below(WORDS.len())].to_owned();
        }
        let mut out = String::new();
        self.spell(GRAMMAR.rule(name).unwrap(), &mut out);
        out
    }

    fn spell(&mut self, part: &Part, out: &mut String) {
        match part {
            Part::Rule(name) => self.spell(GRAMMAR.rule(name).unwrap(), out),
            Part::Literal(text) => out.push_str(text),
            Part::Sequence(all) => all.iter().for_each(|p| self.spell(p, out)),
            Part::Choice(ways) => {
                let at = self.dice.below(ways.len());
                self.spell(&ways[at], out);
            }
            Part::Repeat { of, once, many } => {
                let n = self.dice.below(if *many { 6 } else { 2 }).max(usize::from(*once));
                (0..n).for_each(|_| self.spell(of, out));
            }
            Part::Class(class) if class.negated => {
                let among: Vec<char> = " aé,.:;{}[]()<>/+-*?!'\"\\\n→😀{".chars().collect();
                let allowed = |c: &&char| !class.ranges.iter().any(|(lo, hi)| (lo..=hi).contains(c));
                let among: Vec<&char> = among.iter().filter(allowed).collect();
                out.push(*among[self.dice.below(among.len())]);
            }
            Part::Class(class) => {
                let (lo, hi) = class.ranges[self.dice.below(class.ranges.len())];
                let at = self.dice.below(u32::from(hi) as usize - u32::from(lo) as usize + 1) as u32;
                out.push(char::from_u32(u32::from(lo) + at).unwrap());
            }
            Part::Without(word, not) => loop {
                let mut made = String::new();
                self.spell(word, &mut made);
                if !GRAMMAR.literals(not).unwrap().contains(&made.as_str()) {
                    return out.push_str(&made);
                }
            },
        }
    }

    fn join(&mut self, tokens: &[String]) -> String {
        let mut out = String::new();
        for token in tokens {
            let wordy = |c: char| c.is_alphanumeric() || c == '_';
            let touching = match (out.chars().next_back(), token.chars().next()) {
                (Some(a), Some(b)) => wordy(a) && wordy(b) || a == '"' && b == '"' || a == '/',
                _ => false,
            };
            match self.dice.below(20) {
                0..3 if !touching => {}
                3 => out.push('\n'),
                4 if !out.is_empty() => out.push_str(" // a remark, \"so\n"),
                _ => out.push(' '),
            }
            out.push_str(token);
        }
        out
    }
}

/// How many rules lie below a part at least; `None` where it is not known yet.
fn depth(part: &Part, least: &HashMap<String, usize>) -> Option<usize> {
    match part {
        Part::Rule(name) => least.get(name).copied(),
        Part::Literal(_) | Part::Class(_) | Part::Without(..) => Some(0),
        Part::Sequence(all) => all.iter().map(|p| depth(p, least)).try_fold(0, |most, d| Some(most.max(d?))),
        Part::Choice(ways) => ways.iter().filter_map(|p| depth(p, least)).min(),
        Part::Repeat { of, once: true, .. } => depth(of, least),
        Part::Repeat { .. } => Some(0),
    }
}

#[test]
fn the_parser_takes_every_sentence() {
    let mut used: HashMap<String, usize> = HashMap::new();
    for seed in 0..600 {
        let mut maker = Maker::new(seed);
        let text = maker.sentence(10 + (seed as usize % 14));
        let source = Source::new(FileId(0), "sentence", None, text.as_str());
        let mut sink = Sink::new();
        crate::syntax::parse(&source, &mut sink);
        let found = sink.finish();
        let said: Vec<String> = found
            .iter()
            .map(|d| format!("{} {} at {:?} {:?}", d.code, d.headline, d.span(), source.slice(d.span())))
            .collect();
        assert!(said.is_empty(), "seed {seed}\n{text}\n{said:#?}");
        maker.used.into_iter().for_each(|(name, n)| *used.entry(name).or_default() += n);
    }
    let lower = GRAMMAR.rules.keys().filter(|name| !is_token(name) && *name != "program");
    let never: Vec<&String> = lower.filter(|name| !used.contains_key(*name)).collect();
    assert!(never.is_empty(), "never made: {never:?}");
}
