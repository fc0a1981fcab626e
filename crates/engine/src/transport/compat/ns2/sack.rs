//! TCP SACK: fast recovery with SACK blocks and the pipe estimate of packets in flight.
//!
//! Source: K. Fall and S. Floyd, "Simulation-based comparisons of Tahoe, Reno and SACK TCP", Computer Communication
//! Review 26(3), 1996; RFC 2018; ns-2.35's `Agent/TCP/Sack1`.
//! What it decides: in recovery, the sender sends while the estimate of packets in flight (pipe) is below the window:
//! first the lowest missing packet below a SACK block, else a new one.
//! Departures: in recovery, one SACK block above a packet makes it lost; RFC 6675 requires three. An ACK without new
//! SACK information is no duplicate.
//! Not implemented: none.
//! Checked against: ns-2.35.

use crate::net::Network;
use crate::params::{Params, own_values};
use crate::transport::compat::ns2::scoreboard::Scoreboard;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::recovery::{Duplicates, Recovery, classify_duplicates, send_one_new};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// SACK's parameter and state.
#[derive(Params)]
pub struct Sack {
    /// A partial ACK sends two packets, as slow start would.
    #[param(state)]
    partial_ack: bool,
    scoreboard: Scoreboard,
    recovering: bool,
    /// Nothing was acknowledged since the last timeout.
    timed_out: bool,
    pipe: i32,
    next_after_partial: i32,
    partial_acks_seen: bool,
}

impl Default for Sack {
    fn default() -> Sack {
        Sack {
            partial_ack: false,
            scoreboard: Scoreboard::default(),
            recovering: false,
            timed_out: false,
            pipe: -1,
            next_after_partial: 0,
            partial_acks_seen: false,
        }
    }
}

