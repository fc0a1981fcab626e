//! Merges the tables of many runs into one table. Two columns identify the run of each row: `point`, the digest of its
//! configuration, and `seed`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;

const POINT: &str = "point";
const SEED: &str = "seed";

/// Rows per batch.
pub const ROWS: usize = 256;

/// Batches of a table of runs, sorted by point and seed. A run can span several batches.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Joins the tables of many runs, given by point, seed and table, into one batch. Each row gets the columns of its run,
/// and the rows are sorted. Of duplicate runs, the first counts.
///
/// # Errors
/// If the tables have different columns, or columns with these names.
pub fn join(of_runs: &[(&str, i64, RecordBatch)]) -> Result<RecordBatch, ArrowError> {
    let schema = of_runs.first().map_or_else(|| Arc::new(Schema::empty()), |(.., rows)| rows.schema());
    if schema.column_with_name(POINT).or(schema.column_with_name(SEED)).is_some() {
        return Err(ArrowError::SchemaError(format!("a run's table has no column {POINT} or {SEED}")));
    }
    let mut runs: Vec<_> = of_runs.iter().collect();
    runs.sort_by_key(|(point, seed, _)| (*point, *seed));
    runs.dedup_by_key(|(point, seed, _)| (*point, *seed));
    runs.iter().try_for_each(|(.., rows)| same_columns(&schema, &rows.schema()))?;
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

/// Concatenates the parts of a table: a run can span several parts.
///
/// # Errors
/// If they do not have these columns.
pub fn whole(schema: &SchemaRef, parts: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    match parts {
        [only] => Ok(only.clone()),
        _ => concat_batches(schema, parts),
    }
}

/// Rows of one run, or of several consecutive runs in one batch.
struct Rows {
    batch: RecordBatch,
    first: usize,
    count: usize,
}

/// Rows that will form a batch.
#[derive(Default)]
struct Gathered {
    parts: Vec<Rows>,
    count: usize,
}

impl Gathered {
    fn push(&mut self, rows: Rows) {
        self.count += rows.count;
        match self.parts.last_mut() {
            Some(last)
                if Arc::ptr_eq(last.batch.column(0), rows.batch.column(0)) && last.first + last.count == rows.first =>
            {
                last.count += rows.count;
            }
            _ => self.parts.push(rows),
        }
    }

    /// Removes at most `most` rows and returns them as one batch.
    fn take(&mut self, most: usize, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let wanted = most.min(self.count);
        let (mut batches, mut count) = (Vec::with_capacity(self.parts.len()), 0);
        let mut taken = 0;
        while count < wanted {
            let part = &mut self.parts[taken];
            let now = part.count.min(wanted - count);
            batches.push(part.batch.slice(part.first, now));
            (part.first, part.count, count) = (part.first + now, part.count - now, count + now);
            taken += usize::from(part.count == 0);
        }
        self.parts.drain(..taken);
        self.count -= wanted;
        whole(schema, &batches)
    }
}

/// A table of runs during reading: the current batch, and the next row.
struct Reading {
    rest: Batches,
    batch: RecordBatch,
    next: usize,
}

impl Reading {
    /// Point and seed of the next row; `None` at the end.
    fn run(&self) -> Option<(&str, i64)> {
        (self.next < self.batch.num_rows()).then(|| run_at(&self.batch, self.next))
    }

    /// Takes the next rows of one run from the current batch, and reads ahead.
    fn take(&mut self) -> Result<Option<Rows>, ArrowError> {
        let Some(run) = self.run() else { return Ok(None) };
        let more = (self.next + 1..self.batch.num_rows()).take_while(|&row| run_at(&self.batch, row) == run).count();
        let rows = Rows { batch: self.batch.clone(), first: self.next, count: 1 + more };
        self.next += rows.count;
        self.read_on()?;
        Ok(Some(rows))
    }

    fn read_on(&mut self) -> Result<(), ArrowError> {
        while self.next == self.batch.num_rows() {
            let schema = self.batch.schema();
            let Some(batch) = self.rest.next().transpose()? else {
                // Releases the memory of the last batch.
                *self = Reading { rest: Box::new(std::iter::empty()), batch: RecordBatch::new_empty(schema), next: 0 };
                return Ok(());
            };
            same_columns(&schema, &batch.schema())?;
            (self.batch, self.next) = (batch, 0);
        }
        Ok(())
    }
}

/// A merge of several tables of runs, each sorted by point and seed, and read on demand. Of a run that is in two
/// tables, the first table counts.
pub struct Merged {
    schema: SchemaRef,
    tables: Vec<Reading>,
}

impl Merged {
    /// An empty merge; all tables must have these columns.
    ///
    /// # Errors
    /// If these are not the columns of a table of runs.
    pub fn new(schema: SchemaRef) -> Result<Merged, ArrowError> {
        let named = schema.fields().iter().take(2).map(|field| (field.name().as_str(), field.data_type()));
        if !named.eq([(POINT, &DataType::Utf8), (SEED, &DataType::Int64)]) {
            return Err(ArrowError::SchemaError(format!("a table of runs begins with the columns {POINT} and {SEED}")));
        }
        Ok(Merged { schema, tables: Vec::new() })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a table. It has priority over the present ones, and must not have runs before those already taken.
    ///
    /// # Errors
    /// If it has other columns or cannot be read.
    pub fn put_first(&mut self, schema: &SchemaRef, batches: Batches) -> Result<(), ArrowError> {
        same_columns(&self.schema, schema)?;
        let mut table = Reading { rest: batches, batch: RecordBatch::new_empty(schema.clone()), next: 0 };
        table.read_on()?;
        self.tables.insert(0, table);
        Ok(())
    }

    /// Point and seed of the next run; `None` at the end.
    pub fn run(&self) -> Option<(&str, i64)> {
        self.tables.iter().filter_map(Reading::run).min()
    }

    /// The next rows of one run.
    fn take_rows(&mut self) -> Result<Option<Rows>, ArrowError> {
        // Of equal runs this is the first.
        let having = self.tables.iter_mut().filter(|table| table.run().is_some());
        let Some(table) = having.min_by(|one, other| one.run().cmp(&other.run())) else { return Ok(None) };
        let rows = table.take()?.expect("it has a run");
        let run = Some(run_at(&rows.batch, rows.first));
        if table.run() != run {
            for again in &mut self.tables {
                while again.run() == run {
                    again.take()?;
                }
            }
        }
        Ok(Some(rows))
    }

    /// Point, seed and rows of the next run, without these two columns; `None` at the end.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn take_run(&mut self) -> Result<Option<(String, i64, RecordBatch)>, ArrowError> {
        let Some((point, seed)) = self.run().map(|(point, seed)| (point.to_owned(), seed)) else { return Ok(None) };
        let mut gathered = Gathered::default();
        while self.run() == Some((&point, seed)) {
            if let Some(rows) = self.take_rows()? {
                gathered.push(rows);
            }
        }
        let rows = gathered.take(usize::MAX, &self.schema)?;
        let rest: Vec<usize> = (2..rows.num_columns()).collect();
        Ok(Some((point, seed, rows.project(&rest)?)))
    }

    /// Passes the rows of the next runs whose points start with `begin` to `take`, in batches of `ROWS` rows.
    ///
    /// # Errors
    /// If a table cannot be read, or `take` fails.
    pub fn each_batch<E: From<ArrowError>>(
        &mut self,
        begin: &str,
        mut take: impl FnMut(&RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut gathered = Gathered::default();
        while self.run().is_some_and(|(point, _)| point.starts_with(begin)) {
            if let Some(rows) = self.take_rows()? {
                gathered.push(rows);
            }
            while gathered.count >= ROWS {
                take(&gathered.take(ROWS, &self.schema)?)?;
            }
        }
        if gathered.count > 0 {
            take(&gathered.take(ROWS, &self.schema)?)?;
        }
        Ok(())
    }
}

fn same_columns(one: &Schema, other: &Schema) -> Result<(), ArrowError> {
    match one.fields() == other.fields() {
        true => Ok(()),
        false => Err(ArrowError::SchemaError("tables of runs have different columns".to_owned())),
    }
}

fn run_at(batch: &RecordBatch, row: usize) -> (&str, i64) {
    (batch.column(0).as_string::<i32>().value(row), batch.column(1).as_primitive::<Int64Type>().value(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[i64]) -> RecordBatch {
        let field = Field::new("number", DataType::Int64, true);
        let column: ArrayRef = Arc::new(Int64Array::from(numbers.to_vec()));
        RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
    }

    /// A merge of these tables, given in parts of `part` rows.
    fn merged(tables: &[RecordBatch], part: usize) -> Merged {
        let mut merged = Merged::new(tables[0].schema()).unwrap();
        for table in tables.iter().rev() {
            let starts = (0..table.num_rows()).step_by(part);
            let parts: Vec<_> =
                starts.map(|first| Ok(table.slice(first, part.min(table.num_rows() - first)))).collect();
            merged.put_first(&table.schema(), Box::new(parts.into_iter())).unwrap();
        }
        merged
    }

    fn rows_of(mut merged: Merged) -> Vec<(String, i64, Vec<i64>)> {
        let mut found = Vec::new();
        while let Some((point, seed, rows)) = merged.take_run().unwrap() {
            found.push((point, seed, rows.column(0).as_primitive::<Int64Type>().values().to_vec()));
        }
        found
    }

    #[test]
    fn runs_come_out_in_order_and_once() {
        let runs = [("b", 2, vec![5]), ("a", 7, vec![1, 2]), ("b", 1, vec![3, 4]), ("a", 7, vec![9, 9])];
        let runs = runs.map(|(point, seed, of)| (point, seed, rows(&of)));
        let joined = join(&runs).unwrap();
        let wanted = [("a".to_owned(), 7, vec![1, 2]), ("b".to_owned(), 1, vec![3, 4]), ("b".to_owned(), 2, vec![5])];
        assert_eq!(rows_of(merged(std::slice::from_ref(&joined), 9)), wanted);
        // In any combination, and with any part size.
        let tables: Vec<_> = runs.into_iter().map(|run| join(&[run]).unwrap()).collect();
        for part in [1, 2, 9] {
            assert_eq!(rows_of(merged(&tables, part)), wanted);
            assert_eq!(rows_of(merged(&[tables[1].clone(), joined.clone()], part)), wanted);
        }
    }

    #[test]
    fn batches_have_the_same_rows_whatever_they_are_made_from() {
        let all: Vec<i64> = (0..5 * ROWS as i64 / 2).collect();
        let joined = join(&[("a0", 1, rows(&all[..9])), ("a1", 1, rows(&all[9..])), ("b", 1, rows(&[7]))]).unwrap();
        let tables = [joined.clone(), join(&[("a1", 1, rows(&[3, 4, 5]))]).unwrap()];
        for part in [100, ROWS, 3 * ROWS] {
            let (mut merged, mut found) = (merged(&tables, part), Vec::new());
            merged
                .each_batch("a", |batch| -> Result<(), ArrowError> {
                    found.push(batch.clone());
                    Ok(())
                })
                .unwrap();
            assert_eq!(found.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [ROWS, ROWS, ROWS / 2]);
            assert_eq!(concat_batches(&joined.schema(), &found).unwrap(), joined.slice(0, all.len()));
            assert_eq!(merged.run(), Some(("b", 1)));
            merged.put_first(&joined.schema(), Box::new([join(&[("b", 0, rows(&[6]))])].into_iter())).unwrap();
            assert_eq!(rows_of(merged), [("b".to_owned(), 0, vec![6]), ("b".to_owned(), 1, vec![7])]);
        }
    }

    #[test]
    fn other_columns_are_refused() {
        let run = join(&[("a", 1, rows(&[1]))]).unwrap();
        assert!(join(&[("a", 1, run.clone())]).is_err());
        let fewer = rows(&[1]).project(&[]).unwrap();
        assert!(join(&[("a", 1, rows(&[1])), ("a", 2, fewer)]).is_err());
        assert!(Merged::new(rows(&[1]).schema()).is_err());
        let other = run.project(&[0, 1]).unwrap();
        let nothing = Box::new(std::iter::empty());
        assert!(Merged::new(run.schema()).unwrap().put_first(&other.schema(), nothing).is_err());
    }
}
