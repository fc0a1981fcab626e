//! TCP NewReno: fast recovery lasts until all data outstanding at its start is acknowledged.
//!
//! Source: RFC 2582 and RFC 3782; J. Hoe, "Improving the start-up behavior of a congestion control scheme for TCP",
//! SIGCOMM 1996 (`newreno_changes`); ns-2.35's `Agent/TCP/Newreno`.
//! What it decides: a partial ACK immediately retransmits the next missing packet and deflates the window.
//! Departures: each duplicate ACK sends at most two packets.
//! Not implemented: none.
//! Checked against: ns-2.35.

use crate::net::Network;
use crate::params::{Params, own_values};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Connection, LastCut};
use crate::transport::one_way::recovery::{
    Duplicates, Recovery, classify_duplicates, handle_explicit_loss, inflates, retransmit_after_mark, send_one_new,
    time_out_in_recovery,
};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// Maximum number of packets sent per duplicate ACK.
const MAX_PER_DUPLICATE: i32 = 2;

/// NewReno's parameters and state.
#[derive(Params)]
pub struct NewReno {
    /// Estimate the initial threshold from the first ACKs, and send one new packet per two duplicate ACKs (Hoe).
    #[param(state)]
    newreno_changes: i32,
    /// Only the first partial ACK restarts the timer (the impatient variant).
    #[param(state)]
    newreno_changes1: i32,
    /// A partial ACK deflates the window by the data that it acknowledges.
    #[param(state)]
    partial_window_deflation: i32,
    /// After recovery, limit the window to the data in flight.
    #[param(state)]
    exit_recovery_fix: i32,
    partial_acks_seen: bool,
    acks: i32,
    first_rtt: f64,
    second_ack_at: f64,
}

impl Default for NewReno {
    fn default() -> NewReno {
        NewReno {
            newreno_changes: 0,
            newreno_changes1: 1,
            partial_window_deflation: 1,
            exit_recovery_fix: 0,
            partial_acks_seen: false,
            acks: 0,
            first_rtt: 0.0,
            second_ack_at: 0.0,
        }
    }
}

impl Recovery for NewReno {
    const LEAVES_WINDOW: bool = true;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.handle_quick_start(ack, net);
        self.guess_threshold(tcp, net);
        if !tcp.accept(ack) {
            return;
        }
        tcp.remember_timestamp(ack);
        tcp.frto_duplicate(ack.seqno);
        if ack.seqno > tcp.last_ack {
            if ack.seqno >= tcp.recover || tcp.last_cut != LastCut::Duplicates {
                self.leave_recovery(tcp, ack);
                tcp.advance(ack, net);
                tcp.open_after_syn(net);
            } else {
                self.go_on_recovering(tcp, ack, net);
            }
        } else if ack.seqno == tcp.last_ack {
            if handle_explicit_loss(self, tcp, ack, net) {
                return;
            }
            self.duplicate(tcp, net);
        }
        if tcp.lets_go(ack) {
            if *tcp.dupacks == 0 {
                let most = tcp.config.maxburst;
                self.send(tcp, false, reason::NONE, most, net);
            } else if *tcp.dupacks > tcp.config.numdupacks - 1 && self.newreno_changes == 0 {
                self.send(tcp, false, reason::NONE, MAX_PER_DUPLICATE, net);
            }
        }
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        time_out_in_recovery(tcp, net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }

    own_values!();
}

impl NewReno {
    /// Estimates the threshold: the round-trip time of the first ACK times the bottleneck rate from the next two.
    fn guess_threshold(&mut self, tcp: &mut Connection, net: &Network) {
        let now_s = net.now().secs();
        self.acks = self.acks.saturating_add(1);
        match self.acks {
            1 => self.first_rtt = now_s - tcp.first_sent_at,
            2 => self.second_ack_at = now_s,
            3 if self.newreno_changes > 0 => {
                let size = f64::from(tcp.end.packet_size);
                let packets = ((self.first_rtt * (size / (now_s - self.second_ack_at))) / size) as i32;
                if packets < *tcp.ssthresh {
                    tcp.ssthresh.set(packets, &mut tcp.log);
                }
            }
            _ => {}
        }
    }

