//! ns-2's packet trace, one line per event of a packet on a link.
//!
//! `+ 0.030768 0 2 tcp 1040 ------- 1 0.0 4.0 1 4`: event, time (s), from and to node, packet type, size (bytes),
//! flags, flow id, source and destination as node.port, sequence number, packet id.

use ackclock_engine::packet::{Packet, flag};

use crate::addresses::Addresses;
use crate::ns2::line_fragments::{Clock, Phrase};
use crate::ns2::number::push_int;

/// The seven letters of a packet's flags.
pub fn flag_letters(packet: &Packet) -> [u8; 7] {
    let letter = |bit, letter| if packet.has(bit) { letter } else { b'-' };
    [
        letter(flag::ECN_ECHO, b'C'),
        letter(flag::PRIORITY, b'P'),
        b'-',
        letter(flag::CONG_ACTION, b'A'),
        letter(flag::MARKED, b'E'),
        letter(flag::FAST_START, b'F'),
        letter(flag::ECN_CAPABLE, b'N'),
    ]
}

/// The sequence number in traces: -1 for packets without one.
pub fn shown_seqno(packet: &Packet) -> i32 {
    match packet.kind.has_sequence() {
        true if packet.has(flag::WITHOUT_RTP) => 0,
        true => packet.seqno,
        false => -1,
    }
}

/// The nodes of a trace point.
pub type Ends = Phrase<32>;

/// The fields that the packets of a flow share.
pub type Flow = Phrase<104>;

/// The fields of one packet.
pub type About = Phrase<128>;

/// Formats the nodes of a trace point, between spaces.
pub fn ends(from: i32, to: i32) -> Ends {
    Phrase::new(|out| {
        out.push(b' ');
        push_int(out, i64::from(from));
        out.push(b' ');
        push_int(out, i64::from(to));
        out.push(b' ');
    })
}

/// Formats packet type, size, flags, flow id, source and destination, with a trailing space.
pub fn flow(packet: &Packet, addresses: &Addresses) -> Flow {
    Phrase::new(|out| {
        out.extend_from_slice(packet.kind.name().as_bytes());
        out.push(b' ');
        push_int(out, i64::from(packet.size));
        out.push(b' ');
        out.extend_from_slice(&flag_letters(packet));
        out.push(b' ');
        push_int(out, i64::from(packet.fid));
        out.push(b' ');
        addresses.push(out, packet.src);
        out.push(b' ');
        addresses.push(out, packet.dst);
        out.push(b' ');
    })
}

/// Formats the fields of a packet of this flow, with its sequence number and packet id.
pub fn about(flow: &Flow, packet: &Packet, scratch: &mut Vec<u8>) -> About {
    let mut about = About::default();
    about.set(scratch, |out| {
        flow.push_to(out);
        push_int(out, i64::from(shown_seqno(packet)));
        out.push(b' ');
        push_int(out, i64::from(packet.uid));
    });
    about
}

/// Appends a line; `time` is the time as text.
#[inline]
pub fn push_line(
    out: &mut Vec<u8>,
    op: u8,
    time: &Clock,
    ends: &Ends,
    about: &About,
    packet: &Packet,
    tcp_header: Option<usize>,
) {
    out.extend_from_slice(&[op, b' ']);
    time.push_to(out);
    ends.push_to(out);
    about.push_to(out);
    if let Some(sack_blocks) = tcp_header {
        // Acknowledgement number and header flags belong to two-way TCP; one-way TCP leaves them 0.
        out.push(b' ');
        push_int(out, i64::from(packet.ackno));
        out.extend_from_slice(format!(" 0x{:x} ", packet.tcp_flags).as_bytes());
        push_int(out, i64::from(packet.header_len));
        out.push(b' ');
        push_int(out, sack_blocks as i64);
    }
    out.push(b'\n');
}
