//! Concurrent multipath transfer (CMT): new data goes to all destinations at once.
//!
//! Source: J. Iyengar, P. Amer, R. Stewart, "Concurrent Multipath Transfer Using SCTP Multihoming Over Independent
//! End-to-End Paths", IEEE/ACM ToN 2006; P. Natarajan and others, "Concurrent Multipath Transfer Using SCTP Multihoming:
//! Introducing the Potentially-failed Destination State", 2008; ns-2.35's `Agent/SCTP/CMT`.
//! Departures: the destination after which an agent goes on is the agent's own. In ns-2 all agents share it, and with two
//! senders it can go on without end.

use super::association::Sctp;
use super::destination::{Destination, Status};
use super::retransmit::{Limit, MAX_BURST};
use super::traced::Variable;
use super::unacknowledged::{Mark, Unacknowledged};
use crate::net::Network;
use crate::packet::sctp::{Chunk, Heartbeat};
use crate::random::rng::Source;

impl Sctp {
    /// Finds the TSNs that destinations expect to be acknowledged, from this chunk if it is one of them.
    pub fn find_pseudo_cums(&mut self, place: usize) {
        let chunk = &self.send_buffer[place];
        let cmt = &mut self.destinations[chunk.destination].cmt;
        if chunk.is_gap_acked {
            return;
        }
        if cmt.finds_pseudo_cum && chunk.transmissions == 1 {
            cmt.expected_pseudo_cum = chunk.data.tsn;
            cmt.finds_pseudo_cum = false;
        }
        if cmt.finds_rtx_pseudo_cum && chunk.transmissions > 1 {
            cmt.expected_rtx_pseudo_cum = chunk.data.tsn;
            cmt.finds_rtx_pseudo_cum = false;
        }
    }

    /// A gap block newly acknowledges a chunk: what its destination learns from that.
    pub fn note_gap_ack(&mut self, place: usize, net: &mut Network) {
        let chunk = self.send_buffer[place];
        let (tsn, number) = (chunk.data.tsn, chunk.destination);
        if self.destinations[number].status == Status::PossiblyFailed && chunk.transmissions == 1 {
            self.destinations[number].status = Status::Active;
            self.destinations[number].errors = 0;
            self.touch(Variable::ErrorCount, net);
        }
        let cmt = &mut self.destinations[number].cmt;
        if tsn == cmt.expected_pseudo_cum {
            (cmt.has_new_pseudo_cum, cmt.finds_pseudo_cum) = (true, true);
        }
        if tsn == cmt.expected_rtx_pseudo_cum {
            (cmt.has_new_pseudo_cum, cmt.finds_rtx_pseudo_cum) = (true, true);
        }
        cmt.saw_new_ack = true;
        cmt.highest_in_sack = cmt.highest_in_sack.max(tsn);
        if cmt.lowest_in_sack == 0 {
            cmt.lowest_in_sack = tsn;
        }
    }

    /// By how much a SACK raises the missing reports of a chunk; `None` if it does not report it missing.
    pub fn missing_reports_of(&self, place: usize, destinations_sacked: usize) -> Option<i32> {
        let chunk = &self.send_buffer[place];
        let (tsn, of) = (chunk.data.tsn, &self.destinations[chunk.destination].cmt);
        let is_missing = match self.cmt.set.use_cmt_reordering {
            0 => tsn < self.htna,
            1 => of.saw_new_ack && tsn < of.highest_in_sack,
            _ => false,
        };
        if chunk.is_gap_acked || !is_missing {
            return None;
        }
        Some(match destinations_sacked {
            _ if self.cmt.set.use_cmt_del_ack != 1 => 1,
            sacked if sacked > 1 || of.lowest_in_sack < tsn => 1,
            1 => self.cmt.packets_sacked,
            _ => 0,
        })
    }

    /// The highest TSN that is outstanding at a destination. As in ns-2, it is 0 if a higher one was found before.
    pub fn highest_outstanding_at(&mut self, number: usize) -> u32 {
        let is_outstanding = |chunk: &&Unacknowledged| chunk.destination == number && chunk.mark == Mark::None;
        let found = self.send_buffer.iter().rev().find(is_outstanding).map_or(0, |chunk| chunk.data.tsn);
        let cmt = &mut self.destinations[number].cmt;
        if found < cmt.highest_sent {
            return self.highest_sent;
        }
        cmt.highest_sent = found;
        found
    }

