//! A description's text as a [`Tree`], and the lines of its keys.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::ScenarioError;
use crate::tree::{Table, Tree};

/// Lists and tables within each other.
const MOST_DEEP: usize = 100;

/// A text that was read: what it says, and the line of each key by its path.
pub struct Read {
    /// What it says.
    pub table: Table,
    lines: BTreeMap<String, usize>,
}

impl Read {
    /// The line, from 1, of a key's path or of the nearest thing above it; `None` for an empty path.
    pub fn line(&self, key: &str) -> Option<usize> {
        let mut path = key;
        loop {
            if let Some(&line) = self.lines.get(path) {
                return Some(line);
            }
            path = path.rsplit_once('.')?.0;
        }
    }
}

/// Reads TOML.
///
/// # Errors
/// With the line of what is no TOML.
pub fn read(text: &str) -> Result<Read, ScenarioError> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
        .collect();
    let line_at = |offset: usize| starts.partition_point(|&start| start <= offset);
    if is_too_deep(text) {
        return Err(ScenarioError::new("tables and lists are nested too deeply"));
    }
    let table = DeTable::parse(text).map_err(|error| {
        let mut found = ScenarioError::new(format!("not TOML: {}", error.message()));
        found.line = error.span().map(|span| line_at(span.start));
        found
    })?;
    let mut lines = BTreeMap::new();
    let table = entries(table.get_ref(), "", &mut |path, offset| {
        lines.entry(path).or_insert_with(|| line_at(offset));
    })?;
    Ok(Read { table, lines })
}

/// Whether brackets stand deeper in each other than any description needs: the parser goes down with them.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MOST_DEEP
    })
}

fn entries(table: &DeTable, above: &str, found: &mut impl FnMut(String, usize)) -> Result<Table, ScenarioError> {
    let mut all = Table::with_capacity(table.len());
    for (key, value) in table {
        let path = if above.is_empty() { key.get_ref().to_string() } else { format!("{above}.{}", key.get_ref()) };
        found(path.clone(), key.span().start);
        all.push((key.get_ref().to_string(), tree(value, &path, found)?));
    }
    Ok(all)
}

fn tree(value: &Spanned<DeValue>, path: &str, found: &mut impl FnMut(String, usize)) -> Result<Tree, ScenarioError> {
    Ok(match value.get_ref() {
        DeValue::String(text) => Tree::Text(text.to_string()),
        DeValue::Integer(whole) => match i64::from_str_radix(whole.as_str(), whole.radix()) {
            Ok(number) => Tree::Whole(number),
            Err(_) => match i128::from_str_radix(whole.as_str(), whole.radix()) {
                Ok(number) => Tree::Large(number.to_string()),
                Err(_) => Tree::Large(whole.as_str().to_string()),
            },
        },
        DeValue::Float(real) => Tree::Real(real.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Tree::Flag(*flag),
        DeValue::Datetime(instant) => Tree::Instant(instant.to_string()),
        DeValue::Array(items) => {
            let mut all = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let below = format!("{path}.{index}");
                found(below.clone(), item.span().start);
                all.push(tree(item, &below, found)?);
            }
            Tree::List(all)
        }
        DeValue::Table(table) => Tree::Table(entries(table, path, found)?),
    })
}
