//! The files of one check: the program, and the libraries that it brings in with `use`.
//!
//! [`Files`] is a [`SourceMap`] with a project root. A used path is relative to the file that uses it and stays inside the
//! root: `..`, absolute paths and symbolic links that lead out are refused. Each file is read once, however it is named.
//! The root is the nearest folder above the program with a `rubric.toml`, else with a `.git`, else the program's own.
//! Tests and editors use [`Files::memory`], a tree of texts that touches no disk.
//!
//! It knows nothing of the language: it neither parses nor follows `use` by itself.

use super::error::{ReadError, UseError};
use super::nearest::did_you_mean;
use super::{FileId, Source, SourceMap};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Larger files are refused (bytes).
pub const LARGEST_FILE: u64 = 64_000_000;

/// How many names of a folder are looked at for a similar one.
const MOST_NAMES: usize = 10_000;

/// Texts that stand in place of files on disk, by canonical path: what an editor has open.
pub type Overlay = Arc<HashMap<PathBuf, Arc<str>>>;

/// A [`SourceMap`] with the project root inside which `use` may read.
#[derive(Debug, Clone)]
pub struct Files {
    map: SourceMap,
    root: Root,
    /// Canonical path (of a memory tree: normal path) of each file.
    loaded: HashMap<PathBuf, FileId>,
    /// The folder of each file, by id, as `loaded` calls it.
    folders: Vec<PathBuf>,
    overlay: Overlay,
}

#[derive(Debug, Clone)]
enum Root {
    /// Canonical.
    Disk(PathBuf),
    Memory,
}

impl Files {
    /// Reads the file at `path`; its project root is where `use` may read.
    ///
    /// # Errors
    /// Where it does not exist, is a folder, is empty, is not UTF-8, is too large or cannot be read.
    pub fn open(path: &Path) -> Result<(Files, FileId), ReadError> {
        let name = path.to_string_lossy();
        let text = read_text(path, &name)?;
        let canonical = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
        let folder = canonical.parent().unwrap_or(Path::new("/")).to_owned();
        let mut files = Files {
            map: SourceMap::new(),
            root: Root::Disk(project_root(&folder)),
            loaded: HashMap::new(),
            folders: Vec::new(),
            overlay: Overlay::default(),
        };
        let id = files.map.add(&name, Some(path), text);
        files.loaded.insert(canonical, id);
        files.folders.push(folder);
        Ok((files, id))
    }

    fn empty(root: Root) -> Files {
        Files { map: SourceMap::new(), root, loaded: HashMap::new(), folders: Vec::new(), overlay: Overlay::default() }
    }

    /// A text in the place of the file at a canonical path, which need not exist; what it uses is taken from `overlay`
    /// where it stands there, and else from disk.
    #[must_use]
    pub fn over(path: &Path, text: &str, overlay: Overlay) -> (Files, FileId) {
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut files = Files { overlay, ..Files::empty(Root::Disk(project_root(&folder))) };
        let id = files.map.add(&path.to_string_lossy(), Some(path), text);
        files.loaded.insert(path.to_owned(), id);
        files.folders.push(folder);
        (files, id)
    }

    /// A text that stands in no file (standard input); `use` is relative to `folder`.
    #[must_use]
    pub fn text(name: &str, folder: &Path, text: String) -> (Files, FileId) {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let root = project_root(&folder);
        let mut files = Files::empty(Root::Disk(root));
        let id = files.map.add(name, None, text);
        files.folders.push(folder);
        (files, id)
    }

    /// A tree of texts by relative path (with `/`), all loaded, ids in the order given. The root is the empty path.
    #[must_use]
    pub fn memory(list: &[(&str, &str)]) -> Files {
        let mut files = Files::empty(Root::Memory);
        for (name, text) in list {
            let id = files.map.add(name, None, *text);
            let path = normal(Path::new(""), name).unwrap_or_else(|| PathBuf::from(name));
            files.folders.push(path.parent().unwrap_or(Path::new("")).to_owned());
            files.loaded.insert(path, id);
        }
        files
    }

