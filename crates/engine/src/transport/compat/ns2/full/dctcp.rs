//! DCTCP in two-way TCP: marks are echoed one by one, and the window gives way in proportion to their fraction.
//!
//! Source: S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, RFC 8257, section 3. The names `dctcp`, `dctcp_alpha`,
//! `dctcp_g` and their meaning are those of the patch to ns-2 that came with M. Alizadeh et al., *Data Center TCP (DCTCP)*,
//! SIGCOMM 2010, as published scripts set them.
//! What it decides: what a receiver echoes, and when an echo cannot wait for a delayed ACK (3.2); the fraction of marked
//! bytes, averaged once a window (3.3, steps 1 to 8); what an echo leaves of the window (step 9).
//! Departures: the average begins at 0, as in those scripts, so that the first mark after a quiet start hardly counts.
//! Not implemented: nothing; losses are the variant's own.
//! Checked against: the RFC's equations, worked by hand; not against the patch, byte for byte.

use super::segment::{Segment, bit, reason};
use super::socket::FullTcp;
use crate::net::Network;
use crate::packet::flag;
use crate::params;

/// A sender's estimate, and what can be set.
#[derive(Clone, Debug)]
pub struct Dctcp {
    /// Whether marks are taken as DCTCP takes them.
    pub dctcp: bool,
    /// The average fraction of bytes that were marked.
    pub dctcp_alpha: f64,
    /// The weight of a window's fraction.
    pub dctcp_g: f64,
    /// Bytes acknowledged in this window, and those of them whose ACKs echoed a mark.
    acked: i64,
    marked: i64,
    /// The first byte after this window.
    window_end: i32,
}

impl Default for Dctcp {
    fn default() -> Dctcp {
        Dctcp { dctcp: false, dctcp_alpha: 0.0, dctcp_g: 1.0 / 16.0, acked: 0, marked: 0, window_end: 0 }
    }
}

params!(Dctcp { dctcp, dctcp_alpha, dctcp_g });

impl Dctcp {
    /// A new connection: nothing was counted. The average stays.
    pub fn start_over(&mut self) {
        (self.acked, self.marked, self.window_end) = (0, 0, 0);
    }

    /// An ACK of so many new bytes, up to `ackno`, when everything below `next` was sent.
    pub fn acknowledged(&mut self, bytes: i32, ackno: i32, next: i32, is_marked: bool) {
        self.acked += i64::from(bytes);
        self.marked += if is_marked { i64::from(bytes) } else { 0 };
        if ackno <= self.window_end {
            return;
        }
        let fraction = self.marked as f64 / self.acked.max(1) as f64;
        self.dctcp_alpha += self.dctcp_g * (fraction - self.dctcp_alpha);
        (self.acked, self.marked, self.window_end) = (0, 0, next);
    }

    /// What a mark leaves of a window.
    pub fn left_of(&self, cwnd: f64) -> f64 {
        cwnd * (1.0 - self.dctcp_alpha / 2.0)
    }
}

impl FullTcp {
    /// Echoes the mark that a segment with bytes came with, or its lack of one. Where that changes, what is not
    /// acknowledged yet is acknowledged first, with the echo that belongs to it.
    pub fn echo_exactly(&mut self, segment: &Segment, net: &mut Network) {
        if segment.len == 0 || !self.tcp.config.ecn {
            return;
        }
        let is_marked = segment.carries(flag::MARKED) && segment.carries(flag::ECN_CAPABLE);
        if is_marked != self.echo_marks {
            if self.rcv_nxt > self.last_ack_sent && self.pending.ack_later {
                self.pending.ack_later = false;
                self.send_segment(*self.tcp.t_seqno, self.rcv_nxt, bit::ACK, 0, reason::NORMAL, net);
            }
            self.echo_marks = is_marked;
        }
    }

    /// An ACK of something new echoes a mark: once a window, the window gives way.
    pub fn handle_exact_echo(&mut self) {
        let tcp = &mut self.tcp;
        if !tcp.meets_mark(*tcp.ack) {
            return;
        }
        let left = self.dctcp.left_of(*tcp.cwnd).max(1.0);
        tcp.ssthresh.set((left as i32).max(2), &mut tcp.log);
        tcp.cwnd.set(left, &mut tcp.log);
        tcp.count_cut();
        tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8257, 3.3: M = marked / acked bytes of a window; alpha = alpha * (1 - g) + g * M with g = 1/16;
    // cwnd = cwnd * (1 - alpha / 2).
    #[test]
    fn a_window_counts_once() {
        let mut law = Dctcp { dctcp_alpha: 1.0, ..Dctcp::default() };
        assert_eq!(law.dctcp_g, 0.0625);
        law.acknowledged(1000, 1000, 10_000, false);
        // The first ACK is beyond a window that has no bytes: 15/16.
        assert_eq!(law.dctcp_alpha, 0.9375);
        for number in 2..=10 {
            law.acknowledged(1000, 1000 * number, 20_000, number > 6);
            assert_eq!(law.dctcp_alpha, 0.9375);
        }
        law.acknowledged(1000, 11_000, 20_000, false);
        // 4000 of 10000 bytes: 0.9375 * 15/16 + 0.4/16 = 0.90390625.
        assert!((law.dctcp_alpha - 0.903_906_25).abs() < 1e-15);
        assert!((law.left_of(100.0) - 54.804_687_5).abs() < 1e-12);
    }

    #[test]
    fn the_average_tends_to_the_fraction() {
        let mut law = Dctcp::default();
        for number in 1..=2000 {
            law.acknowledged(100, 100 * number, 100 * number, number % 4 == 0);
        }
        // Every ACK ends a window here, one in four is marked: the average turns around a quarter.
        assert!((law.dctcp_alpha - 0.25).abs() < 0.05, "{}", law.dctcp_alpha);
    }
}
