//! A text that many requests carry: it is put into JSON once, and digested once for whoever tells calls apart.

use serde_json::value::RawValue;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A text with its JSON. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Fixed(Arc<Written>);

#[derive(Debug)]
struct Written {
    text: Arc<str>,
    raw: Box<RawValue>,
    digest: OnceLock<i64>,
}

impl Fixed {
    /// As it stands in a request: in quotes, with its escapes.
    pub(super) fn raw(&self) -> &RawValue {
        &self.0.raw
    }

    /// Its digest, by `make` where it was not asked for before. Everybody must ask for the same one.
    pub(in crate::judge) fn digest(&self, make: impl FnOnce(&str) -> i64) -> i64 {
        *self.0.digest.get_or_init(|| make(&self.0.text))
    }
}

impl From<Arc<str>> for Fixed {
    fn from(text: Arc<str>) -> Fixed {
        // A text can always be written as JSON.
        let raw = serde_json::value::to_raw_value(&*text).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Fixed(Arc::new(Written { text, raw, digest: OnceLock::new() }))
    }
}

impl From<&str> for Fixed {
    fn from(text: &str) -> Fixed {
        Fixed::from(Arc::<str>::from(text))
    }
}

impl Deref for Fixed {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl PartialEq for Fixed {
    fn eq(&self, other: &Fixed) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}
