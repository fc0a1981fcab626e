//! Today's congestion controls, as the `tcp` sender asks them. One file per control, one line in [`CONTROLS`].
//!
//! One trait takes laws of five kinds, those that go by loss, by delay, by delivery rate, by the fraction of marks, and
//! those that keep a model of the path. Each hears the same: every ACK with all that it says ([`Ack`]), every segment found
//! lost, every sign of congestion ([`CongestionEvent`]), and that a sign was a false one. Each writes the same: a window, a
//! threshold and, if it paces, a rate ([`Window`]). What differs is an answer, not a kind: to a sign of congestion a
//! control says whether the sender takes the window down to the threshold step by step (PRR) or the control has seen to it
//! ([`Response`]), and it says which feedback of marks it needs ([`Feedback`]). What to send again is the sender's
//! ([`crate::transport::tcp::sender`]).
//!
//! Windows are in packets, rates in packets per second.

mod base_delay;
pub mod bbr;
pub mod bbr3;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod hystart;
pub mod ledbat;
pub mod ledbat_pp;
pub mod prague;
pub mod reno;
mod windowed_max;

use crate::params::Value;
use crate::random::rng::Seed;

/// What the sender knows of its path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    /// The time, s.
    pub now_s: f64,
    /// Bytes of a segment's data.
    pub mss_bytes: f64,
    /// Packets in flight: sent, not known to have arrived, not marked lost.
    pub in_flight: u32,
    /// Packets delivered so far, each once.
    pub delivered: u64,
    /// Packets marked lost so far.
    pub lost: u64,
    /// The smoothed round-trip time, s; 0 before there is a sample.
    pub srtt_s: f64,
    /// The least round-trip time of the connection, s; infinite before there is a sample.
    pub min_rtt_s: f64,
    /// The window, not the application or the receiver, has limited the sender.
    pub is_limited: bool,
    /// The sender takes the window down, after a loss or a mark.
    pub is_recovering: bool,
    /// The connection's own seed, for a control that draws random numbers.
    pub seed: Seed,
}

/// How fast packets were delivered while one of them was on its way (draft-ietf-ccwg-bbr, 4.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Packets per second; `None` where the interval is shorter than a round trip can be.
    pub per_s: Option<f64>,
    /// Packets delivered in the interval.
    pub delivered: u64,
    /// All packets delivered when it began.
    pub prior_delivered: u64,
    /// Packets marked lost in the interval.
    pub lost: u64,
    /// Packets in flight just after the packet was sent.
    pub in_flight: u32,
    /// The application, not the path, limited the sender when the packet was sent.
    pub is_app_limited: bool,
}

/// What an ACK says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// Packets newly delivered, in order or not.
    pub delivered: u32,
    /// Packets newly marked lost.
    pub lost: u32,
    /// Packets newly told to have been marked.
    pub marked: u32,
    /// Whether the ACK echoes a mark.
    pub echoes_mark: bool,
    /// The round trip of a packet that was sent once, s.
    pub rtt_s: Option<f64>,
    /// How long the packet that it answers was on its way there, s, with the wait for a delayed ACK; only timestamps tell.
    pub one_way_s: Option<f64>,
    /// Of the delivered packet that was sent last.
    pub rate: Option<Rate>,
    /// A round trip ends: a packet is delivered that was sent after the end of the last one.
    pub ends_round: bool,
    /// Packets in flight before the ACK came.
    pub prior_in_flight: u32,
}

/// What a control decides.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The congestion window, packets.
    pub cwnd: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh: f64,
    /// The rate to send at, packets/s; `None` lets ACKs, or the sender's own pacing, say when.
    pub pacing_per_s: Option<f64>,
    /// The control keeps the sender below what the path would carry, to measure something else: rates that are measured
    /// meanwhile count as limited by the application.
    pub holds_back: bool,
}

impl Window {
    /// Whether slow start goes on.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start for so many packets (RFC 5681, 3.1, with RFC 3465's L = infinity); those left when the threshold is
    /// reached.
    pub fn slow_start(&mut self, packets: f64) -> f64 {
        let room = (self.ssthresh - self.cwnd).max(0.0);
        let taken = packets.min(room);
        self.cwnd += taken;
        packets - taken
    }

    /// Halved for each of so many timeouts without use, down to `initial`; the threshold remembers (RFC 2861).
    pub fn decay(&mut self, timeouts: u32, initial: f64) {
        if timeouts > 0 {
            self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
            self.cwnd = (self.cwnd / 2.0_f64.powi(timeouts.min(60) as i32)).max(initial.min(self.cwnd));
        }
    }
}

/// A sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionEvent {
    /// Segments were lost: the first of them in a window.
    Loss,
    /// Marks were echoed: the first in a window.
    Mark,
    /// The retransmission timer has expired: the first time for a segment.
    Timeout,
}

/// Who takes the window down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The sender, to the threshold that the control has set; at once to what is in flight after a timeout.
    Reduce,
    /// The control itself: the sender goes by the window as it is.
    Own,
}

/// How the receiver is to tell of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// It echoes one until it hears of the answer (RFC 3168).
    #[default]
    Classic,
    /// It says of each packet whether it was marked (RFC 8257, 3.2).
    Exact,
    /// It counts marks (RFC 9768, AccECN).
    Counted,
}

/// A congestion control.
pub trait Control: Send + Sync {
    /// The connection starts with `window`.
    fn start(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// An ACK has delivered something or told of a loss or a mark. While [`Path::is_recovering`], a window written is lost.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// One segment is marked lost that was sent as `sent` says, with so many packets lost before.
    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        let _ = (sent, path, window);
    }

    /// A sign of congestion, at most one of a kind in a window of data.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response;

    /// The recovery that a sign began is over; after [`Response::Reduce`] the window is at the threshold.
    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// The last sign was a false one; the window is as before it.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// Sending goes on after `idle_s` with nothing in flight, in which the timer would have expired `timeouts` times: for
    /// each the window is halved, down to `initial` (RFC 2861, as in Linux).
    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let _ = (idle_s, path);
        window.decay(timeouts, initial);
    }

    /// The feedback that it needs.
    fn feedback(&self) -> Feedback {
        Feedback::Classic
    }

    /// Whether its answer to marks is in proportion, so that its packets may be marked early (ECT(1), RFC 9331).
    fn is_scalable(&self) -> bool {
        false
    }

    /// Why it cannot go on, which stops the simulation; told once.
    fn trouble(&mut self) -> Option<String> {
        None
    }

    /// The value of a parameter of its own.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets a parameter of its own; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }
}

/// One control of the table.
pub struct Entry {
    /// Its id everywhere: `cubic`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one.
    pub make: fn() -> Box<dyn Control>,
}

/// Every control. The first one is a sender's unless it is told otherwise.
pub const CONTROLS: &[Entry] = &[
    cubic::ENTRY,
    reno::ENTRY,
    bbr::ENTRY,
    bbr3::ENTRY,
    dctcp::ENTRY,
    prague::ENTRY,
    ledbat::ENTRY,
    ledbat_pp::ENTRY,
    copa::ENTRY,
];

/// The control with this id.
pub fn named(id: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.id == id)
}

/// The least threshold after congestion, packets (RFC 5681, equation 4).
const MIN_SSTHRESH: f64 = 2.0;
