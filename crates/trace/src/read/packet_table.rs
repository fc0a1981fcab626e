//! Reads a trace file as the packet table, in parts.

use std::io::Read;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int8Array, Int32Array, Int64Array, RecordBatch, RecordBatchReader,
    StringArray,
};
use arrow_schema::{ArrowError, SchemaRef};

use crate::analysis::Filter;
use crate::columns::PacketEvent;
use crate::names::Names;
use crate::read::ns2_trace::{Reader, TraceError};
use crate::read::packet_line::PacketLine;
use crate::record_batch::packet_schema;

/// Rows per part.
const PART: usize = 1 << 16;

/// The dictionary of the event column.
const EVENTS: [PacketEvent; 6] = [
    PacketEvent::Enqueue,
    PacketEvent::Dequeue,
    PacketEvent::Receive,
    PacketEvent::Drop,
    PacketEvent::Error,
    PacketEvent::Hop,
];

/// The columns of a part.
#[derive(Default)]
struct Part {
    event: Vec<i8>,
    time_s: Vec<f64>,
    nodes: [Vec<i32>; 2],
    kind: Vec<i8>,
    size_bytes: Vec<i32>,
    flags: Vec<i8>,
    flow: Vec<i32>,
    source: [Vec<i32>; 2],
    destination: [Vec<i32>; 2],
    sequence: Vec<i64>,
    packet: Vec<i64>,
}

fn words<'a>(keys: Vec<i8>, words: impl Iterator<Item = &'a str>) -> ArrayRef {
    let words: StringArray = words.map(Some).collect();
    let array = DictionaryArray::<Int8Type>::try_new(Int8Array::from(keys), Arc::new(words));
    Arc::new(array.expect("each number has its word"))
}

impl Part {
    fn push(&mut self, line: &PacketLine) {
        self.event.push(EVENTS.iter().position(|event| *event == line.event).expect("all events are there") as i8);
        self.time_s.push(line.time_s);
        self.nodes[0].push(line.from_node);
        self.nodes[1].push(line.to_node);
        self.kind.push(line.kind as i8);
        self.size_bytes.push(line.size_bytes);
        self.flags.push(line.flags as i8);
        self.flow.push(line.flow);
        self.source[0].push(line.source.0);
        self.source[1].push(line.source.1);
        self.destination[0].push(line.destination.0);
        self.destination[1].push(line.destination.1);
        self.sequence.push(line.sequence);
        self.packet.push(line.packet);
    }

    fn finish(self, schema: SchemaRef, kinds: &Names, flags: &Names) -> RecordBatch {
        let ints = |values: Vec<i32>| -> ArrayRef { Arc::new(Int32Array::from(values)) };
        let longs = |values: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
        let [from_node, to_node] = self.nodes;
        let [source_node, source_port] = self.source;
        let [destination_node, destination_port] = self.destination;
        let columns = vec![
            words(self.event, EVENTS.iter().map(|event| event.word())),
            Arc::new(Float64Array::from(self.time_s)) as ArrayRef,
            ints(from_node),
            ints(to_node),
            words(self.kind, kinds.words().iter().map(AsRef::as_ref)),
            ints(self.size_bytes),
            words(self.flags, flags.words().iter().map(AsRef::as_ref)),
            ints(self.flow),
            ints(source_node),
            ints(source_port),
            ints(destination_node),
            ints(destination_port),
            longs(self.sequence),
            longs(self.packet),
        ];
        RecordBatch::try_new(schema, columns).expect("the columns are the packet table's")
    }
}

/// The parts of the table, read on demand.
pub struct PacketTable<R> {
    reader: Reader<R>,
    filter: Filter,
    schema: SchemaRef,
    is_over: bool,
}

impl<R: Read> PacketTable<R> {
    /// The table of the lines that the filter selects.
    pub fn new(reader: Reader<R>, filter: Filter) -> PacketTable<R> {
        PacketTable { reader, filter, schema: Arc::new(packet_schema()), is_over: false }
    }

    /// The columns.
    pub fn columns(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn next_part(&mut self) -> Result<Option<RecordBatch>, TraceError> {
        let mut part = Part::default();
        while !self.is_over && part.time_s.len() < PART {
            match self.reader.next_line() {
                Ok(None) => self.is_over = true,
                Ok(Some(line)) => {
                    let filter = &self.filter;
                    if filter.admits(&line, self.reader.kinds())
                        && (filter.admits_flow(&line) || filter.admits_link(&line))
                    {
                        part.push(&line);
                    }
                }
                Err(error) => {
                    self.is_over = true;
                    return Err(error);
                }
            }
        }
        if part.time_s.is_empty() {
            return Ok(None);
        }
        Ok(Some(part.finish(self.schema.clone(), self.reader.kinds(), self.reader.flags())))
    }
}

impl<R: Read> PacketTable<R> {
    /// The error that ended a partial reader early.
    pub fn damage(&self) -> Option<&TraceError> {
        self.reader.damage()
    }
}

impl<R: Read> Iterator for PacketTable<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_part().map_err(|error| ArrowError::ExternalError(Box::new(error))).transpose()
    }
}

impl<R: Read> RecordBatchReader for PacketTable<R> {
    fn schema(&self) -> SchemaRef {
        self.columns()
    }
}
