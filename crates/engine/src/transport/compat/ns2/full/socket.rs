//! The state of a two-way TCP connection: open, close, reset, and the interface to the application.

use super::dctcp::Dctcp;
use super::reassembly::Reassembly;
use super::sack::SackSender;
use super::segment::{State, reason};
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, Upcall};
use crate::packet::PacketKind;
use crate::params::Params;
use crate::transport::agent::Agent;
use crate::transport::compat::ns2::window_law;
use crate::transport::compat::ns2::xcp::XcpEnd;
use crate::transport::one_way::connection::{Connection, WITHOUT_END};

/// Timer id of the delayed-ACK timer.
pub const DELAYED_ACK: u8 = 2;

/// The loss recovery variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Fast recovery until the first ACK of new data.
    Reno,
    /// Slow start after each loss.
    Tahoe,
    /// Fast recovery that continues through partial ACKs.
    NewReno,
    /// Fast recovery with SACK blocks.
    Sack,
}

/// Parameters in addition to those of one-way senders, with ns-2's names.
#[derive(Clone, Debug, Params)]
pub struct Settings {
    /// Bytes of data in a full segment; `packet_size` sets it.
    #[param("bytes")]
    pub segsize: i32,
    /// Segments that one ACK acknowledges.
    #[param("")]
    pub segsperack: i32,
    /// Until this many bytes have arrived, each segment is acknowledged.
    #[param("bytes")]
    pub spa_thresh: i32,
    /// The number of duplicate ACKs that indicates a loss.
    #[param("")]
    pub tcprexmtthresh: i32,
    /// The first sequence number.
    #[param("")]
    pub iss: i32,
    /// Small segments do not wait for ACKs (no Nagle).
    #[param("flag")]
    pub nodelay: bool,
    /// The SYN carries bytes.
    #[param("flag")]
    pub data_on_syn: bool,
    /// A segment received twice does not count as a duplicate ACK.
    #[param("flag")]
    pub dupseg_fix: bool,
    /// A duplicate ACK with bytes ends the count of duplicates.
    #[param("flag")]
    pub dupack_reset: bool,
    /// Close the connection when all data is sent.
    #[param(state)]
    pub close_on_empty: bool,
    /// Notify the application when all data is sent.
    #[param(state)]
    pub signal_on_empty: bool,
    /// The maximum delay of an ACK, s; 0 for no timer.
    #[param("s")]
    pub interval: f64,
    /// Duplicate ACKs inflate the window.
    #[param("flag")]
    pub reno_fastrecov: bool,
    /// Sending is limited by what is estimated to be in flight.
    #[param("flag")]
    pub pipectrl: bool,
    /// Partial ACKs open the window.
    #[param("flag")]
    pub open_cwnd_on_pack: bool,
    /// The peer's FIN does not close this side.
    #[param("flag")]
    pub halfclose: bool,
    /// No header prediction.
    #[param("flag")]
    pub nopredict: bool,
    /// The SYN/ACK may be marked.
    #[param("flag")]
    pub ecn_syn: bool,
    /// A marked SYN/ACK: 0 halves the window, 1 sets it to one, 2 retransmits the SYN/ACK.
    #[param("")]
    pub ecn_syn_wait: i32,
    /// No effect.
    #[param(state)]
    pub debug: bool,
    /// NewReno: value of `maxburst` in recovery.
    #[param(state)]
    pub recov_maxburst: i32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            segsize: 536,
            segsperack: 1,
            spa_thresh: 0,
            tcprexmtthresh: 3,
            iss: 0,
            nodelay: false,
            data_on_syn: false,
            dupseg_fix: true,
            dupack_reset: false,
            close_on_empty: false,
            signal_on_empty: false,
            interval: 0.1,
            reno_fastrecov: true,
            pipectrl: false,
            open_cwnd_on_pack: true,
            halfclose: false,
            nopredict: false,
            ecn_syn: false,
            ecn_syn_wait: 0,
            debug: false,
            recov_maxburst: 2,
        }
    }
}

/// Actions pending for the next transmission.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// Send an ACK immediately.
    pub ack_now: bool,
    /// Send an ACK when the timer expires.
    pub ack_later: bool,
    /// Send a FIN as soon as the connection is open.
    pub fin: bool,
    /// Send a FIN with the last data.
    pub close: bool,
}

