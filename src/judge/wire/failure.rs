//! What a server's no means: which kind of failure it is, and whether the same request may succeed later.

use super::read::shown;
use super::value::Value;
use super::wait::duration;
use super::{Failure, FailureKind};
use serde_json::Value as Json;
use std::time::Duration;

/// A failure, with whether it may pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    pub failure: Failure,
    /// Whether the same request may succeed later.
    pub passes: bool,
    /// Whether it is the load that the server cannot bear: fewer requests at once then.
    pub busy: bool,
    /// How long the server asks to wait, where the body says so.
    pub wait: Option<Duration>,
}

impl Trouble {
    pub(super) fn for_good(failure: Failure) -> Trouble {
        Trouble { failure, passes: false, busy: false, wait: None }
    }

    pub(super) fn passing(detail: impl Into<String>) -> Trouble {
        Trouble { failure: Failure::new(FailureKind::Outage, detail), passes: true, busy: false, wait: None }
    }
}

/// What a server says in the body of an error, in whichever of the usual forms.
#[derive(Debug, Default)]
struct Said {
    message: String,
    /// Its words for the error: `code`, `type`, `status`, `error_type`, `reason`, in lower case.
    words: Vec<String>,
    /// A status inside the body.
    status: Option<u16>,
    wait: Option<Duration>,
    /// A quota that is for a day or longer.
    daily: bool,
    /// It held the request back because of what it says.
    moderated: bool,
}

/// What a reply with a status other than 200 means.
pub(super) fn of_status(status: u16, body: &[u8]) -> Trouble {
    let said = match serde_json::from_slice::<Json>(body) {
        Ok(json) => said(&json),
        Err(_) => Said { message: plain(&String::from_utf8_lossy(body)), ..Said::default() },
    };
    classify(status, &said)
}

