//! BBR, version 1, as in Linux: congestion control from a model of the path (bandwidth and min RTT).
//!
//! Source: Linux 6.12, net/ipv4/tcp_bbr.c, by N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson; "BBR: congestion-based
//! congestion control", ACM Queue 14(5), 2016. draft-cardwell-iccrg-bbr-congestion-control-00, 2017, describes the same
//! algorithm without what Linux added later. Names: Linux's, without the prefix `bbr_`.
//! What it decides: pacing rate and window. Startup doubles the rate per round trip until three rounds bring less than
//! 25 % more bandwidth; then Drain. ProbeBW cycles have eight phases of one min RTT, with the gains 1.25, 0.75 and six
//! times 1. ProbeRTT: after 10 s without a shorter RTT, four packets in flight for 200 ms. Two lossy intervals of the same
//! rate mean a policer, whose rate is then used for a while ([`lt_bw`]). The window allows for aggregated ACKs.
//! Departures: Linux's clock `jiffies` has 1000 ticks per second, whatever the kernel was built with.
//! Not implemented: a response to ECN, which Linux's BBR 1 does not have either; the cap by the socket's max pacing rate.
//! Checked against: Linux's constants and roundings by hand (bbr/tests.rs); the cycle of eight phases and the 200 ms on the
//! wire, shares with CUBIC in deep and shallow buffers (tests/spec/test_tcp_bbr.py).

mod lt_bw;
#[cfg(test)]
mod tests;

use super::kernel::{self, AckAggregation, BW_UNIT, HZ, UNIT, UNSET, jiffies, us};
use super::windowed_max::WindowedMax;
use super::{Ack, CaState, CongestionEvent, Control, Entry, Model, Path, Response, Window};
use crate::random::rng::Stream;
use lt_bw::{LtBw, Verdict};

/// BBR's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "bbr",
    about: "BBR version 1: a model of bandwidth and RTT, with detection of policers (Linux 6.12)",
    make: || Box::new(Bbr::default()),
};

/// 2 / ln 2: doubles the rate per round trip.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const CWND_GAIN: u64 = UNIT * 2;
const CYCLE_LEN: usize = 8;
/// The pacing gains of a ProbeBW cycle.
const PACING_GAIN: [u64; CYCLE_LEN] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// Number of phases in which a cycle may begin: all but that of 3/4.
const CYCLE_RAND: f64 = 7.0;
/// Length of the bandwidth filter, round trips.
const BW_RTTS: u64 = 10;
/// Length of the min-RTT filter, jiffies.
const MIN_RTT_WIN: u64 = 10 * HZ;
/// Duration of ProbeRTT, jiffies.
const PROBE_RTT_MODE: u64 = HZ / 5;
/// Pacing rate below which a host sends single segments, bytes/s.
const MIN_TSO_RATE: f64 = 1_200_000.0 / 8.0;
/// Min window, packets.
const CWND_MIN_TARGET: u64 = 4;
/// Bandwidth growth per round trip that means that the pipe is not full.
const FULL_BW_THRESH: u64 = UNIT * 5 / 4;
/// Round trips without such growth after which the pipe is full.
const FULL_BW_CNT: u32 = 3;
/// `TCP_INIT_CWND`, packets.
const INIT_CWND: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Linux's struct bbr. Timestamps are in us, bandwidths in packets/us times 2^24.
#[derive(Default)]
struct Bbr {
    mode: Mode,
    bw: WindowedMax,
    lt_bw: LtBw,
    min_rtt_us: u64,
    /// When the min RTT was sampled, jiffies.
    min_rtt_stamp: u64,
    has_seen_rtt: bool,
    rtt_cnt: u64,
    next_rtt_delivered: u64,
    round_start: bool,
    /// `tp->delivered_mstamp`: when the last packet was delivered.
    delivered_us: u64,
    /// Gain of the last ACK, which decides the end of a phase.
    pacing_gain: u64,
    full_bw: u64,
    full_bw_cnt: u32,
    full_bw_reached: bool,
    cycle_idx: usize,
    cycle_stamp_us: u64,
    aggregation: AckAggregation,
    /// End of ProbeRTT, jiffies: 200 ms after the in-flight packets reached the minimum.
    probe_rtt_done_stamp: Option<u64>,
    probe_rtt_round_done: bool,
    /// The window to restore.
    prior_cwnd: u64,
    packet_conservation: bool,
    /// The sender's state now, and at the last ACK.
    ca_state: CaState,
    prev_ca_state: CaState,
    idle_restart: bool,
    draws: Option<Stream>,
}