    /// The file with another text, as if it stood in its place; its libraries are read anew.
    #[must_use]
    pub fn with_text(&self, id: FileId, text: String) -> (Files, FileId) {
        let mut files = Files { overlay: Arc::clone(&self.overlay), ..Files::empty(self.root.clone()) };
        if matches!(self.root, Root::Memory) {
            // A memory tree has no disk to read from: keep all of it.
            for source in self.map.iter() {
                let text = if source.id == id { text.as_str() } else { source.text() };
                files.map.add(&source.name, None, text);
            }
            files.loaded.clone_from(&self.loaded);
            files.folders.clone_from(&self.folders);
            return (files, id);
        }
        let old = self.map.get(id);
        let name = old.map(|s| s.name.clone()).unwrap_or_default();
        let text = if old.is_some_and(Source::bom) { format!("\u{feff}{text}") } else { text };
        let new = files.map.add(&name, old.and_then(|s| s.path.as_deref()), text);
        files.folders.push(self.folder_of(id));
        if let Some((path, _)) = self.loaded.iter().find(|(_, known)| **known == id) {
            files.loaded.insert(path.clone(), new);
        }
        (files, new)
    }

    /// Brings in the file that `from` calls `path`.
    ///
    /// # Errors
    /// Where the path is absolute or leads out of the project, or the file cannot be read.
    pub fn use_file(&mut self, from: FileId, path: &str) -> Result<FileId, UseError> {
        if Path::new(path).is_absolute() || path.starts_with(['/', '\\']) || path.get(1..3).is_some_and(|p| p == ":\\")
        {
            return Err(UseError::Absolute { path: path.to_owned() });
        }
        let name = self.name_of_used(from, path);
        match self.root.clone() {
            Root::Memory => self.use_memory(from, path, name),
            Root::Disk(root) => self.use_disk(&root, from, path, &name),
        }
    }

    fn use_memory(&self, from: FileId, path: &str, name: String) -> Result<FileId, UseError> {
        let folder = self.folder_of(from);
        let outside = || UseError::Outside { path: path.to_owned(), root: PathBuf::new() };
        let target = normal(&folder, path).ok_or_else(outside)?;
        if let Some(id) = self.loaded.get(&target) {
            return Ok(*id);
        }
        let known: Vec<String> = self.loaded.keys().map(|p| p.to_string_lossy().into_owned()).collect();
        Err(not_found(&name, &target.to_string_lossy(), &known).into())
    }

    fn use_disk(&mut self, root: &Path, from: FileId, path: &str, name: &str) -> Result<FileId, UseError> {
        let outside = || UseError::Outside { path: path.to_owned(), root: root.to_owned() };
        let folder = self.folder_of(from);
        // By the letters first: whether a file outside the project exists is nothing that a program may find out.
        let inside = folder.strip_prefix(root).map_err(|_| outside())?;
        let inside = normal(inside, path).ok_or_else(outside)?;
        let target = folder.join(path);
        let canonical = match target.canonicalize() {
            Ok(canonical) => canonical,
            // Only in the editor so far.
            Err(_) if self.overlay.contains_key(&root.join(&inside)) => root.join(inside),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(not_found_on_disk(&target, name).into());
            }
            Err(source) => return Err(ReadError::Unreadable { path: name.to_owned(), error: source }.into()),
        };
        if !canonical.starts_with(root) {
            return Err(outside());
        }
        if let Some(id) = self.loaded.get(&canonical) {
            return Ok(*id);
        }
        let text = match self.overlay.get(&canonical) {
            Some(text) => text.to_string(),
            None if canonical.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) => {
                let source = std::io::Error::other("it is neither a file nor a folder");
                return Err(ReadError::Unreadable { path: name.to_owned(), error: source }.into());
            }
            None => read_text(&canonical, name)?,
        };
        let id = self.map.add(name, Some(&target), text);
        self.folders.push(canonical.parent().unwrap_or(root).to_owned());
        self.loaded.insert(canonical, id);
        Ok(id)
    }

    /// The file with this id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.map.get(id)
    }

    /// All files, for whoever renders diagnostics.
    #[must_use]
    pub fn map(&self) -> &SourceMap {
        &self.map
    }

    /// The project root; empty of a memory tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        match &self.root {
            Root::Disk(path) => path,
            Root::Memory => Path::new(""),
        }
    }

    /// The (canonical) folder of a loaded file.
    fn folder_of(&self, id: FileId) -> PathBuf {
        self.folders.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// How messages call a used file: as the user would reach it from where the program was named.
    fn name_of_used(&self, from: FileId, path: &str) -> String {
        // By its name, which is how the user would reach it: the path of a library is absolute.
        let named = self.map.get(from).filter(|s| s.path.is_some() || matches!(self.root, Root::Memory));
        let base = named.map_or_else(PathBuf::new, |s| PathBuf::from(&*s.name));
        let joined = base.parent().unwrap_or(Path::new("")).join(path);
        let mut out = PathBuf::new();
        for part in joined.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                    out.pop();
                }
                other => out.push(other),
            }
        }
        if out.as_os_str().is_empty() { ".".to_owned() } else { out.to_string_lossy().into_owned() }
    }
}

