//! Parquet tables, compressed with Snappy.

use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
pub use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::reader::ChunkReader;

use crate::tables::merged_runs::{Batches, Merged};

/// A writer for a table in parts.
///
/// # Errors
/// If the output fails.
pub fn writer<W: Write + Send>(output: W, schema: SchemaRef) -> Result<ArrowWriter<W>, ParquetError> {
    ArrowWriter::try_new(output, schema, Some(properties().build()))
}

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::SNAPPY)
}

/// Writes a table.
///
/// # Errors
/// If the output fails.
pub fn write(output: impl Write + Send, schema: SchemaRef, batches: &[RecordBatch]) -> Result<(), ParquetError> {
    let mut writer = writer(output, schema)?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(())
}

/// Writes the next rows of a table of runs: those whose point starts with `begin`.
///
/// # Errors
/// If the output fails, or reading an input.
pub fn write_runs(output: impl Write + Send, merged: &mut Merged, begin: &str) -> Result<(), ParquetError> {
    let properties = properties().set_max_row_group_bytes(Some(GROUP_BYTES)).build();
    let mut writer = ArrowWriter::try_new(output, merged.schema().clone(), Some(properties))?;
    merged.each_batch(begin, |batch| writer.write(batch))?;
    writer.close()?;
    Ok(())
}

/// Max size of a row group before compression, bytes. A writer and a reader hold one row group, with a dictionary per
/// column, in memory, for any number of runs.
const GROUP_BYTES: usize = 512 * 1024;

/// Reads a table: its schema and its batches.
///
/// # Errors
/// If the file is not a Parquet file or is truncated.
pub fn read(input: impl ChunkReader + 'static) -> Result<(SchemaRef, Vec<RecordBatch>), ParquetError> {
    // The parquet crate panics on some damaged files.
    quietly(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input)?;
        let schema = builder.schema().clone();
        let batches = builder.build()?.collect::<Result<Vec<_>, _>>()?;
        Ok((schema, batches))
    })
    .unwrap_or_else(|| Err(damaged()))
}

/// Reads a table in parts of `rows` rows.
///
/// # Errors
/// If the file is not a Parquet file or is truncated.
pub fn read_parts(input: impl ChunkReader + 'static, rows: usize) -> Result<(SchemaRef, Batches), ParquetError> {
    let begun = quietly(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input)?.with_batch_size(rows);
        let schema = builder.schema().clone();
        Ok::<_, ParquetError>((schema, builder.build()?))
    });
    let (schema, mut reader) = begun.unwrap_or_else(|| Err(damaged()))?;
    let read = move || quietly(|| reader.next()).unwrap_or_else(|| Some(Err(damaged().into())));
    Ok((schema, Box::new(std::iter::from_fn(read))))
}

fn damaged() -> ParquetError {
    ParquetError::General("the file is damaged".to_owned())
}

thread_local! {
    /// Whether a panic of this thread is expected and must not be printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result of `read`; `None` if it panics.
pub(crate) fn quietly<T>(read: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    QUIET.set(true);
    let found = catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    found.ok()
}

/// Reads a table from memory.
///
/// # Errors
/// If it is not a Parquet file.
pub fn read_bytes(input: &[u8]) -> Result<(SchemaRef, Vec<RecordBatch>), ParquetError> {
    read(Bytes::copy_from_slice(input))
}
