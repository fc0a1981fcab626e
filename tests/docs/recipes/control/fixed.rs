//! A fixed window: the window that the parameter says, whatever happens.
//!
//! Source: none; an example of what a congestion control needs.
//! What it decides: nothing; the window is `packets` from the start.
//! Departures: none.
//! Not implemented: nothing.
//! Checked against: by hand, below.

use super::{Ack, CongestionEvent, Control, Entry, Path, Response, Window};
use crate::params::{Params, own_params};

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "fixed",
    about: "a fixed window, whatever happens (an example)",
    make: || Box::new(Fixed { packets: 10.0 }),
};

#[derive(Params)]
struct Fixed {
    /// The window, packets.
    #[param("packets")]
    packets: f64,
}

impl Control for Fixed {
    fn start(&mut self, _path: &Path, window: &mut Window) {
        window.cwnd = self.packets;
    }

    fn on_ack(&mut self, _ack: &Ack, _path: &Path, window: &mut Window) {
        window.cwnd = self.packets;
    }

    fn on_congestion_event(&mut self, _event: CongestionEvent, _path: &Path, _window: &mut Window) -> Response {
        Response::Own
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    #[test]
    fn the_window_is_the_parameter() {
        let mut control = (ENTRY.make)();
        assert!(control.set_param("packets", Value::Real(7.0)));
        let mut window = Window { cwnd: 1.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        control.start(&Path::default(), &mut window);
        control.on_congestion_event(CongestionEvent::Loss, &Path::default(), &mut window);
        assert_eq!(window.cwnd, 7.0);
        let mut known = Vec::new();
        control.describe(&mut known);
        let declared = (&*known[0].name, known[0].unit, &*known[0].about);
        assert_eq!(declared, ("packets", "packets", "The window, packets."));
    }
}
