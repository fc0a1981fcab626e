//! The fixed-point numbers of Linux's BBR, for both of its versions.
//!
//! Source: Linux 6.12, net/ipv4/tcp_bbr.c: bandwidths in packets/us times 2^24, gains and fractions times 2^8, times in us.
//! Rounding decides the window of a small BDP, so it is done where Linux does it.

use super::{Path, Rate};

/// One packet per microsecond.
pub(super) const BW_UNIT: u64 = 1 << 24;
/// A gain or a fraction of 1.
pub(super) const UNIT: u64 = 1 << 8;
/// A value that is not set yet, or a bound that does not apply.
pub(super) const UNSET: u64 = u64::MAX;
/// The largest burst that a host sends at once: 64 KiB, less a byte and Linux's largest header.
const MAX_GSO_BYTES: u64 = 65_536 - 1 - 320;
/// Margin of the pacing rate below the bandwidth, %.
const PACING_MARGIN_PERCENT: u64 = 1;

/// A time in whole microseconds. The tolerance is for rounding of sums.
pub(super) fn us(time_s: f64) -> u64 {
    if time_s.is_finite() { (time_s * 1e6 + 1e-3).max(0.0) as u64 } else { UNSET }
}

/// A bandwidth in packets/s.
pub(super) fn per_s(bw: u64) -> f64 {
    if bw == UNSET { f64::INFINITY } else { bw as f64 * 1e6 / BW_UNIT as f64 }
}

/// A number of packets, infinite if the bound does not apply.
pub(super) fn packets(count: u64) -> f64 {
    if count == UNSET { f64::INFINITY } else { count as f64 }
}

/// Packets delivered in an interval, and the interval, us; `None` for a sample that is not valid.
pub(super) fn delivered_over(rate: Option<&Rate>) -> Option<(u64, u64)> {
    let rate = rate?;
    let interval_us = us(rate.delivered as f64 / rate.per_s.filter(|&per_s| per_s > 0.0)?);
    (interval_us > 0).then_some((rate.delivered, interval_us))
}

/// `bbr_bdp`: `gain` times the BDP, rounded up, packets.
pub(super) fn bdp(bw: u64, min_rtt_us: u64, gain: u64) -> u64 {
    let volume = u128::from(bw) * u128::from(min_rtt_us) * u128::from(gain) / u128::from(UNIT);
    volume.div_ceil(u128::from(BW_UNIT)) as u64
}

/// `bbr_rate_bytes_per_sec`, less `margin_percent`.
pub(super) fn bytes_per_s(bw: u64, path: &Path, gain: u64, margin_percent: u64) -> u64 {
    let rate = u128::from(bw) * path.mss_bytes as u128 * u128::from(gain) / u128::from(UNIT);
    (rate * u128::from(10_000 * (100 - margin_percent)) / u128::from(BW_UNIT)) as u64
}

/// `bbr_bw_to_pacing_rate`, packets/s. The sender computes whole bytes from it, rounded down: the half keeps Linux's number.
pub(super) fn pacing_per_s(bw: u64, path: &Path, gain: u64) -> f64 {
    match bytes_per_s(bw, path, gain, PACING_MARGIN_PERCENT) {
        0 => 0.0,
        bytes => (bytes as f64 + 0.5) / path.mss_bytes,
    }
}

/// Ticks per second of Linux's clock.
pub(super) const HZ: u64 = 1000;

/// `tcp_jiffies32`: the present time in ticks.
pub(super) fn jiffies(path: &Path) -> u64 {
    us(path.now_s) / (1_000_000 / HZ)
}

/// The bandwidth of `cwnd` packets per smoothed RTT, or per 1 ms before the first sample
/// (`bbr_init_pacing_rate_from_rtt`).
pub(super) fn nominal_bw(cwnd: f64, path: &Path) -> u64 {
    let rtt_us = if path.srtt_s > 0.0 { us(path.srtt_s).max(1) } else { 1000 };
    cwnd as u64 * BW_UNIT / rtt_us
}

/// The segments of a burst of about 1 ms at `pacing_per_s`, and `more_bytes`.
pub(super) fn tso_segs(pacing_per_s: f64, more_bytes: u64, min_segs: u64, path: &Path) -> u64 {
    let bytes = (((pacing_per_s * path.mss_bytes) as u64 >> 10) + more_bytes).min(MAX_GSO_BYTES);
    (bytes / path.mss_bytes as u64).max(min_segs)
}

/// `bbr_packets_in_net_at_edt`: packets in the network when pacing lets the next burst of `more` packets go.
pub(super) fn packets_in_net_at_edt(in_flight: u32, more: u64, bw: u64, path: &Path) -> u64 {
    let interval_us = us(path.next_send_s - path.now_s);
    let delivered = (u128::from(bw) * u128::from(interval_us) / u128::from(BW_UNIT)) as u64;
    (u64::from(in_flight) + more).saturating_sub(delivered)
}

/// Max excess of data acknowledged beyond the bandwidth, over the last one to two windows of round trips
/// (`bbr_update_ack_aggregation`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckAggregation {
    epoch_us: u64,
    epoch_acked: u64,
    win_rtts: u64,
    win_idx: usize,
    extra_acked: [u64; 2],
}

impl AckAggregation {
    /// Length of a window, round trips (`bbr_extra_acked_win_rtts`).
    pub const WIN_RTTS: u64 = 5;
    /// The allowance is at most what is sent in this time, us (`bbr_extra_acked_max_us`).
    const MAX_US: u64 = 100_000;
    /// An epoch of so many packets is too long (`bbr_ack_epoch_acked_reset_thresh`).
    const RESET_THRESH: u64 = 1 << 20;

    /// A new epoch begins at `now_us`.
    pub fn restart(&mut self, now_us: u64) {
        (self.epoch_us, self.epoch_acked) = (now_us, 0);
    }

    /// The max of both windows, packets (`bbr_extra_acked`).
    pub fn get(&self) -> u64 {
        self.extra_acked[0].max(self.extra_acked[1])
    }

    /// The allowance in the window (`bbr_ack_aggregation_cwnd`).
    pub fn allowance(&self, bw: u64) -> u64 {
        self.get().min((u128::from(bw) * u128::from(Self::MAX_US) / u128::from(BW_UNIT)) as u64)
    }

    /// An ACK delivers `acked` packets.
    pub fn update(&mut self, acked: u64, now_us: u64, bw: u64, cwnd: u64, new_round: bool, win_rtts: u64) {
        if new_round {
            self.win_rtts = (self.win_rtts + 1).min(31);
            if self.win_rtts >= win_rtts {
                (self.win_rtts, self.win_idx) = (0, 1 - self.win_idx);
                self.extra_acked[self.win_idx] = 0;
            }
        }
        let interval_us = now_us.saturating_sub(self.epoch_us);
        let mut expected = (u128::from(bw) * u128::from(interval_us) / u128::from(BW_UNIT)) as u64;
        if self.epoch_acked <= expected || self.epoch_acked + acked >= Self::RESET_THRESH {
            self.restart(now_us);
            expected = 0;
        }
        self.epoch_acked = (self.epoch_acked + acked).min(Self::RESET_THRESH - 1);
        let extra_acked = (self.epoch_acked - expected).min(cwnd);
        self.extra_acked[self.win_idx] = self.extra_acked[self.win_idx].max(extra_acked);
    }
}
