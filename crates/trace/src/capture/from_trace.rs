//! Conversion of a trace file to a packet capture.
//!
//! A trace shows each packet on each link; a capture shows the packets at one place. Traces contain no SACK blocks and
//! no timestamps. Two-way TCP can be distinguished from one-way TCP only if the TCP header columns were written
//! (`show_tcphdr_`).

use std::collections::HashSet;
use std::io::{self, Read, Write};

use crate::capture::frames::{Captured, Transport, flags_of_letters};
use crate::capture::pcapng::Pcapng;
use crate::columns::PacketEvent;
use crate::read::ns2_trace::{Reader, TraceError};
use crate::read::packet_line::PacketLine;

/// The place of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// At the data senders: a packet when it is sent, an ACK when it arrives.
    Senders,
    /// At a node: a packet that leaves it when it enters the link's queue, a packet that enters it when it arrives.
    Node(i32),
    /// On the link between two nodes, in both directions, at the start of transmission.
    Link(i32, i32),
}

impl Where {
    fn sees(self, line: &PacketLine, transport: Transport) -> bool {
        let (event, from, to) = (line.event, line.from_node, line.to_node);
        match self {
            Where::Senders if transport == Transport::Ack => event == PacketEvent::Receive && to == line.destination.0,
            Where::Senders => event == PacketEvent::Enqueue && from == line.source.0,
            Where::Node(node) => {
                event == PacketEvent::Enqueue && from == node || event == PacketEvent::Receive && to == node
            }
            Where::Link(a, b) => event == PacketEvent::Dequeue && ((from, to) == (a, b) || (from, to) == (b, a)),
        }
    }
}

/// Why a conversion failed.
#[derive(Debug)]
pub enum ConvertError {
    /// The trace cannot be read.
    Trace(TraceError),
    /// The capture cannot be written.
    Output(io::Error),
}

impl From<TraceError> for ConvertError {
    fn from(error: TraceError) -> ConvertError {
        ConvertError::Trace(error)
    }
}

impl From<io::Error> for ConvertError {
    fn from(error: io::Error) -> ConvertError {
        ConvertError::Output(error)
    }
}

/// Pairs of source and destination between which segments without TCP header columns went.
#[derive(Default)]
struct OneWay(HashSet<((i32, i32), (i32, i32))>);

impl OneWay {
    /// Whether segments went the other way, too. Then they are of a two-way TCP, which counts bytes, and whose ACKs the
    /// trace does not have.
    fn is_broken_by(&mut self, line: &PacketLine) -> bool {
        self.0.insert((line.source, line.destination)) && self.0.contains(&(line.destination, line.source))
    }
}

fn transport(line: &PacketLine, kind: &str) -> Transport {
    match (line.header, Transport::of_word(kind)) {
        (Some(header), Transport::Data | Transport::Ack) if header.flags != 0 => {
            Transport::TwoWay(header.acknowledgement, header.flags, header.header_bytes)
        }
        (_, transport) => transport,
    }
}

/// Writes the packets seen at a place as pcapng; returns their number.
///
/// # Errors
/// If the trace cannot be read, has a two-way TCP without its header columns, or the capture cannot be written.
pub fn to_pcapng<R: Read>(
    reader: &mut Reader<R>,
    place: Where,
    mut admits: impl FnMut(&PacketLine, &Reader<R>) -> bool,
    output: &mut impl Write,
) -> Result<u64, ConvertError> {
    let mut capture = Pcapng::default();
    let mut out = Vec::with_capacity(1 << 16);
    Pcapng::push_head(&mut out);
    let name = match place {
        Where::Senders => "senders".to_owned(),
        Where::Node(node) => format!("node {node}"),
        Where::Link(from, to) => format!("link {from}-{to}"),
    };
    let interface = capture.push_interface(&mut out, &name);
    let mut count = 0;
    let mut one_way = OneWay::default();
    while let Some(line) = reader.next_line()? {
        let transport = transport(&line, reader.kinds().word(line.kind));
        if transport == Transport::Data && one_way.is_broken_by(&line) {
            let progress = reader.progress();
            let message = "segments go both ways, as of today's TCP and FullTcp, and the line has no acknowledgement number: \
                           write the capture when you run it (`ackclock run --pcapng FILE`, `$ns pcapng-node`), or the \
                           trace with `Trace set show_tcphdr_ 1`";
            return Err(TraceError::Line(progress.lines, message.to_owned(), progress).into());
        }
        let packet = Captured {
            time_s: line.time_s,
            source: line.source,
            destination: line.destination,
            transport,
            size_bytes: line.size_bytes,
            sequence: line.sequence,
            packet: line.packet,
            flags: flags_of_letters(reader.flags().word(line.flags)),
            sack: &[],
            timestamps: None,
            segment: None,
        };
        capture.learn(&packet);
        if place.sees(&line, transport) && admits(&line, reader) {
            capture.push_packet(&mut out, interface, &packet);
            count += 1;
            if out.len() > 1 << 15 {
                output.write_all(&out)?;
                out.clear();
            }
        }
    }
    reader.expect_node_numbers()?;
    output.write_all(&out)?;
    Ok(count)
}
