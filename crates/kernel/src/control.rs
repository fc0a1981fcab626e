//! One connection's congestion control from the kernel, as the engine's TCP calls it.
//!
//! Source: Linux 6.12, include/net/tcp.h, `struct tcp_congestion_ops`, and the places of net/ipv4/tcp_input.c and
//! tcp_output.c that call its functions.
//! What it decides: which of the kernel's functions answers which call of the engine, and in which units.
//! Departures: header prediction is not modelled: an ACK that reports neither a loss, a mark nor a SACK block in the state
//! Open counts as the fast path (`in_ack_event`). The receiver's part of DCTCP (`CA_EVENT_ECN_IS_CE`) is the engine's.
//! `min_tso_segs` and `sndbuf_expand` are not asked.
//! Not implemented: `get_info`.
//! Checked against: the engine's own controls, event by event (tests/like_the_kernel.rs); the rates that a control of known
//! windows gets (tests/oracle/test_kernel_controls.py).

use crate::interface::{CaEvent, INFINITE_SSTHRESH, Operation, RANDOMS, View, ack_flag};
use crate::library::Instance;
use crate::module::Module;
use ackclock_engine::params::Value;
use ackclock_engine::random::rng::Stream;
use ackclock_engine::transport::tcp::cc::{Ack, CaState, CongestionEvent, Control, Feedback, Path, Response, Window};
use std::sync::Arc;

/// `TCP_REORDERING`, the initial `tcp_reordering`, packets.
const REORDERING: u32 = 3;

/// A congestion control of the kernel.
pub struct KernelControl {
    module: Arc<Module>,
    /// Parameters that were set, each with its place in [`Module::parameters`].
    values: Vec<(usize, i64)>,
    instance: Option<Instance>,
    view: View,
    draws: Option<Stream>,
    asks_for_reduction: bool,
    error: Option<String>,
}

/// 32 random bits.
fn bits(draws: &mut Stream) -> u32 {
    (draws.unit() * 4_294_967_296.0) as u32
}