/// `folder` (relative to the root) joined with `path`, without `.` and `..`; `None` where it leaves the root.
fn normal(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// The root of the project in which an absolute folder lies: the nearest above it with a `rubric.toml`, else with a `.git`,
/// else the folder itself.
#[must_use]
pub fn project_root(folder: &Path) -> PathBuf {
    let above = |marker: &str| folder.ancestors().find(|a| a.join(marker).exists());
    above("rubric.toml").or_else(|| above(".git")).unwrap_or(folder).to_owned()
}

/// Reads a whole file as text; `name` is what the error calls it.
///
/// # Errors
/// As [`Files::open`].
pub fn read_text(path: &Path, name: &str) -> Result<String, ReadError> {
    let unreadable = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => not_found_on_disk(path, name),
        std::io::ErrorKind::IsADirectory => ReadError::Directory { path: name.to_owned() },
        _ => ReadError::Unreadable { path: name.to_owned(), error: source },
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(ReadError::Directory { path: name.to_owned() });
    }
    read_all(file, name)
}

/// Reads all of a stream as text; `name` is what the error calls it.
///
/// # Errors
/// Where it is empty, too large or not UTF-8, or reading fails.
pub fn read_all(stream: impl Read, name: &str) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let unreadable = |source| ReadError::Unreadable { path: name.to_owned(), error: source };
    stream.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(ReadError::TooLarge { path: name.to_owned(), most: LARGEST_FILE });
    }
    if bytes.is_empty() || bytes == "\u{feff}".as_bytes() {
        return Err(ReadError::Empty { path: name.to_owned() });
    }
    String::from_utf8(bytes).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        ReadError::not_utf8(name, e.as_bytes(), offset)
    })
}

fn not_found(name: &str, wanted: &str, known: &[String]) -> ReadError {
    let help = match did_you_mean(wanted, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "check the path and the spelling".to_owned(),
    };
    ReadError::NotFound { path: name.to_owned(), help }
}

