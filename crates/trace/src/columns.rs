//! Columns of Arrow tables, and the packet table.
//!
//! Every table of this crate is an Arrow record batch whose column names carry their units. A packet event on a link is
//! a row with the fields of ns-2's trace line, from a simulation or from a file.

use std::sync::Arc;

use ackclock_engine::packet::Packet;
use arrow_array::builder::{
    Float64Builder, Int32Builder, Int64Builder, StringDictionaryBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::ns2::packet_trace::{flag_letters, shown_seqno};

/// The quantiles in the tables of a run: p50, p95 and p99.
pub const PARTS: [f64; 3] = [0.5, 0.95, 0.99];

/// A column of words with few distinct values.
pub type Words = StringDictionaryBuilder<Int8Type>;

/// A packet's event on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// Enters the queue (`+`).
    Enqueue,
    /// Leaves the queue for transmission (`-`).
    Dequeue,
    /// Arrives at the far end (`r`).
    Receive,
    /// Is dropped (`d`).
    Drop,
    /// Is corrupted by an error model (`e`); only in files.
    Error,
    /// Begins to propagate (`h`): nam formats show it in addition to the dequeue event; only in files.
    Hop,
}

impl PacketEvent {
    /// The name in the table.
    pub fn word(self) -> &'static str {
        match self {
            PacketEvent::Enqueue => "enqueue",
            PacketEvent::Dequeue => "dequeue",
            PacketEvent::Receive => "receive",
            PacketEvent::Drop => "drop",
            PacketEvent::Error => "error",
            PacketEvent::Hop => "hop",
        }
    }

    /// The event for a letter of ns-2's trace.
    pub fn of_letter(letter: u8) -> Option<PacketEvent> {
        Some(match letter {
            b'+' => PacketEvent::Enqueue,
            b'-' => PacketEvent::Dequeue,
            b'r' => PacketEvent::Receive,
            b'd' => PacketEvent::Drop,
            b'e' => PacketEvent::Error,
            b'h' => PacketEvent::Hop,
            _ => return None,
        })
    }
}

/// Builder of the packet table.
#[derive(Default)]
pub struct PacketColumns {
    event: Words,
    time_s: Float64Builder,
    from_node: Int32Builder,
    to_node: Int32Builder,
    kind: Words,
    size_bytes: Int32Builder,
    flags: Words,
    flow: Int32Builder,
    source_node: Int32Builder,
    source_port: Int32Builder,
    destination_node: Int32Builder,
    destination_port: Int32Builder,
    sequence: Int64Builder,
    packet: Int64Builder,
}

impl PacketColumns {
    /// Appends an event of a simulated packet on a link.
    ///
    /// # Panics
    /// If there are more than 127 packet types or combinations of flags.
    pub fn push_packet(&mut self, event: PacketEvent, time_s: f64, (from_node, to_node): (i32, i32), packet: &Packet) {
        let letters = flag_letters(packet);
        self.event.append_value(event.word());
        self.time_s.append_value(time_s);
        self.from_node.append_value(from_node);
        self.to_node.append_value(to_node);
        self.kind.append_value(packet.kind.name());
        self.size_bytes.append_value(packet.size);
        self.flags.append_value(std::str::from_utf8(&letters).expect("flags are ASCII"));
        self.flow.append_value(packet.fid);
        self.source_node.append_value(packet.src.node);
        self.source_port.append_value(packet.src.port);
        self.destination_node.append_value(packet.dst.node);
        self.destination_port.append_value(packet.dst.port);
        self.sequence.append_value(i64::from(shown_seqno(packet)));
        self.packet.append_value(i64::from(packet.uid));
    }

    /// Returns the rows so far as a table, and starts a new one.
    pub fn finish(&mut self) -> RecordBatch {
        batch(vec![
            ("event", Arc::new(self.event.finish())),
            ("time_s", Arc::new(self.time_s.finish())),
            ("from_node", Arc::new(self.from_node.finish())),
            ("to_node", Arc::new(self.to_node.finish())),
            ("kind", Arc::new(self.kind.finish())),
            ("size_bytes", Arc::new(self.size_bytes.finish())),
            ("flags", Arc::new(self.flags.finish())),
            ("flow", Arc::new(self.flow.finish())),
            ("source_node", Arc::new(self.source_node.finish())),
            ("source_port", Arc::new(self.source_port.finish())),
            ("destination_node", Arc::new(self.destination_node.finish())),
            ("destination_port", Arc::new(self.destination_port.finish())),
            ("sequence", Arc::new(self.sequence.finish())),
            ("packet", Arc::new(self.packet.finish())),
        ])
    }
}

/// The columns of the packet table.
pub fn packet_schema() -> Schema {
    PacketColumns::default().finish().schema().as_ref().clone()
}

