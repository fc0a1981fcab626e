//! The video of a call: frames of an encoder whose bitrate follows what its transport says.
//!
//! Source: RFC 8593, section 5, the statistical model of a live video encoder: frame intervals and frame sizes deviate
//! from `1 / fps` and from the bitrate's share by zero-mean Laplacian amounts of scale 0.15 (`SCALE_t`, `SCALE_B`). The
//! encoder takes a new bitrate at most every 200 ms (`tau_v`).
//! What it decides: when the next frame is captured, and how many bytes it has.
//! Departures: none.
//! Not implemented: the burst of larger frames after a change of the bitrate (`K_d`, `K_B`); the trace-driven model.
//! Checked against: the mean and the mean deviation of the distribution.

use super::{App, AppContext, Entry};
use crate::event::timer::{TimerId, TimerOwner};
use crate::params::{Params, Value, own_values};
use crate::random::rng::Source;

/// The entry in [`super::APPLICATIONS`].
pub const ENTRY: Entry = Entry {
    id: "call",
    about: "video frames of an encoder whose bitrate follows its transport (RFC 8593)",
    make: |id, net| {
        Box::new(Call {
            fps: 30.0,
            frame_variation: 0.15,
            reaction_s: 0.2,
            bitrate_bps: 0.0,
            changed_s: f64::NEG_INFINITY,
            running: false,
            timer: net.add_timer(TimerOwner::App(id, 0)),
        })
    },
};

#[derive(Params)]
struct Call {
    /// Frames per second.
    #[param(state)]
    fps: f64,
    /// The scale of the Laplacian deviations of frame sizes and intervals, as a fraction of each.
    #[param(state)]
    frame_variation: f64,
    /// `tau_v`: the least time between two changes of the bitrate, s.
    #[param(state)]
    reaction_s: f64,
    /// The encoder's bitrate, bit/s.
    #[param(state)]
    bitrate_bps: f64,
    /// When it changed for the last time, s.
    changed_s: f64,
    running: bool,
    timer: TimerId,
}

impl Call {
    /// 1, plus a Laplacian amount; at least 0.
    fn deviation(&self, context: &mut AppContext) -> f64 {
        if self.frame_variation <= 0.0 {
            return 1.0;
        }
        let mut draws = context.net.rng.of(Source::Traffic(context.id));
        // The difference of two exponential numbers is Laplacian.
        let amount = draws.exponential() - draws.exponential();
        (1.0 + self.frame_variation * amount).max(0.0)
    }

    fn capture(&mut self, context: &mut AppContext) {
        let now_s = context.net.now().secs();
        let target_bps =
            context.agent.as_ref().and_then(|agent| agent.param("target_bitrate")).map_or(0.0, Value::real);
        if target_bps != self.bitrate_bps && now_s - self.changed_s >= self.reaction_s {
            self.bitrate_bps = target_bps;
            self.changed_s = now_s;
        }
        let bytes = (self.bitrate_bps / 8.0 / self.fps * self.deviation(context)).round().max(1.0);
        if let Some(agent) = &mut context.agent {
            agent.send_bytes(Some(bytes as i64), "", context.net);
        }
    }
}

impl App for Call {
    fn start(&mut self, context: &mut AppContext) {
        if let Some(agent) = &mut context.agent {
            agent.set_param("frame_period", Value::Real(1.0 / self.fps));
        }
        self.running = true;
        self.timer(0, context);
    }

    fn stop(&mut self, context: &mut AppContext) {
        self.running = false;
        context.net.stop_timer(self.timer);
    }

    fn timer(&mut self, _which: u8, context: &mut AppContext) {
        if !self.running {
            return;
        }
        self.capture(context);
        let wait_s = self.deviation(context) / self.fps;
        context.net.set_timer(self.timer, wait_s);
    }

    own_values!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Network;

    /// A Laplacian amount of scale b has the mean 0 and the mean deviation b; cut at -1, of which 0.15 makes little.
    #[test]
    fn deviations_are_laplacian() {
        let mut net = Network::default();
        net.rng.hash(1);
        let timer = net.add_timer(TimerOwner::App(0, 0));
        let call = Call {
            fps: 30.0,
            frame_variation: 0.15,
            reaction_s: 0.2,
            bitrate_bps: 0.0,
            changed_s: 0.0,
            running: false,
            timer,
        };
        let mut context = AppContext { net: &mut net, agent: None, id: 0 };
        let drawn: Vec<f64> = (0..100_000).map(|_| call.deviation(&mut context)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let deviation = drawn.iter().map(|value| (value - 1.0).abs()).sum::<f64>() / drawn.len() as f64;
        // Four standard errors of the means: the standard deviations are sqrt(2) b, and b.
        assert!((mean - 1.0).abs() < 4.0 * 0.15 * 2_f64.sqrt() / 1e5_f64.sqrt());
        assert!((deviation - 0.15).abs() < 4.0 * 0.15 / 1e5_f64.sqrt() + 1e-3);
    }
}
