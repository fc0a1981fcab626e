//! What is wrong with a description: where it stands, what was expected, and what comes nearest.

use std::fmt;

use crate::tree::Tree;

/// A description that cannot be simulated. Its fields say what the message says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioError {
    /// What should stand there.
    pub expected: String,
    /// The path of the key in the file, such as `flows.0.tcp`.
    pub key: String,
    /// What stands there.
    pub value: Option<Tree>,
    /// The known name that looks most like the value.
    pub nearest: Option<String>,
    /// The file, where it is known.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// Whether it is a name that an older version had.
    pub is_renamed: bool,
}

impl ScenarioError {
    /// An error that says what was expected.
    pub fn new(expected: impl Into<String>) -> ScenarioError {
        ScenarioError { expected: expected.into(), ..ScenarioError::default() }
    }

    /// With the key.
    pub fn key(mut self, key: impl Into<String>) -> ScenarioError {
        self.key = key.into();
        self
    }

    /// With the value that stands there.
    pub fn value(mut self, value: impl Into<Tree>) -> ScenarioError {
        self.value = Some(value.into());
        self
    }

    /// With the nearest known name.
    pub fn near(mut self, nearest: Option<String>) -> ScenarioError {
        self.nearest = nearest;
        self
    }

    /// The same error of a part that stands under this key.
    pub fn under(mut self, key: impl fmt::Display) -> ScenarioError {
        self.key = if self.key.is_empty() { key.to_string() } else { format!("{key}.{}", self.key) };
        self
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(out, "{file}:{line}: ")?,
            (Some(file), None) => write!(out, "{file}: ")?,
            (None, Some(line)) => write!(out, "line {line}: ")?,
            (None, None) => {}
        }
        match &self.value {
            Some(value) => write!(out, "{} = {value}: ", self.key)?,
            None if !self.key.is_empty() => write!(out, "{}: ", self.key)?,
            None => {}
        }
        out.write_str(&self.expected)?;
        if let Some(nearest) = &self.nearest {
            write!(out, "; nearest known: {nearest}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// An error for a name that has become another one; `new` has old and present names.
///
/// # Errors
/// If the name is an old one.
pub fn renamed(old: &str, new: &[(&str, &str)], key: &str) -> Result<(), ScenarioError> {
    match new.iter().find(|(known, _)| *known == old) {
        Some((_, present)) => {
            let error = ScenarioError::new(format!("renamed; expected \"{present}\"")).key(key).value(old);
            Err(ScenarioError { is_renamed: true, ..error })
        }
        None => Ok(()),
    }
}

/// The value, if it is known.
///
/// # Errors
/// With the nearest known name if not.
pub fn choose<T: AsRef<str>>(value: &str, known: &[T], what: &str, key: &str) -> Result<(), ScenarioError> {
    if known.iter().any(|name| name.as_ref() == value) {
        return Ok(());
    }
    let names: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let listed = if names.len() <= 12 {
        names.join(", ")
    } else {
        format!("{}, ... (`ackclock list` has all)", names[..12].join(", "))
    };
    Err(ScenarioError::new(format!("expected {what}: {listed}")).key(key).value(value).near(nearest(value, &names)))
}

/// The known name that looks most like this one, if any does.
pub fn nearest<T: AsRef<str>>(name: &str, known: &[T]) -> Option<String> {
    // By their letters alone: "BBR" is bbr, "New-Reno" is new_reno.
    let mut names: Vec<(String, &str)> = Vec::new();
    for each in known.iter().rev().map(AsRef::as_ref) {
        let form = letters(each);
        match names.iter_mut().find(|(other, _)| *other == form) {
            Some(entry) => entry.1 = each,
            None => names.push((form, each)),
        }
    }
    let wanted = letters(name);
    let count = |text: &str| text.chars().count();
    if let Some((_, each)) = names.iter().find(|(form, _)| *form == wanted) {
        return Some((*each).into());
    }
    // A name that was cut short, or spelled out.
    let mut part: Option<&(String, &str)> = None;
    for entry in &names {
        let is_part =
            count(&entry.0).min(count(&wanted)) > 2 && (wanted.starts_with(&entry.0) || entry.0.starts_with(&wanted));
        if is_part && part.is_none_or(|longest| count(&entry.0) > count(&longest.0)) {
            part = Some(entry);
        }
    }
    if let Some((_, each)) = part {
        return Some((*each).into());
    }
    let word: Vec<char> = wanted.chars().collect();
    let alike = names.iter().map(|(form, each)| (similarity(&form.chars().collect::<Vec<_>>(), &word), form, *each));
    let close = alike.filter(|(ratio, ..)| *ratio >= 0.5);
    let best = close.max_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(other.1)));
    best.map(|(.., each)| each.into())
}

fn letters(name: &str) -> String {
    name.to_lowercase().replace(['-', ' '], "_")
}

/// How alike two words are, 0 to 1: twice the letters in common blocks over all letters (Ratcliff and Obershelp, "Pattern
/// matching: the gestalt approach", 1988), as Python's `difflib` has it.
fn similarity(one: &[char], other: &[char]) -> f64 {
    let all = one.len() + other.len();
    if all == 0 { 1.0 } else { 2.0 * common(one, other) as f64 / all as f64 }
}

/// The letters in the longest common block and in those on both sides of it.
fn common(one: &[char], other: &[char]) -> usize {
    let (mut at, mut there, mut length) = (0, 0, 0);
    let mut before = vec![0; other.len() + 1];
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![0; other.len() + 1];
        for (j, known) in other.iter().enumerate() {
            if letter == known {
                row[j + 1] = before[j] + 1;
                if row[j + 1] > length {
                    length = row[j + 1];
                    (at, there) = (i + 1 - length, j + 1 - length);
                }
            }
        }
        before = row;
    }
    if length == 0 {
        return 0;
    }
    common(&one[..at], &other[..there]) + length + common(&one[at + length..], &other[there + length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_as_python_finds_it() {
        // ackclock.scenario.errors.nearest, Python 3.11.
        let known = ["drop_tail", "red", "codel", "fq_codel", "new_reno", "reno"];
        assert_eq!(nearest("fqcodel", &known).as_deref(), Some("fq_codel"));
        assert_eq!(nearest("New-Reno", &known).as_deref(), Some("new_reno"));
        assert_eq!(nearest("drop", &known).as_deref(), Some("drop_tail"));
        assert_eq!(nearest("xyz", &known), None);
    }
}
