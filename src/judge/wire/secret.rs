//! Keys: never shown, and taken out of whatever a server says.

use std::fmt;

/// A key. It has no `Display`, and its `Debug` does not show it.
#[derive(Clone)]
pub(super) struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What stands where a key stood.
const HIDDEN: &str = "[key]";
/// Parts of a key that are shorter are not told apart from words.
const SHORTEST: usize = 6;

impl Secret {
    /// A key as a variable holds it: blanks around it are no part of it. `None` where it is empty or cannot be sent.
    pub(super) fn new(text: &str) -> Option<Secret> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())).then(|| Secret(text.to_owned()))
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

/// Takes a key out of an answer, where a server put it there: the whole key only, since an answer is what it says.
pub(super) fn strike(text: &mut String, secret: Option<&Secret>) {
    if let Some(Secret(key)) = secret
        && key.len() >= SHORTEST
        && text.contains(key.as_str())
    {
        *text = text.replace(key.as_str(), HIDDEN);
    }
}

/// Takes a key out of a text: whole, masked in its middle (`sk-ab…yz`, `sk-ab***yz`), or written as in an address. What looks
/// like any key of the usual form goes too.
pub(super) fn redact(text: &str, secret: Option<&Secret>) -> String {
    let mut out = text.to_owned();
    if let Some(Secret(key)) = secret {
        if key.len() >= SHORTEST {
            out = out.replace(key.as_str(), HIDDEN);
            let escaped: String = key
                .bytes()
                .map(|b| {
                    if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                        char::from(b).to_string()
                    } else {
                        format!("%{b:02X}")
                    }
                })
                .collect();
            out = out.replace(&escaped, HIDDEN);
        } else {
            // A key this short is most likely made up ("x"); as a word of its own it goes all the same.
            out = out.split(' ').map(|word| if word == key { HIDDEN } else { word }).collect::<Vec<_>>().join(" ");
        }
    }
    let start = secret.and_then(|Secret(key)| key.get(..SHORTEST));
    out.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '(' | ')' | '<' | '>' | '='))
        .map(|word| {
            let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '*' && c != '…');
            let masked = start.is_some_and(|start| bare.starts_with(start) && bare.len() > start.len());
            let usual =
                ["sk-", "sk_", "AIza", "gsk_", "hf_", "xai-"].iter().any(|p| bare.starts_with(p)) && bare.len() >= 12;
            if masked || usual { word.replacen(bare, HIDDEN, 1) } else { word.to_owned() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_a_server_says_back_is_taken_out() {
        let secret = Secret::new(" tok/abcdef+123456 \n").unwrap();
        for echoed in [
            "Incorrect key: tok/abcdef+123456.",
            "url ?key=tok%2Fabcdef%2B123456&x=1",
            "Incorrect key provided: tok/ab*****3456 (see our page)",
            "\"tok/abcdef+123456\"",
        ] {
            let shown = redact(echoed, Some(&secret));
            assert!(!shown.contains("tok/ab") && !shown.contains("tok%2F") && !shown.contains("3456"), "{shown}");
            assert!(shown.contains(HIDDEN), "{shown}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn a_key_of_someone_else_goes_too_and_words_stay() {
        assert_eq!(redact("bad key sk-proj-0123456789abcdef, sorry", None), "bad key [key], sorry");
        assert_eq!(redact("the task is sk-ipped", None), "the task is sk-ipped");
        let short = Secret::new("x").unwrap();
        assert_eq!(redact("max of x here", Some(&short)), "max of [key] here");
    }

    #[test]
    fn what_cannot_be_sent_is_no_key() {
        for wrong in ["", "  ", "a b", "schlüssel", "a\nb"] {
            assert!(Secret::new(wrong).is_none(), "{wrong:?}");
        }
    }
}
