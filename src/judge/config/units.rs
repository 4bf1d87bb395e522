//! Durations and sizes as people write them: `"90s"`, `"2m"`, `"64 KB"`.

use std::time::Duration;

/// The longest duration that is taken: a day.
const LONGEST: Duration = Duration::from_hours(24);

/// `"250ms"`, `"30s"`, `"2m"`, `"1h"`, from one millisecond to a day.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (count, unit) = split(text)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let duration = Duration::from_millis(count.checked_mul(milliseconds)?);
    (!duration.is_zero() && duration <= LONGEST).then_some(duration)
}

/// `"512 B"`, `"64KB"`, `"16 MB"`, `"1GB"`; a kilobyte has 1,000 bytes, a `KiB` 1,024. At least one byte, at most 1 GiB.
pub(super) fn size(text: &str) -> Option<u64> {
    let (count, unit) = split(text)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "b" => 1,
        "kb" => 1_000,
        "kib" => 1 << 10,
        "mb" => 1_000_000,
        "mib" => 1 << 20,
        "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return None,
    };
    count.checked_mul(factor).filter(|n| (1..=1 << 30).contains(n))
}

fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(end);
    Some((count.parse().ok()?, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_read_or_refused() {
        assert_eq!(duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(duration(" 2 m"), Some(Duration::from_secs(120)));
        assert_eq!(duration("24h"), Some(LONGEST));
        for wrong in ["", "5", "s", "-1s", "0s", "25h", "1.5s", "99999999999999999999s", "5 weeks"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
        assert_eq!(size("64KB"), Some(64_000));
        assert_eq!(size("1 MiB"), Some(1 << 20));
        for wrong in ["0B", "12", "2GB", "x MB", "18446744073709551615KB"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }
}
