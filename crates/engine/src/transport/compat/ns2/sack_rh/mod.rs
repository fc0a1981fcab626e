//! Rate halving: in recovery the sender sends one packet for every two that leave the network, until the window is
//! halved.
//!
//! Source: M. Mathis, J. Semke, J. Mahdavi, K. Lahey, "The Rate-Halving Algorithm for TCP Congestion Control", 1999;
//! ns-2.35's `Agent/TCP/SackRH`.
//! What it decides: the window decrease at each ACK of a recovery, by SACK blocks or by counting duplicate ACKs, and
//! what is retransmitted.
//! Departures: none from ns-2, which does not notify the application when all is acknowledged.
//! Not implemented: ns-2's line on standard output about a receiver that reneges.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod scoreboard;

use self::scoreboard::Scoreboard;
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::recovery::Recovery;
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// The state of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Normal growth.
    #[default]
    Opening,
    /// Halving by SACK blocks.
    Exact,
    /// Halving by counting duplicate ACKs.
    Estimated,
    /// Halving is done; partial ACKs repair the rest.
    Repairing,
}

/// The first hole, while duplicate ACKs are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hole {
    #[default]
    None,
    /// Below the duplicate ACK threshold.
    Counting,
    /// Due for retransmission.
    Found,
    /// Retransmitted.
    Sent,
}

/// The state of rate halving.
pub struct SackRh {
    scoreboard: Scoreboard,
    state: State,
    hole: Hole,
    /// The highest packet that the receiver holds, by SACK blocks or estimated.
    fack: i32,
    /// Retransmitted packets in flight.
    again: i32,
    duplicates: i32,
    window_before: f64,
    highest_before: i32,
    /// Number of the current reduction; 0 outside of one.
    reduction: i32,
    last_reduction: i32,
    holes_sent: i32,
    has_sent_again: bool,
    was_marked: bool,
}

impl Default for SackRh {
    fn default() -> SackRh {
        SackRh {
            scoreboard: Scoreboard::default(),
            state: State::Opening,
            hole: Hole::None,
            fack: -1,
            again: 0,
            duplicates: 0,
            window_before: 0.0,
            highest_before: 0,
            reduction: 0,
            last_reduction: 0,
            holes_sent: 0,
            has_sent_again: false,
            was_marked: false,
        }
    }
}

impl Recovery for SackRh {
    const BOUND: Bound = Bound::Receiver;
    // ns-2 subtracts the halves without a lower bound.
    const MIN_WINDOW: f64 = f64::MIN;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        let is_marked = ack.echoes_mark() && tcp.last_ack != -1;
        let has_blocks = !net.packets.sack(ack.packet).is_empty();
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        let ack_before = tcp.last_ack;
        take_ack(tcp, ack, net);
        self.was_marked |= is_marked;
        let (fack_before, again_before) = (self.fack, self.again);
        self.again -= self.scoreboard.update(tcp.last_ack, net.packets.sack(ack.packet), self.reduction);
        let is_new = tcp.last_ack > ack_before;
        if !has_blocks && ack_before == tcp.last_ack {
            self.duplicates += 1;
            if self.hole == Hole::Counting && self.duplicates == tcp.config.numdupacks {
                self.hole = Hole::Found;
            }
        }
        self.find_fack(tcp);
        self.leave(tcp, is_new, has_blocks, is_marked);
        if matches!(self.state, State::Estimated | State::Repairing) && is_new {
            self.again = 0;
            self.duplicates -= tcp.last_ack - ack_before - 1;
            self.hole = if self.duplicates >= tcp.config.numdupacks { Hole::Found } else { Hole::Counting };
            self.find_fack(tcp);
        }
        self.enter(tcp, is_marked);
        match self.state {
            State::Opening => {
                if *tcp.t_seqno - fack_before + again_before + 1 >= *tcp.cwnd as i32 {
                    tcp.open_window(net);
                }
            }
            State::Exact => {
                let left = (self.fack - fack_before) + self.scoreboard.new_holes();
                tcp.cwnd.set(*tcp.cwnd - f64::from(left) / 2.0, &mut tcp.log);
            }
            State::Estimated => tcp.cwnd.set(*tcp.cwnd - 0.5, &mut tcp.log),
            State::Repairing => {}
        }
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::NONE, most, net);
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        if *tcp.ack == *tcp.maxseq && !tcp.config.slow_start_restart {
            return;
        }
        if *tcp.ack == -1 && tcp.config.window_init_option == 2 {
            tcp.config.window_init_option = 1;
        }
        if self.state != State::Opening {
            tcp.cwnd.set(self.window_before, &mut tcp.log);
            self.finish();
        }
        tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
        tcp.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
        self.again = 0;
        self.scoreboard.time_out(*tcp.t_seqno, tcp.config.numdupacks);
        self.find_fack(tcp);
        if *tcp.t_seqno > self.fack + 1 {
            tcp.t_seqno.set(self.fack + 1, &mut tcp.log);
        }
        tcp.restart_timer(true, net);
        tcp.last_cut = LastCut::Timeout;
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }

    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        if !forced && tcp.is_delayed(net) {
            return;
        }
        let mut sent = 0;
        while *tcp.cwnd as i32 >= *tcp.t_seqno - self.fack + self.again {
            if tcp.config.overhead != 0.0 && !forced {
                tcp.delay_sending(net);
                return;
            }
            let Some(seqno) = self.next(tcp) else { return };
            tcp.output(seqno, reason, net);
            if *tcp.t_seqno <= seqno {
                tcp.t_seqno.set(seqno + 1, &mut tcp.log);
            }
            sent += 1;
            if sent == most {
                return;
            }
        }
    }
}