    /// Notes the highest TSN sent to each destination.
    pub fn note_highest_sent(&mut self) {
        for (number, destination) in self.destinations.iter_mut().enumerate() {
            let last = self.send_buffer.iter().rev().find(|chunk| chunk.destination == number);
            let tsn = last.map_or(0, |chunk| chunk.data.tsn);
            destination.cmt.highest_sent = destination.cmt.highest_sent.max(tsn);
        }
    }

    fn coin(&self, net: &mut Network) -> bool {
        net.rng.of(Source::Sending(self.end.id.0)).whole() & 1 == 1
    }

    /// If all destinations are possibly failed, the one that fails least is used again.
    fn use_possibly_failed(&mut self, net: &mut Network) -> Option<usize> {
        let (mut least_errors, mut since) = (self.set.path_max_retrans, 0.0);
        let mut selected = None;
        for number in 0..self.destinations.len() {
            let destination = &self.destinations[number];
            if destination.status != Status::PossiblyFailed {
                return None;
            }
            let (errors, failed_since) = (destination.errors, destination.cmt.failed_since);
            let is_better = errors < least_errors || (errors == least_errors && failed_since > since);
            if is_better {
                (selected, least_errors, since) = (Some(number), errors, failed_since);
            } else if errors == least_errors && failed_since == since && self.coin(net) {
                selected = Some(number);
            }
        }
        let Some(number) = selected else {
            self.fail("no destination is left to send to; ns-2 ends here", net);
            return None;
        };
        if self.destinations[number].t3_runs {
            self.stop_t3(number, net);
        }
        let max_data = self.max_data as i32;
        let destination = &mut self.destinations[number];
        net.stop_timer(destination.timers.heartbeat);
        destination.cwnd = max_data;
        destination.status = Status::Active;
        destination.cmt.failed_since = 0.0;
        Some(number)
    }

    fn may_retransmit_to(&self, number: usize, limit: Limit) -> bool {
        let destination = &self.destinations[number];
        (limit == Limit::OnePacket && destination.cmt.may_send_one && destination.cmt.packets_sent < 1)
            || destination.outstanding < destination.cwnd
    }

    /// The destination with the greatest value, or one of several by lot; not those that `skips` names.
    fn greatest(
        &self,
        value: impl Fn(&Destination) -> f64,
        mut greatest: f64,
        skips_possibly_failed: bool,
        net: &mut Network,
    ) -> Option<usize> {
        let mut selected = None;
        for (number, destination) in self.destinations.iter().enumerate() {
            let is_skipped = destination.status == Status::Inactive
                || (skips_possibly_failed && destination.status == Status::PossiblyFailed);
            if is_skipped {
                continue;
            }
            let its = value(destination);
            if its > greatest {
                (selected, greatest) = (Some(number), its);
            } else if its == greatest && self.coin(net) {
                selected = Some(number);
            }
        }
        selected
    }

    /// The destination for the retransmission of a chunk; `None` if it has to wait.
    pub fn select_retransmission(&mut self, place: usize, limit: Limit, net: &mut Network) -> Option<usize> {
        let policy = self.cmt.set.e_cmt_rtx_policy;
        if matches!(policy, 2 | 4)
            && self.cmt.set.use_cmt_pf == 1
            && let Some(again) = self.use_possibly_failed(net)
        {
            self.touch(Variable::PfToActiveRtxms, net);
            return Some(again);
        }
        let selected = match policy {
            0 => {
                let mut selected = None;
                for number in 0..self.destinations.len() {
                    let is_usable =
                        self.may_retransmit_to(number, limit) && self.destinations[number].status == Status::Active;
                    if is_usable && (selected.is_none() || !self.coin(net)) {
                        selected = Some(number);
                    }
                }
                selected
            }
            1 => {
                let mut same = self.send_buffer[place].destination;
                if self.destinations.iter().all(|destination| destination.status == Status::Inactive) {
                    self.fail("no destination is active; ns-2 goes on without end", net);
                    return None;
                }
                while self.destinations[same].status == Status::Inactive {
                    same = self.next_destination(same);
                }
                Some(same)
            }
            2 => self.greatest(|destination| f64::from(destination.ssthresh), 0.0, true, net),
            3 => self.greatest(|destination| -f64::from(destination.cmt.loss_rate), -10.0, false, net),
            4 => self.greatest(|destination| f64::from(destination.cwnd), 0.0, true, net),
            _ => None,
        };
        selected.filter(|&number| self.may_retransmit_to(number, limit))
    }

