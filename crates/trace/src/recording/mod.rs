//! A recording: a trace in the player's format, with a row per packet and link, in chunks that can be read in any
//! order.
//!
//! A [`Recording`] is read forward in steps, so that the first chunks are available while the rest is still being read.
//! Rows are stored in the recording's own file, with 56 bytes per row. Memory holds the rows of packets in transit, and
//! data that grow with nodes, links, flows and ACKs.

pub mod chunk;
pub mod column_lines;
pub mod counts;
pub mod downsample;
pub mod lines;
pub mod links;
pub mod nam_topology;
pub mod positional;
pub mod rows;
pub mod senders;
pub mod series;
#[cfg(feature = "arrow")]
pub mod table_lines;

use std::io::{self, Read};

use crate::analysis::fast_hash::QuickMap;
use crate::columns::PacketEvent;
use crate::read::ns2_trace::TraceError;
use crate::read::packet_line::PacketLine;
use chunk::{Hop, flag, way};
use lines::Lines;
use links::Link;
use nam_topology::NamTopology;
use positional::Storage;
use rows::{Place, Rows};
use senders::Senders;

/// Packets of one flow id between two endpoints, in both directions.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The flow id.
    pub id: i32,
    /// Source node and port of the first packet.
    pub source: (i32, i32),
    /// Destination node and port of the first packet.
    pub destination: (i32, i32),
    /// Numbers of its packet types.
    pub kinds: Vec<u8>,
}

/// Identifies a flow: its id and its two endpoints, the lower one first.
type FlowEnds = (i32, (i32, i32), (i32, i32));

/// Max number of flows; all further packets count in the last one.
const MAX_FLOWS: usize = u16::MAX as usize;

/// A recording, in progress or complete.
pub struct Recording<R> {
    lines: Lines<R>,
    rows: Rows,
    /// nam's topology and the traced variables.
    pub nam_topology: NamTopology,
    /// Links, in order of first occurrence.
    pub links: Vec<Link>,
    /// Flows, in order of first occurrence.
    pub flows: Vec<Flow>,
    /// Sender statistics from packets and ACKs.
    pub senders: Senders,
    /// Time of the first and of the latest packet event, s.
    pub span_s: Option<(f64, f64)>,
    /// Whether all lines were read.
    pub is_complete: bool,
    link_numbers: QuickMap<(i32, i32), u16>,
    flow_numbers: QuickMap<FlowEnds, u16>,
    under_way: QuickMap<(u16, i64), Place>,
}

impl<R: Read> Recording<R> {
    /// A recording of these lines; rows are stored in `storage`, which is empty.
    pub fn new(lines: Lines<R>, storage: impl Into<Storage>) -> Recording<R> {
        Recording {
            lines,
            rows: Rows::new(storage.into()),
            nam_topology: NamTopology::default(),
            links: Vec::new(),
            flows: Vec::new(),
            senders: Senders::default(),
            span_s: None,
            is_complete: false,
            link_numbers: QuickMap::default(),
            flow_numbers: QuickMap::default(),
            under_way: QuickMap::default(),
        }
    }

    /// Reads at most `count` more packet lines; returns whether there are more.
    ///
    /// # Errors
    /// [`TraceError`] if the lines cannot be read. The rows before the error remain and are complete.
    pub fn read_on(&mut self, count: usize) -> Result<bool, TraceError> {
        for _ in 0..count {
            let line = self.lines.next_line(&mut self.nam_topology);
            match line {
                Ok(Some(line)) => self.take(&line).map_err(|error| TraceError::Io(error, self.lines.progress()))?,
                Ok(None) => return self.end().map(|()| false),
                Err(error) => {
                    self.end()?;
                    return Err(error);
                }
            }
        }
        Ok(!self.is_complete)
    }

    fn end(&mut self) -> Result<(), TraceError> {
        if !self.is_complete {
            self.is_complete = true;
            let end_s = self.span_s.map_or(0.0, |(_, end_s)| end_s);
            let lost = self.lost_on_the_way(end_s);
            self.rows.end(&lost, end_s).map_err(|error| TraceError::Io(error, self.lines.progress()))?;
        }
        Ok(())
    }

    /// Rows of packets that left the queue and should have arrived: the trace does not show their loss.
    fn lost_on_the_way(&mut self, end_s: f64) -> Vec<Place> {
        let places: Vec<_> = self.under_way.drain().collect();
        let mut lost = Vec::new();
        for ((link, _), place) in places {
            let Ok(hop) = self.rows.get(place) else { continue };
            let due_s = self.links[usize::from(link)].due_s(&hop);
            if hop.drop_s.is_nan() && due_s.is_some_and(|due_s| due_s < end_s) {
                lost.push(place);
            }
        }
        lost.sort_unstable();
        lost
    }

    /// The names of packet types, by number.
    pub fn kinds(&self) -> &[Box<str>] {
        self.lines.kinds().words()
    }

