//! Readouts in JSON.

use super::super::written::{label, literal};
use super::super::{Program, Readout, ReadoutKind, Tie};
use super::operation::{constant, rounding_word};
use super::{number, object, single, text, type_text};
use crate::types::Type;
use serde_json::Value as Json;

/// A readout as an object: `mode`, `name`, `source`, `kind`, and the parameters of that kind.
pub(in crate::graph) fn readout(program: &Program, readout: &Readout) -> Json {
    let source = program.node(readout.source);
    let ty = source.map_or(Type::BOOL, |n| n.ty.clone());
    let mut pairs = vec![
        ("mode", Some(text(readout.mode.word()))),
        ("name", readout.name.as_deref().map(text)),
        ("source", source.map(|n| text(&n.name))),
    ];
    match &readout.kind {
        ReadoutKind::Native => pairs.push(("kind", Some(text("native")))),
        ReadoutKind::Rescale => {
            pairs.push(("kind", Some(text("rescale"))));
            pairs.push(("to", type_text(&readout.ty.clone().known())));
        }
        ReadoutKind::Quantize { mode } => {
            pairs.push(("kind", Some(text("quantize"))));
            pairs.push(("to", type_text(&readout.ty.clone().known())));
            pairs.push(("rounding", Some(text(rounding_word(*mode)))));
        }
        ReadoutKind::Bands(bands) => {
            let word = |rank| label(rank, &readout.ty).as_deref().map(text);
            let rows = bands
                .iter()
                .filter(|b| b.below.is_some())
                .map(|band| object([("below", band.below.as_ref().map(number)), ("label", word(band.label))]));
            pairs.push(("kind", Some(text("bands"))));
            pairs.push(("bands", Some(rows.collect())));
            pairs.push(("rest", bands.iter().find(|b| b.below.is_none()).and_then(|b| word(b.label))));
        }
        ReadoutKind::Pass { at } => {
            pairs.push(("kind", Some(text("pass"))));
            pairs.push(("at", literal(at, &ty).map(|l| constant(&l))));
        }
        ReadoutKind::Prefer { margin, tie: by } => {
            pairs.push(("kind", Some(text("prefer"))));
            pairs.push(("margin", Some(number(margin))));
            pairs.push(("tie", Some(tie(program, by))));
        }
        ReadoutKind::Ranking { tie: by } => {
            pairs.push(("kind", Some(text("ranking"))));
            pairs.push(("tie", Some(tie(program, by))));
        }
        ReadoutKind::Best { margin, tie: by } => {
            pairs.push(("kind", Some(text("best"))));
            pairs.push(("margin", Some(number(margin))));
            pairs.push(("tie", Some(tie(program, by))));
        }
    }
    object(pairs)
}

fn tie(program: &Program, tie: &Tie) -> Json {
    match tie {
        Tie::Tie => text("tie"),
        Tie::Abstain => text("abstain"),
        Tie::First => text("first"),
        Tie::ById => text("by_id"),
        Tie::By { keys, tie } => {
            let names = keys.iter().filter_map(|id| program.node(*id)).map(|n| text(&n.name)).collect();
            let mut out = single("by", names);
            if let Json::Object(map) = &mut out {
                map.insert("else".into(), text(if *tie { "tie" } else { "abstain" }));
            }
            out
        }
    }
}
