//! The state of a one-way TCP sender, and what every variant does with it in the same way: its window and how it is cut
//! and opened, its timers, its reset. Sending is in [`super::segment`], ACKs in [`super::ack`].

use super::config::Config;
use super::frto::Frto;
use super::idle::Idle;
use super::rtt::RoundTrip;
use super::traced::{Log, Note, Traced};
use crate::agent::Endpoint;
use crate::cc::{self, Congestion, Growth, Law, LawParameters};
use crate::network::{Network, Trouble};
use crate::node::AgentId;
use crate::packet::PacketKind;
use crate::params;
use crate::params::Value;
use crate::timer::{TimerId, TimerOwner};

/// The owner's name of the retransmission timer.
pub const RETRANSMIT: u8 = 0;
/// The owner's name of the timer that delays sending.
pub const DELAYED_SEND: u8 = 1;

/// The sequence number of a transfer without end.
pub const WITHOUT_END: i32 = 1 << 30;

/// What cut the window last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastCut {
    /// Nothing so far.
    #[default]
    None,
    /// Duplicate ACKs, and the recovery is still under way.
    Duplicates,
    /// A timeout.
    Timeout,
    /// An echoed congestion mark.
    Mark,
    /// Duplicate ACKs, and the recovery is over.
    Recovered,
}

/// What becomes of the slow-start threshold in a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewThreshold {
    /// It stays.
    Keep,
    /// What the law leaves of the window; half of it at the first cut, in slow start and after a timeout.
    Reduced,
    /// At least three quarters of the window.
    ThreeQuarters,
}

/// What becomes of the window in a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewWindow {
    /// What the law leaves of it; half of it at the first cut and in slow start.
    Reduced,
    /// One packet, as after a timeout.
    Restart,
    /// The initial window.
    Initial,
    /// One packet.
    One,
    /// It stays.
    Keep,
    /// What the law leaves of it, at least one packet: a round trip was idle.
    IdleRound,
    /// Part of the way down to this many packets, which is all the sender used.
    TowardsUsed(i32),
}

/// Why the window is cut, for the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Congestion.
    Congestion,
    /// The sender was idle or had nothing in flight.
    Idleness,
}

/// A one-way TCP sender's state. Sequence numbers count packets.
pub struct Connection {
    /// Place, peer, packet size.
    pub end: Endpoint,
    /// Parameters.
    pub config: Config,
    /// Parameters of the window law.
    pub law_parameters: LawParameters,
    pub(super) law: Option<Box<dyn Law>>,
    /// Round-trip time and timeout.
    pub rtt: RoundTrip,
    /// What is to be reported.
    pub log: Log,

    /// The next packet to send.
    pub t_seqno: Traced<i32>,
    /// Duplicate ACKs since the last new one.
    pub dupacks: Traced<i32>,
    /// How many packets the application has produced.
    pub seqno: Traced<i32>,
    /// The highest packet acknowledged, -1 before there is one; goes on in fast recovery.
    pub ack: Traced<i32>,
    /// The congestion window.
    pub cwnd: Traced<f64>,
    /// The slow-start threshold.
    pub ssthresh: Traced<i32>,
    /// The highest packet sent, -1 before there is one.
    pub maxseq: Traced<i32>,
    /// The highest packet acknowledged; some variants freeze it in fast recovery.
    pub last_ack: i32,
    /// What `ack` was before the present ACK.
    pub previous_ack: i32,
    /// The highest packet sent when the window was last cut.
    pub recover: i32,
    /// What cut the window last.
    pub last_cut: LastCut,
    /// Packets by which duplicate ACKs inflate the window.
    pub inflation: i32,
    /// Packets that a gradual cut still leaves in the window (FACK).
    pub trim: f64,
    /// The window's running average.
    pub awnd: f64,
    pub(super) first_cut: bool,
    pub(super) finished: bool,
    pub(super) syns_sent: i32,
    pub(super) frto: Frto,
    pub(super) window_before_timeout: i32,
    pub(super) idle: Idle,

    /// A packet's round trip is being timed.
    pub timing: bool,
    /// Which packet.
    pub timed_seqno: i32,
    /// When it was sent, s.
    pub timed_at: f64,
    /// When the first packet was sent, s.
    pub first_sent_at: f64,
    /// Where between ticks the clock started, s.
    pub(super) boot_time: f64,
    boot_draw: f64,
    pub(super) reset_at: f64,
    pub(super) peer_timestamp: f64,
    /// The timestamp that the last ACK of new data echoed, s.
    pub(super) echoed_timestamp: f64,
    pub(super) sent_at: Vec<f64>,

    pub(super) tell_reduced: bool,
    pub(super) peer_marks: bool,
    pub(super) echo_run: bool,
    pub(super) mark_backoff: bool,
    /// The last packet sent again for an explicit loss notification.
    pub eln_last: i32,

