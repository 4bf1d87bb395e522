//! What is taken as an answer.

use super::*;

#[test]
fn one_criterion_from_question_to_value() {
    let mut table = table(&criterion("criterion good: int[1..5] \"How good?\"", "good"), RECORD);
    let heard = table.run(|_, _| json!({"reason": "clear", "answer": 4}));
    assert_eq!(heard, [Heard::Conforms]);
    assert_eq!(table.value(0, "good"), "4");
    assert_eq!(table.leaf(0, "good").recorded, [json!({"value": 4, "reason": "clear", "by": "default"})]);
}

#[test]
fn what_does_not_conform_is_asked_again_and_then_missing() {
    let program = criterion("criterion good: int[1..5] \"How good?\"", "good");
    let mut asked = Vec::new();
    let mut ask = |answers: &[serde_json::Value]| {
        let mut table = table(&program, RECORD);
        let mut n = 0;
        asked.clear();
        let heard = table.run(|call, chat| {
            asked.push((call.attempt, chat.again.clone()));
            n += 1;
            json!({"reason": "", "answer": answers[n - 1]})
        });
        (heard.len(), table.value(0, "good"))
    };
    assert_eq!(ask(&[json!(7), json!("4"), json!(4)]), (3, "4".to_owned()));
    let (calls, value) = ask(&[json!(7), json!(8), json!(9)]);
    assert!(calls == 3 && value.starts_with("missing unparseable") && value.contains("from 1 to 5"), "{value}");
    let (attempt, again) = asked.last().unwrap();
    assert_eq!((*attempt, again.len()), (2, 2));
    // The conversation has one nonce, the one of this request.
    assert!(again[0].0.contains("nonce3") && again[1].1.contains("nonce3") && !again[0].0.contains("nonce1"));
    assert!(again[0].1.contains("`7` is not a value of int[1..5]"));
}
