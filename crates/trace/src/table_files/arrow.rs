//! Tables of runs in Arrow IPC stream files: columns in their memory layout. A sweep stores its runs in this format
//! until they are merged, which takes half as long as with Parquet.

use std::io::{Read, Seek, SeekFrom, Write};

use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};

use crate::table_files::parquet::quietly;
use crate::tables::merged_runs::{Batches, Merged};

/// The end-of-stream marker: a message of length 0.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// Writes the remaining rows of a table of runs.
///
/// # Errors
/// If the output fails, or reading an input.
pub fn write_runs(output: impl Write, merged: &mut Merged) -> Result<(), ArrowError> {
    let mut writer = StreamWriter::try_new_buffered(output, merged.schema())?;
    merged.each_batch("", |batch| writer.write(batch))?;
    writer.finish()
}

/// Reads a table in the parts in which it was written.
///
/// # Errors
/// If the file is not such a stream or is truncated.
pub fn read_parts(mut file: impl Read + Seek + Send + 'static) -> Result<(SchemaRef, Batches), ArrowError> {
    // A stream truncated between two parts would otherwise look complete.
    let mut end = [0; END.len()];
    let ended = file.seek(SeekFrom::End(-(END.len() as i64))).and_then(|_| file.read_exact(&mut end));
    if ended.is_err() || end != END {
        return Err(ArrowError::IpcError("the file is cut short".to_owned()));
    }
    file.rewind()?;
    let mut reader = quietly(|| StreamReader::try_new_buffered(file, None)).unwrap_or_else(|| Err(damaged()))?;
    let schema = reader.schema();
    let read = move || quietly(|| reader.next()).unwrap_or_else(|| Some(Err(damaged())));
    Ok((schema, Box::new(std::iter::from_fn(read))))
}

fn damaged() -> ArrowError {
    ArrowError::IpcError("the file is damaged".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    use super::*;
    use crate::columns::Rows;
    use crate::tables::merged_runs::{self, ROWS};

    /// A stream with several parts.
    fn stream() -> Vec<u8> {
        let mut rows = Rows::default();
        for number in 0..3 * ROWS as i64 {
            rows.long("number", number).real("share", (number % 3 == 0).then_some(0.5)).word("kind", "tcp").end();
        }
        let table = merged_runs::join(&[("a", 1, rows.finish().into_batch())]).unwrap();
        let mut merged = Merged::new(table.schema()).unwrap();
        merged.put_first(&table.schema(), Box::new([Ok(table.clone())].into_iter())).unwrap();
        let mut written = Cursor::new(Vec::new());
        write_runs(&mut written, &mut merged).unwrap();
        written.into_inner()
    }

    /// The numbers in a stream; `None` if it is not valid.
    fn numbers(content: &[u8]) -> Option<Vec<i64>> {
        let (_, parts) = read_parts(Cursor::new(content.to_owned())).ok()?;
        let mut found = Vec::new();
        for part in parts {
            found.extend_from_slice(part.ok()?.column_by_name("number")?.as_primitive_opt::<Int64Type>()?.values());
        }
        Some(found)
    }

    #[test]
    fn what_was_written_is_read_and_what_is_cut_short_is_not() {
        let written = stream();
        assert_eq!(numbers(&written).unwrap(), (0..3 * ROWS as i64).collect::<Vec<_>>());
        // This includes truncation between two parts.
        for length in (0..written.len()).step_by(8) {
            assert!(numbers(&written[..length]).is_none(), "{length} of {}", written.len());
        }
    }

    #[test]
    fn damage_is_reported_or_read_but_ends_nothing() {
        let written = stream();
        for place in (0..written.len()).step_by(13) {
            let mut damaged = written.clone();
            damaged[place] ^= 1 << (place % 8);
            drop(numbers(&damaged));
        }
    }
}
