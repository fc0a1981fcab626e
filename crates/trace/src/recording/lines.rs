//! Sources of a recording's packet lines: a trace file, or a run's packet table.

use std::io::Read;
use std::vec::IntoIter;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type};
use arrow_array::{Array, Int8Array, RecordBatch, StringArray};

use super::nam_topology::NamTopology;
use crate::columns::PacketEvent;
use crate::names::Names;
use crate::read::ns2_trace::{Progress, Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// Iterates over packet lines.
pub enum Lines<R> {
    /// From a file.
    File(Box<Reader<R>>),
    /// From a table.
    Table(Box<TableLines>),
}

impl<R: Read> Lines<R> {
    /// The next packet line; other lines are passed to `nam_topology`.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn next_line(&mut self, nam_topology: &mut NamTopology) -> Result<Option<PacketLine>, TraceError> {
        match self {
            Lines::File(reader) => reader.next_line_and(|other| nam_topology.take(other)),
            Lines::Table(table) => Ok(table.next_line()),
        }
    }

    /// The names of packet types, by number.
    pub fn kinds(&self) -> &Names {
        match self {
            Lines::File(reader) => reader.kinds(),
            Lines::Table(table) => &table.kinds,
        }
    }

    /// The flag strings, by number.
    pub fn flags(&self) -> &Names {
        match self {
            Lines::File(reader) => reader.flags(),
            Lines::Table(table) => &table.flags,
        }
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        match self {
            Lines::File(reader) => reader.progress(),
            Lines::Table(table) => table.progress,
        }
    }
}

/// The packet table as lines.
pub struct TableLines {
    parts: IntoIter<RecordBatch>,
    part: Option<Part>,
    kinds: Names,
    flags: Names,
    progress: Progress,
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
    /// From the parts of a table with the columns of [`crate::columns::packet_schema`]; `None` for other columns.
    pub fn new(parts: Vec<RecordBatch>) -> Option<TableLines> {
        let wanted = crate::columns::packet_schema();
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

    fn next_line(&mut self) -> Option<PacketLine> {
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
                events: words(&table, "event", |word| PacketEvent::of_letter(*b"+-rdeh".get(word_index(word)?)?)),
                kinds: words(&table, "kind", |word| numbered(&mut self.kinds, word)),
                flags: words(&table, "flags", |word| numbered(&mut self.flags, word)),
                table,
                row: 0,
            });
        }
    }
}

fn word_index(word: &str) -> Option<usize> {
    ["enqueue", "dequeue", "receive", "drop", "error", "hop"].iter().position(|known| *known == word)
}

fn numbered(names: &mut Names, word: &str) -> u8 {
    let mut start = [0; 8];
    let length = word.len().min(8);
    start[..length].copy_from_slice(&word.as_bytes()[..length]);
    names.number((word.as_bytes(), u64::from_le_bytes(start))).unwrap_or_default()
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
