//! One connection's control from a library, as the engine's TCP calls it.
//!
//! Source: `ackclock_control::Control`, whose methods are those of the engine's `Control` that have the same names.
//! What it decides: what a library may set: a window that is a number, positive and finite, a threshold that is not negative,
//! a pacing rate that is positive and finite. Anything else, and a panic, ends the simulation.
//! Departures: none.
//! Not implemented: `on_packets_acked`, `on_loss` of single segments, a model for `model_changes`, segments' sizes.
//! Checked against: the engine's Reno, packet by packet (tests/plugins/test_plugin_library.py).

use std::sync::Arc;

use ackclock_control::Path as Seen;
use ackclock_control::interface::{AckData, WindowData};
use ackclock_engine::params::Value;
use ackclock_engine::transport::tcp::cc::{Ack, CaState, CongestionEvent, Control, Feedback, Path, Response, Window};

use crate::library::{Instance, Library};

/// A congestion control of a library.
pub struct LibraryControl {
    library: Arc<Library>,
    /// What errors call it: `flow Mine-1`.
    place: String,
    /// Parameters that were set, each with its place in [`Library::parameters`].
    values: Vec<(usize, f64)>,
    instance: Option<Instance>,
    seed: u64,
    error: Option<String>,
}

impl LibraryControl {
    /// A control with the library's default parameters. Errors call it `place`.
    pub fn new(library: Arc<Library>, place: String) -> LibraryControl {
        LibraryControl { library, place, values: Vec::new(), instance: None, seed: 0, error: None }
    }

    /// Calls the library, if it can still be called, and takes what it has set.
    fn call<T>(
        &mut self,
        method: &str,
        path: &Path,
        window: &mut Window,
        work: impl FnOnce(&mut Instance, &Seen, &mut WindowData) -> Result<T, String>,
    ) -> Option<T> {
        let instance = self.instance.as_mut()?;
        let mut data = WindowData {
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            pacing_per_s: window.pacing_per_s.unwrap_or(0.0),
            is_paced: window.pacing_per_s.is_some().into(),
        };
        let done = work(instance, &seen(path, self.seed), &mut data);
        let done = done.and_then(|value| take(&data, window).map(|()| value));
        done.map_err(|what| self.fail(method, path.now_s, &what)).ok()
    }

    /// The library has done something wrong: it is called no more.
    fn fail(&mut self, method: &str, now_s: f64, what: &str) {
        self.instance = None;
        self.error = Some(format!("{} at {now_s} s: {}.{method}: {what}", self.place, self.library.control));
    }
}

/// What a library may set.
fn take(data: &WindowData, window: &mut Window) -> Result<(), String> {
    let pacing_per_s = (data.is_paced != 0).then_some(data.pacing_per_s);
    let set = Window { cwnd: data.cwnd, ssthresh: data.ssthresh, pacing_per_s, ..*window };
    set.check()?;
    *window = Window { cwnd: set.cwnd.max(1.0), ..set };
    Ok(())
}

fn seen(path: &Path, seed: u64) -> Seen {
    Seen {
        now_s: path.now_s,
        mss_bytes: path.mss_bytes,
        srtt_s: path.srtt_s,
        min_rtt_s: path.min_rtt_s,
        next_send_s: path.next_send_s,
        delivered: path.delivered,
        delivered_ce: path.delivered_ce,
        lost: path.lost,
        seed,
        in_flight: path.in_flight,
        reordering: path.reordering,
        is_limited: path.is_limited,
        is_recovering: path.is_recovering,
        is_paced: path.is_paced,
        has_ecn: path.has_ecn,
    }
}

fn reported(ack: &Ack) -> AckData {
    let rate = ack.rate.unwrap_or_default();
    AckData {
        rtt_s: ack.rtt_s.unwrap_or(f64::NAN),
        one_way_s: ack.one_way_s.unwrap_or(f64::NAN),
        rate_per_s: rate.per_s.unwrap_or(f64::NAN),
        rate_delivered: rate.delivered,
        rate_prior_delivered: rate.prior_delivered,
        rate_lost: rate.lost,
        rate_marked: rate.marked,
        rate_in_flight: rate.in_flight,
        rate_is_app_limited: rate.is_app_limited.into(),
        has_rate: ack.rate.is_some().into(),
        delivered: ack.delivered,
        acked: ack.acked,
        sacked: ack.sacked,
        lost: ack.lost,
        marked: ack.marked,
        prior_in_flight: ack.prior_in_flight,
        echoes_mark: ack.echoes_mark.into(),
        ends_round: ack.ends_round.into(),
    }
}

