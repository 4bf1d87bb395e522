//! How long to wait before a request is sent again: what the server asks for, in whichever header, else longer each time.

use jiff::Timestamp;
use rand::RngExt;
use reqwest::header::{HeaderMap, HeaderName, RETRY_AFTER};
use std::time::Duration;

/// The first wait without a word of the server, and the longest.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// Pairs of headers: what is left, and when it is more again.
static LIMITS: [(HeaderName, HeaderName); 8] = [
    (HeaderName::from_static("x-ratelimit-remaining-requests"), HeaderName::from_static("x-ratelimit-reset-requests")),
    (HeaderName::from_static("x-ratelimit-remaining-tokens"), HeaderName::from_static("x-ratelimit-reset-tokens")),
    (
        HeaderName::from_static("anthropic-ratelimit-requests-remaining"),
        HeaderName::from_static("anthropic-ratelimit-requests-reset"),
    ),
    (
        HeaderName::from_static("anthropic-ratelimit-tokens-remaining"),
        HeaderName::from_static("anthropic-ratelimit-tokens-reset"),
    ),
    (
        HeaderName::from_static("anthropic-ratelimit-input-tokens-remaining"),
        HeaderName::from_static("anthropic-ratelimit-input-tokens-reset"),
    ),
    (
        HeaderName::from_static("anthropic-ratelimit-output-tokens-remaining"),
        HeaderName::from_static("anthropic-ratelimit-output-tokens-reset"),
    ),
    (HeaderName::from_static("x-ratelimit-remaining"), HeaderName::from_static("x-ratelimit-reset")),
    (HeaderName::from_static("ratelimit-remaining"), HeaderName::from_static("ratelimit-reset")),
];

/// How long the server asks to wait, by the headers of a reply that says no.
pub(super) fn asked(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    // Without a word of its own: the latest of the limits that are used up, or the first of all where none says so.
    asked_by_name(headers, now).or_else(|| spent(headers, now)).or_else(|| {
        let text = |name: &HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
        LIMITS.iter().filter_map(|(_, reset)| moment(text(reset)?, now)).min()
    })
}

/// How long the server asks to wait in so many words.
pub(super) fn asked_by_name(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    static IN_MS: HeaderName = HeaderName::from_static("retry-after-ms");
    let text = |name: &HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    if let Some(ms) = text(&IN_MS).and_then(|t| t.parse::<f64>().ok()) {
        return seconds(ms / 1_000.0);
    }
    if let Some(after) = text(&RETRY_AFTER) {
        return match after.parse::<f64>() {
            Ok(count) => seconds(count),
            Err(_) => jiff::fmt::rfc2822::parse(after).ok().map(|date| until(date.timestamp(), now)),
        };
    }
    None
}

/// How long nothing more should be sent: the latest reset of a limit of which nothing is left.
pub(super) fn spent(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    LIMITS
        .iter()
        .filter(|(left, _)| text(left).is_some_and(|left| left.parse::<f64>().is_ok_and(|n| n <= 0.0)))
        .filter_map(|(_, reset)| moment(text(reset)?, now))
        .max()
}

/// The wait before attempt `attempt` (1: the first repetition): at least what the server asks for, and up to a quarter more, so
/// that many do not come back at once; else from a doubling time, half of it by chance.
pub(super) fn before(attempt: u32, asked: Option<Duration>) -> Duration {
    let chance: f64 = rand::rng().random();
    match asked {
        Some(wait) => wait + wait.min(LONGEST).mul_f64(chance * 0.25),
        None => {
            let whole =
                FIRST.saturating_mul(1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX)).min(LONGEST);
            whole.mul_f64(0.5 + chance * 0.5)
        }
    }
}

/// A moment as headers give it: a duration (`1.5s`, `6m0s`, `20ms`), seconds from now, seconds or milliseconds since 1970, or
/// a date.
fn moment(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        // Nobody's limit resets in more than thirty years, and nobody sends moments before 2001.
        return if number >= 1e12 {
            until(Timestamp::from_millisecond(whole(number)?).ok()?, now).into()
        } else if number >= 1e9 {
            until(Timestamp::from_second(whole(number)?).ok()?, now).into()
        } else {
            seconds(number)
        };
    }
    duration(text).or_else(|| Some(until(text.parse::<Timestamp>().ok()?, now)))
}

/// A duration as Go and Google write it.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut sum = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let factor = match unit {
            "ns" => 1e-9,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    seconds(sum)
}

fn seconds(count: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(count.max(0.0)).ok()
}

#[expect(clippy::cast_possible_truncation, reason = "finite and below 9e18, so within an i64")]
fn whole(number: f64) -> Option<i64> {
    (number.is_finite() && number < 9e18).then_some(number as i64)
}

fn until(moment: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(moment.duration_since(now)).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn now() -> Timestamp {
        "2026-11-30T12:00:00Z".parse().unwrap()
    }

    fn headers(list: &[(&str, &str)]) -> HeaderMap {
        list.iter().map(|(k, v)| (k.parse::<HeaderName>().unwrap(), v.parse::<HeaderValue>().unwrap())).collect()
    }

    #[test]
    fn every_style_of_header_is_read() {
        for (list, wanted) in [
            (vec![("retry-after-ms", "250"), ("retry-after", "9")], 250),
            (vec![("retry-after", "7")], 7_000),
            (vec![("retry-after", "0.5")], 500),
            (vec![("retry-after", "Mon, 30 Nov 2026 12:00:05 GMT")], 5_000),
            (vec![("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")], 0),
            (vec![("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1m2.5s")], 62_500),
            (vec![("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "20ms")], 20),
            (
                vec![
                    ("anthropic-ratelimit-requests-remaining", "0"),
                    ("anthropic-ratelimit-requests-reset", "2026-11-30T12:00:03Z"),
                ],
                3_000,
            ),
            (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1796040004000")], 4_000),
            (vec![("x-ratelimit-reset", "1796040002")], 2_000),
            (vec![("ratelimit-remaining", "0"), ("ratelimit-reset", "11")], 11_000),
        ] {
            let found = asked(&headers(&list), now());
            assert_eq!(found, Some(Duration::from_millis(wanted)), "{list:?}");
        }
        assert_eq!(asked(&headers(&[("retry-after", "soon")]), now()), None);
        assert_eq!(asked(&headers(&[]), now()), None);
    }

    #[test]
    fn only_what_is_used_up_holds_the_next_requests() {
        let list = [
            ("x-ratelimit-remaining-requests", "12"),
            ("x-ratelimit-reset-requests", "50s"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6s"),
        ];
        assert_eq!(spent(&headers(&list), now()), Some(Duration::from_secs(6)));
        assert_eq!(spent(&headers(&list[..2]), now()), None);
    }

    #[test]
    fn a_wait_is_never_shorter_than_asked_and_never_without_end() {
        for attempt in 1..40 {
            let free = before(attempt, None);
            assert!(free <= LONGEST && free >= FIRST / 2, "{free:?}");
            assert!(before(attempt, Some(Duration::from_secs(8))) >= Duration::from_secs(8));
        }
    }

    #[test]
    fn durations_of_servers_are_read_or_refused() {
        assert_eq!(duration("6m0s"), Some(Duration::from_secs(360)));
        assert_eq!(duration("1h2m"), Some(Duration::from_secs(3720)));
        for wrong in ["", "s", "5", "1x", "..s", "-3s"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
