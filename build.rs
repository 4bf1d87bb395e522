//! Builds the parser and lists the pages of the diagnostic codes.

#[path = "build/pages.rs"]
mod pages;
#[path = "build/parser.rs"]
mod parser;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    parser::write()?;
    pages::write()
}
