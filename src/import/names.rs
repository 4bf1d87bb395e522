//! Names from foreign identifiers: what can be a name stays as it is; everything else is made one, and stays unique.

use std::collections::HashSet;

/// Gives out names that are unique within one namespace.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

/// Words that no declaration may be called by.
const TAKEN: [&str; 11] = [
    "pointwise",
    "pairwise",
    "listwise",
    "first",
    "second",
    "others",
    "id",
    "candidates",
    "judgments",
    "rest",
    "rubric",
];

impl Names {
    #[must_use]
    pub fn new() -> Names {
        Names::default()
    }

    /// A name as near to `foreign` as a name can be: other characters become `_`, a leading digit gets `n_` before it, and
    /// a name that is taken gets a number.
    pub fn take(&mut self, foreign: &str) -> String {
        let name = name_of(foreign);
        let mut unique = name.clone();
        let mut n = 2_usize;
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{n}");
            n += 1;
        }
        unique
    }
}

/// The name that `foreign` becomes, uniqueness apart.
#[must_use]
pub fn name_of(foreign: &str) -> String {
    let mut name: String =
        foreign.trim().chars().map(|c| if c.is_alphanumeric() && c.is_ascii() { c } else { '_' }).collect();
    let bare = name.trim_matches('_').to_owned();
    if bare.is_empty() {
        return "item".to_owned();
    }
    name = bare;
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "n_");
    }
    if TAKEN.contains(&name.as_str()) || !crate::types::is_bare_label(&name) {
        name.push('_');
    }
    name
}
