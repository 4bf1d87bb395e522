//! What a record must come to so that it passes: a bound for numbers, or words.

use serde_json::Value as Json;

/// What passes.
#[derive(Debug, Clone, PartialEq)]
pub enum Passing {
    /// A number this high or higher.
    AtLeast(f64),
    /// A number this low or lower.
    AtMost(f64),
    /// One of these words: labels, `true`, `false`, the candidate that wins, `tie`.
    Words(Vec<String>),
}

impl Passing {
    /// Reads `>= 4`, `<= 0.5`, or words with commas between them.
    ///
    /// # Errors
    /// A sentence that says how it is written.
    pub fn read(text: &str) -> Result<Passing, String> {
        let how = || "write a bound such as `>= 4`, or words such as `good,excellent`".to_owned();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(how);
        if let Some(rest) = text.trim().strip_prefix(">=") {
            return number(rest).map(Passing::AtLeast);
        }
        if let Some(rest) = text.trim().strip_prefix("<=") {
            return number(rest).map(Passing::AtMost);
        }
        let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        if words.iter().any(|word| word.is_empty() || word.starts_with(['<', '>', '='])) {
            return Err(how());
        }
        Ok(Passing::Words(words))
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Passing::AtLeast(bound) => format!(">= {bound}"),
            Passing::AtMost(bound) => format!("<= {bound}"),
            Passing::Words(words) => words.join(" or "),
        }
    }

    /// Whether a readout passes; `None`: it is not decided. Without a rule, what is not false does.
    ///
    /// # Errors
    /// A sentence: it is nothing that the rule is about.
    pub fn holds(rule: Option<&Passing>, said: &Json) -> Result<Option<bool>, String> {
        if said.is_null() || said.get("open").is_some() {
            return Ok(None);
        }
        let Some(rule) = rule else { return Ok(Some(*said != Json::Bool(false))) };
        let wrong = || Err(format!("`--pass` is {}, and a readout says {said}", rule.text()));
        Ok(Some(match (rule, said) {
            (Passing::AtLeast(bound), Json::Number(number)) => number.as_f64().is_some_and(|n| n >= *bound),
            (Passing::AtMost(bound), Json::Number(number)) => number.as_f64().is_some_and(|n| n <= *bound),
            (Passing::Words(words), said) => {
                let word = match (said.as_str(), said.as_bool(), said.get("winner").and_then(Json::as_str)) {
                    (Some(word), ..) | (_, _, Some(word)) => word.to_owned(),
                    (_, Some(truth), _) => truth.to_string(),
                    _ if said.get("tie").is_some() => "tie".to_owned(),
                    _ => return wrong(),
                };
                words.contains(&word)
            }
            _ => return wrong(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_and_words() {
        let rule = Passing::read(" >= 3.5").unwrap();
        assert_eq!(Passing::holds(Some(&rule), &json!(3.5)), Ok(Some(true)));
        assert_eq!(Passing::holds(Some(&rule), &json!(3)), Ok(Some(false)));
        assert_eq!(Passing::holds(Some(&rule), &Json::Null), Ok(None));
        assert_eq!(Passing::holds(Some(&rule), &json!({"open": {"lo": 1, "hi": 5}})), Ok(None));
        assert!(Passing::holds(Some(&rule), &json!("good")).is_err());
        let words = Passing::read("good, tie,b").unwrap();
        for (said, passes) in [(json!("good"), true), (json!({"tie": true}), true), (json!({"winner": "a"}), false)] {
            assert_eq!(Passing::holds(Some(&words), &said), Ok(Some(passes)));
        }
        assert!(Passing::holds(Some(&words), &json!(3)).is_err());
        assert_eq!(Passing::holds(None, &json!(false)), Ok(Some(false)));
        assert_eq!(Passing::holds(None, &json!(0)), Ok(Some(true)));
        for wrong in ["", ">= x", "> 3", "a,,b", ">= inf"] {
            assert!(Passing::read(wrong).is_err(), "{wrong}");
        }
    }
}
