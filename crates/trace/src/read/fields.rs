//! Parser for the fields of a text line: numbers, words, addresses.

use crate::read::text::shown;

/// A parse error in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    expected: &'static str,
    /// Offset in the line; `None` if a field is missing altogether.
    at: Option<usize>,
}

impl Wrong {
    /// An error for a missing field.
    pub fn lacks(expected: &'static str) -> Wrong {
        Wrong { expected, at: None }
    }

    /// The error message.
    pub fn says(self, line: &[u8]) -> String {
        let found = match self.at {
            None => format!("in `{}`", shown(line)),
            Some(at) if at >= line.len() => format!("the line ends: `{}`", shown(line)),
            Some(at) => {
                let rest = &line[at..];
                let end = rest.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len());
                format!("found `{}` in `{}`", shown(&rest[..end]), shown(line))
            }
        };
        format!("expected {}, {found}", self.expected)
    }
}

/// Max time in a trace, s: it keeps differences of times and results computed from them finite.
const MAX_SECONDS: f64 = 1e16;

/// Bytes that must be readable after the end of a line: numbers and words are read eight bytes at a time.
pub const PADDING: usize = 8;

/// A line and the read position. The line's terminator and padding follow the line.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    text: &'a [u8],
    at: usize,
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Repeats a byte in all eight bytes of a word.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Converts eight digit values to a number: first pairs, then groups of four, then all eight.
#[inline]
fn value_of_digits(digits: u64) -> u64 {
    let twos = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

impl<'a> Fields<'a> {
    /// Starts after the first field, a single letter. The text includes the terminator and [`PADDING`] bytes.
    #[inline]
    pub fn after_first(text: &'a [u8]) -> Fields<'a> {
        Fields { text, at: 1 }
    }

    #[inline]
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'\n')
    }

    /// The next eight bytes; 0 beyond the text.
    #[inline]
    fn next_eight(&self) -> u64 {
        match self.text.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => 0,
        }
    }

    /// Reads one to seven digits at `at`: value, end offset, and the byte there. `None` for any other input, which the
    /// slower methods handle.
    #[inline(always)]
    fn few_digits(&self, at: usize) -> Option<(u64, usize, u8)> {
        let bytes = u64::from_le_bytes(*self.text.get(at..)?.first_chunk::<8>()?);
        let values = bytes ^ eight(b'0');
        let others = (values.wrapping_add(eight(0x80 - 10)) | values) & eight(0x80);
        let bits = others.trailing_zeros() & !7;
        if bits == 0 || bits == 64 {
            return None;
        }
        Some((value_of_digits(values << (64 - bits)), at + bits as usize / 8, (bytes >> bits) as u8))
    }

    /// The offset of the next field, if one space precedes it.
    #[inline(always)]
    fn next_field(&self) -> Option<usize> {
        (self.peek() == b' ').then_some(self.at + 1)
    }

    /// Reads an integer with few digits.
    #[inline(always)]
    fn short_number(&mut self) -> Option<u64> {
        let (value, end, byte) = self.few_digits(self.next_field()?)?;
        (byte <= b' ').then(|| {
            self.at = end;
            value
        })
    }

    /// Reads two integers with few digits, separated by a dot; also returns the number of digits of the second.
    #[inline(always)]
    fn short_pair(&mut self) -> Option<(u64, u64, usize)> {
        let (first, point, byte) = self.few_digits(self.next_field()?)?;
        if byte != b'.' {
            return None;
        }
        let (second, end, byte) = self.few_digits(point + 1)?;
        (byte <= b' ').then(|| {
            self.at = end;
            (first, second, end - point - 1)
        })
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// Whether the remaining text starts with `text`, including spaces.
    #[inline(always)]
    pub fn goes_on(&self, text: &[u8]) -> bool {
        self.text[self.at..].starts_with(text)
    }

    /// Skips a letter if it comes next.
    pub fn skip(&mut self, letter: u8) {
        self.skip_space();
        if self.peek() == letter {
            self.at += 1;
        }
    }

    /// The unread part of the line.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..self.text.len() - 1 - PADDING).unwrap_or_default()
    }

    /// Whether the end of the line is reached.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        matches!(self.peek(), b'\n' | b'\r')
    }

    /// Skips a word.
    pub fn skip_word(&mut self) {
        let _ = self.word("");
    }

    /// Reads a word.
    #[inline]
    pub fn word(&mut self, expected: &'static str) -> Result<&'a [u8], Wrong> {
        self.short_word(expected).map(|(word, _)| word)
    }

    /// Reads a word; also returns its first eight bytes as a number, padded with 0.
    #[inline]
    pub fn short_word(&mut self, expected: &'static str) -> Result<(&'a [u8], u64), Wrong> {
        self.skip_space();
        let start = self.at;
        let bytes = self.next_eight();
        // Sets the high bit of each space byte. Only the first match is exact, which is enough.
        let spaces = bytes.wrapping_sub(eight(b' ' + 1)) & !bytes & eight(0x80);
        if spaces == 0 {
            while self.peek() > b' ' {
                self.at += 1;
            }
            return Ok((&self.text[start..self.at], bytes));
        }
        let length = spaces.trailing_zeros() as usize / 8;
        if length == 0 {
            return Err(Wrong { expected, at: Some(start) });
        }
        self.at += length;
        Ok((&self.text[start..self.at], bytes & (u64::MAX >> (64 - 8 * length))))
    }

    /// Reads unsigned digits, at most 18: their value and number.
    #[inline]
    fn digits(&mut self) -> (u64, usize) {
        let bytes = self.next_eight() ^ eight(b'0');
        let others = (bytes.wrapping_add(eight(0x80 - 10)) | bytes) & eight(0x80);
        let count = others.trailing_zeros() as usize / 8;
        if count == 0 {
            return (0, 0);
        }
        self.at += count;
        let value = value_of_digits(bytes << (64 - 8 * count));
        if count < 8 { (value, count) } else { self.more_digits(value) }
    }

    fn more_digits(&mut self, mut value: u64) -> (u64, usize) {
        let mut count = 8;
        while self.peek().is_ascii_digit() && count < 18 {
            value = value * 10 + u64::from(self.peek() - b'0');
            self.at += 1;
            count += 1;
        }
        (value, count)
    }

    /// Reads an integer.
    #[inline(always)]
    pub fn long(&mut self, expected: &'static str) -> Result<i64, Wrong> {
        match self.short_number() {
            Some(value) => Ok(value as i64),
            None => self.any_long(expected),
        }
    }

    #[inline(never)]
    fn any_long(&mut self, expected: &'static str) -> Result<i64, Wrong> {
        self.skip_space();
        let start = self.at;
        let value = self.signed().filter(|_| self.at_end_of_field());
        value.ok_or(Wrong { expected, at: Some(start) })
    }

    #[inline]
    fn signed(&mut self) -> Option<i64> {
        let is_negative = self.peek() == b'-';
        self.at += usize::from(is_negative);
        let (value, count) = self.digits();
        let value = value as i64;
        (count > 0).then_some(if is_negative { -value } else { value })
    }

    #[inline]
    fn at_end_of_field(&self) -> bool {
        self.peek() <= b' '
    }

    /// Reads a 32-bit integer.
    #[inline(always)]
    pub fn int(&mut self, expected: &'static str) -> Result<i32, Wrong> {
        match self.short_number() {
            Some(value) => Ok(value as i32),
            None => self.any_int(expected),
        }
    }

    #[inline(never)]
    fn any_int(&mut self, expected: &'static str) -> Result<i32, Wrong> {
        self.skip_space();
        let start = self.at;
        let value = self.any_long(expected)?;
        i32::try_from(value).map_err(|_| Wrong { expected, at: Some(start) })
    }

    /// Reads a time in seconds, with the same result as C's `strtod`.
    #[inline(always)]
    pub fn time(&mut self) -> Result<f64, Wrong> {
        match self.short_pair() {
            // Both operands are exact, so the quotient is correctly rounded.
            Some((whole, part, places)) => Ok((whole as f64 * POWERS[places & 7] + part as f64) / POWERS[places & 7]),
            None => self.any_time(),
        }
    }

    #[inline(never)]
    fn any_time(&mut self) -> Result<f64, Wrong> {
        self.skip_space();
        let start = self.at;
        let (whole, count) = self.digits();
        let (mut mantissa, mut places) = (whole, 0);
        if self.peek() == b'.' && count > 0 {
            self.at += 1;
            let (part, part_count) = self.digits();
            places = part_count;
            if count + places > 18 {
                return self.slow_time(start);
            }
            mantissa = whole * 10u64.pow(places as u32) + part;
        }
        if count == 0 || !self.at_end_of_field() || mantissa >= 1 << 53 {
            return self.slow_time(start);
        }
        // Both operands are exact, so the quotient is correctly rounded.
        Ok(mantissa as f64 / POWERS[places])
    }

    #[cold]
    fn slow_time(&mut self, start: usize) -> Result<f64, Wrong> {
        let wrong = Wrong { expected: "the time in seconds", at: Some(start) };
        self.at = start;
        let word = self.word("the time in seconds")?;
        let time: f64 = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()).ok_or(wrong)?;
        if time.abs() < MAX_SECONDS { Ok(time) } else { Err(wrong) }
    }

    /// Reads an address node.port. A hierarchical address `a.b.c` counts as the number into which ns-2 packs it by
    /// default (9, 11 and 11 bits); then `in_levels` is set.
    #[inline(always)]
    pub fn address(&mut self, expected: &'static str, in_levels: &mut bool) -> Result<(i32, i32), Wrong> {
        match self.short_pair() {
            Some((node, port, _)) => Ok((node as i32, port as i32)),
            None => self.any_address(expected, in_levels),
        }
    }

    #[inline(never)]
    fn any_address(&mut self, expected: &'static str, in_levels: &mut bool) -> Result<(i32, i32), Wrong> {
        self.skip_space();
        let start = self.at;
        let wrong = Wrong { expected, at: Some(start) };
        let mut parts = [0i64; 4];
        let mut count = 0;
        loop {
            if count == parts.len() {
                return Err(wrong);
            }
            parts[count] = self.signed().ok_or(wrong)?;
            count += 1;
            if self.peek() != b'.' {
                break;
            }
            self.at += 1;
        }
        let (node, port) = match count {
            2 => (parts[0], parts[1]),
            3 => (parts[0] << 11 | parts[1], parts[2]),
            4 => (parts[0] << 22 | parts[1] << 11 | parts[2], parts[3]),
            _ => return Err(wrong),
        };
        if !self.at_end_of_field() {
            return Err(wrong);
        }
        *in_levels |= count > 2;
        let narrow = |number| i32::try_from(number).map_err(|_| wrong);
        Ok((narrow(node)?, narrow(port)?))
    }
}
