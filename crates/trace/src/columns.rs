//! Columns of Arrow tables, and the table of packets.
//!
//! Every table that this crate makes is an Arrow record batch whose column names carry their units. A packet's event on a
//! link is a row with the fields of ns-2's trace line, whether a simulation made it or it was read from a file.

use std::sync::Arc;

use ackclock_engine::packet::Packet;
use arrow_array::builder::{
    Float64Builder, Int32Builder, Int64Builder, StringDictionaryBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::ns2::packet_trace::{flag_letters, shown_seqno};

/// Words of few kinds.
pub type Words = StringDictionaryBuilder<Int8Type>;

/// What happens to a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// It comes to the queue (`+`).
    Enqueue,
    /// The transmitter takes it (`-`).
    Dequeue,
    /// It reaches the far end (`r`).
    Receive,
    /// It is lost (`d`).
    Drop,
    /// An error model has corrupted it (`e`); in files alone.
    Error,
    /// It is on its way (`h`): the formats for nam tell it beside the dequeuing; in files alone.
    Hop,
}

impl PacketEvent {
    /// The word in the table.
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

    /// The event that a letter of ns-2's trace names.
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

/// The table of packets while it is made.
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
    /// Appends what happens to a packet of a simulation on a link.
    ///
    /// # Panics
    /// When there are more than 127 kinds of packets or combinations of flags.
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

    /// The rows so far, as a table; the next row is the first of another.
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

/// A table of these columns, all of one length; whoever makes them sees to that.
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
    empty: fn() -> Rows,
    schema: SchemaRef,
}

impl Shape {
    /// That of the rows which this makes.
    pub fn of(empty: fn() -> Rows) -> Shape {
        Shape { empty, schema: empty().finish().schema() }
    }

    /// A table of this shape without rows.
    pub fn rows(&self) -> Rows {
        Rows { schema: Some(self.schema.clone()), ..(self.empty)() }
    }
}

/// A table while it is made, column by column, of numbers that may be missing.
#[derive(Default)]
pub struct Rows {
    columns: Vec<(&'static str, Column)>,
    next: usize,
    /// What is appended only names the columns.
    names_only: bool,
    /// If it is known.
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

/// Whether these are the same names, which mostly are the same text in memory.
fn same(known: &'static str, name: &'static str) -> bool {
    std::ptr::eq(known, name) || known == name
}

impl Rows {
    /// A table without rows, whose columns are those of the row that `append` appends.
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
        /// Appends the number of a thing.
        number: Numbers(UInt32Builder) of u32;
        /// Appends a whole number that may be negative.
        integer: Integers(Int32Builder) of i32;
        /// Appends a great whole number that may be negative.
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

    /// Rows to make room for: the totals of a run are few, and there may be many runs.
    fn room(&self) -> usize {
        if self.names_only { 8 } else { 1024 }
    }

    /// The row is complete.
    pub fn end(&mut self) {
        debug_assert_eq!(self.next, self.columns.len(), "a row has all columns");
        self.next = 0;
    }

    /// The table. It is complete: nothing can be appended afterwards.
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
