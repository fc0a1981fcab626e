//! Retransmission: which chunks are marked, where they go, in which packets.

use super::association::Sctp;
use super::destination::Status;
use super::output::Outgoing;
use super::traced::Variable;
use super::unacknowledged::Mark;
use crate::net::Network;
use crate::packet::sctp::{Chunk, padded};

/// How much is retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// One packet.
    OnePacket,
    /// What the congestion window allows.
    Cwnd,
}

/// `Max.Burst` of RFC 4960, section 6.1, packets.
pub const MAX_BURST: u32 = 4;

impl Sctp {
    /// Marks a chunk for retransmission. On an unreliable stream it may be given up instead.
    pub fn mark(&mut self, place: usize, mark: Mark) {
        let chunk = &mut self.send_buffer[place];
        chunk.mark = mark;
        self.peer_rwnd = self.peer_rwnd.wrapping_add(u32::from(chunk.data.length));
        let is_unreliable =
            self.out_streams.get(usize::from(chunk.data.stream)).is_some_and(|stream| stream.is_unreliable);
        if is_unreliable && chunk.transmissions > chunk.limit {
            chunk.is_given_up = true;
            chunk.mark = Mark::None;
            self.destinations[chunk.destination].outstanding -= i32::from(chunk.data.length);
        } else {
            self.marked_pending = true;
        }
    }

    /// Halves the windows of destinations that lost chunks, once per window, and retransmits one packet.
    pub fn fast_retransmit(&mut self, net: &mut Network) {
        for destination in &mut self.destinations {
            destination.cc_applied = false;
            destination.cmt.may_send_one = false;
        }
        let is_multipath = self.extensions.is_multipath;
        for place in 0..self.send_buffer.len() {
            let chunk = self.send_buffer[place];
            let is_lost = chunk.mark != Mark::None || chunk.is_given_up;
            let destination = &mut self.destinations[chunk.destination];
            if chunk.mark == Mark::Fast {
                destination.cmt.may_send_one = true;
            }
            let recover = if is_multipath { destination.cmt.recover } else { self.recover };
            if !is_lost || destination.cc_applied || chunk.data.tsn <= recover {
                continue;
            }
            let least = if is_multipath { self.set.initial_cwnd } else { 4 };
            destination.ssthresh = (destination.cwnd / 2).max(least * self.max_data as i32);
            destination.cwnd = destination.ssthresh;
            destination.partial_bytes_acked = 0;
            self.touch(Variable::Cwnd, net);
            let destination = &mut self.destinations[chunk.destination];
            destination.cc_applied = true;
            destination.rto_pending = false;
            if is_multipath {
                let recover = self.highest_outstanding_at(chunk.destination);
                self.destinations[chunk.destination].cmt.recover = recover;
            } else {
                self.recover = self.highest_outstanding();
            }
        }
        if is_multipath {
            self.marked_pending = self.any_marked();
        }
        if self.marked_pending {
            self.retransmit_marked(Limit::OnePacket, net);
        }
    }

    /// After a timeout: marks what was sent to the destination, and retransmits one packet.
    pub fn retransmit_after_timeout(&mut self, destination: usize, net: &mut Network) {
        for place in 0..self.send_buffer.len() {
            let chunk = &self.send_buffer[place];
            if chunk.destination == destination && !chunk.is_gap_acked && !chunk.is_given_up {
                self.mark(place, Mark::Timeout);
                self.send_buffer[place].missing_reports = 0;
            }
        }
        if self.marked_pending {
            self.retransmit_marked(Limit::OnePacket, net);
        }
    }

    /// Where the first marked chunk is retransmitted to.
    fn retransmission_destination(&self) -> Option<usize> {
        let chunk = self.send_buffer.iter().find(|chunk| chunk.mark != Mark::None)?;
        let same = chunk.destination;
        let may_stay = self.destinations[same].status == Status::Active;
        Some(match self.set.rtx_to_alt {
            0 if may_stay => same,
            2 if may_stay && chunk.mark == Mark::Fast => same,
            _ => self.next_destination(same),
        })
    }

    /// Marked chunks do not count as outstanding while it is decided what may be sent.
    pub fn count_marked(&mut self, sign: i32) {
        for chunk in self.send_buffer.iter().filter(|chunk| chunk.mark != Mark::None) {
            self.destinations[chunk.destination].outstanding += sign * i32::from(chunk.data.length);
        }
    }

