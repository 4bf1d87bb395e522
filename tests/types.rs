//! Types as text: what a type prints is read back as that type.

use proptest::prelude::*;
use rubric_lang::diagnostics::Sink;
use rubric_lang::number::Number;
use rubric_lang::resolve::types::resolve_type;
use rubric_lang::source::{FileId, Source};
use rubric_lang::syntax::parse_type;
use rubric_lang::types::{Base, Labels, Type};
use std::sync::Arc;

fn label_lists() -> impl Strategy<Value = Labels> {
    proptest::collection::btree_set("[a-z][a-z0-9_]{0,6}|[ -~]{1,8}|not|rest|größer|A\\+", 2..5).prop_map(|set| {
        let list = set.into_iter().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty() && l != "unknown");
        let mut list: Vec<Arc<str>> = list.map(Arc::from).collect();
        list.sort();
        list.dedup();
        while list.len() < 2 {
            list.push(format!("more{}", list.len()).into());
        }
        list.into()
    })
}

fn types() -> impl Strategy<Value = Type> {
    let int = (-1_000_i64..1_000, 1_i64..1_000)
        .prop_map(|(lo, w)| Base::Int { lo: Number::int(lo), hi: Number::int(lo + w) });
    let score = (-1_000_i64..1_000, 1_i64..1_000).prop_filter_map("a decimal that ends", |(lo, w)| {
        let at = |n: i64| Number::ratio(n, 1_000);
        Some(Base::Score { lo: at(lo)?, hi: at(lo + w)? })
    });
    let base = prop_oneof![
        Just(Base::Bool),
        int,
        score,
        label_lists().prop_map(Base::Ordinal),
        label_lists().prop_map(Base::Choice),
        label_lists().prop_map(Base::Set),
        (label_lists(), 1_u32..500).prop_map(|(labels, max)| Base::Tally { labels, max }),
    ];
    (base, any::<bool>()).prop_map(|(base, optional)| Type { base, optional })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_printed_type_is_read_back(ty in types()) {
        let text = ty.to_string();
        let source = Source::new(FileId(0), "type", None, text.clone());
        let mut sink = Sink::new();
        let tree = parse_type(&source, &mut sink);
        let read = resolve_type(&tree, &|_| None, &mut sink);
        prop_assert_eq!(read.as_ref(), Some(&ty), "{} {:?}", text, sink.finish());
    }
}
