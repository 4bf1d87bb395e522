//! Property tests: what is printed parses back to the same tree.

use super::ast::*;
use super::print::{print_expr, print_procedure, print_require, print_test, print_type};
use super::{parse_expression, parse_items, parse_type};
use crate::diagnostics::Sink;
use crate::number::Number;
use crate::source::{FileId, Source, Span};
use proptest::prelude::*;

fn source(text: &str) -> Source {
    Source::new(FileId(0), "printed.rubric", None, text)
}

/// A tree without places, depths and parentheses, as text.
fn shape(expr: &Expr) -> String {
    let arg = |a: &Arg| {
        let weight = a.weight.as_deref().map(shape);
        format!("{:?}:{}*{weight:?}", a.name.as_ref().map(|n| &n.text), shape(&a.value))
    };
    match &expr.kind {
        ExprKind::Paren(e) => shape(e),
        ExprKind::Path(p) => p.dotted(),
        ExprKind::Index(p, n) => format!("{}[{n}]", p.dotted()),
        ExprKind::Text(t) => {
            let holes: Vec<(u32, u32)> = t.holes.iter().map(|h| (h.start, h.end)).collect();
            format!("text {:?} {} {holes:?}", t.value, t.raw)
        }
        ExprKind::Type(t) => format!("type {}", type_shape(t)),
        ExprKind::Call { callee, args, table } => {
            let arms: Option<Vec<String>> = table.as_ref().map(|t| {
                let arm = |a: &Arm| {
                    let key = match &a.key {
                        ArmKey::Rest(_) => "rest".to_owned(),
                        ArmKey::Below(e) => format!("below {}", shape(e)),
                        ArmKey::Expr(e) => shape(e),
                    };
                    format!("{key} => {}", shape(&a.value))
                };
                t.arms.iter().map(arm).collect()
            });
            format!("{}({:?}){arms:?}", callee.dotted(), args.iter().map(arg).collect::<Vec<_>>())
        }
        ExprKind::Unary(op, e) => format!("({op:?} {})", shape(e)),
        ExprKind::Binary(op, _, a, b) => format!("({} {op:?} {})", shape(a), shape(b)),
        ExprKind::If { condition, then, otherwise } => {
            format!("(if {} {} {})", shape(condition), shape(then), shape(otherwise))
        }
        ExprKind::List(parts) => format!("{:?}", parts.iter().map(shape).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

fn type_shape(ty: &TypeExpr) -> String {
    let kind = match &ty.kind {
        TypeKind::Named(p) => p.dotted(),
        TypeKind::Range { word, lo, hi } => format!("{} {lo} {hi}", word.text),
        TypeKind::Labels { word, labels, max } => {
            let labels: Vec<_> = labels.iter().map(|l| (&l.text, l.quoted)).collect();
            format!("{} {labels:?} {:?}", word.text, max.as_ref().map(|m| &m.0))
        }
        TypeKind::Error => "error".to_owned(),
    };
    format!("{kind} {}", ty.optional)
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default(), depth: 0 }
}

fn name(text: &str) -> Name {
    Name { text: text.into(), span: Span::default() }
}

fn names() -> impl Strategy<Value = Name> {
    prop_oneof![
        "[a-z][a-z0-9_]{0,5}".prop_map(|s| name(&s)),
        prop::sample::select(vec!["level", "test", "weight_", "rest", "below", "größe", "criterion", "max"])
            .prop_map(name),
    ]
    .prop_filter("a name", |n| super::print::is_word(&n.text))
}

fn paths() -> impl Strategy<Value = Path> {
    prop::collection::vec(names(), 1..3).prop_map(|parts| Path { parts, span: Span::default() })
}

fn numbers() -> impl Strategy<Value = Number> {
    (0..100_000_i64, 0..4_u32).prop_map(|(n, places)| Number::ratio(n, 10_i64.pow(places)).unwrap())
}

/// Texts, read from what is put between quotes, so that holes and value fit.
fn texts() -> impl Strategy<Value = Text> {
    prop::collection::vec(
        prop::sample::select(vec!["a", " ", "{{x}}", "{", "}", "\\{", "\\n", "\\\"", "é🙂", "\\\\", "//"]),
        0..8,
    )
    .prop_map(|parts| {
        let literal = format!("\"{}\"", parts.concat());
        super::text::decode(&literal, Span::default(), &mut Vec::new())
    })
}

fn labels() -> impl Strategy<Value = Label> {
    prop_oneof![
        names().prop_map(|n| Label { text: n.text, span: n.span, quoted: false }),
        "[A-Z+ ]{1,4}".prop_map(|s| Label { text: s.into(), span: Span::default(), quoted: true }),
    ]
}

fn types() -> impl Strategy<Value = TypeExpr> {
    let range = (prop::sample::select(vec!["int", "score"]), -50..50_i64, 0..50_i64).prop_map(|(word, lo, width)| {
        TypeKind::Range { word: name(word), lo: Number::int(lo), hi: Number::int(lo + width) }
    });
    let word = prop::sample::select(vec!["ordinal", "choice", "set", "tally"]);
    let labelled = (word, prop::collection::vec(labels(), 1..5), 1..100_i64).prop_map(|(word, labels, max)| {
        let max = (word == "tally").then(|| (Number::int(max), Span::default()));
        TypeKind::Labels { word: name(word), labels, max }
    });
    let kind = prop_oneof![paths().prop_map(TypeKind::Named), range, labelled];
    (kind, any::<bool>()).prop_map(|(kind, optional)| TypeExpr { kind, optional, span: Span::default() })
}

/// Types that are no call or path where an argument can stand.
fn type_arguments() -> impl Strategy<Value = Expr> {
    types()
        .prop_filter("a type even among expressions", |t| {
            t.optional
                || match &t.kind {
                    TypeKind::Range { .. } => true,
                    TypeKind::Labels { word, .. } => matches!(&*word.text, "ordinal" | "tally"),
                    _ => false,
                }
        })
        .prop_map(|t| expr(ExprKind::Type(Box::new(t))))
}

fn operators() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::*;
    prop::sample::select(vec![
        Add,
        Subtract,
        Multiply,
        Divide,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
    ])
}

fn exprs() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        paths().prop_map(|p| expr(ExprKind::Path(p))),
        (paths(), 1..20_i64).prop_map(|(p, n)| expr(ExprKind::Index(p, Number::int(n)))),
        numbers().prop_map(|n| expr(ExprKind::Number(n))),
        texts().prop_map(|t| expr(ExprKind::Text(t))),
        any::<bool>().prop_map(|b| expr(ExprKind::Bool(b))),
        Just(expr(ExprKind::Unknown)),
        type_arguments(),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let arg =
            (prop::option::of(names()), inner.clone(), prop::option::of(numbers())).prop_map(|(name, value, w)| Arg {
                name,
                value,
                weight: w.map(|n| Box::new(expr(ExprKind::Number(n)))),
                span: Span::default(),
            });
        let key = prop_oneof![
            Just(ArmKey::Rest(Span::default())),
            numbers().prop_map(|n| ArmKey::Below(expr(ExprKind::Number(n)))),
            inner.clone().prop_map(ArmKey::Expr),
        ];
        let arm = (key, inner.clone()).prop_map(|(key, value)| Arm { key, value, span: Span::default() });
        let table = prop::option::of(prop::collection::vec(arm, 0..3));
        prop_oneof![
            (operators(), boxed.clone(), boxed.clone()).prop_map(|(op, a, b)| expr(ExprKind::Binary(
                op,
                Span::default(),
                a,
                b
            ))),
            boxed.clone().prop_map(|e| expr(ExprKind::Unary(UnaryOp::Not, e))),
            boxed.clone().prop_map(|e| expr(ExprKind::Unary(UnaryOp::Negate, e))),
            (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(condition, then, otherwise)| expr(ExprKind::If {
                condition,
                then,
                otherwise
            })),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|v| expr(ExprKind::List(v))),
            (paths(), prop::collection::vec(arg, 0..4), table)
                // `ordinal(…)` is a type, and a weighted slot without its weight is mended.
                .prop_filter("a call", |(p, _, _)| !matches!(&*p.dotted(), "ordinal" | "int" | "score"))
                .prop_map(|(callee, args, table)| expr(ExprKind::Call {
                    callee,
                    args,
                    table: table.map(|arms| Box::new(Table { arms, span: Span::default() }))
                })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_come_back(e in exprs()) {
        let text = print_expr(&e);
        let mut sink = Sink::new();
        let again = parse_expression(&source(&text), &mut sink);
        let found = sink.finish();
        prop_assert!(found.is_empty(), "{text}: {:?}", found);
        prop_assert_eq!(shape(&e), shape(&again), "{}", text);
        prop_assert_eq!(print_expr(&again), text);
    }

    #[test]
    fn types_come_back(t in types()) {
        let text = print_type(&t);
        let mut sink = Sink::new();
        let again = parse_type(&source(&text), &mut sink);
        prop_assert!(sink.is_empty(), "{}", text);
        prop_assert_eq!(type_shape(&t), type_shape(&again));
    }

    #[test]
    fn noise_never_panics(text in "[ -~\\n“é🙂{}()\"]{0,200}") {
        let mut sink = Sink::new();
        super::parse(&source(&text), &mut sink);
        parse_expression(&source(&text), &mut sink);
        parse_type(&source(&text), &mut sink);
        for d in sink.finish() {
            for label in d.labels.iter() {
                prop_assert!(label.span.end as usize <= text.len() && text.is_char_boundary(label.span.start as usize));
            }
        }
    }
}

#[test]
fn declarations_come_back() {
    let text = "require \"x\" { when a > 1: b, c } require increasing(care) \
                test \"t\" { given { a: 1, care.x: unknown, b[2]: true } given a { c: [d, e] } expect pointwise == -2 / 3 } \
                test \"{{hole}} \\{\" { expect not a }";
    let mut sink = Sink::new();
    let printed = |sink: &mut Sink, text: &str| {
        let items = parse_items(&source(text), sink);
        let one = |i: &Item| match &i.kind {
            ItemKind::Require(r) => print_require(r),
            ItemKind::Test(t) => print_test(t),
            other => format!("{other:?}"),
        };
        items.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let first = printed(&mut sink, text);
    assert_eq!(first, printed(&mut sink, &first));
    assert_eq!(first, text);
    assert!(sink.is_empty());
}

#[test]
fn procedures_come_back() {
    let written =
        ["human", "rule(x <= 2)", "llm(model: quick, panel: [a, b]) else llm(samples: 3) when confidence < 0.8"];
    for text in written {
        let mut sink = Sink::new();
        let items = parse_items(&source(&format!("default judge {text}")), &mut sink);
        assert!(sink.is_empty());
        let [Item { kind: ItemKind::DefaultJudge(procedure), .. }] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(print_procedure(procedure), text);
    }
}