impl Recovery for Sack {
    const BOUND: Bound = Bound::Receiver;
    const LEAVES_WINDOW: bool = true;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.handle_quick_start(ack, net);
        if !tcp.accept(ack) {
            return;
        }
        let lets_go = tcp.lets_go(ack);
        let sends = if self.recovering {
            self.recover(tcp, ack, net);
            true
        } else {
            self.proceed(tcp, ack, net);
            *tcp.dupacks == 0
        };
        if lets_go && sends {
            let most = tcp.config.maxburst;
            self.send(tcp, false, reason::NONE, most, net);
        }
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        let was_recovering = self.recovering;
        tcp.dupacks.set(0, &mut tcp.log);
        self.recovering = false;
        self.timed_out = true;
        tcp.last_ack = tcp.last_ack.max(*tcp.ack);
        tcp.recover = *tcp.maxseq;
        self.scoreboard.clear();
        tcp.time_out(net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
        if was_recovering {
            tcp.frto_stop();
        }
    }

    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        let most = tcp.config.maxburst;
        self.send(tcp, true, reason::TIMEOUT, most, net);
        if self.recovering {
            tcp.frto_stop();
        }
    }

    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        let mut window = tcp.window();
        if !forced && tcp.is_delayed(net) {
            return;
        }
        let mut sent = 0;
        while self.has_room(tcp, window) && tcp.last_ack + 1 < *tcp.seqno {
            if tcp.config.overhead != 0.0 && !forced {
                tcp.delay_sending(net);
                return;
            }
            let seqno = match self.scoreboard.next_lost() {
                None => self.next_new(tcp, window),
                Some(lost) => self.next_lost(tcp, lost).inspect(|_| window = tcp.window()),
            };
            let Some(seqno) = seqno else { return };
            tcp.output(seqno, reason, net);
            if *tcp.t_seqno <= seqno {
                tcp.t_seqno.set(seqno + 1, &mut tcp.log);
            }
            sent += 1;
            self.pipe += 1;
            tcp.idle_after_send(net);
            if tcp.pace_quick_start(*tcp.cwnd, 0.0, net) {
                return;
            }
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

impl Sack {
    fn has_room(&self, tcp: &Connection, window: i32) -> bool {
        if self.recovering { self.pipe < *tcp.cwnd as i32 } else { *tcp.t_seqno <= tcp.last_ack.saturating_add(window) }
    }

    /// The next new packet, if the windows allow it.
    fn next_new(&self, tcp: &mut Connection, window: i32) -> Option<i32> {
        let window = if self.recovering { tcp.config.window as i32 } else { window };
        let next = *tcp.t_seqno;
        if next > tcp.ack.saturating_add(window) || next >= *tcp.seqno {
            return None;
        }
        tcp.t_seqno.set(next + 1, &mut tcp.log);
        Some(next)
    }

    /// The lost packet, if the receiver's window allows it and a loss was detected before.
    fn next_lost(&mut self, tcp: &Connection, lost: i32) -> Option<i32> {
        if tcp.recover <= 0 || lost > tcp.ack.saturating_add(tcp.config.window as i32) {
            return None;
        }
        self.scoreboard.retransmitted(lost);
        Some(lost)
    }

    fn update(&mut self, tcp: &Connection, ack: &ReceivedAck, net: &Network) {
        self.scoreboard.update(*tcp.ack, net.packets.sack(ack.packet));
    }

    /// Processes an ACK outside recovery.
    fn proceed(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        if ack.seqno > tcp.last_ack {
            self.partial_acks_seen = false;
            tcp.advance(ack, net);
            self.timed_out = false;
            self.scoreboard.clear();
            tcp.open_after_syn(net);
        } else if ack.seqno == tcp.last_ack && !self.timed_out {
            self.update(tcp, ack, net);
            if self.scoreboard.has_changed() {
                tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
                let duplicates_for_loss = tcp.duplicates_for_loss(net);
                if *tcp.dupacks == duplicates_for_loss {
                    self.start_recovery(tcp, net);
                } else if *tcp.dupacks < duplicates_for_loss && tcp.config.singledup != 0 {
                    send_one_new(self, tcp, net);
                }
            }
            if tcp.config.sfrto_enabled && tcp.frto_awaits_second_ack() {
                let new_packet_arrived = overlaps(net.packets.sack(ack.packet), tcp.recover, *tcp.maxseq);
                if self.scoreboard.has_changed() && !new_packet_arrived {
                    tcp.timeout_was_spurious();
                } else {
                    tcp.frto_back_to_slow_start();
                    tcp.dupacks.set(0, &mut tcp.log);
                }
            }
        }
    }

    /// Processes an ACK in recovery.
    fn recover(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        self.pipe -= 1;
        if ack.seqno >= tcp.recover {
            tcp.recover = 0;
            self.recovering = false;
            tcp.new_ack(ack, net);
            tcp.finish_if_done(net);
            self.timed_out = false;
            self.scoreboard.clear();
        } else if ack.seqno > *tcp.ack {
            tcp.ack.set(ack.seqno, &mut tcp.log);
            self.update(tcp, ack, net);
            if self.partial_ack {
                self.send_two(tcp, net);
                self.pipe += 1;
                if self.partial_acks_seen {
                    return;
                }
                self.partial_acks_seen = true;
            } else {
                // Both the lost packet and the one that caused this ACK have left the network.
                self.pipe -= 1;
            }
            tcp.timer_for(ack.seqno, net);
            tcp.rtt.backoff.set(1, &mut tcp.log);
        } else if !self.timed_out {
            self.update(tcp, ack, net);
            if self.scoreboard.has_changed() && *tcp.dupacks > 0 {
                tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
            }
        }
    }

    /// Starts recovery at the duplicate ACK threshold.
    fn start_recovery(&mut self, tcp: &mut Connection, net: &mut Network) {
        let cuts = match classify_duplicates(tcp) {
            Duplicates::Nothing => return,
            Duplicates::LossAfterMark => false,
            Duplicates::Loss => true,
        };
        let duplicates = tcp.duplicates_for_loss(net);
        self.pipe = if cuts && tcp.config.old_code {
            *tcp.cwnd as i32 - duplicates
        } else if tcp.config.singledup != 0 && tcp.config.lim_transmit_fix {
            *tcp.maxseq - *tcp.ack - 1
        } else {
            *tcp.maxseq - *tcp.ack - duplicates
        };
        tcp.restart_timer(false, net);
        self.recovering = true;
        self.scoreboard.retransmitted(*tcp.ack + 1);
        if cuts {
            tcp.recover = *tcp.maxseq;
            if tcp.lost_in_quick_start(net) {
                return;
            }
        }
        tcp.last_cut = LastCut::Duplicates;
        if cuts {
            tcp.happened("FAST_RECOVERY");
            tcp.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
        }
        tcp.output(tcp.last_ack + 1, reason::DUPLICATES, net);
    }

    /// Sends the next two missing packets for a partial ACK.
    fn send_two(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.next_after_partial = self.next_after_partial.max(*tcp.ack + 1);
        for _ in 0..2 {
            if let Some(missing) = self.scoreboard.next_missing(self.next_after_partial) {
                self.next_after_partial = self.next_after_partial.max(missing);
            }
            let next = self.next_after_partial;
            if *tcp.t_seqno < next {
                tcp.t_seqno.set(next, &mut tcp.log);
            }
            tcp.output(next, reason::PARTIAL_ACK, net);
            self.scoreboard.retransmitted(next);
            self.next_after_partial += 1;
        }
    }
}

/// Whether a block overlaps the packets between `low` and `high`.
fn overlaps(blocks: &[(i32, i32)], low: i32, high: i32) -> bool {
    blocks.iter().any(|&(first, after)| {
        (after > low && after <= high) || (first >= low && first < high) || (first < low && after > high)
    })
}
