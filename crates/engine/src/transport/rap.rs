//! RAP, the Rate Adaptation Protocol: a datagram sender with an AIMD rate.
//!
//! Source: R. Rejaie, M. Handley, D. Estrin, "RAP: An End-to-end Rate-based Congestion Control Mechanism for Realtime
//! Streams in the Internet", INFOCOM 1999; ns-2.35's `Agent/RAP`, which is sender and receiver in one.
//! What it decides: the inter-packet gap.
//! Departures: none from ns-2. As there, only the first RTT sample of all senders together initializes the estimate
//! directly.
//! Not implemented: applications that supply their own data, the log of `debugEnable_`.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError, Upcall};
use crate::packet::header::{Header, RapHeader};
use crate::packet::{PacketId, PacketKind};
use crate::params::{Params, Value};
use crate::random::rng::Source;
use crate::transport::agent::{Agent, Endpoint, Entry};

/// RAP's entry of the registry.
pub const AGENTS: &[Entry] = &[Entry {
    id: "rap",
    about: "datagrams at an additively increased, multiplicatively decreased rate (Rejaie and others 1999)",
    make: |id, net| Box::new(Rap::new(id, net)),
}];

const SEND: u8 = 0;
const ROUND: u8 = 1;
/// A packet is lost when a packet this many later has arrived.
const LATE: i32 = 3;

/// A packet in the transmission history: neither acknowledged nor lost yet.
struct Sent {
    seqno: i32,
    at_s: f64,
    /// Sent before the last loss event was detected: its own loss belongs to that event.
    is_excused: bool,
}

/// Whether any RAP sender of the simulation has an RTT sample. ns-2 initialises the RTT estimator only at the first
/// sample of all senders.
#[derive(Default)]
struct HasSample(bool);

#[derive(Params)]
struct Rap {
    end: Endpoint,
    #[param(state)]
    seqno: i32,
    #[param(state)]
    session_loss_count: i32,
    /// The inter-packet gap, s.
    #[param(state)]
    ipg: f64,
    #[param(state)]
    alpha: f64,
    #[param(state)]
    beta: f64,
    #[param(state)]
    srtt: f64,
    #[param(state)]
    variance: f64,
    #[param(state)]
    delta: f64,
    #[param(state)]
    mu: f64,
    #[param(state)]
    phi: f64,
    #[param(state)]
    timeout: f64,
    #[param(state)]
    overhead: f64,
    #[param(state)]
    use_fine_grain: i32,
    #[param(state)]
    kfrtt: f64,
    #[param(state)]
    kxrtt: f64,
    #[param(state)]
    rap_base_hdr_size: i32,
    #[param(state)]
    dpthresh: i32,
    fast_rtt: f64,
    slow_rtt: f64,
    history: Vec<Sent>,
    /// Number of packets to send, if limited.
    limit: Option<i32>,
    sent_in_round: i32,
    is_stopped: bool,
    was_answered: bool,
    received: RapHeader,
    send_timer: TimerId,
    round_timer: TimerId,
}

impl Rap {
    fn new(id: AgentId, net: &mut Network) -> Rap {
        Rap {
            end: Endpoint::new(id, PacketKind::RapData, 512),
            seqno: 0,
            session_loss_count: 0,
            ipg: 2.0,
            alpha: 1.0,
            beta: 0.5,
            srtt: 2.0,
            variance: 0.0,
            delta: 0.5,
            mu: 1.2,
            phi: 4.0,
            timeout: 2.0,
            overhead: 0.0,
            use_fine_grain: 0,
            kfrtt: 0.9,
            kxrtt: 0.01,
            rap_base_hdr_size: 44,
            dpthresh: 50,
            fast_rtt: 2.0,
            slow_rtt: 2.0,
            history: Vec::new(),
            limit: None,
            sent_in_round: 0,
            is_stopped: false,
            was_answered: false,
            received: RapHeader { is_ack: false, last: 0, missing: 0, before: 0 },
            send_timer: net.add_timer(TimerOwner::Agent(id.0, SEND)),
            round_timer: net.add_timer(TimerOwner::Agent(id.0, ROUND)),
        }
    }

    fn start(&mut self, net: &mut Network) {
        self.is_stopped = false;
        self.end_round(net);
        self.send_next(net);
    }

    fn stop(&mut self, net: &mut Network) {
        net.stop_timer(self.send_timer);
        net.stop_timer(self.round_timer);
        self.is_stopped = true;
    }

    /// The inter-packet gap is over. On a new loss event the sender backs off instead of sending.
    fn send_next(&mut self, net: &mut Network) {
        let (now_s, timeout_s) = (net.now().secs(), self.timeout);
        if self.notice_losses(|sent| if sent.at_s + timeout_s <= now_s { Known::Lost } else { Known::Nothing }) {
            self.back_off(net);
        } else if self.limit.is_none_or(|limit| self.seqno < limit) {
            self.send_packet(net);
            self.sent_in_round += 1;
        }
        let gap_s = if self.use_fine_grain != 0 { self.fast_rtt / self.slow_rtt * self.ipg } else { self.ipg };
        let dither_s = net.rng.of(Source::Sending(self.end.id.0)).uniform_below(self.overhead);
        if !self.is_stopped {
            self.wait(self.send_timer, gap_s + dither_s, net);
        }
    }

    fn send_packet(&mut self, net: &mut Network) {
        self.end.kind = PacketKind::RapData;
        self.seqno += 1;
        let id = self.end.make_packet(net);
        net.packets.set_header(id, Header::Rap(RapHeader { is_ack: false, last: 0, missing: 0, before: 0 }));
        net.packets[id].seqno = self.seqno;
        self.end.send(net, id);
        self.history.push(Sent { seqno: self.seqno, at_s: net.now().secs(), is_excused: false });
    }

