//! Lists the pages of the diagnostic codes.

#[path = "build/pages.rs"]
mod pages;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pages::write()
}