fn not_found_on_disk(path: &Path, name: &str) -> ReadError {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let Ok(entries) = std::fs::read_dir(folder) else {
        let help = format!("the folder `{}` does not exist either", folder.display());
        return ReadError::NotFound { path: name.to_owned(), help };
    };
    let known: Vec<String> =
        entries.take(MOST_NAMES).flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    let bare = format!("{wanted}.rubric");
    if known.contains(&bare) {
        return ReadError::NotFound { path: name.to_owned(), help: format!("did you mean `{name}.rubric`?") };
    }
    not_found(name, &wanted, &known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        dir
    }

    fn error(bytes: &[u8]) -> ReadError {
        let dir = tree(&[("a.rubric", bytes)]);
        Files::open(&dir.path().join("a.rubric")).unwrap_err()
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        assert!(matches!(error(b""), ReadError::Empty { .. }));
        assert!(matches!(error("\u{feff}".as_bytes()), ReadError::Empty { .. }));
    }

    #[test]
    fn the_first_byte_that_is_no_utf8_is_named_by_line_and_column_in_characters() {
        let bytes = [b"rubric \xc3\xa9\r\na".as_slice(), "😀".as_bytes(), b"\xff z"].concat();
        let error = error(&bytes);
        assert!(matches!(error, ReadError::NotUtf8 { line: 2, column: 3, offset: 16, .. }), "{error:?}");
        assert!(error.to_string().contains("line 2, column 3"));
    }

    #[test]
    fn utf16_is_recognised() {
        assert!(error(b"\xff\xfer\0u\0").what_to_do().contains("UTF-16"));
    }

    #[test]
    fn folders_and_missing_files_are_told_apart_and_near_names_offered() {
        let dir = tree(&[("essay.rubric", b"rubric essay")]);
        assert!(matches!(Files::open(dir.path()).unwrap_err(), ReadError::Directory { .. }));
        let near = |name: &str| Files::open(&dir.path().join(name)).unwrap_err().what_to_do();
        assert!(near("esay.rubric").contains("`essay.rubric`"));
        assert!(near("essay").contains("essay.rubric`"));
        assert!(near("none/essay.rubric").contains("folder"));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        let dir = tree(&[("a.rubric", "\u{feff}rubric a\n".as_bytes())]);
        let (files, id) = Files::open(&dir.path().join("a.rubric")).unwrap();
        let source = files.get(id).unwrap();
        assert!(source.bom());
        assert_eq!(source.text(), "rubric a\n");
        assert_eq!(source.position(0).column, 1);
    }

    #[test]
    fn each_file_is_read_once_however_it_is_named() {
        let dir = tree(&[("rubric.toml", b"x"), ("p/a.rubric", b"a"), ("lib/x.rubric", b"x"), ("lib/y.rubric", b"y")]);
        let (mut files, a) = Files::open(&dir.path().join("p/a.rubric")).unwrap();
        assert_eq!(files.root(), dir.path().canonicalize().unwrap());
        let x = files.use_file(a, "../lib/x.rubric").unwrap();
        assert_eq!(files.use_file(a, "./../lib/../lib/x.rubric").unwrap(), x);
        let y = files.use_file(x, "y.rubric").unwrap();
        assert_eq!(files.use_file(y, "x.rubric").unwrap(), x);
        assert_eq!(files.use_file(y, "../p/a.rubric").unwrap(), a);
        assert!(files.get(x).unwrap().name.ends_with("lib/x.rubric"));
        assert!(!files.get(x).unwrap().name.contains(".."));
    }

    /// However deep `use` leads, a file is called as the user would reach it.
    #[test]
    fn a_library_of_a_library_is_named_from_where_the_program_was() {
        let dir =
            tree(&[("rubric.toml", b"x"), ("p/a.rubric", b"a"), ("lib/x.rubric", b"x"), ("lib/in/y.rubric", b"y")]);
        // The folder of the process is nobody's to change in a test, so the program has an absolute name but one with `.`.
        let (mut files, a) = Files::open(&dir.path().join("./p/a.rubric")).unwrap();
        let x = files.use_file(a, "../lib/x.rubric").unwrap();
        let y = files.use_file(x, "in/y.rubric").unwrap();
        assert_eq!(*files.get(y).unwrap().name, *dir.path().join("lib/in/y.rubric").to_string_lossy());
        // One that is given as text stands in the folder; its libraries and theirs have relative names.
        let (mut files, a) = Files::text("<stdin>", &dir.path().join("lib"), "a".to_owned());
        let x = files.use_file(a, "x.rubric").unwrap();
        let y = files.use_file(x, "in/y.rubric").unwrap();
        assert_eq!((&*files.get(x).unwrap().name, &*files.get(y).unwrap().name), ("x.rubric", "in/y.rubric"));
        let error = files.use_file(a, ".").unwrap_err();
        assert!(error.to_string().contains("`.` is a folder"), "{error}");
    }

    #[test]
    fn nothing_outside_the_project_is_read() {
        let dir = tree(&[("p/a.rubric", b"a"), ("secret.rubric", b"s"), ("p/sub/rubric.toml", b"")]);
        let (mut files, a) = Files::open(&dir.path().join("p/a.rubric")).unwrap();
        let mut fails = |path: &str| files.use_file(a, path).unwrap_err();
        assert!(matches!(fails("../secret.rubric"), UseError::Outside { .. }));
        assert!(matches!(fails("../nothing.rubric"), UseError::Outside { .. }));
        assert!(matches!(fails("sub/../../secret.rubric"), UseError::Outside { .. }));
        assert!(matches!(fails("/etc/passwd"), UseError::Absolute { .. }));
        assert!(matches!(fails("C:\\x.rubric"), UseError::Absolute { .. }));
        assert!(matches!(fails("sub"), UseError::Read(ReadError::Directory { .. })));
        assert!(matches!(fails(""), UseError::Read(ReadError::Directory { .. })));
        assert!(matches!(fails("nul\0l"), UseError::Read(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_does_not_lead_out_of_the_project() {
        let dir = tree(&[("p/a.rubric", b"a"), ("secret.rubric", b"s"), ("p/in.rubric", b"i")]);
        std::os::unix::fs::symlink("../secret.rubric", dir.path().join("p/out.rubric")).unwrap();
        std::os::unix::fs::symlink("in.rubric", dir.path().join("p/also.rubric")).unwrap();
        std::os::unix::fs::symlink("loop.rubric", dir.path().join("p/loop.rubric")).unwrap();
        let (mut files, a) = Files::open(&dir.path().join("p/a.rubric")).unwrap();
        assert!(matches!(files.use_file(a, "out.rubric"), Err(UseError::Outside { .. })));
        let inside = files.use_file(a, "in.rubric").unwrap();
        assert_eq!(files.use_file(a, "also.rubric").unwrap(), inside);
        assert!(matches!(files.use_file(a, "loop.rubric"), Err(UseError::Read(_))));
    }

    #[test]
    fn what_an_editor_has_open_stands_in_the_place_of_files() {
        let dir = tree(&[("rubric.toml", b"x"), ("a.rubric", b"a"), ("lib/x.rubric", b"old")]);
        let root = dir.path().canonicalize().unwrap();
        let texts = [("lib/x.rubric", "new"), ("unsaved.rubric", "fresh")];
        let overlay: Overlay = Arc::new(texts.iter().map(|(n, t)| (root.join(n), Arc::from(*t))).collect());
        let (mut files, a) = Files::over(&root.join("a.rubric"), "text", overlay);
        let x = files.use_file(a, "lib/x.rubric").unwrap();
        let unsaved = files.use_file(x, "../unsaved.rubric").unwrap();
        assert_eq!([a, x, unsaved].map(|id| files.get(id).unwrap().text().to_owned()), ["text", "new", "fresh"]);
        assert!(files.use_file(a, "none.rubric").is_err());
        let (mut again, a) = files.with_text(a, "other".to_owned());
        let x = again.use_file(a, "lib/x.rubric").unwrap();
        assert_eq!(again.get(x).unwrap().text(), "new");
    }

    #[test]
    fn a_tree_in_memory_behaves_like_one_on_disk() {
        let mut files = Files::memory(&[("a.rubric", "a"), ("lib/x.rubric", "x")]);
        let a = FileId(0);
        assert_eq!(files.use_file(a, "lib/x.rubric").unwrap(), FileId(1));
        assert_eq!(files.use_file(FileId(1), "../a.rubric").unwrap(), a);
        assert!(matches!(files.use_file(a, "../a.rubric"), Err(UseError::Outside { .. })));
        let error = files.use_file(a, "lib/y.rubric").unwrap_err();
        assert!(error.what_to_do().contains("lib/x.rubric"), "{error} {}", error.what_to_do());
    }
}