    /// Packets sent.
    pub ndatapack: Traced<i32>,
    /// Bytes sent, without headers.
    pub ndatabytes: Traced<i32>,
    /// ACKs received.
    pub nackpack: Traced<i32>,
    /// Timeouts with packets in flight.
    pub nrexmit: Traced<i32>,
    /// Packets sent again.
    pub nrexmitpack: Traced<i32>,
    /// Bytes sent again.
    pub nrexmitbytes: Traced<i32>,
    /// Cuts because of an echoed mark.
    pub necnresponses: Traced<i32>,
    /// All cuts of the window.
    pub ncwndcuts: Traced<i32>,
    /// Cuts because of congestion.
    pub ncwndcuts1: Traced<i32>,

    pub(super) retransmit_timer: TimerId,
    pub(super) send_timer: TimerId,
}

params!(Connection {
    t_seqno, dupacks, seqno, ack, cwnd, ssthresh, maxseq, awnd,
    rtt = rtt.rtt, srtt = rtt.srtt, rttvar = rtt.rttvar, backoff = rtt.backoff,
    ndatapack, ndatabytes, nackpack, nrexmit, nrexmitpack, nrexmitbytes, necnresponses, ncwndcuts, ncwndcuts1,
});

impl Connection {
    /// A connection with default parameters.
    pub fn new(id: AgentId, net: &mut Network) -> Connection {
        let counter = |name| Traced::new(name, 0);
        Connection {
            end: Endpoint::new(id, PacketKind::Tcp, 1000),
            config: Config::default(),
            law_parameters: LawParameters::default(),
            law: cc::numbered(1),
            rtt: RoundTrip::default(),
            log: Log::default(),
            t_seqno: counter("t_seqno"),
            dupacks: counter("dupacks"),
            seqno: counter("seqno"),
            ack: counter("ack"),
            cwnd: Traced::new("cwnd", 0.0),
            ssthresh: counter("ssthresh"),
            maxseq: counter("maxseq"),
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
            idle: Idle::default(),
            timing: false,
            timed_seqno: -1,
            timed_at: 0.0,
            first_sent_at: 0.0,
            boot_time: 0.0,
            boot_draw: 0.0,
            reset_at: 0.0,
            peer_timestamp: 0.0,
            echoed_timestamp: 0.0,
            sent_at: Vec::new(),
            tell_reduced: false,
            peer_marks: false,
            echo_run: false,
            mark_backoff: false,
            eln_last: 0,
            ndatapack: counter("ndatapack"),
            ndatabytes: counter("ndatabytes"),
            nackpack: counter("nackpack"),
            nrexmit: counter("nrexmit"),
            nrexmitpack: counter("nrexmitpack"),
            nrexmitbytes: counter("nrexmitbytes"),
            necnresponses: counter("necnresponses"),
            ncwndcuts: counter("ncwndcuts"),
            ncwndcuts1: counter("ncwndcuts1"),
            retransmit_timer: net.add_timer(TimerOwner::Agent(id.0, RETRANSMIT)),
            send_timer: net.add_timer(TimerOwner::Agent(id.0, DELAYED_SEND)),
        }
    }

    /// Draws where between ticks the clock started; it counts from the next [`Connection::reset`] on.
    pub fn draw_boot_time(&mut self, net: &mut Network) {
        self.boot_draw = net.rng.default.unit();
    }