impl SackRh {
    /// The next packet to send: one that SACK blocks report missing, else the hole found by duplicate ACKs, else a new
    /// one.
    fn next(&mut self, tcp: &mut Connection) -> Option<i32> {
        let limit = tcp.last_ack.saturating_add(tcp.config.window as i32);
        if let Some(missing) = self.scoreboard.next_missing(tcp.config.numdupacks) {
            if missing > limit {
                return None;
            }
            self.scoreboard.sent_again(missing, *tcp.t_seqno);
            self.again += 1;
            self.has_sent_again = true;
            return Some(missing);
        }
        if matches!(self.state, State::Estimated | State::Repairing) && self.hole == Hole::Found {
            self.hole = Hole::Sent;
            self.holes_sent += 1;
            self.again += 1;
            self.has_sent_again = true;
            return Some(tcp.last_ack + 1);
        }
        let next = *tcp.t_seqno;
        if next >= *tcp.seqno || next > limit {
            return None;
        }
        tcp.t_seqno.set(next + 1, &mut tcp.log);
        Some(next)
    }

    fn find_fack(&mut self, tcp: &Connection) {
        self.fack = match self.state {
            State::Opening | State::Exact => self.scoreboard.highest(tcp.last_ack),
            State::Estimated | State::Repairing => tcp.last_ack + self.duplicates + 1,
        };
    }

    /// Ends the reduction; the window grows again.
    fn finish(&mut self) {
        self.state = State::Opening;
        self.reduction = 0;
        self.highest_before = 0;
        self.duplicates = 0;
        self.hole = Hole::None;
        self.was_marked = false;
        self.holes_sent = 0;
        self.has_sent_again = false;
        self.window_before = 0.0;
    }

    /// Ends a reduction that was unnecessary or is complete.
    fn leave(&mut self, tcp: &mut Connection, is_new: bool, has_blocks: bool, is_marked: bool) {
        let was_reordering = match self.state {
            State::Exact => !has_blocks && !is_marked,
            State::Estimated => is_new,
            _ => false,
        };
        if was_reordering && !self.has_sent_again && !self.was_marked {
            tcp.cwnd.set(self.window_before, &mut tcp.log);
            self.finish();
            self.find_fack(tcp);
        }
        if self.state == State::Exact
            && (self.fack >= self.highest_before || self.scoreboard.arrived_in == self.reduction)
        {
            self.bound(tcp);
            self.finish();
        }
        let is_estimated = matches!(self.state, State::Estimated | State::Repairing);
        if is_estimated && tcp.last_ack >= self.highest_before {
            self.again = 0;
            tcp.cwnd.set((self.window_before - f64::from(self.holes_sent)) / 2.0, &mut tcp.log);
            self.bound(tcp);
            self.finish();
            self.find_fack(tcp);
        }
        if self.state == State::Estimated && *tcp.cwnd <= self.window_before / 2.0 {
            self.state = State::Repairing;
        }
    }

    /// Limits the window to half of the previous one. The threshold is at least a quarter of it.
    fn bound(&self, tcp: &mut Connection) {
        let half = self.window_before / 2.0;
        if *tcp.cwnd > half {
            tcp.cwnd.set(half, &mut tcp.log);
        }
        tcp.ssthresh.set(*tcp.cwnd as i32, &mut tcp.log);
        if f64::from(*tcp.ssthresh) < self.window_before / 4.0 {
            tcp.ssthresh.set((self.window_before / 4.0) as i32, &mut tcp.log);
        }
    }

    /// Starts a reduction, or switches from SACK blocks to counting.
    fn enter(&mut self, tcp: &mut Connection, is_marked: bool) {
        if self.state == State::Opening && (is_marked || self.scoreboard.new_holes() != 0) {
            self.begin(State::Exact, tcp);
        }
        if self.state == State::Opening && self.duplicates > 0 {
            self.begin(State::Estimated, tcp);
            self.hole = Hole::Counting;
        }
        if self.state == State::Exact && self.duplicates > 0 {
            self.state = State::Estimated;
            self.hole = Hole::Counting;
            self.number();
        }
        if self.state == State::Repairing && is_marked {
            self.begin(State::Estimated, tcp);
        }
    }

    fn begin(&mut self, state: State, tcp: &mut Connection) {
        self.state = state;
        self.window_before = *tcp.cwnd;
        self.highest_before = *tcp.t_seqno;
        tcp.tell_reduced = true;
        self.number();
    }

    fn number(&mut self) {
        self.last_reduction += 1;
        self.reduction = self.last_reduction;
    }
}

/// Accounting for any ACK: timer, sequence numbers, round-trip time.
fn take_ack(tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
    tcp.timer_for(ack.seqno, net);
    tcp.acknowledge_up_to(ack.seqno);
    if ack.flags & flag::NO_TIMESTAMP == 0 {
        let now_s = net.now().secs();
        if tcp.config.timestamps {
            tcp.sample(now_s - ack.ts_echo, now_s);
        }
        if tcp.timing && ack.seqno >= tcp.timed_seqno {
            if !ack.echoes_mark() {
                tcp.rtt.backoff.set(1, &mut tcp.log);
            }
            tcp.timing = false;
            if !tcp.config.timestamps {
                tcp.sample(now_s - tcp.timed_at, now_s);
            }
        }
    }
    tcp.average_window();
}
