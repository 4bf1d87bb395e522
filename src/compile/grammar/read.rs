//! Reads the EBNF of the XML specification, as far as `grammar/rubric.ebnf` uses it: rules, choices, groups, `? * +`, literals
//! in either quotes, sets of characters with `#x…`, the minus, and comments.
//!
//! It is for our own text, so a fault is one sentence with the place, for whoever changed the text.

use super::{Class, Grammar, Part};

/// Reads all rules.
///
/// # Errors
/// What is no EBNF, with the number of its character.
pub(super) fn grammar(text: &str) -> Result<Grammar, String> {
    let mut reader = Reader { rest: text, length: text.len() };
    let mut grammar = Grammar::default();
    reader.skip();
    while !reader.rest.is_empty() {
        let name = reader.name().ok_or_else(|| reader.fault("the name of a rule"))?.to_owned();
        reader.sign("::=")?;
        let part = reader.choice()?;
        if grammar.rules.insert(name.clone(), part).is_some() {
            return Err(format!("the rule {name} stands there twice"));
        }
    }
    Ok(grammar)
}

struct Reader<'t> {
    rest: &'t str,
    length: usize,
}

impl<'t> Reader<'t> {
    fn fault(&self, expected: &str) -> String {
        format!("at byte {}: {expected} was expected", self.length - self.rest.len())
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("/*") else { return };
            self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return None;
        }
        self.rest = rest;
        self.skip();
        Some(name)
    }

    /// Whether a sign comes next; it is taken.
    fn takes(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest;
        self.skip();
        true
    }

    fn sign(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(self.fault(sign)) }
    }

    fn choice(&mut self) -> Result<Part, String> {
        let mut ways = vec![self.sequence()?];
        while self.takes("|") {
            ways.push(self.sequence()?);
        }
        Ok(one_or(ways, Part::Choice))
    }

    fn sequence(&mut self) -> Result<Part, String> {
        let mut parts = Vec::new();
        while let Some(part) = self.repeated()? {
            if self.takes("-") {
                let not = self.repeated()?.ok_or_else(|| self.fault("what is left out"))?;
                parts.push(Part::Without(Box::new(part), Box::new(not)));
            } else {
                parts.push(part);
            }
        }
        if parts.is_empty() { Err(self.fault("a part of a rule")) } else { Ok(one_or(parts, Part::Sequence)) }
    }

    fn repeated(&mut self) -> Result<Option<Part>, String> {
        let Some(part) = self.primary()? else { return Ok(None) };
        let (once, many) = match self.rest.chars().next() {
            Some('?') => (false, false),
            Some('*') => (false, true),
            Some('+') => (true, true),
            _ => return Ok(Some(part)),
        };
        self.rest = self.rest.get(1..).unwrap_or("");
        self.skip();
        Ok(Some(Part::Repeat { of: Box::new(part), once, many }))
    }

    fn primary(&mut self) -> Result<Option<Part>, String> {
        if self.takes("(") {
            let inside = self.choice()?;
            self.sign(")")?;
            return Ok(Some(inside));
        }
        for quote in ['"', '\''] {
            if let Some(text) = self.rest.strip_prefix(quote) {
                let (text, rest) = text.split_once(quote).ok_or_else(|| self.fault("the end of a literal"))?;
                self.rest = rest;
                // What stands right behind a literal belongs to it only if it is a sign of repetition.
                if !self.rest.starts_with(['?', '*', '+']) {
                    self.skip();
                }
                return Ok(Some(Part::Literal(text.to_owned())));
            }
        }
        if let Some(inside) = self.rest.strip_prefix('[') {
            let (inside, rest) = inside.split_once(']').ok_or_else(|| self.fault("the end of a set"))?;
            self.rest = rest;
            if !self.rest.starts_with(['?', '*', '+']) {
                self.skip();
            }
            return class(inside).map(|class| Some(Part::Class(class))).ok_or_else(|| self.fault("a set"));
        }
        let before = self.rest;
        let Some(name) = self.name() else { return Ok(None) };
        if self.rest.starts_with("::=") {
            // The next rule begins.
            self.rest = before;
            return Ok(None);
        }
        Ok(Some(Part::Rule(name.to_owned())))
    }
}

fn one_or(mut parts: Vec<Part>, several: impl Fn(Vec<Part>) -> Part) -> Part {
    match parts.len() {
        1 => parts.pop().unwrap_or(Part::Sequence(Vec::new())),
        _ => several(parts),
    }
}

/// The inside of `[…]`.
fn class(inside: &str) -> Option<Class> {
    let negated = inside.starts_with('^');
    let mut rest = inside.strip_prefix('^').unwrap_or(inside);
    let mut ranges = Vec::new();
    while !rest.is_empty() {
        let lo = character(&mut rest)?;
        let hi = match rest.strip_prefix('-') {
            Some(after) => {
                rest = after;
                character(&mut rest)?
            }
            None => lo,
        };
        ranges.push((lo, hi));
    }
    Some(Class { negated, ranges })
}

fn character(rest: &mut &str) -> Option<char> {
    if let Some(hex) = rest.strip_prefix("#x") {
        let end = hex.find(|c: char| !c.is_ascii_digit() && !matches!(c, 'A'..='F')).unwrap_or(hex.len());
        let (digits, after) = hex.split_at(end);
        *rest = after;
        return char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    }
    let mut chars = rest.chars();
    let c = chars.next()?;
    *rest = chars.as_str();
    Some(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_say_where_they_are() {
        for (text, said) in [
            ("a ::= ", "a part of a rule"),
            ("a ::= \"x", "the end of a literal"),
            ("a ::= (b", ")"),
            ("a ::= b a ::= c", "twice"),
            ("::= b", "the name of a rule"),
            ("a ::= [x", "the end of a set"),
        ] {
            let fault = grammar(text).unwrap_err();
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }

    #[test]
    fn sets_and_signs() {
        let grammar = grammar("/* x */ a ::= [^\"\\#xA]+ b? ('r\"' | B - C)\nb ::= [a-z_]").unwrap();
        assert_eq!(grammar.rules.keys().collect::<Vec<_>>(), ["a", "b"]);
        let Some(Part::Sequence(parts)) = grammar.rule("a") else { panic!() };
        let class = Class { negated: true, ranges: vec![('"', '"'), ('\\', '\\'), ('\n', '\n')] };
        assert_eq!(parts[0], Part::Repeat { of: Box::new(Part::Class(class)), once: true, many: true });
        assert!(matches!(&parts[2], Part::Choice(ways) if matches!(ways[1], Part::Without(..))));
    }
}
