//! CSV tables: a header line, then a line per row; missing values are empty, reals have their shortest form.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Schema};

use crate::ns2::number::push_int;

/// Writes the header line.
///
/// # Errors
/// If the output fails.
pub fn write_head(output: &mut impl Write, schema: &Schema) -> io::Result<()> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    writeln!(output, "{}", names.join(","))
}

/// Writes the rows of a batch.
///
/// # Errors
/// If the output fails, or for a column type that this crate does not use.
pub fn write_rows(output: &mut impl Write, batch: &RecordBatch) -> io::Result<()> {
    let columns: Vec<Column> = batch.columns().iter().map(|array| Column::of(array)).collect::<io::Result<_>>()?;
    let mut text = Vec::with_capacity(1 << 16);
    for row in 0..batch.num_rows() {
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                text.push(b',');
            }
            column.push(&mut text, row);
        }
        text.push(b'\n');
        if text.len() > 1 << 15 {
            output.write_all(&text)?;
            text.clear();
        }
    }
    output.write_all(&text)
}

enum Column<'a> {
    Reals(&'a arrow_array::PrimitiveArray<Float64Type>),
    Integers(&'a arrow_array::PrimitiveArray<Int32Type>),
    Longs(&'a arrow_array::PrimitiveArray<Int64Type>),
    Numbers(&'a arrow_array::PrimitiveArray<UInt32Type>),
    Counts(&'a arrow_array::PrimitiveArray<UInt64Type>),
    Words(&'a arrow_array::DictionaryArray<Int8Type>, &'a StringArray),
    Texts(&'a StringArray),
}

impl<'a> Column<'a> {
    fn of(array: &'a dyn Array) -> io::Result<Column<'a>> {
        let unknown = || io::Error::new(io::ErrorKind::Unsupported, format!("no CSV of {}", array.data_type()));
        Ok(match array.data_type() {
            DataType::Float64 => Column::Reals(array.as_primitive()),
            DataType::Int32 => Column::Integers(array.as_primitive()),
            DataType::Int64 => Column::Longs(array.as_primitive()),
            DataType::UInt32 => Column::Numbers(array.as_primitive()),
            DataType::UInt64 => Column::Counts(array.as_primitive()),
            DataType::Utf8 => Column::Texts(array.as_string()),
            DataType::Dictionary(..) => {
                let words = array.as_dictionary_opt::<Int8Type>().ok_or_else(unknown)?;
                Column::Words(words, words.values().as_string_opt().ok_or_else(unknown)?)
            }
            _ => return Err(unknown()),
        })
    }

    fn push(&self, text: &mut Vec<u8>, row: usize) {
        match self {
            Column::Reals(values) if values.is_valid(row) => {
                write!(text, "{}", values.value(row)).expect("a vector takes what is written to it");
            }
            Column::Integers(values) if values.is_valid(row) => push_int(text, values.value(row).into()),
            Column::Longs(values) if values.is_valid(row) => push_int(text, values.value(row)),
            Column::Numbers(values) if values.is_valid(row) => push_int(text, values.value(row).into()),
            Column::Counts(values) if values.is_valid(row) => push_int(text, values.value(row) as i64),
            Column::Words(keys, words) => {
                if let Some(key) = keys.key(row) {
                    push_word(text, words.value(key));
                }
            }
            Column::Texts(values) if values.is_valid(row) => push_word(text, values.value(row)),
            _ => {}
        }
    }
}

/// Appends a word, quoted if CSV requires it.
fn push_word(text: &mut Vec<u8>, word: &str) {
    if word.contains([',', '"', '\n', '\r']) {
        text.push(b'"');
        text.extend_from_slice(word.replace('"', "\"\"").as_bytes());
        text.push(b'"');
    } else {
        text.extend_from_slice(word.as_bytes());
    }
}
