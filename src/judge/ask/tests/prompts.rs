//! What goes out.

use super::*;

fn first_text(criteria: &str, record: &str) -> String {
    let mut table = table(criteria, record);
    let (_, call) = table.askings[0].calls().remove(0);
    text_of(&chat_of(&call, "N0"))
}

#[test]
fn shared_things_come_first_and_the_nonce_only_at_the_end() {
    let program = criterion(
        r#"/// A doc that is never sent.
        criterion good: int[1..3] {
          ask "How good is it?"
          level 1 "Bad"
          example { answer: "x", judgment: 1, because: "short" }
        }"#,
        "good",
    );
    let mut table = table(&program, RECORD);
    let (_, call) = table.askings[0].calls().remove(0);
    let chat = chat_of(&call, "N0");
    let text = text_of(&chat);
    assert_eq!(
        text,
        "The task:

[[[ question 89f7c4448d191479 ]]]
What now?
[[[ end of question 89f7c4448d191479 ]]]

Reference material:

guideline: (not given)

To be judged:

[[[ answer acbce1b3bbe08c91 ]]]
Rest, and drink water.
[[[ end of answer acbce1b3bbe08c91 ]]]

The criterion:

How good is it?

What the answers mean:
- 1: Bad

Example 1:
- answer: \"x\"
- judged: 1
- because: \"short\"

Answer with one JSON object that has these keys, in this order, and no others:
- \"nonce\": \"N0\", as it stands here
- \"reason\": why, in one to three sentences
- \"answer\": a whole number from 1 to 3
"
    );
    assert_eq!(chat.schema["required"], json!(["nonce", "reason", "answer"]));
    assert!(!text.contains("never sent"));
    let other = chat_of(&call, "N1");
    assert_eq!((&chat.shared, &chat.schema, &chat.system), (&other.shared, &other.schema, &other.system));
    assert_eq!(text_of(&other), text.replace("N0", "N1"));
}
