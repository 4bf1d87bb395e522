//! The layout of JSON text: what fits on one line stands on one line, so that an edge is a line and a diff is readable.

use serde_json::Value as Json;

/// Characters of a line, its indentation not counted.
const WIDTH: usize = 100;

/// Deeper than this everything stands on one line (an example's field may hold any JSON).
const MOST_LEVELS: usize = 24;

/// A JSON value as text, laid out; no line break at the end.
#[must_use]
pub fn pretty(value: &Json) -> String {
    let mut out = String::new();
    print(value, 0, true, &mut out);
    out
}

fn print(value: &Json, level: usize, open: bool, out: &mut String) {
    if !open && fits(value) || level >= MOST_LEVELS {
        return flat(value, out);
    }
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    };
    match value {
        Json::Array(list) if !list.is_empty() => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, level + 1);
                print(item, level + 1, false, out);
            }
            line(out, level);
            out.push(']');
        }
        Json::Object(map) if !map.is_empty() => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, level + 1);
                out.push_str(&Json::String(key.clone()).to_string());
                out.push_str(": ");
                print(item, level + 1, false, out);
            }
            line(out, level);
            out.push('}');
        }
        other => flat(other, out),
    }
}

/// Whether the value stands on one line, without measuring more of it than a line.
fn fits(value: &Json) -> bool {
    fn cost(value: &Json, left: usize) -> Option<usize> {
        match value {
            Json::Null | Json::Bool(_) => left.checked_sub(4),
            Json::Number(n) => left.checked_sub(n.as_str().len()),
            Json::String(s) => left.checked_sub(s.len() + 2),
            Json::Array(list) => list.iter().try_fold(left.checked_sub(2)?, |left, v| cost(v, left.checked_sub(2)?)),
            Json::Object(map) => {
                map.iter().try_fold(left.checked_sub(2)?, |left, (k, v)| cost(v, left.checked_sub(k.len() + 6)?))
            }
        }
    }
    cost(value, WIDTH).is_some()
}

fn flat(value: &Json, out: &mut String) {
    match value {
        Json::Array(list) => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                flat(item, out);
            }
            out.push(']');
        }
        Json::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(&Json::String(key.clone()).to_string());
                out.push_str(": ");
                flat(item, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn short_things_stand_on_one_line_and_long_ones_do_not() {
        let long = "x".repeat(120);
        let value = json!({ "a": [1, 2, { "b": null }], "c": { "d": long }, "e": [] });
        let text = pretty(&value);
        assert_eq!(
            text,
            format!(
                "{{\n  \"a\": [1, 2, {{\"b\": null}}],\n  \"c\": {{\n    \"d\": \"{long}\"\n  }},\n  \"e\": []\n}}"
            )
        );
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), value);
    }
}
