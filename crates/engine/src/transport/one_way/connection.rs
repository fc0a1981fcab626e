//! The state of ns-2's one-way TCP sender, its reset and its parameters.
//!
//! What the variants share is in sibling modules: [`super::segment`] sends, [`super::ack`] processes ACKs,
//! [`super::window`] grows and cuts the window, [`super::timeout`] has the retransmission timer.

use super::cold_state::ColdState;
use super::config::Config;
use super::rtt::TickRttEstimator;
use super::traced::{Log, Note, Traced, Variable};
use super::window_law::{Laws, WindowLaw, WindowLawParameters};
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::PacketKind;
use crate::params::cow_arc::CowArc;
use crate::params::{Parameter, Params, Value};
use crate::random::rng::Source;
use crate::transport::agent::Endpoint;

/// Timer id of the retransmission timer.
pub const RETRANSMIT: u8 = 0;
/// Timer id of the timer that delays sending.
pub const DELAYED_SEND: u8 = 1;
/// Timer id of the pacing timer.
pub const PACE: u8 = 2;

/// The sequence number of an endless transfer.
pub const WITHOUT_END: i32 = 1 << 30;

/// The cause of the last window cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastCut {
    /// Nothing so far.
    #[default]
    None,
    /// Duplicate ACKs; fast recovery continues.
    Duplicates,
    /// A timeout.
    Timeout,
    /// An ECN echo.
    Mark,
    /// Duplicate ACKs; fast recovery is over.
    Recovered,
}

/// The limit for sending new data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The window past the last ACK, plus one packet per duplicate ACK (RFC 3042).
    #[default]
    Window,
    /// The receiver's window past the last ACK. The variant counts packets in flight itself, so holes leave space for
    /// new data.
    Receiver,
    /// Only the number of packets in flight, even past the receiver's window. FACK and `linux` do not count SACKed
    /// packets, as in ns-2. `ns3` sends one packet per duplicate ACK, as ns-3.25 does.
    InFlight,
}

/// The F-RTO state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frto {
    /// Inactive.
    #[default]
    Off,
    /// The timeout's retransmission was sent; no ACK yet.
    TimedOut,
    /// One ACK of new data has arrived; two new packets may be sent.
    TwoNewSent,
}

/// A one-way TCP sender's state. Sequence numbers count packets.
#[derive(Params)]
pub struct Connection {
    /// Address, peer, packet size.
    pub end: Endpoint,
    /// The limit for sending new data ([`crate::invariants`]).
    pub(super) bound: Bound,
    /// Window and threshold are not checked ([`crate::invariants`]): the script gave one of them, or a number that they
    /// are computed from, a value that makes no window. ns-2 computes with any.
    pub is_excused: bool,
    /// Parameters of the sender.
    pub config: CowArc<Config>,
    /// Parameters of the window rule.
    pub law_parameters: CowArc<WindowLawParameters>,
    /// The window rules by number.
    pub(super) laws: Laws,
    pub(super) law: Option<Box<dyn WindowLaw>>,
    pub(super) rare: Option<Box<ColdState>>,
    /// Round-trip time and timeout.
    #[param(state, name = "rtt", field = rtt)]
    #[param(state, name = "srtt", field = srtt)]
    #[param(state, name = "rttvar", field = rttvar)]
    #[param(state, name = "backoff", field = backoff)]
    pub rtt: TickRttEstimator,
    /// Changes and events not yet reported.
    pub log: Log,

    /// The next packet to send.
    #[param(state)]
    pub t_seqno: Traced<i32, { Variable::TSeqno as u8 }>,
    /// Consecutive duplicate ACKs.
    #[param(state)]
    pub dupacks: Traced<i32, { Variable::Dupacks as u8 }>,
    /// Number of packets that the application has produced.
    #[param(state)]
    pub seqno: Traced<i32, { Variable::Seqno as u8 }>,
    /// The highest packet acknowledged, initially -1; also advances in fast recovery.
    #[param(state)]
    pub ack: Traced<i32, { Variable::Ack as u8 }>,
    /// The congestion window.
    #[param(state)]
    pub cwnd: Traced<f64, { Variable::Cwnd as u8 }>,
    /// The slow-start threshold.
    #[param(state)]
    pub ssthresh: Traced<i32, { Variable::Ssthresh as u8 }>,
    /// The highest packet sent, initially -1.
    #[param(state)]
    pub maxseq: Traced<i32, { Variable::Maxseq as u8 }>,
    /// The highest packet acknowledged; some variants freeze it in fast recovery.
    pub last_ack: i32,
    /// The value of `ack` before the current ACK.
    pub previous_ack: i32,
    /// The highest packet sent at the last window cut.
    pub recover: i32,
    /// The cause of the last window cut.
    pub last_cut: LastCut,
    /// Window inflation by duplicate ACKs, packets.
    pub inflation: i32,
    /// Packets still to remove in a gradual window reduction (FACK).
    pub trim: f64,
    /// Moving average of the window.
    #[param(state)]
    pub awnd: f64,
    pub(super) first_cut: bool,
    pub(super) finished: bool,
    pub(super) syns_sent: i32,
    pub(super) frto: Frto,
    pub(super) window_before_timeout: i32,

