//! Receive offload: what a host does with arriving packets before TCP sees them (GRO, generic receive offload).
//!
//! Source: Linux 6.18, `tcp_gro_receive` (net/ipv4/tcp_offload.c), `skb_gro_receive` and `napi_gro_flush` (net/core/gro.c),
//! `__napi_poll` (net/core/dev.c); Documentation/networking/napi.rst.
//! What it decides: which packets reach TCP as one segment. An interface that delays its interrupts (ethtool's `rx-usecs`)
//! collects packets. One poll takes them all, and merges those that follow each other in the sequence space.
//! Departures: one connection only, so no limit of flows (`MAX_GRO_SKBS`). How an interface counts `rx-usecs` is its driver's
//! choice; here it counts from the first packet. A merged segment takes the receive buffer's memory of one packet of its
//! length, in Linux that of its packets.
//! Not implemented: holding packets beyond a poll (`gro_flush_timeout`, 0 in Linux by default); `rx-frames`.
//! Checked against: by hand, below; crates/engine/tests/gro.rs.

use crate::event::timer::TimerId;
use crate::net::Network;
use crate::packet::segment::{Segment, flag};

/// `GRO_LEGACY_MAX_SIZE`, bytes: a merged packet is smaller, IP and TCP headers included.
const MAX_SIZE: u32 = 65_536;
/// `NAPI_POLL_WEIGHT`: packets of a poll. The next packets begin another segment, unless the kernel has 1,000 or more timer
/// ticks a second: then only what is older than a tick ends with the poll (`napi_gro_flush(n, HZ >= 1000)`).
const POLL_WEIGHT: usize = 64;
/// `HZ` from which on a poll ends no segment.
const FINE_HZ: i32 = 1000;

/// A packet with the time at which it was sent, s.
pub(super) type Arrived = (Segment, f64);

/// The packets that arrived since the last poll.
#[derive(Debug)]
pub(super) struct Ring {
    /// The interrupt.
    timer: TimerId,
    packets: Vec<Arrived>,
}

impl Ring {
    /// An empty ring with the timer of its interrupt.
    pub fn new(timer: TimerId) -> Ring {
        Ring { timer, packets: Vec::new() }
    }

    /// A packet arrives. The first one asks for an interrupt, which comes after `delay_s`.
    pub fn push(&mut self, packet: Arrived, delay_s: f64, net: &mut Network) {
        if self.packets.is_empty() {
            net.set_timer(self.timer, delay_s);
        }
        self.packets.push(packet);
    }

    /// The interrupt: empties the ring; returns what TCP gets, in order.
    pub fn poll(&mut self, hz: i32) -> Vec<Arrived> {
        let segments = poll(&self.packets, hz);
        self.packets.clear();
        segments
    }

    /// The simulation starts again.
    pub fn clear(&mut self, net: &mut Network) {
        self.packets.clear();
        net.stop_timer(self.timer);
    }
}

/// Whether a packet is the last of its merged segment (`tcp_gro_receive`, `out_check_final`): shorter than the others, or
/// pushed, or not only data. `mss` is 1 if it begins a segment.
fn is_final(packet: &Segment, mss: u32) -> bool {
    packet.payload < mss || packet.flags & (flag::URG | flag::PSH | flag::RST | flag::SYN | flag::FIN) != 0
}

/// Bytes of payload in each packet of a merged segment, but the last.
fn mss(held: &Segment) -> u32 {
    if held.gso_size > 0 { held.gso_size } else { held.payload }
}

/// Merges the next packet into what is held (`tcp_gro_receive`, `skb_gro_receive`); returns whether they fit together. All
/// fields of IP and TCP headers must be equal, timestamps included, but for FIN and PSH.
fn merge(held: &mut Segment, packet: &Segment) -> bool {
    let mss = mss(held);
    let is_like = packet.ecn == held.ecn
        && packet.flags & flag::CWR == 0
        && (packet.flags ^ held.flags) & !(flag::FIN | flag::PSH) == 0
        && packet.ack == held.ack
        && packet.window == held.window
        && packet.options == held.options;
    let follows = packet.seq == held.seq.add(held.payload) && (1..=mss).contains(&packet.payload);
    if !is_like || !follows || held.ip_len() + packet.payload >= MAX_SIZE {
        return false;
    }
    held.payload += packet.payload;
    held.gso_size = mss;
    held.flags |= packet.flags & (flag::FIN | flag::PSH);
    true
}