/// A two-way TCP agent, as ns-2.35's `Agent/TCP/FullTcp`.
pub struct FullTcp {
    /// The state shared with one-way senders.
    pub tcp: Connection,
    /// Parameters.
    pub set: Settings,
    /// The loss recovery variant.
    pub variant: Variant,
    /// The connection's state.
    pub state: State,
    /// The state before the current segment.
    pub last_state: State,
    /// Actions pending for the next transmission.
    pub pending: Pending,
    /// The peer's initial sequence number; -1 if unknown.
    pub irs: i32,
    /// The next byte expected; -1 if unknown.
    pub rcv_nxt: i32,
    /// The last acknowledgement number sent; -1 before the first.
    pub last_ack_sent: i32,
    /// Out-of-order data.
    pub held: Reassembly,
    /// SACK state of the sender.
    pub sack: SackSender,
    /// XCP state, if routers control the window.
    pub xcp: Option<Box<XcpEnd>>,
    /// DCTCP state.
    pub dctcp: Dctcp,
    /// Estimate of bytes in flight during recovery.
    pub pipe: i32,
    /// Whether the sender is in fast recovery.
    pub recovering: bool,
    /// NewReno: `maxburst` before recovery.
    pub usual_maxburst: Option<i32>,
    /// The transfer is endless.
    pub without_end: bool,
    /// Time of the last data transmission, s; -1 before the first.
    pub last_send_s: f64,
    /// The peer's latest timestamp, s; zero or negative if there is none.
    pub recent_ts: f64,
    /// Arrival time of that timestamp, s.
    pub recent_at: f64,
    /// Received CE marks must be echoed.
    pub echo_marks: bool,
    /// The next SYN/ACK may be ECN-capable.
    pub mark_next_syn: bool,
    /// The SYN/ACK was marked: the next timeout is one round trip (RFC 5562, section 3).
    pub waits_round_trip: bool,
    /// Reset the agent after the application is notified of the end.
    pub resets_at_end: bool,
    /// Bytes delivered to the application.
    pub bytes_received: i64,
    /// Whether the application acts on data before the segment is answered; it calls `go-on` then.
    pub acts_first: bool,
    /// The segment whose data the application has not acted on yet.
    pub unanswered: Option<Unanswered>,
    /// The delayed-ACK timer.
    pub delayed_ack_timer: TimerId,
}

/// What is left to do for a segment whose data the application has not acted on yet.
#[derive(Clone, Copy, Debug)]
pub enum Unanswered {
    /// The segment took the fast path.
    Expected,
    /// It was the next one in order.
    InOrder,
    /// It filled a hole.
    FilledHole,
}

impl FullTcp {
    /// Creates an agent with default parameters. Like ns-2, it draws its clock phase twice.
    pub fn make(variant: Variant, id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        Box::new(FullTcp::new(variant, id, net))
    }

    /// Creates the agent unboxed, for callers that extend it.
    pub fn new(variant: Variant, id: AgentId, net: &mut Network) -> FullTcp {
        let mut full = FullTcp {
            tcp: Connection::new(id, window_law::numbered, net),
            set: Settings::default(),
            variant,
            state: State::Closed,
            last_state: State::Closed,
            pending: Pending::default(),
            irs: -1,
            rcv_nxt: -1,
            last_ack_sent: -1,
            held: Reassembly::default(),
            sack: SackSender::default(),
            xcp: None,
            dctcp: Dctcp::default(),
            pipe: -1,
            recovering: false,
            usual_maxburst: None,
            without_end: false,
            last_send_s: -1.0,
            recent_ts: -1.0,
            recent_at: -1.0,
            echo_marks: false,
            mark_next_syn: false,
            waits_round_trip: false,
            resets_at_end: false,
            bytes_received: 0,
            acts_first: false,
            unanswered: None,
            delayed_ack_timer: net.add_timer(TimerOwner::Agent(id.0, DELAYED_ACK)),
        };
        for _ in 0..2 {
            full.tcp.draw_boot_time(net);
        }
        full.start_over(net);
        full
    }

