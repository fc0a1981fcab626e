//! nam's packet events, for the network animator.
//!
//! `+ -t 0.030768 -s 0 -d 2 -p tcp -e 1040 -c 1 -i 4 -a 1 -x {0.0 4.0 1 ------- null}`. A departure has two lines: `-`
//! (it left the queue) and `h` (hop). Times are the simulation clock as `%.15g`.

use ackclock_engine::packet::{Address, Packet, PacketKind};
use ackclock_engine::params::Value;

use crate::addresses::Addresses;
use crate::ns2::line_fragments::{Clock, Phrase};
use crate::ns2::number::{push_g, push_int};
use crate::ns2::packet_trace::{flag_letters, shown_seqno};

/// State of a variable in nam's format.
#[derive(Clone, Debug)]
pub struct NamVariable {
    /// nam's name of the agent; until it is set, ns-2 prints C's text for a null string.
    pub agent: String,
    /// The value in the previous line.
    pub previous: Option<String>,
}

impl Default for NamVariable {
    fn default() -> NamVariable {
        NamVariable { agent: "(null)".into(), previous: None }
    }
}

/// Replaces the event letter for the second line of a departure: `h`, with sequence number -1.
pub const ON_ITS_WAY: u8 = 0;

/// The nodes of a trace point.
pub type Ends = Phrase<40>;

/// The fields that the packets of a flow share: those before the packet id, and those between it and the sequence
/// number.
pub type Flow = (Phrase<64>, Phrase<88>);

/// The fields of one packet, and the offset of the sequence number.
pub type About = (Phrase<192>, usize);

/// Formats the nodes of a trace point.
pub fn ends(from: i32, to: i32) -> Ends {
    Phrase::new(|out| {
        out.extend_from_slice(b" -s ");
        push_int(out, i64::from(from));
        out.extend_from_slice(b" -d ");
        push_int(out, i64::from(to));
    })
}

/// Formats packet type, size, flow id; attribute, source and destination.
pub fn flow(packet: &Packet, addresses: &Addresses) -> Flow {
    let front = Phrase::new(|out| {
        out.extend_from_slice(b" -p ");
        out.extend_from_slice(packet.kind.name().as_bytes());
        out.extend_from_slice(b" -e ");
        push_int(out, i64::from(packet.size));
        out.extend_from_slice(b" -c ");
        push_int(out, i64::from(packet.fid));
        out.extend_from_slice(b" -i ");
    });
    let middle = Phrase::new(|out| {
        out.extend_from_slice(b" -a ");
        push_int(out, i64::from(packet.fid));
        out.extend_from_slice(b" -x {");
        addresses.push(out, packet.src);
        out.push(b' ');
        addresses.push(out, packet.dst);
        out.push(b' ');
    });
    (front, middle)
}

/// Formats the fields of a packet of this flow; `chunk` is the letter of its last chunk, if that is shown.
pub fn about(flow: &Flow, packet: &Packet, (srm, chunk): (Srm, Option<u8>), scratch: &mut Vec<u8>) -> About {
    let mut about = About::default();
    about.0.set(scratch, |out| {
        flow.0.push_to(out);
        push_int(out, i64::from(packet.uid));
        flow.1.push_to(out);
        about.1 = out.len();
        push_int(out, i64::from(shown_seqno(packet)));
        push_rest(out, packet, srm, chunk);
    });
    about
}

/// Whether packets have a header of SRM (scalable reliable multicast). ns-2 prints its type of packet, which is null
/// without SRM; without the header it takes the number of the packet's own type for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Srm {
    /// There is a header.
    #[default]
    Present,
    /// There is none.
    Absent,
}

/// The fields after the sequence number.
fn push_rest(out: &mut Vec<u8>, packet: &Packet, srm: Srm, chunk: Option<u8>) {
    out.push(b' ');
    out.extend_from_slice(&flag_letters(packet));
    out.extend(chunk);
    out.extend_from_slice(match (srm, packet.kind) {
        (Srm::Absent, PacketKind::Udp) => b" SRM_DATA}\n",
        (Srm::Absent, PacketKind::Cbr) => b" SRM_SESS}\n",
        _ => b" null}\n",
    });
}

/// Appends a line; `seconds` is the time as text. A `tagged` packet trace is this format without `-t`.
#[inline]
pub fn push_line(
    out: &mut Vec<u8>,
    op: u8,
    seconds: &Clock,
    ends: &Ends,
    (about, sequence): &About,
    (packet, srm): (&Packet, Srm),
    tagged: bool,
) {
    out.push(if op == ON_ITS_WAY { b'h' } else { op });
    out.extend_from_slice(if tagged { b" " } else { b" -t " });
    seconds.push_to(out);
    ends.push_to(out);
    let start = out.len();
    about.push_to(out);
    if op == ON_ITS_WAY {
        out.truncate(start + sequence);
        out.extend_from_slice(b"-1");
        push_rest(out, packet, srm, None);
    }
}

/// Appends a line for an agent's variable with the previous value, and stores the new value in `of`.
pub fn push_variable_line(
    out: &mut Vec<u8>,
    seconds: &[u8],
    (here, peer): (Address, Address),
    name: &str,
    of: &mut NamVariable,
    value: Value,
) {
    let mut shown = Vec::new();
    match value {
        Value::Real(real) => push_g(&mut shown, real, 6),
        _ => push_int(&mut shown, value.int()),
    }
    let shown = String::from_utf8(shown).expect("numbers are ASCII");
    out.extend_from_slice(b"f -t ");
    out.extend_from_slice(seconds);
    let previous = of.previous.as_deref().map_or(String::new(), |previous| format!(" -o {previous}"));
    let (from, to, agent) = (here.node, peer.node, &of.agent);
    let rest = format!(" -s {from} -d {to} -n {name} -a {agent} -v {shown}{previous} -T v\n");
    out.extend_from_slice(rest.as_bytes());
    of.previous = Some(shown);
}

/// Appends a line for an event that an agent reports.
pub fn push_happening_line(
    out: &mut Vec<u8>,
    seconds: &[u8],
    (here, peer): (Address, Address),
    what: &str,
    addresses: &Addresses,
) {
    out.extend_from_slice(b"E -t ");
    out.extend_from_slice(seconds);
    out.extend_from_slice(b" -o TCP -e ");
    out.extend_from_slice(what.as_bytes());
    out.extend_from_slice(b" -s ");
    addresses.push(out, here);
    out.extend_from_slice(b" -d ");
    addresses.push(out, peer);
    out.push(b'\n');
}

/// Appends an annotation.
pub fn push_remark(out: &mut Vec<u8>, clock: &[u8], seconds: f64, text: &str) {
    out.extend_from_slice(b"v -t ");
    out.extend_from_slice(clock);
    out.extend_from_slice(b" -e sim_annotation ");
    crate::ns2::number::push_g(out, seconds, 6);
    out.push(b' ');
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}
