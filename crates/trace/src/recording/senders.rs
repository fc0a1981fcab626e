//! TCP sender statistics from data packets and ACKs: RTT samples, packets in flight, retransmissions.

use std::collections::{HashSet, VecDeque};

use crate::names::Names;
use crate::read::packet_line::PacketLine;

/// Outstanding data.
struct Sent {
    /// Packet number, or one past the last byte.
    upto: i64,
    at_s: f64,
    /// Retransmitted: an ACK is ambiguous (RFC 6298, section 3, Karn's algorithm).
    again: bool,
}

/// A sender: one direction of a flow.
#[derive(Default)]
pub struct Sender {
    /// RTT samples: arrival time of the ACK, and RTT, s.
    pub round_trips: Vec<(f64, f64)>,
    /// Packets in flight after each change: time, s, and number.
    pub in_flight: Vec<(f64, f64)>,
    sent: VecDeque<Sent>,
    highest: Option<i64>,
    /// Bytes of the packet with the highest number.
    highest_size: i32,
    /// Lines with the header of two-way TCP, which says how much is acknowledged.
    with_header: u64,
    /// Without it: numbers that are the next one, and those that are beyond it.
    next: u64,
    beyond: u64,
    /// Ids of retransmitted packets.
    again: HashSet<i64>,
}

/// The senders of all flows.
#[derive(Default)]
pub struct Senders {
    all: Vec<Sender>,
}

impl Senders {
    /// The sender of a flow, if it has sent.
    pub fn of(&self, flow: usize) -> Option<&Sender> {
        self.all.get(flow)
    }

    fn at(&mut self, flow: usize) -> &mut Sender {
        if self.all.len() <= flow {
            self.all.resize_with(flow + 1, Sender::default);
        }
        &mut self.all[flow]
    }

    /// A packet enters a queue; returns whether it is a retransmission.
    pub fn is_again(&mut self, line: &PacketLine, flow: usize, sets_out: bool, kinds: &Names) -> bool {
        if line.sequence < 0 || kinds.word(line.kind) != "tcp" {
            return false;
        }
        let sender = self.at(flow);
        if !sets_out {
            return sender.again.contains(&line.packet);
        }
        sender.sends(line)
    }

    /// A packet arrives at its destination.
    pub fn arrives(&mut self, line: &PacketLine, flow: usize, kinds: &Names) {
        let two_way = line.header.filter(|header| header.flags != 0);
        if kinds.word(line.kind) != "ack" && two_way.is_none() {
            return;
        }
        // One-way TCP acknowledges the last in-order packet, two-way TCP the next expected byte.
        let upto = two_way.map_or(line.sequence, |header| header.acknowledgement);
        self.at(flow).is_acknowledged(line.time_s, upto);
    }
}

impl Sender {
    /// Whether it numbers bytes, as two-way TCP does; one-way TCP numbers packets.
    #[must_use]
    pub fn numbers_bytes(&self) -> bool {
        self.with_header > 0 || self.beyond > self.next
    }

    /// Whether the file says how much its packets' ACKs acknowledge. The number of two-way TCP's ACKs is that of their
    /// own data; what they acknowledge is in the header alone.
    #[must_use]
    pub fn tells_acks(&self) -> bool {
        self.with_header > 0 || !self.numbers_bytes()
    }

    fn sends(&mut self, line: &PacketLine) -> bool {
        let two_way = line.header.is_some_and(|header| header.flags != 0);
        let upto = match line.header {
            Some(header) if two_way => {
                let bytes = i64::from(line.size_bytes) - i64::from(header.header_bytes);
                if bytes <= 0 {
                    return false;
                }
                self.with_header += 1;
                line.sequence + bytes
            }
            _ => line.sequence,
        };
        let step = self.highest.map_or(0, |highest| upto - highest);
        self.next += u64::from(step == 1);
        self.beyond += u64::from(step > 1);
        // Without the header a handshake's last ACK has the number of the first data, and is shorter.
        let is_first = !two_way && step == 0 && line.size_bytes > self.highest_size;
        let again = self.highest.is_some() && step <= 0 && !is_first;
        if again {
            self.again.insert(line.packet);
            self.sent.iter_mut().filter(|sent| sent.upto == upto).for_each(|sent| sent.again = true);
        } else {
            self.highest = Some(upto);
            self.highest_size = line.size_bytes;
            self.sent.push_back(Sent { upto, at_s: line.time_s, again: false });
        }
        self.count(line.time_s);
        again
    }

    fn is_acknowledged(&mut self, now_s: f64, upto: i64) {
        let mut last = None;
        while self.sent.front().is_some_and(|sent| sent.upto <= upto) {
            last = self.sent.pop_front();
        }
        let Some(last) = last else { return };
        if last.upto == upto && !last.again {
            self.round_trips.push((now_s, now_s - last.at_s));
        }
        self.count(now_s);
    }

    fn count(&mut self, now_s: f64) {
        let packets = self.sent.len() as f64;
        match self.in_flight.last_mut() {
            Some(last) if last.0 == now_s => last.1 = packets,
            _ => self.in_flight.push((now_s, packets)),
        }
    }
}
