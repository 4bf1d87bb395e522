//! Single values of columns as JSON: whole numbers, decimals and floats as numbers with all their digits; dates and times as RFC
//! 3339 writes them; texts; what a column says is JSON, as that.
//!
//! A float that is a whole number stands without a point, because other programs turn whole numbers into floats where some are
//! missing. NaN and infinity have no JSON, bytes that are no text neither: such a cell cannot be read.

use crate::run::record::json;
use jiff::civil::{Date, Time};
use jiff::{Span, Timestamp, tz::Offset};
use num_bigint::BigInt;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::schema::types::Type;
use serde_json::{Number, Value as Json};

/// How a leaf's values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    /// Its bits are of a number without sign.
    Unsigned,
    /// Digits behind the point.
    Decimal(u32),
    Float,
    Half,
    Date,
    Time(Unit),
    /// `true`: of the whole world, else of some place that is not named.
    Timestamp(Unit, bool),
    Text,
    Json,
    Uuid,
}

/// What counts in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Milli,
    Micro,
    Nano,
}

impl Unit {
    /// In nanoseconds.
    fn nanos(self) -> i128 {
        match self {
            Unit::Milli => 1_000_000,
            Unit::Micro => 1000,
            Unit::Nano => 1,
        }
    }

    fn of(unit: &TimeUnit) -> Unit {
        match unit {
            TimeUnit::MILLIS => Unit::Milli,
            TimeUnit::MICROS => Unit::Micro,
            TimeUnit::NANOS => Unit::Nano,
        }
    }
}

/// A value as the file has it.
pub(super) enum Raw<'a> {
    Bool(bool),
    Int(i64),
    /// 96 bits, the last word first: the day of the Julian calendar, then the nanoseconds of the day.
    Int96(&'a [u32]),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

impl Kind {
    /// How values of a primitive type are read.
    ///
    /// # Errors
    /// What it is, where it is not read.
    pub(super) fn of(ty: &Type) -> Result<Kind, String> {
        let info = ty.get_basic_info();
        let physical = ty.get_physical_type();
        let scale = || u32::try_from(ty.get_scale()).map_err(|_| "a decimal with a negative scale".to_owned());
        let plain = match physical {
            Physical::BOOLEAN => Kind::Bool,
            Physical::INT32 | Physical::INT64 => Kind::Int,
            Physical::INT96 => Kind::Timestamp(Unit::Nano, false),
            Physical::FLOAT | Physical::DOUBLE => Kind::Float,
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Kind::Text,
        };
        let kind = match info.logical_type_ref() {
            Some(LogicalType::Decimal(_)) => Kind::Decimal(scale()?),
            Some(LogicalType::Integer(int)) if !int.is_signed => Kind::Unsigned,
            Some(LogicalType::Date) => Kind::Date,
            Some(LogicalType::Time(time)) => Kind::Time(Unit::of(&time.unit)),
            Some(LogicalType::Timestamp(time)) => Kind::Timestamp(Unit::of(&time.unit), time.is_adjusted_to_u_t_c),
            Some(LogicalType::Json) => Kind::Json,
            Some(LogicalType::Uuid) => Kind::Uuid,
            Some(LogicalType::Float16) => Kind::Half,
            Some(LogicalType::Integer(_) | LogicalType::String | LogicalType::Enum | LogicalType::Unknown) => plain,
            Some(other) => return Err(format!("of the type {other:?}")),
            None => match info.converted_type() {
                ConvertedType::DECIMAL => Kind::Decimal(scale()?),
                ConvertedType::DATE => Kind::Date,
                ConvertedType::TIME_MILLIS => Kind::Time(Unit::Milli),
                ConvertedType::TIME_MICROS => Kind::Time(Unit::Micro),
                ConvertedType::TIMESTAMP_MILLIS => Kind::Timestamp(Unit::Milli, true),
                ConvertedType::TIMESTAMP_MICROS => Kind::Timestamp(Unit::Micro, true),
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
                    Kind::Unsigned
                }
                ConvertedType::JSON => Kind::Json,
                ConvertedType::BSON => return Err("BSON".to_owned()),
                ConvertedType::INTERVAL => return Err("an interval".to_owned()),
                _ => plain,
            },
        };
        Ok(kind)
    }

    /// A value as JSON. `narrow`: it has 32 bits.
    ///
    /// # Errors
    /// A sentence, where it has none.
    pub(super) fn json(self, raw: &Raw<'_>, narrow: bool) -> Result<Json, String> {
        let far = |_| "the time is too far away to be written".to_owned();
        match (self, raw) {
            (_, Raw::Bool(truth)) => Ok(Json::Bool(*truth)),
            (Kind::Decimal(scale), Raw::Int(int)) => number(&decimal(&int.to_string(), scale)),
            (Kind::Decimal(scale), Raw::Bytes(bytes)) => {
                number(&decimal(&BigInt::from_signed_bytes_be(bytes).to_string(), scale))
            }
            (Kind::Unsigned, Raw::Int(int)) if narrow => Ok((*int as u32).into()),
            (Kind::Unsigned, Raw::Int(int)) => Ok((*int as u64).into()),
            (Kind::Date, Raw::Int(days)) => {
                let date = Date::constant(1970, 1, 1).checked_add(Span::new().try_days(*days).map_err(far)?);
                Ok(date.map_err(far)?.to_string().into())
            }
            (Kind::Time(unit), Raw::Int(time)) => {
                let nanos = i64::try_from(i128::from(*time) * unit.nanos()).unwrap_or(i64::MAX);
                let span = Span::new().try_nanoseconds(nanos).map_err(far)?;
                Ok(Time::midnight().checked_add(span).map_err(far)?.to_string().into())
            }
            (Kind::Timestamp(unit, whole_world), Raw::Int(time)) => {
                instant(i128::from(*time) * unit.nanos(), whole_world)
            }
            (Kind::Timestamp(_, whole_world), Raw::Int96(words)) => {
                let [low, high, day] = words else { return Err("the time has not 96 bits".to_owned()) };
                let nanos = i128::from(*high) << 32 | i128::from(*low);
                /// The day on which 1970 begins.
                const EPOCH: i128 = 2_440_588;
                instant((i128::from(*day) - EPOCH) * 86_400_000_000_000 + nanos, whole_world)
            }
            (_, Raw::Int(int)) => Ok((*int).into()),
            (_, Raw::Float(float)) => shortest(f64::from(*float), format!("{float:?}")),
            (_, Raw::Double(float)) => shortest(*float, format!("{float:?}")),
            (Kind::Half, Raw::Bytes(bytes)) => {
                let [low, high] = bytes else { return Err("the number has not 16 bits".to_owned()) };
                let float = half(u16::from_le_bytes([*low, *high]));
                shortest(float, format!("{float:?}"))
            }
            (Kind::Uuid, Raw::Bytes(bytes)) if bytes.len() == 16 => {
                let mut text = String::with_capacity(36);
                for (n, byte) in bytes.iter().enumerate() {
                    if matches!(n, 4 | 6 | 8 | 10) {
                        text.push('-');
                    }
                    text.push_str(&format!("{byte:02x}"));
                }
                Ok(text.into())
            }
            (kind, Raw::Bytes(bytes)) => {
                let text = std::str::from_utf8(bytes)
                    .map_err(|error| format!("it is no text: byte {} is not UTF-8", error.valid_up_to() + 1))?;
                if kind == Kind::Json { json::parse(text) } else { Ok(text.into()) }
            }
            (_, Raw::Int96(_)) => Err("96 bits that are no time".to_owned()),
        }
    }
}

