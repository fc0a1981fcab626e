//! Fields of a text line, from left to right: numbers, words, addresses.

use crate::read::ns2_trace::shown;

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    expected: &'static str,
    /// Where in the line; nothing when something is missing altogether.
    at: Option<usize>,
}

impl Wrong {
    /// The line has none of these.
    pub fn lacks(expected: &'static str) -> Wrong {
        Wrong { expected, at: None }
    }

    /// The error in words.
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

/// No trace lasts so long: differences of times and what is computed from them stay finite.
const MOST_SECONDS: f64 = 1e16;

/// How many bytes must be readable behind a line's end: numbers and words are taken in eight at a time.
pub const PADDING: usize = 8;

/// A line and how far it has been read. Behind the line stand the byte that ends it and more.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    text: &'a [u8],
    at: usize,
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Each byte of a word of eight.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Values of bytes that are digits, in their order: of each two, then of each four, then of all eight.
#[inline]
fn value_of_digits(digits: u64) -> u64 {
    let twos = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

impl<'a> Fields<'a> {
    /// A line whose first field is one letter and has been read; [`PADDING`] bytes and the line's end stand behind it.
    #[inline]
    pub fn after_first(text: &'a [u8]) -> Fields<'a> {
        Fields { text, at: 1 }
    }

    #[inline]
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'\n')
    }

    /// The next eight bytes; zeros behind the text.
    #[inline]
    fn next_eight(&self) -> u64 {
        match self.text.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => 0,
        }
    }

    /// One to seven digits from `at` on: their value, where they end and the byte that stands there. Nothing for anything
    /// else, which is left to the slower ways.
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

    /// Where the next field begins, if one space is in front of it.
    #[inline(always)]
    fn next_field(&self) -> Option<usize> {
        (self.peek() == b' ').then_some(self.at + 1)
    }

    /// A whole number of few digits.
    #[inline(always)]
    fn short_number(&mut self) -> Option<u64> {
        let (value, end, byte) = self.few_digits(self.next_field()?)?;
        (byte <= b' ').then(|| {
            self.at = end;
            value
        })
    }

    /// Two whole numbers of few digits with a point between them, and how many digits the second has.
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

    /// Whether the text goes on so, space included.
    #[inline(always)]
    pub fn goes_on(&self, text: &[u8]) -> bool {
        self.text[self.at..].starts_with(text)
    }

    /// Passes over a letter if it comes next.
    pub fn skip(&mut self, letter: u8) {
        self.skip_space();
        if self.peek() == letter {
            self.at += 1;
        }
    }

    /// What has not been read of the line.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..self.text.len() - 1 - PADDING).unwrap_or_default()
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        matches!(self.peek(), b'\n' | b'\r')
    }

    /// Passes over a word.
    pub fn skip_word(&mut self) {
        let _ = self.word("");
    }

    /// A word.
    #[inline]
    pub fn word(&mut self, expected: &'static str) -> Result<&'a [u8], Wrong> {
        self.short_word(expected).map(|(word, _)| word)
    }

    /// A word, and its first eight bytes (0 where there are fewer) as a number.
    #[inline]
    pub fn short_word(&mut self, expected: &'static str) -> Result<(&'a [u8], u64), Wrong> {
        self.skip_space();
        let start = self.at;
        let bytes = self.next_eight();
        // The high bit of each byte up to the first space: where that is, is right; what is behind it need not be.
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

    /// Digits, without a sign: their value and how many there are; at most 18 are read.
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

    /// A whole number.
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

    /// A whole number of 32 bits.
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

    /// A time in seconds, the double that C's `strtod` would read.
    #[inline(always)]
    pub fn time(&mut self) -> Result<f64, Wrong> {
        match self.short_pair() {
            // Both are exact, so the quotient is the nearest double.
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
        // Both are exact, so the quotient is the nearest double.
        Ok(mantissa as f64 / POWERS[places])
    }

    #[cold]
    fn slow_time(&mut self, start: usize) -> Result<f64, Wrong> {
        let wrong = Wrong { expected: "the time in seconds", at: Some(start) };
        self.at = start;
        let word = self.word("the time in seconds")?;
        let time: f64 = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()).ok_or(wrong)?;
        if time.abs() < MOST_SECONDS { Ok(time) } else { Err(wrong) }
    }

    /// A node and a port, with a point between them. A hierarchical address `a.b.c` counts as the node that ns-2 packs
    /// it into by default: 9 bits, 11 bits, 11 bits; `in_levels` is set then.
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
