//! One function per request: the editor's words in, plain data from [`crate::ide`], the protocol's JSON out.

use super::convert;
use super::rename;
#[cfg(debug_assertions)]
use super::worker::Job;
use super::worker::{Failure, Worker};
use crate::format;
use crate::ide::colour::{Colour, colours};
use crate::ide::complete::{What, complete};
use crate::ide::names::{self, Kind};
use crate::ide::outline::{self, Symbol};
use crate::ide::{Snapshot, hover};
use crate::project;
use crate::source::{Source, Span};
use lsp_server::{ErrorCode, Request};
use lsp_types as lsp;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

type Answer = Result<Json, Failure>;

/// Makes a request fail as an unforeseen fault would, where a test asks for it by the name of the request.
#[cfg(debug_assertions)]
pub(super) fn fail_for_tests(method: &str) {
    if std::env::var_os("RUBRIC_LSP_FAIL").is_some_and(|wanted| wanted == method) {
        std::panic::resume_unwind(Box::new("asked for by a test"));
    }
}

/// Makes the worker itself die at a hover, where a test asks for it: what no analysis can do that is caught.
#[cfg(debug_assertions)]
pub(super) fn fail_worker_for_tests(job: &Job) {
    if matches!(job, Job::Request(request) if request.method == "textDocument/hover") {
        fail_for_tests("worker");
    }
}