/// The segments that TCP gets from a poll that finds these packets, in order.
fn poll(packets: &[Arrived], hz: i32) -> Vec<Arrived> {
    let weight = if hz >= FINE_HZ { packets.len().max(1) } else { POLL_WEIGHT };
    let mut segments: Vec<Arrived> = Vec::new();
    for batch in packets.chunks(weight) {
        // The last segment may still grow.
        let mut is_open = false;
        for (packet, sent_s) in batch {
            let held = segments.last_mut().filter(|_| is_open);
            let mss = held.as_ref().map_or(1, |(held, _)| mss(held));
            if held.is_some_and(|(held, _)| merge(held, packet)) {
                is_open = !is_final(packet, mss);
            } else {
                segments.push((*packet, *sent_s));
                is_open = !is_final(packet, 1);
            }
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::segment::{EcnCodepoint, SackBlock, Timestamps};
    use crate::packet::seq::SeqNum;

    const MSS: u32 = 1448;

    fn packets(count: u32) -> Vec<Arrived> {
        let packet = |number: u32| {
            let mut packet =
                Segment { flags: flag::ACK, payload: MSS, ack: SeqNum(7), window: 9, ..Segment::default() };
            packet.seq = SeqNum(u32::MAX - 2000).add(number * MSS);
            packet.options.timestamps = Some(Timestamps { val: 1, ecr: 2 });
            (packet, f64::from(number))
        };
        (0..count).map(packet).collect()
    }

    fn payloads(packets: &[Arrived]) -> Vec<u32> {
        poll(packets, 250).iter().map(|(segment, _)| segment.payload).collect()
    }

    // skb_gro_receive refuses what makes 65536 bytes or more: 52 bytes of headers and 45 packets are 65212, and 64 packets
    // (NAPI_POLL_WEIGHT) end a poll.
    #[test]
    fn a_segment_is_smaller_than_64_kib() {
        assert_eq!(payloads(&packets(3)), [3 * MSS]);
        assert_eq!(payloads(&packets(60)), [45 * MSS, 15 * MSS]);
        assert_eq!(payloads(&packets(70)), [45 * MSS, 19 * MSS, 6 * MSS]);
        // With 1,000 ticks a second the poll's end does not end a segment: 70 = 45 + 25.
        assert_eq!(
            poll(&packets(70), 1000).iter().map(|(segment, _)| segment.payload).collect::<Vec<_>>(),
            [45 * MSS, 25 * MSS]
        );
        let (segment, sent_s) = poll(&packets(46), 250)[1];
        assert_eq!((segment.seq, segment.gso_size, sent_s), (SeqNum(u32::MAX - 2000).add(45 * MSS), 0, 45.0));
        assert_eq!((poll(&packets(3), 250)[0].0.gso_size, poll(&packets(3), 250)[0].0.packets()), (MSS, 3));
    }

    // tcp_gro_receive: PSH and FIN, and a packet shorter than the first, end a segment and belong to it.
    #[test]
    fn the_last_packet_of_a_segment() {
        for bit in [flag::PSH, flag::FIN] {
            let mut arrived = packets(4);
            arrived[1].0.flags |= bit;
            assert_eq!(payloads(&arrived), [2 * MSS, 2 * MSS]);
            assert!(poll(&arrived, 250)[0].0.has(bit) && !poll(&arrived, 250)[1].0.has(bit));
        }
        let mut arrived = packets(2);
        arrived[1].0.payload = 100;
        arrived.push(packets(3)[2]);
        arrived[2].0.seq = arrived[1].0.end_seq();
        assert_eq!(payloads(&arrived), [MSS + 100, MSS]);
    }

    // tcp_gro_receive and inet_gro_receive: everything else must be equal. A longer packet is not merged, nor is a gap filled,
    // and a packet without data passes by itself.
    #[test]
    fn what_differs_is_not_merged() {
        let changes: [fn(&mut Segment); 9] = [
            |packet| packet.seq = packet.seq.add(1),
            |packet| packet.payload += 1,
            |packet| packet.payload = 0,
            |packet| packet.ack = packet.ack.add(1),
            |packet| packet.window += 1,
            |packet| packet.ecn = EcnCodepoint::Ce,
            |packet| packet.flags |= flag::CWR,
            |packet| packet.options.timestamps = Some(Timestamps { val: 2, ecr: 2 }),
            |packet| packet.options.push_sack(SackBlock { start: SeqNum(1), end: SeqNum(2) }),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut arrived = packets(2);
            change(&mut arrived[1].0);
            assert_eq!(poll(&arrived, 250).len(), 2, "change {number}");
        }
    }
}
