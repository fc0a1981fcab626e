//! Columns of tables, and the packet table.
//!
//! The columns' names carry their units. With the feature `arrow`, a table becomes an Arrow record batch without a copy
//! of its numbers ([`Table::into_batch`]). A packet event on a link is a row with the fields of ns-2's trace line, from
//! a simulation or from a file.

use ackclock_engine::packet::Packet;

use crate::ns2::packet_trace::{flag_letters, shown_seqno};

/// The quantiles in the tables of a run: p50, p95 and p99.
pub const PARTS: [f64; 3] = [0.5, 0.95, 0.99];

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

    /// The event with this name in the table.
    pub fn of_word(word: &str) -> Option<PacketEvent> {
        use PacketEvent::{Dequeue, Drop, Enqueue, Error, Hop, Receive};
        [Enqueue, Dequeue, Receive, Drop, Error, Hop].into_iter().find(|event| event.word() == word)
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

/// Values of one type, some of which may be missing.
#[derive(Clone, Debug, Default)]
pub struct Optional<T> {
    pub(crate) values: Vec<T>,
    /// Whether each value is there; empty while none is missing.
    pub(crate) present: Vec<bool>,
}

impl<T: Copy + Default> Optional<T> {
    fn with_capacity(count: usize) -> Optional<T> {
        Optional { values: Vec::with_capacity(count), present: Vec::new() }
    }

    fn push(&mut self, value: Option<T>) {
        if value.is_none() && self.present.is_empty() {
            self.present = vec![true; self.values.len()];
        }
        if value.is_none() || !self.present.is_empty() {
            self.present.push(value.is_some());
        }
        self.values.push(value.unwrap_or_default());
    }

    /// The value of a row; `None` if it is missing.
    ///
    /// # Panics
    /// For a row that there is not.
    pub fn get(&self, row: usize) -> Option<T> {
        (self.present.is_empty() || self.present[row]).then(|| self.values[row])
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Words with few distinct values.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub(crate) keys: Vec<i8>,
    pub(crate) words: Vec<Box<str>>,
}

impl Words {
    /// # Panics
    /// For the 129th distinct word.
    fn push(&mut self, word: &str) {
        let last = self.keys.last().filter(|&&last| &*self.words[last as usize] == word);
        let known = last.copied().or_else(|| self.words.iter().position(|known| &**known == word).map(|at| at as i8));
        let key = known.unwrap_or_else(|| {
            self.words.push(word.into());
            i8::try_from(self.words.len() - 1).expect("a column has at most 128 distinct words")
        });
        self.keys.push(key);
    }

    /// The word of a row.
    ///
    /// # Panics
    /// For a row that there is not.
    pub fn get(&self, row: usize) -> &str {
        &self.words[self.keys[row] as usize]
    }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub enum Column {
    /// Real numbers.
    Reals(Optional<f64>),
    /// Counts.
    Counts(Optional<u64>),
    /// Numbers of objects.
    Numbers(Optional<u32>),
    /// Signed integers of 32 bits.
    Integers(Optional<i32>),
    /// Signed integers of 64 bits.
    Longs(Optional<i64>),
    /// Words.
    Words(Words),
}

impl Column {
    /// An empty column of the same type.
    fn fresh(&self) -> Column {
        match self {
            Column::Reals(_) => Column::Reals(Optional::with_capacity(FEW)),
            Column::Counts(_) => Column::Counts(Optional::with_capacity(FEW)),
            Column::Numbers(_) => Column::Numbers(Optional::with_capacity(FEW)),
            Column::Integers(_) => Column::Integers(Optional::with_capacity(FEW)),
            Column::Longs(_) => Column::Longs(Optional::with_capacity(FEW)),
            Column::Words(_) => Column::Words(Words::default()),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Reals(values) => values.len(),
            Column::Counts(values) => values.len(),
            Column::Numbers(values) => values.len(),
            Column::Integers(values) => values.len(),
            Column::Longs(values) => values.len(),
            Column::Words(words) => words.keys.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row as a real number; `None` if it is missing or a word.
    ///
    /// # Panics
    /// For a row that there is not.
    pub fn real(&self, row: usize) -> Option<f64> {
        match self {
            Column::Reals(values) => values.get(row),
            Column::Counts(values) => values.get(row).map(|value| value as f64),
            Column::Numbers(values) => values.get(row).map(f64::from),
            Column::Integers(values) => values.get(row).map(f64::from),
            Column::Longs(values) => values.get(row).map(|value| value as f64),
            Column::Words(_) => None,
        }
    }
}

/// A table of a run: columns of one length, each with its name.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(known, _)| *known == name).map(|(_, column)| column)
    }
}

/// Builder of the packet table.
#[derive(Default)]
pub struct PacketColumns {
    event: Words,
    time_s: Optional<f64>,
    from_node: Optional<i32>,
    to_node: Optional<i32>,
    kind: Words,
    size_bytes: Optional<i32>,
    flags: Words,
    flow: Optional<i32>,
    source_node: Optional<i32>,
    source_port: Optional<i32>,
    destination_node: Optional<i32>,
    destination_port: Optional<i32>,
    sequence: Optional<i64>,
    packet: Optional<i64>,
}

impl PacketColumns {
    /// Appends an event of a simulated packet on a link.
    ///
    /// # Panics
    /// If there are more than 127 packet types or combinations of flags.
    pub fn push_packet(&mut self, event: PacketEvent, time_s: f64, (from_node, to_node): (i32, i32), packet: &Packet) {
        let letters = flag_letters(packet);
        self.event.push(event.word());
        self.time_s.push(Some(time_s));
        self.from_node.push(Some(from_node));
        self.to_node.push(Some(to_node));
        self.kind.push(packet.kind.name());
        self.size_bytes.push(Some(packet.size));
        self.flags.push(std::str::from_utf8(&letters).expect("flags are ASCII"));
        self.flow.push(Some(packet.fid));
        self.source_node.push(Some(packet.src.node));
        self.source_port.push(Some(packet.src.port));
        self.destination_node.push(Some(packet.dst.node));
        self.destination_port.push(Some(packet.dst.port));
        self.sequence.push(Some(i64::from(shown_seqno(packet))));
        self.packet.push(Some(i64::from(packet.uid)));
    }

    /// Returns the rows so far as a table, and starts a new one.
    pub fn finish(&mut self) -> Table {
        let rows = std::mem::take(self);
        Table {
            columns: vec![
                ("event", Column::Words(rows.event)),
                ("time_s", Column::Reals(rows.time_s)),
                ("from_node", Column::Integers(rows.from_node)),
                ("to_node", Column::Integers(rows.to_node)),
                ("kind", Column::Words(rows.kind)),
                ("size_bytes", Column::Integers(rows.size_bytes)),
                ("flags", Column::Words(rows.flags)),
                ("flow", Column::Integers(rows.flow)),
                ("source_node", Column::Integers(rows.source_node)),
                ("source_port", Column::Integers(rows.source_port)),
                ("destination_node", Column::Integers(rows.destination_node)),
                ("destination_port", Column::Integers(rows.destination_port)),
                ("sequence", Column::Longs(rows.sequence)),
                ("packet", Column::Longs(rows.packet)),
            ],
        }
    }
}

/// The columns of a table that every run has. They are found once: there may be many short runs.
pub struct Shape {
    columns: Vec<(&'static str, Column)>,
}

impl Shape {
    /// The columns of these rows.
    pub fn of(rows: Rows) -> Shape {
        Shape { columns: rows.columns.iter().map(|(name, column)| (*name, column.fresh())).collect() }
    }

    /// An empty table with these columns.
    pub fn rows(&self) -> Rows {
        let columns = self.columns.iter().map(|(name, column)| (*name, column.fresh())).collect();
        Rows { columns, ..Rows::default() }
    }
}

/// Builder of a table, column by column; numbers may be missing.
#[derive(Default)]
pub struct Rows {
    columns: Vec<(&'static str, Column)>,
    next: usize,
    /// Appending only defines the columns.
    names_only: bool,
}

/// Initial capacity of tables of run totals: they are short, and there may be many runs.
const FEW: usize = 8;

macro_rules! appends {
    ($($(#[$doc:meta])* $method:ident: $kind:ident of $type:ty;)*) => {
        $($(#[$doc])*
        pub fn $method(&mut self, name: &'static str, value: impl Into<Option<$type>>) -> &mut Rows {
            let index = self.next;
            self.next += 1;
            if index == self.columns.len() {
                self.columns.push((name, Column::$kind(Optional::with_capacity(self.room()))));
            }
            match &mut self.columns[index] {
                _ if self.names_only => {}
                (known, Column::$kind(column)) if same(known, name) => column.push(value.into()),
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
        real: Reals of f64;
        /// Appends a count.
        count: Counts of u64;
        /// Appends an object number.
        number: Numbers of u32;
        /// Appends a signed integer.
        integer: Integers of i32;
        /// Appends a 64-bit signed integer.
        long: Longs of i64;
    }

    /// Appends a word.
    pub fn word(&mut self, name: &'static str, value: &str) -> &mut Rows {
        let index = self.next;
        self.next += 1;
        if index == self.columns.len() {
            self.columns.push((name, Column::Words(Words::default())));
        }
        match &mut self.columns[index] {
            _ if self.names_only => {}
            (known, Column::Words(column)) if same(known, name) => column.push(value),
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
    pub fn finish(&mut self) -> Table {
        Table { columns: std::mem::take(&mut self.columns) }
    }
}