    /// Sends marked chunks, as many in a packet as it has room for.
    pub fn retransmit_marked(&mut self, limit: Limit, net: &mut Network) {
        if self.extensions.is_multipath {
            self.retransmit_to_selected(limit, net);
            return;
        }
        self.burst_length = 0;
        for destination in &mut self.destinations {
            destination.first_outstanding = None;
        }
        if !(0..=2).contains(&self.set.rtx_to_alt) {
            self.fail("rtxToAlt_ is 0, 1 or 2; ns-2 reads outside its memory", net);
            return;
        }
        // Without a marked chunk nothing is sent, but timers of chunks that were given up start or stop.
        let target = self.retransmission_destination().unwrap_or_default();
        self.count_marked(-1);
        let (mut place, mut sent) = (0, 0);
        while place < self.send_buffer.len() {
            let may_send = match limit {
                Limit::OnePacket => sent < 1,
                Limit::Cwnd => self.destinations[target].outstanding < self.destinations[target].cwnd,
            };
            if !may_send {
                break;
            }
            let (packet, _) = self.fill_retransmission(&mut place, Some(target), limit, net);
            if packet.chunks.all.len() == packet.chunks.untraced {
                if place < self.send_buffer.len() {
                    self.fail("a chunk is larger than a packet may be; ns-2 goes on without end", net);
                    break;
                }
                continue;
            }
            self.send_packet(packet, target, net);
            if !self.destinations[target].t3_runs {
                self.start_t3(target, net);
            }
            sent += 1;
            let destination = &self.destinations[target];
            net.set_timer(destination.timers.degrade, destination.rto);
            if self.exceeds_burst() {
                break;
            }
        }
        self.count_marked(1);
        self.marked_pending = self.any_marked();
    }

    /// Counts a packet of a burst; whether it was the last one that `Max.Burst` allows.
    pub fn exceeds_burst(&mut self) -> bool {
        if self.set.use_max_burst != 1 || !self.apply_max_burst {
            return false;
        }
        self.burst_length += 1;
        let exceeds = self.burst_length > MAX_BURST;
        if exceeds {
            self.apply_max_burst = false;
        }
        exceeds
    }

    /// Fills a packet with marked chunks from `place` on. Without a target, the first of them decides where it goes; it is
    /// passed over if it has to wait. Returns the packet and its target.
    pub fn fill_retransmission(
        &mut self,
        place: &mut usize,
        mut target: Option<usize>,
        limit: Limit,
        net: &mut Network,
    ) -> (Outgoing, Option<usize>) {
        let mut packet = Outgoing::default();
        let mut is_bundled = false;
        while *place < self.send_buffer.len() {
            self.note_first_outstanding(*place);
            let chunk = self.send_buffer[*place];
            let (tsn, length) = (chunk.data.tsn, u32::from(chunk.data.length));
            if chunk.mark != Mark::None {
                target = target.or_else(|| self.select_retransmission(*place, limit, net));
                let Some(target) = target else {
                    *place += 1;
                    break;
                };
                if self.extensions.is_multipath {
                    if chunk.destination != target {
                        self.destinations[chunk.destination].cmt.find_pseudo_cums();
                    }
                    self.send_buffer[*place].was_fast_retransmitted = true;
                }
                if !std::mem::replace(&mut is_bundled, true) {
                    self.bundle(&mut packet, net);
                }
                if packet.bytes + length > self.max_payload {
                    break;
                }
                self.retransmit_chunk(*place, target, net);
                packet.bytes += padded(length);
                packet.chunks.all.push(Chunk::Data(chunk.data));
            } else if chunk.is_given_up && self.destinations[chunk.destination].first_outstanding == Some(tsn) {
                match self.destinations[chunk.destination].outstanding > 0 {
                    true => self.start_t3(chunk.destination, net),
                    false => self.stop_t3(chunk.destination, net),
                }
            }
            *place += 1;
        }
        (packet, target)
    }

    /// A marked chunk goes to the target now.
    fn retransmit_chunk(&mut self, place: usize, target: usize, net: &mut Network) {
        let chunk = &mut self.send_buffer[place];
        let (tsn, length) = (chunk.data.tsn, chunk.data.length);
        let former = chunk.destination;
        if self.destinations[former].rto_pending && chunk.measures_rtt {
            chunk.measures_rtt = false;
            self.destinations[former].rto_pending = false;
        }
        if self.destinations[former].first_outstanding == Some(tsn) && self.destinations[former].outstanding > 0 {
            self.start_t3(former, net);
        }
        if self.destinations[target].first_outstanding.is_none_or(|first| tsn < first) {
            self.destinations[target].first_outstanding = Some(tsn);
            self.start_t3(target, net);
        }
        let chunk = &mut self.send_buffer[place];
        chunk.destination = target;
        chunk.transmissions += 1;
        chunk.mark = Mark::None;
        if self.extensions.has_timestamps {
            chunk.sent_s = net.now().secs();
        }
        self.destinations[target].outstanding += i32::from(length);
        self.peer_rwnd = self.peer_rwnd.wrapping_sub(u32::from(length));
    }
}
