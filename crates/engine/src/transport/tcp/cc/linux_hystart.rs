//! HyStart as in Linux: slow start ends when the ACKs of a window last as long as half of the min RTT, or when the RTT grows.
//!
//! Source: S. Ha, I. Rhee, "Taming the elephants: new TCP slow start", Computer Networks 55 (9), 2011, section 3; Linux 6.12,
//! net/ipv4/tcp_cubic.c (`hystart_update`, `hystart_ack_delay`).
//! What it decides: whether `ssthresh` becomes the present window. Times are whole microseconds.
//! Departures: the largest burst that a host hands over (`sk_gso_max_size`) is 65,536 bytes. It counts only above 2.1
//! Gb/s.
//! Not implemented: nothing.
//! Checked against: the kernel's rules by hand.

use super::linux_window::snd_cwnd;
use super::{Path, Window};
use crate::params::Params;

/// `HYSTART_ACK_TRAIN`: detection by the length of the ACK train.
const ACK_TRAIN: i32 = 1;
/// `HYSTART_DELAY`: detection by the growth of the RTT.
const DELAY: i32 = 2;
/// `HYSTART_MIN_SAMPLES`: RTT samples of a round before it is evaluated.
const MIN_SAMPLES: u8 = 8;
/// `HYSTART_DELAY_MIN` and `HYSTART_DELAY_MAX`, us.
const DELAY_RANGE_US: (u32, u32) = (4000, 16_000);
/// Max of `hystart_ack_delay`, us.
const MAX_ACK_DELAY_US: u64 = 1000;
/// `sk_gso_max_size`, bytes.
const GSO_MAX_BYTES: f64 = 65_536.0;

/// The present time in microseconds (`tcp_mstamp`).
fn now_us(path: &Path) -> u32 {
    ((path.now_s * 1e9).round() as u64 / 1000) as u32
}

/// The state of HyStart, and the kernel module's parameters.
#[derive(Clone, Copy, Debug, Params)]
pub struct LinuxHyStart {
    /// Slow start ends when the ACKs of a window last long or the RTT grows (HyStart, as in Linux).
    #[param("flag")]
    pub hystart: bool,
    /// What ends slow start: 1 for ACK trains, 2 for the RTT, 3 for both.
    #[param("")]
    hystart_detect: i32,
    /// The minimum window at which HyStart ends slow start, packets.
    #[param("packets")]
    hystart_low_window: i32,
    /// The maximum distance of the ACKs of a train, us.
    #[param("")]
    hystart_ack_delta_us: i32,
    /// `found`: the exit point has been found.
    pub found: bool,
    /// `sample_cnt`: RTT samples in this round.
    sample_cnt: u8,
    /// `round_start`: when this round began, us.
    round_start_us: u32,
    /// `end_seq`: SND.NXT at that time.
    end_seq: u64,
    /// `last_ack`: the last ACK of the train, us.
    last_ack_us: u32,
    /// `curr_rtt`: the min RTT of this round, us.
    curr_rtt_us: u32,
}

impl Default for LinuxHyStart {
    fn default() -> LinuxHyStart {
        LinuxHyStart {
            hystart: true,
            hystart_detect: ACK_TRAIN | DELAY,
            hystart_low_window: 16,
            hystart_ack_delta_us: 2000,
            found: false,
            sample_cnt: 0,
            round_start_us: 0,
            end_seq: 0,
            last_ack_us: 0,
            curr_rtt_us: u32::MAX,
        }
    }
}

/// `hystart_ack_delay`: allowance for bursts at the pacing rate that Linux computes for every connection, us.
fn ack_delay_us(path: &Path, window: &Window) -> u32 {
    if path.srtt_s <= 0.0 {
        return 0;
    }
    let ratio = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.2 };
    let rate = path.mss_bytes * ratio * window.cwnd.max(f64::from(path.in_flight)) / path.srtt_s;
    MAX_ACK_DELAY_US.min((GSO_MAX_BYTES * 4.0 * 1e6 / rate.max(1.0)) as u64) as u32
}

impl LinuxHyStart {
    /// `bictcp_hystart_reset`: a round begins.
    pub fn reset(&mut self, path: &Path) {
        self.round_start_us = now_us(path);
        self.last_ack_us = self.round_start_us;
        self.end_seq = path.snd_nxt;
        self.curr_rtt_us = u32::MAX;
        self.sample_cnt = 0;
    }

