//! The check of a line: the first 16 bytes of BLAKE3 over the check of the line before and the line up to its own check.
//!
//! It finds damage and changes by hand. It is no signature: whoever recomputes all checks can write any trace.

/// Hexadecimal digits of a check.
const DIGITS: usize = 32;
const BEFORE: &str = ",\"check\":\"";

/// The check so far.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    last: String,
}

/// A line, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked<'a> {
    /// Up to the check; `{"record":…` without its last bracket.
    pub body: &'a str,
    /// Whether the check is the one that follows from the line and those before it.
    pub holds: bool,
}

impl Chain {
    /// Adds the check to a line that lacks its last bracket, and makes it the chain's.
    pub fn seal(&mut self, body: &mut String) {
        self.last = check(&self.last, body);
        body.push_str(BEFORE);
        body.push_str(&self.last);
        body.push_str("\"}");
    }

    /// Takes a line apart and makes its check, as written, the chain's: one bad line does not make all later ones bad.
    /// `None`: the line has no check at its end.
    pub fn open<'a>(&mut self, line: &'a str) -> Option<Checked<'a>> {
        let at = line.len().checked_sub(BEFORE.len() + DIGITS + 2)?;
        let (body, rest) = line.split_at_checked(at)?;
        let written = rest.strip_prefix(BEFORE)?.strip_suffix("\"}")?;
        let holds = written == check(&self.last, body);
        written.clone_into(&mut self.last);
        Some(Checked { body, holds })
    }
}

fn check(last: &str, body: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(last.as_bytes());
    hasher.update(body.as_bytes());
    let mut hex = hasher.finalize().to_hex().to_string();
    hex.truncate(DIGITS);
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(bodies: &[&str]) -> Vec<String> {
        let mut chain = Chain::default();
        let seal = |body: &&str| {
            let mut line = (*body).to_owned();
            chain.seal(&mut line);
            line
        };
        bodies.iter().map(seal).collect()
    }

    fn holds(lines: &[String]) -> Vec<Option<bool>> {
        let mut chain = Chain::default();
        lines.iter().map(|line| chain.open(line).map(|checked| checked.holds)).collect()
    }

    #[test]
    fn every_changed_byte_is_found() {
        let lines = sealed(&["{\"a\":1", "{\"b\":\"é\"", "{\"c\":3"]);
        assert_eq!(holds(&lines), [Some(true); 3]);
        for at in 0..lines[1].len() {
            let mut bytes = lines[1].clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(line) = String::from_utf8(bytes) else { continue };
            let changed = [lines[0].clone(), line, lines[2].clone()];
            assert_ne!(holds(&changed)[1], Some(true), "byte {at}");
        }
        assert_eq!(holds(&[lines[0].clone(), lines[2].clone()]), [Some(true), Some(false)]);
    }
}
