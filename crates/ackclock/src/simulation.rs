//! The running simulation.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::net::SocketAddrV4;
use std::time::Duration;
use std::vec::Drain;

use ackclock_engine::measure::endpoint_stats::EndpointStats;
use ackclock_engine::net::Upcall;
use ackclock_engine::net::node::{AgentId, NextHop};
use ackclock_engine::packet::Address;
use ackclock_engine::sim::{AppId, Simulation as Engine, Stop};
use ackclock_engine::time::Time;
use ackclock_engine::transport::external_endpoint::{Inbound, let_in, note_delivered, take_out};
use ackclock_scenario::schedule::Schedule;
use ackclock_trace::columns::Table;
use ackclock_trace::tabulate;

use crate::capture::{Capture, shown_address};
use crate::datagram::{Datagram, Delivery};
use crate::error::Error;
use crate::flow::{Flow, Traffic};
use crate::ids::{Endpoint, ExternalFlow, FlowId, LinkId};
use crate::network::Network;
use crate::report::{Delays, EndpointReport, FlowReport, LinkReport};
use crate::times::{since_start, time};

/// The largest payload of UDP over IPv4, bytes.
const MAX_UDP_PAYLOAD: usize = 65_507;

/// What a callback does.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// The flow of this number starts.
    Start(usize),
    /// The flow of this number stops.
    Stop(usize),
}

/// An endpoint in the engine.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub agent: AgentId,
    pub address: Address,
}

/// A flow in the engine.
#[derive(Clone, Copy)]
pub(crate) struct RunningFlow {
    pub sender: AgentId,
    pub receiver: AgentId,
    pub app: Option<AppId>,
    pub starts: Duration,
}

/// Flow ids of pairs of endpoints, each with the number of its next datagram.
pub(crate) type FlowIds = HashMap<(Endpoint, Endpoint), (i32, i32)>;

/// The largest datagram between two nodes, bytes, and the link that sets the limit.
pub(crate) type PathLimit = Option<(usize, Option<usize>)>;

/// A network in virtual time. It moves only when [`Simulation::advance`] is called.
pub struct Simulation {
    pub(crate) engine: Engine,
    pub(crate) network: Network,
    pub(crate) places: Vec<Place>,
    pub(crate) by_address: HashMap<(i32, i32), Endpoint>,
    pub(crate) flows: Vec<RunningFlow>,
    pub(crate) actions: Vec<Action>,
    /// What happens in the scenario, if it is one.
    pub(crate) schedule: Option<Schedule>,
    /// The scenario has come to its end.
    pub(crate) is_over: bool,
    pub(crate) captures: Vec<Capture>,
    pub(crate) now: Duration,
    /// Datagrams to be sent later, in the order of their times and of the calls.
    pub(crate) pending: BTreeMap<(Duration, u64), (Endpoint, Datagram)>,
    pub(crate) calls: u64,
    pub(crate) delivered: Vec<Delivery>,
    /// The first flow id behind those of the engine's flows.
    pub(crate) first_id: i32,
    pub(crate) flow_ids: FlowIds,
    pub(crate) path_limits: HashMap<(i32, i32), PathLimit>,
    pub(crate) failure: Option<String>,
}

impl Simulation {
    /// The present time, since the start.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Sends a datagram at a time that has not passed, now or later. At one instant, packets of the network move first,
    /// then datagrams are sent, in the order of the calls.
    ///
    /// # Errors
    /// [`Error::Past`], [`Error::TooLarge`], [`Error::NoRoute`], [`Error::UnknownEndpoint`]: the datagram is not sent, and
    /// the simulation goes on. [`Error::Over`] behind the end, [`Error::Failed`].
    pub fn send(&mut self, from: Endpoint, at: Duration, datagram: Datagram) -> Result<(), Error> {
        self.check_failure()?;
        if at < self.now {
            return Err(Error::Past { at, now: self.now });
        }
        if let Some(end) = self.network.end.filter(|&end| at >= end) {
            return Err(Error::Over { end });
        }
        let [source, target] = [from, datagram.to].map(|end| self.places.get(end.0 as usize).copied());
        let (source, target) = source.zip(target).ok_or(Error::UnknownEndpoint)?;
        let nodes = [source.address.node, target.address.node];
        match self.path_limit(nodes[0], nodes[1]) {
            None => {
                let [from, to] = nodes.map(|node| self.network.nodes[node as usize].clone());
                return Err(Error::NoRoute(from, to));
            }
            Some((limit, link)) if datagram.payload.len() > limit => {
                let link = link.map_or_else(|| "inside a node".into(), |link| self.network.link_name(link));
                return Err(Error::TooLarge { bytes: datagram.payload.len(), limit, link });
            }
            Some(_) => {}
        }
        self.calls += 1;
        self.pending.insert((at, self.calls), (from, datagram));
        Ok(())
    }