impl Bbr {
    fn max_bw(&self) -> u64 {
        self.bw.get() as u64
    }

    /// The bandwidth in use: the policer's, if there seems to be one.
    fn current_bw(&self) -> u64 {
        self.lt_bw.get().unwrap_or(self.max_bw())
    }

    /// `update_gains`: the pacing gain.
    fn pacing_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw if self.lt_bw.get().is_some() => UNIT,
            Mode::ProbeBw => PACING_GAIN[self.cycle_idx],
            Mode::ProbeRtt => UNIT,
        }
    }

    /// `update_gains`: the window gain.
    fn cwnd_gain(&self) -> u64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw => CWND_GAIN,
            Mode::ProbeRtt => UNIT,
        }
    }

    fn tso_segs_goal(path: &Path, window: &Window) -> u64 {
        let pacing_per_s = window.pacing_per_s.unwrap_or(0.0);
        let min_segs = if pacing_per_s * path.mss_bytes < MIN_TSO_RATE { 1 } else { 2 };
        kernel::tso_segs(pacing_per_s, 0, min_segs, path).min(0x7F)
    }

    fn bdp(&self, bw: u64, gain: u64) -> u64 {
        if self.min_rtt_us == UNSET { INIT_CWND } else { kernel::bdp(bw, self.min_rtt_us, gain) }
    }

    /// Three bursts for the hosts, an even number of packets, and two more to probe with a small BDP.
    fn quantization_budget(&self, cwnd: u64, path: &Path, window: &Window) -> u64 {
        let cwnd = (cwnd + 3 * Bbr::tso_segs_goal(path, window)).next_multiple_of(2);
        cwnd + if self.mode == Mode::ProbeBw && self.cycle_idx == 0 { 2 } else { 0 }
    }

    fn inflight(&self, bw: u64, gain: u64, path: &Path, window: &Window) -> u64 {
        self.quantization_budget(self.bdp(bw, gain), path, window)
    }

    fn packets_in_net_at_edt(&self, in_flight: u32, path: &Path, window: &Window) -> u64 {
        let more = if self.pacing_gain > UNIT { Bbr::tso_segs_goal(path, window) } else { 0 };
        kernel::packets_in_net_at_edt(in_flight, more, self.current_bw(), path)
    }

    fn save_cwnd(&mut self, cwnd: u64) {
        let is_usual = self.prev_ca_state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if is_usual { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    fn update_bw(&mut self, ack: &Ack, path: &Path) {
        self.round_start = false;
        let Some((delivered, interval_us)) = kernel::delivered_over(ack.rate.as_ref()) else { return };
        let rs = ack.rate.unwrap_or_default();
        if rs.prior_delivered >= self.next_rtt_delivered {
            self.next_rtt_delivered = path.delivered;
            self.rtt_cnt += 1;
            self.round_start = true;
            self.packet_conservation = false;
        }
        self.sample_lt_bw(ack.lost > 0, rs.is_app_limited, path);
        let bw = delivered * BW_UNIT / interval_us;
        if !rs.is_app_limited || bw >= self.max_bw() {
            self.bw.update(BW_RTTS, self.rtt_cnt, bw as f64);
        }
    }

    fn sample_lt_bw(&mut self, has_losses: bool, is_app_limited: bool, path: &Path) {
        let in_probe_bw = self.mode == Mode::ProbeBw;
        let was_used = self.lt_bw.get().is_some();
        let verdict =
            self.lt_bw.sample(has_losses, is_app_limited, self.round_start, in_probe_bw, path, self.delivered_us);
        if verdict == Verdict::Expired {
            self.reset_probe_bw_mode();
        } else if !was_used && self.lt_bw.get().is_some() {
            self.pacing_gain = UNIT; // to try to avoid drops
        }
    }

    /// `update_cycle_phase`, with `is_next_cycle_phase`: enters the next phase when this one is complete.
    fn update_cycle_phase(&mut self, ack: &Ack, path: &Path, window: &Window) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_full_length = self.delivered_us.saturating_sub(self.cycle_stamp_us) > self.min_rtt_us;
        let inflight = self.packets_in_net_at_edt(ack.prior_in_flight, path, window);
        let is_next_cycle_phase = if self.pacing_gain > UNIT {
            let target = self.inflight(self.max_bw(), self.pacing_gain, path, window);
            is_full_length && (ack.lost > 0 || inflight >= target)
        } else if self.pacing_gain < UNIT {
            is_full_length || inflight <= self.inflight(self.max_bw(), UNIT, path, window)
        } else {
            is_full_length
        };
        if is_next_cycle_phase {
            self.advance_cycle_phase();
        }
    }

    fn advance_cycle_phase(&mut self) {
        self.cycle_idx = (self.cycle_idx + 1) % CYCLE_LEN;
        self.cycle_stamp_us = self.delivered_us;
    }

    /// Three round trips with less than 25 % growth mean a full pipe.
    fn check_full_bw_reached(&mut self, ack: &Ack) {
        let is_app_limited = ack.rate.is_some_and(|rate| rate.is_app_limited);
        if self.full_bw_reached || !self.round_start || is_app_limited {
            return;
        }
        if self.max_bw() >= self.full_bw * FULL_BW_THRESH / UNIT {
            (self.full_bw, self.full_bw_cnt) = (self.max_bw(), 0);
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_CNT;
    }

    fn check_drain(&mut self, path: &Path, window: &mut Window) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            window.ssthresh = self.inflight(self.max_bw(), UNIT, path, window) as f64;
        }
        if self.mode == Mode::Drain
            && self.packets_in_net_at_edt(path.in_flight, path, window)
                <= self.inflight(self.max_bw(), UNIT, path, window)
        {
            self.reset_probe_bw_mode();
        }
    }

    /// Begins a cycle in a random phase, except the second, which would drain an empty queue.
    fn reset_probe_bw_mode(&mut self) {
        self.mode = Mode::ProbeBw;
        let ahead = self.draws.as_mut().map_or(0, |draws| (draws.unit() * CYCLE_RAND) as usize);
        self.cycle_idx = CYCLE_LEN - 1 - ahead;
        self.advance_cycle_phase();
    }

    fn update_min_rtt(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let now = jiffies(path);
        let filter_expired = now > self.min_rtt_stamp + MIN_RTT_WIN;
        if let Some(rtt_us) = ack.rtt_s.map(us)
            && (rtt_us < self.min_rtt_us || (filter_expired && !ack.may_be_delayed))
        {
            (self.min_rtt_us, self.min_rtt_stamp) = (rtt_us, now);
        }
        if filter_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(window.cwnd as u64);
            self.probe_rtt_done_stamp = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.handle_probe_rtt(now, path, window);
        }
        self.idle_restart &= ack.rate.is_none_or(|rate| rate.delivered == 0);
    }

    /// Four packets in flight for 200 ms and a round trip.
    fn handle_probe_rtt(&mut self, now: u64, path: &Path, window: &mut Window) {
        window.holds_back = true;
        if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(now, window);
            }
        } else if u64::from(path.in_flight) <= CWND_MIN_TARGET {
            self.probe_rtt_done_stamp = Some(now + PROBE_RTT_MODE);
            self.probe_rtt_round_done = false;
            self.next_rtt_delivered = path.delivered;
        }
    }

    fn check_probe_rtt_done(&mut self, now: u64, window: &mut Window) {
        if self.probe_rtt_done_stamp.is_none_or(|done| now <= done) {
            return;
        }
        self.min_rtt_stamp = now;
        window.cwnd = window.cwnd.max(self.prior_cwnd as f64);
        if self.full_bw_reached { self.reset_probe_bw_mode() } else { self.mode = Mode::Startup }
    }

    fn init_pacing_rate_from_rtt(&mut self, path: &Path, window: &mut Window) {
        self.has_seen_rtt = path.srtt_s > 0.0;
        let bw = kernel::nominal_bw(window.cwnd, path);
        window.pacing_per_s = Some(kernel::pacing_per_s(bw, path, HIGH_GAIN));
    }

    fn set_pacing_rate(&mut self, bw: u64, gain: u64, path: &Path, window: &mut Window) {
        if !self.has_seen_rtt && path.srtt_s > 0.0 {
            self.init_pacing_rate_from_rtt(path, window);
        }
        let rate = kernel::pacing_per_s(bw, path, gain);
        if rate > 0.0 && (self.full_bw_reached || window.pacing_per_s.is_none_or(|now| rate > now)) {
            window.pacing_per_s = Some(rate);
        }
    }

    /// Packet conservation in the first round trip of a recovery; the former window after it. Returns the window and whether
    /// packets are conserved.
    fn set_cwnd_to_recover_or_restore(&mut self, ack: &Ack, path: &Path, cwnd: u64) -> (u64, bool) {
        let (state, prev_state) = (self.ca_state, self.prev_ca_state);
        let conserved = u64::from(path.in_flight + ack.delivered);
        let mut cwnd = if ack.lost > 0 { cwnd.saturating_sub(u64::from(ack.lost)).max(1) } else { cwnd };
        if state == CaState::Recovery && prev_state != CaState::Recovery {
            self.packet_conservation = true;
            self.next_rtt_delivered = path.delivered;
            cwnd = conserved;
        } else if prev_state >= CaState::Recovery && state < CaState::Recovery {
            cwnd = cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        self.prev_ca_state = state;
        if self.packet_conservation { (cwnd.max(conserved), true) } else { (cwnd, false) }
    }

    fn set_cwnd(&mut self, ack: &Ack, bw: u64, path: &Path, window: &mut Window) {
        let mut cwnd = window.cwnd as u64;
        let acked = u64::from(ack.delivered);
        if acked > 0 {
            let (recovered, is_conserving) = self.set_cwnd_to_recover_or_restore(ack, path, cwnd);
            cwnd = recovered;
            if !is_conserving {
                let allowance = if self.full_bw_reached { self.aggregation.allowance(bw) } else { 0 };
                let target = self.quantization_budget(self.bdp(bw, self.cwnd_gain()) + allowance, path, window);
                if self.full_bw_reached {
                    cwnd = (cwnd + acked).min(target);
                } else if cwnd < target || path.delivered < INIT_CWND {
                    cwnd += acked;
                }
                cwnd = cwnd.max(CWND_MIN_TARGET);
            }
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(CWND_MIN_TARGET);
        }
        window.cwnd = cwnd as f64;
    }

    /// `set_state` with `TCP_CA_Loss`: counts as the end of a round trip.
    fn enter_loss(&mut self, path: &Path) {
        self.prev_ca_state = CaState::Loss;
        (self.full_bw, self.round_start) = (0, true);
        self.sample_lt_bw(true, false, path);
    }
}

