//! The send buffer: chunks not acknowledged, and round-trip samples.

use super::association::Sctp;
use super::destination::Status;
use super::traced::Variable;
use super::unacknowledged::{Mark, Unacknowledged};
use crate::net::Network;
use crate::packet::sctp::Data;

impl Sctp {
    /// Adds a new chunk.
    pub fn keep(&mut self, data: Data, reliability: i32, net: &Network) {
        let destination = self.new_tx;
        let sent_s = net.now().secs();
        let measures_rtt = !self.extensions.has_timestamps
            && !std::mem::replace(&mut self.destinations[destination].rto_pending, true);
        self.send_buffer.push(Unacknowledged {
            data,
            is_given_up: false,
            is_gap_acked: false,
            is_in_partial: false,
            missing_reports: 0,
            limit: reliability,
            mark: Mark::None,
            was_fast_retransmitted: false,
            transmissions: 1,
            sent_s,
            measures_rtt,
            destination,
            fast_rtx_recover: 0,
        });
    }

    /// Updates the round-trip estimate of a destination with a sample that began at `sent_s` (RFC 4960, section 6.3.1).
    pub fn update_rtt(&mut self, sent_s: f64, destination: usize, net: &mut Network) {
        const ALPHA: f64 = 0.125;
        const BETA: f64 = 0.25;
        let sample = net.now().secs() - sent_s;
        let destination = &mut self.destinations[destination];
        if std::mem::take(&mut destination.is_first_sample) {
            destination.srtt = sample;
            destination.rttvar = sample / 2.0;
        } else {
            destination.rttvar = (1.0 - BETA) * destination.rttvar + BETA * (destination.srtt - sample).abs();
            destination.srtt = (1.0 - ALPHA) * destination.srtt + ALPHA * sample;
        }
        destination.rto = destination.srtt + 4.0 * destination.rttvar;
        if destination.rto < self.set.min_rto {
            destination.rto = self.set.min_rto;
        } else if destination.rto > self.set.max_rto {
            destination.rto = self.set.max_rto;
        }
        self.touch(Variable::Rto, net);
    }

    /// Takes a round-trip sample from a chunk that is now acknowledged, if it is one.
    pub fn sample_chunk(&mut self, chunk: &Unacknowledged, net: &mut Network) {
        if self.extensions.has_timestamps {
            if self.echo_received == chunk.sent_s as f32 {
                self.update_rtt(chunk.sent_s, chunk.destination, net);
            }
            return;
        }
        if self.destinations[chunk.destination].rto_pending && chunk.measures_rtt && chunk.transmissions == 1 {
            if chunk.mark != Mark::Timeout {
                self.update_rtt(chunk.sent_s, chunk.destination, net);
            }
            self.destinations[chunk.destination].rto_pending = false;
        }
    }

    /// A destination has answered: it is active again.
    pub fn clear_errors(&mut self, destination: usize, net: &mut Network) {
        self.destinations[destination].errors = 0;
        self.touch(Variable::ErrorCount, net);
        self.destinations[destination].status = Status::Active;
        self.return_to_primary(destination);
    }

    /// New data goes to the primary destination again if it is this one.
    pub fn return_to_primary(&mut self, destination: usize) {
        if destination == self.primary {
            self.new_tx = self.primary;
        }
    }

    /// Removes the chunks up to a TSN, which are cumulatively acknowledged.
    pub fn acknowledge_up_to(&mut self, tsn: u32, net: &mut Network) {
        self.association_errors = 0;
        while let Some(&chunk) = self.send_buffer.first() {
            if chunk.data.tsn > tsn {
                break;
            }
            let length = i32::from(chunk.data.length);
            let is_new = !chunk.is_gap_acked && !chunk.is_given_up;
            if is_new {
                self.htna = chunk.data.tsn;
                let destination = &mut self.destinations[chunk.destination];
                destination.newly_acked += length;
                if destination.cmt.lowest_in_sack == 0 {
                    destination.cmt.lowest_in_sack = chunk.data.tsn;
                }
                destination.cmt.find_pseudo_cums();
                destination.cmt.has_new_pseudo_cum = true;
                if destination.cwnd > destination.ssthresh && destination.outstanding >= destination.cwnd {
                    destination.partial_bytes_acked += length;
                }
            }
            // A burst may follow the acknowledgement of a fast retransmission.
            let was_retransmitted = match self.extensions.retransmits_again {
                true => chunk.fast_rtx_recover > 0,
                false => chunk.was_fast_retransmitted,
            };
            if was_retransmitted {
                self.apply_max_burst = true;
            }
            if is_new {
                self.sample_chunk(&chunk, net);
            }
            if self.stops_t3(&chunk) {
                self.stop_t3(chunk.destination, net);
            }
            // What a timeout has marked, or a gap block has acknowledged before, says nothing about the destination now.
            let proves_path = !self.extensions.is_multipath
                || self.cmt.set.use_cmt_pf == 0
                || (self.cmt.set.use_cmt_pf == 1 && chunk.transmissions == 1);
            let has_errors = self.destinations[chunk.destination].errors != 0;
            if has_errors && chunk.mark != Mark::Timeout && !chunk.is_gap_acked && proves_path {
                self.clear_errors(chunk.destination, net);
            }
            self.send_buffer.remove(0);
            self.free_send_buffer(chunk.data);
        }
    }

    /// Whether the acknowledgement of a chunk stops T3 of its destination.
    fn stops_t3(&self, chunk: &Unacknowledged) -> bool {
        let destination = &self.destinations[chunk.destination];
        if !self.extensions.is_multipath {
            return destination.t3_runs;
        }
        (destination.t3_runs && destination.cmt.expected_pseudo_cum <= chunk.data.tsn)
            || destination.cmt.expected_rtx_pseudo_cum <= chunk.data.tsn
    }

    /// The send buffer has room for a chunk again.
    pub fn free_send_buffer(&mut self, data: Data) {
        // As in ns-2, without the padding that was taken.
        if self.set.initial_swnd != 0 && !self.extensions.has_timestamps {
            self.avail_swnd = self.avail_swnd.wrapping_add(u32::from(data.length));
        }
    }

    /// The highest TSN that is outstanding. As in ns-2, it is never below one that was found before.
    pub fn highest_outstanding(&mut self) -> u32 {
        let found =
            self.send_buffer.iter().rev().find(|chunk| chunk.mark == Mark::None).map_or(0, |chunk| chunk.data.tsn);
        self.highest_sent = self.highest_sent.max(found);
        self.highest_sent
    }

    /// Whether chunks wait for retransmission.
    pub fn any_marked(&self) -> bool {
        self.send_buffer.iter().any(|chunk| chunk.mark != Mark::None)
    }
}
