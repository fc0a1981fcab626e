//! A sender that a program outside steers: what it reads of the connection, and the window and the rate that it sets.
//!
//! Source: `setsockopt(TCP_CWND)` of Orca's kernel (S. Abbasloo, C.-Y. Yen, H. J. Chao, "Classic Meets Modern", SIGCOMM 2020),
//! which writes `snd_cwnd`; the counters are those of `tcp_info`.
//! What it decides: what is set counts from the next packet or ACK on. Nothing is sent at once, and a reduction under way goes on.
//! Departures: a pacing rate can be set, too. Not implemented: nothing.
//! Checked against: tests/plugins/test_steered_runs.py.

use super::super::Socket;

/// Totals of the sending half since the connection began, and its present state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Packets with payload sent, retransmissions included.
    pub sent: u32,
    /// Packets delivered, without duplicates; the SYN counts, too.
    pub delivered: u32,
    /// Packets marked lost.
    pub lost: u32,
    /// Packets in flight.
    pub in_flight: u32,
    /// The congestion window, packets.
    pub cwnd: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh: f64,
    /// The pacing rate, packets/s; infinite before there is one.
    pub pacing_per_s: f64,
    /// The smoothed RTT, s; 0 before the first sample.
    pub srtt_s: f64,
    /// The min RTT of the last 300 s, s; infinite before the first sample.
    pub min_rtt_s: f64,
}

impl Socket {
    /// Totals and state of the sending half.
    pub fn totals(&self) -> Totals {
        let snd = &self.snd;
        let min_rtt_us = snd.min_rtt_us();
        let is_paced = snd.pacing_rate != u64::MAX && snd.mss_cache > 0;
        Totals {
            sent: snd.data_segs_out,
            delivered: snd.delivery.delivered,
            lost: snd.delivery.lost,
            in_flight: snd.packets_in_flight(),
            cwnd: snd.window.cwnd,
            ssthresh: snd.window.ssthresh,
            pacing_per_s: if is_paced { snd.pacing_rate as f64 / f64::from(snd.mss_cache) } else { f64::INFINITY },
            srtt_s: f64::from(snd.rtt.srtt_us) / 8e6,
            min_rtt_s: if min_rtt_us == u32::MAX { f64::INFINITY } else { f64::from(min_rtt_us) / 1e6 },
        }
    }

    /// Sets the window, packets, and the pacing rate, packets/s; `None` leaves what there is. The window is at least one packet.
    pub fn steer(&mut self, cwnd: Option<f64>, pacing_per_s: Option<f64>) {
        let snd = &mut self.snd;
        if let Some(cwnd) = cwnd {
            snd.window.cwnd = cwnd.max(1.0);
        }
        if pacing_per_s.is_some() {
            snd.window.pacing_per_s = pacing_per_s;
        }
        snd.update_pacing_rate(&self.config);
    }
}
