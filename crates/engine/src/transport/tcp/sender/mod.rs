//! The modern TCP sender: RACK-TLP, PRR, pacing, delivery rate estimation, and a congestion control by name.
//!
//! Source: RFC 9293; RFC 5681 and RFC 6675 (packets in flight); RFC 8985 (RACK-TLP, [`rack`], [`tlp`]); RFC 9937 (PRR,
//! [`prr`]); RFC 6298 ([`rtt`]); RFC 5682, 3522, 3708 (spurious events, [`undo`]); RFC 3168 and 9768 (marks, [`ecn`]);
//! draft-ietf-ccwg-bbr, section 4.1 ([`rate`]); Linux, where these leave it open.
//! What it decides: what to send and when, and how to interpret an ACK. One of [`cc::CONTROLS`] decides how much to
//! send.
//! Departures: sequence numbers count whole segments. Packet 0 stands for the handshake. A timeout in a recovery does
//! not lower the threshold again, as in Linux.
//! Not implemented: receivers without SACK (only the timer would then detect losses); Nagle's algorithm; give-up after
//! repeated retransmissions; the window scale option, since the receiver's window is a number of packets.
//! Checked against: the RFCs' rules on the wire (tests/spec/test_modern.py); the response functions of its controls
//! (tests/spec/test_modern_laws.py).

mod acks;
mod ecn;
mod external_adapter;
pub mod linux26_adapter;
mod min_rtt;
mod prr;
mod rack;
mod rate;
mod rtt;
mod rtx_queue;
pub mod select;
mod sending;
mod state;
mod timers;
mod tlp;
mod undo;

use crate::net::{Network, SimulationError};
use crate::params::{Parameter, Params, Value};
use crate::transport::external_control;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::{Bound, Connection};
use crate::transport::one_way::recovery::Recovery;
use crate::transport::tcp::cc::model_log::ModelLog;
use crate::transport::tcp::cc::{self, Control, Path, Window};
use rack::Rack;
use rate::Delivery;
use rtt::RttEstimator;
use rtx_queue::RtxQueue;
use state::CaState;
use timers::Deadlines;
use tlp::TailLossProbe;
use undo::{Frto, UndoState};

/// The sender's own parameters, besides those of all senders.
#[derive(Clone, Copy, Debug, Params)]
struct Options {
    /// Packets are paced even if the control gives no rate.
    #[param("flag")]
    pacing: bool,
    /// That pacing's rate in slow start, in windows per round trip.
    #[param("")]
    pacing_ss_ratio: f64,
    /// The same after slow start.
    #[param("")]
    pacing_ca_ratio: f64,
    /// Tail loss probes (RFC 8985, section 7).
    #[param("flag")]
    tlp: bool,
    /// Spurious timeouts are detected (F-RTO, RFC 5682).
    #[param("flag")]
    frto: bool,
    /// The window is restored after a spurious loss or timeout.
    #[param("flag")]
    undo: bool,
    /// The receiver counts marks (AccECN), whatever the control asks for.
    #[param("flag")]
    acc_ecn: bool,
}

/// The parameters of the connection that this sender uses.
const CONNECTION_PARAMETERS: &[&str] = &[
    "window",
    "window_init",
    "syn",
    "use_headers",
    "tcpip_base_hdr_size",
    "ts_option_size",
    "timestamps",
    "tcp_tick",
    "minrto",
    "maxrto",
    "rtxcur_init",
    "t_srtt_bits",
    "t_rttvar_bits",
    "numdupacks",
    "slow_start_restart",
    "ecn",
];

/// The state of the modern sender besides its connection.
pub struct Modern {
    control: Box<dyn Control>,
    options: Options,
    window: Window,
    rtx_queue: RtxQueue,
    delivery: Delivery,
    rack: Rack,
    tlp: TailLossProbe,
    rtt: RttEstimator,
    deadlines: Deadlines,
    state: CaState,
    /// The recovery, or the reduction after a mark, ends when all segments below this one are acknowledged.
    recovery_point: i32,
    undo_state: Option<UndoState>,
    frto: Frto,
    /// Earliest time of the next packet by pacing, s.
    paced_until_s: f64,
    usage: sending::Usage,
    marks: ecn::Marks,
    /// The right edge of the receiver's window: one past the last allowed segment; `None` if ACKs carry no window.
    rwnd_end: Option<i32>,
    /// Scratch space: the segments that loss detection marks lost.
    newly_lost: Vec<i32>,
    /// The course of the control's model, if it is recorded.
    model_log: Option<Box<ModelLog>>,
}

impl Default for Modern {
    fn default() -> Modern {
        Modern {
            control: (cc::CONTROLS[0].make)(),
            options: Options {
                pacing: false,
                pacing_ss_ratio: 2.0,
                pacing_ca_ratio: 1.2,
                tlp: true,
                frto: true,
                undo: true,
                acc_ecn: false,
            },
            window: Window { cwnd: 1.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false },
            rtx_queue: RtxQueue::default(),
            delivery: Delivery::default(),
            rack: Rack::default(),
            tlp: TailLossProbe::default(),
            rtt: RttEstimator::default(),
            deadlines: Deadlines::default(),
            state: CaState::Open,
            recovery_point: 0,
            undo_state: None,
            frto: Frto::Off,
            paced_until_s: 0.0,
            usage: sending::Usage::default(),
            marks: ecn::Marks::default(),
            rwnd_end: None,
            newly_lost: Vec::new(),
            model_log: None,
        }
    }
}

