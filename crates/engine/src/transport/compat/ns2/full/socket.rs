//! The state of a two-way connection, how it is opened, closed and reset, and what the application asks of it.

use super::dctcp::Dctcp;
use super::reassembly::Reassembly;
use super::sack::SackSender;
use super::segment::{State, reason};
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, Upcall};
use crate::packet::PacketKind;
use crate::params;
use crate::transport::agent::Agent;
use crate::transport::compat::ns2::xcp::XcpEnd;
use crate::transport::one_way::connection::{Connection, WITHOUT_END};

/// The owner's name of the timer that ends the delay of ACKs.
pub const DELAYED_ACK: u8 = 2;

/// What is done about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Fast recovery until the next new ACK.
    Reno,
    /// Slow start.
    Tahoe,
    /// Fast recovery through partial ACKs.
    NewReno,
    /// Fast recovery by SACK blocks.
    Sack,
}

/// What can be set, beyond what one-way senders have. The names are ns-2's.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of a full segment.
    pub segsize: i32,
    /// Segments that one ACK answers.
    pub segsperack: i32,
    /// But one each until so many bytes have come.
    pub spa_thresh: i32,
    /// Duplicate ACKs that are taken for a loss.
    pub tcprexmtthresh: i32,
    /// The first sequence number.
    pub iss: i32,
    /// Small segments do not wait for ACKs (no Nagle).
    pub nodelay: bool,
    /// The SYN carries bytes.
    pub data_on_syn: bool,
    /// A segment received twice does not count as a duplicate ACK.
    pub dupseg_fix: bool,
    /// A duplicate ACK with bytes ends the count of duplicates.
    pub dupack_reset: bool,
    /// The connection is closed when everything was sent.
    pub close_on_empty: bool,
    /// The application is told when everything was sent.
    pub signal_on_empty: bool,
    /// The longest delay of an ACK, s; 0 for no timer.
    pub interval: f64,
    /// Duplicate ACKs inflate the window.
    pub reno_fastrecov: bool,
    /// Sending is limited by what is estimated to be in flight.
    pub pipectrl: bool,
    /// Partial ACKs open the window.
    pub open_cwnd_on_pack: bool,
    /// The peer's FIN does not close this side.
    pub halfclose: bool,
    /// No short cut for the expected segment.
    pub nopredict: bool,
    /// The SYN/ACK may be marked.
    pub ecn_syn: bool,
    /// A marked SYN/ACK: 0 halves the window, 1 makes it one, 2 sends the SYN/ACK again.
    pub ecn_syn_wait: i32,
    /// Without effect.
    pub debug: bool,
    /// NewReno: most packets at one go in recovery.
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

params!(Settings {
    segsize,
    segsperack,
    spa_thresh,
    tcprexmtthresh,
    iss,
    nodelay,
    data_on_syn,
    dupseg_fix,
    dupack_reset,
    close_on_empty,
    signal_on_empty,
    interval,
    reno_fastrecov,
    pipectrl,
    open_cwnd_on_pack,
    halfclose,
    nopredict,
    ecn_syn,
    ecn_syn_wait,
    debug,
    recov_maxburst,
});

/// What is to be done at the next occasion to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// An ACK at once.
    pub ack_now: bool,
    /// An ACK when the timer is due.
    pub ack_later: bool,
    /// A FIN as soon as the connection is open.
    pub fin: bool,
    /// A FIN with the last bytes.
    pub close: bool,
}

