//! TCP as Linux 6.18 has it, as an agent of a simulation: a [`Socket`] with an application, a timer and packets.
//!
//! Source: [`super::socket`] names its sources; the agent adds none.
//! What it decides: how the application's data reach the socket, how a segment of several packets is cut into packets
//! (segmentation offload), and that received data are read at once. The first data open the connection; the agent that
//! was told to listen accepts it. The peer's FIN closes this side, too, when all data are sent.
//! Departures: none. Not implemented: several connections of one agent at a time.
//! Checked against: packetdrill scripts of the socket; tests/scenario/test_tcp.py.

mod prediction;
mod steering;
mod transmit;

pub use steering::{monitor, steer, totals};

use crate::event::timer::{TimerId, TimerOwner};
use crate::measure::endpoint_stats::Progress;
use crate::measure::observe::TraceId;
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError, Upcall};
use crate::packet::header::Header;
use crate::packet::segment::{EcnCodepoint, HEADERS, Segment, flag as tcp_flag};
use crate::packet::seq::SeqNum;
use crate::packet::{PacketId, PacketKind, flag};
use crate::params::{Parameter, Value};
use crate::random::rng::{Seed, Source};
use crate::transport::agent::{Agent, Endpoint, Entry};
use crate::transport::external_control;
use crate::transport::tcp::agent_settings::Settings;
use crate::transport::tcp::agent_trace::{Trace, VARIABLES, Values};
use crate::transport::tcp::cc::Control;
use crate::transport::tcp::cc::model_log::ModelLog;
use crate::transport::tcp::controls;
use crate::transport::tcp::external_adapter::ExternalAdapter;
use crate::transport::tcp::gro::Ring;
use crate::transport::tcp::socket::clock::Instant;
use crate::transport::tcp::socket::{Event, SendFlags, Socket, TcpState};

/// The agent's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "tcp",
    about: "TCP as Linux has it: both directions, handshake, options, windows, RACK-TLP, PRR; a congestion control by name (Linux 6.18)",
    make: |id, net| Box::new(TcpAgent::new(id, net)),
};

/// The agent's timers: the socket's, and the interface's interrupt.
const SOCKET: u8 = 0;
const POLL: u8 = 1;

/// What the application has given, beyond what the socket has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backlog {
    Bytes(u64),
    Unlimited,
}

/// The agent.
struct TcpAgent {
    end: Endpoint,
    settings: Settings,
    /// The id of the congestion control, unless that is external.
    control: String,
    /// Parameters set of the congestion control, in order.
    control_values: Vec<(String, Value)>,
    /// The congestion control was given from outside, so that the next socket takes the same one.
    has_external_control: bool,
    seed: Seed,
    socket: Socket,
    timer: TimerId,
    /// When the timer expires.
    armed: Option<Instant>,
    backlog: Backlog,
    /// The send buffer has room, as far as the application knows.
    may_write: bool,
    /// The application has closed the connection; the FIN follows the data.
    is_closing: bool,
    /// It waits for connections.
    listens: bool,
    bytes_received: i64,
    /// Retransmissions and timeouts of former connections.
    earlier: [u64; 2],
    /// Initial sequence numbers: this side's and the peer's.
    iss: SeqNum,
    irs: SeqNum,
    /// Last.ACK.sent and TS.Recent of RFC 7323, 4.3, with the time of sending in s, for statistics.
    last_ack_sent: SeqNum,
    ts_recent_s: f64,
    trace: Trace,
    /// The course of the control's model, if it is recorded.
    model_log: Option<Box<ModelLog>>,
    /// Packets that wait for the interface's interrupt, if it is delayed.
    ring: Option<Box<Ring>>,
}

impl TcpAgent {
    fn new(id: AgentId, net: &mut Network) -> TcpAgent {
        let settings = Settings::default();
        TcpAgent {
            end: Endpoint::new(id, PacketKind::Tcp, 1500),
            socket: Socket::new(settings.config("cubic", Seed::default()), SeqNum(0), 0),
            settings,
            control: "cubic".to_owned(),
            control_values: Vec::new(),
            has_external_control: false,
            seed: Seed::default(),
            timer: net.add_timer(TimerOwner::Agent(id.0, SOCKET)),
            armed: None,
            backlog: Backlog::Bytes(0),
            may_write: false,
            is_closing: false,
            listens: false,
            bytes_received: 0,
            earlier: [0; 2],
            iss: SeqNum(0),
            irs: SeqNum(0),
            last_ack_sent: SeqNum(0),
            ts_recent_s: -1.0,
            trace: Trace::default(),
            model_log: None,
            ring: None,
        }
    }