impl Control for LibraryControl {
    fn start(&mut self, path: &Path, window: &mut Window) {
        let mut draws = path.seed.stream();
        self.seed = (draws.unit() * 4_294_967_296.0) as u64;
        let made = Instance::new(&self.library).and_then(|mut made| {
            for &(index, value) in &self.values {
                made.set_param(index, value)?;
            }
            Ok(made)
        });
        match made {
            Ok(made) => self.instance = Some(made),
            Err(what) => return self.fail("default", path.now_s, &what),
        }
        self.call("start", path, window, |made, path, data| made.start(path, data));
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.call("on_ack", path, window, |made, path, data| made.on_ack(&reported(ack), path, data));
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        let event = match event {
            CongestionEvent::Loss => 0,
            CongestionEvent::Mark => 1,
            CongestionEvent::Timeout => 2,
        };
        let response = self
            .call("on_congestion_event", path, window, |made, path, data| made.on_congestion_event(event, path, data));
        if response == Some(1) { Response::Own } else { Response::Reduce }
    }

    fn on_state(&mut self, state: CaState, path: &Path, window: &mut Window) {
        self.call("on_state", path, window, |made, path, data| made.on_state(state as u32, path, data));
    }

    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        self.call("on_recovery_exit", path, window, |made, path, data| made.on_recovery_exit(path, data));
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.call("on_spurious_loss", path, window, |made, path, data| made.on_spurious_loss(path, data));
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let told = (idle_s, timeouts, initial);
        self.call("on_idle_restart", path, window, |made, path, data| made.on_idle_restart(told, path, data));
    }

    fn has_cong_control(&self) -> bool {
        self.library.has_cong_control
    }

    fn feedback(&self) -> Feedback {
        match self.library.feedback {
            1 => Feedback::Exact,
            2 => Feedback::Counted,
            _ => Feedback::Classic,
        }
    }

    fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }

    fn param(&self, name: &str) -> Option<Value> {
        let place = self.library.parameters.iter().position(|known| known.name == name)?;
        let set = self.values.iter().find(|(at, _)| *at == place).map(|&(_, value)| value);
        Some(Value::Real(set.unwrap_or(self.library.parameters[place].default)))
    }

    /// Sets a parameter of the control, from the next start on.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let Some(place) = self.library.parameters.iter().position(|known| known.name == name) else { return false };
        self.values.retain(|(at, _)| *at != place);
        self.values.push((place, value.real()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The kernel warns of a window below one packet and has none above 2^30 (tcp_snd_cwnd_set, TCP_MAX_WINDOW in packets).
    #[test]
    fn what_is_no_window_is_refused() {
        let fine = WindowData { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: 0.0, is_paced: 0 };
        let mut window = Window { cwnd: 1.0, ssthresh: 1.0, pacing_per_s: None, holds_back: false };
        assert_eq!(take(&fine, &mut window), Ok(()));
        assert_eq!((window.cwnd, window.ssthresh, window.pacing_per_s), (10.0, f64::INFINITY, None));
        assert_eq!(take(&WindowData { cwnd: 0.25, ..fine }, &mut window), Ok(()));
        assert_eq!(window.cwnd, 1.0);
        for cwnd in [f64::NAN, 0.0, -1.0, f64::INFINITY, 2e9] {
            let text = format!("the window is {cwnd} packets; expected a positive number, at most 2^30");
            assert_eq!(take(&WindowData { cwnd, ..fine }, &mut window), Err(text));
        }
        for ssthresh in [f64::NAN, -1.0] {
            let text = format!("the threshold is {ssthresh} packets; expected a number that is not negative");
            assert_eq!(take(&WindowData { ssthresh, ..fine }, &mut window), Err(text));
        }
        for pacing_per_s in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
            let text = format!("the pacing rate is {pacing_per_s} packets/s; expected a positive number");
            assert_eq!(take(&WindowData { pacing_per_s, is_paced: 1, ..fine }, &mut window), Err(text));
        }
        assert_eq!(window.cwnd, 1.0, "what is refused changes nothing");
    }
}
