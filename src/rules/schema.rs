//! JSON Schemas for `json_matches`: loaded and compiled when the program is checked.
//!
//! A schema never reaches out: references must lie inside it. Its patterns run on the linear-time `regex` engine, so no
//! candidate's text can make a check hang.

use serde_json::Value as Json;
use std::sync::Arc;

/// A compiled schema and its text in canonical form.
#[derive(Debug, Clone)]
pub(super) struct Schema {
    pub text: Arc<str>,
    validator: Arc<jsonschema::Validator>,
}

impl Schema {
    /// Compiles the text of a schema.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn new(text: &str) -> Result<Schema, String> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("the schema is not JSON: {e}"))?;
        if !json.is_object() {
            return Err("a JSON schema is an object in braces".to_owned());
        }
        let validator = jsonschema::options()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&json)
            .map_err(|e| format!("the schema cannot be used: {e}"))?;
        Ok(Schema { text: json.to_string().into(), validator: Arc::new(validator) })
    }

    pub fn is_valid(&self, json: &Json) -> bool {
        self.validator.is_valid(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_compiled_and_used() {
        let schema =
            Schema::new(r#"{"type": "object", "required": ["a"], "properties": {"a": {"multipleOf": 0.1}}}"#).unwrap();
        assert!(schema.is_valid(&json!({"a": 1})));
        assert!(!schema.is_valid(&json!({"b": 1})));
        let parsed: Json = serde_json::from_str(r#"{"a": 0.3}"#).unwrap();
        assert!(schema.is_valid(&parsed));
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for (text, part) in [
            ("nope", "not JSON"),
            ("[]", "object in braces"),
            (r#"{"type": 3}"#, "cannot be used"),
            (r#"{"$ref": "https://example.org/x.json"}"#, "cannot be used"),
            (r#"{"pattern": "(?=x)"}"#, "cannot be used"),
        ] {
            let error = Schema::new(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_does_not_hang() {
        let _ = Schema::new(r##"{"$ref": "#"}"##).map(|s| s.is_valid(&json!(1)));
        let _ = Schema::new(r##"{"anyOf": [{"$ref": "#"}]}"##).map(|s| s.is_valid(&json!(1)));
        let _ = Schema::new(
            r##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##,
        )
        .map(|s| s.is_valid(&json!(1)));
    }
}
