//! Numbers with their units: "10 Mb/s", "5 ms", "1000 B", "50 packets", "1 BDP".
//!
//! A unit multiplies as ns-2's does, so that "0.3 ms" here and 0.3ms there are the same double. k, M, G, T are powers of
//! 1000; b is bits, B bytes.

use crate::error::ScenarioError;

/// Names of units, and what each multiplies by.
pub type Units = &'static [(&'static str, f64)];

/// Units of time, s.
pub const TIMES: Units =
    &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("ps", 1e-12), ("min", 60.0)];
/// Units of rates, bit/s.
pub const RATES: Units = &[
    ("b/s", 1.0),
    ("bit/s", 1.0),
    ("bps", 1.0),
    ("kb/s", 1e3),
    ("kbit/s", 1e3),
    ("kbps", 1e3),
    ("Mb/s", 1e6),
    ("Mbit/s", 1e6),
    ("Mbps", 1e6),
    ("Gb/s", 1e9),
    ("Gbit/s", 1e9),
    ("Gbps", 1e9),
    ("Tb/s", 1e12),
    ("Tbit/s", 1e12),
    ("Tbps", 1e12),
];
/// Units of rates, byte/s.
pub const BYTE_RATES: Units = &[("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12)];
/// Units of sizes, bytes.
pub const SIZES: Units =
    &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("KiB", 1024.0), ("MiB", 1024.0 * 1024.0)];
/// Units of packets.
pub const PACKETS: Units = &[("packets", 1.0), ("packet", 1.0)];

/// A kind of quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A rate.
    Rate,
    /// A time.
    Time,
    /// A number of bytes.
    Size,
    /// Packets, bytes or bandwidth-delay products.
    Amount,
    /// Packets or bytes.
    Data,
    /// Packets.
    Window,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [Kind::Rate, Kind::Time, Kind::Size, Kind::Amount, Kind::Data, Kind::Window];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Rate => "rate",
            Kind::Time => "time",
            Kind::Size => "size",
            Kind::Amount => "amount",
            Kind::Data => "data",
            Kind::Window => "window",
        }
    }

    /// What an error says was expected.
    pub fn expected(self) -> &'static str {
        match self {
            Kind::Rate => "a rate such as 10 Mb/s",
            Kind::Time => "a time such as 5 ms",
            Kind::Size => "a number of bytes such as 1000 B or 64 kB",
            Kind::Amount => "an amount such as 50 packets, 64 kB or 1 BDP",
            Kind::Data => "an amount of data such as 100 packets or 1 MB",
            Kind::Window => "a window such as 20 packets",
        }
    }
}

/// What the number of an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Bandwidth-delay products.
    Bdp,
}

impl Unit {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Packets => "packets",
            Unit::Bytes => "bytes",
            Unit::Bdp => "BDP",
        }
    }
}

/// A number and what it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// How many.
    pub number: f64,
    /// Of what.
    pub unit: Unit,
}

/// Number and unit of a text: digits with at most one point and an exponent, then a word.
fn parts(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = digits(&text[end + 1..]);
        if whole == 0 && fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if end == 0 {
        return None;
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let power = digits(&text[end + 1 + sign..]);
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    let unit = text[end..].trim_start();
    (!unit.contains(char::is_whitespace)).then(|| text[..end].parse().ok().map(|number| (number, unit))).flatten()
}

fn split(text: &str, kind: Kind) -> Result<(f64, &str), ScenarioError> {
    let expected = kind.expected();
    let Some((number, unit)) = parts(text) else {
        return Err(ScenarioError::new(format!("expected {expected}")).value(text));
    };
    if unit.is_empty() {
        return Err(ScenarioError::new(format!("the unit is missing; expected {expected}")).value(text));
    }
    Ok((finite(number, text)?, unit))
}

fn finite(number: f64, text: &str) -> Result<f64, ScenarioError> {
    if number == f64::INFINITY {
        return Err(ScenarioError::new("this is more than a number can be").value(text));
    }
    Ok(number)
}

fn factor(units: Units, unit: &str) -> Option<f64> {
    units.iter().find(|(known, _)| *known == unit).map(|(_, factor)| *factor)
}

fn wrong_unit(text: &str, kind: Kind, unit: &str, known: &[&str]) -> ScenarioError {
    // "mbps" is Mbps, "Mbit" and "M" want what a rate is per.
    let lower = unit.to_lowercase();
    let same = known.iter().find(|name| name.to_lowercase() == lower);
    let near = same.or_else(|| known.iter().find(|name| name.to_lowercase().starts_with(&lower)));
    let expected = format!("{unit} is not a valid unit here; expected {}", kind.expected());
    ScenarioError::new(expected).value(text).near(near.map(|name| (*name).into()))
}

fn names(units: &[Units]) -> Vec<&'static str> {
    units.iter().flat_map(|units| units.iter().map(|(name, _)| *name)).collect()
}