fn instant(nanos: i128, whole_world: bool) -> Result<Json, String> {
    let far = |_| "the time is too far away to be written".to_owned();
    let time = Timestamp::from_nanosecond(nanos).map_err(far)?;
    Ok(if whole_world { time.to_string() } else { Offset::UTC.to_datetime(time).to_string() }.into())
}

/// Digits with a point before the last `scale` of them.
fn decimal(digits: &str, scale: u32) -> String {
    let scale = scale as usize;
    if scale == 0 {
        return digits.to_owned();
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, part) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{part}")
}

fn number(text: &str) -> Result<Json, String> {
    text.parse::<Number>().map(Json::Number).map_err(|_| format!("{text} is no number"))
}

/// A float in the fewest digits that mean it.
fn shortest(float: f64, text: String) -> Result<Json, String> {
    if !float.is_finite() {
        return Err(format!("it is {text}, which is no number; leave the cell without a value (NULL)"));
    }
    // Up to 2^53 each whole number has its own float.
    if float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0 {
        Ok((float as i64).into())
    } else {
        number(&text)
    }
}

/// IEEE 754, 16 bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        assert_eq!(decimal("5", 3), "0.005");
        assert_eq!(decimal("-12345", 2), "-123.45");
        assert_eq!(decimal("0", 1), "0.0");
        let bytes = BigInt::from(-1).to_signed_bytes_be();
        assert_eq!(Kind::Decimal(4).json(&Raw::Bytes(&bytes), false).unwrap().to_string(), "-0.0001");
    }

    #[test]
    fn halves_are_exact() {
        for (bits, value) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_953_125), (0x0001, 5.960_464_477_539_063e-8)]
        {
            assert_eq!(half(bits), value);
        }
    }

    #[test]
    fn floats_are_short_and_nan_is_told() {
        let json = |raw: Raw<'_>| Kind::Float.json(&raw, false).map(|json| json.to_string());
        assert_eq!(json(Raw::Float(0.1)).unwrap(), "0.1");
        assert_eq!(json(Raw::Double(4.0)).unwrap(), "4");
        assert_eq!(json(Raw::Double(1e300)).unwrap(), "1e+300");
        assert!(json(Raw::Double(f64::NAN)).unwrap_err().contains("NaN"));
    }

    #[test]
    fn times() {
        let json = |kind: Kind, raw: Raw<'_>| kind.json(&raw, true).unwrap();
        assert_eq!(json(Kind::Date, Raw::Int(19_723)), "2024-01-01");
        assert_eq!(json(Kind::Time(Unit::Milli), Raw::Int(3_600_001)), "01:00:00.001");
        assert_eq!(json(Kind::Timestamp(Unit::Milli, true), Raw::Int(0)), "1970-01-01T00:00:00Z");
        let day = [0, 0, 2_440_589];
        assert_eq!(json(Kind::Timestamp(Unit::Nano, false), Raw::Int96(&day)), "1970-01-02T00:00:00");
        assert!(Kind::Date.json(&Raw::Int(i64::MAX), true).is_err());
    }
}
