//! Numbers as C's printf prints them with `%g` and a precision, which is what ns-2's traces hold.

use std::io::Write;

/// Appends a whole number.
#[inline]
pub fn push_int(out: &mut Vec<u8>, value: i64) {
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends `value` as `%.{precision}g` does: that many significant digits, no trailing zeros, an exponent of at least
/// two digits below 1e-4 and from 10^precision on.
pub fn push_g(out: &mut Vec<u8>, value: f64, precision: usize) {
    if value == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0" } else { b"0" });
        return;
    }
    if !value.is_finite() {
        let word = if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        };
        out.extend_from_slice(word.as_bytes());
        return;
    }
    let precision = precision.max(1);
    // Rust's exponent form is correctly rounded from the exact value, as the C library's is: "-1.2345e-5".
    let mut text = [0u8; 64];
    let mut rest = &mut text[..];
    write!(rest, "{value:.*e}", precision - 1).expect("64 bytes hold any double to 40 digits");
    let unused = rest.len();
    let text = &text[..64 - unused];
    let e = text.iter().rposition(|&byte| byte == b'e').expect("the exponent form has an exponent");
    let exponent: i32 = std::str::from_utf8(&text[e + 1..]).expect("digits").parse().expect("an exponent is a number");
    let (negative, mantissa) = if text[0] == b'-' { (true, &text[1..e]) } else { (false, &text[..e]) };
    let mut digits = [0u8; 48];
    let mut count = 0;
    for &byte in mantissa.iter().filter(|&&byte| byte != b'.') {
        digits[count] = byte;
        count += 1;
    }
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
    }
    let digits = &digits[..count];
    if negative {
        out.push(b'-');
    }
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

/// Appends a time as ns-2's packet trace has it: rounded to microseconds, then `%.15g`.
pub fn push_microseconds(out: &mut Vec<u8>, seconds: f64) {
    let microseconds = (seconds * 1.0e6 + 0.5).floor();
    // Below 100 us the exponent form begins; from 10^9 s on a double no longer holds every microsecond in 15 digits.
    if !(100.0..1.0e15).contains(&microseconds) {
        push_g(out, microseconds / 1.0e6, 15);
        return;
    }
    let microseconds = microseconds as u64;
    push_int(out, (microseconds / 1_000_000) as i64);
    let mut fraction = microseconds % 1_000_000;
    if fraction != 0 {
        let mut digits = [b'.', b'0', b'0', b'0', b'0', b'0', b'0'];
        let mut length = 7;
        for place in (1..7).rev() {
            digits[place] = b'0' + (fraction % 10) as u8;
            fraction /= 10;
        }
        while digits[length - 1] == b'0' {
            length -= 1;
        }
        out.extend_from_slice(&digits[..length]);
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
