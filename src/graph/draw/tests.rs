//! The pictures, by structure.

use super::super::testing::sample;
use super::*;

#[test]
fn the_tree_reads_from_the_sink_to_the_questions() {
    let wanted = r#"sample
A sample.

safe: at most 0.25 when harmful  score[0..1]
├─ quality: the weighted mean of these  score[0..1]  (observed)
│  ├─ [+3] brought to 0 … 1  score[0..1]  (quality.1)
│  │  └─ accurate: “How "accurate" is it? {{x}}”  int[1..5]
│  └─ [+2] points met, of all that can be earned  score[0..1]  (quality.2)
│     ├─ [+10] care.red_flags: “Names the signs of danger”  bool
│     └─ [+4] care.2: “Is kind”  bool
└─ when: harmful: “Does it do harm?”  bool

What comes out
  pointwise: safe as it is
  pairwise: the one whose safe is more than 1/3 higher, else by accurate, else no answer
"#;
    assert_eq!(text(&sample()), wanted);
}

#[test]
fn labels_cannot_break_out_of_their_quotes() {
    let mut program = sample();
    program.checklists[0].groups[0].text = "a \"b\" ]) |x| --> `c` \\".into();
    program.nodes[1].name = "ha\"]; n9[\"x".into();
    for (drawn, escapes) in [(dot(&program), true), (mermaid(&program), false)] {
        for line in drawn.lines() {
            let mut quotes = 0;
            let mut chars = line.chars();
            while let Some(c) = chars.next() {
                match c {
                    '\\' if escapes => _ = chars.next(),
                    '"' => quotes += 1,
                    _ => {}
                }
            }
            assert_eq!(quotes % 2, 0, "{line}");
        }
        assert!(drawn.contains("é") || !drawn.contains('\r'));
    }
}

#[test]
fn every_node_and_edge_is_drawn_once_and_items_stand_in_their_frames() {
    let drawn = mermaid(&sample());
    assert_eq!(drawn.lines().filter(|l| l.contains("-->") || l.contains("-.->")).count(), 9);
    assert!(
        drawn.contains("subgraph f0[\"care\"]\n  n3[\"care.2<br/>Is kind<br/>bool\"]\n  subgraph f1[\"Safety\"]\n")
    );
    assert!(drawn.contains("n7{{\"safe"), "a gate has its own shape");
    let drawn = dot(&sample());
    assert!(drawn.starts_with("digraph \"sample\" {") && drawn.ends_with("}\n"));
    assert_eq!(drawn.matches("subgraph cluster_").count(), 2);
    assert_eq!(drawn.matches('{').count() - drawn.matches("{{x}}").count() * 2, 3);
    let json: serde_json::Value = serde_json::from_str(&json(&sample())).unwrap();
    assert_eq!(json["marks"].as_array().map(Vec::len), Some(10));
    assert_eq!(json["arrows"].as_array().map(Vec::len), Some(9));
}

#[test]
fn long_chains_are_drawn_in_linear_time() {
    use super::super::testing::{input, operator};
    use crate::catalog::{Op, Params};
    let mut program = sample();
    for at in 7..20_007_u32 {
        let op = operator(
            &format!("c{at}"),
            crate::types::Type::UNIT,
            Op::Invert,
            &[("x", vec![input(at)])],
            Params::default(),
        );
        program.nodes.push(op);
    }
    program.sink = NodeId(20_007);
    program.readouts.iter_mut().for_each(|r| r.source = NodeId(20_007));
    let drawn = text(&program);
    assert!(drawn.lines().count() > 20_000 && drawn.len() < 5_000_000, "{}", drawn.len());
}
