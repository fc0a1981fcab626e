//! Number formatting as in C's printf with `%g` and a precision, which ns-2's traces use.

use std::io::Write;

/// The two digits of each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Appends an integer.
#[inline]
pub fn push_int(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_digits(out, value.unsigned_abs());
}

#[inline]
fn push_digits(out: &mut Vec<u8>, mut rest: u64) {
    if rest < 10 {
        out.push(b'0' + rest as u8);
        return;
    }
    // From the right, then copied with a fixed length and truncated.
    let count = rest.ilog10() as usize + 1;
    let mut digits = [0u8; 20];
    let mut end = count;
    while rest >= 10 {
        digits[end - 2..end].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
        end -= 2;
    }
    if end > 0 {
        digits[0] = b'0' + rest as u8;
    }
    let start = out.len();
    out.extend_from_slice(&digits);
    out.truncate(start + count);
}

/// Powers of ten whose product with a 53-bit mantissa fits in a `u128`.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut place = 1;
    while place < 20 {
        powers[place] = powers[place - 1] * 10;
        place += 1;
    }
    powers
};

/// Significant digits without trailing zeros, and the decimal exponent of the first: 120.0 is ("12", 2).
struct Decimal {
    digits: [u8; 48],
    count: usize,
    exponent: i32,
}

impl Decimal {
    fn new(value: f64, precision: usize) -> Decimal {
        Decimal::quick(value, precision).unwrap_or_else(|| Decimal::general(value, precision))
    }

    /// For common magnitudes: exact in 128 bits. Ties round to even, as in the C library.
    #[inline]
    fn quick(value: f64, precision: usize) -> Option<Decimal> {
        if !(1e-4..9e15).contains(&value) || precision > 17 {
            return None;
        }
        let bits = value.to_bits();
        let (fraction, shift) = (bits & ((1 << 52) - 1) | 1 << 52, 1075 - (bits >> 52) as i32);
        let below_one = [1e0, 1e-1, 1e-2, 1e-3].iter().filter(|&&power| value < power).count() as i32;
        let mut exponent = if below_one > 0 { -below_one } else { (value as u64).ilog10() as i32 };
        loop {
            let tens = usize::try_from(precision as i32 - 1 - exponent).ok()?;
            let product = u128::from(fraction) * u128::from(*POWERS.get(tens)?);
            let number = if shift <= 0 {
                product << -shift
            } else {
                let (whole, rest, half) = (product >> shift, product & ((1 << shift) - 1), 1u128 << (shift - 1));
                whole + u128::from(rest > half || (rest == half && whole & 1 == 1))
            };
            let mut number = u64::try_from(number).ok()?;
            if number >= POWERS[precision] {
                // Rounded up to the next power, or the estimated exponent was too low.
                exponent += 1;
                continue;
            }
            if number < POWERS[precision - 1] {
                exponent -= 1;
                continue;
            }
            let mut count = precision;
            for zeros in [8, 4, 2, 1] {
                while count > zeros && number % POWERS[zeros] == 0 {
                    number /= POWERS[zeros];
                    count -= zeros;
                }
            }
            let mut digits = [0; 48];
            let mut rest = number;
            let mut end = count;
            while end >= 2 {
                digits[end - 2..end].copy_from_slice(&PAIRS[(rest % 100) as usize]);
                rest /= 100;
                end -= 2;
            }
            if end == 1 {
                digits[0] = b'0' + rest as u8;
            }
            return Some(Decimal { digits, count, exponent });
        }
    }

    /// For all positive numbers: uses Rust's exponent format, "1.2345e-5", which is also correctly rounded.
    fn general(value: f64, precision: usize) -> Decimal {
        let mut text = [0u8; 64];
        let mut rest = &mut text[..];
        write!(rest, "{value:.*e}", precision - 1).expect("64 bytes hold any double to 40 digits");
        let unused = rest.len();
        let text = &text[..64 - unused];
        let e = text.iter().rposition(|&byte| byte == b'e').expect("the exponent form has an exponent");
        let exponent = std::str::from_utf8(&text[e + 1..]).expect("digits").parse().expect("an exponent is a number");
        let mut digits = [0u8; 48];
        let mut count = 0;
        for &byte in text[..e].iter().filter(|&&byte| byte != b'.') {
            digits[count] = byte;
            count += 1;
        }
        while count > 1 && digits[count - 1] == b'0' {
            count -= 1;
        }
        Decimal { digits, count, exponent }
    }
}

