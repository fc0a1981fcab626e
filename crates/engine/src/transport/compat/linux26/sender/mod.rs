//! The sender of ns-2.35's TCP-Linux: Linux's congestion states, forward acknowledgement, and a congestion control
//! selected by name.
//!
//! Source: P. Sarolahti and A. Kuznetsov, "Congestion control in Linux TCP", USENIX 2002; D. Wei and P. Cao, "NS-2
//! TCP-Linux: an NS-2 TCP implementation with congestion control algorithms from Linux", WNS2 2006; ns-2.35's
//! `Agent/TCP/Linux`.
//! What it decides: packets more than three below a SACK block are lost and retransmitted, and the window limits
//! packets in flight. One of [`super::cc::CONTROLS`] sets window and threshold. Without one, the base sender does.
//! Departures: in recovery, each ACK that moves a packet out of flight sends one packet until the new window is
//! reached; Linux sends one per two. The receiver's window limits growth, not sending. All Linux senders of a
//! simulation share clock and tunables; the clock shows the last ACK at any of them. The table of transmission times is
//! filled from the moment when a control that needs it is selected. A control selected in mid-connection starts from
//! zeros; in ns-2 it starts from the memory of the previous one.
//! Not implemented: F-RTO, undoing a cut, reordering (ns-2 has none of them).
//! Checked against: ns-2.35 (amd64).

mod rtt;
mod select;

use crate::measure::observe::TraceId;
use crate::net::{Network, SimulationError};
use crate::packet::flag;
use crate::params::Value;
use crate::transport::compat::linux26::cc::{CaEvent, CaState, Kernel, LinuxCongestionOps, Override, Socket};
use crate::transport::compat::linux26::loss_scoreboard::{LossScoreboard, News};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection, LastCut};
use crate::transport::one_way::recovery::Recovery;
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::traced::{Log, Note, Traced, Variable};
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// Initial window, packets.
const FIRST_WINDOW: u64 = 2;

/// No sample: for packet 0 and for ACKs that may be of a retransmission.
const NO_SAMPLE_SEQNO: i32 = 0;

/// The clock and the tunables that all Linux senders of a simulation share.
fn kernel_of(net: &mut Network) -> &mut Kernel {
    net.shared_state.of()
}

/// The state of a Linux sender besides its connection.
pub struct Linux {
    law: Option<Box<dyn LinuxCongestionOps>>,
    /// Index of the congestion control.
    chosen: Option<usize>,
    law_is_ready: bool,
    socket: Socket,
    scoreboard: LossScoreboard,
    /// Limit of packets in flight while the window is being reduced.
    allowed: Traced<i32, { Variable::NextPktsInFlight as u8 }>,
    overrides: Vec<Override>,
    remarks: Option<TraceId>,
}

impl Default for Linux {
    fn default() -> Linux {
        Linux {
            law: None,
            chosen: None,
            law_is_ready: false,
            socket: Socket::new(FIRST_WINDOW),
            scoreboard: LossScoreboard::default(),
            allowed: Traced::default(),
            overrides: Vec::new(),
            remarks: None,
        }
    }
}

/// Properties of an ACK.
#[derive(Clone, Copy, Default)]
struct AckSummary {
    acked: bool,
    marked: bool,
    news: News,
}

impl AckSummary {
    fn is_alert(&self) -> bool {
        self.news.sacked || self.marked
    }
}

impl Recovery for Linux {
    const BOUND: Bound = Bound::InFlight;

