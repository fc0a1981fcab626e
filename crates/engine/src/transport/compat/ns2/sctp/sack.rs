//! The sender's handling of SACK, and its congestion windows.

use super::association::Sctp;
use super::retransmit::Limit;
use super::traced::Variable;
use crate::net::Network;
use crate::packet::sctp::Sack;

impl Sctp {
    /// Handles SACK; `can_have_not_reneged` says that it was one with blocks that are not reneged.
    pub fn take_sack(&mut self, sack: &Sack, can_have_not_reneged: bool, net: &mut Network) {
        for destination in &mut self.destinations {
            destination.newly_acked = 0;
            destination.first_outstanding = None;
            destination.cmt.begin_sack();
        }
        let is_multipath = self.extensions.is_multipath;
        self.cmt.packets_sacked = sack.packets.into();
        if sack.cumulative < self.cum_ack_point {
            return;
        }
        let has_new_cum_ack = sack.cumulative > self.cum_ack_point;
        if has_new_cum_ack {
            self.acknowledge_up_to(sack.cumulative, net);
            self.cum_ack_point = sack.cumulative;
        }
        let count = |index: usize| sack.words.get(index).copied().unwrap_or(0);
        let mut is_fast_rtx_needed = false;
        if is_multipath || count(0) != 0 || (can_have_not_reneged && count(1) != 0) {
            is_fast_rtx_needed = self.take_gap_blocks(sack, has_new_cum_ack, net);
            if can_have_not_reneged {
                self.take_blocks_not_reneged(sack);
            }
        }
        if is_multipath {
            self.count_marked(-1);
        }
        for number in 0..self.destinations.len() {
            let may_grow = match (is_multipath, self.cmt.set.use_cmt_cwnd) {
                (true, 1) => self.destinations[number].cmt.has_new_pseudo_cum,
                (true, use_cmt_cwnd) => has_new_cum_ack && use_cmt_cwnd == 0,
                (false, _) => has_new_cum_ack && sack.cumulative >= self.recover,
            };
            self.credit(number, may_grow, net);
        }
        if is_multipath {
            self.count_marked(1);
        }
        self.advance_peer_ack_point();
        self.cmt.arwnd = sack.arwnd;
        if is_fast_rtx_needed {
            self.fast_retransmit(net);
        } else {
            self.marked_pending = self.any_marked();
            if self.marked_pending {
                self.retransmit_marked(Limit::Cwnd, net);
            }
        }
        self.peer_rwnd = sack.arwnd.saturating_sub(self.total_outstanding());
        if is_multipath {
            self.touch(Variable::Rwnd, net);
        }
    }

    /// What a SACK newly acknowledges of a destination opens its window, and is in flight no more.
    fn credit(&mut self, number: usize, may_grow: bool, net: &mut Network) {
        if may_grow && self.destinations[number].newly_acked > 0 {
            self.grow_cwnd(number, net);
        }
        let destination = &mut self.destinations[number];
        destination.outstanding = match destination.newly_acked <= destination.outstanding {
            true => destination.outstanding - destination.newly_acked,
            false => 0,
        };
        if destination.outstanding == 0 {
            destination.partial_bytes_acked = 0;
            if destination.t3_runs {
                self.stop_t3(number, net);
            }
        }
        let destination = &self.destinations[number];
        if destination.outstanding > 0 && !destination.t3_runs {
            self.start_t3(number, net);
        }
    }

    /// Slow start and congestion avoidance (RFC 4960, sections 7.2.1 and 7.2.2).
    fn grow_cwnd(&mut self, number: usize, net: &mut Network) {
        let max_data = self.max_data as i32;
        let destination = &mut self.destinations[number];
        if destination.outstanding < destination.cwnd {
            return;
        }
        if destination.cwnd <= destination.ssthresh {
            destination.cwnd += destination.newly_acked.min(max_data);
        } else if destination.partial_bytes_acked >= destination.cwnd {
            destination.partial_bytes_acked -= destination.cwnd;
            destination.cwnd += max_data;
        } else {
            return;
        }
        self.touch(Variable::Cwnd, net);
    }

    /// RFC 3758, section 3.5: the point up to which all is acknowledged or given up.
    fn advance_peer_ack_point(&mut self) {
        self.advanced_peer_ack_point = self.advanced_peer_ack_point.max(self.cum_ack_point);
        for chunk in &self.send_buffer {
            if !chunk.is_given_up && !chunk.is_gap_acked {
                break;
            }
            self.advanced_peer_ack_point = chunk.data.tsn;
        }
    }
}
