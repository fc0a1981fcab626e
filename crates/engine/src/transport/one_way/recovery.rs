//! The loss recovery interface of one-way TCP senders: what to send on an ACK, a duplicate ACK and a timeout.
//!
//! The default methods follow ns-2.35's base TCP agent. Each variant has its own file. The window rule
//! ([`window_law`](crate::transport::compat::ns2::window_law)) decides how much to send, and the [`Connection`] does
//! the accounting.

use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::{PacketKind, flag};
use crate::params::{Parameter, Value};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::traced::{Log, Note};
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// Loss recovery. The default methods are what most variants share.
pub trait Recovery: Send + Sync {
    /// How many random numbers a new sender draws for its clock phase; only the last one has an effect.
    const FIRST_DRAWS: u32 = 1;

    /// Whether a window rule, or an external control, sets the window. False for a variant with its own rule, or one
    /// where a loss always means slow start.
    const LEAVES_WINDOW: bool = false;

    /// The packet kind in traces.
    const KIND: PacketKind = PacketKind::Tcp;

    /// The limit for sending new data.
    const BOUND: Bound = Bound::Window;

    /// Minimum of the window and of the threshold, packets.
    const MIN_WINDOW: f64 = 0.0;

    /// Whether the threshold and the variant's own rate satisfy their invariants.
    #[inline(always)]
    fn invariants_hold(&self, tcp: &Connection) -> bool {
        f64::from(*tcp.ssthresh) >= Self::MIN_WINDOW
    }

    /// The message for violated invariants.
    fn violation(&self, tcp: &Connection) -> String {
        format!("the sender of flow {} has a threshold of {} packets", tcp.end.fid, *tcp.ssthresh)
    }