    /// A Linux threshold is unsigned: if YeAH subtracts too much, it wraps and appears here below 0.
    #[inline]
    fn invariants_hold(&self, _: &Connection) -> bool {
        true
    }

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        let now_s = net.now().secs();
        kernel_of(net).tick(now_s);
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        let before = *tcp.ack;
        if ack.seqno >= *tcp.t_seqno || ack.seqno < before {
            return;
        }
        if self.law.is_some() {
            kernel_of(net).put_on(&mut self.overrides);
        }
        self.socket.look_at(kernel_of(net), self.chosen);
        let in_flight = i64::from(self.in_flight(tcp)) as u64;
        let newly_acked = u64::from(ack.seqno.abs_diff(before));
        let mut signs = AckSummary {
            acked: newly_acked > 0,
            marked: ack.flags & flag::ECN_ECHO != 0 && tcp.config.ecn && ack.seqno > 0,
            news: News::default(),
        };
        if signs.acked {
            let bytes = newly_acked.wrapping_mul(self.socket.mss);
            self.socket.bytes_acked = self.socket.bytes_acked.wrapping_add(bytes);
            self.take_in(tcp, ack.seqno);
        }
        let blocks = net.packets.sack(ack.packet);
        if !blocks.is_empty() || !self.scoreboard.is_empty() {
            signs.news = self.scoreboard.update(*tcp.ack, blocks);
        }
        let is_sure = signs.acked && !signs.news.unsure;
        self.time(tcp, ack, if is_sure { ack.seqno } else { NO_SAMPLE_SEQNO }, net);
        self.update_control(tcp, ack, &signs, newly_acked, is_sure);
        let is_dubious = !signs.acked || signs.is_alert() || self.socket.state != CaState::Open;
        if is_dubious {
            let may_grow = !signs.marked || self.socket.snd_cwnd < self.socket.snd_ssthresh;
            if signs.acked && may_grow && self.socket.state != CaState::Recovery {
                self.grow(tcp, ack.seqno, in_flight, false, net);
            }
            self.follow_state(tcp, &signs);
        } else {
            tcp.previous_ack = *tcp.ack;
            self.grow(tcp, ack.seqno, in_flight, true, net);
        }
        if self.law.is_some() {
            self.save(tcp);
            kernel_of(net).take_off(&mut self.overrides);
        }
        self.hand_over_remark(net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::NONE, most, net);
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        let nothing_in_flight = *tcp.ack == *tcp.maxseq;
        if nothing_in_flight && !tcp.config.slow_start_restart {
            return;
        }
        tcp.last_cut = LastCut::Timeout;
        if nothing_in_flight && tcp.config.restart_bugfix {
            if self.law.is_some() {
                self.save(tcp);
            }
            self.cut(tcp, NewThreshold::Keep, NewWindow::Initial);
        } else {
            self.lose_all(tcp, net);
            tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
        }
        tcp.restart_timer(!nothing_in_flight, net);
        self.allowed.set(0, &mut tcp.log);
        self.socket.bytes_acked = 0;
        self.save(tcp);
        self.send(tcp, false, reason::TIMEOUT, 0, net);
    }

    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        if self.law.is_some() {
            self.save(tcp);
        }
        let most = tcp.config.maxburst;
        self.send(tcp, true, reason::TIMEOUT, most, net);
        self.load(tcp);
    }

    fn send(&mut self, tcp: &mut Connection, forced: bool, reason: u8, most: i32, net: &mut Network) {
        let mut window = self.socket.snd_cwnd as i32;
        if !forced && tcp.is_delayed(net) {
            return;
        }
        self.allow(tcp, self.in_flight(tcp) + 1);
        let mut sent = 0;
        while self.in_flight(tcp) < window.max(*self.allowed) {
            if tcp.config.overhead != 0.0 && !forced {
                tcp.delay_sending(net);
                return;
            }
            let seqno = match self.scoreboard.next_lost() {
                Some(lost) => {
                    self.scoreboard.sent_again(*tcp.t_seqno);
                    window = self.socket.snd_cwnd as i32;
                    lost
                }
                None if *tcp.t_seqno >= *tcp.seqno => return,
                None => {
                    let new = *tcp.t_seqno;
                    tcp.t_seqno.set(new + 1, &mut tcp.log);
                    new
                }
            };
            tcp.output(seqno, reason, net);
            self.allow(tcp, (self.in_flight(tcp) - 1).max(1));
            self.socket.snd_nxt = self.bytes_to(*tcp.t_seqno);
            sent += 1;
            if sent == most {
                return;
            }
        }
    }

    fn reset(&mut self, _: &mut Connection) {
        self.scoreboard.clear();
        self.socket.state = CaState::Open;
        self.socket.snd_cwnd = FIRST_WINDOW;
        self.socket.bytes_acked = 0;
        self.law_is_ready = false;
    }

    fn was_reset(&mut self, tcp: &mut Connection) {
        self.load_once(tcp);
        self.load(tcp);
    }

    fn param(&self, name: &str) -> Option<Value> {
        (name == self.allowed.name()).then(|| Value::Int(i64::from(*self.allowed)))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let is_mine = name == self.allowed.name();
        if is_mine {
            crate::params::Field::assign(&mut self.allowed, value);
        }
        is_mine
    }

    fn watch(&mut self, name: &str, place: TraceId, log: &mut Log) -> bool {
        if name == self.allowed.name() {
            log.watch(self.allowed.variable(), place);
        } else if name == "remarks" {
            self.remarks = Some(place);
        } else {
            return false;
        }
        true
    }

    fn note(&self, name: &str) -> Option<Note> {
        (name == self.allowed.name()).then(|| self.allowed.note())
    }

    fn command(
        &mut self,
        tcp: &mut Connection,
        name: &str,
        arguments: &[&str],
        net: &mut Network,
    ) -> Option<Result<String, String>> {
        self.choose(tcp, name, arguments, net)
    }
}