impl Recovery for Modern {
    const BOUND: Bound = Bound::Receiver;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network) {
        if ack.ts < tcp.reset_at || ack.seqno >= self.rtx_queue.snd_nxt() {
            return;
        }
        self.process_ack(tcp, ack, net);
        self.send_allowed(tcp, net);
        self.finish(tcp, net);
        tcp.finish_if_done(net);
    }

    #[inline]
    fn invariants_hold(&self, _: &Connection) -> bool {
        let Window { cwnd, ssthresh, pacing_per_s, .. } = self.window;
        let is_rate = |per_s: f64| per_s > 0.0 && per_s < f64::INFINITY;
        cwnd > 0.0 && ssthresh >= 0.0 && pacing_per_s.is_none_or(is_rate)
    }

    fn violation(&self, _: &Connection) -> String {
        let Window { cwnd, ssthresh, pacing_per_s, .. } = self.window;
        format!(
            "a sender has a window of {cwnd} packets, a threshold of {ssthresh} and a rate of {pacing_per_s:?} packets/s"
        )
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.on_timer(tcp, net);
        self.finish(tcp, net);
    }

    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.send_allowed(tcp, net);
        self.finish(tcp, net);
    }

    fn send(&mut self, tcp: &mut Connection, _forced: bool, _reason: u8, _most: i32, net: &mut Network) {
        self.resume(tcp, net);
        self.send_allowed(tcp, net);
        self.finish(tcp, net);
    }

    fn was_reset(&mut self, tcp: &mut Connection) {
        let cwnd = if tcp.config.syn { 1.0 } else { tcp.config.window_init };
        self.window = Window { cwnd, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        self.rtx_queue.reset();
        self.delivery = Delivery::default();
        self.rack = Rack::default();
        self.tlp = TailLossProbe::default();
        self.rtt = RttEstimator::default();
        self.deadlines = Deadlines::default();
        (self.state, self.recovery_point, self.undo_state, self.frto) = (CaState::Open, 0, None, Frto::Off);
        (self.paced_until_s, self.usage, self.rwnd_end) = (0.0, sending::Usage::default(), None);
        self.marks = ecn::Marks::default();
        if !tcp.config.syn {
            self.marks.take_for_granted(self.asks_for_marks(tcp));
            let path = self.path(tcp, 0.0);
            self.control.start(&path, &mut self.window);
        }
        self.publish_variables(tcp);
    }

    fn adopt(&mut self, control: Box<dyn external_control::Control>) -> Option<Box<dyn external_control::Control>> {
        self.control = Box::new(external_adapter::ExternalAdapter::new(control));
        None
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.options.describe_own(out);
        self.control.describe(out);
    }

    fn uses(&self, name: &str) -> bool {
        CONNECTION_PARAMETERS.contains(&name)
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.options.own_param(name).or_else(|| self.control.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.options.set_own_param(name, value) || self.control.set_param(name, value)
    }

    fn command(
        &mut self,
        _tcp: &mut Connection,
        name: &str,
        arguments: &[&str],
        _net: &mut Network,
    ) -> Option<Result<String, String>> {
        self.choose(name, arguments)
    }
}

impl Modern {
    /// The path statistics for the control.
    fn path(&self, tcp: &Connection, now_s: f64) -> Path {
        Path {
            now_s,
            mss_bytes: f64::from(tcp.end.packet_size),
            in_flight: self.rtx_queue.in_flight(),
            delivered: self.delivery.delivered,
            lost: self.delivery.lost,
            srtt_s: self.rtt.srtt_s.unwrap_or(0.0),
            min_rtt_s: self.rack.min_rtt.get(),
            is_limited: self.usage.is_limited(&self.window),
            is_cwnd_full: self.usage.is_full(),
            next_send_s: self.paced_until_s,
            lacks_sack: false,
            is_recovering: self.state.is_reducing_cwnd(),
            is_paced: self.options.pacing || self.window.pacing_per_s.is_some(),
            snd_una: self.rtx_queue.snd_una() as u64,
            snd_nxt: self.rtx_queue.snd_nxt() as u64,
            reordering: self.rack.reordering,
            seed: tcp.seed(),
        }
    }

    /// Whether the SYN has not been acknowledged yet.
    fn is_opening(&self, tcp: &Connection) -> bool {
        tcp.config.syn && self.rtx_queue.snd_una() == 0
    }

    /// Completes the processing of an event.
    fn finish(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.publish_variables(tcp);
        if let Some(log) = &mut self.model_log {
            log.note(net.now().secs(), &*self.control, &self.window, self.rtx_queue.in_flight());
        }
        if let Some(error) = self.control.take_error() {
            net.fail(SimulationError::Broken(error));
        }
    }

    /// Publishes window, threshold and RTT as variables of the connection.
    fn publish_variables(&self, tcp: &mut Connection) {
        tcp.cwnd.set(self.window.cwnd, &mut tcp.log);
        // Until ssthresh is set, the connection's value is the receiver's window.
        if self.window.ssthresh.is_finite() {
            tcp.ssthresh.set(self.window.ssthresh as i32, &mut tcp.log);
        }
    }
}
