//! Links within the documentation: the file is there, and so is the heading.

use super::docs;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The places that a page has (`#like-this`) and the links in it.
fn read(text: &str) -> (BTreeSet<String>, Vec<String>) {
    let (mut places, mut links) = (BTreeSet::new(), Vec::new());
    let mut heading: Option<(HeadingLevel, String)> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                if let Some((_, title)) = heading.take() {
                    let plain: String = title
                        .to_lowercase()
                        .chars()
                        .filter_map(|c| match c {
                            ' ' => Some('-'),
                            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                            _ => None,
                        })
                        .collect();
                    places.insert(plain);
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.into_string()),
            Event::Text(said) | Event::Code(said) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&said);
                }
            }
            _ => {}
        }
    }
    (places, links)
}

fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![root.join("README.md")];
    pages(&docs(), &mut all);
    let read: BTreeMap<PathBuf, (BTreeSet<String>, Vec<String>)> =
        all.into_iter().map(|path| (path.clone(), read(&std::fs::read_to_string(&path).unwrap()))).collect();
    let (mut faults, mut checked) = (Vec::new(), 0);
    for (page, (places, links)) in &read {
        for link in links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            checked += 1;
            let (file, place) = link.split_once('#').map_or((link.as_str(), None), |(file, place)| (file, Some(place)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            if !target.exists() {
                faults.push(format!("{}: `{link}` leads nowhere", page.display()));
                continue;
            }
            let Some(place) = place else { continue };
            let target = target.canonicalize().unwrap();
            let there = match read.get(&target) {
                _ if file.is_empty() => places.contains(place),
                Some((places, _)) => places.contains(place),
                None => false,
            };
            if !there {
                faults.push(format!("{}: there is no heading for `{link}`", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 60, "only {checked} links were found");
}
