//! Tables in files: Parquet, compressed.

use std::fs::File;
use std::io::Write;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

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
pub fn read(file: File) -> Result<(SchemaRef, Vec<RecordBatch>), ParquetError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let schema = builder.schema().clone();
    let batches = builder.build()?.collect::<Result<Vec<_>, _>>()?;
    Ok((schema, batches))
}