/// Whole microseconds.
fn us(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

impl KernelControl {
    /// A control with the module's default parameters.
    pub fn new(module: Arc<Module>) -> KernelControl {
        KernelControl {
            module,
            values: Vec::new(),
            instance: None,
            view: View::default(),
            draws: None,
            asks_for_reduction: false,
            error: None,
        }
    }

    /// Copies the sender's state to the view.
    fn look(&mut self, path: &Path, window: &Window) {
        let view = &mut self.view;
        view.now_ns = (path.now_s * 1e9).round() as u64;
        view.wstamp_ns = (path.next_send_s.max(0.0) * 1e9).round() as u64;
        view.max_pacing_rate = u64::MAX;
        view.mss_cache = path.mss_bytes as u32;
        view.srtt_us = (path.srtt_s * 8e6).round() as u32;
        view.min_rtt_us = if path.min_rtt_s.is_finite() { us(path.min_rtt_s) as u32 } else { u32::MAX };
        view.snd_una = path.snd_una as u32;
        view.snd_nxt = path.snd_nxt as u32;
        view.delivered = path.delivered as u32;
        view.delivered_ce = path.delivered_ce as u32;
        view.lost = path.lost as u32;
        // The kernel computes the packets in flight from these two.
        view.sacked_out = path.sacked_out;
        view.packets_out = path.in_flight + path.sacked_out;
        view.reordering = path.reordering;
        view.is_cwnd_limited = u32::from(path.is_limited);
        view.max_packets_out = path.max_packets_out;
        view.ecn_ok = u32::from(path.has_ecn);
        view.pacing_rate = match window.pacing_per_s {
            Some(per_s) => (per_s * path.mss_bytes) as u64,
            None => path.pacing_rate,
        };
        view.snd_cwnd = (window.cwnd as u32).max(1);
        view.snd_ssthresh = if window.ssthresh.is_finite() {
            (window.ssthresh as u32).min(INFINITE_SSTHRESH)
        } else {
            INFINITE_SSTHRESH
        };
        view.snd_cwnd_clamp = u32::MAX;
        view.app_limited = 0;
    }

    /// Calls the module, and returns whether it could be called.
    fn call(&mut self, operation: Operation) -> bool {
        let Some(instance) = &mut self.instance else { return false };
        self.asks_for_reduction |= instance.call(operation, &mut self.view);
        let used = (self.view.randoms_used as usize).min(RANDOMS);
        if used > 0
            && let Some(draws) = &mut self.draws
        {
            self.view.randoms.rotate_left(used);
            self.view.randoms[RANDOMS - used..].fill_with(|| bits(draws));
        }
        true
    }

    /// Calls the module and copies what it has set.
    fn run(&mut self, operation: Operation, path: &Path, window: &mut Window) {
        self.look(path, window);
        let before = self.view;
        if !self.call(operation) {
            return;
        }
        self.take(&before, path, window);
    }

    /// Copies what the module has changed to the window.
    fn take(&mut self, before: &View, path: &Path, window: &mut Window) {
        let view = &self.view;
        if view.snd_cwnd != before.snd_cwnd {
            window.cwnd = f64::from(view.snd_cwnd.max(1));
        }
        if view.snd_ssthresh != before.snd_ssthresh {
            window.ssthresh = threshold(view.snd_ssthresh);
        }
        if view.is_paced != 0 {
            // The half keeps the whole number of bytes when the sender rounds down.
            window.pacing_per_s = Some((view.pacing_rate as f64 + 0.5) / path.mss_bytes);
        }
        window.holds_back = view.app_limited != before.app_limited;
    }

    fn event(&mut self, event: CaEvent, path: &Path, window: &mut Window) {
        self.view.argument = event as u32;
        self.run(Operation::CwndEvent, path, window);
    }

    /// What an ACK says.
    fn read(&mut self, ack: &Ack, path: &Path) {
        let view = &mut self.view;
        view.pkts_acked = ack.acked;
        view.sample_rtt_us = ack.rtt_s.map_or(-1, |rtt_s| us(rtt_s) as i32);
        view.sample_in_flight = (path.delivered.wrapping_sub(ack.prior_delivered) as u32).wrapping_mul(view.mss_cache);
        let is_usual = view.ca_state == CaState::Open as u32 && ack.sacked == 0 && ack.lost == 0 && !ack.echoes_mark;
        view.ack_flags = if is_usual { ack_flag::WIN_UPDATE } else { ack_flag::SLOWPATH };
        if ack.echoes_mark {
            view.ack_flags |= ack_flag::ECE;
        }
        view.prior_in_flight = ack.prior_in_flight;
        view.is_ack_delayed = u32::from(ack.may_be_delayed);
        if let Some((tsval, tsecr)) = ack.timestamps {
            (view.rcv_tsval, view.rcv_tsecr) = (tsval, tsecr);
        }
        if ack.delivered > 0 {
            view.delivered_us = us(path.now_s);
        }
    }

    /// The delivery rate sample (`struct rate_sample`).
    fn read_rate(&mut self, ack: &Ack) {
        let view = &mut self.view;
        view.losses = ack.lost;
        view.acked_sacked = ack.delivered;
        view.rate_rtt_us = i64::from(view.sample_rtt_us);
        (view.rate_delivered, view.interval_us, view.prior_mstamp) = (-1, -1, 0);
        (view.prior_delivered, view.rate_delivered_ce, view.is_app_limited) = (0, 0, 0);
        if let Some(rate) = &ack.rate {
            view.rate_delivered = rate.delivered as i32;
            view.prior_delivered = rate.prior_delivered as u32;
            view.rate_delivered_ce = rate.marked as i32;
            view.is_app_limited = u32::from(rate.is_app_limited);
            if let Some(per_s) = rate.per_s.filter(|&per_s| per_s > 0.0) {
                view.interval_us = (rate.delivered as f64 * 1e6 / per_s).round() as i64;
                view.prior_mstamp = view.delivered_us.saturating_sub(view.interval_us as u64).max(1);
            }
        }
    }
}

/// `snd_ssthresh` as a threshold of the engine.
fn threshold(packets: u32) -> f64 {
    if packets >= INFINITE_SSTHRESH { f64::INFINITY } else { f64::from(packets) }
}

impl Control for KernelControl {
    fn start(&mut self, path: &Path, window: &mut Window) {
        self.release();
        (self.view, self.asks_for_reduction) = (View::default(), false);
        match self.module.instance(&self.values) {
            Ok(instance) => self.instance = Some(instance),
            Err(why) => {
                self.error = Some(why);
                return;
            }
        }
        let mut draws = path.seed.stream();
        self.view.randoms = std::array::from_fn(|_| bits(&mut draws));
        self.draws = Some(draws);
        self.view.delivered_us = us(path.now_s);
        self.run(Operation::Start, path, window);
    }

    fn uses_packets_acked(&self) -> bool {
        true
    }

    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.look(path, window);
        self.read(ack, path);
        // What the ACK number covers and SACK had not reported.
        self.view.acked_sacked = ack.delivered.saturating_sub(ack.sacked);
        let before = self.view;
        if self.call(Operation::AckArrived) {
            self.take(&before, path, window);
        }
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let may_raise = ack.acked > 0 || (path.reordering > REORDERING && ack.sacked > 0);
        if !self.module.has_cong_control && (path.is_recovering || !may_raise) {
            return;
        }
        self.look(path, window);
        self.read(ack, path);
        self.read_rate(ack);
        self.view.may_raise = u32::from(may_raise);
        let before = self.view;
        if self.call(Operation::Control) {
            self.take(&before, path, window);
        }
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        self.view.prior_cwnd = (window.cwnd as u32).max(1);
        self.run(Operation::Ssthresh, path, window);
        window.ssthresh = threshold(self.view.result);
        if event == CongestionEvent::Timeout {
            self.event(CaEvent::Loss, path, window);
        }
        if !self.module.has_cong_control {
            return Response::Reduce;
        }
        if event == CongestionEvent::Timeout {
            window.cwnd = f64::from(path.in_flight + 1);
        }
        Response::Own
    }

    fn on_state(&mut self, state: CaState, path: &Path, window: &mut Window) {
        self.view.argument = state as u32;
        self.run(Operation::SetState, path, window);
        self.view.ca_state = state as u32;
    }

    fn on_timeout_in_recovery(&mut self, path: &Path, window: &mut Window) {
        if self.module.has_cong_control {
            window.cwnd = f64::from(path.in_flight + 1);
        }
    }

    fn on_reduction_complete(&mut self, path: &Path, window: &mut Window) {
        self.event(CaEvent::CompleteCwr, path, window);
    }

    fn asks_for_reduction(&mut self) -> bool {
        std::mem::take(&mut self.asks_for_reduction)
    }

    /// The sender has restored the window before the reduction, if the control does not set it by itself. The kernel's
    /// controls return the greater of that and their own, or the present window.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.run(Operation::Undo, path, window);
        window.cwnd = f64::from(self.view.result.max(1));
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        self.view.lsndtime_ns = ((path.now_s - idle_s).max(0.0) * 1e9).round() as u64;
        if timeouts > 0 {
            self.event(CaEvent::CwndRestart, path, window);
            let cwnd = window.cwnd as u32;
            let restart_cwnd = (initial as u32).min(cwnd);
            window.ssthresh = window.ssthresh.max(f64::from((cwnd >> 1) + (cwnd >> 2)));
            window.cwnd = f64::from((cwnd >> timeouts.min(31)).max(restart_cwnd));
        }
        self.look(path, window);
        self.view.delivered_us = us(path.now_s);
        self.view.argument = CaEvent::TxStart as u32;
        // The application had nothing to send.
        self.view.app_limited = 1;
        let before = self.view;
        if self.call(Operation::CwndEvent) {
            self.take(&before, path, window);
        }
    }

    fn has_cong_control(&self) -> bool {
        self.module.has_cong_control
    }

    fn feedback(&self) -> Feedback {
        if self.module.needs_ecn { Feedback::Exact } else { Feedback::Classic }
    }

    fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }

    fn param(&self, name: &str) -> Option<Value> {
        let place = self.module.parameters.iter().position(|known| known.name == name)?;
        let set = self.values.iter().find(|(at, _)| *at == place).map(|&(_, value)| value);
        Some(Value::Int(set.unwrap_or(self.module.parameters[place].default)))
    }

    /// Sets a parameter of the module, from the next start on.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let Some(place) = self.module.parameters.iter().position(|known| known.name == name) else { return false };
        self.values.retain(|(at, _)| *at != place);
        self.values.push((place, value.int()));
        true
    }
}

impl KernelControl {
    fn release(&mut self) {
        self.call(Operation::Release);
        self.instance = None;
    }
}

impl Drop for KernelControl {
    fn drop(&mut self) {
        self.release();
    }
}
