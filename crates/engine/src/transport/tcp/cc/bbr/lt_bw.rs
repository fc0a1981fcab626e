//! Long-term bandwidth: detection of token-bucket policers.
//!
//! Source: Linux 6.12, net/ipv4/tcp_bbr.c, `bbr_lt_bw_sampling`. Two intervals of 4 to 16 round trips in sequence that each
//! begin and end with a loss, lose at least 50/256 of the packets and have about the same rate mean a policer. Their mean rate is
//! used for 48 round trips of ProbeBW.

use super::super::Path;
use super::super::kernel::{BW_UNIT, UNIT, bytes_per_s};

/// Min length of an interval, round trips.
const INTVL_MIN_RTTS: u64 = 4;
/// Min loss ratio of an interval, of 256.
const LOSS_THRESH: u64 = 50;
/// Max relative difference of the rates.
const BW_RATIO: u64 = UNIT / 8;
/// Max absolute difference of the rates, bytes/s.
const BW_DIFF: u64 = 4000 / 8;
/// The estimate is used for so many round trips.
const BW_MAX_RTTS: u64 = 48;

/// What an ACK means for the pacing gain and the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing has changed.
    Same,
    /// The estimate has been used for long enough: the cycle restarts.
    Expired,
}

/// The state of Linux's fields `lt_...`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LtBw {
    is_sampling: bool,
    rtt_cnt: u64,
    use_bw: bool,
    bw: u64,
    last_delivered: u64,
    last_stamp_ms: u64,
    last_lost: u64,
}

impl LtBw {
    /// The rate of the policer, if one is assumed.
    pub fn get(&self) -> Option<u64> {
        self.use_bw.then_some(self.bw)
    }

    /// `bbr_reset_lt_bw_sampling_interval`.
    fn reset_interval(&mut self, path: &Path, delivered_us: u64) {
        self.last_stamp_ms = delivered_us / 1000;
        (self.last_delivered, self.last_lost, self.rtt_cnt) = (path.delivered, path.lost, 0);
    }

    /// `bbr_reset_lt_bw_sampling`.
    pub fn reset(&mut self, path: &Path, delivered_us: u64) {
        *self = LtBw::default();
        self.reset_interval(path, delivered_us);
    }

    /// `bbr_lt_bw_sampling`, for an ACK or a timeout at which packets were lost or not.
    pub fn sample(
        &mut self,
        has_losses: bool,
        is_app_limited: bool,
        round_start: bool,
        in_probe_bw: bool,
        path: &Path,
        delivered_us: u64,
    ) -> Verdict {
        if self.use_bw {
            if in_probe_bw && round_start {
                self.rtt_cnt += 1;
                if self.rtt_cnt >= BW_MAX_RTTS {
                    self.reset(path, delivered_us);
                    return Verdict::Expired;
                }
            }
            return Verdict::Same;
        }
        if !self.is_sampling {
            if !has_losses {
                return Verdict::Same;
            }
            self.reset_interval(path, delivered_us);
            self.is_sampling = true;
        }
        if is_app_limited {
            self.reset(path, delivered_us);
            return Verdict::Same;
        }
        self.rtt_cnt += u64::from(round_start);
        if self.rtt_cnt > 4 * INTVL_MIN_RTTS {
            self.reset(path, delivered_us);
        } else if self.rtt_cnt >= INTVL_MIN_RTTS && has_losses {
            self.end_interval(path, delivered_us);
        }
        Verdict::Same
    }

    /// The interval ends with a loss; `bbr_lt_bw_interval_done` if it is long and lossy enough.
    fn end_interval(&mut self, path: &Path, delivered_us: u64) {
        let lost = path.lost - self.last_lost;
        let delivered = path.delivered - self.last_delivered;
        let interval_ms = (delivered_us / 1000).saturating_sub(self.last_stamp_ms);
        if delivered == 0 || lost * UNIT < LOSS_THRESH * delivered || interval_ms < 1 {
            return;
        }
        let bw = delivered * BW_UNIT / (interval_ms * 1000);
        if self.bw > 0 {
            let apart = bw.abs_diff(self.bw);
            if apart * UNIT <= BW_RATIO * self.bw || bytes_per_s(apart, path, UNIT, 1) <= BW_DIFF {
                (self.bw, self.use_bw, self.rtt_cnt) = ((bw + self.bw) / 2, true, 0);
                return;
            }
        }
        self.bw = bw;
        self.reset_interval(path, delivered_us);
    }
}