/// Keeps the check of a text that says so waiting as long as there is the file that a test names.
#[cfg(debug_assertions)]
pub(super) fn wait_for_tests(text: &str) {
    let Some(file) = std::env::var_os("RUBRIC_LSP_WAIT").filter(|_| text.contains("// wait for the test")) else {
        return;
    };
    while std::path::Path::new(&file).exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Answers a request.
pub(super) fn answer(worker: &Worker, request: &Request) -> Answer {
    #[cfg(debug_assertions)]
    fail_for_tests(&request.method);
    match request.method.as_str() {
        "textDocument/completion" => completion(worker, request),
        "textDocument/hover" => hovered(worker, request),
        "textDocument/signatureHelp" => signature(worker, request),
        "textDocument/definition" => definition(worker, request),
        "textDocument/references" => references(worker, request),
        "textDocument/documentHighlight" => highlights(worker, request),
        "textDocument/prepareRename" => prepare_rename(worker, request),
        "textDocument/rename" => {
            let params: lsp::RenameParams = read(request)?;
            let (uri, snapshot, offset) = place(worker, &params.text_document_position)?;
            drop(snapshot);
            rename::rename(worker, &uri, offset, params.new_name.trim())
        }
        "textDocument/documentSymbol" => symbols(worker, request),
        "workspace/symbol" => workspace_symbols(worker, request),
        "textDocument/codeAction" => actions(worker, request),
        "textDocument/codeLens" => lenses(worker, request),
        "textDocument/inlayHint" => hints(worker, request),
        "textDocument/foldingRange" => folds(worker, request),
        "textDocument/formatting" => formatting(worker, request),
        "textDocument/semanticTokens/full" => tokens(worker, request),
        other => Err((ErrorCode::MethodNotFound, format!("`{other}` is not known here"))),
    }
}

fn read<T: DeserializeOwned>(request: &Request) -> Result<T, Failure> {
    let wrong = |error| (ErrorCode::InvalidParams, format!("`{}`: {error}", request.method));
    serde_json::from_value(request.params.clone()).map_err(wrong)
}

fn nothing() -> (ErrorCode, String) {
    (ErrorCode::InternalError, "the text is gone".to_owned())
}

/// The address of the text that a request is about.
fn uri(request: &Request) -> Result<String, Failure> {
    let uri = request.params.pointer("/textDocument/uri").and_then(Json::as_str);
    uri.map(str::to_owned).ok_or_else(|| (ErrorCode::InvalidParams, "`textDocument.uri` is missing".to_owned()))
}

fn place(worker: &Worker, at: &lsp::TextDocumentPositionParams) -> Result<(String, Snapshot, u32), Failure> {
    let uri = at.text_document.uri.as_str().to_owned();
    let snapshot = worker.snapshot(&uri)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let offset = source.offset(at.position.line, at.position.character, worker.encoding);
    Ok((uri, snapshot, offset))
}

fn completion(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::CompletionParams = read(request)?;
    let (_, snapshot, offset) = place(worker, &params.text_document_position)?;
    let item = |p: &crate::ide::complete::Proposal| {
        let kind = match p.what {
            What::Keyword => 14,
            What::Operator | What::Function | What::Procedure => 3,
            What::Type => 25,
            What::Parameter => 10,
            What::Value => 20,
            What::Name(kind) => match kind {
                Kind::Field => 5,
                Kind::Scale => 25,
                Kind::Define => 3,
                Kind::Library => 9,
                _ => 6,
            },
        };
        let mut item = json!({ "label": p.word, "kind": kind });
        if let Some(item) = item.as_object_mut() {
            if !p.detail.is_empty() {
                item.insert("detail".to_owned(), p.detail.clone().into());
            }
            if !p.doc.is_empty() {
                item.insert("documentation".to_owned(), json!({ "kind": "markdown", "value": p.doc }));
            }
        }
        item
    };
    Ok(complete(&snapshot, offset).iter().map(item).collect())
}

fn hovered(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::HoverParams = read(request)?;
    let (uri, snapshot, offset) = place(worker, &params.text_document_position_params)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let (document, _) = worker.document(&uri)?;
    let reach = |name: &str| document.verdicts.reach.get(name).cloned();
    let Some(found) = hover::hover(&snapshot, offset, &reach) else { return Ok(Json::Null) };
    Ok(json!({
        "contents": { "kind": "markdown", "value": found.markdown },
        "range": convert::range(source, found.span, worker.encoding),
    }))
}

fn signature(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::SignatureHelpParams = read(request)?;
    let (_, snapshot, offset) = place(worker, &params.text_document_position_params)?;
    let Some(found) = hover::signature(&snapshot, offset) else { return Ok(Json::Null) };
    let parameters: Vec<Json> = found
        .parameters
        .iter()
        .filter_map(|(start, end)| found.label.get(*start..*end))
        .map(|part| json!({ "label": part }))
        .collect();
    let doc = json!({ "kind": "markdown", "value": found.doc });
    let signature = json!({ "label": found.label, "documentation": doc, "parameters": parameters });
    Ok(json!({ "signatures": [signature], "activeSignature": 0, "activeParameter": found.active }))
}

fn definition(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::GotoDefinitionParams = read(request)?;
    let (uri, snapshot, offset) = place(worker, &params.text_document_position_params)?;
    let all = names::occurrences(&snapshot);
    let Some(found) = names::at(&all, snapshot.opened.file, offset) else { return Ok(Json::Null) };
    let Some(source) = snapshot.opened.files.get(found.target.file) else { return Ok(Json::Null) };
    let address = match &source.path {
        _ if source.id == snapshot.opened.file => uri,
        Some(path) => convert::address(&convert::canonical(path)),
        None => return Ok(Json::Null),
    };
    Ok(json!({ "uri": address, "range": convert::range(source, found.target, worker.encoding) }))
}

fn references(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::ReferenceParams = read(request)?;
    let (uri, snapshot, offset) = place(worker, &params.text_document_position)?;
    let declaration = params.context.include_declaration;
    let (Some((_, target)), Some(path)) = (rename::target(&snapshot, offset), convert::path(&uri)) else {
        // A text that was never saved has only itself.
        return own(worker, &snapshot, offset, |range| json!({ "uri": uri, "range": range }));
    };
    let project = rename::project(&path, &worker.overlay());
    let mut found = Vec::new();
    for (path, source, places) in project.named(&target) {
        let address = convert::address(path);
        for place in places.iter().filter(|o| declaration || !o.declares()) {
            found.push(json!({ "uri": address, "range": convert::range(source, place.span, worker.encoding) }));
        }
    }
    Ok(found.into())
}

/// The places in the text itself that name what stands at a byte.
fn own(worker: &Worker, snapshot: &Snapshot, offset: u32, show: impl Fn(lsp::Range) -> Json) -> Answer {
    let source = snapshot.source().ok_or_else(nothing)?;
    let all = names::occurrences(snapshot);
    let Some(found) = names::at(&all, source.id, offset) else { return Ok(json!([])) };
    let same = all.iter().filter(|o| o.target == found.target && o.span.file == source.id);
    Ok(same.map(|o| show(convert::range(source, o.span, worker.encoding))).collect())
}

fn highlights(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::DocumentHighlightParams = read(request)?;
    let (_, snapshot, offset) = place(worker, &params.text_document_position_params)?;
    own(worker, &snapshot, offset, |range| json!({ "range": range }))
}

fn prepare_rename(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::TextDocumentPositionParams = read(request)?;
    let (_, snapshot, offset) = place(worker, &params)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let all = names::occurrences(&snapshot);
    let Some(found) = names::at(&all, source.id, offset) else { return Ok(Json::Null) };
    Ok(json!({ "range": convert::range(source, found.span, worker.encoding), "placeholder": source.slice(found.span) }))
}

fn symbol_kind(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Field) => 8,
        Some(Kind::Scale) => 10,
        Some(Kind::Criterion | Kind::Item) => 22,
        Some(Kind::Checklist | Kind::Group) => 5,
        Some(Kind::Define) => 12,
        Some(Kind::Library) => 2,
        Some(Kind::Readout) => 11,
        Some(Kind::Node | Kind::Parameter) => 13,
        None => 24,
    }
}

