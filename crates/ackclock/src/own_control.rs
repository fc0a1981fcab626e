//! A user-defined congestion control, held to what a sender can use.

use ackclock_engine::params::{Parameter, Value};
use ackclock_engine::transport::tcp::cc::{
    Ack, CaState, CongestionEvent, Control, Feedback, Model, Path, Rate, Response, Window,
};

/// A control whose windows and rates are checked after each call. After one that is of no use it is called no more, and the
/// simulation ends with an error.
pub(crate) struct Checked {
    control: Box<dyn Control>,
    /// What errors call it.
    flow: String,
    has_failed: bool,
    error: Option<String>,
}

impl Checked {
    pub fn new(control: Box<dyn Control>, flow: String) -> Checked {
        Checked { control, flow, has_failed: false, error: None }
    }

    fn call<R>(
        &mut self,
        method: &str,
        path: &Path,
        window: &mut Window,
        act: impl FnOnce(&mut dyn Control, &mut Window) -> R,
    ) -> Option<R> {
        if self.has_failed {
            return None;
        }
        let before = *window;
        let result = act(&mut *self.control, window);
        let Err(what) = window.check() else { return Some(result) };
        *window = before;
        self.has_failed = true;
        self.error = Some(format!("{}: its congestion control: {method} at {} s: {what}", self.flow, path.now_s));
        None
    }
}

impl Control for Checked {
    fn start(&mut self, path: &Path, window: &mut Window) {
        self.call("start", path, window, |control, window| control.start(path, window));
    }

    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.call("on_packets_acked", path, window, |control, window| control.on_packets_acked(ack, path, window));
    }

    fn uses_packets_acked(&self) -> bool {
        self.control.uses_packets_acked()
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.call("on_ack", path, window, |control, window| control.on_ack(ack, path, window));
    }

    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.call("on_loss", path, window, |control, window| control.on_loss(sent, path, window));
    }

    fn on_congestion_event(&mut self, event: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        let act = |control: &mut dyn Control, window: &mut Window| control.on_congestion_event(event, path, window);
        self.call("on_congestion_event", path, window, act).unwrap_or(Response::Reduce)
    }

    fn on_state(&mut self, state: CaState, path: &Path, window: &mut Window) {
        self.call("on_state", path, window, |control, window| control.on_state(state, path, window));
    }

    fn on_timeout_in_recovery(&mut self, path: &Path, window: &mut Window) {
        let act = |control: &mut dyn Control, window: &mut Window| control.on_timeout_in_recovery(path, window);
        self.call("on_timeout_in_recovery", path, window, act);
    }

    fn on_probe_repaired_loss(&mut self, path: &Path, window: &mut Window) {
        let act = |control: &mut dyn Control, window: &mut Window| control.on_probe_repaired_loss(path, window);
        self.call("on_probe_repaired_loss", path, window, act);
    }

    fn on_reduction_complete(&mut self, path: &Path, window: &mut Window) {
        let act = |control: &mut dyn Control, window: &mut Window| control.on_reduction_complete(path, window);
        self.call("on_reduction_complete", path, window, act);
    }

    fn asks_for_reduction(&mut self) -> bool {
        !self.has_failed && self.control.asks_for_reduction()
    }

    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        self.call("on_recovery_exit", path, window, |control, window| control.on_recovery_exit(path, window));
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.call("on_spurious_loss", path, window, |control, window| control.on_spurious_loss(path, window));
    }

    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let act = |control: &mut dyn Control, window: &mut Window| {
            control.on_idle_restart(idle_s, timeouts, initial, path, window);
        };
        self.call("on_idle_restart", path, window, act);
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
        self.error.take().or_else(|| self.control.take_error())
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