/// Appends `value` as `%.{precision}g`: significant digits without trailing zeros, and an exponent of at least two
/// digits below 1e-4 and from 10^precision on.
pub fn push_g(out: &mut Vec<u8>, value: f64, precision: usize) {
    if value.is_sign_negative() && !value.is_nan() {
        out.push(b'-');
    }
    if value == 0.0 {
        out.push(b'0');
        return;
    }
    if !value.is_finite() {
        out.extend_from_slice(if value.is_nan() { b"nan" } else { b"inf" });
        return;
    }
    let precision = precision.max(1);
    let Decimal { digits, count, exponent } = Decimal::new(value.abs(), precision);
    let digits = &digits[..count];
    if exponent < -4 || exponent >= precision as i32 {
        out.push(digits[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.push(b'e');
        out.push(if exponent < 0 { b'-' } else { b'+' });
        if exponent.abs() < 10 {
            out.push(b'0');
        }
        push_int(out, i64::from(exponent.abs()));
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
        out.extend_from_slice(digits);
    } else {
        let whole = exponent as usize + 1;
        if count <= whole {
            out.extend_from_slice(digits);
            out.extend(std::iter::repeat_n(b'0', whole - count));
        } else {
            out.extend_from_slice(&digits[..whole]);
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        }
    }
}

/// Appends a time as in ns-2's packet trace: rounded to microseconds, then `%.15g`.
pub fn push_microseconds(out: &mut Vec<u8>, seconds: f64) {
    let microseconds = (seconds * 1.0e6 + 0.5).floor();
    // Below 100 us the exponent format begins; from 10^9 s on a double cannot hold all microseconds in 15 digits.
    if !(100.0..1.0e15).contains(&microseconds) {
        push_g(out, microseconds / 1.0e6, 15);
        return;
    }
    let microseconds = microseconds as u64;
    push_digits(out, microseconds / 1_000_000);
    let fraction = (microseconds % 1_000_000) as usize;
    if fraction != 0 {
        let mut digits = [b'.', 0, 0, 0, 0, 0, 0, 0];
        for (place, pair) in [(1, fraction / 10_000), (3, fraction / 100 % 100), (5, fraction % 100)] {
            digits[place..place + 2].copy_from_slice(&PAIRS[pair]);
        }
        let mut length = 7;
        while digits[length - 1] == b'0' {
            length -= 1;
        }
        let start = out.len();
        out.extend_from_slice(&digits);
        out.truncate(start + length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn g(value: f64, precision: usize) -> String {
        let mut out = Vec::new();
        push_g(&mut out, value, precision);
        String::from_utf8(out).unwrap()
    }

    // Printed by the C library: printf '%.15g' and so on.
    #[test]
    fn g_is_the_c_librarys() {
        assert_eq!(g(0.1 + 0.2, 17), "0.30000000000000004");
        assert_eq!(g(0.003, 17), "0.0030000000000000001");
        assert_eq!(g(1.23456789, 6), "1.23457");
        assert_eq!(g(100_000.0, 6), "100000");
        assert_eq!(g(1_000_000.0, 6), "1e+06");
        assert_eq!(g(0.0001, 6), "0.0001");
        assert_eq!(g(0.00001234, 6), "1.234e-05");
        assert_eq!(g(-2.5, 6), "-2.5");
        assert_eq!(g(1e100, 15), "1e+100");
        assert_eq!(g(999_999.5, 6), "1e+06");
        assert_eq!(g(0.0, 6), "0");
    }

    // Compares the fast method with the general one: numbers of all sizes, with few and many digits, and ties.
    #[test]
    fn the_quick_way_is_the_general_one() {
        let mut state = 1u64;
        let mut numbers = vec![9.999_999_999_999_999e-3, 0.1, 0.3, 1.0, 999_999.5, 2.5, 0.125, 8_999_999_999_999_999.0];
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let scale = 10f64.powi((state >> 3 & 31) as i32 - 8);
            numbers.push((state >> 11) as f64 / (1u64 << 53) as f64 * scale);
            numbers.push((state >> 40) as f64 / 64.0);
            numbers.push((state >> 44) as f64 / 1e6);
        }
        for value in numbers.into_iter().filter(|&value| value > 0.0) {
            for precision in [1, 3, 6, 15, 17] {
                if let Some(quick) = Decimal::quick(value, precision) {
                    let general = Decimal::general(value, precision);
                    let show = |decimal: &Decimal| (decimal.digits[..decimal.count].to_vec(), decimal.exponent);
                    assert_eq!(show(&quick), show(&general), "{value:e} to {precision} digits");
                }
            }
        }
    }

    #[test]
    fn times_are_g_of_rounded_microseconds() {
        for seconds in
            [0.0, 1e-6, 9.9e-5, 1e-4, 0.005032, 0.0366, 1.0, 10.0, 0.1254996, 399.999_999_6, 123_456.789_012_3]
        {
            let mut out = Vec::new();
            push_microseconds(&mut out, seconds);
            let by_definition = g((seconds * 1.0e6 + 0.5).floor() / 1.0e6, 15);
            assert_eq!(String::from_utf8(out).unwrap(), by_definition);
        }
    }
}
