//! CAKE's ACK filter: of a connection's ACKs that wait, those that a later one makes redundant are dropped.
//!
//! Source: tc-cake(8), section "ACK filter parameters"; Høiland-Jørgensen et al. 2018, section III-D; Linux 6.12,
//! net/sched/sch_cake.c.
//! What it decides: an arriving packet with an ACK of TCP makes the oldest waiting pure ACK of its connection redundant
//! if that acknowledges no more, has SACKed no more, has no later timestamp and has the same ECN flags as the next
//! redundant one. The filter needs two redundant ACKs, so that one remains. The aggressive filter drops a single one
//! too if it is directly before the arrival.

use crate::packet::header::Header;
use crate::packet::{Packet, PacketId, PacketKind, PacketPool, flag};
use crate::queue::TimedFifo;

/// RFC 793: the flags FIN, SYN, RST, ACK and URG of a TCP header. ns-2 sets PSH in ACKs too.
const FLAGS: u8 = 0x37;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

/// Whether ACKs are dropped, and which.
#[derive(Clone, Copy, PartialEq)]
pub enum AckFilter {
    /// None.
    No,
    /// Redundant ACKs but one.
    Yes,
    /// Also a single redundant ACK.
    Aggressive,
}

impl AckFilter {
    /// The filter with this number: 0 for none, 1 for the filter, 2 for the aggressive one.
    pub fn numbered(number: i32) -> AckFilter {
        match number {
            1 => AckFilter::Yes,
            2 => AckFilter::Aggressive,
            _ => AckFilter::No,
        }
    }

    /// The place in the line of an ACK that the newest packet makes redundant, if any.
    pub fn redundant(self, line: &TimedFifo, packets: &PacketPool) -> Option<usize> {
        let last = line.len().checked_sub(1)?;
        let newest = line.get(last)?;
        if self == AckFilter::No || !has_ack(&packets[newest]) {
            return None;
        }
        let mut found: Option<(usize, u16)> = None;
        let mut count = 0;
        for place in 0..last {
            let waiting = line.get(place)?;
            let packet = &packets[waiting];
            if (packet.src, packet.dst) != (packets[newest].src, packets[newest].dst) || !is_tcp(packet) {
                continue;
            }
            // What ECN says changes here: the ACK found before must stay.
            if found.is_some_and(|(_, flags)| flags != ecn_flags(packet)) {
                found = None;
                count -= 1;
            }
            if !is_redundant(waiting, newest, packets) {
                continue;
            }
            found.get_or_insert((place, ecn_flags(packet)));
            count += 1;
            if count > 1 {
                return found.map(|(place, _)| place);
            }
        }
        let is_single = |&(place, flags): &(usize, u16)| place + 1 == last && flags == ecn_flags(&packets[newest]);
        found.filter(|found| self == AckFilter::Aggressive && is_single(found)).map(|(place, _)| place)
    }
}

fn is_tcp(packet: &Packet) -> bool {
    packet.kind == PacketKind::Ack || packet.tcp_flags != 0
}

/// Whether the packet has an ACK. Only two-way TCP has flags; ACKs of a one-way TCP are packets of their own.
fn has_ack(packet: &Packet) -> bool {
    if packet.tcp_flags == 0 { packet.kind == PacketKind::Ack } else { packet.tcp_flags & (ACK | SYN) == ACK }
}

fn is_pure_ack(packet: &Packet) -> bool {
    if packet.tcp_flags == 0 {
        return packet.kind == PacketKind::Ack && packet.payload == 0;
    }
    packet.tcp_flags & FLAGS == ACK && packet.size == packet.header_len
}

/// The next byte that the ACK's sender expects, or packet with a one-way TCP.
fn number(packet: &Packet) -> i32 {
    if packet.tcp_flags == 0 { packet.seqno + 1 } else { packet.ackno }
}

fn ecn_flags(packet: &Packet) -> u16 {
    packet.flags & (flag::ECN_ECHO | flag::CONG_ACTION)
}

fn is_redundant(waiting: PacketId, newest: PacketId, packets: &PacketPool) -> bool {
    let (old, new) = (&packets[waiting], &packets[newest]);
    // Linux knows neither AccECN's third flag nor its option, and lets pass what it does not know.
    let is_known = match packets.header(waiting) {
        None => true,
        Some(Header::Tcp(segment)) => segment.options.acc_ecn.is_none(),
        Some(_) => false,
    };
    if !is_known || old.has(flag::ACCURATE) {
        return false;
    }
    if !is_pure_ack(old) || number(old) > number(new) || old.ts > new.ts || old.ts_echo > new.ts_echo {
        return false;
    }
    let (before, after) = (packets.sack(waiting), packets.sack(newest));
    // Blocks below the number report duplicates (D-SACK). They must arrive.
    let is_covered = |&(first, end): &(i32, i32)| {
        first >= number(old) && after.iter().any(|&(from, until)| from <= first && end <= until)
    };
    if !before.iter().all(is_covered) {
        return false;
    }
    let bytes = |blocks: &[(i32, i32)]| blocks.iter().map(|(first, end)| end - first).sum::<i32>();
    bytes(after) > bytes(before) || number(old) != number(new)
}
