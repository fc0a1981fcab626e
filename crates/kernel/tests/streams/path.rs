//! What the sender of a stream knows of its path.

use super::{MSS, Sender};
use ackclock_engine::random::rng::Seed;
use ackclock_engine::transport::tcp::cc::{CaState, Path};

impl Sender<'_> {
    pub(super) fn in_flight(&self) -> u32 {
        self.flight.iter().filter(|packet| !packet.is_sacked && !packet.is_lost).count() as u32
    }

    pub(super) fn sacked_out(&self) -> u32 {
        self.flight.iter().filter(|packet| packet.is_sacked).count() as u32
    }

    pub(super) fn snd_cwnd(&self) -> u32 {
        (self.window.cwnd as u32).max(1)
    }

    pub(super) fn snd_ssthresh(&self) -> u32 {
        if self.window.ssthresh.is_finite() { self.window.ssthresh as u32 } else { 0x7fff_ffff }
    }

    pub(super) fn in_cwnd_reduction(&self) -> bool {
        matches!(self.ca, CaState::Cwr | CaState::Recovery)
    }

    pub(super) fn rto_us(&self) -> u64 {
        (self.srtt_us / 8 * 2).max(200_000)
    }

    pub(super) fn path(&self) -> Path {
        let is_slow_start = self.window.in_slow_start();
        Path {
            now_s: self.now_us as f64 / 1e6,
            mss_bytes: MSS as f64,
            in_flight: self.in_flight(),
            delivered: self.delivered,
            lost: self.lost,
            srtt_s: self.srtt_us as f64 / 8e6,
            min_rtt_s: if self.min_rtt_us == u64::MAX { f64::INFINITY } else { self.min_rtt_us as f64 / 1e6 },
            is_limited: self.is_cwnd_limited || (is_slow_start && self.snd_cwnd() < 2 * self.max_packets_out),
            is_cwnd_full: self.is_cwnd_limited,
            next_send_s: self.wstamp_us as f64 / 1e6,
            lacks_sack: false,
            is_recovering: self.in_cwnd_reduction() && !self.own_response,
            is_paced: self.window.pacing_per_s.is_some(),
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            reordering: self.is.reordering,
            seed: Seed::Hashed(self.seed),
            packets_out: self.flight.len() as u32,
            sacked_out: self.sacked_out(),
            max_packets_out: self.max_packets_out,
            delivered_ce: self.delivered_ce,
            pacing_rate: self.pacing_rate,
            has_ecn: true,
        }
    }

    /// `tcp_update_pacing_rate`.
    pub(super) fn update_pacing_rate(&mut self) {
        if let Some(per_s) = self.window.pacing_per_s {
            self.pacing_rate = (per_s * MSS as f64) as u64;
        } else {
            let cwnd = self.snd_cwnd();
            let percent = if cwnd < self.snd_ssthresh() / 2 { 200 } else { 120 };
            let packets = u64::from(cwnd.max(self.flight.len() as u32));
            let rate = (MSS * (1_000_000 / 100 * 8) * percent * packets).checked_div(self.srtt_us);
            self.pacing_rate = rate.unwrap_or(self.pacing_rate);
        }
    }

    /// Takes an RTT sample (RFC 6298, in eighths of a microsecond as Linux keeps it).
    pub(super) fn take_rtt(&mut self, rtt_us: u64) {
        self.min_rtt_us = self.min_rtt_us.min(rtt_us.max(1));
        self.srtt_us = if self.srtt_us == 0 { 8 * rtt_us } else { self.srtt_us - self.srtt_us / 8 + rtt_us };
    }

    /// `tcp_cwnd_validate`: how much of the window is used.
    pub(super) fn note_usage(&mut self, is_cwnd_limited: bool) {
        let packets_out = self.flight.len() as u32;
        if self.snd_una >= self.cwnd_usage_seq
            || is_cwnd_limited
            || (!self.is_cwnd_limited && packets_out > self.max_packets_out)
        {
            self.is_cwnd_limited = is_cwnd_limited;
            self.max_packets_out = packets_out;
            self.cwnd_usage_seq = self.snd_nxt;
        }
    }

    /// `tcp_current_ssthresh`.
    pub(super) fn current_ssthresh(&self) -> f64 {
        let cwnd = self.snd_cwnd();
        if self.in_cwnd_reduction() {
            self.window.ssthresh
        } else {
            self.window.ssthresh.max(f64::from(cwnd / 2 + cwnd / 4))
        }
    }
}
