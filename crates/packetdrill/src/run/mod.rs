//! Runs a script against a simulated socket, in virtual time.
//!
//! Source: packetdrill's `run.c`, `run_packet.c` and `run_system_call.c`. Relative times count from the moment at which
//! the previous event was done, as there: for an expected packet that is the time at which it came out. Virtual time
//! passes only while the script waits.

mod calls;
mod compare;
mod connection;
mod descriptors;
mod environment;
mod features;
mod options;
mod outbound;
mod python;
mod runner;
mod settings;
mod shell;
mod sockets;
mod symbols;
mod wire;

use std::collections::{BTreeMap, VecDeque};

use ackclock_engine::random::rng::Seed;
use ackclock_engine::transport::tcp::socket::clock::{Duration, Instant};

use crate::script::{Action, Body, Code, Direction, EcnSpec, Event, EventTime, Packet, Script, TcpPacket};
use descriptors::UnderTest;
use environment::Environment;
pub use runner::Record;
use runner::{Runner, START, Sniffed, Step, Stop};
pub use settings::Settings;

/// What came of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All packets, results and assertions are as the script says.
    Passes,
    /// Something differs: packetdrill's message, from file and line on.
    Differs(String),
    /// A simulation does not have what the script needs: the feature's name.
    NotApplicable(String),
}

/// Verdict and packets of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// What came of it.
    pub verdict: Verdict,
    /// All packets of the connections under test, in their order.
    pub packets: Vec<Record>,
    /// What code blocks have printed, a line each.
    pub printed: Vec<String>,
}

/// Runs `script`.
pub fn run(script: &Script, settings: &Settings) -> Report {
    let mut settings = settings.clone();
    let refused = settings.apply(&script.options).err();
    let missing = features::missing(script).map(|(line, name)| format!("{name} (line {line})"));
    if let Some(feature) = missing.or(refused) {
        return Report { verdict: Verdict::NotApplicable(feature), packets: Vec::new(), printed: Vec::new() };
    }
    let mut runner = Runner::new(script, settings);
    let verdict = match runner.run() {
        Ok(()) => Verdict::Passes,
        Err(Stop::NotApplicable(feature)) => Verdict::NotApplicable(feature),
        Err(Stop::Differs { line, message }) => Verdict::Differs(format!("{}:{line}: {message}", script.name)),
    };
    Report { verdict, packets: runner.packets, printed: runner.printed }
}

