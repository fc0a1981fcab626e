//! FACK: forward acknowledgement, which estimates the data in flight from the highest SACKed packet.
//!
//! Source: M. Mathis and J. Mahdavi, "Forward acknowledgement: refining TCP congestion control", SIGCOMM 1996;
//! ns-2.35's `Agent/TCP/Fack`.
//! What it decides: data in flight counts from the highest packet known to have arrived, plus retransmitted packets. A
//! gap of more than three packets below it starts recovery. With `rampdown` the cut is spread over a round trip.
//! Departures: recovery starts with a window of one packet, which then grows with each ACK.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use crate::net::Network;
use crate::params::{Params, own_values};
use crate::transport::compat::ns2::segment_scoreboard::SegmentScoreboard;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::recovery::Recovery;
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// FACK's parameters and state.
#[derive(Params)]
pub struct Fack {
    /// In slow start, cut the window to a quarter.
    #[param(state)]
    ss_div4: bool,
    /// Reduce the window gradually.
    #[param(state)]
    rampdown: bool,
    scoreboard: SegmentScoreboard,
    recovering: bool,
    /// A retransmission was lost: nothing is sent until the timeout.
    stuck: bool,
    forward: i32,
    retransmitted: i32,
    trim_step: f64,
}

impl Default for Fack {
    fn default() -> Fack {
        Fack {
            ss_div4: false,
            rampdown: false,
            scoreboard: SegmentScoreboard::default(),
            recovering: false,
            stuck: false,
            forward: -1,
            retransmitted: 0,
            trim_step: 0.5,
        }
    }
}

impl Recovery for Fack {
    const BOUND: Bound = Bound::InFlight;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.remember_timestamp(ack);
        if ack.echoes_mark() && tcp.config.ecn {
            tcp.handle_ecn_echo(ack.seqno);
        }
        let sends = if self.recovering {
            self.recover(tcp, ack, net);
            true
        } else {
            self.proceed(tcp, ack, net);
            *tcp.dupacks == 0
        };
        if sends {
            let most = tcp.config.maxburst;
            self.send(tcp, false, reason::NONE, most, net);
        }
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        let nothing_in_flight = *tcp.ack == *tcp.maxseq;
        if nothing_in_flight && !tcp.config.slow_start_restart {
            return;
        }
        self.stuck = false;
        tcp.last_ack = tcp.last_ack.max(*tcp.ack);
        self.retransmitted = 0;
        tcp.last_cut = LastCut::Timeout;
        if nothing_in_flight && tcp.config.restart_bugfix {
            tcp.cut(NewThreshold::Keep, NewWindow::Initial, Cause::Congestion);
        } else {
            tcp.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
        }
        self.scoreboard.clear();
        tcp.restart_timer(!nothing_in_flight, net);
        self.forward = tcp.last_ack;
        tcp.t_seqno.set(tcp.last_ack + 1, &mut tcp.log);
        self.send(tcp, false, reason::TIMEOUT, 0, net);
    }

    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        let mut window = tcp.window();
        if !forced && tcp.is_delayed(net) {
            return;
        }
        let mut sent = 0;
        while *tcp.t_seqno <= self.forward.saturating_add(window) - self.retransmitted && !self.stuck {
            if tcp.config.overhead != 0.0 && !forced {
                tcp.delay_sending(net);
                return;
            }
            let seqno = match self.scoreboard.next_lost() {
                Some(lost) => {
                    self.scoreboard.retransmitted(lost, *tcp.t_seqno);
                    self.retransmitted += 1;
                    window = tcp.window();
                    lost
                }
                None => {
                    let next = *tcp.t_seqno;
                    let limit = tcp.ack.saturating_add(tcp.config.window as i32);
                    if next >= *tcp.seqno || (self.recovering && next > limit) {
                        return;
                    }
                    tcp.t_seqno.set(next + 1, &mut tcp.log);
                    next
                }
            };
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

    fn reset(&mut self, _: &mut Connection) {
        self.scoreboard.clear();
    }

    own_values!();
}

