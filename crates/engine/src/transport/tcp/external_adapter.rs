//! Adapter: runs an external congestion control on the TCP socket.
//!
//! Source: [`crate::transport::external_control`], the interface of such a control.
//! What it decides: the events and the state that the control receives, and the effect of its results. A smaller window
//! after a loss or a mark becomes PRR's target. Any other window applies immediately. After a timeout its threshold
//! counts.
//! Departures: none. Not implemented: events for ACKs while the sender reduces the window.
//! Checked against: the same rules in the engine's own control, packet by packet (tests/plugins/test_plugin_tcp_control.py).

use crate::transport::external_control::{ControlEvent, ControlState, ExternalCongestionOps};
use crate::transport::tcp::cc::{self, Ack, Path, Response, Window};

/// More packets than any connection has in flight.
const NO_LIMIT: f64 = (1 << 30) as f64;

/// An external control as a congestion control of the socket.
pub(super) struct ExternalAdapter {
    control: Box<dyn ExternalCongestionOps>,
    error: Option<String>,
    /// Set after an error: the control is not called again.
    has_failed: bool,
    /// The window to set when the reduction is over.
    wanted: Option<Window>,
}

impl ExternalAdapter {
    pub fn new(control: Box<dyn ExternalCongestionOps>) -> ExternalAdapter {
        ExternalAdapter { control, error: None, has_failed: false, wanted: None }
    }

    fn ask(&mut self, sign: ControlEvent, path: &Path, window: &mut Window) {
        if self.has_failed {
            return;
        }
        let mut state = ControlState {
            now_s: path.now_s,
            cwnd: window.cwnd,
            ssthresh: window.ssthresh.min(NO_LIMIT) as i32,
            window: window.cwnd,
            in_flight: path.in_flight as i32,
            mss_bytes: path.mss_bytes as i32,
            srtt_s: (path.srtt_s > 0.0).then_some(path.srtt_s),
            min_rtt_s: path.min_rtt_s.is_finite().then_some(path.min_rtt_s),
            is_limited: path.is_limited,
            pacing_per_s: window.pacing_per_s,
        };
        let before = state.ssthresh;
        match self.control.decide(sign, &mut state) {
            Ok(()) => {
                window.cwnd = state.cwnd;
                if state.ssthresh != before {
                    window.ssthresh = f64::from(state.ssthresh.max(2));
                }
                window.pacing_per_s = state.pacing_per_s;
            }
            Err(what) => (self.error, self.has_failed) = (Some(what), true),
        }
    }
}

impl cc::Control for ExternalAdapter {
    fn start(&mut self, path: &Path, window: &mut Window) {
        self.ask(ControlEvent::Start, path, window);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if path.is_recovering || ack.delivered == 0 {
            return;
        }
        let rate = ack.rate.as_ref();
        let sign = ControlEvent::Ack {
            packets: ack.delivered as i32,
            marked: ack.echoes_mark,
            marked_packets: ack.marked as i32,
            rtt_s: ack.rtt_s,
            delivery_per_s: rate.and_then(|rate| rate.per_s),
            is_app_limited: rate.is_some_and(|rate| rate.is_app_limited),
        };
        self.ask(sign, path, window);
    }

    fn on_congestion_event(&mut self, sign: cc::CongestionEvent, path: &Path, window: &mut Window) -> Response {
        let before = window.cwnd;
        let told = match sign {
            cc::CongestionEvent::Loss => ControlEvent::Loss,
            cc::CongestionEvent::Mark => ControlEvent::Mark,
            cc::CongestionEvent::Timeout => ControlEvent::Timeout,
        };
        self.ask(told, path, window);
        if sign == cc::CongestionEvent::Timeout {
            self.wanted = None;
            return Response::Reduce;
        }
        if window.cwnd >= before {
            return Response::Own;
        }
        self.wanted = Some(*window);
        window.ssthresh = window.cwnd;
        window.cwnd = before;
        Response::Reduce
    }

    fn on_recovery_exit(&mut self, _path: &Path, window: &mut Window) {
        if let Some(wanted) = self.wanted.take() {
            (window.cwnd, window.ssthresh) = (wanted.cwnd, wanted.ssthresh);
        }
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.wanted = None;
        self.ask(ControlEvent::Undone, path, window);
    }

    fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }
}