    /// The rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// How much was read so far.
    pub fn progress(&self) -> crate::read::ns2_trace::Progress {
        self.lines.progress()
    }

    fn take(&mut self, line: &PacketLine) -> io::Result<()> {
        let now_s = line.time_s;
        let (begin_s, end_s) = self.span_s.unwrap_or((now_s, now_s));
        self.span_s = Some((begin_s.min(now_s), end_s.max(now_s)));
        let link = self.link_of(line);
        let key = (link, line.packet);
        match line.event {
            PacketEvent::Enqueue => {
                let hop = self.hop(line, link);
                let place = self.rows.push(hop)?;
                if let Some(earlier) = self.under_way.insert(key, place) {
                    self.rows.close(earlier)?;
                }
            }
            PacketEvent::Dequeue | PacketEvent::Hop => {
                let place = self.place_of(key, line)?;
                let marked = self.is_marked(line);
                let mut hop = self.rows.get(place)?;
                if hop.start_s.is_nan() {
                    hop.start_s = now_s;
                    hop.flags |= if marked { flag::MARKED } else { 0 };
                    self.rows.set(place, &hop)?;
                    self.links[usize::from(link)].starts(&hop);
                }
            }
            PacketEvent::Receive => {
                let place = self.place_of(key, line)?;
                let mut hop = self.rows.get(place)?;
                hop.start_s = if hop.start_s.is_nan() { hop.enqueue_s } else { hop.start_s };
                hop.arrive_s = now_s;
                hop.flags |= if self.is_marked(line) { flag::MARKED } else { 0 };
                self.rows.set(place, &hop)?;
                self.links[usize::from(link)].arrives(&hop);
                self.under_way.remove(&key);
                self.rows.close(place)?;
                if line.to_node == line.destination.0 {
                    self.senders.arrives(line, usize::from(hop.flow), self.lines.kinds());
                }
            }
            PacketEvent::Drop | PacketEvent::Error => {
                let place = self.place_of(key, line)?;
                let mut hop = self.rows.get(place)?;
                hop.drop_s = now_s;
                let at_the_queue = hop.start_s.is_nan() && line.event == PacketEvent::Drop;
                hop.flags |= if at_the_queue { flag::DROPPED } else { flag::LOST };
                self.rows.set(place, &hop)?;
                self.under_way.remove(&key);
                self.rows.close(place)?;
            }
        }
        Ok(())
    }

    /// The row of a packet on a link; makes a row if the trace has no enqueue event.
    fn place_of(&mut self, key: (u16, i64), line: &PacketLine) -> io::Result<Place> {
        if let Some(place) = self.under_way.get(&key) {
            return Ok(*place);
        }
        let hop = self.hop(line, key.0);
        let place = self.rows.push(hop)?;
        self.under_way.insert(key, place);
        Ok(place)
    }

    fn is_marked(&self, line: &PacketLine) -> bool {
        self.lines.flags().word(line.flags).contains('E')
    }

    fn hop(&mut self, line: &PacketLine, link: u16) -> Hop {
        let flow = self.flow_of(line);
        let is_back = self.flows[usize::from(flow)].source != line.source;
        let sets_out = line.from_node == line.source.0;
        let again = self.senders.is_again(line, usize::from(flow), sets_out, self.lines.kinds());
        let way = if is_back { way::BACK } else { 0 }
            | if sets_out { way::SETS_OUT } else { 0 }
            | if line.to_node == line.destination.0 { way::LAST } else { 0 };
        Hop {
            enqueue_s: line.time_s,
            start_s: f64::NAN,
            arrive_s: f64::NAN,
            drop_s: f64::NAN,
            uid: line.packet as u32,
            size_bytes: line.size_bytes as u32,
            seq: line.sequence as u32,
            link,
            flow,
            kind: line.kind,
            flags: if again { flag::AGAIN } else { 0 },
            way,
        }
    }

    fn link_of(&mut self, line: &PacketLine) -> u16 {
        let links = &mut self.links;
        *self.link_numbers.entry((line.from_node, line.to_node)).or_insert_with(|| {
            links.push(Link::new(line.from_node, line.to_node));
            (links.len() - 1).min(usize::from(u16::MAX)) as u16
        })
    }

    fn flow_of(&mut self, line: &PacketLine) -> u16 {
        let (low, high) = (line.source.min(line.destination), line.source.max(line.destination));
        let flows = &mut self.flows;
        let number = *self.flow_numbers.entry((line.flow, low, high)).or_insert_with(|| {
            if flows.len() < MAX_FLOWS {
                let (source, destination) = (line.source, line.destination);
                flows.push(Flow { id: line.flow, source, destination, kinds: Vec::new() });
            }
            (flows.len() - 1) as u16
        });
        let kinds = &mut flows[usize::from(number)].kinds;
        if !kinds.contains(&line.kind) {
            kinds.push(line.kind);
        }
        number
    }
}