    fn now(net: &Network) -> Instant {
        Instant::from_secs_f64(net.now().secs())
    }

    /// A new socket in place of the old one, with the present settings.
    fn start_over(&mut self, net: &mut Network) {
        let info = self.socket.info(TcpAgent::now(net));
        self.earlier[0] += u64::from(info.tcpi_total_retrans);
        self.earlier[1] += u64::from(info.tcpi_total_rto);
        let mut socket = Socket::new(self.settings.config(&self.control, self.seed), self.iss, 0);
        if self.has_external_control {
            socket.set_own_control(self.socket.take_control());
        }
        for (name, value) in &self.control_values {
            socket.control_mut().set_param(name, *value);
        }
        self.socket = socket;
        net.stop_timer(self.timer);
        (self.armed, self.is_closing, self.ts_recent_s) = (None, false, -1.0);
        if self.listens {
            let _ = self.socket.listen();
        }
    }

    /// Opens the connection if there is none.
    fn open(&mut self, net: &mut Network) {
        if self.socket.state() == TcpState::TimeWait {
            self.start_over(net);
        }
        if matches!(self.socket.state(), TcpState::Closed | TcpState::Listen) {
            self.listens = false;
            self.start_over(net);
            let _ = self.socket.connect(TcpAgent::now(net));
        }
    }

    /// Lets the application read and write, and sends what the socket has to send.
    fn work(&mut self, now: Instant, net: &mut Network) {
        loop {
            self.handle_events(net);
            self.read(now, net);
            self.write(now, net);
            if !self.socket.has_events() {
                break;
            }
        }
        self.report_changes(net);
        if let Some(log) = &mut self.model_log {
            self.socket.log_model(now.as_secs_f64(), log);
        }
        self.trace.report_connection(&mut self.socket, net);
        self.send_segments(now, net);
        if self.has_external_control
            && let Some(error) = self.socket.take_error()
        {
            net.fail(SimulationError::Broken(error));
        }
    }

    /// Remembers the time of sending of a segment whose timestamp is to be echoed (RFC 7323, 4.3, (2)).
    #[inline]
    fn note_timestamp(&mut self, seq: SeqNum, end_seq: SeqNum, sent_s: f64) {
        if !seq.after(self.last_ack_sent) && self.last_ack_sent.before(end_seq.add(1)) {
            self.ts_recent_s = sent_s;
        }
    }

    /// The socket gets a segment, which was sent at `sent_s`.
    fn take(&mut self, segment: &Segment, sent_s: f64, net: &mut Network) {
        if segment.has(tcp_flag::SYN) {
            self.irs = segment.seq;
            self.last_ack_sent = segment.seq;
        }
        self.note_timestamp(segment.seq, segment.end_seq(), sent_s);
        let now = TcpAgent::now(net);
        self.trace.received(segment, net);
        self.socket.on_segment(now, segment);
        self.work(now, net);
    }

    fn read(&mut self, now: Instant, net: &mut Network) {
        let readable = self.socket.readable();
        if readable > 0
            && let Ok(bytes) = self.socket.receive(now, readable)
            && bytes > 0
        {
            self.bytes_received += bytes as i64;
            net.notify(Upcall::Received(self.end.id, bytes.min(i32::MAX as u64) as i32));
        }
        if self.socket.state() == TcpState::CloseWait && self.socket.readable() == 0 {
            self.is_closing = true;
        }
    }