    /// An RTT measurement is in progress.
    pub timing: bool,
    /// The timed packet.
    pub timed_seqno: i32,
    /// Its transmission time, s.
    pub timed_at: f64,
    /// Transmission time of the first packet, s.
    pub first_sent_at: f64,
    /// Phase of the clock, s: the start time within a tick.
    pub(crate) boot_time: f64,
    boot_draw: f64,
    pub(crate) reset_at: f64,
    pub(super) peer_timestamp: f64,
    /// The timestamp that the last ACK of new data echoed, s.
    pub(super) echoed_timestamp: f64,

    pub(crate) tell_reduced: bool,
    pub(crate) peer_marks: bool,
    pub(super) echo_run: bool,
    pub(crate) mark_backoff: bool,
    /// The last packet retransmitted because of an explicit loss notification.
    pub eln_last: i32,

    /// Packets sent.
    #[param(state)]
    pub ndatapack: Traced<i32, { Variable::Ndatapack as u8 }>,
    /// Bytes sent, without headers.
    #[param(state)]
    pub ndatabytes: Traced<i32, { Variable::Ndatabytes as u8 }>,
    /// ACKs received.
    #[param(state)]
    pub nackpack: Traced<i32, { Variable::Nackpack as u8 }>,
    /// Timeouts with packets in flight.
    #[param(state)]
    pub nrexmit: Traced<i32, { Variable::Nrexmit as u8 }>,
    /// Packets retransmitted.
    #[param(state)]
    pub nrexmitpack: Traced<i32, { Variable::Nrexmitpack as u8 }>,
    /// Bytes retransmitted.
    #[param(state)]
    pub nrexmitbytes: Traced<i32, { Variable::Nrexmitbytes as u8 }>,
    /// Window cuts because of ECN echoes.
    #[param(state)]
    pub necnresponses: Traced<i32, { Variable::Necnresponses as u8 }>,
    /// All window cuts.
    #[param(state)]
    pub ncwndcuts: Traced<i32, { Variable::Ncwndcuts as u8 }>,
    /// Window cuts because of congestion.
    #[param(state)]
    pub ncwndcuts1: Traced<i32, { Variable::Ncwndcuts1 as u8 }>,

    pub(crate) retransmit_timer: TimerId,
    /// Delays sending; created on first use.
    send_timer: Option<TimerId>,
}

impl Connection {
    /// Creates a connection with default parameters. `laws` creates window rules by their numbers.
    pub fn new(id: AgentId, laws: Laws, net: &mut Network) -> Connection {
        Connection {
            end: Endpoint::new(id, PacketKind::Tcp, 1000),
            bound: Bound::default(),
            is_excused: false,
            config: CowArc::default(),
            law_parameters: CowArc::default(),
            laws,
            law: laws(1),
            rare: None,
            rtt: TickRttEstimator::default(),
            log: Log::default(),
            t_seqno: Traced::default(),
            dupacks: Traced::default(),
            seqno: Traced::default(),
            ack: Traced::default(),
            cwnd: Traced::default(),
            ssthresh: Traced::default(),
            maxseq: Traced::default(),
            last_ack: -1,
            previous_ack: -1,
            recover: 0,
            last_cut: LastCut::None,
            inflation: 0,
            trim: 0.0,
            awnd: 0.0,
            first_cut: true,
            finished: false,
            syns_sent: 0,
            frto: Frto::default(),
            window_before_timeout: 0,
            timing: false,
            timed_seqno: -1,
            timed_at: 0.0,
            first_sent_at: 0.0,
            boot_time: 0.0,
            boot_draw: 0.0,
            reset_at: 0.0,
            peer_timestamp: 0.0,
            echoed_timestamp: 0.0,
            tell_reduced: false,
            peer_marks: false,
            echo_run: false,
            mark_backoff: false,
            eln_last: 0,
            ndatapack: Traced::default(),
            ndatabytes: Traced::default(),
            nackpack: Traced::default(),
            nrexmit: Traced::default(),
            nrexmitpack: Traced::default(),
            nrexmitbytes: Traced::default(),
            necnresponses: Traced::default(),
            ncwndcuts: Traced::default(),
            ncwndcuts1: Traced::default(),
            retransmit_timer: net.add_timer(TimerOwner::Agent(id.0, RETRANSMIT)),
            send_timer: None,
        }
    }