    fn leave_recovery(&mut self, tcp: &mut Connection, ack: &ReceivedAck) {
        if tcp.inflation > 0 {
            tcp.inflation = 0;
            if tcp.last_cut == LastCut::Duplicates {
                tcp.last_cut = LastCut::Recovered;
            }
            if self.exit_recovery_fix != 0 {
                let in_flight = *tcp.maxseq - ack.seqno + 1;
                // As in ns-2, an ACK of data sent before a reset makes the window negative.
                tcp.is_excused |= in_flight < 0;
                tcp.cwnd.set(f64::from(in_flight.min(*tcp.ssthresh)), &mut tcp.log);
            }
        }
        self.partial_acks_seen = false;
    }

    fn go_on_recovering(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        if self.partial_window_deflation == 0 {
            tcp.inflation = 0;
        }
        if self.newreno_changes1 == 0 || !self.partial_acks_seen {
            self.partial_acks_seen = true;
            tcp.timer_for(ack.seqno, net);
        }
        if self.partial_window_deflation != 0 {
            let acked = ack.seqno - tcp.last_ack;
            if tcp.inflation > acked {
                tcp.inflation -= acked - 1;
            } else {
                tcp.cwnd.set(*tcp.cwnd - f64::from(acked - tcp.inflation), &mut tcp.log);
                // Nonzero inflation indicates recovery.
                tcp.inflation = 1;
            }
            tcp.at_least_one();
        }
        tcp.acknowledge_up_to(ack.seqno);
        if tcp.timing && ack.seqno >= tcp.timed_seqno {
            tcp.timing = false;
            tcp.rtt.backoff.set(1, &mut tcp.log);
        }
        tcp.output(tcp.last_ack + 1, reason::NONE, net);
    }

    fn duplicate(&mut self, tcp: &mut Connection, net: &mut Network) {
        tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        if *tcp.dupacks == tcp.config.numdupacks {
            retransmit(self, tcp, net);
            if !tcp.config.exit_fast_retrans {
                tcp.inflation = tcp.config.numdupacks;
            }
        } else if inflates(tcp) {
            tcp.happened("NEWRENO_FAST_RECOVERY");
            tcp.inflation += 1;
            if self.newreno_changes > 0 && *tcp.dupacks % 2 == 1 {
                let next = *tcp.t_seqno;
                tcp.t_seqno.set(next + 1, &mut tcp.log);
                // Hoe's sender counts what the duplicate ACKs took out of the network, not the window.
                tcp.output_past_window(next, reason::NONE, net);
            }
        } else if *tcp.dupacks < tcp.config.numdupacks && tcp.config.singledup != 0 {
            send_one_new(self, tcp, net);
        }
    }
}

/// Fast retransmit at the duplicate ACK threshold.
fn retransmit(recovery: &mut NewReno, tcp: &mut Connection, net: &mut Network) {
    let all_acknowledged = tcp.config.bug_fix && tcp.config.less_careful && *tcp.ack == tcp.recover;
    match classify_duplicates(tcp) {
        Duplicates::LossAfterMark if !all_acknowledged => return retransmit_after_mark(recovery, tcp, net),
        Duplicates::Nothing if !all_acknowledged && !is_loss_after_all(tcp) => return,
        _ => {}
    }
    tcp.recover = *tcp.maxseq;
    tcp.restart_timer(false, net);
    if tcp.lost_in_quick_start(net) {
        return;
    }
    tcp.happened("NEWRENO_FAST_RETX");
    tcp.last_cut = LastCut::Duplicates;
    tcp.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
    tcp.output(tcp.last_ack + 1, reason::DUPLICATES, net);
    tcp.inflation = tcp.config.numdupacks;
}

/// The exceptions to one fast retransmit per window of data.
fn is_loss_after_all(tcp: &Connection) -> bool {
    let few_acknowledged = *tcp.ack - tcp.previous_ack <= tcp.config.numdupacks;
    tcp.answers_retransmission() || (tcp.config.bug_fix_ack && *tcp.cwnd > 1.0 && few_acknowledged)
}
