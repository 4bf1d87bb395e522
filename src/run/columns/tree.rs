//! The schema of a file as a tree of what its rows hold, with the levels at which each part is there (Dremel; Melnik and others,
//! 2010): a definition level says how much of the way to a leaf exists, a repetition level which list goes on.
//!
//! Lists and maps follow the rules of the format for files of older writers. A column whose values have no JSON of their own
//! (intervals, geometry) is refused when the file is opened.

use super::cell::Kind;
use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::Type;

/// Deeper schemas are refused; JSON is read to that depth too.
const DEEPEST: usize = 100;

/// A part of a row.
#[derive(Debug)]
pub(super) struct Node {
    pub shape: Shape,
    /// It may be null.
    pub optional: bool,
    /// The definition level from which on it is there.
    pub def: i16,
    /// Its leaves: the first, and the one behind the last.
    pub leaves: (usize, usize),
}

#[derive(Debug)]
pub(super) enum Shape {
    Leaf(Kind),
    Struct(Vec<(String, Node)>),
    /// `def` is the definition level from which on there is an element, `rep` the level at which the next one comes.
    List {
        element: Box<Node>,
        def: i16,
        rep: i16,
    },
    Map {
        key: Box<Node>,
        value: Option<Box<Node>>,
        def: i16,
        rep: i16,
    },
}

/// Reads the schema of a file.
///
/// # Errors
/// A sentence that names the column.
pub(super) fn read(root: &Type) -> Result<Node, String> {
    let mut builder = Builder { leaf: 0 };
    let place = Place { def: 0, rep: 0, path: String::new(), depth: 0 };
    builder.group(root, &place).map(|shape| builder.node(shape, false, 0, 0))
}

struct Builder {
    /// The number of the next leaf.
    leaf: usize,
}

/// Where in the tree something stands.
#[derive(Clone)]
struct Place {
    def: i16,
    rep: i16,
    path: String,
    depth: usize,
}

impl Place {
    fn of(&self, ty: &Type) -> Place {
        let path = if self.path.is_empty() { ty.name().to_owned() } else { format!("{}.{}", self.path, ty.name()) };
        Place { path, depth: self.depth + 1, ..self.clone() }
    }

    /// Within a repeated field.
    fn repeated(&self) -> Place {
        Place { def: self.def + 1, rep: self.rep + 1, ..self.clone() }
    }
}

impl Builder {
    fn node(&self, shape: Shape, optional: bool, def: i16, first: usize) -> Node {
        Node { shape, optional, def, leaves: (first, self.leaf) }
    }

    /// A field of a struct, of whatever repetition.
    fn field(&mut self, ty: &Type, parent: &Place) -> Result<Node, String> {
        let mut place = parent.of(ty);
        if place.depth > DEEPEST {
            return Err(format!("the column `{}` is nested too deeply", place.path));
        }
        let first = self.leaf;
        match repetition(ty) {
            // Of older writers: a field that is repeated by itself is a list.
            Repetition::REPEATED => {
                let inner = place.repeated();
                let shape = self.inner(ty, &inner)?;
                let element = Box::new(self.node(shape, false, inner.def, first));
                let list = Shape::List { element, def: inner.def, rep: inner.rep };
                Ok(self.node(list, false, place.def, first))
            }
            repetition => {
                let optional = repetition == Repetition::OPTIONAL;
                place.def += i16::from(optional);
                let shape = self.inner(ty, &place)?;
                Ok(self.node(shape, optional, place.def, first))
            }
        }
    }

    /// What a field holds once it is there.
    fn inner(&mut self, ty: &Type, place: &Place) -> Result<Shape, String> {
        if ty.is_primitive() {
            self.leaf += 1;
            return Kind::of(ty).map(Shape::Leaf).map_err(|what| {
                format!("the column `{}` is {what}, which is not read; leave it out, or write it as text", place.path)
            });
        }
        let info = ty.get_basic_info();
        let is_list =
            matches!(info.logical_type_ref(), Some(LogicalType::List)) || info.converted_type() == ConvertedType::LIST;
        let is_map = matches!(info.logical_type_ref(), Some(LogicalType::Map))
            || matches!(info.converted_type(), ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE);
        match ty.get_fields() {
            [entries] if is_list && repetition(entries) == Repetition::REPEATED => self.list(ty, entries, place),
            [entries] if is_map && entries.is_group() && repetition(entries) == Repetition::REPEATED => {
                self.map(entries, place)
            }
            _ => self.group(ty, place),
        }
    }

    fn list(&mut self, list: &Type, entries: &Type, place: &Place) -> Result<Shape, String> {
        let inner = place.of(entries).repeated();
        let first = self.leaf;
        let wrapped = match (entries.is_group(), entries) {
            (true, group) => match group.get_fields() {
                [only]
                    if group.name() != "array"
                        && group.name() != format!("{}_tuple", list.name())
                        && repetition(only) != Repetition::REPEATED =>
                {
                    Some(only)
                }
                _ => None,
            },
            (false, _) => None,
        };
        let element = match wrapped {
            Some(element) => self.field(element, &inner)?,
            None => {
                let shape = self.inner(entries, &inner)?;
                self.node(shape, false, inner.def, first)
            }
        };
        Ok(Shape::List { element: Box::new(element), def: inner.def, rep: inner.rep })
    }

    fn map(&mut self, entries: &Type, place: &Place) -> Result<Shape, String> {
        let inner = place.of(entries).repeated();
        let (key, value) = match entries.get_fields() {
            [key] => (self.field(key, &inner)?, None),
            [key, value] => (self.field(key, &inner)?, Some(Box::new(self.field(value, &inner)?))),
            _ => return Err(format!("the map `{}` has neither one nor two parts", place.path)),
        };
        if !matches!(key.shape, Shape::Leaf(_)) {
            return Err(format!(
                "the keys of the map `{}` are no single values, so that JSON has none for them",
                place.path
            ));
        }
        Ok(Shape::Map { key: Box::new(key), value, def: inner.def, rep: inner.rep })
    }

    fn group(&mut self, ty: &Type, place: &Place) -> Result<Shape, String> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        for field in ty.get_fields() {
            if fields.iter().any(|(name, _)| name == field.name()) {
                return Err(format!("two columns are named `{}`; rename one", place.of(field).path));
            }
            fields.push((field.name().to_owned(), self.field(field, place)?));
        }
        if fields.is_empty() {
            let what = if place.path.is_empty() {
                "it has no columns".to_owned()
            } else {
                format!("the struct `{}` is empty", place.path)
            };
            return Err(what);
        }
        Ok(Shape::Struct(fields))
    }
}

/// The root of a schema has none.
fn repetition(ty: &Type) -> Repetition {
    let info = ty.get_basic_info();
    if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED }
}