    fn write(&mut self, now: Instant, net: &mut Network) {
        let wanted = match self.backlog {
            Backlog::Bytes(bytes) => bytes,
            Backlog::Unlimited => u64::from(u32::MAX),
        };
        if wanted > 0 && self.may_write {
            let accepted = self.socket.send(now, wanted, SendFlags::default()).unwrap_or(0);
            self.may_write = accepted == wanted;
            if let Backlog::Bytes(bytes) = &mut self.backlog {
                *bytes -= accepted;
                if *bytes == 0 {
                    net.notify(Upcall::Idle(self.end.id));
                }
            }
        }
        let has_sent_all = self.backlog == Backlog::Bytes(0);
        if self.is_closing && has_sent_all && !matches!(self.socket.state(), TcpState::SynSent | TcpState::SynReceived)
        {
            self.is_closing = false;
            let _ = self.socket.shutdown(now);
        }
    }

    fn handle_events(&mut self, net: &mut Network) {
        while let Some(event) = self.socket.poll_event() {
            match event {
                Event::Connected | Event::Writable => self.may_write = true,
                Event::Readable => {}
                Event::Failed(_) | Event::Closed => {
                    net.notify(Upcall::Done(self.end.id));
                    if self.listens {
                        self.start_over(net);
                    }
                }
            }
        }
    }

    #[inline]
    fn set_timer(&mut self, now: Instant, net: &mut Network) {
        match self.socket.next_timeout() {
            None => {
                if self.armed.take().is_some() {
                    net.stop_timer(self.timer);
                }
            }
            // A timer that was put off expires once for nothing: cheaper than to set it for each packet.
            Some(deadline) if self.armed.is_none_or(|armed| deadline < armed) => {
                self.armed = Some(deadline);
                net.set_timer(self.timer, deadline.since(now).as_secs_f64());
            }
            Some(_) => {}
        }
    }

    /// The values of the traced variables.
    fn values(&self) -> Values {
        let backlog = match self.backlog {
            Backlog::Unlimited => None,
            Backlog::Bytes(bytes) => Some(bytes),
        };
        Values::new(&self.socket, self.iss, backlog, self.earlier[0])
    }

    #[inline]
    fn report_changes(&mut self, net: &mut Network) {
        if self.trace.is_on() {
            let values = self.values();
            self.trace.report(&values, net);
        }
    }

    /// Takes the congestion control with this id.
    fn choose_control(&mut self, id: &str) -> Result<(), String> {
        let Some(control) = controls::named(id) else {
            let known: Vec<&str> = controls::entries().map(|(id, _)| id).collect();
            return Err(format!("unknown congestion control {id}; expected one of {}", known.join(", ")));
        };
        self.control = id.to_owned();
        self.control_values.clear();
        self.has_external_control = false;
        self.socket.set_own_control(control);
        Ok(())
    }
}

/// Gives a TCP agent a congestion control that is not in the registry; returns whether `agent` is one.
pub fn give_control(agent: &mut dyn Agent, control: Box<dyn Control>) -> bool {
    let Some(agent) = (agent as &mut dyn std::any::Any).downcast_mut::<TcpAgent>() else { return false };
    agent.control_values.clear();
    agent.socket.set_own_control(control);
    agent.has_external_control = true;
    true
}