    /// Processes an ACK.
    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network);

    /// Called when the retransmission timer expires.
    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        tcp.time_out(net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }

    /// Called when the random send delay ends.
    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        let most = tcp.config.maxburst;
        self.send(tcp, true, reason::TIMEOUT, most, net);
    }

    /// Called when the variant's own timer expires.
    fn own_timer(&mut self, tcp: &mut Connection, net: &mut Network) {
        let _ = (tcp, net);
    }

    /// Processes an ACK of new data outside recovery; variants may override it.
    #[inline]
    fn advance(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.advance(ack, net);
    }

    /// Sends one packet.
    #[inline]
    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        tcp.output(seqno, reason, net);
    }

    /// Sends what the window allows, at most `most` packets (0: no limit). `forced`: without further delay.
    #[inline]
    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        let mut window = tcp.window();
        if !forced && tcp.is_delayed(net) {
            return;
        }
        if *tcp.t_seqno == 0 {
            tcp.first_sent_at = net.now().secs();
        }
        let mut sent = 0;
        while *tcp.t_seqno <= tcp.ack.saturating_add(window) && *tcp.t_seqno < *tcp.seqno {
            if tcp.config.overhead != 0.0 && !forced && !tcp.is_in_quick_start() {
                tcp.delay_sending(net);
                return;
            }
            self.output(tcp, *tcp.t_seqno, reason, net);
            sent += 1;
            tcp.idle_after_send(net);
            tcp.t_seqno.set(*tcp.t_seqno + 1, &mut tcp.log);
            if tcp.pace_quick_start(f64::from(window), tcp.config.overhead, net) {
                return;
            }
            window = tcp.window();
            if sent == most {
                break;
            }
        }
    }

    /// Called before the connection is reset.
    fn reset(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// Called after the connection is reset.
    fn was_reset(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// Called after a parameter may have changed; passes on what the connection needs.
    fn configure(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// Appends the variant's own parameters that scenarios offer, with their present values.
    fn describe(&self, out: &mut Vec<Parameter>) {
        let _ = out;
    }

    /// Whether the variant uses this parameter of the connection.
    fn uses(&self, name: &str) -> bool {
        let _ = name;
        true
    }

    /// The value of one of the variant's own parameters.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets one of the variant's own parameters. Returns false for an unknown name.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }

    /// Reports each change of one of the variant's own variables as `place`. Returns false for an unknown name.
    fn watch(&mut self, name: &str, place: TraceId, log: &mut Log) -> bool {
        let _ = (name, place, log);
        false
    }

    /// The report of the current value of one of the variant's own variables.
    fn note(&self, name: &str) -> Option<Note> {
        let _ = name;
        None
    }

    /// Runs one of the variant's own commands; `None` for an unknown name.
    fn command(
        &mut self,
        tcp: &mut Connection,
        name: &str,
        arguments: &[&str],
        net: &mut Network,
    ) -> Option<Result<String, String>> {
        let _ = (tcp, name, arguments, net);
        None
    }
}

/// What pacing needs from the variant that it paces.
pub trait Paceable: Recovery + Default {
    /// Whether the window may be set to the measured rate times the round-trip time.
    const MEASURES_RATE: bool;

    /// The window for the measured rate, packets.
    fn measured_window(&self) -> f64;

    /// The round-trip time over which to spread the window, s.
    fn round_trip_s(&self, tcp: &Connection) -> f64;

    /// Called when an ACK of new data ends the pacing.
    fn paced_is_acknowledged(&mut self, tcp: &mut Connection);
}

/// Limited transmit (RFC 3042): an early duplicate ACK sends one new packet.
pub(crate) fn send_one_new<R: Recovery>(recovery: &mut R, tcp: &mut Connection, net: &mut Network) {
    let next = f64::from(*tcp.t_seqno);
    let ack = f64::from(*tcp.ack);
    let limit = ack + *tcp.cwnd + f64::from(*tcp.dupacks);
    if next <= ack + tcp.config.window && *tcp.t_seqno < *tcp.seqno && next <= limit {
        recovery.output(tcp, *tcp.t_seqno, reason::NONE, net);
        tcp.idle_after_send(net);
        tcp.t_seqno.set(*tcp.t_seqno + 1, &mut tcp.log);
    }
}

/// Handles a duplicate ACK with an explicit loss notification: retransmits, or sends what the window allows. Returns
/// false without a notification, or with `eln` off.
pub(crate) fn handle_explicit_loss<R: Recovery>(
    recovery: &mut R,
    tcp: &mut Connection,
    ack: &ReceivedAck,
    net: &mut Network,
) -> bool {
    if ack.flags & flag::ELN == 0 || tcp.config.eln == 0 {
        return false;
    }
    tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
    if *tcp.dupacks == tcp.config.eln_rxmit_thresh && ack.seqno > tcp.eln_last {
        recovery.output(tcp, tcp.last_ack + 1, reason::DUPLICATES, net);
        tcp.eln_last = tcp.last_ack + 1;
    } else {
        let most = tcp.config.maxburst;
        recovery.send(tcp, false, reason::NONE, most, net);
    }
    true
}

/// The meaning of a duplicate ACK at the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// A loss: cut the window and retransmit.
    Loss,
    /// A loss in a window already cut for an ECN echo: retransmit only.
    LossAfterMark,
    /// Ignore: at most one fast retransmit per window of data.
    Nothing,
}

/// Classifies the duplicate ACK at the threshold, without variant-specific exceptions.
pub(crate) fn classify_duplicates(tcp: &Connection) -> Duplicates {
    let config = &tcp.config;
    let recovered = *tcp.ack > tcp.recover;
    if recovered || (!config.bug_fix && !config.ecn) || (config.bugfix_ss && *tcp.ack == 0) {
        Duplicates::Loss
    } else if config.ecn && tcp.last_cut == LastCut::Mark {
        Duplicates::LossAfterMark
    } else if config.bug_fix {
        Duplicates::Nothing
    } else {
        Duplicates::Loss
    }
}

/// Restarts slow start from the missing packet at the duplicate ACK threshold.
pub(crate) fn restart_slow_start(tcp: &mut Connection, net: &mut Network) {
    let threshold = match classify_duplicates(tcp) {
        Duplicates::Nothing => return,
        Duplicates::LossAfterMark => NewThreshold::Keep,
        Duplicates::Loss => {
            tcp.recover = *tcp.maxseq;
            NewThreshold::Reduced
        }
    };
    if threshold == NewThreshold::Keep || !tcp.lost_in_quick_start(net) {
        if threshold != NewThreshold::Keep {
            tcp.happened("FAST_RETX");
        }
        tcp.last_cut = LastCut::Duplicates;
        tcp.cut(threshold, NewWindow::One, Cause::Congestion);
    }
    tcp.restart_timer(false, net);
    tcp.go_back();
}

/// Whether another duplicate ACK inflates the window.
pub(crate) fn inflates(tcp: &Connection) -> bool {
    *tcp.dupacks > tcp.config.numdupacks && (!tcp.config.exit_fast_retrans || tcp.last_cut == LastCut::Duplicates)
}

/// Handles a timeout in fast recovery; the caller sends.
pub(crate) fn time_out_in_recovery(tcp: &mut Connection, net: &mut Network) {
    tcp.inflation = 0;
    tcp.dupacks.set(0, &mut tcp.log);
    if tcp.config.bug_fix {
        tcp.recover = *tcp.maxseq;
    }
    tcp.time_out(net);
}

/// Retransmits the missing packet without a further window cut.
pub(crate) fn retransmit_after_mark<R: Recovery>(recovery: &mut R, tcp: &mut Connection, net: &mut Network) {
    tcp.last_cut = LastCut::Duplicates;
    tcp.restart_timer(false, net);
    recovery.output(tcp, tcp.last_ack + 1, reason::DUPLICATES, net);
    tcp.inflation = tcp.config.numdupacks;
}
