//! Fields of a text line, from left to right: numbers, words, addresses.

use crate::read_ns2::shown;

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

/// A line and how far it has been read.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    line: &'a [u8],
    at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl<'a> Fields<'a> {
    /// A line whose first field is one letter and has been read.
    #[inline]
    pub fn after_first(line: &'a [u8]) -> Fields<'a> {
        Fields { line, at: 1 }
    }

    #[inline]
    fn peek(&self) -> u8 {
        self.line.get(self.at).copied().unwrap_or(b'\n')
    }

    #[inline]
    fn skip_space(&mut self) {
        while is_space(self.peek()) {
            self.at += 1;
        }
    }

    /// Whether what comes next begins so.
    #[inline]
    pub fn begins_with(&mut self, text: &[u8]) -> bool {
        self.skip_space();
        self.line[self.at..].starts_with(text)
    }

    /// Passes over a letter if it comes next.
    pub fn skip(&mut self, letter: u8) {
        self.skip_space();
        if self.peek() == letter {
            self.at += 1;
        }
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.line.len()
    }

    /// Passes over a word.
    pub fn skip_word(&mut self) {
        let _ = self.word("");
    }

    /// A word.
    #[inline]
    pub fn word(&mut self, expected: &'static str) -> Result<&'a [u8], Wrong> {
        self.skip_space();
        let start = self.at;
        while self.at < self.line.len() && !is_space(self.line[self.at]) {
            self.at += 1;
        }
        if self.at == start { Err(Wrong { expected, at: Some(start) }) } else { Ok(&self.line[start..self.at]) }
    }

    /// Digits, without a sign: their value and how many there are; at most 18 are read.
    #[inline]
    fn digits(&mut self) -> (u64, usize) {
        let start = self.at;
        let mut value = 0u64;
        while self.peek().is_ascii_digit() && self.at - start < 18 {
            value = value * 10 + u64::from(self.line[self.at] - b'0');
            self.at += 1;
        }
        (value, self.at - start)
    }

    /// A whole number.
    #[inline]
    pub fn long(&mut self, expected: &'static str) -> Result<i64, Wrong> {
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
        self.at >= self.line.len() || is_space(self.line[self.at])
    }

    /// A whole number of 32 bits.
    #[inline]
    pub fn int(&mut self, expected: &'static str) -> Result<i32, Wrong> {
        self.skip_space();
        let start = self.at;
        let value = self.long(expected)?;
        i32::try_from(value).map_err(|_| Wrong { expected, at: Some(start) })
    }

    /// A time in seconds, the double that C's `strtod` would read.
    #[inline]
    pub fn time(&mut self) -> Result<f64, Wrong> {
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
        if time.is_finite() { Ok(time) } else { Err(wrong) }
    }

    /// A node and a port, with a point between them. A hierarchical address `a.b.c` counts as the node that ns-2 packs
    /// it into by default: 10 bits, 11 bits, 11 bits.
    #[inline]
    pub fn address(&mut self, expected: &'static str) -> Result<(i32, i32), Wrong> {
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
        let narrow = |number| i32::try_from(number).map_err(|_| wrong);
        Ok((narrow(node)?, narrow(port)?))
    }
}
