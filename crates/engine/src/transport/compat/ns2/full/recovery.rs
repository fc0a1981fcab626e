//! Loss recovery of two-way TCP for each variant: duplicate ACKs, partial ACKs, full ACKs, timeouts.

use super::segment::{State, reason};
use super::socket::{FullTcp, Variant};
use crate::net::Network;
use crate::transport::one_way::connection::LastCut;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

impl FullTcp {
    /// The next byte to send.
    pub fn next_seqno(&mut self) -> i32 {
        if self.variant == Variant::Sack && *self.tcp.ack < self.tcp.recover {
            return self.sack.hole(self.set.segsize).unwrap_or(*self.tcp.t_seqno);
        }
        *self.tcp.t_seqno
    }

    /// Whether byte `seqno` may be sent now.
    pub fn may_send(&self, seqno: i32) -> bool {
        if self.variant == Variant::Sack && self.set.pipectrl {
            self.fits_pipe(seqno)
        } else {
            self.is_in_window(seqno)
        }
    }

    /// Whether the pipe estimate allows byte `seqno` to be sent.
    pub fn fits_pipe(&self, seqno: i32) -> bool {
        let segment = self.set.segsize;
        let top = (*self.tcp.ack).wrapping_add((self.tcp.config.window as i32).wrapping_mul(segment));
        if seqno >= top || (self.state != State::Established && seqno > *self.tcp.seqno) {
            return false;
        }
        self.pipe < (*self.tcp.cwnd as i32).wrapping_mul(segment)
    }

    /// Called when the duplicate ACK threshold is reached.
    pub fn enough_duplicates(&mut self, net: &mut Network) {
        self.recovering = true;
        match self.variant {
            Variant::Reno | Variant::NewReno => self.reno_duplicates(net),
            Variant::Tahoe => self.tahoe_duplicates(net),
            Variant::Sack => self.sack_duplicates(net),
        }
    }

    fn cut_by_half(&mut self) {
        self.tcp.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
    }

    fn stop_timing(&mut self, net: &mut Network) {
        self.tcp.stop_retransmit_timer(net);
        self.tcp.timing = false;
    }

    /// Retransmits the first unacknowledged segment. Returns the sequence numbers used.
    fn retransmit(&mut self, net: &mut Network) -> i32 {
        self.tcp.happened("FAST_RETX");
        self.tcp.recover = *self.tcp.maxseq;
        self.tcp.last_cut = LastCut::Duplicates;
        let ack = *self.tcp.ack;
        self.output(ack, reason::DUPLICATES, net)
    }

    fn is_recovered(&self) -> bool {
        *self.tcp.ack > self.tcp.recover
    }

    fn was_marked(&self) -> bool {
        self.tcp.config.ecn && self.tcp.last_cut == LastCut::Mark
    }

    fn reno_duplicates(&mut self, net: &mut Network) {
        let config = &self.tcp.config;
        let is_loss = self.is_recovered()
            || (!config.bug_fix && !config.ecn)
            || self.tcp.last_cut == LastCut::Duplicates
            || *self.tcp.ack == 0;
        if !is_loss && self.was_marked() {
            self.tcp.cut(NewThreshold::Keep, NewWindow::Reduced, Cause::Congestion);
            self.stop_timing(net);
            self.retransmit(net);
            return;
        }
        if !is_loss && self.tcp.config.bug_fix {
            return;
        }
        self.cut_by_half();
        self.stop_timing(net);
        self.tcp.recover = *self.tcp.maxseq;
        self.retransmit(net);
        let inflated = f64::from(*self.tcp.ssthresh) + f64::from(*self.tcp.dupacks);
        self.tcp.cwnd.set(inflated, &mut self.tcp.log);
    }

    fn tahoe_duplicates(&mut self, net: &mut Network) {
        let config = &self.tcp.config;
        let is_loss = self.is_recovered() || (!config.bug_fix && !config.ecn) || *self.tcp.ack == 0;
        let marked = !is_loss && self.was_marked();
        if !is_loss && !marked && self.tcp.config.bug_fix {
            return;
        }
        let threshold = if marked { NewThreshold::Keep } else { NewThreshold::Reduced };
        if !marked {
            self.tcp.happened("FAST_RETX");
            self.tcp.recover = *self.tcp.maxseq;
        }
        self.tcp.last_cut = LastCut::Duplicates;
        self.tcp.cut(threshold, NewWindow::One, Cause::Congestion);
        self.tcp.set_retransmit_timer(net);
        self.tcp.timing = false;
        let ack = *self.tcp.ack;
        self.tcp.t_seqno.set(ack, &mut self.tcp.log);
        if !marked {
            self.send_much(false, reason::NORMAL, 0, net);
        }
    }

