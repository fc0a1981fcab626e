//! Ethernet, IP, TCP and UDP headers for simulated packets.
//!
//! Node `n` has the address 10.0.0.0 + n, its port `p` is [`FIRST_PORT`] + p. One-way TCP numbers packets: packet `k`
//! begins at byte `k` times the segment size, plus one, because sequence number 0 is the SYN's. If packet 0 carries no
//! data, it is the SYN, and its first ACK is the SYN+ACK. Two-way TCP numbers bytes. Fields that ns-2 does not simulate
//! are constant: a window of 65535, a TTL of 64. Checksums are correct. The IP length is the data plus the headers
//! written here, so with options it is larger than the size in ns-2.

use ackclock_engine::measure::observe::Passing;
use ackclock_engine::packet::header::Header as Special;
use ackclock_engine::packet::segment::Segment;
use ackclock_engine::packet::{PacketKind, flag};

use crate::analysis::fast_hash::QuickMap;

/// The port for ns-2's port 0: no protocol is registered from here on, so dissectors do not guess.
pub const FIRST_PORT: u16 = 49152;
/// Max header bytes of a frame.
pub const MAX_HEADERS: usize = 14 + 20 + 60;
/// Header bytes of a TCP segment that ns-2 counts.
const COUNTED_HEADERS: i32 = 40;
/// Max option bytes of a TCP header.
const OPTION_ROOM: usize = 40;

const SYN: u16 = 2;
const ACK: u16 = 16;
const ECE: u16 = 64;
const CWR: u16 = 128;
/// RFC 9768, 3.1.1: the former NS bit.
const AE: u16 = 256;

/// The transport role of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A segment of a one-way TCP.
    Data,
    /// An acknowledgement of a one-way TCP.
    Ack,
    /// A segment of a two-way TCP: acknowledgement number, flags, bytes that ns-2 counts for its headers.
    TwoWay(i64, u8, i32),
    /// Anything else.
    Datagram,
}

impl Transport {
    /// The role by ns-2's name of the packet type.
    pub fn of_word(word: &str) -> Transport {
        match word {
            "tcp" | "ftp" | "telnet" | "http" => Transport::Data,
            "ack" => Transport::Ack,
            _ => Transport::Datagram,
        }
    }
}

/// A packet to capture.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Capture time, s.
    pub time_s: f64,
    /// Source node and port.
    pub source: (i32, i32),
    /// Destination node and port.
    pub destination: (i32, i32),
    /// Its transport role.
    pub transport: Transport,
    /// Size in ns-2, bytes.
    pub size_bytes: i32,
    /// ns-2's sequence number.
    pub sequence: i64,
    /// Its unique id.
    pub packet: i64,
    /// Bits of [`flag`].
    pub flags: u16,
    /// Its SACK blocks, in packets for one-way TCP.
    pub sack: &'a [(i32, i32)],
    /// Timestamp value and timestamp echo, s.
    pub timestamps: Option<(f64, f64)>,
    /// The whole TCP header, where the packet has one.
    pub segment: Option<&'a Segment>,
}

impl<'a> Captured<'a> {
    /// Captures a packet of a simulation.
    pub fn of_packet(time_s: f64, passing: Passing<'a>) -> Captured<'a> {
        let packet = passing.packet;
        let transport = match packet.kind {
            _ if packet.tcp_flags != 0 => Transport::TwoWay(packet.ackno.into(), packet.tcp_flags, packet.header_len),
            kind => Transport::of_word(kind.name()),
        };
        let is_tcp = transport != Transport::Datagram && packet.kind != PacketKind::Udp;
        Captured {
            time_s,
            source: (packet.src.node, packet.src.port),
            destination: (packet.dst.node, packet.dst.port),
            transport,
            size_bytes: packet.size,
            sequence: packet.seqno.into(),
            packet: packet.uid.into(),
            flags: packet.flags,
            sack: passing.sack(),
            timestamps: is_tcp.then_some((packet.ts, packet.ts_echo)),
            segment: if let Some(Special::Tcp(segment)) = passing.header() { Some(segment) } else { None },
        }
    }
}

/// The flag bits for the seven letters of a trace's flags field.
pub fn flags_of_letters(letters: &str) -> u16 {
    let bit = |letter| match letter {
        'C' => flag::ECN_ECHO,
        'A' => flag::CONG_ACTION,
        'E' => flag::MARKED,
        'N' => flag::ECN_CAPABLE,
        _ => 0,
    };
    letters.chars().map(bit).sum()
}

/// One direction of a one-way TCP connection.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    segment_bytes: i64,
    begins_with_syn: bool,
    is_open: bool,
}

