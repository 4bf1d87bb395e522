//! Images of records: addresses of the web and `data:` addresses as they are, files as `data:` addresses.
//!
//! A file is looked for in the folder of the records, cannot lie outside of it, and is told by its first bytes, whatever its
//! name says; so nothing but an image is ever sent.

use super::show::ReadImage;
use base64::Engine as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file, in bytes: what the large providers take.
const LARGEST: u64 = 20 * 1024 * 1024;

/// Reads images from a folder.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

impl ReadImage for Folder {
    fn address(&self, written: &str) -> Result<Arc<str>, String> {
        let written = written.trim();
        if ["https://", "http://", "data:image/"].iter().any(|start| written.starts_with(start)) {
            return Ok(written.into());
        }
        let bytes = read(&self.0, written)?;
        let Some(kind) = kind(&bytes) else {
            return Err(format!("`{written}` is no PNG, JPEG, GIF or WebP image"));
        };
        Ok(format!("data:image/{kind};base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes)).into())
    }
}

fn read(folder: &Path, written: &str) -> Result<Vec<u8>, String> {
    let cannot =
        |error: &std::io::Error| format!("the image `{written}` cannot be read: {}", crate::source::in_words(error));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let root = folder.canonicalize().map_err(|error| cannot(&error))?;
    let path = root.join(written).canonicalize().map_err(|error| cannot(&error))?;
    if !path.starts_with(&root) {
        return Err(format!("the image `{written}` lies outside of the folder of the records"));
    }
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(|error| cannot(&error))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("the image `{written}` is larger than {} MB", LARGEST / 1024 / 1024));
    }
    Ok(bytes)
}

/// What an image's first bytes say it is.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_inside_the_folder_are_sent() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("data");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.txt"), b"\x89PNG and so on").unwrap();
        std::fs::write(folder.join("b.png"), b"no image").unwrap();
        std::fs::write(outer.path().join("c.png"), b"\x89PNG").unwrap();
        let read = |written| Folder(folder.clone()).address(written);
        assert!(read("a.txt").unwrap().starts_with("data:image/png;base64,iVBOR"));
        assert!(read("b.png").unwrap_err().contains("is no PNG"));
        assert!(read("../c.png").unwrap_err().contains("outside"));
        assert!(read("d.png").unwrap_err().contains("cannot be read"));
        assert_eq!(&*read("https://example.org/x.png").unwrap(), "https://example.org/x.png");
    }
}
