//! TFRC's rate control: slow start, then the throughput equation with gradual increase and immediate decrease.
//!
//! Source: RFC 3448, section 4.3; RFC 5348, section 4.3, as in ns-2.35's `Agent/TFRC`.

use super::{Phase, Sender};
use crate::net::{Network, SimulationError};
use crate::packet::header::TfrcReport;

impl Sender {
    /// The rate of one packet per round trip, bytes/s.
    fn packet_a_round(&self) -> f64 {
        self.size() / self.rtt.smoothed_s
    }

    /// RFC 3390's initial window, packets.
    pub(super) fn initial_window(&self) -> f64 {
        match self.end.packet_size {
            ..=1095 => 4.0,
            1096..2190 => 3.0,
            _ => 2.0,
        }
    }

    /// Packets in the first round trip.
    fn first_packets(&self, net: &mut Network) -> f64 {
        match self.config.rate_init_option {
            1 => self.config.rate_init,
            2 => self.initial_window(),
            option => {
                let wrong = format!("TFRC's rate_init_option is {option}; it must be 1 or 2");
                net.fail(SimulationError::Broken(wrong));
                2.0
            }
        }
    }

    /// Limits the rate by the reported receive rate.
    pub(super) fn bound_by_arrivals(&mut self, report: TfrcReport) {
        if self.round <= 1 || report.received_rate <= 0.0 {
            self.most_in_slow_start = 0.0;
            self.most_rate = 0.0;
            return;
        }
        let size = self.size();
        let times = |factor: f64| factor * report.received_rate * size;
        self.most_in_slow_start = times(2.0);
        self.most_rate = match (self.config.conservative, report.losses) {
            (false, _) => times(2.0),
            (true, 1..) => times(1.0),
            (true, _) => times(self.config.scmult),
        };
    }

    /// Whether the sender has recently been data-limited.
    fn was_limited(&self, now_s: f64) -> bool {
        self.is_data_limited || self.limited_until > now_s - 1.5 * self.rtt.smoothed_s
    }

    pub(super) fn slow_start(&mut self, net: &mut Network) {
        let now_s = net.now().secs();
        let first_packets = self.first_packets(net);
        let first_rate = first_packets * self.size() / self.rtt.smoothed_s;
        let most = self.most_in_slow_start;
        let is_too_early = self.round <= 1 || self.round == 2 && first_packets > 1.0;
        let is_let_off = most > 0.0 && self.config.idle_fix && self.was_limited(now_s) && most < first_rate;
        if is_too_early || is_let_off {
            self.climb_to(self.rate.max(first_rate));
        } else if most <= 0.0 {
            self.old_rate = self.rate;
            self.rate = self.packet_a_round();
            self.step = 0.0;
        } else if self.rate < most && now_s - self.changed_at > self.rtt.smoothed_s {
            let aim = if self.config.ssmult * self.rate > most { most } else { self.config.ssmult * self.rate };
            self.climb_to(aim.max(self.packet_a_round()));
        } else if self.rate > most {
            self.rate = most / 2.0;
            self.old_rate = self.rate;
            self.step = 0.0;
        } else {
            self.remark_slow_start(net);
            return;
        }
        self.changed_at = now_s;
        self.remark_slow_start(net);
    }

    /// Sets a new rate, to be reached within a round trip.
    fn climb_to(&mut self, rate: f64) {
        self.old_rate = self.rate;
        self.rate = rate;
        self.step = (rate - self.old_rate) / (rate * self.rtt.smoothed_s / self.size());
    }

    pub(super) fn increase(&mut self, net: &mut Network) {
        let now_s = net.now().secs();
        let rounds = ((now_s - self.changed_at) / self.rtt.smoothed_s).min(2.0);
        self.rate += self.packet_a_round() * rounds;
        let floor = if self.was_limited(now_s) {
            self.first_packets(net) * self.size() / self.rtt.smoothed_s
        } else {
            self.packet_a_round()
        };
        self.rate = self.rate.min(self.most_rate.max(floor).min(self.fair_rate));
        self.phase = Phase::Increase;
        self.changed_at = now_s;
        self.heavy_rounds = 0;
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC increase", &[a_round, self.limited_until, self.rtt.smoothed_s]);
    }

    pub(super) fn decrease(&mut self, net: &mut Network) {
        self.rate = self.fair_rate;
        let most = self.most_rate.max(self.packet_a_round());
        self.heavy_rounds = if self.rate > most { self.heavy_rounds + 1 } else { 0 };
        if self.heavy_rounds > self.config.max_heavy_rounds {
            self.rate = self.rate.min(most);
        }
        self.phase = Phase::Decrease;
        self.changed_at = net.now().secs();
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC decrease", &[a_round, self.rtt.smoothed_s]);
    }

    fn remark_slow_start(&self, net: &mut Network) {
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC slow start", &[a_round, self.most_in_slow_start, self.step]);
    }
}
