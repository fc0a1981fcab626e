//! Recovery from losses: what to send on an ACK, a duplicate ACK and a timeout. One file per variant.
//!
//! How much may be sent is the business of the window law
//! ([`window_law`](crate::transport::compat::ns2::window_law)); accounting is the [`Connection`]'s.

use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::{PacketKind, flag};
use crate::params::Value;
use crate::transport::external_control::Control;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::traced::{Log, Note};
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// A way of recovering. What is written here is what most variants share.
pub trait Recovery: Send + Sync {
    /// How many random numbers a new sender draws for its clock's phase; only the last one counts.
    const FIRST_DRAWS: u32 = 1;

    /// Whether it leaves the window to a law, and so to a control from outside: a variant that has a window rule of its
    /// own, or for which a loss always means slow start, does not.
    const LEAVES_WINDOW: bool = false;

    /// Takes a control from outside for its own, or gives it back for the connection.
    fn adopt(&mut self, control: Box<dyn Control>) -> Option<Box<dyn Control>> {
        Some(control)
    }

    /// What traces call its packets.
    const KIND: PacketKind = PacketKind::Tcp;

    /// Up to where it may send new data.
    const BOUND: Bound = Bound::Window;

    /// What its window never is below, nor its threshold.
    const MIN_WINDOW: f64 = 0.0;

    /// Whether its threshold, and a rate of its own, keep their invariants.
    #[inline(always)]
    fn invariants_hold(&self, tcp: &Connection) -> bool {
        f64::from(*tcp.ssthresh) >= Self::MIN_WINDOW
    }

    /// The message for invariants that do not hold.
    fn violation(&self, tcp: &Connection) -> String {
        format!("the sender of flow {} has a threshold of {} packets", tcp.end.fid, *tcp.ssthresh)
    }

    /// An ACK arrives.
    fn on_ack(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network);

    /// The retransmission timer is due.
    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        tcp.time_out(net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }

    /// The random delay before sending is over.
    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        let most = tcp.config.maxburst;
        self.send(tcp, true, reason::TIMEOUT, most, net);
    }

    /// A timer of the variant's own is due.
    fn own_timer(&mut self, tcp: &mut Connection, net: &mut Network) {
        let _ = (tcp, net);
    }

    /// Takes in an ACK of new data outside recovery, where the variant leaves that to be decided.
    #[inline]
    fn advance(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network) {
        tcp.advance(ack, net);
    }

    /// Sends one packet.
    #[inline]
    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        tcp.output(seqno, reason, net);
    }

    /// Sends what the window lets go, at most `most` packets (0: no limit); `forced` without further delay.
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

    /// The connection is about to be reset.
    fn reset(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// The connection has been reset.
    fn was_reset(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// A parameter may have been set; one that the connection has to know is passed on.
    fn configure(&mut self, tcp: &mut Connection) {
        let _ = tcp;
    }

    /// The value of a parameter of the variant's own.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets a parameter of the variant's own; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }

    /// The observer hears, as `place`, of each change of a variable of the variant's own; whether the name is known.
    fn watch(&mut self, name: &str, place: TraceId, log: &mut Log) -> bool {
        let _ = (name, place, log);
        false
    }

    /// The present value of a variable of the variant's own that can be watched, to be reported.
    fn note(&self, name: &str) -> Option<Note> {
        let _ = name;
        None
    }

    /// A command of the variant's own; `None` if it has none of this name.
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

/// What pacing asks the variant that it paces.
pub trait Paceable: Recovery + Default {
    /// Whether the window may be the rate measured times the round trip.
    const MEASURES_RATE: bool;

    /// The window that the rate measured gives, packets.
    fn measured_window(&self) -> f64;

    /// The round trip over which the window goes out, s.
    fn round_trip_s(&self, tcp: &Connection) -> f64;

    /// An ACK of new data ends the pacing.
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

/// If the duplicate ACK tells of an explicit loss that is to be heeded: the lost packet again, or what the window lets go.
/// Whether it did.
pub(crate) fn handle_explicit_loss<R: Recovery>(
    recovery: &mut R,
    tcp: &mut Connection,
    ack: &Ack,
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

/// What enough duplicate ACKs mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// A loss: cut the window and retransmit.
    Loss,
    /// A loss in a window that was cut already, for a congestion mark: retransmit only.
    LossAfterMark,
    /// Nothing: one window of data causes one fast retransmission.
    Nothing,
}

/// What enough duplicate ACKs mean, but for the exceptions of single variants.
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

/// Enough duplicate ACKs came: slow start begins anew, from the packet that is missing.
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

/// Whether one duplicate more inflates the window.
pub(crate) fn inflates(tcp: &Connection) -> bool {
    *tcp.dupacks > tcp.config.numdupacks && (!tcp.config.exit_fast_retrans || tcp.last_cut == LastCut::Duplicates)
}

/// A timeout ends fast recovery; sending is left to the caller.
pub(crate) fn time_out_in_recovery(tcp: &mut Connection, net: &mut Network) {
    tcp.inflation = 0;
    tcp.dupacks.set(0, &mut tcp.log);
    if tcp.config.bug_fix {
        tcp.recover = *tcp.maxseq;
    }
    tcp.time_out(net);
}

/// Sends the missing packet again, in a window that was cut already.
pub(crate) fn retransmit_after_mark<R: Recovery>(recovery: &mut R, tcp: &mut Connection, net: &mut Network) {
    tcp.last_cut = LastCut::Duplicates;
    tcp.restart_timer(false, net);
    recovery.output(tcp, tcp.last_ack + 1, reason::DUPLICATES, net);
    tcp.inflation = tcp.config.numdupacks;
}