impl Fack {
    fn blocks<'a>(ack: &ReceivedAck, net: &'a Network) -> &'a [(i32, i32)] {
        net.packets.sack(ack.packet)
    }

    /// Processes an ACK outside recovery.
    fn proceed(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        if ack.seqno > tcp.last_ack && Fack::blocks(ack, net).is_empty() {
            tcp.new_ack(ack, net);
            tcp.open_window(net);
            tcp.finish_if_done(net);
            self.forward = tcp.last_ack;
            self.leave(tcp);
        } else if ack.seqno >= tcp.last_ack {
            self.retransmitted -= self.scoreboard.update(*tcp.ack, Fack::blocks(ack, net));
            self.take_in(tcp, ack, net);
            self.forward = self.forward.max(most_forward(Fack::blocks(ack, net)));
            self.skip_arrived(tcp);
            tcp.dupacks.set(self.forward - tcp.last_ack - 1, &mut tcp.log);
            if *tcp.dupacks >= tcp.config.numdupacks {
                self.start_recovery(tcp, net);
            }
        }
    }

    /// Processes an ACK in recovery.
    fn recover(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        self.take_in(tcp, ack, net);
        let forward = most_forward(Fack::blocks(ack, net));
        if forward > self.forward {
            if self.rampdown {
                tcp.trim = (tcp.trim - f64::from(forward as f32 - self.forward as f32) * self.trim_step).max(0.0);
            }
            self.forward = forward;
        }
        self.skip_arrived(tcp);
        self.retransmitted -= self.scoreboard.update(*tcp.ack, Fack::blocks(ack, net));
        self.stuck |= self.scoreboard.lost_again(Fack::blocks(ack, net));
        tcp.open_window(net);
        if Fack::blocks(ack, net).is_empty() && tcp.last_ack >= tcp.recover {
            self.recovering = false;
            self.leave(tcp);
            tcp.dupacks.set(0, &mut tcp.log);
        }
    }

    /// Clears the recovery state.
    fn leave(&mut self, tcp: &mut Connection) {
        self.stuck = false;
        self.scoreboard.clear();
        self.retransmitted = 0;
        tcp.trim = 0.0;
    }

    fn start_recovery(&mut self, tcp: &mut Connection, net: &mut Network) {
        tcp.recover = *tcp.t_seqno;
        tcp.last_cut = LastCut::Duplicates;
        self.trim_step = 0.5;
        if self.ss_div4 && *tcp.cwnd <= f64::from(*tcp.ssthresh) + 0.5 {
            tcp.cwnd.set(*tcp.cwnd / 2.0, &mut tcp.log);
            self.trim_step = 0.75;
        }
        tcp.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
        if self.rampdown {
            tcp.trim = f64::from(*tcp.t_seqno - self.forward - 1) * self.trim_step;
        }
        tcp.restart_timer(false, net);
        self.recovering = true;
        self.scoreboard.retransmitted(tcp.last_ack + 1, *tcp.t_seqno);
        self.retransmitted += 1;
        tcp.output(tcp.last_ack + 1, reason::DUPLICATES, net);
    }

    /// Skips packets that have already arrived.
    fn skip_arrived(&self, tcp: &mut Connection) {
        if self.forward >= *tcp.t_seqno {
            tcp.t_seqno.set(self.forward + 1, &mut tcp.log);
        }
    }

    /// Accounting for an ACK with SACK blocks or a duplicate ACK. Each echoed timestamp is an RTT sample.
    fn take_in(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.last_ack = ack.seqno;
        tcp.ack.set(ack.seqno, &mut tcp.log);
        self.forward = self.forward.max(ack.seqno);
        if *tcp.maxseq < ack.seqno {
            tcp.maxseq.set(ack.seqno, &mut tcp.log);
        }
        if *tcp.t_seqno < ack.seqno + 1 {
            tcp.t_seqno.set(ack.seqno + 1, &mut tcp.log);
        }
        tcp.timer_for(ack.seqno, net);
        if tcp.timing && ack.seqno >= tcp.timed_seqno {
            tcp.timing = false;
            tcp.rtt.backoff.set(1, &mut tcp.log);
        }
        let now_s = net.now().secs();
        tcp.sample(now_s - ack.ts_echo, now_s);
        if tcp.config.ts_reset_rto {
            tcp.rtt.backoff.set(1, &mut tcp.log);
        }
        tcp.average_window();
        tcp.finish_if_done(net);
    }
}

/// The highest SACKed packet.
fn most_forward(blocks: &[(i32, i32)]) -> i32 {
    blocks.iter().map(|block| block.1).max().unwrap_or(-1).max(-1) - 1
}
