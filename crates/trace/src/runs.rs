//! Tables of many runs as one table: in front of each row stands its run, by `point`, the digest of what was run, and
//! `seed`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;

const POINT: &str = "point";
const SEED: &str = "seed";

/// The rows of one run in a batch.
struct Span<'a> {
    point: &'a str,
    seed: i64,
    batch: &'a RecordBatch,
    first: usize,
    rows: usize,
}

/// One batch of the tables of many runs, which are given by point, seed and table: each row has its run's in front, and
/// the rows are in their order. Of a run that is there twice the first counts.
///
/// # Errors
/// When the tables are not of the same columns, or have columns of these names.
pub fn join(of_runs: &[(&str, i64, RecordBatch)]) -> Result<RecordBatch, ArrowError> {
    let schema = of_runs.first().map_or_else(|| Arc::new(Schema::empty()), |(.., rows)| rows.schema());
    if schema.column_with_name(POINT).or(schema.column_with_name(SEED)).is_some() {
        return Err(ArrowError::SchemaError(format!("a run's table has no column {POINT} or {SEED}")));
    }
    let mut runs: Vec<_> = of_runs.iter().collect();
    runs.sort_by_key(|(point, seed, _)| (*point, *seed));
    runs.dedup_by_key(|(point, seed, _)| (*point, *seed));
    if runs.iter().any(|(.., rows)| rows.schema().fields() != schema.fields()) {
        return Err(ArrowError::SchemaError("tables of runs have different columns".to_owned()));
    }
    let points = runs.iter().flat_map(|(point, _, rows)| std::iter::repeat_n(*point, rows.num_rows()));
    let seeds = runs.iter().flat_map(|(_, seed, rows)| std::iter::repeat_n(*seed, rows.num_rows()));
    let rows = concat_batches(&schema, runs.iter().map(|(.., rows)| rows))?;
    let mut columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from_iter_values(points)), Arc::new(Int64Array::from_iter_values(seeds))];
    columns.extend(rows.columns().iter().cloned());
    let mut fields =
        vec![Arc::new(Field::new(POINT, DataType::Utf8, false)), Arc::new(Field::new(SEED, DataType::Int64, false))];
    fields.extend(schema.fields().iter().cloned());
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// A table's parts as one batch: a run may begin in one part and end in the next.
///
/// # Errors
/// When they are not of these columns.
pub fn whole(schema: &SchemaRef, parts: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    match parts {
        [only] => Ok(only.clone()),
        _ => concat_batches(schema, parts),
    }
}

/// One batch of all runs in these, in the order of point and seed; of a run that is there twice the first counts. Only
/// points whose digest begins with one of `letters` are taken, or all. No run may be in two of the batches by parts.
///
/// # Errors
/// When they are not of the same columns, or no tables of runs.
pub fn merge(batches: &[RecordBatch], letters: Option<&str>) -> Result<RecordBatch, ArrowError> {
    let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    let mut spans = Vec::new();
    for batch in batches {
        if batch.schema().fields() != schema.fields() {
            return Err(ArrowError::SchemaError("tables of runs have different columns".to_owned()));
        }
        spans.extend(spans_of(batch)?);
    }
    spans.retain(|span| letters.is_none_or(|letters| span.point.starts_with(|first| letters.contains(first))));
    spans.sort_by_key(|span| (span.point, span.seed));
    spans.dedup_by_key(|span| (span.point, span.seed));
    let mut parts: Vec<Span> = Vec::new();
    for span in spans {
        match parts.last_mut() {
            Some(last) if std::ptr::eq(last.batch, span.batch) && last.first + last.rows == span.first => {
                last.rows += span.rows;
            }
            _ => parts.push(span),
        }
    }
    let rows = |part: &Span| match part.rows == part.batch.num_rows() {
        true => part.batch.clone(),
        false => part.batch.slice(part.first, part.rows),
    };
    let parts: Vec<_> = parts.iter().map(rows).collect();
    concat_batches(&schema, &parts)
}

/// The runs of a table: point, seed, and rows without these.
///
/// # Errors
/// When it is no table of runs.
pub fn split(batch: &RecordBatch) -> Result<Vec<(String, i64, RecordBatch)>, ArrowError> {
    let rest: Vec<usize> = (2..batch.num_columns()).collect();
    let spans = spans_of(batch)?;
    let plain = batch.project(&rest)?;
    Ok(spans.iter().map(|span| (span.point.to_owned(), span.seed, plain.slice(span.first, span.rows))).collect())
}

fn spans_of(batch: &RecordBatch) -> Result<Vec<Span<'_>>, ArrowError> {
    let schema = batch.schema();
    let named = schema.fields().iter().take(2).map(|field| (field.name().as_str(), field.data_type()));
    if !named.eq([(POINT, &DataType::Utf8), (SEED, &DataType::Int64)]) {
        return Err(ArrowError::SchemaError(format!("a table of runs begins with the columns {POINT} and {SEED}")));
    }
    let (points, seeds) = (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Int64Type>());
    let mut spans: Vec<Span> = Vec::new();
    for row in 0..batch.num_rows() {
        let (point, seed) = (points.value(row), seeds.value(row));
        match spans.last_mut() {
            Some(last) if last.seed == seed && last.point == point => last.rows += 1,
            _ => spans.push(Span { point, seed, batch, first: row, rows: 1 }),
        }
    }
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[i64]) -> RecordBatch {
        let field = Field::new("number", DataType::Int64, true);
        let column: ArrayRef = Arc::new(Int64Array::from(numbers.to_vec()));
        RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
    }

    fn told(batch: &RecordBatch) -> Vec<(String, i64, Vec<i64>)> {
        let told = |rows: &RecordBatch| rows.column(0).as_primitive::<Int64Type>().values().to_vec();
        split(batch).unwrap().iter().map(|(point, seed, rows)| (point.clone(), *seed, told(rows))).collect()
    }

    #[test]
    fn runs_come_out_in_order_and_once() {
        let runs = [("b", 2, vec![5]), ("a", 7, vec![1, 2]), ("b", 1, vec![3, 4]), ("a", 7, vec![9, 9])];
        let runs = runs.map(|(point, seed, of)| (point, seed, rows(&of)));
        let merged = join(&runs).unwrap();
        let wanted = [("a".to_owned(), 7, vec![1, 2]), ("b".to_owned(), 1, vec![3, 4]), ("b".to_owned(), 2, vec![5])];
        assert_eq!(told(&merged), wanted);
        let batches: Vec<_> = runs.into_iter().map(|run| join(&[run]).unwrap()).collect();
        assert_eq!(merge(&batches, None).unwrap(), merged);
        // However they are put together.
        let half = merge(&batches[..2], None).unwrap();
        assert_eq!(merge(&[half, merge(&batches[2..], None).unwrap()], None).unwrap(), merged);
        assert_eq!(told(&merge(&[merged], Some("xa")).unwrap()), wanted[..1]);
    }

    #[test]
    fn other_columns_are_refused() {
        let run = join(&[("a", 1, rows(&[1]))]).unwrap();
        assert!(join(&[("a", 1, run.clone())]).is_err());
        let fewer = rows(&[1]).project(&[]).unwrap();
        assert!(join(&[("a", 1, rows(&[1])), ("a", 2, fewer)]).is_err());
        assert!(split(&rows(&[1])).is_err());
        let other = run.project(&[0, 1]).unwrap();
        assert!(merge(&[run, other], None).is_err());
    }
}
