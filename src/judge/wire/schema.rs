//! A schema that many requests carry: its text is written once, because counting tokens and telling calls apart need it too.

use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::ops::Deref;
use std::sync::Arc;

/// A JSON schema with its text. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Schema(Arc<Written>);

#[derive(Debug)]
struct Written {
    json: Json,
    raw: Box<RawValue>,
}

impl Schema {
    /// As it stands in a request: JSON without blanks.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.raw.get()
    }

    /// The same, to be put into a request as it stands.
    #[must_use]
    pub(super) fn raw(&self) -> &RawValue {
        &self.0.raw
    }
}

impl From<Json> for Schema {
    fn from(json: Json) -> Schema {
        // A value is written as JSON, whatever it is.
        let raw = serde_json::value::to_raw_value(&json).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Schema(Arc::new(Written { json, raw }))
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.json == other.0.json
    }
}

impl Default for Schema {
    /// `null`: plain text, bound to nothing.
    fn default() -> Schema {
        Schema::from(Json::Null)
    }
}

impl Deref for Schema {
    type Target = Json;

    fn deref(&self) -> &Json {
        &self.0.json
    }
}