impl Agent for TcpAgent {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        if self.receive_predicted(packet, net) {
            return;
        }
        let Some(&Header::Tcp(mut segment)) = net.packets.header(packet) else {
            net.free(packet);
            return;
        };
        let (sent_s, is_marked) = (net.packets[packet].ts, net.packets[packet].has(flag::MARKED));
        net.free(packet);
        if is_marked {
            segment.ecn = EcnCodepoint::Ce;
        }
        if self.settings.gro > 0.0 {
            let id = self.end.id;
            let ring =
                self.ring.get_or_insert_with(|| Box::new(Ring::new(net.add_timer(TimerOwner::Agent(id.0, POLL)))));
            ring.push((segment, sent_s), self.settings.gro, net);
        } else {
            self.take(&segment, sent_s, net);
        }
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        if which == POLL {
            let arrived = self.ring.as_mut().map(|ring| ring.poll(self.settings.hz)).unwrap_or_default();
            for (segment, sent_s) in arrived {
                self.take(&segment, sent_s, net);
            }
            return;
        }
        self.armed = None;
        let now = TcpAgent::now(net);
        if self.socket.next_timeout().is_some_and(|deadline| deadline <= now) {
            self.socket.on_timeout(now);
            self.work(now, net);
        } else {
            self.set_timer(now, net);
        }
    }

    fn send_bytes(&mut self, bytes: Option<i64>, _flags: &str, net: &mut Network) {
        self.backlog = match (self.backlog, bytes) {
            (Backlog::Bytes(present), Some(more)) => Backlog::Bytes(present + more.max(0) as u64),
            _ => Backlog::Unlimited,
        };
        self.may_write = true;
        self.open(net);
        self.work(TcpAgent::now(net), net);
    }

    fn advance(&mut self, packets: i32, net: &mut Network) {
        let bytes = (packets < 0x1000_0000).then(|| i64::from(packets) * i64::from(self.settings.segsize));
        self.send_bytes(bytes, "", net);
    }

    fn message_bytes(&self) -> i32 {
        self.settings.segsize
    }

    fn close(&mut self, net: &mut Network) {
        self.backlog = Backlog::Bytes(0);
        self.is_closing = self.settings.fin;
        self.work(TcpAgent::now(net), net);
    }

    fn reset(&mut self, net: &mut Network) {
        (self.backlog, self.bytes_received) = (Backlog::Bytes(0), 0);
        let id = self.end.id.0;
        self.seed = match net.rng.of(Source::Control(id)).own_seed() {
            Some(seed) => Seed::Hashed(seed),
            None => Seed::Same(1 + (net.rng.of(Source::Clock(id)).first_unit() * f64::from(i32::MAX - 1)) as u32),
        };
        if let Some(ring) = &mut self.ring {
            ring.clear(net);
        }
        self.start_over(net);
        self.earlier = [0; 2];
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.settings.describe_own(out);
        self.socket.control().describe(out);
    }

    fn set_control(&mut self, control: Box<dyn external_control::ExternalCongestionOps>) -> bool {
        self.socket.set_own_control(Box::new(ExternalAdapter::new(control)));
        self.control_values.clear();
        self.has_external_control = true;
        true
    }

    fn param(&self, name: &str) -> Option<Value> {
        if let Some(which) = VARIABLES.iter().position(|&known| known == name) {
            return Some(Value::Real(self.values().of(which)));
        }
        let info = || self.socket.progress();
        Some(match name {
            "bytes_received" => Value::Int(self.bytes_received),
            "nrexmit" => Value::Int((self.earlier[1] + u64::from(info().total_rto)) as i64),
            "maxseq" => Value::Real(self.values().t_seqno),
            "syn" => Value::Flag(true),
            "tcpip_base_hdr_size" => Value::Int(i64::from(HEADERS) + 20),
            _ => {
                let own = self.settings.own_param(name).or_else(|| self.socket.control().param(name));
                return own.or_else(|| self.end.param(name));
            }
        })
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        if self.settings.set_own_param(name, value) {
            return true;
        }
        if self.socket.control_mut().set_param(name, value) {
            self.control_values.push((name.to_owned(), value));
            return true;
        }
        self.end.set_param(name, value)
    }

    fn progress(&self) -> Progress {
        self.values().progress()
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        self.trace.watch(name, place)
    }

    fn report(&mut self, _name: Option<&str>, net: &mut Network) {
        self.report_changes(net);
    }

    fn violation(&self) -> Option<String> {
        self.socket.window_violation()
    }

    /// `advance PACKETS` and `advanceby PACKETS`: the application gives data; `listen`; `congestion_control NAME`;
    /// `record_model`, which records the course of the control's model from now on; `model_changes`, which returns it.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("advance" | "advanceby", [packets]) => {
                let packets = packets.parse().map_err(|_| format!("{name} takes a whole number, not {packets}"))?;
                if packets > 0 {
                    self.advance(packets, net);
                }
                Ok(String::new())
            }
            ("listen", []) => {
                self.listens = true;
                self.start_over(net);
                Ok(String::new())
            }
            ("congestion_control", [control]) => self.choose_control(control).map(|()| String::new()),
            ("record_model", []) => {
                self.model_log = Some(Box::default());
                Ok(String::new())
            }
            ("model_changes", []) => Ok(self.model_log.take().map_or_else(String::new, |log| log.text().to_owned())),
            _ => Err(format!(
                "tcp has no command {name}; it has advance, advanceby, listen, congestion_control, record_model, model_changes"
            )),
        }
    }
}