impl Linux {
    fn in_flight(&self, tcp: &Connection) -> i32 {
        *tcp.t_seqno - (*tcp.ack + 1) - self.scoreboard.not_in_flight()
    }

    fn bytes_to(&self, seqno: i32) -> u64 {
        (i64::from(seqno) as u64).wrapping_mul(self.socket.mss)
    }

    /// Lowers the limit of packets in flight to `most`, while the window is being reduced.
    fn allow(&mut self, tcp: &mut Connection, most: i32) {
        self.allowed.set(most.min(*self.allowed), &mut tcp.log);
    }

    /// Sets the highest packet acknowledged to `seqno`.
    fn take_in(&mut self, tcp: &mut Connection, seqno: i32) {
        tcp.ack.set(seqno, &mut tcp.log);
        self.socket.snd_una = self.bytes_to(seqno + 1);
        tcp.maxseq.set(seqno.max(*tcp.maxseq), &mut tcp.log);
        if *tcp.t_seqno < seqno + 1 {
            tcp.t_seqno.set(seqno + 1, &mut tcp.log);
            self.socket.snd_nxt = self.bytes_to(seqno + 1);
        }
    }

    fn update_control(
        &mut self,
        tcp: &Connection,
        ack: &ReceivedAck,
        signs: &AckSummary,
        newly_acked: u64,
        is_sure: bool,
    ) {
        let Some(law) = &mut self.law else { return };
        if !self.law_is_ready {
            law.init(&mut self.socket);
            self.law_is_ready = true;
        }
        if signs.acked {
            let sent_s = if is_sure { tcp.sending_time(ack.seqno) } else { None };
            law.pkts_acked(&mut self.socket, newly_acked, sent_s.map_or(0, |at_s| (at_s * 1e9).trunc() as i64));
        }
        let is_fast = self.socket.state == CaState::Open && !signs.is_alert() && signs.acked;
        law.event(&mut self.socket, if is_fast { CaEvent::FastAck } else { CaEvent::SlowAck });
    }

    /// Grows the window for an ACK.
    fn grow(&mut self, tcp: &mut Connection, seqno: i32, in_flight: u64, good: bool, net: &mut Network) {
        let ack = self.bytes_to(seqno + 1);
        if let Some(law) = &mut self.law {
            law.cong_avoid(&mut self.socket, ack, in_flight, good);
        } else {
            tcp.open_window(net);
            self.load(tcp);
        }
        if self.socket.divided_by_zero {
            let which = self.chosen.map_or("", |number| crate::transport::compat::linux26::cc::CONTROLS[number].id);
            net.fail(SimulationError::Broken(format!(
                "the congestion control {which} divides by zero, as it does in ns-2"
            )));
        }
    }

    /// Ends or starts recovery on a dubious ACK.
    fn follow_state(&mut self, tcp: &mut Connection, signs: &AckSummary) {
        if self.socket.state != CaState::Open && *tcp.ack >= tcp.recover {
            self.scoreboard.clear();
            if self.law.is_none() {
                self.load(tcp);
            }
            if self.socket.snd_cwnd < self.socket.snd_ssthresh {
                let most = self.in_flight(tcp) + i32::from(self.socket.max_burst);
                self.socket.snd_cwnd = i64::from((self.socket.snd_ssthresh as i32).min(most)) as u64;
            }
            self.set_state(CaState::Open);
            self.allowed.set(0, &mut tcp.log);
        } else if self.socket.state != CaState::Recovery && (signs.news.lost || signs.marked) {
            self.start_recovery(tcp);
            if signs.marked {
                tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
            }
            self.set_state(CaState::Recovery);
        }
    }

