//! Sources of a recording's packet lines: a trace file, or a run's packet table.

use std::io::Read;

use super::column_lines::ColumnLines;
use super::nam_topology::NamTopology;
#[cfg(feature = "arrow")]
use super::table_lines::TableLines;
use crate::names::Names;
use crate::read::ns2_trace::{Progress, Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// Iterates over packet lines.
pub enum Lines<R> {
    /// From a file.
    File(Box<Reader<R>>),
    /// From a run's own table of packets.
    Columns(Box<ColumnLines>),
    /// From a table of packets in Arrow's form, as files have it.
    #[cfg(feature = "arrow")]
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
            Lines::Columns(table) => Ok(table.next_line()),
            #[cfg(feature = "arrow")]
            Lines::Table(table) => Ok(table.next_line()),
        }
    }

    /// The names of packet types, by number.
    pub fn kinds(&self) -> &Names {
        match self {
            Lines::File(reader) => reader.kinds(),
            Lines::Columns(table) => &table.kinds,
            #[cfg(feature = "arrow")]
            Lines::Table(table) => &table.kinds,
        }
    }

    /// The flag strings, by number.
    pub fn flags(&self) -> &Names {
        match self {
            Lines::File(reader) => reader.flags(),
            Lines::Columns(table) => &table.flags,
            #[cfg(feature = "arrow")]
            Lines::Table(table) => &table.flags,
        }
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        match self {
            Lines::File(reader) => reader.progress(),
            Lines::Columns(table) => table.progress,
            #[cfg(feature = "arrow")]
            Lines::Table(table) => table.progress,
        }
    }
}
