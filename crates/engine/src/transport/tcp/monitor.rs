//! Controls for a program outside that decides once per monitor interval: one that reports RTT samples, one that holds.
//!
//! Source: monitor intervals are those of PCC (M. Dong et al., NSDI 2015) and Aurora (N. Jay et al., ICML 2019).
//! What it decides: [`Monitored`] decides nothing: it collects the RTT samples of ACKs, and leaves the window to the control
//! in it. [`Held`] keeps window and rate as they were set, through losses, marks, timeouts and idle times.
//! Departures: none. Not implemented: nothing.
//! Checked against: the control without its monitor, below; a run without it (tests/plugins/test_steered_runs.py).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::params::{Parameter, Value};
use crate::transport::tcp::cc::{
    Ack, CaState, CongestionEvent, Control, Feedback, Model, Path, Rate, Response, Window,
};

/// What a monitored control has collected since it was last asked.
#[derive(Debug, Default)]
pub struct Samples {
    /// The connection is established.
    pub has_started: bool,
    /// RTT samples, s, in the order of their ACKs.
    pub rtts_s: Vec<f64>,
}

/// The samples of a monitored control, shared with the program that decides.
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<Mutex<Samples>>);

impl Monitor {
    /// The samples, to be read and emptied.
    pub fn samples(&self) -> MutexGuard<'_, Samples> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A control, and the monitor that its ACKs are reported to.
pub(super) struct Monitored {
    pub control: Box<dyn Control>,
    pub monitor: Monitor,
}

impl Control for Monitored {
    fn start(&mut self, path: &Path, window: &mut Window) {
        self.monitor.samples().has_started = true;
        self.control.start(path, window);
    }

    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.control.on_packets_acked(ack, path, window);
    }

    fn uses_packets_acked(&self) -> bool {
        self.control.uses_packets_acked()
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if let Some(rtt_s) = ack.rtt_s {
            self.monitor.samples().rtts_s.push(rtt_s);
        }
        self.control.on_ack(ack, path, window);
    }

    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.control.on_loss(sent, path, window);
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        self.control.on_congestion_event(sign, path, window)
    }

    fn on_state(&mut self, state: CaState, path: &Path, window: &mut Window) {
        self.control.on_state(state, path, window);
    }

    fn on_timeout_in_recovery(&mut self, path: &Path, window: &mut Window) {
        self.control.on_timeout_in_recovery(path, window);
    }

    fn on_probe_repaired_loss(&mut self, path: &Path, window: &mut Window) {
        self.control.on_probe_repaired_loss(path, window);
    }

    fn on_reduction_complete(&mut self, path: &Path, window: &mut Window) {
        self.control.on_reduction_complete(path, window);
    }

    fn asks_for_reduction(&mut self) -> bool {
        self.control.asks_for_reduction()
    }

    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        self.control.on_recovery_exit(path, window);
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.control.on_spurious_loss(path, window);
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        self.control.on_idle_restart(idle_s, timeouts, initial, path, window);
    }

    fn has_cong_control(&self) -> bool {
        self.control.has_cong_control()
    }

    fn min_tso_segs(&self, pacing_rate: u64) -> Option<u32> {
        self.control.min_tso_segs(pacing_rate)
    }

    fn max_tso_segs(&self) -> u32 {
        self.control.max_tso_segs()
    }

    fn feedback(&self) -> Feedback {
        self.control.feedback()
    }

    fn is_scalable(&self) -> bool {
        self.control.is_scalable()
    }

    fn answers_marks(&self) -> bool {
        self.control.answers_marks()
    }

    fn model(&self) -> Option<Model> {
        self.control.model()
    }

    fn take_error(&mut self) -> Option<String> {
        self.control.take_error()
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.control.describe(out);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.control.param(name)
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.control.set_param(name, value)
    }
}

/// A control that keeps the window and the rate that it is given; a program outside sets them
/// ([`crate::transport::tcp::agent::steer`]).
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The window at the start, packets.
    pub cwnd: f64,
    /// The pacing rate at the start, packets/s; `None` lets ACKs clock the packets.
    pub pacing_per_s: Option<f64>,
}

impl Control for Held {
    fn start(&mut self, _path: &Path, window: &mut Window) {
        window.cwnd = self.cwnd.max(1.0);
        window.pacing_per_s = self.pacing_per_s;
    }

    fn on_ack(&mut self, _ack: &Ack, _path: &Path, _window: &mut Window) {}

    fn on_congestion_event(&mut self, _sign: CongestionEvent, _path: &Path, _window: &mut Window) -> Response {
        Response::Own
    }

    fn on_idle_restart(&mut self, _idle_s: f64, _timeouts: u32, _initial: f64, _path: &Path, _window: &mut Window) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn max_tso_segs(&self) -> u32 {
        1
    }

    fn answers_marks(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::cc::reno;

    fn window(cwnd: f64) -> Window {
        Window { cwnd, ssthresh: 15.0, pacing_per_s: None, holds_back: false }
    }

    fn ack(rtt_s: Option<f64>) -> Ack {
        Ack { delivered: 2, acked: 2, rtt_s, ..Ack::default() }
    }

    #[test]
    fn a_held_window_stays_through_losses_and_idle_times() {
        let (mut held, path) = (Held { cwnd: 20.0, pacing_per_s: Some(100.0) }, Path::default());
        let mut window = window(10.0);
        held.start(&path, &mut window);
        for sign in [CongestionEvent::Loss, CongestionEvent::Mark, CongestionEvent::Timeout] {
            assert_eq!(held.on_congestion_event(sign, &path, &mut window), Response::Own);
        }
        held.on_ack(&ack(Some(0.1)), &path, &mut window);
        held.on_idle_restart(10.0, 5, 10.0, &path, &mut window);
        assert_eq!((window.cwnd, window.ssthresh, window.pacing_per_s), (20.0, 15.0, Some(100.0)));
    }

    // The oracle is the control without its monitor.
    #[test]
    fn a_monitored_control_decides_as_it_does_alone() {
        let path = Path { is_limited: true, mss_bytes: 1448.0, ..Path::default() };
        let mut alone = (reno::ENTRY.make)();
        let monitor = Monitor::default();
        let mut monitored = Monitored { control: (reno::ENTRY.make)(), monitor: monitor.clone() };
        let (mut one, mut other) = (window(10.0), window(10.0));
        assert!(!monitor.samples().has_started);
        alone.start(&path, &mut one);
        monitored.start(&path, &mut other);
        for rtt_s in [Some(0.25), None, Some(0.5)] {
            alone.on_ack(&ack(rtt_s), &path, &mut one);
            monitored.on_ack(&ack(rtt_s), &path, &mut other);
        }
        assert!(one.cwnd > 10.0, "it grows");
        let answers = [
            alone.on_congestion_event(CongestionEvent::Loss, &path, &mut one),
            monitored.on_congestion_event(CongestionEvent::Loss, &path, &mut other),
        ];
        assert_eq!(answers[0], answers[1]);
        assert_eq!((one.cwnd, one.ssthresh), (other.cwnd, other.ssthresh));
        assert!(monitor.samples().has_started);
        assert_eq!(monitor.samples().rtts_s, [0.25, 0.5]);
    }
}