impl Control for Bbr {
    /// `bbr_min_tso_segs`: below `bbr_min_tso_rate`, 1.2 Mb/s, single packets.
    fn min_tso_segs(&self, pacing_rate: u64) -> Option<u32> {
        Some(if pacing_rate < 1_200_000 / 8 { 1 } else { 2 })
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn start(&mut self, path: &Path, window: &mut Window) {
        let now_us = us(path.now_s);
        *self = Bbr {
            min_rtt_us: us(path.min_rtt_s),
            min_rtt_stamp: jiffies(path),
            delivered_us: now_us,
            pacing_gain: HIGH_GAIN,
            next_rtt_delivered: path.delivered,
            draws: Some(path.seed.stream()),
            ..Bbr::default()
        };
        self.aggregation.restart(now_us);
        self.lt_bw.reset(path, now_us);
        self.init_pacing_rate_from_rtt(path, window);
    }

    /// `main`.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if ack.delivered > 0 {
            self.delivered_us = us(path.now_s);
        }
        window.holds_back = false;
        self.update_bw(ack, path);
        if ack.delivered > 0 && kernel::delivered_over(ack.rate.as_ref()).is_some() {
            let (acked, cwnd) = (u64::from(ack.delivered), window.cwnd as u64);
            let bw = self.current_bw();
            self.aggregation.update(acked, self.delivered_us, bw, cwnd, self.round_start, AckAggregation::WIN_RTTS);
        }
        self.update_cycle_phase(ack, path, window);
        self.check_full_bw_reached(ack);
        self.check_drain(path, window);
        self.update_min_rtt(ack, path, window);
        self.pacing_gain = self.pacing_gain();
        let bw = self.current_bw();
        self.set_pacing_rate(bw, self.pacing_gain, path, window);
        self.set_cwnd(ack, bw, path, window);
    }

    /// `ssthresh` saves the window; the window is set at the next ACK, or after a timeout by the sender.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        self.save_cwnd(window.cwnd as u64);
        if sign == CongestionEvent::Timeout {
            window.cwnd = f64::from(path.in_flight) + 1.0;
        }
        Response::Own
    }

    fn on_timeout_in_recovery(&mut self, path: &Path, window: &mut Window) {
        window.cwnd = f64::from(path.in_flight) + 1.0;
    }

    /// `set_state`. After a recovery the window is restored at the next ACK.
    fn on_state(&mut self, state: CaState, path: &Path, _window: &mut Window) {
        if state == CaState::Loss {
            self.enter_loss(path);
        }
        self.ca_state = state;
    }

    /// `undo_cwnd`: the search for a full pipe restarts.
    fn on_spurious_loss(&mut self, path: &Path, _window: &mut Window) {
        (self.full_bw, self.full_bw_cnt) = (0, 0);
        self.lt_bw.reset(path, self.delivered_us);
    }

    /// `cwnd_event` with `CA_EVENT_TX_START`.
    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, path: &Path, window: &mut Window) {
        self.idle_restart = true;
        self.delivered_us = us(path.now_s);
        self.aggregation.restart(us(path.now_s));
        if self.mode == Mode::ProbeBw {
            self.set_pacing_rate(self.current_bw(), UNIT, path, window);
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(jiffies(path), window);
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn model(&self) -> Option<Model> {
        let gain = |gain: u64| gain as f64 / UNIT as f64;
        let state = match self.mode {
            Mode::Startup => "startup",
            Mode::Drain => "drain",
            Mode::ProbeBw => ["probe_bw_up", "probe_bw_down", "probe_bw_cruise"][self.cycle_idx.min(2)],
            Mode::ProbeRtt => "probe_rtt",
        };
        Some(Model {
            state,
            round_count: self.rtt_cnt,
            pacing_gain: gain(self.pacing_gain()),
            cwnd_gain: gain(self.cwnd_gain()),
            max_bw_per_s: kernel::per_s(self.max_bw()),
            bw_shortterm_per_s: self.lt_bw.get().map_or(f64::INFINITY, kernel::per_s),
            min_rtt_s: kernel::packets(self.min_rtt_us) / 1e6,
            extra_acked: self.aggregation.get() as f64,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_with_headroom: f64::INFINITY,
            inflight_target: self.bdp(self.max_bw(), UNIT) as f64,
            full_bw_count: self.full_bw_cnt,
            full_bw_now: self.full_bw_reached,
            full_bw_reached: self.full_bw_reached,
            idle_restart: self.idle_restart,
            saves: 0,
            undos: 0,
        })
    }
}