    /// A round trip is over: decreases the gap (additive increase), if enough packets were sent.
    fn end_round(&mut self, net: &mut Network) {
        if f64::from(100 * self.sent_in_round) * (self.ipg / self.srtt) >= f64::from(self.dpthresh) {
            self.ipg *= self.srtt / (self.alpha * self.ipg + self.srtt);
        }
        self.sent_in_round = 0;
        self.wait(self.round_timer, self.srtt, net);
    }

    fn wait(&self, timer: TimerId, delay_s: f64, net: &mut Network) {
        if (0.0..f64::INFINITY).contains(&delay_s) {
            net.set_timer(timer, delay_s);
        } else {
            net.fail(SimulationError::Broken(format!(
                "RAP computed a delay of {delay_s} s; ipg, srtt, alpha and beta must be positive"
            )));
        }
    }

    /// Multiplicative decrease: increases the gap, and excuses the packets in flight.
    fn back_off(&mut self, net: &mut Network) {
        self.ipg /= self.beta;
        for sent in &mut self.history {
            sent.is_excused = true;
        }
        self.wait(self.round_timer, self.srtt, net);
    }

    /// Removes arrived and lost packets from the history; returns whether an unexcused packet is lost.
    fn notice_losses(&mut self, known: impl Fn(&Sent) -> Known) -> bool {
        let (mut lost, mut unexcused) = (0, false);
        self.history.retain(|sent| {
            let fate = known(sent);
            if fate == Known::Lost {
                lost += 1;
                unexcused |= !sent.is_excused;
            }
            fate == Known::Nothing
        });
        self.session_loss_count += lost;
        unexcused
    }

    fn take_ack(&mut self, seqno: i32, ack: RapHeader, net: &mut Network) {
        if let Some(place) = self.history.iter().position(|sent| sent.seqno == seqno) {
            let sent = self.history.remove(place);
            self.sample(net.now().secs() - sent.at_s, net);
        }
        if !self.was_answered {
            self.was_answered = true;
            self.ipg = self.srtt;
        }
        let has_loss = self.notice_losses(|sent| {
            if sent.seqno > ack.last {
                Known::Nothing
            } else if sent.seqno > ack.missing || sent.seqno == ack.before {
                Known::Arrived
            } else if ack.last - sent.seqno >= LATE {
                Known::Lost
            } else {
                Known::Nothing
            }
        });
        if has_loss {
            self.back_off(net);
        }
        if self.limit.is_some_and(|limit| seqno >= limit) {
            self.stop(net);
            net.notify(Upcall::Done(self.end.id));
        }
    }

    /// Updates the RTT estimates with a sample.
    fn sample(&mut self, round_trip_s: f64, net: &mut Network) {
        if !std::mem::replace(&mut net.shared_state.of::<HasSample>().0, true) {
            self.srtt = round_trip_s;
            self.fast_rtt = round_trip_s;
            self.slow_rtt = round_trip_s;
            self.variance = 0.0;
        }
        let error = round_trip_s - self.srtt;
        self.srtt += self.delta * error;
        self.variance += self.delta * (error.abs() - self.variance);
        self.timeout = self.mu * self.srtt + self.phi * self.variance;
        if self.use_fine_grain != 0 {
            self.fast_rtt = (1.0 - self.kfrtt) * self.fast_rtt + self.kfrtt * round_trip_s;
            self.slow_rtt = (1.0 - self.kxrtt) * self.slow_rtt + self.kxrtt * round_trip_s;
        }
    }

    /// Handles a data packet: updates the last packet and the hole below it, and acknowledges it.
    fn take_packet(&mut self, seqno: i32, net: &mut Network) {
        let hole = &mut self.received;
        if seqno > hole.last + 1 {
            *hole = RapHeader { before: hole.last, last: seqno, missing: seqno - 1, ..*hole };
        } else if seqno == hole.last + 1 {
            hole.last = seqno;
        } else if seqno == hole.missing {
            if hole.before + 1 == seqno {
                (hole.before, hole.missing) = (0, 0);
            } else {
                hole.missing -= 1;
            }
        } else if hole.before < seqno && seqno < hole.missing {
            hole.before = seqno;
        }
        self.end.kind = PacketKind::RapAck;
        let ack = self.end.make_packet(net);
        net.packets.set_header(ack, Header::Rap(RapHeader { is_ack: true, ..self.received }));
        net.packets[ack].seqno = seqno;
        net.packets[ack].size = self.rap_base_hdr_size;
        self.end.send(net, ack);
    }
}

/// The fate of a sent packet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Arrived,
    Lost,
}

impl Agent for Rap {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let seqno = net.packets[id].seqno;
        match net.packets.header(id) {
            Some(&Header::Rap(ack)) if ack.is_ack => self.take_ack(seqno, ack, net),
            Some(Header::Rap(_)) => self.take_packet(seqno, net),
            _ => {}
        }
        net.free(id);
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        match which {
            SEND => self.send_next(net),
            _ => self.end_round(net),
        }
    }

    fn advance(&mut self, packets: i32, net: &mut Network) {
        self.limit = Some(packets);
        self.start(net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    /// `start`, `stop`; `initialize` copies `srtt` to the fine-grain estimates.
    fn command(&mut self, name: &str, _arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match name {
            "start" => self.start(net),
            "stop" => self.stop(net),
            "initialize" => (self.fast_rtt, self.slow_rtt) = (self.srtt, self.srtt),
            _ => return Err(format!("rap has no command {name}; it has start, stop, initialize")),
        }
        Ok(String::new())
    }
}
