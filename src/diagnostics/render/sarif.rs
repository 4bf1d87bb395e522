//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>), one run. Columns count characters from 1. Rules carry
//! their page as Markdown, so that a viewer shows it without a network; `helpUri` would have to be absolute.

use super::{Batch, Spot, word};
use crate::diagnostics::{Code, Diagnostic, Fix, Label, pages};
use crate::source::SourceMap;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(super) fn render(batches: &[Batch<'_>]) -> String {
    let all = || batches.iter().flat_map(|b| b.diagnostics.iter().map(|d| (b.map, d)));
    let mut codes: BTreeMap<Code, usize> = all().map(|(_, d)| (d.code, 0)).collect();
    for (index, slot) in codes.values_mut().enumerate() {
        *slot = index;
    }
    let results: Vec<Value> = all().map(|(map, d)| result(map, d, codes.get(&d.code).copied().unwrap_or(0))).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "rubric",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes.keys().map(|code| rule(*code)).collect::<Vec<Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(code: Code) -> Value {
    let mut rule = Map::new();
    rule.insert("id".into(), json!(code.to_string()));
    rule.insert("shortDescription".into(), json!({ "text": non_empty(code.title()) }));
    if let Some(page) = pages::page(code) {
        rule.insert("help".into(), json!({ "text": page, "markdown": page }));
    }
    rule.into()
}

fn result(map: &SourceMap, d: &Diagnostic, rule: usize) -> Value {
    let mut text = d.headline.clone();
    if let Some(help) = &d.help {
        text.push_str(". ");
        text.push_str(help);
    }
    let mut result = Map::new();
    result.insert("ruleId".into(), json!(d.code.to_string()));
    result.insert("ruleIndex".into(), json!(rule));
    result.insert("level".into(), json!(word(d.severity)));
    result.insert("message".into(), json!({ "text": non_empty(&text) }));
    let location = |label: &Label, id: Option<usize>| location(map, label, id, d.pointer.as_deref());
    let first: Vec<Value> = d.labels.iter().take(1).filter_map(|l| location(l, None)).collect();
    let others: Vec<Value> =
        d.labels.iter().skip(1).enumerate().filter_map(|(i, l)| location(l, Some(i + 1))).collect();
    result.insert("locations".into(), first.into());
    if !others.is_empty() {
        result.insert("relatedLocations".into(), others.into());
    }
    if let Some(fix) = d.fix.as_ref().and_then(|fix| fix_object(map, fix)) {
        result.insert("fixes".into(), json!([fix]));
    }
    result.into()
}

fn location(map: &SourceMap, label: &Label, id: Option<usize>, pointer: Option<&str>) -> Option<Value> {
    let mut location = Map::new();
    if let Some(id) = id {
        location.insert("id".into(), json!(id));
    }
    let spot = Spot::of(map, label.span)?;
    location.insert(
        "physicalLocation".into(),
        json!({ "artifactLocation": { "uri": uri(&spot.source.name) }, "region": region(&spot) }),
    );
    if let Some(pointer) = pointer.filter(|_| id.is_none()) {
        location.insert("logicalLocations".into(), json!([{ "fullyQualifiedName": pointer }]));
    }
    if !label.text.is_empty() {
        location.insert("message".into(), json!({ "text": label.text }));
    }
    Some(location.into())
}

fn region(spot: &Spot<'_>) -> Value {
    json!({
        "startLine": spot.start.line,
        "startColumn": spot.start.column,
        "endLine": spot.end.line,
        "endColumn": spot.end.column,
    })
}

fn fix_object(map: &SourceMap, fix: &Fix) -> Option<Value> {
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        let spot = Spot::of(map, edit.span)?;
        let replacement = json!({ "deletedRegion": region(&spot), "insertedContent": { "text": edit.text } });
        files.entry(&spot.source.name).or_default().push(replacement);
    }
    let changes: Vec<Value> = files
        .into_iter()
        .map(|(name, replacements)| json!({ "artifactLocation": { "uri": uri(name) }, "replacements": replacements }))
        .collect();
    (!changes.is_empty()).then(|| json!({ "description": { "text": fix.title }, "artifactChanges": changes }))
}

/// A file name as a URI reference: absolute paths as `file:///…`, others relative, with what a URI cannot hold escaped.
fn uri(name: &str) -> String {
    let mut out = String::from(if name.starts_with('/') { "file://" } else { "" });
    for byte in name.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        let byte = if byte == b'\\' { b'/' } else { byte };
        if plain || byte == b'/' {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A text that SARIF demands not to be empty.
fn non_empty(text: &str) -> &str {
    if text.is_empty() { "(no text)" } else { text }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_become_uris() {
        assert_eq!(uri("a b/é%.rubric"), "a%20b/%C3%A9%25.rubric");
        assert_eq!(uri("/tmp/a.rubric"), "file:///tmp/a.rubric");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