fn symbols(worker: &Worker, request: &Request) -> Answer {
    let snapshot = worker.snapshot(&uri(request)?)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    Ok(outline::symbols(&snapshot).iter().map(|s| document_symbol(source, s, worker)).collect())
}

fn document_symbol(source: &Source, symbol: &Symbol, worker: &Worker) -> Json {
    let children: Vec<Json> = symbol.children.iter().map(|s| document_symbol(source, s, worker)).collect();
    json!({
        "name": symbol.name,
        "detail": symbol.detail,
        "kind": symbol_kind(symbol.kind),
        // The name must lie inside.
        "range": convert::range(source, symbol.span.to(symbol.selection), worker.encoding),
        "selectionRange": convert::range(source, symbol.selection, worker.encoding),
        "children": children,
    })
}

fn workspace_symbols(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::WorkspaceSymbolParams = read(request)?;
    let query = params.query.to_lowercase();
    let overlay = worker.overlay();
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for path in worker.documents.keys().filter_map(|uri| convert::path(uri)) {
        for (path, snapshot) in rename::project(&path, &overlay).files {
            let Some(source) = snapshot.source().filter(|_| seen.insert(path.clone())) else { continue };
            let address = convert::address(&path);
            let symbols = outline::symbols(&snapshot);
            for symbol in symbols.iter().flat_map(|s| std::iter::once(s).chain(&s.children)) {
                if symbol.name.to_lowercase().contains(&query) {
                    let range = convert::range(source, symbol.selection, worker.encoding);
                    found.push(json!({
                        "name": symbol.name,
                        "kind": symbol_kind(symbol.kind),
                        "location": { "uri": address, "range": range },
                    }));
                }
            }
        }
    }
    Ok(found.into())
}

fn actions(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::CodeActionParams = read(request)?;
    let uri = params.text_document.uri.as_str();
    let (document, opened) = worker.document(uri)?;
    let source = opened.files.get(opened.file).ok_or_else(nothing)?;
    let wanted = |kind: &str| {
        let only = params.context.only.as_ref();
        only.is_none_or(|only| only.iter().any(|o| kind == o.as_str() || kind.starts_with(&format!("{}.", o.as_str()))))
    };
    let at = |p: lsp::Position| source.offset(p.line, p.character, worker.encoding);
    let (from, to) = (at(params.range.start), at(params.range.end));
    let mut found = Vec::new();
    for diagnostic in opened.diagnostics.iter().chain(&document.verdicts.diagnostics) {
        let span = diagnostic.span();
        let Some(fix) = &diagnostic.fix else { continue };
        let here = span.file == source.id && span.start <= to && from <= span.end;
        let whole = fix.edits.iter().all(|e| e.span.file == source.id);
        if here && whole && wanted("quickfix") {
            found.push(json!({
                "title": fix.title,
                "kind": "quickfix",
                "isPreferred": fix.safe,
                "diagnostics": [convert::diagnostic(&opened.files, diagnostic, uri, worker.encoding)],
                "edit": { "changes": { uri: convert::edits(source, &fix.edits, worker.encoding) } },
            }));
        }
    }
    let safe = opened.diagnostics.iter().filter_map(|d| d.fix.as_ref()).any(|fix| fix.safe);
    if safe && wanted("source.fixAll") {
        let fixed = project::fix(opened.clone());
        if let Some(text) = fixed.opened.files.get(fixed.opened.file).filter(|_| fixed.applied > 0) {
            let edit = json!({ "range": convert::whole(source, worker.encoding), "newText": text.text() });
            found.push(json!({
                "title": "mend everything that has one good fix",
                "kind": "source.fixAll",
                "edit": { "changes": { uri: [edit] } },
            }));
        }
    }
    Ok(found.into())
}