    /// Resets the state; parameters are kept.
    pub fn start_over(&mut self, net: &mut Network) {
        net.stop_timer(self.delayed_ack_timer);
        self.tcp.config.syn = true;
        self.tcp.reset(net);
        self.held.clear();
        self.sack.clear();
        self.dctcp.start_over();
        if let Some(xcp) = &mut self.xcp {
            xcp.forget();
        }
        self.last_ack_sent = -1;
        self.rcv_nxt = -1;
        self.pipe = 0;
        self.pending = Pending::default();
        self.tcp.t_seqno.set(self.set.iss, &mut self.tcp.log);
        self.irs = -1;
        self.last_send_s = -1.0;
        self.recent_ts = if self.tcp.config.timestamps { 0.0 } else { -1.0 };
        self.recent_at = self.recent_ts;
        self.recovering = false;
        self.set.close_on_empty = false;
        self.mark_next_syn = self.set.ecn_syn;
    }

    /// Resets the state and draws the clock phase again, as ns-2's `reset` does.
    pub fn draw_and_start_over(&mut self, net: &mut Network) {
        self.tcp.draw_boot_time(net);
        self.start_over(net);
    }

    pub fn stop_timers(&mut self, net: &mut Network) {
        net.stop_timer(self.tcp.retransmit_timer);
        self.tcp.stop_delay(net);
        net.stop_timer(self.delayed_ack_timer);
    }

    /// Sends a SYN.
    fn connect(&mut self, net: &mut Network) {
        self.state = State::SynSent;
        let iss = self.set.iss;
        let sent = self.output(iss, reason::NORMAL, net);
        self.sent(iss, sent);
    }

    /// Enters the LISTEN state. A listener's packets have the kind ACK in traces.
    pub fn listen(&mut self) {
        self.state = State::Listen;
        self.tcp.end.kind = PacketKind::Ack;
    }

    /// Adds `bytes` to the send buffer. Opens a connection if there is none.
    pub fn add_bytes(&mut self, bytes: i32, net: &mut Network) {
        let iss = self.set.iss;
        match self.state {
            State::Closed | State::Listen => {
                self.draw_and_start_over(net);
                self.tcp.seqno.set(iss.wrapping_add(bytes), &mut self.tcp.log);
                self.connect(net);
            }
            State::Established | State::SynSent | State::SynReceived => {
                let from = (*self.tcp.seqno).max(iss);
                self.tcp.seqno.set(from.wrapping_add(bytes), &mut self.tcp.log);
            }
            _ => {}
        }
        if self.state == State::Established {
            let most = self.tcp.config.maxburst;
            self.send_much(false, reason::NORMAL, most, net);
        }
    }

    /// Adds full segments to the send buffer; a very large number is in bytes.
    pub fn add_segments(&mut self, segments: i32, net: &mut Network) {
        let segments = if segments >= 0x1000_0000 { segments / self.set.segsize.max(1) } else { segments };
        self.add_bytes(segments.wrapping_mul(self.set.segsize), net);
    }

    /// Adds a message to the send buffer; `None` is an endless one. `MSG_EOF` closes the connection after it; `DAT_EOF`
    /// notifies the application.
    pub fn add_message(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        match flags {
            "MSG_EOF" => self.set.close_on_empty = true,
            "DAT_EOF" => self.set.signal_on_empty = true,
            _ => {}
        }
        self.without_end |= bytes.is_none();
        self.add_bytes(bytes.unwrap_or(0) as i32, net);
    }

    /// Closes the sending side.
    pub fn close_by_application(&mut self, net: &mut Network) {
        let last = *self.tcp.maxseq - 1;
        self.tcp.seqno.set(last, &mut self.tcp.log);
        self.without_end = false;
        match self.state {
            State::Closed | State::Listen => {
                self.stop_timers(net);
                self.state = State::Closed;
                net.notify(Upcall::Done(self.tcp.end.id));
                return;
            }
            State::SynSent => self.state = State::Closed,
            State::SynReceived | State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            State::LastAck => {}
            State::FinWait1 | State::FinWait2 | State::Closing => return,
        }
        self.pending.fin = true;
        let most = self.tcp.config.maxburst;
        self.send_much(true, reason::NORMAL, most, net);
    }

    /// Bytes in the send buffer: not sent or not acknowledged.
    pub fn buffered(&self) -> i32 {
        match (self.without_end, *self.tcp.ack < 0) {
            (true, _) => WITHOUT_END,
            (false, true) => *self.tcp.seqno - self.set.iss,
            (false, false) => *self.tcp.seqno - *self.tcp.ack + 1,
        }
    }

    /// Delivers in-order data to the application.
    pub fn deliver(&mut self, bytes: i32, net: &mut Network) {
        self.bytes_received += i64::from(bytes);
        net.notify(Upcall::Received(self.tcp.end.id, bytes));
    }
}
