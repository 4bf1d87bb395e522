//! The catalogue Λ for a model: a line for each operator, readout, procedure and function, from the one table.

use crate::catalog::Op;
use crate::catalog::functions::FUNCTIONS;
use crate::catalog::procedures::PROCEDURES;
use crate::catalog::readouts::READOUTS;
use crate::catalog::spaces::{FIELD_KINDS, TYPES};
use crate::catalog::table::{Family, ParamInfo};
use std::fmt::Write;

/// All of it.
pub(super) fn text() -> String {
    let mut out = String::from("Types:\n");
    for info in TYPES {
        let _ = writeln!(out, "- `{}`: {}", info.form, info.doc);
    }
    out.push_str("- `T?`: a value of T, or unknown.\n\nKinds of fields:\n");
    for info in FIELD_KINDS {
        let _ = writeln!(out, "- `{}`: {}", info.form, info.doc);
    }
    for family in Family::ALL {
        let _ = writeln!(out, "\n{}:", heading(family));
        for info in Op::ALL.iter().map(|op| op.info()).filter(|info| info.family == family) {
            let _ = write!(out, "- `{}`: {} Yields {}.", info.example, info.doc, info.result);
            parameters(&mut out, info.params);
            out.push('\n');
        }
    }
    out.push_str("\nReadouts:\n");
    for info in READOUTS {
        let _ = write!(out, "- `{}`: {}", info.example, info.doc);
        parameters(&mut out, info.params);
        out.push('\n');
    }
    out.push_str("\nProcedures (`judge …`):\n");
    for info in PROCEDURES {
        let _ = write!(out, "- `{}`: {}", info.example, info.doc);
        parameters(&mut out, info.params);
        out.push('\n');
    }
    out.push_str("\nFunctions of `rule(…)`, over fields:\n");
    for info in FUNCTIONS {
        let _ = writeln!(out, "- `{}`: {} Yields {}.", info.form, info.doc, info.result);
    }
    out
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::Transform => "TRANSFORM, one judgment in, one out",
        Family::Reduce => "REDUCE, several in, one out",
        Family::Gate => "GATE, with `when CONDITION` or `unless CONDITION` behind the call",
        Family::Expression => "Expressions, written without a call",
    }
}

fn parameters(out: &mut String, params: &[ParamInfo]) {
    let shown: Vec<String> = params
        .iter()
        .map(|p| {
            let words = if p.words.is_empty() { p.is.to_owned() } else { p.words.join(" / ") };
            match p.default {
                Some(default) => format!("`{}:` {words} (else {default})", p.name),
                None => format!("`{}:` {words}", p.name),
            }
        })
        .collect();
    if !shown.is_empty() {
        let _ = write!(out, " Parameters: {}.", shown.join("; "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_there_once() {
        let text = text();
        for op in Op::ALL {
            assert_eq!(text.matches(&format!("- `{}`:", op.info().example)).count(), 1, "{op:?}");
        }
        for function in FUNCTIONS {
            assert!(text.contains(function.form), "{}", function.name);
        }
        assert!(text.len() < 32_000, "{} bytes are too many for a prompt", text.len());
    }
}