fn lenses(worker: &Worker, request: &Request) -> Answer {
    let uri = uri(request)?;
    let snapshot = worker.snapshot(&uri)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let (document, _) = worker.document(&uri)?;
    let lens = |span: Span| {
        let title = document.verdicts.lenses.get(&span.start)?;
        let range = convert::range(source, Span { end: span.start, ..span }, worker.encoding);
        Some(json!({ "range": range, "command": { "title": title, "command": "" } }))
    };
    Ok(outline::lenses(&snapshot).into_iter().filter_map(lens).collect())
}

fn hints(worker: &Worker, request: &Request) -> Answer {
    let params: lsp::InlayHintParams = read(request)?;
    let snapshot = worker.snapshot(params.text_document.uri.as_str())?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let at = |p: lsp::Position| source.offset(p.line, p.character, worker.encoding);
    let (from, to) = (at(params.range.start), at(params.range.end));
    let hint = |(offset, label): (u32, String)| {
        let (line, character) = source.place(offset, worker.encoding);
        json!({ "position": { "line": line, "character": character }, "label": label, "kind": 1 })
    };
    Ok(outline::hints(&snapshot).into_iter().filter(|(at, _)| (from..=to).contains(at)).map(hint).collect())
}

fn folds(worker: &Worker, request: &Request) -> Answer {
    let snapshot = worker.snapshot(&uri(request)?)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let fold = |(first, last, comment): (usize, usize, bool)| {
        let mut fold = json!({ "startLine": first - 1, "endLine": last - 1 });
        if let Some(fold) = fold.as_object_mut().filter(|_| comment) {
            fold.insert("kind".to_owned(), "comment".into());
        }
        fold
    };
    Ok(outline::folds(source).into_iter().map(fold).collect())
}

fn formatting(worker: &Worker, request: &Request) -> Answer {
    let (_, opened) = worker.document(&uri(request)?)?;
    let source = opened.files.get(opened.file).ok_or_else(nothing)?;
    // A text with errors is left alone; its diagnostics say why.
    match format::format(source) {
        Ok(text) if text == source.text() => Ok(json!([])),
        Ok(text) => Ok(json!([{ "range": convert::whole(source, worker.encoding), "newText": text }])),
        Err(_) => Ok(Json::Null),
    }
}

/// Five numbers per token: lines and columns since the one before, length, type, whether it declares. A token of several
/// lines is one per line.
fn tokens(worker: &Worker, request: &Request) -> Answer {
    let snapshot = worker.snapshot(&uri(request)?)?;
    let source = snapshot.source().ok_or_else(nothing)?;
    let mut data: Vec<u32> = Vec::new();
    let mut last = (0, 0);
    for (span, colour, declares) in colours(&snapshot) {
        let mut start = span.start as usize;
        for line in source.slice(span).split('\n') {
            let text = line.trim_end_matches('\r');
            let at = Span::new(source.id, start, start + text.len());
            start += line.len() + 1;
            let range = convert::range(source, at, worker.encoding);
            if range.end.character <= range.start.character {
                continue;
            }
            let now = (range.start.line, range.start.character);
            let column = if now.0 == last.0 { now.1.saturating_sub(last.1) } else { now.1 };
            let length = range.end.character - range.start.character;
            data.extend([now.0 - last.0, column, length, token_type(colour), u32::from(declares)]);
            last = now;
        }
    }
    Ok(json!({ "data": data }))
}

/// The place of a colour in `TOKEN_TYPES`.
fn token_type(colour: Colour) -> u32 {
    match colour {
        Colour::Keyword => 0,
        Colour::Comment => 1,
        Colour::Text => 2,
        Colour::Number => 3,
        Colour::Operator => 4,
        Colour::Type | Colour::Name(Kind::Scale) => 5,
        Colour::Function | Colour::Name(Kind::Define) => 6,
        Colour::Argument | Colour::Name(Kind::Parameter) => 7,
        Colour::Name(Kind::Criterion | Kind::Checklist | Kind::Node) => 8,
        Colour::Name(Kind::Field) => 9,
        Colour::Name(Kind::Item | Kind::Group) => 10,
        Colour::Name(Kind::Library) => 11,
        Colour::Name(Kind::Readout) => 12,
    }
}