    /// `hystart_update`: takes the RTT sample `delay_us` of an ACK in slow start. `delay_min_us` is the min RTT.
    pub fn update(&mut self, delay_us: u32, delay_min_us: u32, path: &Path, window: &mut Window) {
        if path.snd_una > self.end_seq {
            self.reset(path);
        }
        if i64::from(snd_cwnd(window)) < i64::from(self.hystart_low_window) {
            return;
        }
        if self.hystart_detect & ACK_TRAIN != 0 {
            let now_us = now_us(path);
            if now_us.wrapping_sub(self.last_ack_us) as i32 <= self.hystart_ack_delta_us {
                self.last_ack_us = now_us;
                let whole_us = delay_min_us + ack_delay_us(path, window);
                // Pacing may have spread the packets over half of the RTT.
                let threshold_us = if path.is_paced { whole_us } else { whole_us >> 1 };
                if now_us.wrapping_sub(self.round_start_us) > threshold_us {
                    self.exit(window);
                }
            }
        }
        if self.hystart_detect & DELAY != 0 {
            self.curr_rtt_us = self.curr_rtt_us.min(delay_us);
            if self.sample_cnt < MIN_SAMPLES {
                self.sample_cnt += 1;
            } else if self.curr_rtt_us > delay_min_us + (delay_min_us >> 3).clamp(DELAY_RANGE_US.0, DELAY_RANGE_US.1) {
                self.exit(window);
            }
        }
    }

    /// The exit point is found: slow start ends at the present window.
    fn exit(&mut self, window: &mut Window) {
        self.found = true;
        window.ssthresh = f64::from(snd_cwnd(window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of 40 ms whose pacing rate makes the allowance 1 ms.
    fn path(now_us: u32, snd_una: u64) -> Path {
        let now_s = (f64::from(now_us) + 0.5) / 1e6;
        Path { now_s, snd_una, snd_nxt: snd_una + 20, srtt_s: 0.04, mss_bytes: 1448.0, ..Path::default() }
    }

    fn window(cwnd: f64) -> Window {
        Window { cwnd, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false }
    }

    // hystart_update by hand, with a min RTT of 40 ms: ACKs 1 ms apart end slow start when the train has lasted more than
    // (40 + 1) / 2 ms: with the ACK at 21 ms.
    #[test]
    fn an_ack_train_of_half_the_rtt_ends_slow_start() {
        let (mut hystart, mut window) = (LinuxHyStart::default(), window(20.0));
        hystart.reset(&path(0, 0));
        for ms in 1..=20 {
            hystart.update(40_000, 40_000, &path(1000 * ms, 1), &mut window);
            assert!(!hystart.found, "{ms}");
        }
        hystart.update(40_000, 40_000, &path(20_500, 1), &mut window);
        assert!(!hystart.found, "20.5 ms is not more than 20.5 ms");
        hystart.update(40_000, 40_000, &path(21_000, 1), &mut window);
        assert!(hystart.found && window.ssthresh == 20.0);
    }

    // ACKs more than 2 ms apart are not a train, with pacing the train may last the whole RTT, and a window below 16
    // is too small.
    #[test]
    fn what_is_not_an_ack_train() {
        for (gap_us, is_paced, cwnd) in [(2500, false, 20.0), (1000, true, 20.0), (1000, false, 15.0)] {
            let (mut hystart, mut window) = (LinuxHyStart::default(), window(cwnd));
            hystart.reset(&path(0, 0));
            for number in 1..=(40_000 / gap_us) {
                let path = Path { is_paced, ..path(gap_us * number, 1) };
                hystart.update(40_000, 40_000, &path, &mut window);
            }
            assert!(!hystart.found, "{gap_us} {is_paced} {cwnd}");
        }
    }

    // The delay: with a min RTT of 40 ms the threshold is 40 + 40 / 8 = 45 ms. The ninth sample of a round decides. A
    // round ends when SND.UNA passes the SND.NXT of its start.
    #[test]
    fn a_longer_rtt_ends_slow_start() {
        for (delay_us, is_found) in [(45_000, false), (45_001, true)] {
            let (mut hystart, mut window) = (LinuxHyStart::default(), window(20.0));
            hystart.reset(&path(0, 0));
            for number in 0..8 {
                hystart.update(delay_us, 40_000, &path(100_000 + 5000 * number, 1), &mut window);
            }
            assert!(!hystart.found, "eight samples are not enough");
            hystart.update(delay_us, 40_000, &path(150_000, 20), &mut window);
            assert_eq!(hystart.found, is_found, "{delay_us}");
            hystart.update(delay_us, 40_000, &path(160_000, 21), &mut window);
            assert_eq!(hystart.sample_cnt, 1);
        }
    }
}
