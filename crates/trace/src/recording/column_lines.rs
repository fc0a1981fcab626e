//! A run's own table of packets as packet lines.

use crate::columns::{Column, PacketEvent, Table};
use crate::names::Names;
use crate::read::ns2_trace::Progress;
use crate::read::packet_line::PacketLine;

/// The packet table as lines.
pub struct ColumnLines {
    table: Table,
    row: usize,
    pub(super) kinds: Names,
    pub(super) flags: Names,
    pub(super) progress: Progress,
}

impl ColumnLines {
    /// From a table with the columns of [`crate::columns::PacketColumns`]; others give no lines.
    pub fn new(table: Table) -> ColumnLines {
        let (kinds, flags) = (Names::default(), Names::default());
        ColumnLines { table, row: 0, kinds, flags, progress: Progress::default() }
    }

    /// The next line.
    pub fn next_line(&mut self) -> Option<PacketLine> {
        let row = self.row;
        if row >= self.table.len() {
            return None;
        }
        self.row += 1;
        self.progress.packets += 1;
        self.progress.lines += 1;
        let columns = &self.table.columns;
        let word = |index: usize| match &columns.get(index)?.1 {
            Column::Words(words) => Some(words.get(row)),
            _ => None,
        };
        let whole = |index: usize| match &columns.get(index)?.1 {
            Column::Integers(values) => values.get(row),
            _ => None,
        };
        let long = |index: usize| match &columns.get(index)?.1 {
            Column::Longs(values) => values.get(row),
            _ => None,
        };
        Some(PacketLine {
            event: PacketEvent::of_word(word(0)?)?,
            time_s: columns[1].1.real(row)?,
            from_node: whole(2)?,
            to_node: whole(3)?,
            kind: self.kinds.number_of(word(4)?),
            size_bytes: whole(5)?,
            flags: self.flags.number_of(word(6)?),
            flow: whole(7)?,
            source: (whole(8)?, whole(9)?),
            destination: (whole(10)?, whole(11)?),
            sequence: long(12)?,
            packet: long(13)?,
            header: None,
        })
    }
}
