//! Tree-sitter's tree, reduced to what the compiler's tree has a place for.
//!
//! Brackets and lists of arguments have no place of their own in the compiler's tree, and signs of numbers belong to the number
//! where no sum can stand; everything else is compared as it is.

use crate::Node;
use crate::cli::Raw;

/// Kinds that are passed through: their parts belong to what is around.
const OPEN: &[&str] = &[
    "header",
    "record",
    "body",
    "checklist_body",
    "parameters",
    "clauses",
    "property",
    "test_body",
    "assignments",
    "arguments",
    "judge",
    "below",
    "placeholder",
];

/// Kinds without a place in the compiler's tree.
const LEFT_OUT: &[&str] = &["comment", "doc_comment", "content", "raw_content", "escape", "bound"];

/// Kinds of which the compiler keeps the place, and the meaning elsewhere.
const LEAVES: &[&str] = &["type_expression", "label", "points", "field"];

pub fn tree(raw: &Raw, text: &str) -> Node {
    let whole = (0, text.len());
    Node { kind: "file".to_owned(), range: whole, children: parts(raw, text) }
}

fn parts(raw: &Raw, text: &str) -> Vec<Node> {
    let mut all: Vec<Node> = raw.children.iter().flat_map(|child| node(child, raw, text)).collect();
    all.sort_by_key(|n| n.range.0);
    all
}

fn node(raw: &Raw, parent: &Raw, text: &str) -> Vec<Node> {
    let kind = raw.kind.as_str();
    let field = raw.field.as_deref();
    // Numbers without a place: the index of a key or of a list, the most of a tally.
    let placeless = matches!(field, Some("index" | "most"))
        || parent.kind == "index" && matches!(kind, "number" | "negative_number" | "positive_number");
    if LEFT_OUT.contains(&kind) || placeless {
        return Vec::new();
    }
    if OPEN.contains(&kind) {
        return parts(raw, text);
    }
    let one = |kind: &str, children: Vec<Node>| vec![Node { kind: kind.to_owned(), range: raw.range, children }];
    match kind {
        _ if LEAVES.contains(&kind) || raw.children.is_empty() && kind != "name" => one(kind, Vec::new()),
        "name" if parent.kind == "level_statement" && field == Some("value") || parent.kind == "confidence" => {
            let name = one("name", Vec::new());
            one("path", name)
        }
        "name" => one("name", Vec::new()),
        "negative_number" if parent.kind == "level_statement" => one("unary -", parts(raw, text)),
        "negative_number" | "positive_number" => one("number", Vec::new()),
        "binary_expression" | "confidence" => one(&format!("binary {}", operator(raw, text)), parts(raw, text)),
        "unary_expression" => {
            let sign = if text[raw.range.0..].starts_with('-') { "unary -" } else { "unary not" };
            one(sign, parts(raw, text))
        }
        // The compiler reads this one as a type, whatever it is called with.
        "call" if is_ordinal(raw, text) => one("type_expression", Vec::new()),
        _ => one(kind, parts(raw, text)),
    }
}

/// What stands between both sides, comments aside.
fn operator(raw: &Raw, text: &str) -> String {
    let sides: Vec<&Raw> = raw.children.iter().filter(|c| c.field.is_some()).collect();
    let [left, .., right] = sides.as_slice() else { panic!("{raw:?}") };
    let between = &text[left.range.1..right.range.0];
    between.lines().map(|line| line.split("//").next().unwrap_or("").trim()).collect()
}

fn is_ordinal(raw: &Raw, text: &str) -> bool {
    let is = |c: &Raw| c.field.as_deref() == Some("operator") && &text[c.range.0..c.range.1] == "ordinal";
    raw.children.iter().any(is) && raw.children.iter().all(|c| c.field.as_deref() != Some("table"))
}
