//! The language as a context-free grammar, for decoding that is bound to it (vLLM, llama.cpp, llguidance, XGrammar).
//!
//! One text, `grammar/rubric.ebnf`, is the source: [`read`] turns it into [`Part`]s, [`gbnf`] and [`lark`] write these down
//! in the notations that engines read. It describes programs as they should be written. The grammar of the parser
//! (`grammar/rubric.lalrpop`) works on mended tokens and knows slips; that both agree is tested from both sides: random
//! sentences of this grammar pass the parser without a word, and every correct program that the project has is a sentence of
//! it, by the judgement of engines that know nothing of us (`tests/compile`).
//!
//! It does not know names, types or operators: whoever decodes by it gets a text that parses, not one that checks.

mod gbnf;
mod lark;
mod read;
#[cfg(test)]
mod sentences;

use indexmap::IndexMap;
use std::sync::LazyLock;

/// The source, as it is published.
pub const EBNF: &str = include_str!("../../../grammar/rubric.ebnf");

/// A notation that engines read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Notation {
    /// As in the specification of XML; the source of the others
    Ebnf,
    /// llama.cpp, XGrammar, vLLM
    Gbnf,
    /// llguidance, Lark
    Lark,
}

/// The grammar in a notation.
#[must_use]
pub fn text(notation: Notation) -> String {
    match notation {
        Notation::Ebnf => EBNF.to_owned(),
        Notation::Gbnf => gbnf::text(&GRAMMAR),
        Notation::Lark => lark::text(&GRAMMAR),
    }
}

#[expect(clippy::expect_used, reason = "a text of this crate, which the tests of this module read")]
static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| read::grammar(EBNF).expect("grammar/rubric.ebnf can be read"));

/// Rules by their names, the first of them the root.
#[derive(Debug, Clone, Default)]
struct Grammar {
    rules: IndexMap<String, Part>,
}

/// The right side of a rule, or a part of it.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// A rule's name.
    Rule(String),
    Literal(String),
    /// One character.
    Class(Class),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    /// `p?`, `p*`, `p+`
    Repeat {
        of: Box<Part>,
        /// At least once.
        once: bool,
        /// More than once.
        many: bool,
    },
    /// `a - b`: what is `a` and not `b`.
    Without(Box<Part>, Box<Part>),
}

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

