//! The congestion window of ns-2's one-way TCP sender: its size, growth and cuts.

use super::connection::{Connection, Frto, LastCut};
use super::window_law::{Congestion, Growth};
use crate::net::{Network, SimulationError};

/// The slow-start threshold after a window cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewThreshold {
    /// Unchanged.
    Keep,
    /// The window after the window rule's decrease. Half the window at the first cut, in slow start and after a
    /// timeout.
    Reduced,
    /// At least three quarters of the window.
    ThreeQuarters,
}

/// The window after a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewWindow {
    /// The window after the window rule's decrease. Half the window at the first cut and in slow start.
    Reduced,
    /// One packet, as after a timeout.
    Restart,
    /// The initial window.
    Initial,
    /// One packet.
    One,
    /// Unchanged.
    Keep,
    /// The window rule's decrease, at least one packet; for an idle round trip.
    IdleRound,
    /// Between the current window and this number of packets, which is all that the sender used.
    TowardsUsed(i32),
}

/// The cause of a window cut, for the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Congestion.
    Congestion,
    /// The sender was idle or had nothing in flight.
    Idleness,
}

impl Connection {
    /// Selects the window rule by `window_option`. An unknown number gives `None`, which is an error only when the
    /// window would grow.
    pub fn choose_law(&mut self) {
        self.law = (self.laws)(self.config.window_option);
    }

    /// The initial window, packets.
    pub fn initial_window(&self, net: &mut Network) -> f64 {
        if let Some(agreed) = self.quick_start_window() {
            return f64::from(agreed);
        }
        match (self.config.window_init_option, self.end.packet_size) {
            (1, _) => self.config.window_init,
            (2, ..=1095) => 4.0,
            (2, ..2190) => 3.0,
            (2, _) => 2.0,
            (other, _) => {
                net.fail(SimulationError::Broken(format!("unknown window_init_option {other}; expected 1 or 2")));
                2.0
            }
        }
    }

    /// Whole packets that may be in flight past the last ACK.
    #[inline]
    pub fn window(&self) -> i32 {
        let receiver = self.config.window;
        if self.frto == Frto::TwoNewSent {
            return (self.recover + 2 - *self.ack).min(receiver as i32);
        }
        if self.trim != 0.0 {
            return (self.cwnd.min(receiver) + self.trim) as i32;
        }
        (*self.cwnd as i32).saturating_add(self.inflation).min(receiver as i32)
    }

    /// The window with fractions of packets.
    #[inline]
    pub fn real_window(&self) -> f64 {
        (*self.cwnd + f64::from(self.inflation)).min(self.config.window)
    }

    /// Grows the window for an ACK of new data.
    #[inline]
    pub fn open_window(&mut self, net: &mut Network) {
        if *self.cwnd < f64::from(*self.ssthresh) {
            self.cwnd.set(*self.cwnd + 1.0, &mut self.log);
        } else {
            self.grow_by_law(net);
        }
        self.limit_window();
    }

    /// Grows the window by the window rule.
    pub fn grow_by_law(&mut self, net: &mut Network) {
        let growth = Growth {
            cwnd: *self.cwnd,
            srtt_s: f64::from(self.rtt.smoothed_ticks(&self.config)) * self.config.tcp_tick,
            average: self.awnd,
            starting: matches!(self.last_cut, LastCut::None | LastCut::Timeout),
        };
        match &mut self.law {
            Some(law) => {
                let cwnd = law.grow(&growth, &self.law_parameters);
                self.cwnd.set(cwnd, &mut self.log);
            }
            None => {
                let option = self.config.window_option;
                net.fail(SimulationError::Broken(format!("unknown window_option {option}; expected 0 to 6 or 8")));
            }
        }
    }

    /// Limits the window to `maxcwnd`.
    #[inline]
    pub fn limit_window(&mut self) {
        let most = self.config.maxcwnd;
        if most != 0 && *self.cwnd as i32 > most {
            self.cwnd.set(f64::from(most), &mut self.log);
        }
    }

    /// Cuts window and threshold.
    pub fn cut(&mut self, threshold: NewThreshold, window: NewWindow, cause: Cause) {
        if cause == Cause::Congestion && self.outside().is_some() {
            return self.outside_cuts();
        }
        self.cut_from(self.real_window(), self.window(), threshold, window, cause);
    }

    /// Counts a cut made elsewhere; the next packet carries CWR.
    pub fn count_cut(&mut self) {
        self.ncwndcuts.set(*self.ncwndcuts + 1, &mut self.log);
        self.tell_reduced = true;
    }

    /// Cuts window and threshold. `usable` is the window in packets, `whole` the same in whole packets.
    pub fn cut_from(&mut self, usable: f64, whole: i32, threshold: NewThreshold, window: NewWindow, cause: Cause) {
        let log = &mut self.log;
        self.ncwndcuts.set(*self.ncwndcuts + 1, log);
        if cause == Cause::Congestion {
            self.ncwndcuts1.set(*self.ncwndcuts1 + 1, log);
        }
        let slow_start = *self.cwnd < f64::from(*self.ssthresh);
        let precise = self.config.precision_reduce;
        let (counted, half) = if precise { (usable, usable / 2.0) } else { (f64::from(whole), f64::from(whole / 2)) };
        let congestion = Congestion { cwnd: *self.cwnd, usable, counted };
        let reduced = match &mut self.law {
            Some(law) => law.shrink(&congestion, &mut self.law_parameters),
            None => self.law_parameters.decrease_num * counted,
        };
        let reduced = if precise { reduced } else { reduced.trunc() };
        let by_half = self.first_cut || slow_start;

        let log = &mut self.log;
        match threshold {
            NewThreshold::Keep => {}
            NewThreshold::Reduced => {
                let left = if by_half || self.last_cut == LastCut::Timeout { half } else { reduced };
                self.ssthresh.set(left as i32, log);
            }
            NewThreshold::ThreeQuarters => {
                let most = 3.0 * *self.cwnd / 4.0;
                if f64::from(*self.ssthresh) < most {
                    self.ssthresh.set(most as i32, log);
                }
            }
        }
        let decrease_num = self.law_parameters.decrease_num;
        match window {
            NewWindow::Keep => {}
            NewWindow::Reduced => {
                self.cwnd.set(if by_half || decrease_num == 0.5 { half } else { reduced }, log);
            }
            NewWindow::Restart | NewWindow::One => self.cwnd.set(1.0, log),
            NewWindow::Initial => self.cwnd.set(self.config.window_init.trunc(), log),
            NewWindow::IdleRound => {
                self.cwnd.set(reduced, log);
                self.at_least_one();
            }
            NewWindow::TowardsUsed(used) => {
                let used = f64::from(used);
                self.cwnd.set(used + decrease_num * (counted - used), log);
                self.at_least_one();
            }
        }
        if *self.ssthresh < 2 {
            self.ssthresh.set(2, &mut self.log);
        }
        if matches!(window, NewWindow::Reduced | NewWindow::Restart | NewWindow::Initial | NewWindow::One) {
            self.tell_reduced = true;
        }
        if let Some(law) = &mut self.law {
            law.was_cut();
        }
        self.first_cut = false;
        if *self.cwnd == 1.0 || slow_start {
            self.happened("SLOW_START");
        }
    }

    /// Raises the window to at least one packet.
    pub fn at_least_one(&mut self) {
        if *self.cwnd < 1.0 {
            self.cwnd.set(1.0, &mut self.log);
        }
    }
}
