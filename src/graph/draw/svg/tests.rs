//! The drawn graph: no boxes overlap, arrows end at boxes, words stay inside of them, hostile text stays text.

use super::*;
use std::path::Path;

fn program(text: &str) -> std::sync::Arc<Program> {
    crate::project::open_text("p.rubric", Path::new("."), text.to_owned()).program.expect("it has no errors")
}

const SMALL: &str = "rubric small\ncandidate answer: text\ncriterion good: int[1..5] \"Is it <b>good</b> & \\\"right\\\"?\"\n\
    criterion harmful: bool \"Is it harmful?\"\nchecklist care {\n  group a \"A group\" {\n    +3 x \"One\"\n    -2 y \"Two\"\n  }\n}\n\
    reduce quality = weighted_mean(normalize(good) weight 3, clamp(points(care), to: score[0..1]) weight 2)\n\
    gate final = cap(quality, at: 0.2) when harmful\nreadout pointwise = final\n";

#[test]
fn a_picture_is_xml_with_escaped_words() {
    let drawn = svg(&program(SMALL));
    assert_eq!(drawn, svg(&program(SMALL)));
    assert!(drawn.contains("&lt;b&gt;good&lt;/b&gt; &amp; &quot;right&quot;"), "{drawn}");
    assert!(!drawn.contains("<b>"));
    // Every tag that is opened is closed.
    let opened = drawn.matches("<g").count() + drawn.matches("<text").count() + drawn.matches("<title").count();
    let closed = drawn.matches("</g>").count() + drawn.matches("</text>").count() + drawn.matches("</title>").count();
    assert_eq!(opened, closed);
}

#[test]
fn what_is_nested_is_folded_and_weights_stand_on_arrows() {
    let scene = scene::scene(&picture(&program(SMALL)));
    let titles: Vec<&str> = scene.cards.iter().map(|card| card.title.as_str()).collect();
    assert_eq!(titles, ["good", "harmful", "quality", "final", "pointwise", "care"]);
    let links: Vec<(&str, &str, &str, bool)> = scene
        .links
        .iter()
        .map(|link| (titles[link.from], titles[link.to], link.label.as_str(), link.condition))
        .collect();
    assert!(links.contains(&("good", "quality", "3", false)), "{links:?}");
    assert!(links.contains(&("care", "quality", "2", false)), "{links:?}");
    assert!(links.contains(&("harmful", "final", "when", true)), "{links:?}");
    assert_eq!(links.len(), 5);
}

#[test]
fn a_large_checklist_is_one_box_with_some_rows() {
    let items: String = (0..300).map(|n| format!("  +1 i{n} \"Statement {n}\"\n")).collect();
    let text = format!(
        "rubric large\ncandidate answer: text\nchecklist care {{\n{items}}}\nreduce share = fraction(care)\nreadout pointwise = share\n"
    );
    let drawn = svg(&program(&text));
    assert!(drawn.contains("… and 286 more") && drawn.len() < 20_000, "{}", drawn.len());
}

#[test]
fn words_fit_their_boxes() {
    let long = "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww".repeat(3);
    for words in [long.as_str(), "", "a", "日本語の長い文章です".repeat(12).as_str(), &"some words ".repeat(40)]
    {
        let lines = lines(words);
        assert!(lines.len() <= LINES);
        assert!(lines.iter().all(|line| wide(line, false) <= WIDEST + 12.0), "{lines:?}");
    }
}

#[test]
fn a_record_is_shown_in_the_picture() {
    let program = program(SMALL);
    let place = |name: &str| program.nodes.iter().position(|node| &*node.name == name).expect("it is there");
    let mut said = Said { record: "Record r1.".to_owned(), ..Said::default() };
    said.values.insert(place("final"), "0.2".to_owned());
    said.values.insert(place("care.x"), "true".to_owned());
    said.way.extend([place("harmful"), place("final")]);
    said.fired.insert(place("final"));
    let drawn = svg_of_record(&program, &said);
    assert!(drawn.contains(">0.2</text>") && drawn.contains("✓ +3 One"), "{drawn}");
    assert!(drawn.contains("Record r1. Fired: final.</desc>"), "{drawn}");
    let class = |name: &str| {
        let at = drawn.find(&format!("data-n=\"{}\"", place(name))).expect("a box");
        drawn[..at].rsplit("class=\"").next().unwrap_or("").to_owned()
    };
    assert!(class("final").starts_with("card gate sink on fired"), "{}", class("final"));
    assert!(class("harmful").starts_with("card criterion on") && class("good").starts_with("card criterion off"));
}