impl<'a> Runner<'a> {
    fn new(script: &'a Script, settings: Settings) -> Runner<'a> {
        let mut environment = Environment::new(settings.is_ipv6, settings.mtu);
        environment.config.hz = settings.hz;
        let tick = 1_000_000_000 / u64::from(settings.hz);
        environment.config.tick_phase = settings.tick_phase.map(|phase| Duration::from_nanos((START + phase).0 % tick));
        if let Some(seed) = settings.seed {
            environment.config.seed = Seed::Hashed(seed);
        }
        Runner {
            script,
            settings,
            environment,
            now: START,
            connections: Vec::new(),
            files: BTreeMap::new(),
            under_test: UnderTest::Nothing,
            sniffed: VecDeque::new(),
            pending: None,
            variables: python::Variables::new(),
            last_event: 0,
            follows_inbound: false,
            steps: 0,
            packets: Vec::new(),
            printed: Vec::new(),
        }
    }

    fn run(&mut self) -> Step {
        let script = self.script;
        if let Some(command) = &script.init {
            self.environment.run(&command.text).map_err(Stop::NotApplicable)?;
        }
        // All commands are known ones, or the script is not applicable, whichever event is reached.
        let mut trial = self.environment.clone();
        for event in &script.events {
            if let Action::Command(command) = &event.action {
                trial
                    .run(&command.text)
                    .map_err(|name| Stop::NotApplicable(format!("{name} (line {})", event.line)))?;
            }
        }
        for event in &script.events {
            self.event(event)?;
        }
        self.finish_pending()
    }

    fn event(&mut self, event: &'a Event) -> Step {
        let is_inbound = matches!(&event.action, Action::Packet(packet) if packet.direction == Direction::Inbound);
        // packetdrill counts an inbound packet after another one from that packet's own time.
        let base = if is_inbound && self.follows_inbound { self.last_event } else { self.micros() };
        let (from, to) = match event.time {
            EventTime::Absolute(at) => (at, at),
            EventTime::AbsoluteRange(from, to) => (from, to),
            EventTime::Relative(after) => (base + after, base + after),
            EventTime::RelativeRange(from, to) => (base + from, base + to),
            EventTime::Any => (base, base),
        };
        match &event.action {
            Action::Packet(packet) => {
                let Body::Tcp(tcp) = &packet.body else { return Err(Stop::NotApplicable("UDP and ICMP".to_owned())) };
                match packet.direction {
                    Direction::Inbound => {
                        self.wait_until(event, from)?;
                        self.inject(event, packet, tcp)?;
                    }
                    Direction::Outbound => self.expect(event, packet, tcp, (from, to), base)?,
                }
            }
            Action::Call(call) => {
                self.await_idle(event, call.end.is_some())?;
                self.wait_until(event, from)?;
                let end =
                    call.end.map(|end| if matches!(event.time, EventTime::Relative(_)) { base + end } else { end });
                self.call(event, call, from, end)?;
            }
            Action::Command(command) => {
                self.wait_until(event, from)?;
                self.environment.run(&command.text).map_err(Stop::NotApplicable)?;
                // Most sysctls concern new sockets in the scripts, and this one those that there are.
                for connection in &mut self.connections {
                    connection.socket.set_acc_ecn_option(self.environment.config.ecn_option);
                }
            }
            Action::Code(code) => {
                self.wait_until(event, from)?;
                self.check(event, code)?;
            }
        }
        self.last_event = from;
        self.follows_inbound = is_inbound;
        Ok(())
    }

    /// Microseconds from the start.
    fn micros(&self) -> i64 {
        self.now.since(START).as_micros() as i64
    }

    fn instant(micros: i64) -> Instant {
        START + Duration::from_micros(micros.max(0) as u64)
    }

    fn differs(&self, event: &Event, message: impl Into<String>) -> Stop {
        Stop::Differs { line: event.line, message: message.into() }
    }

    /// Lets time pass until the event's time. An event whose time is over is late, within the tolerance.
    fn wait_until(&mut self, event: &Event, at: i64) -> Step {
        self.advance(Self::instant(at))?;
        let late = self.micros() - at;
        if late > self.tolerance(at - self.last_event) {
            let what = match &event.action {
                Action::Packet(_) => "inbound packet",
                Action::Call(_) => "system call start",
                Action::Command(_) => "command",
                Action::Code(_) => "data collection for code",
            };
            return Err(self.differs(event, self.timing(what, at, self.micros(), self.tolerance(at - self.last_event))));
        }
        Ok(())
    }

    /// Microseconds by which a time may differ: `delta` is the time since the previous event.
    fn tolerance(&self, delta: i64) -> i64 {
        let share = (self.settings.tolerance_percent / 100.0 * delta as f64) as i64;
        share.max(self.settings.tolerance_usecs)
    }

    fn timing(&self, what: &str, expected: i64, actual: i64, tolerance: i64) -> String {
        let secs = |micros: i64| micros as f64 / 1e6;
        format!(
            "timing error: expected {what} at {:.6} sec but happened at {:.6} sec; tolerance {:.6} sec",
            secs(expected),
            secs(actual),
            secs(tolerance)
        )
    }

    /// Runs all timers up to `until`; then it is that time.
    fn advance(&mut self, until: Instant) -> Step {
        while self.step(until)? {}
        self.now = self.now.max(until);
        Ok(())
    }

    /// Runs the next timer that expires at `until` or before; false if there is none.
    fn step(&mut self, until: Instant) -> Step<bool> {
        let next = self.connections.iter().enumerate();
        let next = next.filter_map(|(at, connection)| Some((connection.socket.next_timeout()?, at))).min();
        let deadline = self.pending.as_ref().and_then(|pending| pending.wakes_at);
        let (at, connection) = match (next, deadline) {
            (Some((time, _)), Some(deadline)) if deadline < time => (deadline, None),
            (Some((time, connection)), _) => (time, Some(connection)),
            (None, Some(deadline)) => (deadline, None),
            (None, None) => return Ok(false),
        };
        if at > until {
            return Ok(false);
        }
        self.steps += 1;
        if self.steps > self.settings.max_steps || self.now.since(START) > self.settings.max_time {
            let line = self.script.events.last().map_or(1, |event| event.line);
            let message =
                format!("given up after {} timers, at {:.6} sec", self.steps, self.now.since(START).as_secs_f64());
            return Err(Stop::Differs { line, message });
        }
        self.now = self.now.max(at);
        if let Some(connection) = connection {
            self.connections[connection].socket.on_timeout(self.now);
        }
        self.settle()?;
        Ok(true)
    }

    /// Takes out what the sockets send, and goes on with a call that waits.
    fn settle(&mut self) -> Step {
        let time = self.micros();
        for (at, connection) in self.connections.iter_mut().enumerate() {
            connection.take_events();
            while let Some(segment) = connection.socket.poll_transmit() {
                // No interface of a kernel cuts AccECN's segments itself (NETIF_F_GSO_ACCECN).
                let is_acc_ecn = connection.socket.sends_acc_ecn();
                let is_cut = self.environment.cuts_segments || is_acc_ecn;
                if self.under_test == UnderTest::Connection(at) {
                    let text = format!("{} {}", wire::ecn_field(segment.ecn), wire::packet(&segment, &connection.map));
                    self.packets.push(Record { at: time, direction: Direction::Outbound, text });
                }
                let mut rest = segment;
                while is_cut && let Some(segment) = rest.cut(is_acc_ecn) {
                    self.sniffed.push_back(Sniffed { at: self.now, connection: at, segment });
                }
                self.sniffed.push_back(Sniffed { at: self.now, connection: at, segment: rest });
            }
        }
        self.resume_pending()
    }

    fn inject(&mut self, event: &Event, packet: &Packet, tcp: &TcpPacket) -> Step {
        let Some(at) = self.connection_for_inbound(tcp) else {
            return Err(self.differs(event, "error handling packet: no matching socket for script packet"));
        };
        let ecn = packet.ip.ecn.unwrap_or(EcnSpec::NotEct);
        let record = Record { at: self.micros(), direction: Direction::Inbound, text: format!("{ecn} {tcp}") };
        self.packets.push(record);
        let gso_size = self.settings.mss;
        let scales = self.settings.ts_ecr_scaled;
        let now = self.now;
        if let Err(message) = self.connections[at].inject(now, packet, tcp, gso_size, scales) {
            return Err(self.differs(event, format!("error handling packet: {message}")));
        }
        self.settle()
    }

    /// Runs a code block on the `TCP_INFO` of the socket under test.
    fn check(&mut self, event: &Event, code: &Code) -> Step {
        let Some(connection) = self.connection_under_test() else {
            return Err(self.differs(event, "runtime error in code: no socket to use for code"));
        };
        let info = connection.socket.info(self.now);
        let named = |name: &str| options::info_value(name, &info).or_else(|| options::constant(name));
        match python::run(&code.text, &mut self.variables, &named, &mut self.printed) {
            Ok(()) => Ok(()),
            Err(python::Failure::Unknown(what)) => Err(Stop::NotApplicable(format!("{what} (line {})", event.line))),
            Err(python::Failure::Assertion(text, message)) => {
                Err(self.differs(event, format!("error executing code: AssertionError: {message} in: {text}")))
            }
        }
    }
}
