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
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::reader::ChunkReader;
use parquet::file::statistics::Statistics;

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

/// Reads a table in parts of `rows` rows. With `points`, which are sorted, the row groups of a table of runs that have none
/// of these points are left out.
///
/// # Errors
/// If the file is not a Parquet file or is truncated.
pub fn read_parts(
    input: impl ChunkReader + 'static,
    rows: usize,
    points: Option<&[String]>,
) -> Result<(SchemaRef, Batches), ParquetError> {
    let begun = quietly(|| {
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(input)?.with_batch_size(rows);
        let schema = builder.schema().clone();
        if let Some(points) = points {
            let groups = builder.metadata().row_groups().iter().enumerate();
            let having = groups.filter(|(_, group)| may_have(group, points)).map(|(number, _)| number).collect();
            builder = builder.with_row_groups(having);
        }
        Ok::<_, ParquetError>((schema, builder.build()?))
    });
    let (schema, mut reader) = begun.unwrap_or_else(|| Err(damaged()))?;
    let read = move || quietly(|| reader.next()).unwrap_or_else(|| Some(Err(damaged().into())));
    Ok((schema, Box::new(std::iter::from_fn(read))))
}

/// Whether rows of a group may have one of these points, by the least and the largest value of its first column.
fn may_have(group: &RowGroupMetaData, points: &[String]) -> bool {
    let range = group.columns().first().and_then(|column| column.statistics());
    let (Some(least), Some(largest)) =
        (range.and_then(Statistics::min_bytes_opt), range.and_then(Statistics::max_bytes_opt))
    else {
        return true;
    };
    let first = points.partition_point(|point| point.as_bytes() < least);
    points.get(first).is_some_and(|point| point.as_bytes() <= largest)
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

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;

    use super::*;
    use crate::columns::Rows;
    use crate::tables::merged_runs;

    /// A file with a run for each of these points, each in row groups of its own.
    fn file(points: &[&str]) -> Bytes {
        let of_run = |number: usize| {
            let mut rows = Rows::default();
            for row in 0..70_000 {
                rows.real("share", Some((row * 7 + number) as f64)).end();
            }
            rows.finish().into_batch()
        };
        let runs: Vec<_> = points.iter().enumerate().map(|(number, point)| (*point, 1, of_run(number))).collect();
        let table = merged_runs::join(&runs).unwrap();
        let mut merged = Merged::new(table.schema()).unwrap();
        merged.put_first(&table.schema(), Box::new([Ok(table.clone())].into_iter())).unwrap();
        let mut content = Vec::new();
        write_runs(&mut content, &mut merged, "").unwrap();
        content.into()
    }

    #[test]
    fn row_groups_without_a_wanted_point_are_left_out() {
        let content = file(&["a", "b", "c", "d"]);
        let rows_of = |points: Option<&[String]>, point: &str| {
            let (_, parts) = read_parts(content.clone(), 128, points).unwrap();
            let points = parts.map(|part| part.unwrap().column(0).as_string::<i32>().clone());
            points.map(|column| column.iter().filter(|found| *found == Some(point)).count()).sum::<usize>()
        };
        let wanted = ["b".to_owned(), "bb".to_owned(), "d".to_owned()];
        for point in ["b", "d"] {
            assert_eq!(rows_of(Some(&wanted), point), 70_000);
        }
        for point in ["a", "c"] {
            assert_eq!(rows_of(None, point), 70_000);
            // At most the rows of a group that it shares with a wanted point.
            assert!(rows_of(Some(&wanted), point) < 70_000, "{point}");
        }
        assert_eq!(rows_of(Some(&["0".to_owned(), "e".to_owned()]), "a"), 0);
        assert_eq!(rows_of(Some(&[]), "a"), 0);
    }
}
