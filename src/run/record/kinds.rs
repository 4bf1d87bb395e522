//! Field values by their kind: what each kind may hold, and how a cell of a table is read.

use super::json;
use crate::number::Number;
use crate::types::{Base, Field, FieldKind, Type};
use serde_json::Value;

/// Whether a value is one of the field's kind.
///
/// # Errors
/// A sentence that says what was found and what the kind wants.
pub(super) fn check(field: &Field, value: &Value) -> Result<(), String> {
    let wanted = match (field.kind, value) {
        (FieldKind::Json, _) | (FieldKind::Flag, Value::Bool(_)) => return Ok(()),
        (FieldKind::Text | FieldKind::Image, Value::String(_)) => return Ok(()),
        (FieldKind::Number, Value::Number(number)) => {
            return Number::from_decimal(number.as_str())
                .map(|_| ())
                .map_err(|error| format!("`{}`: {error}", field.name));
        }
        (FieldKind::Chat, Value::Array(turns)) => {
            let bad = turns.iter().position(|turn| !is_turn(turn));
            let Some(bad) = bad else { return Ok(()) };
            return Err(format!(
                "`{}` is a chat, but its turn {} is not {{\"role\": TEXT, \"content\": TEXT}}",
                field.name,
                bad + 1
            ));
        }
        (FieldKind::Flag, _) => "true or false",
        (FieldKind::Text, _) => "a text in quotes",
        (FieldKind::Image, _) => "the name of an image file or its address, in quotes",
        (FieldKind::Number, _) => "a number without quotes",
        (FieldKind::Chat, _) => "a list of {\"role\": TEXT, \"content\": TEXT}",
    };
    Err(format!("`{}` is {}, but must be {wanted} ({})", field.name, found(value), field.kind.word()))
}

fn is_turn(turn: &Value) -> bool {
    turn.get("role").is_some_and(Value::is_string)
        && turn.get("content").is_some_and(|content| content.is_string() || content.is_array())
}

/// What a JSON value is, in words, short.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("{value}"),
        Value::Number(number) => format!("the number {}", number.as_str().chars().take(40).collect::<String>()),
        Value::String(text) if text.chars().count() <= 40 => format!("the text {}", Value::String(text.clone())),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Reads a cell of a field's column; `None`: the field is not given.
///
/// # Errors
/// A sentence that says why the cell cannot be read.
pub(super) fn cell(field: &Field, cell: &str) -> Result<Option<Value>, String> {
    if cell.is_empty() && (field.optional || !matches!(field.kind, FieldKind::Text)) {
        return Ok(None);
    }
    let trimmed = cell.trim();
    Ok(Some(match field.kind {
        FieldKind::Text | FieldKind::Image => Value::String(cell.to_owned()),
        FieldKind::Number => number(trimmed).unwrap_or_else(|| Value::String(cell.to_owned())),
        FieldKind::Flag => flag(trimmed).unwrap_or_else(|| Value::String(cell.to_owned())),
        FieldKind::Json | FieldKind::Chat => {
            json::parse(trimmed).map_err(|fault| format!("column `{}` must hold JSON: {fault}", field.name))?
        }
    }))
}

/// Reads a cell of the column `judgments.NAME`, where a value of `asked` is wanted; `None`: no judgment.
///
/// # Errors
/// Where it begins like JSON and is none.
pub(super) fn judgment_cell(asked: Option<&Type>, cell: &str) -> Result<Option<Value>, String> {
    let trimmed = cell.trim();
    if trimmed.is_empty() {
        return Ok(None);
    }
    if trimmed.starts_with(['[', '{']) {
        return json::parse(trimmed).map(Some);
    }
    let read = match asked.map(|ty| &ty.base) {
        Some(Base::Bool | Base::Items) => flag(trimmed),
        Some(Base::Int { .. } | Base::Score { .. } | Base::Real) => number(trimmed),
        Some(Base::Set(_) | Base::Tally { .. }) if trimmed != "unknown" => {
            Some(Value::Array(vec![Value::String(trimmed.to_owned())]))
        }
        _ => None,
    };
    Ok(Some(read.unwrap_or_else(|| Value::String(trimmed.to_owned()))))
}

/// `true` or `false`, in any case, as spreadsheets write them.
fn flag(text: &str) -> Option<Value> {
    if text.eq_ignore_ascii_case("true") {
        Some(Value::Bool(true))
    } else if text.eq_ignore_ascii_case("false") {
        Some(Value::Bool(false))
    } else {
        None
    }
}

/// A decimal as a JSON number.
fn number(text: &str) -> Option<Value> {
    let text = text.strip_prefix('+').unwrap_or(text);
    text.parse::<serde_json::Number>().ok().map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Role;
    use serde_json::json;

    fn field(kind: FieldKind, optional: bool) -> Field {
        Field { name: "f".into(), role: Role::Input, kind, optional, doc: "".into() }
    }

    #[test]
    fn kinds_hold_what_they_hold() {
        assert!(check(&field(FieldKind::Text, false), &json!("x")).is_ok());
        assert!(check(&field(FieldKind::Text, false), &json!(3)).unwrap_err().contains("the number 3"));
        assert!(check(&field(FieldKind::Flag, false), &json!("true")).unwrap_err().contains("true or false"));
        assert!(check(&field(FieldKind::Chat, false), &json!([{"role": "user", "content": "hi"}])).is_ok());
        assert!(check(&field(FieldKind::Chat, false), &json!([{"role": "user"}])).unwrap_err().contains("turn 1"));
    }

    #[test]
    fn cells_by_kind() {
        assert_eq!(cell(&field(FieldKind::Flag, false), "TRUE"), Ok(Some(json!(true))));
        assert_eq!(cell(&field(FieldKind::Text, false), ""), Ok(Some(json!(""))));
        assert_eq!(cell(&field(FieldKind::Text, true), ""), Ok(None));
        assert_eq!(cell(&field(FieldKind::Number, false), "0.50").unwrap().unwrap().to_string(), "0.50");
        assert!(cell(&field(FieldKind::Json, false), "{").is_err());
    }

    #[test]
    fn judgment_cells_by_type() {
        let read = |ty: &Type, text| judgment_cell(Some(ty), text).unwrap();
        assert_eq!(read(&Type::BOOL, "False"), Some(json!(false)));
        assert_eq!(read(&Type::int(1, 5), "4"), Some(json!(4)));
        assert_eq!(read(&Type::UNIT, "1/3"), Some(json!("1/3")));
        assert_eq!(read(&Type::of(Base::Choice(["1".into(), "2".into()].into())), "1"), Some(json!("1")));
        assert_eq!(read(&Type::int(1, 5), " "), None);
        assert_eq!(read(&Type::int(1, 5), "{\"values\": [1, 2]}"), Some(json!({"values": [1, 2]})));
    }
}
