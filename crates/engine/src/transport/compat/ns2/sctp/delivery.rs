//! Data that arrives: its acknowledgement, and its delivery in the order of its stream.

use super::association::Sctp;
use super::traced::Variable;
use crate::net::Network;
use crate::packet::sctp::{Chunk, Data, Sack};

impl Sctp {
    /// Handles a DATA chunk.
    pub fn take_data(&mut self, data: Data, net: &mut Network) {
        let length = u32::from(data.length);
        if length > self.receiver.rwnd {
            // Dropped, and not acknowledged.
            self.receiver.sack_needed = false;
            return;
        }
        if data.tsn > self.receiver.highest {
            self.receiver.highest = data.tsn;
        } else if self.receiver.is_duplicate(data.tsn) {
            self.receiver.add_duplicate(data.tsn);
            self.receiver.sack_needed = true;
            return;
        }
        self.receiver.rwnd -= length;
        self.touch(Variable::Rwnd, net);
        self.receiver.add_tsn(data.tsn);
        self.pass_to_stream(data, net);
        self.deliver(net);
    }

    fn pass_to_application(&mut self, data: Data, net: &mut Network) {
        self.receiver.rwnd = self.receiver.rwnd.wrapping_add(u32::from(data.length));
        self.touch(Variable::Rwnd, net);
    }

    fn note_delivered(&mut self, tsn: u32) {
        if self.set.use_non_reneg_sacks == 1 && tsn > self.receiver.cum_ack {
            self.receiver.delivered.insert(tsn);
        }
    }

    fn pass_to_stream(&mut self, data: Data, net: &mut Network) {
        if data.is_unordered {
            self.pass_to_application(data, net);
            self.note_delivered(data.tsn);
            return;
        }
        let Some(stream) = self.receiver.streams.get_mut(usize::from(data.stream)) else {
            self.fail(
                "data came for a stream that the handshake did not announce; ns-2 writes outside its memory",
                net,
            );
            return;
        };
        let place = stream.waiting.iter().position(|waiting| data.ssn <= waiting.ssn).unwrap_or(stream.waiting.len());
        if stream.waiting.get(place).is_none_or(|waiting| waiting.ssn != data.ssn) {
            stream.waiting.insert(place, data);
        }
    }

    /// Delivers what is in order. A chunk of an unreliable stream is also delivered when the cumulative TSN has passed it.
    fn deliver(&mut self, net: &mut Network) {
        for number in 0..self.receiver.streams.len() {
            loop {
                let cum_ack = self.receiver.cum_ack;
                let stream = &mut self.receiver.streams[number];
                let Some(&first) = stream.waiting.first() else { break };
                let is_passed = stream.is_unreliable && first.tsn <= cum_ack;
                if is_passed {
                    stream.next_ssn = first.ssn.wrapping_add(1);
                } else if first.ssn == stream.next_ssn {
                    stream.next_ssn = stream.next_ssn.wrapping_add(1);
                } else {
                    break;
                }
                stream.waiting.remove(0);
                self.pass_to_application(first, net);
                if !is_passed {
                    self.note_delivered(first.tsn);
                }
            }
        }
        if self.set.use_non_reneg_sacks == 1 {
            self.receiver.rebuild_delivered_blocks();
        }
    }

    /// Handles FORWARD TSN: what the peer gave up counts as received.
    pub fn take_forward_tsn(&mut self, new_cumulative: u32, net: &mut Network) {
        let mut tsn = self.receiver.cum_ack.wrapping_add(1);
        while tsn as i32 <= new_cumulative as i32 {
            if !self.receiver.is_duplicate(tsn) {
                self.receiver.add_tsn(tsn);
            }
            tsn = tsn.wrapping_add(1);
        }
        self.deliver(net);
    }

    /// Decides whether a DATA chunk causes SACK, before it is handled: SACKs may be delayed (RFC 4960, section 6.2).
    pub fn plan_sack(&mut self, tsn: u32, net: &mut Network) {
        let is_multipath = self.extensions.is_multipath;
        if self.set.use_delayed_sacks == 0 || (tsn == 1 && !is_multipath) {
            self.receiver.sack_needed = true;
        } else if std::mem::take(&mut self.receiver.start_of_packet) {
            self.receiver.packets_since_sack += 1;
            match self.receiver.packets_since_sack {
                1 => net.set_timer(self.timers.sack, self.set.sack_delay),
                2 if is_multipath => {
                    net.stop_timer(self.timers.sack);
                    self.receiver.sack_needed = true;
                }
                2 => self.sack_at_once(net),
                _ => {}
            }
        }
    }

    /// SACK will be sent when the packet is handled.
    pub fn sack_at_once(&mut self, net: &mut Network) {
        self.receiver.packets_since_sack = 0;
        net.stop_timer(self.timers.sack);
        self.receiver.sack_needed = true;
    }

    /// The SACK to send now.
    pub fn make_sack(&mut self) -> Chunk {
        // CMT's receiver says how many packets it acknowledges; as in ns-2, none if the SACK was delayed.
        let packets =
            if self.extensions.is_multipath { std::mem::take(&mut self.receiver.packets_since_sack) } else { 0 };
        let sack = |sack| Sack { packets: packets as u8, ..sack };
        if self.set.use_non_reneg_sacks == 1 {
            Chunk::NonRenegableSack(sack(self.receiver.make_non_renegable_sack(self.max_data)))
        } else {
            Chunk::Sack(sack(self.receiver.make_sack(self.max_data)))
        }
    }

    /// The delayed SACK is due.
    pub fn on_sack_timer(&mut self, net: &mut Network) {
        self.receiver.packets_since_sack = 0;
        self.send_sack(net);
    }
}
