//! What a description says, before anything is known of its meaning: tables, lists, texts, numbers.

use std::fmt::{self, Write};

/// A value of a description.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A whole number that has more than 64 bits, or is above the signed ones: its digits.
    Large(String),
    /// A real number.
    Real(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// A table, its keys in the order of the text.
    Table(Table),
    /// An instant, which no key of a description has: its text.
    Instant(String),
}

/// Keys and values, in the order of the text.
pub type Table = Vec<(String, Tree)>;

/// The value of a key.
pub fn get<'a>(table: &'a [(String, Tree)], key: &str) -> Option<&'a Tree> {
    table.iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

impl Tree {
    /// A list of whole numbers.
    pub fn of_wholes(numbers: &[i64]) -> Tree {
        Tree::List(numbers.iter().map(|&number| Tree::Whole(number)).collect())
    }

    /// The value of a key; `None` for another key, or where this is no table.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        match self {
            Tree::Table(table) => get(table, key),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Tree::Whole(whole) => Some(*whole as f64),
            Tree::Real(real) => Some(*real),
            _ => None,
        }
    }

    /// The keys and values, if this is a table.
    pub fn table(&self) -> &[(String, Tree)] {
        match self {
            Tree::Table(table) => table,
            _ => &[],
        }
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Tree {
        Tree::Text(text.into())
    }
}

impl From<i64> for Tree {
    fn from(whole: i64) -> Tree {
        Tree::Whole(whole)
    }
}

impl From<f64> for Tree {
    fn from(real: f64) -> Tree {
        Tree::Real(real)
    }
}

impl From<bool> for Tree {
    fn from(flag: bool) -> Tree {
        Tree::Flag(flag)
    }
}

/// As messages show a value: texts in quotes, long ones cut.
impl fmt::Display for Tree {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Tree::Text(text) => return write!(out, "\"{text}\""),
            Tree::Flag(flag) => return write!(out, "{flag}"),
            _ => {}
        }
        let mut text = String::new();
        self.push(&mut text);
        if text.chars().count() > 60 {
            text = text.chars().take(57).collect::<String>() + "...";
        }
        out.write_str(&text)
    }
}

impl Tree {
    /// As Python writes it, which the messages of both layers show.
    fn push(&self, out: &mut String) {
        match self {
            Tree::Flag(flag) => out.push_str(if *flag { "True" } else { "False" }),
            Tree::Whole(whole) => drop(write!(out, "{whole}")),
            Tree::Large(digits) | Tree::Instant(digits) => out.push_str(digits),
            Tree::Real(real) => out.push_str(&shortest(*real)),
            Tree::Text(text) => {
                let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
                out.push(quote);
                for letter in text.chars() {
                    match letter {
                        '\n' => out.push_str("\\n"),
                        '\r' => out.push_str("\\r"),
                        '\t' => out.push_str("\\t"),
                        '\\' => out.push_str("\\\\"),
                        letter if letter == quote => drop(write!(out, "\\{letter}")),
                        letter => out.push(letter),
                    }
                }
                out.push(quote);
            }
            Tree::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    item.push(out);
                }
                out.push(']');
            }
            Tree::Table(entries) => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    Tree::Text(key.clone()).push(out);
                    out.push_str(": ");
                    value.push(out);
                }
                out.push('}');
            }
        }
    }
}

/// The shortest digits that give a number again, as Python writes them.
pub fn shortest(real: f64) -> String {
    if real.is_nan() {
        return "nan".into();
    }
    if real.is_infinite() {
        return if real > 0.0 { "inf" } else { "-inf" }.into();
    }
    let scientific = format!("{real:e}");
    let (digits, power) = scientific.split_once('e').expect("the form has an exponent");
    let power: i32 = power.parse().expect("the exponent is whole");
    if real != 0.0 && !(-4..16).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    let plain = format!("{real}");
    if plain.contains('.') { plain } else { plain + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_python_does() {
        // Python 3.11: repr of each.
        for (real, text) in [(1.0, "1.0"), (1e16, "1e+16"), (1e-5, "1e-05"), (0.0001, "0.0001"), (1.5e300, "1.5e+300")]
        {
            assert_eq!(shortest(real), text);
        }
    }
}