    /// The time of the next event: before it, nothing in the network changes and nothing is delivered. `None` at the end,
    /// or if nothing moves any more.
    pub fn next_event(&mut self) -> Option<Duration> {
        if self.network.end.is_some_and(|end| self.now >= end) {
            return None;
        }
        let inside = self.engine.next_at().map(|at| since_start(at).max(self.now));
        let sent = self.pending.first_key_value().map(|(&(at, _), _)| at);
        let next = inside.into_iter().chain(sent).min()?;
        Some(self.network.end.map_or(next, |end| next.min(end)))
    }

    /// Runs to `until`, to the first delivery, or to the end, whichever is first. Returns that time, which is now.
    ///
    /// # Errors
    /// [`Error::Past`] for a time that has passed; [`Error::Over`] at the end; [`Error::Failed`].
    pub fn advance(&mut self, until: Duration) -> Result<Duration, Error> {
        self.check_failure()?;
        if until < self.now {
            return Err(Error::Past { at: until, now: self.now });
        }
        let mut until = until;
        if let Some(end) = self.network.end {
            if self.now >= end {
                return Err(Error::Over { end });
            }
            until = until.min(end);
        }
        let before = self.delivered.len();
        while !self.is_over {
            // Packets move before datagrams of the same instant are sent.
            let sending = self.pending.first_key_value().map(|(&(at, _), _)| at).filter(|&at| at <= until);
            let limit = time(sending.unwrap_or(until));
            if self.engine.next_at().is_some_and(|due| due <= limit) {
                self.step(1)?;
            } else if let Some(at) = sending {
                self.engine.pass_to(Time(at.as_secs_f64()));
                let (_, (from, datagram)) = self.pending.pop_first().expect("it is the first");
                self.inject(from, datagram)?;
            } else {
                break;
            }
            // What else happens within the nanosecond of the first delivery belongs to it.
            if let Some(first) = self.delivered.get(before) {
                until = until.min(first.time);
            }
        }
        if !self.is_over {
            self.engine.pass_to(Time(until.as_secs_f64()));
        }
        self.now = until;
        Ok(until)
    }