    /// Back to the start, with the present parameters.
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
        let counters = [
            &mut self.ndatapack,
            &mut self.ndatabytes,
            &mut self.nackpack,
            &mut self.nrexmitbytes,
            &mut self.nrexmit,
            &mut self.nrexmitpack,
            &mut self.necnresponses,
            &mut self.ncwndcuts,
            &mut self.ncwndcuts1,
        ];
        for counter in counters {
            counter.set(0, &mut self.log);
        }
        net.stop_timer(self.retransmit_timer);
        net.stop_timer(self.send_timer);
        if self.config.control_increase != 0 {
            self.previous_ack = *self.ack;
        }
        if let Some(law) = &mut self.law {
            law.reset(&self.law_parameters);
        }
        if self.config.q_option != 0 {
            self.idle.reset(net.now(), &self.config);
        }
    }

    /// Refuses, in words, what cannot be simulated.
    pub fn check(&self, net: &mut Network) {
        let config = &self.config;
        let wrong = if config.qs_enabled || config.print_request {
            "Quick-Start is not modelled"
        } else if config.tcp_tick <= 0.0 {
            "the clock's tick of a TCP sender must be positive"
        } else if self.end.packet_size <= 0 {
            "the packet size of a TCP sender must be positive"
        } else if config.numdupacks_frac == 0 {
            "numdupacks_frac divides the window; it must not be 0"
        } else {
            return;
        };
        net.fail(Trouble::Broken(wrong.into()));
    }

    /// The law with the number that the parameters name; none if there is no such law, which only matters once the
    /// window would grow.
    pub fn choose_law(&mut self) {
        self.law = cc::numbered(self.config.window_option);
    }

    /// The initial window, packets.
    pub fn initial_window(&self, net: &mut Network) -> f64 {
        match (self.config.window_init_option, self.end.packet_size) {
            (1, _) => self.config.window_init,
            (2, ..=1095) => 4.0,
            (2, ..2190) => 3.0,
            (2, _) => 2.0,
            (other, _) => {
                net.fail(Trouble::Broken(format!("there is no initial window option {other}, only 1 and 2")));
                2.0
            }
        }
    }

    /// Whole packets that may be in flight past the last ACK.
    #[inline]
    pub fn window(&self) -> i32 {
        let receiver = self.config.window;
        if self.frto == Frto::TwoNewSent {
            return (self.recover + 2 - *self.ack).min(receiver as i32);
        }
        if self.trim != 0.0 {
            return (self.cwnd.min(receiver) + self.trim) as i32;
        }
        (*self.cwnd as i32).saturating_add(self.inflation).min(receiver as i32)
    }

    /// The same, not cut to whole packets.
    #[inline]
    pub fn real_window(&self) -> f64 {
        (*self.cwnd + f64::from(self.inflation)).min(self.config.window)
    }

    /// Opens the window for an ACK of new data.
    #[inline]
    pub fn open_window(&mut self, net: &mut Network) {
        if *self.cwnd < f64::from(*self.ssthresh) {
            self.cwnd.set(*self.cwnd + 1.0, &mut self.log);
        } else {
            self.grow_by_law(net);
        }
        self.limit_window();
    }

    /// Opens the window as the law says.
    pub fn grow_by_law(&mut self, net: &mut Network) {
        let growth = Growth {
            cwnd: *self.cwnd,
            srtt_s: f64::from(self.rtt.smoothed_ticks(&self.config)) * self.config.tcp_tick,
            average: self.awnd,
            starting: matches!(self.last_cut, LastCut::None | LastCut::Timeout),
        };
        match &mut self.law {
            Some(law) => {
                let cwnd = law.grow(&growth, &self.law_parameters);
                self.cwnd.set(cwnd, &mut self.log);
            }
            None => {
                let option = self.config.window_option;
                net.fail(Trouble::Broken(format!("there is no window law {option}, only 0 to 6 and 8")));
            }
        }
    }

    /// Holds the window below its limit.
    #[inline]
    pub fn limit_window(&mut self) {
        let most = self.config.maxcwnd;
        if most != 0 && *self.cwnd as i32 > most {
            self.cwnd.set(f64::from(most), &mut self.log);
        }
    }

    /// Cuts window and threshold.
    pub fn cut(&mut self, threshold: NewThreshold, window: NewWindow, cause: Cause) {
        let log = &mut self.log;
        self.ncwndcuts.set(*self.ncwndcuts + 1, log);
        if cause == Cause::Congestion {
            self.ncwndcuts1.set(*self.ncwndcuts1 + 1, log);
        }
        let slow_start = *self.cwnd < f64::from(*self.ssthresh);
        let precise = self.config.precision_reduce;
        let usable = self.real_window();
        let (counted, half) = if precise {
            (usable, usable / 2.0)
        } else {
            let whole = self.window();
            (f64::from(whole), f64::from(whole / 2))
        };
        let congestion = Congestion { cwnd: *self.cwnd, usable, counted };
        let reduced = match &mut self.law {
            Some(law) => law.shrink(&congestion, &mut self.law_parameters),
            None => self.law_parameters.decrease_num * counted,
        };
        let reduced = if precise { reduced } else { reduced.trunc() };
        let by_half = self.first_cut || slow_start;

        let log = &mut self.log;
        match threshold {
            NewThreshold::Keep => {}
            NewThreshold::Reduced => {
                let left = if by_half || self.last_cut == LastCut::Timeout { half } else { reduced };
                self.ssthresh.set(left as i32, log);
            }
            NewThreshold::ThreeQuarters => {
                let most = 3.0 * *self.cwnd / 4.0;
                if f64::from(*self.ssthresh) < most {
                    self.ssthresh.set(most as i32, log);
                }
            }
        }
        let decrease_num = self.law_parameters.decrease_num;
        match window {
            NewWindow::Keep => {}
            NewWindow::Reduced => {
                self.cwnd.set(if by_half || decrease_num == 0.5 { half } else { reduced }, log);
            }
            NewWindow::Restart | NewWindow::One => self.cwnd.set(1.0, log),
            NewWindow::Initial => self.cwnd.set(self.config.window_init.trunc(), log),
            NewWindow::IdleRound => {
                self.cwnd.set(reduced, log);
                self.at_least_one();
            }
            NewWindow::TowardsUsed(used) => {
                let used = f64::from(used);
                self.cwnd.set(used + decrease_num * (counted - used), log);
                self.at_least_one();
            }
        }
        if *self.ssthresh < 2 {
            self.ssthresh.set(2, &mut self.log);
        }
        if matches!(window, NewWindow::Reduced | NewWindow::Restart | NewWindow::Initial | NewWindow::One) {
            self.tell_reduced = true;
        }
        if let Some(law) = &mut self.law {
            law.was_cut();
        }
        self.first_cut = false;
        if *self.cwnd == 1.0 || slow_start {
            self.happened("SLOW_START");
        }
    }

    /// Raises the window to one packet.
    pub fn at_least_one(&mut self) {
        if *self.cwnd < 1.0 {
            self.cwnd.set(1.0, &mut self.log);
        }
    }

    /// Sets the retransmission timer anew.
    #[inline]
    pub fn set_retransmit_timer(&mut self, net: &mut Network) {
        let timeout_s = self.rtt.timeout(&self.config);
        if timeout_s < 0.0 {
            net.fail(Trouble::Broken(format!("the retransmission timeout is {timeout_s} s; it must not be negative")));
            return;
        }
        net.set_timer(self.retransmit_timer, timeout_s);
    }

    /// Stops the retransmission timer.
    pub fn stop_retransmit_timer(&mut self, net: &mut Network) {
        net.stop_timer(self.retransmit_timer);
    }

    /// Restarts the retransmission timer for a retransmission, backed off or not, and stops timing a packet.
    pub fn restart_timer(&mut self, back_off: bool, net: &mut Network) {
        if back_off {
            self.rtt.back_off(&self.config, &mut self.log);
        }
        self.set_retransmit_timer(net);
        self.timing = false;
    }

    /// Sending goes on one past the last packet acknowledged.
    pub fn go_back(&mut self) {
        self.t_seqno.set(*self.ack + 1, &mut self.log);
    }

    /// Everything a retransmission timeout does, except for sending.
    pub fn time_out(&mut self, net: &mut Network) {
        self.happened("TIMEOUT");
        self.frto = Frto::Off;
        self.remember_window();
        self.at_least_one();
        let nothing_in_flight = *self.ack == *self.maxseq;
        if !nothing_in_flight || self.config.slow_start_restart {
            self.recover = *self.maxseq;
            self.first_packet_lost();
            if nothing_in_flight && self.config.restart_bugfix {
                self.cut(NewThreshold::Keep, NewWindow::One, Cause::Idleness);
            } else {
                if *self.ack < self.recover && self.last_cut == LastCut::Mark {
                    self.cut(NewThreshold::Keep, NewWindow::One, Cause::Congestion);
                } else {
                    self.nrexmit.set(*self.nrexmit + 1, &mut self.log);
                    self.last_cut = LastCut::Timeout;
                    self.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
                }
                if self.config.frto_enabled || self.config.sfrto_enabled {
                    self.frto = Frto::TimedOut;
                }
            }
        }
        self.restart_timer(!(nothing_in_flight && self.config.restart_bugfix), net);
        self.go_back();
        self.last_cut = LastCut::Timeout;
    }

    /// If the first packet was lost, the initial window is small from now on.
    fn first_packet_lost(&mut self) {
        let config = &mut self.config;
        if *self.ack != -1 {
            return;
        }
        if config.window_init_option == 2 {
            config.window_init_option = 1;
        } else if config.window_init_option == 1 && config.window_init > 1.0 && config.bugfix_ss {
            config.window_init = 1.0;
        }
    }

    /// Duplicate ACKs that are taken for a loss, where that depends on the window.
    pub fn duplicates_for_loss(&self) -> i32 {
        let part = (*self.cwnd as i32).checked_div(self.config.numdupacks_frac).unwrap_or(0);
        self.config.numdupacks.max(part)
    }

    /// Something happened that event traces tell.
    pub fn happened(&mut self, what: &'static str) {
        if let Some(place) = self.log.happenings {
            let fields = [f64::from(self.end.fid), f64::from(*self.t_seqno), self.cwnd.trunc()];
            self.log.notes.push(Note::Happened(place, what, fields));
        }
    }

    /// A parameter that is the connection's.
    pub fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name)
            .or_else(|| self.config.own_param(name))
            .or_else(|| self.law_parameters.own_param(name))
            .or_else(|| self.end.param(name))
    }

    /// Sets a parameter that is the connection's; whether the name is known.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        let known = self.set_own_param(name, value)
            || self.config.set_own_param(name, value)
            || self.law_parameters.set_own_param(name, value)
            || self.end.set_param(name, value);
        if name == "window_option" {
            self.choose_law();
        }
        known
    }
}
