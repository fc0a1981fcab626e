//! JSON as descriptions, and descriptions as TOML.

use std::fmt::Write;

use ackclock_scenario::tree::{Table, Tree, shortest};
use serde_json::{Map, Value};

/// The keys and values of an object; what is null is not there.
pub fn keys(object: &Map<String, Value>) -> Table {
    object.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), tree(value))).collect()
}

fn tree(value: &Value) -> Tree {
    match value {
        Value::Null => Tree::Text(String::new()),
        Value::Bool(flag) => Tree::Flag(*flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Tree::Whole(whole),
            (_, Some(whole)) => Tree::Large(whole.to_string()),
            _ => Tree::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Tree::Text(text.clone()),
        Value::Array(items) => Tree::List(items.iter().map(tree).collect()),
        Value::Object(object) => Tree::Table(keys(object)),
    }
}

/// A description as a TOML file.
pub fn toml(table: &Table) -> String {
    let mut out = String::new();
    push_table(&mut out, table, "");
    out
}

fn push_table(out: &mut String, table: &Table, path: &str) {
    let is_below = |value: &Tree| matches!(value, Tree::Table(_)) || is_tables(value);
    for (key, value) in table.iter().filter(|(_, value)| !is_below(value)) {
        let _ = write!(out, "{} = ", quoted_key(key));
        push_value(out, value);
        out.push('\n');
    }
    for (key, value) in table.iter().filter(|(_, value)| is_below(value)) {
        let key = quoted_key(key);
        let path = if path.is_empty() { key } else { format!("{path}.{key}") };
        match value {
            Tree::Table(below) => {
                let _ = write!(out, "\n[{path}]\n");
                push_table(out, below, &path);
            }
            Tree::List(all) => {
                for below in all {
                    let _ = write!(out, "\n[[{path}]]\n");
                    push_table(out, &below.table().to_vec(), &path);
                }
            }
            _ => {}
        }
    }
}

fn is_tables(value: &Tree) -> bool {
    matches!(value, Tree::List(items) if !items.is_empty() && items.iter().all(|item| matches!(item, Tree::Table(_))))
}

fn quoted_key(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { key.into() } else { quoted(key) }
}

/// A JSON string with JSON's escapes is a TOML one.
fn quoted(text: &str) -> String {
    Value::String(text.into()).to_string().replace('\u{7f}', "\\u007f")
}

fn push_value(out: &mut String, value: &Tree) {
    match value {
        Tree::Flag(flag) => drop(write!(out, "{flag}")),
        Tree::Whole(whole) => drop(write!(out, "{whole}")),
        Tree::Large(digits) | Tree::Instant(digits) => out.push_str(digits),
        Tree::Real(real) => out.push_str(&shortest(*real)),
        Tree::Text(text) => out.push_str(&quoted(text)),
        Tree::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                push_value(out, item);
            }
            out.push(']');
        }
        Tree::Table(table) => {
            out.push('{');
            for (index, (key, value)) in table.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                let _ = write!(out, "{} = ", quoted_key(key));
                push_value(out, value);
            }
            out.push_str(" }");
        }
    }
}
