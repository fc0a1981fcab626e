//! What a congestion control is.

use crate::types::{Ack, Event, Feedback, Path, Response, State, Window};

/// A number that scenarios may set, in the flow's `parameters`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name, with the unit as a suffix (`target_s`).
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// Its value if no scenario sets it.
    pub default: f64,
}

/// A congestion control. `default` makes the one of a connection, before it starts.
///
/// What to retransmit is decided by the sender, ackclock's TCP: RACK-TLP finds losses, PRR goes down to the threshold.
pub trait Control: Default + Send + 'static {
    /// One line of description.
    const ABOUT: &'static str = "";

    /// The numbers that scenarios may set.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Whether the control sets the window by itself for each ACK (Linux's `cong_control`). Otherwise the sender lets it
    /// grow only for data acknowledged in order, and reduces it while it is not used.
    const HAS_CONG_CONTROL: bool = false;

    /// The ECN feedback that the control needs.
    const FEEDBACK: Feedback = Feedback::Classic;

    /// Sets a parameter of [`Self::PARAMETERS`], before the connection starts. Flags are 0 and 1.
    fn set_param(&mut self, name: &str, value: f64) {
        let _ = (name, value);
    }

    /// The connection starts, or starts again, with `window`.
    fn start(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// An ACK delivered data, or reported a loss or a mark. Changes to `cwnd` made while [`Path::is_recovering`] are
    /// discarded.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// A congestion event, at most one of each kind per window of data.
    fn on_congestion_event(&mut self, event: Event, path: &Path, window: &mut Window) -> Response;

    /// The sender enters a state (Linux's `set_state`). A timeout in a recovery enters [`State::Loss`] without a congestion
    /// event.
    fn on_state(&mut self, state: State, path: &Path, window: &mut Window) {
        let _ = (state, path, window);
    }

    /// The recovery after a congestion event is over. After [`Response::Reduce`] the window is at the threshold.
    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// The last congestion event was spurious; the sender has restored the window.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// Sending resumes after `idle_s` with nothing in flight, in which the timer would have expired `timeouts` times.
    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let _ = (idle_s, path);
        window.restart(timeouts, initial);
    }
}
