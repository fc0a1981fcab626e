//! The retransmission timer and the timeout's effect on the window, as in ns-2.35's base TCP agent.

use super::connection::{Connection, Frto, LastCut};
use super::window::{Cause, NewThreshold, NewWindow};
use crate::net::{Network, SimulationError};

impl Connection {
    /// Sets or restarts the retransmission timer.
    #[inline]
    pub fn set_retransmit_timer(&mut self, net: &mut Network) {
        let timeout_s = self.rtt.timeout(&self.config);
        if timeout_s < 0.0 {
            net.fail(SimulationError::Broken(format!(
                "the retransmission timeout is {timeout_s} s; it must not be negative"
            )));
            return;
        }
        net.set_timer(self.retransmit_timer, timeout_s);
    }

    /// Stops the retransmission timer.
    pub fn stop_retransmit_timer(&mut self, net: &mut Network) {
        net.stop_timer(self.retransmit_timer);
    }

    /// Restarts the retransmission timer for a retransmission, with back-off if `back_off`, and stops timing a packet.
    pub fn restart_timer(&mut self, back_off: bool, net: &mut Network) {
        if back_off {
            self.rtt.back_off(&self.config, &mut self.log);
        }
        self.set_retransmit_timer(net);
        self.timing = false;
    }

    /// Continues sending after the last packet acknowledged (go-back-N).
    pub fn go_back(&mut self) {
        self.t_seqno.set(*self.ack + 1, &mut self.log);
    }

    /// Handles a retransmission timeout; the caller sends.
    pub fn time_out(&mut self, net: &mut Network) {
        self.happened("TIMEOUT");
        self.frto = Frto::Off;
        self.remember_window();
        self.at_least_one();
        self.give_quick_start_up();
        let nothing_in_flight = *self.ack == *self.maxseq;
        if !nothing_in_flight || self.config.slow_start_restart {
            self.recover = *self.maxseq;
            self.first_packet_lost();
            if nothing_in_flight && self.config.restart_bugfix {
                self.cut(NewThreshold::Keep, NewWindow::One, Cause::Idleness);
            } else {
                let was_marked = *self.ack < self.recover && self.last_cut == LastCut::Mark;
                self.last_cut = LastCut::Timeout;
                if was_marked {
                    self.cut(NewThreshold::Keep, NewWindow::One, Cause::Congestion);
                } else {
                    self.nrexmit.set(*self.nrexmit + 1, &mut self.log);
                    self.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
                }
                if self.config.frto_enabled || self.config.sfrto_enabled {
                    self.frto = Frto::TimedOut;
                }
            }
        }
        self.restart_timer(!(nothing_in_flight && self.config.restart_bugfix), net);
        self.go_back();
        self.last_cut = LastCut::Timeout;
    }

    /// After the loss of the first packet, reduces the initial window.
    fn first_packet_lost(&mut self) {
        let config = &mut self.config;
        if *self.ack != -1 {
            return;
        }
        if config.window_init_option == 2 {
            config.window_init_option = 1;
        } else if config.window_init_option == 1 && config.window_init > 1.0 && config.bugfix_ss {
            config.window_init = 1.0;
        }
    }
}
