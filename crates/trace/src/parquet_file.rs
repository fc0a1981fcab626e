//! Tables in files: Parquet, compressed.

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
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;

/// A writer of a table part by part.
///
/// # Errors
/// When the output fails.
pub fn writer<W: Write + Send>(output: W, schema: SchemaRef) -> Result<ArrowWriter<W>, ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    ArrowWriter::try_new(output, schema, Some(properties))
}

/// Writes a table.
///
/// # Errors
/// When the output fails.
pub fn write(output: impl Write + Send, schema: SchemaRef, batches: &[RecordBatch]) -> Result<(), ParquetError> {
    let mut writer = writer(output, schema)?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(())
}

/// Reads a table: its columns' names and types, and its parts.
///
/// # Errors
/// When the file is no Parquet file or is cut short.
pub fn read(input: impl ChunkReader + 'static) -> Result<(SchemaRef, Vec<RecordBatch>), ParquetError> {
    // The crate takes some damage for mistakes of its own, and panics.
    quietly(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input)?;
        let schema = builder.schema().clone();
        let batches = builder.build()?.collect::<Result<Vec<_>, _>>()?;
        Ok((schema, batches))
    })
    .unwrap_or_else(|| Err(ParquetError::General("the file is damaged".to_owned())))
}

thread_local! {
    /// Whether a panic of this thread is an answer, and nothing to be said on standard error.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `read` gives; nothing if it panics.
fn quietly<T>(read: impl FnOnce() -> T) -> Option<T> {
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

/// Reads a table that was written to memory.
///
/// # Errors
/// When this is no Parquet file.
pub fn read_bytes(input: &[u8]) -> Result<(SchemaRef, Vec<RecordBatch>), ParquetError> {
    read(Bytes::copy_from_slice(input))
}
