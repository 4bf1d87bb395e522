//! Texts out of files, made harmless: cleaned when they are read, escaped when they are written.

use crate::diagnostics::render::clean::clean;
use serde_json::Value as Json;

/// A text without characters that steer a terminal or turn the direction of writing.
pub(super) fn cleaned(text: &str) -> String {
    clean(text).into_owned()
}

/// A text between tags, or in an attribute in double quotes.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON that may stand inside of a `script` element: nothing in it can end the element or begin a comment.
pub(super) fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A number as people read it: no more than four decimals where it has many.
pub(super) fn number(text: &str) -> String {
    match (text.split_once('.'), text.parse::<f64>()) {
        (Some((_, decimals)), Ok(value)) if decimals.len() > 4 && !text.contains(['e', 'E']) => {
            let rounded = format!("{value:.4}");
            let rounded = rounded.trim_end_matches('0').trim_end_matches('.');
            if rounded == "-0" { "0".to_owned() } else { rounded.to_owned() }
        }
        _ => text.to_owned(),
    }
}

/// A value of a judgment or a readout in words; `None` where it is abstained or none.
pub(super) fn value(json: &Json) -> Option<String> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(truth) => truth.to_string(),
        Json::Number(n) => number(&n.to_string()),
        Json::String(text) => cleaned(text),
        Json::Array(list) => list.iter().filter_map(value).collect::<Vec<_>>().join(", "),
        Json::Object(map) => {
            if let Some(winner) = map.get("winner").and_then(Json::as_str) {
                format!("{} wins", cleaned(winner))
            } else if map.contains_key("tie") {
                "tie".to_owned()
            } else if let Some(open) = map.get("open") {
                format!("open: {}", possible(open))
            } else {
                let entry =
                    |(key, entry): (&String, &Json)| format!("{} {}", cleaned(key), value(entry).unwrap_or_default());
                map.iter().map(entry).collect::<Vec<_>>().join(", ")
            }
        }
    })
}

/// What an open readout may still be.
fn possible(json: &Json) -> String {
    let of = |key: &str| json.get(key).and_then(value);
    let mut text = match (of("lo"), of("hi"), of("values"), of("winners")) {
        (Some(lo), Some(hi), ..) => format!("{lo} to {hi}"),
        (_, _, Some(values), _) | (_, _, _, Some(values)) => format!("one of {values}"),
        _ => "some order".to_owned(),
    };
    for (key, what) in [("tie", " or a tie"), ("abstained", " or abstained"), ("unknown", " or abstained")] {
        if json.get(key) == Some(&Json::Bool(true)) {
            text.push_str(what);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_ends_the_element_it_stands_in() {
        let hostile = "</script><!--<script>&\"'\u{202e}\u{2028}\u{0}";
        let escaped = inside_script(&serde_json::to_string(&cleaned(hostile)).unwrap());
        assert!(!escaped.contains(['<', '>', '&', '\u{202e}', '\u{2028}']), "{escaped}");
        let back: String = serde_json::from_str(&escaped).unwrap();
        assert!(back.starts_with("</script><!--<script>&\"'"));
        assert!(!html(hostile).contains(['<', '>', '"', '\'', '\u{0}']));
    }

    #[test]
    fn numbers_are_short() {
        for (written, shown) in
            [("0.3333333333", "0.3333"), ("4", "4"), ("0.25", "0.25"), ("0.50000001", "0.5"), ("1e-30", "1e-30")]
        {
            assert_eq!(number(written), shown);
        }
        assert_eq!(value(&json!({"open": {"lo": 1, "hi": 5, "unknown": true}})).unwrap(), "open: 1 to 5 or abstained");
        assert_eq!(value(&json!({"winner": "b"})).unwrap(), "b wins");
        assert_eq!(value(&Json::Null), None);
    }
}
