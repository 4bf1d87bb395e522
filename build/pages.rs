//! Lists the pages of `docs/codes/` for `diagnostics::pages`, so that a new page needs no further line of code.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Writes `pages.rs` into the output directory: number and text of each page, in order.
pub(crate) fn write() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=docs/codes");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("docs/codes");
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let digits = name.strip_prefix('R').and_then(|n| n.strip_suffix(".md"));
        let Some(number) = digits.and_then(|d| d.parse::<u16>().ok()) else { continue };
        pages.push((number, path));
    }
    pages.sort();
    let mut text = String::from("static PAGES: &[(u16, &str)] = &[\n");
    for (number, path) in pages {
        writeln!(text, "    ({number}, include_str!({path:?})),")?;
    }
    text.push_str("];\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("pages.rs"), text)?;
    Ok(())
}
