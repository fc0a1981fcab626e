//! Splits the text of a script into tokens.
//!
//! Source: packetdrill's `lexer.l`. Its keywords are words here; the parser knows where each of them stands.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What is wrong with a script's text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was expected, and what stands there.
    pub message: String,
}

/// A token's kind and value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `--name`.
    Option(String),
    /// A number with a point, as written.
    Float(String),
    /// A decimal number, as written and as a value.
    Integer(String, i64),
    /// A hexadecimal number.
    Hex(i64),
    /// Letters, digits and underscores.
    Word(String),
    /// Text in double quotes.
    Text(String),
    /// Text in backticks.
    BackQuoted(String),
    /// Text between `%{` and `}%`.
    Code(String),
    /// An IPv4 or IPv6 address.
    Address(String),
    /// `...`.
    Ellipsis,
    /// Any other character.
    Mark(char),
    /// The end of the text.
    End,
}

impl Kind {
    /// How messages name the token.
    pub(crate) fn describe(&self) -> String {
        match self {
            Kind::Option(name) => format!("--{name}"),
            Kind::Float(text) | Kind::Integer(text, _) | Kind::Word(text) | Kind::Address(text) => format!("'{text}'"),
            Kind::Hex(value) => format!("'{value:#x}'"),
            Kind::Text(_) => "a string".to_owned(),
            Kind::BackQuoted(_) => "a command in backticks".to_owned(),
            Kind::Code(_) => "a code block".to_owned(),
            Kind::Ellipsis => "'...'".to_owned(),
            Kind::Mark(mark) => format!("'{mark}'"),
            Kind::End => "the end of the script".to_owned(),
        }
    }
}

/// A token and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

/// Splits `text` into tokens; the last one is [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let (line, column) = (lexer.line, lexer.column);
        let kind = lexer.next()?;
        let is_end = kind == Kind::End;
        found.push(Token { kind, line, column });
        if is_end {
            return Ok(found);
        }
    }
}

impl<'a> Lexer<'a> {
    fn error(&self, message: &str) -> ParseError {
        ParseError { line: self.line, column: self.column, message: message.to_owned() }
    }

    /// Removes and returns the first `bytes` bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for character in taken.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.take(blanks);
            if self.rest.starts_with("//") {
                let bytes = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(bytes);
            } else if self.rest.starts_with("/*") {
                match self.rest.find("*/") {
                    Some(end) => self.take(end + 2),
                    None => return Err(self.error("comment without an end: expected '*/'")),
                };
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Kind, ParseError> {
        let Some(first) = self.rest.chars().next() else { return Ok(Kind::End) };
        if self.rest.starts_with("...") {
            self.take(3);
            return Ok(Kind::Ellipsis);
        }
        if let Some(name) = self.rest.strip_prefix("--") {
            let bytes = word_len(name);
            if bytes > 0 {
                return Ok(Kind::Option(self.take(2 + bytes)[2..].to_owned()));
            }
        }
        if self.rest.starts_with("%{") {
            let Some(end) = self.rest.find("}%") else {
                return Err(self.error("code block without an end: expected '}%'"));
            };
            let text = self.take(end + 2);
            return Ok(Kind::Code(text[2..text.len() - 2].to_owned()));
        }
        if first == '"' || first == '`' {
            let text = self.quoted(first)?;
            return Ok(if first == '"' { Kind::Text(text) } else { Kind::BackQuoted(text) });
        }
        if let Some(bytes) = address_len(self.rest) {
            return Ok(Kind::Address(self.take(bytes).to_owned()));
        }
        if let Some(kind) = self.number()? {
            return Ok(kind);
        }
        let bytes = word_len(self.rest);
        if bytes > 0 {
            return Ok(Kind::Word(self.take(bytes).to_owned()));
        }
        self.take(first.len_utf8());
        Ok(Kind::Mark(first))
    }

    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        let mut is_escaped = false;
        for (at, character) in self.rest.char_indices().skip(1) {
            if character == quote && !is_escaped {
                let text = self.take(at + 1);
                return Ok(text[1..at].to_owned());
            }
            is_escaped = character == '\\' && !is_escaped;
        }
        Err(self.error(&format!("quoted text without an end: expected {quote}")))
    }

    /// A number, unless a word begins here that only starts with digits.
    fn number(&mut self) -> Result<Option<Kind>, ParseError> {
        let sign = usize::from(self.rest.starts_with('-'));
        let digits = digits_len(&self.rest[sign..]);
        let after = &self.rest[sign + digits..];
        let fraction = after.strip_prefix('.').map_or(0, digits_len);
        if fraction > 0 {
            return Ok(Some(Kind::Float(self.take(sign + digits + 1 + fraction).to_owned())));
        }
        if let Some(hex) = self.rest.strip_prefix("0x") {
            let bytes = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
            if bytes > 0 && word_len(self.rest) == 2 + bytes {
                let value = u64::from_str_radix(&hex[..bytes], 16).map_err(|_| self.error("number out of range"))?;
                self.take(2 + bytes);
                return Ok(Some(Kind::Hex(value as i64)));
            }
        }
        if digits == 0 || (sign == 0 && word_len(self.rest) > digits) {
            return Ok(None);
        }
        let value = self.rest[..sign + digits].parse().map_err(|_| self.error("number out of range"))?;
        Ok(Some(Kind::Integer(self.take(sign + digits).to_owned(), value)))
    }
}

fn digits_len(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn word_len(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Bytes of the IP address that `text` begins with. A range of sequence numbers (`1:1001`) is none: it has one colon.
fn address_len(text: &str) -> Option<usize> {
    let bytes = text.bytes().take_while(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')).count();
    let candidate = &text[..bytes];
    // The colon that ends an encapsulation's header may follow an address.
    let trimmed = if candidate.ends_with("::") { candidate } else { candidate.trim_end_matches(':') };
    [candidate, trimmed]
        .into_iter()
        .find(|text| text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok())
        .map(str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    // The patterns of packetdrill's lexer.l: a float needs digits after its point, so a blocking call's times are an
    // integer, an ellipsis and a float; the number of AccECN's bits after a point is a float.
    #[test]
    fn numbers_and_ellipses() {
        let text = |text: &str| Kind::Float(text.to_owned());
        let zero = Kind::Integer("0".into(), 0);
        assert_eq!(kinds("+0...0.200"), [Kind::Mark('+'), zero, Kind::Ellipsis, text("0.200"), Kind::End]);
        assert_eq!(kinds(".5"), [text(".5"), Kind::End]);
        assert_eq!(
            kinds("-1 0x1f 1a"),
            [Kind::Integer("-1".into(), -1), Kind::Hex(31), Kind::Word("1a".into()), Kind::End]
        );
    }

    #[test]
    fn addresses_are_not_ranges() {
        assert_eq!(kinds("1:1001").len(), 4);
        assert_eq!(kinds("192.0.2.1"), [Kind::Address("192.0.2.1".into()), Kind::End]);
        assert_eq!(kinds("2001:db8::1"), [Kind::Address("2001:db8::1".into()), Kind::End]);
    }

    #[test]
    fn positions_count_comments_and_lines() {
        let found = tokens("// one\n/* two\n */ +0\n  x").unwrap();
        assert_eq!((found[0].line, found[0].column), (3, 5));
        assert_eq!((found[2].line, found[2].column), (4, 3));
        assert_eq!(tokens("\n `a").unwrap_err().line, 2);
    }
}