    /// Draws the clock phase. The next [`Connection::reset`] applies it.
    pub fn draw_boot_time(&mut self, net: &mut Network) {
        self.boot_draw = net.rng.of(Source::Clock(self.end.id.0)).first_unit();
    }

    /// Resets the state; the parameters keep their values.
    pub fn reset(&mut self, net: &mut Network) {
        let log = &mut self.log;
        self.rtt.reset(&self.config, log);
        self.timed_seqno = -1;
        self.dupacks.set(0, log);
        self.seqno.set(0, log);
        if self.config.syn && self.config.delay_growth {
            self.cwnd.set(1.0, log);
            self.syns_sent = 0;
        } else {
            let initial = self.initial_window(net);
            self.cwnd.set(initial, &mut self.log);
        }
        let log = &mut self.log;
        self.t_seqno.set(0, log);
        self.maxseq.set(-1, log);
        self.last_ack = -1;
        self.ack.set(-1, log);
        self.ssthresh.set(self.config.window as i32, log);
        let limit = self.law_parameters.max_ssthresh;
        if limit > 0 && limit < *self.ssthresh {
            self.ssthresh.set(limit, log);
        }
        self.awnd = self.config.window_init / 2.0;
        self.recover = 0;
        self.finished = false;
        self.last_cut = LastCut::None;
        self.boot_time = self.config.tcp_tick * self.boot_draw;
        self.first_cut = true;
        self.reset_at = net.now().secs();
        let log = &mut self.log;
        self.ndatapack.set(0, log);
        self.ndatabytes.set(0, log);
        self.nackpack.set(0, log);
        self.nrexmitbytes.set(0, log);
        self.nrexmit.set(0, log);
        self.nrexmitpack.set(0, log);
        self.necnresponses.set(0, log);
        self.ncwndcuts.set(0, log);
        self.ncwndcuts1.set(0, log);
        net.stop_timer(self.retransmit_timer);
        self.stop_delay(net);
        if self.config.control_increase != 0 {
            self.previous_ack = *self.ack;
        }
        if let Some(law) = &mut self.law {
            law.reset(&self.law_parameters);
        }
        self.outside_starts(net.now().secs());
        self.reset_idle(net.now());
    }

    /// Sends nothing for `delay_s` seconds.
    pub fn delay_sending_by(&mut self, delay_s: f64, net: &mut Network) {
        let owner = TimerOwner::Agent(self.end.id.0, DELAYED_SEND);
        let timer = *self.send_timer.get_or_insert_with(|| net.add_timer(owner));
        net.set_timer(timer, delay_s);
    }

    /// Whether the send delay is running.
    #[inline]
    pub fn is_delayed(&self, net: &Network) -> bool {
        self.send_timer.is_some_and(|timer| net.timer_runs(timer))
    }

    /// Cancels the send delay.
    pub fn stop_delay(&self, net: &mut Network) {
        if let Some(timer) = self.send_timer {
            net.stop_timer(timer);
        }
    }

    /// Whether a new segment may be sent now.
    #[inline]
    pub fn is_within_window(&self, seqno: i32) -> bool {
        let ahead = seqno.wrapping_sub(*self.ack);
        match self.bound {
            // Without F-RTO, `real_window` gives the same result as `window` and is cheaper.
            Bound::Window if self.frto == Frto::TwoNewSent => ahead <= self.window().saturating_add(*self.dupacks),
            Bound::Window => f64::from(ahead.wrapping_sub(*self.dupacks)) <= self.real_window(),
            Bound::Receiver => f64::from(ahead) <= self.config.window,
            Bound::InFlight => true,
        }
    }