/// Makes a table of these columns; the caller ensures that they have one length.
pub fn batch(columns: Vec<(&'static str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    of_schema(Arc::new(Schema::new(fields)), arrays)
}

fn of_schema(schema: SchemaRef, arrays: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(schema, arrays).expect("all columns of a table have one length")
}

/// The columns of a table that every run has. They are found once: there may be many short runs.
pub struct Shape {
    columns: Vec<(&'static str, Column)>,
    schema: SchemaRef,
}

impl Shape {
    /// The columns of these rows.
    pub fn of(mut rows: Rows) -> Shape {
        let columns = rows.columns.iter().map(|(name, column)| (*name, column.fresh())).collect();
        Shape { columns, schema: rows.finish().schema() }
    }

    /// An empty table with these columns.
    pub fn rows(&self) -> Rows {
        let columns = self.columns.iter().map(|(name, column)| (*name, column.fresh())).collect();
        Rows { columns, schema: Some(self.schema.clone()), ..Rows::default() }
    }
}

/// Builder of a table, column by column; numbers may be missing.
#[derive(Default)]
pub struct Rows {
    columns: Vec<(&'static str, Column)>,
    next: usize,
    /// Appending only defines the columns.
    names_only: bool,
    /// The schema, if known.
    schema: Option<SchemaRef>,
}

enum Column {
    Reals(Float64Builder),
    Counts(UInt64Builder),
    Numbers(UInt32Builder),
    Integers(Int32Builder),
    Longs(Int64Builder),
    Words(Words),
}

impl Column {
    /// An empty column of the same type.
    fn fresh(&self) -> Column {
        match self {
            Column::Reals(_) => Column::Reals(Float64Builder::with_capacity(FEW)),
            Column::Counts(_) => Column::Counts(UInt64Builder::with_capacity(FEW)),
            Column::Numbers(_) => Column::Numbers(UInt32Builder::with_capacity(FEW)),
            Column::Integers(_) => Column::Integers(Int32Builder::with_capacity(FEW)),
            Column::Longs(_) => Column::Longs(Int64Builder::with_capacity(FEW)),
            Column::Words(_) => Column::Words(Words::new()),
        }
    }
}

/// Initial capacity of tables of run totals: they are short, and there may be many runs.
const FEW: usize = 8;

macro_rules! appends {
    ($($(#[$doc:meta])* $method:ident: $kind:ident($builder:ident) of $type:ty;)*) => {
        $($(#[$doc])*
        pub fn $method(&mut self, name: &'static str, value: impl Into<Option<$type>>) -> &mut Rows {
            let index = self.next;
            self.next += 1;
            if index == self.columns.len() {
                self.columns.push((name, Column::$kind($builder::with_capacity(self.room()))));
            }
            match &mut self.columns[index] {
                _ if self.names_only => {}
                (known, Column::$kind(column)) if same(known, name) => column.append_option(value.into()),
                (known, _) => panic!("column {index} is {known}, not {name}"),
            }
            self
        })*
    };
}

/// Whether the names are equal; they usually are the same string in memory.
fn same(known: &'static str, name: &'static str) -> bool {
    std::ptr::eq(known, name) || known == name
}

impl Rows {
    /// An empty table with the columns of the row that `append` appends.
    pub fn like(append: impl FnOnce(&mut Rows)) -> Rows {
        let mut rows = Rows { names_only: true, columns: Vec::with_capacity(48), ..Rows::default() };
        append(&mut rows);
        rows.names_only = false;
        rows
    }

    appends! {
        /// Appends a real number to the next column of the present row.
        real: Reals(Float64Builder) of f64;
        /// Appends a count.
        count: Counts(UInt64Builder) of u64;
        /// Appends an object number.
        number: Numbers(UInt32Builder) of u32;
        /// Appends a signed integer.
        integer: Integers(Int32Builder) of i32;
        /// Appends a 64-bit signed integer.
        long: Longs(Int64Builder) of i64;
    }

    /// Appends a word.
    pub fn word(&mut self, name: &'static str, value: &str) -> &mut Rows {
        let index = self.next;
        self.next += 1;
        if index == self.columns.len() {
            self.columns.push((name, Column::Words(Words::new())));
        }
        match &mut self.columns[index] {
            _ if self.names_only => {}
            (known, Column::Words(column)) if same(known, name) => column.append_value(value),
            (known, _) => panic!("column {index} is {known}, not {name}"),
        }
        self
    }

    fn room(&self) -> usize {
        if self.names_only { FEW } else { 1024 }
    }

    /// Ends the row.
    pub fn end(&mut self) {
        debug_assert_eq!(self.next, self.columns.len(), "a row has all columns");
        self.next = 0;
    }

    /// Returns the table. Nothing can be appended afterwards.
    pub fn finish(&mut self) -> RecordBatch {
        let columns = std::mem::take(&mut self.columns).into_iter().map(|(name, column)| {
            let array: ArrayRef = match column {
                Column::Reals(mut reals) => Arc::new(reals.finish()),
                Column::Counts(mut counts) => Arc::new(counts.finish()),
                Column::Numbers(mut numbers) => Arc::new(numbers.finish()),
                Column::Integers(mut integers) => Arc::new(integers.finish()),
                Column::Longs(mut longs) => Arc::new(longs.finish()),
                Column::Words(mut words) => Arc::new(words.finish()),
            };
            (name, array)
        });
        match self.schema.take() {
            Some(schema) => of_schema(schema, columns.map(|(_, array)| array).collect()),
            None => batch(columns.collect()),
        }
    }
}