/// The error in a reply of status 200, where it holds one.
pub(super) fn in_body(json: &Value<'_>) -> Option<Trouble> {
    let top = json.get("error").filter(|e| !e.is_null() && **e != Value::Bool(false));
    let is_error = top.is_some()
        || ["type", "object"].iter().any(|key| json.get(key).and_then(Value::as_str) == Some("error"))
        || (json.get("detail").is_some() && json.get("answers").is_none());
    let choice = json.get("choices").and_then(|c| c.as_array()?.first()?.get("error")).filter(|e| !e.is_null());
    let said = match (is_error, choice) {
        (true, _) => said(&json.json()),
        (false, Some(error)) => said(&serde_json::json!({"error": error.json()})),
        (false, None) => return None,
    };
    let status = said.status.filter(|s| (400..600).contains(s)).unwrap_or_else(|| {
        let is = |words: &[&str]| said.words.iter().any(|w| words.contains(&w.as_str()));
        if is(&["invalid_request_error", "api_usage_error", "not_found_error", "invalid_argument"]) {
            400
        } else if is(&["authentication_error", "permission_error", "unauthenticated", "permission_denied"]) {
            401
        } else if is(&["rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "insufficient_quota"]) {
            429
        } else {
            // An upstream server failed, most likely.
            502
        }
    });
    Some(classify(status, &said))
}

fn classify(status: u16, said: &Said) -> Trouble {
    let has = |words: &[&str]| said.words.iter().any(|w| words.contains(&w.as_str()));
    let message = said.message.to_lowercase();
    let speaks = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    let no_credit = has(&[
        "insufficient_quota",
        "insufficient_credits",
        "insufficient_balance",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_too_low",
        "billing_error",
        "account_deactivated",
    ]) || said.daily
        || speaks(&[
            "credit balance",
            "insufficient credits",
            "insufficient balance",
            "out of credits",
            "not enough credits",
            "add credits",
            "billing hard limit",
        ]);
    let filtered = said.moderated
        || has(&["content_filter", "content_policy_violation", "responsibleaipolicyviolation", "invalid_prompt"]);
    let kind = match status {
        402 => FailureKind::NoCredit,
        400..=499 if no_credit => FailureKind::NoCredit,
        400 | 403 | 422 if filtered => FailureKind::Filtered,
        401 | 403 | 407 => FailureKind::Unauthorised,
        400 if has(&["api_key_invalid", "authentication_error", "invalid_api_key"]) => FailureKind::Unauthorised,
        408 | 409 | 425 | 429 => FailureKind::Outage,
        // Some servers fall over a field that they do not know; they will do so every time.
        500 | 501
            if status == 501
                || speaks(&[
                    "json_schema",
                    "response_format",
                    "grammar",
                    "unsupported",
                    "not supported",
                    "not implemented",
                ]) =>
        {
            FailureKind::Rejected
        }
        505 => FailureKind::Rejected,
        500..=599 => FailureKind::Outage,
        _ => FailureKind::Rejected,
    };
    let said_so = if said.message.is_empty() { String::new() } else { format!(": {}", said.message) };
    let detail = match kind {
        FailureKind::NoCredit => format!("no credit or quota is left ({status}){said_so}"),
        FailureKind::Unauthorised => format!("the key is wrong, absent or not allowed here ({status}){said_so}"),
        FailureKind::Filtered => format!("the request was held back by a filter ({status}){said_so}"),
        FailureKind::Rejected => format!("the server does not take this request ({status}){said_so}"),
        _ if status == 429 => format!("too many requests ({status}){said_so}"),
        _ => format!("the server failed ({status}){said_so}"),
    };
    Trouble {
        passes: kind == FailureKind::Outage,
        busy: kind == FailureKind::Outage && matches!(status, 429 | 503 | 529),
        wait: said.wait,
        failure: Failure::new(kind, detail),
    }
}

/// What the body of an error says.
fn said(json: &Json) -> Said {
    let mut said = Said::default();
    // Google answers a list with one error in it, in places.
    let json = json.get(0).unwrap_or(json);
    let error = json.get("error").or_else(|| json.get("detail")).unwrap_or(json);
    said.message = shown(&match error {
        Json::String(text) => text.clone(),
        // Faults of a request, each with its place.
        Json::Array(list) => {
            let one = |fault: &Json| {
                let place: Vec<String> = fault
                    .get("loc")
                    .and_then(Json::as_array)
                    .map(|l| l.iter().map(|p| p.as_str().map_or_else(|| p.to_string(), str::to_owned)).collect())
                    .unwrap_or_default();
                format!("{}: {}", place.join("."), fault.get("msg").and_then(Json::as_str).unwrap_or_default())
            };
            list.iter().take(3).map(one).collect::<Vec<_>>().join("; ")
        }
        _ => ["message", "detail", "error", "msg"]
            .iter()
            .find_map(|key| error.get(key)?.as_str())
            .unwrap_or_default()
            .to_owned(),
    });
    for key in ["code", "type", "status", "error_type"] {
        match error.get(key).or_else(|| json.get(key)) {
            Some(Json::String(word)) => {
                said.words.push(word.to_lowercase());
                said.status = said.status.or_else(|| word.parse().ok());
            }
            Some(Json::Number(n)) => {
                said.status = said.status.or_else(|| n.as_u64().and_then(|n| u16::try_from(n).ok()));
            }
            _ => {}
        }
    }
    if let Some(metadata) = error.get("metadata") {
        said.moderated = metadata.get("reasons").is_some_and(Json::is_array);
        if let Some(raw) = metadata.get("raw").and_then(Json::as_str) {
            said.message = shown(&format!("{}: {raw}", said.message));
        }
    }
    if let Some(inner) = error.get("innererror").and_then(|i| i.get("code")?.as_str()) {
        said.words.push(inner.to_lowercase());
    }
    for detail in error.get("details").and_then(Json::as_array).into_iter().flatten() {
        if let Some(reason) = detail.get("reason").and_then(Json::as_str) {
            said.words.push(reason.to_lowercase());
        }
        said.wait = said.wait.or_else(|| duration(detail.get("retryDelay")?.as_str()?));
        let quotas = detail.get("violations").and_then(Json::as_array).into_iter().flatten();
        said.daily |= quotas.filter_map(|q| q.get("quotaId")?.as_str()).any(|id| id.contains("PerDay"));
    }
    said
}

/// The words of a page or a plain text.
fn plain(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return shown(text);
    }
    let mut out = String::new();
    for part in text.split('<').skip(1) {
        out.push(' ');
        out.push_str(part.split_once('>').map_or("", |(_, words)| words));
    }
    shown(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, body: &str) -> (FailureKind, bool) {
        let trouble = of_status(status, body.as_bytes());
        (trouble.failure.kind, trouble.passes)
    }

    #[test]
    fn an_account_without_credit_is_not_asked_again() {
        for (status, body) in [
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}"#,
            ),
            (402, r#"{"error":{"code":402,"message":"Insufficient credits"}}"#),
            (
                429,
                r#"[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"30s"}]}}]"#,
            ),
        ] {
            assert_eq!(kind(status, body), (FailureKind::NoCredit, false), "{body}");
        }
    }

    #[test]
    fn a_rate_limit_passes_and_says_how_long() {
        let body = r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinute"}]},{"retryDelay":"37.5s"}]}}"#;
        let trouble = of_status(429, body.as_bytes());
        assert!(trouble.passes && trouble.busy, "{trouble:?}");
        assert_eq!(trouble.wait, Some(Duration::from_millis(37_500)));
    }

    #[test]
    fn a_server_that_falls_over_a_field_is_not_asked_for_ever() {
        assert_eq!(
            kind(500, r#"{"error":{"message":"Unsupported param: json_schema"}}"#),
            (FailureKind::Rejected, false)
        );
        assert_eq!(kind(500, "Internal Server Error"), (FailureKind::Outage, true));
        assert_eq!(
            kind(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            (FailureKind::Outage, true)
        );
    }

    #[test]
    fn keys_filters_and_wrong_requests_are_told_apart() {
        assert_eq!(kind(401, "nope"), (FailureKind::Unauthorised, false));
        assert_eq!(
            kind(400, r#"{"error":{"message":"API key not valid","details":[{"reason":"API_KEY_INVALID"}]}}"#),
            (FailureKind::Unauthorised, false)
        );
        assert_eq!(kind(400, r#"{"error":{"code":"content_filter","message":"x"}}"#), (FailureKind::Filtered, false));
        assert_eq!(
            kind(403, r#"{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"]}}}"#),
            (FailureKind::Filtered, false)
        );
        assert_eq!(
            kind(422, r#"{"detail":[{"loc":["body","state"],"msg":"bad","type":"x"}]}"#),
            (FailureKind::Rejected, false)
        );
        assert_eq!(kind(404, "<html><body><h1>Not Found</h1></body></html>"), (FailureKind::Rejected, false));
        assert_eq!(kind(301, ""), (FailureKind::Rejected, false));
    }

    #[test]
    fn an_error_in_a_reply_of_status_200_is_seen() {
        let of = |text: &str| in_body(&serde_json::from_str(text).unwrap()).map(|t| (t.failure.kind, t.passes));
        assert_eq!(
            of(r#"{"error":{"code":502,"message":"Provider returned error"}}"#),
            Some((FailureKind::Outage, true))
        );
        assert_eq!(of(r#"{"error":{"code":402,"message":"x"}}"#), Some((FailureKind::NoCredit, false)));
        assert_eq!(of(r#"{"error":"model not found"}"#), Some((FailureKind::Outage, true)));
        assert_eq!(
            of(r#"{"choices":[{"error":{"code":429,"message":"x"},"finish_reason":"error"}]}"#),
            Some((FailureKind::Outage, true))
        );
        assert_eq!(of(r#"{"error":null,"choices":[]}"#), None);
    }
}
