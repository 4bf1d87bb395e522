//! Builds the parser of `grammar/rubric.lalrpop` into the output directory of the build.

use std::error::Error;

/// Writes `rubric.rs`.
pub fn write() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=grammar/rubric.lalrpop");
    let out = std::env::var("OUT_DIR")?;
    lalrpop::Configuration::new().set_in_dir("grammar").set_out_dir(out).emit_rerun_directives(false).process()
}
