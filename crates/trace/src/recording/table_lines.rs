//! A table of packets in Arrow's form as packet lines.

use std::vec::IntoIter;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type};
use arrow_array::{Array, Int8Array, RecordBatch, StringArray};

use crate::columns::PacketEvent;
use crate::names::Names;
use crate::read::ns2_trace::Progress;
use crate::read::packet_line::PacketLine;

/// The packet table as lines.
pub struct TableLines {
    parts: IntoIter<RecordBatch>,
    part: Option<Part>,
    pub(super) kinds: Names,
    pub(super) flags: Names,
    pub(super) progress: Progress,
}

/// A part of the table. Each part has its own dictionaries.
struct Part {
    table: RecordBatch,
    row: usize,
    events: Vec<Option<PacketEvent>>,
    kinds: Vec<u8>,
    flags: Vec<u8>,
}

impl TableLines {
    /// From the parts of a table with the columns of [`crate::record_batch::packet_schema`]; `None` for other columns.
    pub fn new(parts: Vec<RecordBatch>) -> Option<TableLines> {
        let wanted = crate::record_batch::packet_schema();
        let fits = |part: &RecordBatch| {
            part.num_columns() == wanted.fields().len()
                && part
                    .schema()
                    .fields()
                    .iter()
                    .zip(wanted.fields())
                    .all(|(is, wanted)| is.name() == wanted.name() && is.data_type() == wanted.data_type())
        };
        parts.iter().all(fits).then(|| TableLines {
            parts: parts.into_iter(),
            part: None,
            kinds: Names::default(),
            flags: Names::default(),
            progress: Progress::default(),
        })
    }

    /// The next line.
    pub fn next_line(&mut self) -> Option<PacketLine> {
        loop {
            if let Some(part) = &mut self.part
                && part.row < part.table.num_rows()
            {
                part.row += 1;
                self.progress.packets += 1;
                self.progress.lines += 1;
                match part.line(part.row - 1) {
                    Some(line) => return Some(line),
                    None => continue,
                }
            }
            let table = self.parts.next()?;
            self.part = Some(Part {
                events: words(&table, "event", PacketEvent::of_word),
                kinds: words(&table, "kind", |word| self.kinds.number_of(word)),
                flags: words(&table, "flags", |word| self.flags.number_of(word)),
                table,
                row: 0,
            });
        }
    }
}

/// Converts each word of a column's dictionary.
fn words<T>(table: &RecordBatch, name: &str, what: impl FnMut(&str) -> T) -> Vec<T> {
    let column = table.column_by_name(name).and_then(|column| column.as_dictionary_opt::<Int8Type>());
    let words = column.and_then(|column| column.values().as_any().downcast_ref::<StringArray>());
    words.map_or_else(Vec::new, |words| words.iter().map(Option::unwrap_or_default).map(what).collect())
}

impl Part {
    fn line(&self, row: usize) -> Option<PacketLine> {
        let column = |index: usize| self.table.column(index);
        let whole = |index: usize| column(index).as_primitive::<Int32Type>().value(row);
        let long = |index: usize| column(index).as_primitive::<Int64Type>().value(row);
        let key = |index: usize| {
            let keys: &Int8Array = column(index).as_dictionary::<Int8Type>().keys();
            keys.value(row) as usize
        };
        Some(PacketLine {
            event: (*self.events.get(key(0))?)?,
            time_s: column(1).as_primitive::<Float64Type>().value(row),
            from_node: whole(2),
            to_node: whole(3),
            kind: *self.kinds.get(key(4))?,
            size_bytes: whole(5),
            flags: *self.flags.get(key(6))?,
            flow: whole(7),
            source: (whole(8), whole(9)),
            destination: (whole(10), whole(11)),
            sequence: long(12),
            packet: long(13),
            header: None,
        })
    }
}
