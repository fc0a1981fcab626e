//! Tables as Arrow record batches.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int8Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{Field, Schema};

use crate::columns::{Column, PacketColumns, Table};

impl Table {
    /// The table as a record batch. Numbers are not copied.
    ///
    /// # Panics
    /// If the columns do not have one length.
    pub fn into_batch(self) -> RecordBatch {
        batch(self.columns.into_iter().map(|(name, column)| (name, array(column))).collect())
    }
}

fn array(column: Column) -> ArrayRef {
    macro_rules! numbers {
        ($array:ident, $column:expr) => {{
            let missing = (!$column.present.is_empty()).then(|| $column.present.into());
            Arc::new($array::new($column.values.into(), missing))
        }};
    }
    match column {
        Column::Reals(reals) => numbers!(Float64Array, reals),
        Column::Counts(counts) => numbers!(UInt64Array, counts),
        Column::Numbers(all) => numbers!(UInt32Array, all),
        Column::Integers(integers) => numbers!(Int32Array, integers),
        Column::Longs(longs) => numbers!(Int64Array, longs),
        Column::Words(words) => {
            let values = StringArray::from_iter_values(words.words.iter());
            Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(words.keys), Arc::new(values)))
        }
    }
}

/// The columns of the packet table.
pub fn packet_schema() -> Schema {
    PacketColumns::default().finish().into_batch().schema().as_ref().clone()
}

/// Makes a table of these columns; the caller ensures that they have one length.
fn batch(columns: Vec<(&'static str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("all columns of a table have one length")
}