/// A two-way TCP agent.
pub struct FullTcp {
    /// What it shares with one-way senders.
    pub tcp: Connection,
    /// What can be set.
    pub set: Settings,
    /// What is done about losses.
    pub variant: Variant,
    /// The connection's state.
    pub state: State,
    /// What it was before the present segment.
    pub last_state: State,
    /// What is to be done.
    pub pending: Pending,
    /// The peer's first sequence number, -1 before it is known.
    pub irs: i32,
    /// The next byte expected, -1 before there is one.
    pub rcv_nxt: i32,
    /// The acknowledgement number sent last, -1 before there is one.
    pub last_ack_sent: i32,
    /// What came out of order.
    pub held: Reassembly,
    /// SACK: what the peer holds.
    pub sack: SackSender,
    /// XCP, if routers decide about the window.
    pub xcp: Option<Box<XcpEnd>>,
    /// DCTCP: how many marks there are.
    pub dctcp: Dctcp,
    /// Bytes estimated to be in flight in recovery.
    pub pipe: i32,
    /// Whether fast recovery is under way.
    pub recovering: bool,
    /// NewReno: what `maxburst` was before recovery.
    pub usual_maxburst: Option<i32>,
    /// The application has bytes without end.
    pub without_end: bool,
    /// When bytes were sent last, s; -1 before that.
    pub last_send_s: f64,
    /// The peer's latest timestamp, s; negative or zero before there is one.
    pub recent_ts: f64,
    /// When it came, s.
    pub recent_at: f64,
    /// Marks that came are to be echoed.
    pub echo_marks: bool,
    /// The next SYN/ACK may be marked.
    pub mark_next_syn: bool,
    /// The SYN/ACK was marked: the next timeout is a round trip (RFC 5562, section 3).
    pub waits_round_trip: bool,
    /// A reset is to follow when the application has heard of the end.
    pub resets_at_end: bool,
    /// Bytes that have been handed to the application.
    pub bytes_received: i64,
    /// The timer that ends the delay of ACKs.
    pub delayed_ack_timer: TimerId,
}

impl FullTcp {
    /// An agent with default parameters. Like ns-2 it draws its clock's phase twice.
    pub fn make(variant: Variant, id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        Box::new(FullTcp::new(variant, id, net))
    }

    /// The same, to be added to.
    pub fn new(variant: Variant, id: AgentId, net: &mut Network) -> FullTcp {
        let mut full = FullTcp {
            tcp: Connection::new(id, net),
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
            delayed_ack_timer: net.add_timer(TimerOwner::Agent(id.0, DELAYED_ACK)),
        };
        for _ in 0..2 {
            full.tcp.draw_boot_time(net);
        }
        full.start_over(net);
        full
    }

    /// Back to the start, with the present parameters; a listener goes on listening.
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

    /// The same, as ns-2's `reset` does it: the clock's phase is drawn anew.
    pub fn draw_and_start_over(&mut self, net: &mut Network) {
        self.tcp.draw_boot_time(net);
        self.start_over(net);
    }

    /// Stops all timers.
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

    /// Waits for a SYN. What a listener sends is called ACK in traces.
    pub fn listen(&mut self) {
        self.state = State::Listen;
        self.tcp.end.kind = PacketKind::Ack;
    }

    /// The application has `bytes` more. Without a connection, one is opened.
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

    /// The application has so many full segments more; a very large number is in bytes.
    pub fn add_segments(&mut self, segments: i32, net: &mut Network) {
        let segments = if segments >= 0x1000_0000 { segments / self.set.segsize.max(1) } else { segments };
        self.add_bytes(segments.wrapping_mul(self.set.segsize), net);
    }

    /// The application hands over a message: `None` is one without end. After `MSG_EOF` the connection is closed, after
    /// `DAT_EOF` the application is told.
    pub fn add_message(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        match flags {
            "MSG_EOF" => self.set.close_on_empty = true,
            "DAT_EOF" => self.set.signal_on_empty = true,
            _ => {}
        }
        self.without_end |= bytes.is_none();
        self.add_bytes(bytes.unwrap_or(0) as i32, net);
    }

    /// The application has no more bytes.
    pub fn close_by_application(&mut self, net: &mut Network) {
        let last = *self.tcp.maxseq - 1;
        self.tcp.seqno.set(last, &mut self.tcp.log);
        self.without_end = false;
        match self.state {
            State::Closed | State::Listen => {
                self.stop_timers(net);
                self.state = State::Closed;
                net.tell(Upcall::Done(self.tcp.end.id));
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

    /// Bytes that the application has handed over and that are not acknowledged.
    pub fn buffered(&self) -> i32 {
        match (self.without_end, *self.tcp.ack < 0) {
            (true, _) => WITHOUT_END,
            (false, true) => *self.tcp.seqno - self.set.iss,
            (false, false) => *self.tcp.seqno - *self.tcp.ack + 1,
        }
    }

    /// Bytes in order go to the application.
    pub fn deliver(&mut self, bytes: i32, net: &mut Network) {
        self.bytes_received += i64::from(bytes);
        net.tell(Upcall::Received(self.tcp.end.id, bytes));
    }
}