    /// Takes the datagrams that were delivered, in the order of their arrival.
    pub fn deliveries(&mut self) -> Drain<'_, Delivery> {
        self.delivered.drain(..)
    }

    /// What was measured on a link.
    ///
    /// # Panics
    /// If the link is of another network.
    pub fn link_report(&mut self, link: LinkId) -> LinkReport {
        let index = link.0 as usize;
        let now_s = self.engine.now().secs();
        let (link, stats) = (&self.engine.net.links[index], &mut self.engine.net.link_stats[index]);
        let sent_packets = link.packets_sent;
        let (mut queueing_delay, mut marked_packets) = (Delays::default(), 0);
        if let Some(queue) = &mut stats.queue {
            let totals = queue.finish(now_s, sent_packets);
            (queueing_delay, marked_packets) = (Delays::of(totals.waits), totals.marked);
        }
        LinkReport {
            sent_packets,
            sent_bytes: link.bytes_sent,
            dropped_packets: stats.dropped.packets,
            lost_packets: stats.lost.packets,
            marked_packets,
            utilisation: if now_s > 0.0 { link.busy_s(now_s) / now_s } else { 0.0 },
            queueing_delay,
        }
    }

    /// What was measured of a flow of the engine.
    ///
    /// # Panics
    /// If the flow is of another network.
    pub fn flow_report(&mut self, flow: FlowId) -> FlowReport {
        let RunningFlow { sender, receiver, starts, .. } = self.flows[flow.0 as usize];
        let &Flow { traffic, stops, .. } = &self.network.flows[flow.0 as usize];
        let is_tcp = matches!(traffic, Traffic::Tcp);
        let received = self.stats(receiver);
        let (marked_packets, arrived) = (received.marked, received.received.bytes);
        let delivered_bytes = match self.engine.agents[receiver.0 as usize].param("bytes_received") {
            Some(bytes) if is_tcp => bytes.int().max(0) as u64,
            _ => arrived,
        };
        let sent = self.stats(sender);
        let completed = sent.completed_s.and_then(|at_s| Duration::try_from_secs_f64(at_s).ok());
        let ends = completed.or(stops).map_or(self.now, |end| end.min(self.now));
        let lasted_s = ends.saturating_sub(starts).as_secs_f64();
        let sent = self.stats(sender);
        FlowReport {
            delivered_bytes,
            goodput_bps: if lasted_s > 0.0 { delivered_bytes as f64 * 8.0 / lasted_s } else { 0.0 },
            sent_packets: sent.sent.packets,
            lost_packets: sent.dropped.packets,
            marked_packets,
            cwnd_packets: sent.progress().map_or(0.0, |progress| progress.cwnd),
            completed,
        }
    }

    /// What was measured at an endpoint of your program.
    ///
    /// # Panics
    /// If the endpoint is of another network.
    pub fn endpoint_report(&mut self, endpoint: Endpoint) -> EndpointReport {
        let agent = self.places[endpoint.0 as usize].agent;
        let stats = self.stats(agent);
        EndpointReport {
            sent_packets: stats.sent.packets,
            sent_bytes: stats.sent.bytes,
            lost_packets: stats.dropped.packets,
            received_packets: stats.received.packets,
            received_bytes: stats.received.bytes,
            marked_packets: stats.marked,
            delay: Delays::of(&stats.times),
        }
    }

    /// The application at the receiver of a flow of your endpoints has got so many bytes up to now. The tables' goodput is
    /// computed from it. Without this call it is computed from the bytes on the wire.
    ///
    /// # Panics
    /// If the flow is of another network.
    pub fn note_delivered(&mut self, flow: ExternalFlow, bytes: u64) {
        let (_, _, receiver) = self.network.external_flows[flow.0 as usize];
        let agent = self.places[receiver.0 as usize].agent;
        note_delivered(&mut *self.engine.agents[agent.0 as usize], bytes);
    }

    /// A flow of your endpoints has transferred all that it was there for: its completion in the tables.
    ///
    /// # Panics
    /// If the flow is of another network.
    pub fn note_completion(&mut self, flow: ExternalFlow) {
        let (_, sender, _) = self.network.external_flows[flow.0 as usize];
        let agent = self.places[sender.0 as usize].agent;
        tabulate::completed(&mut self.engine, agent);
    }

    /// The tables of a run of a scenario, by name: `flows`, `links` and what the scenario records, as `ackclock run` has
    /// them. Afterwards, and without a scenario, there are none.
    pub fn take_tables(&mut self) -> Vec<(&'static str, Table)> {
        if self.schedule.is_some() { tabulate::take(&mut self.engine) } else { Vec::new() }
    }

    /// Writes a capture of the datagrams that an endpoint sends and gets, in the format pcapng, from now on. They have
    /// headers of Ethernet, IPv4 and UDP with the addresses of [`Simulation::address`].
    ///
    /// # Panics
    /// If the endpoint is of another network.
    pub fn capture(&mut self, endpoint: Endpoint, out: impl Write + Send + 'static) {
        let node = self.places[endpoint.0 as usize].address.node;
        self.captures.push(Capture::new(endpoint, &self.network.nodes[node as usize], Box::new(out)));
    }

    /// Ends the captures.
    ///
    /// # Errors
    /// The first error of a writer; nothing was written to it afterwards.
    pub fn end_captures(&mut self) -> io::Result<()> {
        self.captures.drain(..).try_for_each(Capture::end)
    }

    /// The address of an endpoint in captures.
    ///
    /// # Panics
    /// If the endpoint is of another network.
    pub fn address(&self, endpoint: Endpoint) -> SocketAddrV4 {
        let (ip, port) = shown_address(self.places[endpoint.0 as usize].address);
        SocketAddrV4::new(ip.into(), port)
    }

    fn stats(&mut self, agent: AgentId) -> &EndpointStats {
        self.engine.net.endpoint_stats(agent).expect("all agents are measured")
    }

    fn check_failure(&self) -> Result<(), Error> {
        self.failure.clone().map_or(Ok(()), |reason| Err(Error::Failed(reason)))
    }

    fn path_limit(&mut self, from: i32, to: i32) -> PathLimit {
        let (engine, network) = (&self.engine, &self.network);
        *self.path_limits.entry((from, to)).or_insert_with(|| path_limit(engine, network, from, to))
    }

    fn inject(&mut self, from: Endpoint, datagram: Datagram) -> Result<(), Error> {
        let (source, target) = (self.places[from.0 as usize], self.places[datagram.to.0 as usize]);
        let next = self.first_id + self.flow_ids.len() as i32;
        let (flow, number) = self.flow_ids.entry((from, datagram.to)).or_insert((next, 0));
        let (flow, number) = (*flow, std::mem::replace(number, number.wrapping_add(1) & i32::MAX));
        let bytes = (datagram.payload.len() + self.network.header_bytes as usize) as i32;
        let Datagram { payload, ecn, .. } = datagram;
        let now_s = self.engine.now().secs();
        for capture in self.captures.iter_mut().filter(|capture| capture.at == from) {
            capture.push(now_s, source.address, target.address, ecn, &payload);
        }
        let packet = Inbound { number, payload, bytes, flow, ecn, to: target.address };
        self.engine.with_agent(source.agent, |agent, net| let_in(agent, packet, net));
        self.step(0)
    }

    /// Handles at most `events` events, and what they led to.
    fn step(&mut self, events: u64) -> Result<(), Error> {
        let mut stop = self.engine.run(events);
        loop {
            match stop {
                Stop::Upcall(Upcall::Message(agent)) => self.take_deliveries(agent),
                stop @ (Stop::Upcall(_) | Stop::Script(_)) if self.schedule.is_some() => {
                    let schedule = self.schedule.as_mut().expect("it was looked for");
                    if schedule.handle(&mut self.engine, stop) {
                        self.is_over = true;
                        self.failure = self.engine.check().map(|error| error.to_string());
                        return self.check_failure();
                    }
                }
                Stop::Upcall(_) => {}
                Stop::Script(script) => self.act(self.actions[script.0 as usize]),
                Stop::Failed(error) => {
                    self.failure = Some(error.to_string());
                    return self.check_failure();
                }
                Stop::Sample => {
                    tabulate::sample(&mut self.engine);
                    return Ok(());
                }
                Stop::FreshFlows | Stop::Lines | Stop::Multicast | Stop::Paused | Stop::Exhausted => {
                    return Ok(());
                }
            }
            stop = self.engine.run(0);
        }
    }

    fn take_deliveries(&mut self, agent: AgentId) {
        let Some(at) = self.places.iter().position(|place| place.agent == agent) else { return };
        while let Some(packet) = take_out(&mut *self.engine.agents[agent.0 as usize]) {
            for capture in self.captures.iter_mut().filter(|capture| capture.at.0 as usize == at) {
                let (time_s, here) = (packet.received_at.secs(), self.places[at].address);
                capture.push(time_s, packet.from, here, packet.ecn, &packet.payload);
            }
            self.delivered.push(Delivery {
                at: Endpoint(at as u32),
                from: self.by_address[&(packet.from.node, packet.from.port)],
                sent: since_start(packet.sent_at),
                time: since_start(packet.received_at),
                ecn: packet.ecn,
                payload: packet.payload,
            });
        }
    }

    fn act(&mut self, action: Action) {
        let (Action::Start(index) | Action::Stop(index)) = action;
        let RunningFlow { sender, app, .. } = self.flows[index];
        match (action, app) {
            (Action::Start(_), Some(app)) => self.engine.with_app(app, |app, context| app.start(context)),
            (Action::Stop(_), Some(app)) => self.engine.with_app(app, |app, context| app.stop(context)),
            (Action::Start(_), None) => {
                let bytes = self.network.flows[index].bytes.map(|bytes| bytes as i64);
                self.engine.with_agent(sender, |agent, net| agent.send_bytes(bytes, "", net));
            }
            (Action::Stop(_), None) => self.engine.with_agent(sender, |agent, net| agent.close(net)),
        }
    }
}

/// The largest datagram that fits through the path, and the link that sets the limit. `None` without a path.
pub(crate) fn path_limit(engine: &Engine, network: &Network, from: i32, to: i32) -> PathLimit {
    let (mut node, mut found) = (from, (MAX_UDP_PAYLOAD, None));
    // A path has no loop: it ends after as many hops as there are nodes.
    for _ in 0..network.nodes.len() {
        if node == to {
            break;
        }
        let NextHop::Link(link) = engine.net.nodes[node as usize].next_hop(to) else { return None };
        let index = link.0 as usize;
        let fits = (network.links[index].2.mtu - network.header_bytes) as usize;
        if fits < found.0 {
            found = (fits, Some(index));
        }
        node = engine.net.links[index].to as i32;
    }
    Some(found)
}