    fn start_recovery(&mut self, tcp: &mut Connection) {
        tcp.recover = *tcp.maxseq;
        tcp.last_cut = LastCut::Duplicates;
        self.allowed.set(self.socket.snd_cwnd as i32, &mut tcp.log);
        let Some(law) = &mut self.law else {
            self.cut(tcp, NewThreshold::Reduced, NewWindow::Reduced);
            return;
        };
        let socket = &mut self.socket;
        socket.snd_ssthresh = law.ssthresh(socket);
        socket.snd_cwnd_cnt = 0;
        socket.bytes_acked = 0;
        socket.snd_cwnd = law.min_cwnd(socket);
        tcp.count_cut();
    }

    /// Handles a timeout.
    fn lose_all(&mut self, tcp: &mut Connection, net: &mut Network) {
        kernel_of(net).put_on(&mut self.overrides);
        let socket = &mut self.socket;
        socket.look_at(kernel_of(net), self.chosen);
        if let Some(law) = &mut self.law {
            socket.snd_ssthresh = law.ssthresh(socket);
            law.event(socket, CaEvent::Timeout);
            socket.snd_cwnd = 1;
            socket.snd_cwnd_cnt = 0;
            socket.bytes_acked = 0;
            tcp.count_cut();
        } else {
            self.cut(tcp, NewThreshold::Reduced, NewWindow::Restart);
        }
        tcp.recover = *tcp.maxseq;
        self.set_state(CaState::Loss);
        self.scoreboard.lose_all(*tcp.ack + 1, *tcp.t_seqno);
        kernel_of(net).take_off(&mut self.overrides);
    }

    /// Applies the base sender's window cut to the Linux window.
    fn cut(&mut self, tcp: &mut Connection, threshold: NewThreshold, window: NewWindow) {
        let usable = self.socket.snd_cwnd;
        tcp.cut_from(usable as f64, usable as i32, threshold, window, Cause::Congestion);
        self.load(tcp);
    }

    fn set_state(&mut self, state: CaState) {
        if let Some(law) = &mut self.law {
            law.set_state(&mut self.socket, state);
        }
        self.socket.state = state;
    }

    fn hand_over_remark(&mut self, net: &mut Network) {
        if let Some(remark) = self.socket.remark.take()
            && let Some(place) = self.remarks
        {
            let now = net.now();
            net.observer.happening(place, now, "TCP-LP", &remark.fields.map(|field| field as f64));
        }
    }

    /// Copies the base sender's variables to the socket.
    fn load(&mut self, tcp: &mut Connection) {
        let socket = &mut self.socket;
        socket.snd_ssthresh = i64::from(*tcp.ssthresh) as u64;
        let cwnd = tcp.cwnd.trunc() as i32;
        let linux_cwnd = socket.snd_cwnd as i32;
        if *self.allowed > linux_cwnd && *tcp.cwnd >= f64::from(linux_cwnd) {
            self.allowed.set(cwnd, &mut tcp.log);
        } else {
            socket.snd_cwnd = i64::from(cwnd) as u64;
        }
        socket.snd_cwnd_clamp = tcp.config.window as i32 as u32;
    }

    /// Copies the socket's variables to the base sender.
    fn save(&mut self, tcp: &mut Connection) {
        let cwnd = self.socket.snd_cwnd;
        let is_going_down = *self.allowed > cwnd as i32;
        let shown = if is_going_down { f64::from(*self.allowed) } else { cwnd as f64 };
        tcp.cwnd.set(shown, &mut tcp.log);
        tcp.ssthresh.set(self.socket.snd_ssthresh as i32, &mut tcp.log);
        tcp.last_ack = *tcp.ack;
    }

    /// Initialises the socket from the parameters.
    fn load_once(&mut self, tcp: &Connection) {
        let socket = &mut self.socket;
        socket.snd_cwnd_clamp = tcp.config.window.round() as i64 as u32;
        socket.snd_ssthresh = u64::from(socket.snd_cwnd_clamp);
        socket.mss = i64::from(tcp.end.packet_size) as u64;
    }
}