/// Bits per second.
///
/// # Errors
/// For anything else than a positive number with a unit.
pub fn rate_bps(text: &str) -> Result<f64, ScenarioError> {
    let (number, unit) = split(text, Kind::Rate)?;
    let bits = match (factor(RATES, unit), factor(BYTE_RATES, unit)) {
        (Some(factor), _) => number * factor,
        (_, Some(factor)) => number * factor * 8.0,
        _ => return Err(wrong_unit(text, Kind::Rate, unit, &names(&[RATES, BYTE_RATES]))),
    };
    if !(bits > 0.0 && bits < f64::INFINITY) {
        return Err(ScenarioError::new("a rate must be positive").value(text));
    }
    Ok(bits)
}

/// Seconds, not negative.
///
/// # Errors
/// For anything else.
pub fn time_s(text: &str) -> Result<f64, ScenarioError> {
    let (number, unit) = split(text, Kind::Time)?;
    let Some(factor) = factor(TIMES, unit) else {
        return Err(wrong_unit(text, Kind::Time, unit, &names(&[TIMES])));
    };
    finite(number * factor, text)
}

/// A whole positive number of bytes.
///
/// # Errors
/// For anything else.
pub fn size_bytes(text: &str) -> Result<i64, ScenarioError> {
    let (number, unit) = split(text, Kind::Size)?;
    let Some(factor) = factor(SIZES, unit) else {
        return Err(wrong_unit(text, Kind::Size, unit, &names(&[SIZES])));
    };
    let value = finite(number * factor, text)?;
    if value != value.trunc() || value < 1.0 || value >= f64::from(1u32 << 31) {
        let expected = "a size is a whole number of bytes, at least 1 and below 2 GiB";
        return Err(ScenarioError::new(expected).value(text));
    }
    Ok(value as i64)
}

/// Packets, bytes or, where the kind is `Amount`, bandwidth-delay products; positive.
///
/// # Errors
/// For anything else.
pub fn amount(text: &str, kind: Kind) -> Result<Amount, ScenarioError> {
    let (number, unit) = split(text, kind)?;
    let found = if factor(PACKETS, unit).is_some() {
        Amount { number, unit: Unit::Packets }
    } else if let (Some(factor), true) = (factor(SIZES, unit), kind != Kind::Window) {
        Amount { number: finite(number * factor, text)?, unit: Unit::Bytes }
    } else if unit == "BDP" && kind == Kind::Amount {
        return Ok(Amount { number: positive(number, text)?, unit: Unit::Bdp });
    } else {
        let mut known = names(if kind == Kind::Window { &[PACKETS] } else { &[PACKETS, SIZES] });
        known.extend((kind == Kind::Amount).then_some("BDP"));
        return Err(wrong_unit(text, kind, unit, &known));
    };
    if found.number != found.number.trunc() {
        return Err(ScenarioError::new(format!("there are only whole {}", found.unit.word())).value(text));
    }
    Ok(Amount { number: positive(found.number, text)?, ..found })
}

/// A queue's limit.
///
/// # Errors
/// For anything else.
pub fn limit(text: &str) -> Result<Amount, ScenarioError> {
    amount(text, Kind::Amount)
}

/// An amount of data.
///
/// # Errors
/// For anything else.
pub fn data(text: &str) -> Result<Amount, ScenarioError> {
    amount(text, Kind::Data)
}

/// A window, packets.
///
/// # Errors
/// For anything else.
pub fn window(text: &str) -> Result<f64, ScenarioError> {
    amount(text, Kind::Window).map(|amount| amount.number)
}

fn positive(number: f64, text: &str) -> Result<f64, ScenarioError> {
    if number <= 0.0 {
        return Err(ScenarioError::new("must be more than 0").value(text));
    }
    Ok(number)
}

/// The units that an engine parameter of a unit may have in a description, with their factors.
pub fn of_parameter(unit: &str) -> Units {
    match unit {
        "s" => TIMES,
        "bytes" => SIZES,
        _ => PACKETS,
    }
}
