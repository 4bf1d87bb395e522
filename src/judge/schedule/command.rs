//! What makes two runs of a verifier the same run: its command, what it is given, and the files that it is made of.
//!
//! Only a verifier whose owner says so (`store = true`) has an identity, because nothing here can see whatever else a program
//! looks at: the clock, the network, variables, a library. What can be seen counts: the program itself, each of its arguments
//! that names a file, and what the owner names in `reads`, files and whole folders. Files are read again once their
//! size or time has changed.

use crate::judge::config::Verifier;
use crate::judge::store::{Identity, Parts};
use crate::judge::wire::{Failure, FailureKind, Usage};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Digests of files, kept for as long as the files stay as they are.
#[derive(Debug, Default)]
pub struct Digests {
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Known {
    length: u64,
    modified: Option<SystemTime>,
    digest: [u8; 32],
}

impl Digests {
    /// The digest of a file's bytes.
    fn file(&self, path: &Path) -> io::Result<[u8; 32]> {
        let about: Metadata = path.metadata()?;
        let (length, modified) = (about.len(), about.modified().ok());
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(path)
            && known.length == length
            && known.modified == modified
            && modified.is_some()
        {
            return Ok(known.digest);
        }
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut File::open(path)?, &mut hasher)?;
        let digest = *hasher.finalize().as_bytes();
        lock().insert(path.to_owned(), Known { length, modified, digest });
        Ok(digest)
    }

    /// What identifies a run of a verifier with this input; `None`: its answers are not stored.
    ///
    /// # Errors
    /// A file that it is said to read cannot be read.
    pub fn identity(&self, name: &str, verifier: &Verifier, input: &Json) -> Option<Result<Identity, Failure>> {
        verifier
            .store
            .then(|| self.of(verifier, input).map(|(files, body)| made(name, verifier, files, &body, input)))
            .map(|found| {
                found.map_err(|(path, error)| Failure {
                    kind: FailureKind::Rejected,
                    detail: format!(
                        "the verifier `{name}` cannot be stored: `{}`, which it is made of, cannot be read: {}",
                        path.display(),
                        crate::source::in_words(&error)
                    ),
                    usage: Usage::default(),
                })
            })
    }

    /// A digest of the files, and the bytes of everything.
    fn of(&self, verifier: &Verifier, input: &Json) -> Result<([u8; 32], Vec<u8>), (PathBuf, io::Error)> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |name: &str, path: &Path| {
            let digest = self.file(path).map_err(|error| (path.to_owned(), error))?;
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&digest);
            Ok(())
        };
        let mut words = verifier.command.iter();
        if let Some(word) = words.next()
            && let Some(path) = program(&verifier.folder, word)
        {
            add(word, &path)?;
        }
        for word in words {
            let path = verifier.folder.join(word);
            if path.is_file() {
                add(word, &path)?;
            }
        }
        for word in &verifier.reads {
            let path = verifier.folder.join(word);
            for entry in walkdir::WalkDir::new(&path).follow_links(true).sort_by_file_name() {
                let entry = entry.map_err(|error| (path.clone(), error.into()))?;
                if entry.file_type().is_file() {
                    let below = entry.path().strip_prefix(&verifier.folder).unwrap_or(entry.path());
                    add(&below.to_string_lossy(), entry.path())?;
                }
            }
        }
        let files = *hasher.finalize().as_bytes();
        let mut body = Vec::new();
        for word in &verifier.command {
            body.extend_from_slice(&(word.len() as u64).to_le_bytes());
            body.extend_from_slice(word.as_bytes());
        }
        body.extend_from_slice(&files);
        body.extend_from_slice(input.to_string().as_bytes());
        Ok((files, body))
    }
}

fn made(name: &str, verifier: &Verifier, files: [u8; 32], body: &[u8], input: &Json) -> Identity {
    let url = format!("command: {}", verifier.command.join(" "));
    Identity::of_command(&url, &format!("verifier {name}"), body, Parts::of_command(&files, input))
}

/// The file of a program: as it stands where it names a folder, else where the system finds it.
fn program(folder: &Path, word: &str) -> Option<PathBuf> {
    if Path::new(word).components().count() > 1 {
        return Some(folder.join(word));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(word)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn whatever_a_verifier_is_made_of_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        write("check.py", "print(1)");
        write("rules.json", "{}");
        write("lib/a.py", "a");
        let verifier = Verifier {
            command: vec!["sh".into(), "check.py".into(), "--strict".into()],
            folder: folder.path().to_owned(),
            timeout: Duration::from_secs(1),
            max_output: 1000,
            allow: true,
            store: true,
            reads: vec!["rules.json".into(), "lib".into()],
        };
        let digests = Digests::default();
        let input = json!({"criterion": "c", "question": "?", "fields": {"answer": "x"}});
        let key = |verifier: &Verifier, input: &Json| digests.identity("v", verifier, input).unwrap().unwrap().key;
        let first = key(&verifier, &input);
        assert_eq!(first, key(&verifier, &input));
        assert_ne!(first, key(&verifier, &json!({"criterion": "c", "question": "?", "fields": {"answer": "y"}})));
        let other = Verifier { command: vec!["sh".into(), "check.py --strict".into()], ..verifier.clone() };
        assert_ne!(first, key(&other, &input));
        // Limits are no part of what it says.
        assert_eq!(first, key(&Verifier { timeout: Duration::from_secs(9), ..verifier.clone() }, &input));
        let mut seen = vec![first];
        for (name, text) in
            [("check.py", "print(2)\n"), ("rules.json", "{\"a\": 1}"), ("lib/a.py", "bb"), ("lib/b.py", "")]
        {
            write(name, text);
            let next = key(&verifier, &input);
            assert!(!seen.contains(&next), "{name}");
            seen.push(next);
        }
        let lost = Verifier { reads: vec!["nothing.json".into()], ..verifier.clone() };
        let failure = digests.identity("v", &lost, &input).unwrap().unwrap_err();
        assert!(failure.kind == FailureKind::Rejected && failure.detail.contains("nothing.json"), "{failure:?}");
        assert!(digests.identity("v", &Verifier { store: false, ..verifier }, &input).is_none());
    }
}