impl Connection {
    /// The first byte of a packet.
    fn byte(&self, packet: i64) -> u32 {
        let bytes = match (self.begins_with_syn, packet) {
            (true, ..=0) => packet.min(0),
            (true, _) => (packet - 1).wrapping_mul(self.segment_bytes).wrapping_add(1),
            (false, _) => packet.wrapping_mul(self.segment_bytes).wrapping_add(1),
        };
        bytes as u32
    }
}

type End = (i32, i32);

/// Makes frames, and tracks the connections of the packets seen.
#[derive(Default)]
pub struct Frames {
    connections: QuickMap<(End, End), Connection>,
}

/// The fields of a TCP header.
struct Header {
    sequence: u32,
    acknowledgement: u32,
    flags: u16,
    payload: u32,
    sack: Vec<(u32, u32)>,
}

impl Frames {
    /// Updates the connection state from a packet.
    pub fn learn(&mut self, packet: &Captured) {
        if packet.transport == Transport::Data {
            let connection = self.connections.entry((packet.source, packet.destination)).or_default();
            let payload = i64::from(packet.size_bytes) - i64::from(COUNTED_HEADERS);
            if payload > 0 {
                connection.segment_bytes = payload;
            } else if packet.sequence == 0 {
                connection.begins_with_syn = true;
            }
        }
    }

    /// Appends the packet's headers; returns the length of the whole frame.
    pub fn push(&mut self, out: &mut Vec<u8>, packet: &Captured) -> u32 {
        if let Some(segment) = packet.segment {
            let length = 20 + segment.options.wire_len() + segment.payload;
            push_ethernet_and_ip(out, packet, 6, length);
            push_segment(out, packet, segment);
            return 14 + 20 + length;
        }
        self.learn(packet);
        let Some(header) = self.header(packet) else {
            let payload = packet.size_bytes.saturating_sub(28).max(0) as u32;
            push_ethernet_and_ip(out, packet, 17, 8 + payload);
            push_udp(out, packet, payload);
            return 14 + 20 + 8 + payload;
        };
        let options = options(packet, &header);
        let length = 20 + options.len() as u32 + header.payload;
        push_ethernet_and_ip(out, packet, 6, length);
        push_tcp(out, packet, &header, &options);
        14 + 20 + length
    }

    /// Appends a datagram of UDP with its data.
    pub fn push_datagram(out: &mut Vec<u8>, packet: &Captured, data: &[u8]) {
        let length = 8 + data.len() as u32;
        push_ethernet_and_ip(out, packet, 17, length);
        let start = out.len();
        push_udp_header(out, packet, length);
        out.extend_from_slice(data);
        set_udp_checksum(out, start, packet, length);
    }

