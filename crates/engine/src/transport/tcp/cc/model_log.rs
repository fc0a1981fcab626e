//! The course of a control's model of the path, for the table `model_changes`.

use std::fmt::Write;

use super::{Control, Model, Window};

/// The model at each change of its state, at each start of a round trip, and at each save and undo of its state.
#[derive(Clone, Debug, Default)]
pub struct ModelLog {
    text: String,
    last: Option<Model>,
}

impl ModelLog {
    /// The columns with numbers, after the time and the state.
    pub const COLUMNS: [&'static str; 20] = [
        "round",
        "pacing_gain",
        "cwnd_gain",
        "max_bw_packets_per_s",
        "bw_shortterm_packets_per_s",
        "pacing_rate_packets_per_s",
        "min_rtt_s",
        "cwnd_packets",
        "in_flight_packets",
        "inflight_target_packets",
        "inflight_longterm_packets",
        "inflight_with_headroom_packets",
        "inflight_shortterm_packets",
        "extra_acked_packets",
        "full_bw_count",
        "full_bw_now",
        "full_bw_reached",
        "idle_restart",
        "saves",
        "undos",
    ];

    /// Notes the control's model if it has one and it differs in what is followed.
    pub fn note(&mut self, now_s: f64, control: &dyn Control, window: &Window, in_flight: u32) {
        let Some(model) = control.model() else { return };
        let followed = |model: &Model| (model.state, model.round_count, model.idle_restart, model.saves, model.undos);
        if self.last.as_ref().map(followed) == Some(followed(&model)) {
            return;
        }
        let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };
        let numbers = [
            model.round_count as f64,
            model.pacing_gain,
            model.cwnd_gain,
            model.max_bw_per_s,
            model.bw_shortterm_per_s,
            window.pacing_per_s.unwrap_or(f64::INFINITY),
            model.min_rtt_s,
            window.cwnd,
            f64::from(in_flight),
            model.inflight_target,
            model.inflight_longterm,
            model.inflight_with_headroom,
            model.inflight_shortterm,
            model.extra_acked,
            f64::from(model.full_bw_count),
            flag(model.full_bw_now),
            flag(model.full_bw_reached),
            flag(model.idle_restart),
            f64::from(model.saves),
            f64::from(model.undos),
        ];
        let _ = write!(self.text, "{now_s:?} {}", model.state);
        for number in numbers {
            let _ = write!(self.text, " {number:?}");
        }
        self.text.push('\n');
        self.last = Some(model);
    }

    /// A line for each of them: time, state, and the numbers of [`Self::COLUMNS`].
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::cc::{Ack, Path, named};

    #[test]
    fn a_line_for_each_change() {
        let mut control = (named("bbr3").unwrap().make)();
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        control.start(&Path::default(), &mut window);
        let mut log = ModelLog::default();
        log.note(0.5, &*control, &window, 3);
        log.note(0.6, &*control, &window, 3);
        control.on_ack(&Ack::default(), &Path::default(), &mut window);
        log.note(0.7, &*control, &window, 3);
        let line: Vec<&str> = log.text().split_whitespace().collect();
        assert_eq!(line.len(), 2 + ModelLog::COLUMNS.len());
        assert_eq!(line[..5], ["0.5", "startup", "0.0", "2.77", "2.0"]);
    }
}
