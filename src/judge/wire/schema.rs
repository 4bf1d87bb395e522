//! A schema that many requests carry: its text is written once, because counting tokens and telling calls apart need it too.

use serde_json::Value as Json;
use std::ops::Deref;
use std::sync::Arc;

/// A JSON schema with its text. Cheap to copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema(Arc<Written>);

#[derive(Debug, PartialEq)]
struct Written {
    json: Json,
    text: String,
}

impl Schema {
    /// As it stands in a request: JSON without blanks.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl From<Json> for Schema {
    fn from(json: Json) -> Schema {
        let text = json.to_string();
        Schema(Arc::new(Written { json, text }))
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