/// Whether nothing may stand between the parts of a rule.
fn is_token(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl Grammar {
    fn rule(&self, name: &str) -> Option<&Part> {
        self.rules.get(name)
    }

    /// The literals of a rule that is a choice of literals.
    fn literals<'g>(&'g self, part: &'g Part) -> Option<Vec<&'g str>> {
        match part {
            Part::Rule(name) => self.literals(self.rule(name)?),
            Part::Literal(text) => Some(vec![text]),
            Part::Choice(all) => {
                all.iter().map(|one| self.literals(one)).collect::<Option<Vec<_>>>().map(|all| all.concat())
            }
            _ => None,
        }
    }

    /// `word - reserved`, spelled out without the minus: letter by letter along the reserved words, leaving them where they end
    /// or take another turn.
    fn without(&self, word: &Part, reserved: &Part) -> Option<Part> {
        let words = self.literals(reserved)?;
        let Part::Sequence(parts) = self.resolved(word)? else { return None };
        let [first, Part::Repeat { of: next, many: true, once: false }] = parts.as_slice() else { return None };
        let (first, next) = (self.class(first)?, self.class(next)?);
        Some(branch(&words, &first, &next))
    }

    fn resolved<'g>(&'g self, part: &'g Part) -> Option<&'g Part> {
        match part {
            Part::Rule(name) => self.resolved(self.rule(name)?),
            part => Some(part),
        }
    }

    /// A part that is one character as one set.
    fn class(&self, part: &Part) -> Option<Class> {
        match self.resolved(part)? {
            Part::Class(class) => Some(class.clone()),
            Part::Choice(all) => {
                let all = all.iter().map(|one| self.class(one)).collect::<Option<Vec<Class>>>()?;
                let ranges = all.into_iter().flat_map(|class| class.ranges).collect();
                Some(Class { negated: false, ranges })
            }
            _ => None,
        }
    }
}

/// Words that begin with a character of `first` and go on with characters of `next`, and are none of `not`.
fn branch(not: &[&str], first: &Class, next: &Class) -> Part {
    let mut letters: Vec<char> = not.iter().filter_map(|word| word.chars().next()).collect();
    letters.sort_unstable();
    letters.dedup();
    let mut ways = Vec::new();
    for letter in &letters {
        let rests: Vec<&str> = not.iter().filter_map(|word| word.strip_prefix(*letter)).collect();
        let after: Vec<&str> = rests.iter().copied().filter(|rest| !rest.is_empty()).collect();
        let tail = if after.is_empty() {
            Part::Sequence(vec![Part::Class(next.clone()), many(Part::Class(next.clone()))])
        } else {
            branch(&after, next, next)
        };
        let ends_here = !rests.iter().any(|rest| rest.is_empty());
        let tail = if ends_here { Part::Repeat { of: Box::new(tail), once: false, many: false } } else { tail };
        ways.push(Part::Sequence(vec![Part::Literal(letter.to_string()), tail]));
    }
    let other = first.except(&letters);
    ways.push(Part::Sequence(vec![Part::Class(other), many(Part::Class(next.clone()))]));
    Part::Choice(ways)
}

fn many(of: Part) -> Part {
    Part::Repeat { of: Box::new(of), once: false, many: true }
}

impl Class {
    /// The set without some of its characters.
    fn except(&self, letters: &[char]) -> Class {
        let mut ranges = self.ranges.clone();
        for letter in letters {
            ranges = ranges
                .into_iter()
                .flat_map(|(lo, hi)| {
                    if *letter < lo || *letter > hi {
                        return [Some((lo, hi)), None];
                    }
                    let below = before(*letter).filter(|end| *end >= lo).map(|end| (lo, end));
                    let above = after(*letter).filter(|start| *start <= hi).map(|start| (start, hi));
                    [below, above]
                })
                .flatten()
                .collect();
        }
        Class { negated: self.negated, ranges }
    }
}

fn before(c: char) -> Option<char> {
    char::from_u32(u32::from(c).checked_sub(1)?)
}

fn after(c: char) -> Option<char> {
    char::from_u32(u32::from(c) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn mentioned(part: &Part, rules: &mut BTreeSet<String>, literals: &mut BTreeSet<String>) {
        match part {
            Part::Rule(name) => {
                rules.insert(name.clone());
            }
            Part::Literal(text) => {
                literals.insert(text.clone());
            }
            Part::Class(_) => {}
            Part::Sequence(all) | Part::Choice(all) => all.iter().for_each(|p| mentioned(p, rules, literals)),
            Part::Repeat { of, .. } => mentioned(of, rules, literals),
            Part::Without(a, b) => [a, b].into_iter().for_each(|p| mentioned(p, rules, literals)),
        }
    }

    #[test]
    fn every_rule_is_used_and_every_name_is_a_rule() {
        let (mut rules, mut literals) = (BTreeSet::new(), BTreeSet::new());
        GRAMMAR.rules.values().for_each(|part| mentioned(part, &mut rules, &mut literals));
        rules.extend(["program", "BLANK", "COMMENT"].map(str::to_owned));
        assert_eq!(rules, GRAMMAR.rules.keys().cloned().collect());
    }

    /// The tokens of the parser are those of this grammar, but for the signs that are slips and what mending puts in.
    #[test]
    fn every_word_and_sign_of_the_parser_stands_in_it() {
        let (mut rules, mut literals) = (BTreeSet::new(), BTreeSet::new());
        GRAMMAR.rules.values().for_each(|part| mentioned(part, &mut rules, &mut literals));
        let source = include_str!("../../../grammar/rubric.lalrpop");
        let tokens = source.split_once("enum Kind {").unwrap().1.split_once("\n    }").unwrap().0;
        let tokens = tokens.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" =>"));
        let tokens: Vec<&str> = tokens.map(|(token, _)| token).collect();
        assert!(tokens.len() > 60, "the list of tokens was not found");
        let no_part = ["->", "+int", "+score", "#expression", "#type"];
        let missing: Vec<&&str> = tokens.iter().filter(|t| !literals.contains(**t) && !no_part.contains(*t)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn letters_are_those_that_begin_a_word() {
        let class = GRAMMAR.class(GRAMMAR.rule("LETTER").unwrap()).unwrap();
        for (lo, hi) in class.ranges {
            for c in lo..=hi {
                assert!(c == '_' || unicode_ident::is_xid_start(c), "{c}");
                assert!(unicode_normalization::is_nfc(&c.to_string()), "{c}");
            }
        }
    }

    #[test]
    fn a_reserved_word_is_left_out_letter_by_letter() {
        let regex = lark::regex(&GRAMMAR, GRAMMAR.rule("NAME").unwrap());
        let regex = regex::Regex::new(&format!("^(?:{regex})$")).unwrap();
        for (word, _) in crate::syntax::token::RESERVED {
            assert!(!regex.is_match(word), "{word}");
            for name in [format!("{word}s"), format!("{word}_1"), format!("x{word}"), word.to_uppercase()] {
                assert!(regex.is_match(&name), "{name}");
            }
            for cut in 1..word.len() {
                let name = &word[..cut];
                let reserved = crate::syntax::token::RESERVED.iter().any(|(other, _)| *other == name);
                assert_eq!(regex.is_match(name), !reserved, "{name}");
            }
        }
        for name in ["a", "größe", "质量", "_", "x9"] {
            assert!(regex.is_match(name), "{name}");
        }
        for none in ["", "9", "a-b", "a b"] {
            assert!(!regex.is_match(none), "{none}");
        }
    }
}
