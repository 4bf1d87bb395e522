//! Applying every safe fix of a file until none is left.

use super::{Opened, check_files};
use crate::diagnostics::fixes;
use std::collections::HashSet;

/// How often a file is mended and checked again: a fix may uncover another.
const MOST_PASSES: usize = 10;

/// A file after its fixes.
#[derive(Debug, Clone)]
pub struct Fixed {
    /// The file as it is now, checked.
    pub opened: Opened,
    /// How many fixes were applied; at 0 the text is as it was.
    pub applied: usize,
}

/// Applies the safe fixes of the file that was named (not of libraries that it uses), again and again until none is left. A pass after which there
/// would be more errors than before is taken back, and is the last.
#[must_use]
pub fn fix(opened: Opened) -> Fixed {
    let mut fixed = Fixed { opened, applied: 0 };
    let mut seen = HashSet::new();
    for _ in 0..MOST_PASSES {
        let now = &fixed.opened;
        let Some(source) = now.files.get(now.file) else { break };
        let Some(mended) = fixes::apply_safe(source, &now.diagnostics) else { break };
        if !seen.insert(blake3::hash(mended.text.as_bytes())) {
            break;
        }
        let (files, file) = now.files.with_text(now.file, mended.text);
        let next = check_files(files, file);
        if next.counts().0 > now.counts().0 {
            break;
        }
        fixed = Fixed { opened: next, applied: fixed.applied + mended.applied };
    }
    fixed
}