    fn sack_duplicates(&mut self, net: &mut Network) {
        self.pipe = *self.tcp.maxseq - *self.tcp.ack - self.sack.reported.total();
        let config = &self.tcp.config;
        let is_loss = self.is_recovered() || (!config.bug_fix && !config.ecn);
        let marked = !is_loss && self.was_marked();
        if !is_loss && !marked && self.tcp.config.bug_fix {
            return;
        }
        if marked {
            self.tcp.last_cut = LastCut::Duplicates;
        } else {
            self.tcp.happened("FAST_RECOVERY");
            self.cut_by_half();
        }
        self.stop_timing(net);
        if !marked {
            self.set.pipectrl = true;
        }
        let sent = self.retransmit(net);
        self.set.pipectrl = true;
        self.sack.look_from(*self.tcp.ack + sent);
        let most = self.tcp.config.maxburst;
        self.send_much(false, reason::DUPLICATES, most, net);
    }

    /// Processes a duplicate ACK above the threshold.
    pub fn more_duplicates(&mut self) {
        if self.set.reno_fastrecov {
            self.tcp.cwnd.set(*self.tcp.cwnd + 1.0, &mut self.tcp.log);
        }
    }

    /// Processes a partial ACK.
    pub fn partly_acknowledged(&mut self, net: &mut Network) {
        match self.variant {
            Variant::Reno | Variant::Tahoe => self.leave_recovery(),
            Variant::NewReno => {
                self.retransmit(net);
                let threshold = f64::from(*self.tcp.ssthresh);
                self.tcp.cwnd.set(threshold, &mut self.tcp.log);
                if self.usual_maxburst.is_none() {
                    self.usual_maxburst = Some(self.tcp.config.maxburst);
                    self.tcp.config.maxburst = self.set.recov_maxburst;
                }
            }
            Variant::Sack => {
                self.sack.acknowledged(*self.tcp.ack);
                self.pipe -= self.set.segsize;
            }
        }
    }

    /// Processes any other ACK of new data.
    pub fn acknowledged(&mut self) {
        match self.variant {
            Variant::Reno | Variant::Tahoe => self.leave_recovery(),
            Variant::NewReno => {
                if let Some(usual) = self.usual_maxburst.take() {
                    self.tcp.config.maxburst = usual;
                }
                self.leave_recovery();
            }
            Variant::Sack => {
                self.recovering = false;
                self.set.pipectrl = false;
                self.tcp.dupacks.set(0, &mut self.tcp.log);
                self.sack.acknowledged(*self.tcp.ack);
            }
        }
    }

    fn leave_recovery(&mut self) {
        let tcp = &mut self.tcp;
        let threshold = f64::from(*tcp.ssthresh);
        if self.set.reno_fastrecov && self.recovering && *tcp.cwnd > threshold {
            tcp.cwnd.set(threshold, &mut tcp.log);
        }
        self.recovering = false;
        tcp.dupacks.set(0, &mut tcp.log);
    }

    /// Called when the retransmission timer expires.
    pub fn on_timeout(&mut self, net: &mut Network) {
        let tcp = &mut self.tcp;
        tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
        tcp.recover = *tcp.maxseq;
        tcp.at_least_one();
        if tcp.last_cut == LastCut::Mark {
            tcp.cut(NewThreshold::Keep, NewWindow::One, Cause::Congestion);
        } else {
            tcp.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
            tcp.last_cut = LastCut::Timeout;
        }
        let nothing_in_flight = *tcp.ack == *tcp.maxseq;
        tcp.restart_timer(!(nothing_in_flight && tcp.config.restart_bugfix), net);
        let from = if *tcp.ack < 0 { self.set.iss } else { *tcp.ack };
        tcp.t_seqno.set(from, &mut tcp.log);
        self.recovering = false;
        tcp.dupacks.set(0, &mut tcp.log);
        if self.variant == Variant::Sack {
            self.sack.on_timeout(*self.tcp.ack);
        }
    }
}