    /// Sends marked chunks, each to the destination that the policy selects.
    pub fn retransmit_to_selected(&mut self, limit: Limit, net: &mut Network) {
        for destination in &mut self.destinations {
            destination.first_outstanding = None;
            (destination.cmt.packets_sent, destination.cmt.burst_length) = (0, 0);
        }
        self.count_marked(-1);
        let mut place = 0;
        while place < self.send_buffer.len() {
            let before = place;
            let (packet, target) = self.fill_retransmission(&mut place, None, limit, net);
            let (Some(target), Some(Chunk::Data(last))) = (target, packet.chunks.all.last()) else {
                if place == before {
                    self.fail("a chunk is larger than a packet may be; ns-2 goes on without end", net);
                    break;
                }
                continue;
            };
            let last_tsn = f64::from(last.tsn as i32);
            self.send_packet(packet, target, net);
            self.trace_event("SCTP retransmission", target, &[last_tsn], net);
            if !self.destinations[target].t3_runs {
                self.start_t3(target, net);
            }
            let destination = &mut self.destinations[target];
            destination.cmt.packets_sent += 1;
            net.set_timer(destination.timers.degrade, destination.rto);
            if self.exceeds_burst_at(target) {
                break;
            }
        }
        // As in ns-2, the timer that starts is that of the last chunk's destination.
        let last = self.send_buffer.get(place).or(self.send_buffer.last()).map(|chunk| chunk.destination);
        for number in 0..self.destinations.len() {
            let destination = &self.destinations[number];
            if let Some(last) = last
                && !destination.t3_runs
                && destination.outstanding > 0
            {
                self.start_t3(last, net);
            }
        }
        self.count_marked(1);
        self.marked_pending = self.any_marked();
    }

    fn exceeds_burst_at(&mut self, number: usize) -> bool {
        if self.set.use_max_burst != 1 || !self.apply_max_burst {
            return false;
        }
        let burst = &mut self.destinations[number].cmt.burst_length;
        *burst += 1;
        *burst > MAX_BURST
    }

    /// Sends new data to all destinations in turn, until their windows or the peer's are full.
    pub fn send_to_all(&mut self, net: &mut Network) {
        let former = self.new_tx;
        if self.cmt.set.use_cmt_pf == 1 && self.use_possibly_failed(net).is_some() {
            self.touch(Variable::PfToActiveNewData, net);
        }
        let count = self.destinations.len();
        let first = self.cmt.last_sent_to.map_or(0, |last| (last + 1) % count);
        for step in 0..count {
            let number = (first + step) % count;
            self.new_tx = number;
            if self.destinations[number].status == Status::Active && self.send_to_new_tx(net) {
                self.cmt.last_sent_to = Some(number);
            }
        }
        self.new_tx = former;
        for destination in &mut self.destinations {
            destination.cmt.burst_length = 0;
        }
    }

    /// Whether a packet of new data is the first one that `Max.Burst` forbids.
    pub fn new_data_exceeds_burst(&mut self) -> bool {
        if self.extensions.is_multipath { self.exceeds_burst_at(self.new_tx) } else { self.exceeds_burst() }
    }

    /// Whether a timeout of a destination makes it possibly failed.
    pub fn note_possible_failure(&mut self, number: usize, net: &mut Network) {
        let destination = &mut self.destinations[number];
        if destination.errors == 1 && self.cmt.set.use_cmt_pf == 1 {
            destination.status = Status::PossiblyFailed;
            destination.cmt.failed_since = net.now().secs();
            if self.set.heartbeat_interval != 0 {
                net.stop_timer(destination.timers.heartbeat);
            }
        }
    }

    /// The trace of a timeout has a line of its own.
    pub fn trace_timeout(&mut self, number: usize, net: &mut Network) {
        let destination = &self.destinations[number];
        let fields = [f64::from(self.peer_rwnd as i32), destination.rto, f64::from(destination.errors)];
        self.trace_event("SCTP timeout", number, &fields, net);
    }

    /// HEARTBEAT ACK of a destination that had failed: what was lost is sent to it first.
    pub fn use_again(&mut self, heartbeat: Heartbeat, former: Status, net: &mut Network) {
        let number = heartbeat.destination as usize;
        if former == Status::PossiblyFailed {
            let destination = &mut self.destinations[number];
            destination.cwnd = self.cmt.set.cmt_pfcwnd.wrapping_mul(self.max_data as i32);
            destination.cmt.failed_since = 0.0;
        }
        self.retransmit_after_timeout(number, net);
        if !self.any_marked() {
            self.peer_rwnd = self.cmt.arwnd.saturating_sub(self.total_outstanding());
            self.send_new_data = true;
        }
    }
}
