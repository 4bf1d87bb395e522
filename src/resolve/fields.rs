//! The fields of a program: inputs, references and the parts of its candidate; and whether libraries ask for the same ones.

use super::scope::{DeclId, DeclKind, Scopes, TAKEN, second_candidate};
use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::graph::FieldId;
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{Field, FieldKind, Role};
use foldhash::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The fields of the program, and which declaration stands for which.
#[derive(Debug, Default)]
pub struct Fields {
    pub list: Vec<Field>,
    /// The declaration of each field: of the candidate for its parts.
    pub decls: Vec<DeclId>,
    /// Of the candidate declaration; empty where there is none.
    pub candidate: Arc<str>,
    by_name: HashMap<Arc<str>, FieldId>,
}

impl Fields {
    /// Collects the fields of the first unit and compares those of the others with them.
    pub fn new(scopes: &Scopes<'_>, sink: &mut Sink) -> Fields {
        let mut fields = Fields::default();
        let mut candidate: Option<Span> = None;
        for (at, decl) in scopes.decls.iter().enumerate().filter(|(_, d)| d.unit == 0) {
            let doc = decl.item.doc.as_ref().map_or_else(|| Arc::from(""), |d| Arc::clone(&d.text));
            match decl.kind {
                DeclKind::Field(role, ty) => {
                    let kind = kind(ty, sink);
                    fields.push(Arc::clone(&decl.name), role_of(role), kind, ty.optional, doc, DeclId(at));
                }
                DeclKind::Candidate(body) => {
                    if let Some(first) = candidate {
                        sink.push(second_candidate(decl.span, first));
                        continue;
                    }
                    candidate = Some(decl.span);
                    fields.candidate = Arc::clone(&decl.name);
                    fields.candidate(&decl.name, body, &doc, DeclId(at), sink);
                }
                _ => {}
            }
        }
        fields.need_candidate(scopes, candidate, sink);
        fields.compare_libraries(scopes, sink);
        fields
    }

    fn push(&mut self, name: Arc<str>, role: Role, kind: Option<FieldKind>, optional: bool, doc: Arc<str>, by: DeclId) {
        let id = FieldId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        // A field of an unknown kind has been reported; it goes on as a text, so that its name is known.
        let kind = kind.unwrap_or(FieldKind::Text);
        self.by_name.insert(Arc::clone(&name), id);
        self.list.push(Field { name, role, kind, optional, doc });
        self.decls.push(by);
    }

    fn candidate(&mut self, name: &Arc<str>, body: &ast::CandidateBody, doc: &Arc<str>, by: DeclId, sink: &mut Sink) {
        match body {
            ast::CandidateBody::Single(ty) => {
                let kind = kind(ty, sink);
                self.push(Arc::clone(name), Role::Candidate, kind, ty.optional, Arc::clone(doc), by);
            }
            ast::CandidateBody::Record(parts) => {
                let mut first: HashMap<&str, Span> = HashMap::default();
                for (part, ty) in parts {
                    let kind = kind(ty, sink);
                    if TAKEN.contains(&&*part.text) {
                        sink.push(
                            Diagnostic::error(
                                Code::TAKEN_NAME,
                                part.span,
                                format!("`{}` cannot be a part of a candidate", part.text),
                                "records keep this word for themselves",
                            )
                            .help("choose another name"),
                        );
                    }
                    if let Some(earlier) = first.insert(&part.text, part.span) {
                        sink.push(
                            Diagnostic::error(
                                Code::DUPLICATE_NAME,
                                part.span,
                                format!("the candidate has two parts called `{}`", part.text),
                                "the second one",
                            )
                            .also(earlier, "the first one")
                            .help("give one of them another name"),
                        );
                        continue;
                    }
                    let full: Arc<str> = format!("{name}.{}", part.text).into();
                    self.push(full, Role::Candidate, kind, ty.optional, Arc::clone(doc), by);
                }
            }
        }
    }

    fn need_candidate(&self, scopes: &Scopes<'_>, found: Option<Span>, sink: &mut Sink) {
        let Some(scope) = scopes.scopes.first() else { return };
        let tree = &scope.unit.tree;
        let broken = scope.lost || tree.items.iter().any(|item| item.poisoned) || tree.name.is_none();
        if found.is_some() || broken || tree.kind == ast::FileKind::Library {
            return;
        }
        let span = tree.name.as_ref().map_or(tree.span, |name| name.span);
        sink.push(
            Diagnostic::error(
                Code::CANDIDATE_COUNT,
                span,
                "the program does not say what is judged",
                "no `candidate` is declared",
            )
            .help("declare it, for example `candidate answer: text`"),
        );
    }