    fn header(&mut self, packet: &Captured) -> Option<Header> {
        let bit = |of: u16, bit: u16| if packet.flags & of != 0 { bit } else { 0 };
        let echo = bit(flag::ECN_ECHO, ECE) | bit(flag::ACCURATE, AE);
        let reduced = bit(flag::CONG_ACTION, CWR);
        let numbers = |blocks: &[(i32, i32)], byte: &dyn Fn(i64) -> u32| {
            blocks.iter().map(|&(first, after)| (byte(first.into()), byte(after.into()))).collect()
        };
        Some(match packet.transport {
            Transport::Datagram => return None,
            Transport::Data => {
                let connection = *self.connections.get(&(packet.source, packet.destination))?;
                let is_syn = connection.begins_with_syn && packet.sequence == 0;
                Header {
                    sequence: connection.byte(packet.sequence),
                    acknowledgement: u32::from(!is_syn),
                    flags: if is_syn { SYN } else { ACK } | echo | reduced,
                    payload: packet.size_bytes.saturating_sub(COUNTED_HEADERS).max(0) as u32,
                    sack: Vec::new(),
                }
            }
            Transport::Ack => {
                let connection = self.connections.entry((packet.destination, packet.source)).or_default();
                let is_syn = connection.begins_with_syn && packet.sequence == 0 && !connection.is_open;
                connection.is_open = true;
                let connection = *connection;
                Header {
                    sequence: u32::from(!is_syn),
                    acknowledgement: connection.byte(packet.sequence + 1),
                    flags: ACK | if is_syn { SYN } else { 0 } | echo | reduced,
                    payload: 0,
                    sack: numbers(packet.sack, &|packet| connection.byte(packet)),
                }
            }
            Transport::TwoWay(acknowledgement, flags, header_bytes) => Header {
                sequence: packet.sequence as u32,
                acknowledgement: acknowledgement.max(0) as u32,
                flags: u16::from(flags) | echo | reduced,
                payload: packet.size_bytes.saturating_sub(header_bytes).max(0) as u32,
                sack: numbers(packet.sack, &|byte| byte as u32),
            },
        })
    }
}

/// The options of a TCP header, padded to 32-bit words: timestamps, then as many SACK blocks as fit.
fn options(packet: &Captured, header: &Header) -> Vec<u8> {
    let mut options = Vec::with_capacity(OPTION_ROOM);
    if let Some((own_s, echo_s)) = packet.timestamps {
        let milliseconds = |time_s: f64| ((time_s * 1.0e3) as i64 as u32).to_be_bytes();
        options.extend_from_slice(&[1, 1, 8, 10]);
        options.extend_from_slice(&milliseconds(own_s));
        options.extend_from_slice(&milliseconds(echo_s));
    }
    if !header.sack.is_empty() {
        options.extend_from_slice(&[1, 1]);
    }
    let blocks = header.sack.len().min((OPTION_ROOM - options.len() - 2) / 8);
    if blocks > 0 {
        options.extend_from_slice(&[5, 2 + 8 * blocks as u8]);
        for (first, after) in &header.sack[..blocks] {
            options.extend_from_slice(&first.to_be_bytes());
            options.extend_from_slice(&after.to_be_bytes());
        }
    }
    while !options.len().is_multiple_of(4) {
        options.push(1);
    }
    options
}

/// The port of a node's port in captures.
pub fn port(end: (i32, i32)) -> [u8; 2] {
    FIRST_PORT.wrapping_add(end.1 as u16).to_be_bytes()
}

/// The address of a node in captures.
pub fn ip(end: (i32, i32)) -> [u8; 4] {
    (0x0A00_0000u32 | (end.0 as u32 & 0x00FF_FFFF)).to_be_bytes()
}

fn push_mac(out: &mut Vec<u8>, end: End) {
    out.extend_from_slice(&[2, 0]);
    out.extend_from_slice(&end.0.to_be_bytes());
}

/// The Internet checksum: the complement of the ones' complement sum of 16-bit words.
fn checksum(parts: &[&[u8]]) -> [u8; 2] {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u32 = words.map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |&low| low.into())).sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