    /// Stops the simulation because a segment was sent beyond the window.
    #[cold]
    pub(super) fn report_send_beyond_window(&self, seqno: i32, net: &mut Network) {
        net.fail(SimulationError::Invariant(format!(
            "the sender of flow {} sent packet {seqno} at {} s, with {} acknowledged, a window of {} and {} duplicate ACKs",
            self.end.fid,
            net.now().secs(),
            *self.ack,
            self.window(),
            *self.dupacks
        )));
    }

    /// Whether the window is finite and at least `least`. In ns-2, Vegas and Linux's YeAH may reduce it to 0.
    #[inline(always)]
    pub fn has_valid_window(&self, least: f64) -> bool {
        (least..=f64::MAX).contains(&*self.cwnd)
    }

    /// The violated window invariant as a message, if any.
    pub fn violation(&self, least: f64) -> Option<String> {
        (!self.is_excused && !self.has_valid_window(least))
            .then(|| format!("the sender of flow {} has a window of {} packets", self.end.fid, *self.cwnd))
    }

    /// Stops the simulation if a parameter is invalid.
    pub fn check(&self, net: &mut Network) {
        let config = &self.config;
        // As in ns-2 a clock may run backwards: each round trip then takes one tick.
        if config.tcp_tick == 0.0 || config.tcp_tick.is_nan() {
            net.fail(SimulationError::Broken("the clock's tick of a TCP sender must not be 0".into()));
        }
    }

    /// Duplicate ACK threshold where it depends on the window (`numdupacks_frac`).
    pub fn duplicates_for_loss(&self, net: &mut Network) -> i32 {
        let part = (*self.cwnd as i32).checked_div(self.config.numdupacks_frac).unwrap_or_else(|| {
            net.fail(SimulationError::Broken("numdupacks_frac divides the window; it must not be 0".into()));
            0
        });
        self.config.numdupacks.max(part)
    }

    /// Records an event for event traces.
    pub fn happened(&mut self, what: &'static str) {
        if let Some(place) = self.log.happenings() {
            let fields = [f64::from(self.end.fid), f64::from(*self.t_seqno), self.cwnd.trunc()];
            self.log.note(Note::Happened(place, what, fields));
        }
    }

    /// Appends the parameters that scenarios offer, with their present values.
    pub fn describe(&self, out: &mut Vec<Parameter>) {
        self.config.describe_own(out);
        self.law_parameters.describe_own(out);
    }

    /// The value of a parameter or variable of the connection.
    pub fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name)
            .or_else(|| self.config.own_param(name))
            .or_else(|| self.law_parameters.own_param(name))
            .or_else(|| self.end.param(name))
    }

    /// Sets a parameter or variable of the connection. Returns false for an unknown name. A changed variable is
    /// reported.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.is_excused |= makes_no_window(name, value);
        let before = self.own_param(name);
        let known = self.set_own_param(name, value)
            || (self.config.own_param(name).is_some() && self.config.set_own_param(name, value))
            || (self.law_parameters.own_param(name).is_some() && self.law_parameters.set_own_param(name, value))
            || self.end.set_param(name, value);
        match name {
            "window_option" => self.choose_law(),
            "trace_all_oneline" => self.follow_all(),
            _ if self.own_param(name) != before => self.note_present_value(name),
            _ => {}
        }
        known
    }

    /// Shares parameter sets that equal those of other senders (copy-on-write).
    pub fn share_parameters(&mut self, net: &mut Network) {
        net.known.intern(&mut self.config);
        net.known.intern(&mut self.law_parameters);
    }
}

/// Whether a script gives a number that windows are computed from a value that may make one below 0. What is no number is
/// a mistake.
fn makes_no_window(name: &str, value: Value) -> bool {
    const NUMBERS: [&str; 11] = [
        "cwnd",
        "ssthresh",
        "window",
        "window_init",
        "maxcwnd",
        "max_ssthresh",
        "increase_num",
        "window_constant",
        "low_window",
        "high_window",
        "high_p",
    ];
    let most = match name {
        "decrease_num" | "high_decrease" => 1.0,
        name if NUMBERS.contains(&name) => f64::MAX,
        _ => return false,
    };
    let value = value.real();
    !value.is_nan() && !(0.0..=most).contains(&value)
}