    /// One diagnostic for each library that asks for fields which are not there, at the `use` that brings it in.
    fn compare_libraries(&self, scopes: &Scopes<'_>, sink: &mut Sink) {
        let mut wrong: BTreeMap<usize, Vec<(Span, String, String)>> = BTreeMap::new();
        for decl in scopes.decls.iter().filter(|d| d.unit != 0) {
            let Some(short) = decl.name.rsplit('.').next() else { continue };
            let mut compare = |name: &str, role: Role, ty: &ast::FieldType, span: Span| {
                let Some(kind) = kind(ty, sink) else { return };
                let asked = described(role, kind, ty.optional);
                let label = match self.find(name).and_then(|id| self.get(id)) {
                    None => format!("{asked}, which the program does not have"),
                    Some(field) if (field.role, field.kind, field.optional) == (role, kind, ty.optional) => return,
                    Some(field) => {
                        format!("{asked}, but {} in the program", described(field.role, field.kind, field.optional))
                    }
                };
                wrong.entry(decl.unit).or_default().push((span, name.to_owned(), label));
            };
            match decl.kind {
                DeclKind::Field(role, ty) => compare(short, role_of(role), ty, decl.span),
                DeclKind::Candidate(ast::CandidateBody::Single(ty)) => compare(short, Role::Candidate, ty, decl.span),
                DeclKind::Candidate(ast::CandidateBody::Record(parts)) => {
                    for (part, ty) in parts {
                        compare(&format!("{short}.{}", part.text), Role::Candidate, ty, part.span);
                    }
                }
                _ => {}
            }
        }
        for (unit, fields) in wrong {
            let Some(brought) = scopes.scopes.get(unit).and_then(|s| s.unit.brought) else { continue };
            let names: Vec<String> = fields.iter().map(|(_, name, _)| format!("`{name}`")).collect();
            let found = Diagnostic::error(
                Code::LIBRARY_FIELD,
                brought,
                format!("the program does not have {} as this library needs it", names.join(", ")),
                "brought in here",
            )
            .help("declare the fields of a library in the program too, in the same way");
            sink.push(fields.into_iter().take(20).fold(found, |d, (span, _, label)| d.also(span, label)));
        }
    }

    /// The field of that name (`answer`, `pair.response1`).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FieldId> {
        self.by_name.get(name).copied()
    }

    #[must_use]
    pub fn get(&self, id: FieldId) -> Option<&Field> {
        self.list.get(id.0 as usize)
    }
}

/// A field in words: an input `text?`.
fn described(role: Role, kind: FieldKind, optional: bool) -> String {
    let words = match role {
        Role::Input => "an input",
        Role::Reference => "a reference",
        Role::Candidate => "the candidate",
    };
    format!("{words} `{}{}`", kind.word(), if optional { "?" } else { "" })
}

fn role_of(role: ast::FieldRole) -> Role {
    match role {
        ast::FieldRole::Input => Role::Input,
        ast::FieldRole::Reference => Role::Reference,
    }
}

fn kind(ty: &ast::FieldType, sink: &mut Sink) -> Option<FieldKind> {
    let word = &*ty.kind.text;
    if let Some(kind) = FieldKind::from_word(word) {
        return Some(kind);
    }
    let known = FieldKind::ALL.map(FieldKind::word);
    let meant = match word {
        "string" | "str" | "String" | "markdown" => Some("text"),
        "bool" | "boolean" => Some("flag"),
        "int" | "float" | "integer" | "score" => Some("number"),
        "list" | "object" | "dict" | "array" | "any" => Some("json"),
        "messages" | "dialogue" | "conversation" => Some("chat"),
        "picture" | "img" | "photo" => Some("image"),
        _ => did_you_mean(word, known),
    };
    let found = Diagnostic::error(
        Code::UNKNOWN_FIELD_KIND,
        ty.kind.span,
        format!("`{word}` is not a kind of field"),
        "not known",
    );
    sink.push(match meant {
        Some(meant) => found
            .help(format!("did you mean `{meant}`? Kinds are `text`, `chat`, `json`, `number`, `flag` and `image`"))
            .suggestion(format!("write `{meant}`"), vec![Edit::new(ty.kind.span, meant)]),
        None => found.help("kinds are `text`, `chat`, `json`, `number`, `flag` and `image`"),
    });
    None
}