fn push_ethernet_and_ip(out: &mut Vec<u8>, packet: &Captured, protocol: u8, length: u32) {
    push_mac(out, packet.destination);
    push_mac(out, packet.source);
    out.extend_from_slice(&[8, 0]);
    let start = out.len();
    // RFC 3168, section 5, and RFC 9331, section 4.1: CE, ECT(0), ECT(1), Not-ECT.
    let has = |bit| packet.flags & bit != 0;
    let ecn = match (has(flag::MARKED), has(flag::ECN_CAPABLE), has(flag::ECT_1)) {
        (true, _, _) => 3,
        (false, true, false) => 2,
        (false, true, true) => 1,
        (false, false, _) => 0,
    };
    out.extend_from_slice(&[0x45, ecn]);
    out.extend_from_slice(&((20 + length).min(0xFFFF) as u16).to_be_bytes());
    out.extend_from_slice(&(packet.packet as u16).to_be_bytes());
    out.extend_from_slice(&[0x40, 0, 64, protocol, 0, 0]);
    out.extend_from_slice(&ip(packet.source));
    out.extend_from_slice(&ip(packet.destination));
    let sum = checksum(&[&out[start..]]);
    out[start + 10..start + 12].copy_from_slice(&sum);
}

/// Sets the checksum of the transport header at `start`, over the header, its data (zeros where there are none) and the
/// pseudo-header.
fn set_checksum(out: &mut [u8], start: usize, at: usize, packet: &Captured, protocol: u8, length: u32) -> [u8; 2] {
    let (from, to) = (ip(packet.source), ip(packet.destination));
    let length = (length as u16).to_be_bytes();
    let sum = checksum(&[&from, &to, &[0, protocol], &length, &out[start..]]);
    out[start + at..start + at + 2].copy_from_slice(&sum);
    sum
}

fn push_udp(out: &mut Vec<u8>, packet: &Captured, payload: u32) {
    let start = out.len();
    push_udp_header(out, packet, 8 + payload);
    set_udp_checksum(out, start, packet, 8 + payload);
}

fn push_udp_header(out: &mut Vec<u8>, packet: &Captured, length: u32) {
    out.extend_from_slice(&port(packet.source));
    out.extend_from_slice(&port(packet.destination));
    out.extend_from_slice(&(length.min(0xFFFF) as u16).to_be_bytes());
    out.extend_from_slice(&[0, 0]);
}

fn set_udp_checksum(out: &mut [u8], start: usize, packet: &Captured, length: u32) {
    if set_checksum(out, start, 6, packet, 17, length) == [0, 0] {
        // 0 would mean that there is no checksum.
        out[start + 6..start + 8].copy_from_slice(&[0xFF, 0xFF]);
    }
}

fn push_tcp(out: &mut Vec<u8>, packet: &Captured, header: &Header, options: &[u8]) {
    let start = out.len();
    out.extend_from_slice(&port(packet.source));
    out.extend_from_slice(&port(packet.destination));
    out.extend_from_slice(&header.sequence.to_be_bytes());
    out.extend_from_slice(&header.acknowledgement.to_be_bytes());
    out.push((((20 + options.len()) / 4) << 4) as u8 | (header.flags >> 8) as u8);
    out.push(header.flags as u8);
    out.extend_from_slice(&[0xFF, 0xFF, 0, 0, 0, 0]);
    out.extend_from_slice(options);
    set_checksum(out, start, 16, packet, 6, 20 + options.len() as u32 + header.payload);
}

/// A segment with its own header and options.
fn push_segment(out: &mut Vec<u8>, packet: &Captured, segment: &Segment) {
    let start = out.len();
    let options = segment.options.wire_len();
    out.extend_from_slice(&port(packet.source));
    out.extend_from_slice(&port(packet.destination));
    out.extend_from_slice(&segment.seq.0.to_be_bytes());
    out.extend_from_slice(&segment.ack.0.to_be_bytes());
    out.push((((20 + options) / 4) << 4) as u8 | (segment.flags >> 8) as u8);
    out.push(segment.flags as u8);
    out.extend_from_slice(&segment.window.to_be_bytes());
    out.extend_from_slice(&[0, 0, 0, 0]);
    segment.options.write(out);
    set_checksum(out, start, 16, packet, 6, 20 + options + segment.payload);
}
