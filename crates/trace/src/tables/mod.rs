//! The result tables of a run: flows, links, series, packets. They are collected during the simulation.
//!
//! The input of [`Tables`] is the hooks on the links and the senders' traced variables. The samples of a series are
//! taken at the first event after their time: nothing has changed in between. No event is added to the simulation, so
//! the collection cannot change the run.

pub mod flow;
pub mod link;
pub mod merged_runs;
pub mod quantiles;

use std::sync::LazyLock;

use ackclock_engine::packet::{Address, Packet};
use arrow_array::RecordBatch;

use crate::columns::{PacketColumns, PacketEvent, Rows, Shape};
use flow::{AgentCounters, FlowBook, Variable};
use link::LinkBook;

/// An observation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// At a link's head, before a loss model.
    Offered(u32),
    /// Before a link's queue.
    Queue(u32),
    /// `Offered` and `Queue` in one.
    Head(u32),
    /// Between a link's queue and its transmitter.
    Dequeued(u32),
    /// At a link's far end.
    Received(u32),
    /// At the drops of a link.
    Dropped(u32),
    /// A variable of a flow's sender.
    Variable(u32, Variable),
}

/// The data to record besides the totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Sampling interval of the series, s; `None` for no series.
    pub sample_s: Option<f64>,
    /// Record each change of windows, RTTs and queues.
    pub changes: bool,
    /// Record each packet on each link.
    pub packets: bool,
}

/// A flow number, and whether the address sends its replies.
type End = (u32, bool);

/// Callback during sampling: whether the run continues.
pub type GoesOn = Box<dyn Fn() -> bool + Send + Sync>;

/// Rows of samples between two calls of [`GoesOn`]: about 10 ms.
const ROWS_BETWEEN_LOOKS: u64 = 50_000;

/// The tables of a run.
#[derive(Default)]
pub struct Tables {
    wanted: Wanted,
    links: Vec<LinkBook>,
    flows: Vec<FlowBook>,
    /// Flow endpoints, by node and port.
    ends: Vec<Vec<Option<End>>>,
    samples: u64,
    next_sample_s: f64,
    goes_on: Option<GoesOn>,
    rows_since_look: u64,
    flow_samples: Rows,
    link_samples: Rows,
    window_changes: Rows,
    queue_changes: Rows,
    rtt_changes: Rows,
    packets: Option<PacketColumns>,
}

impl Tables {
    /// Empty tables.
    pub fn new(wanted: Wanted) -> Tables {
        let mut tables = Tables { wanted, ..Tables::default() };
        if wanted.sample_s.is_some() {
            let (mut flow, mut link) = (FlowBook::new(0, None), LinkBook::new(0, 0, 1.0));
            tables.flow_samples = Rows::like(|rows| flow.sample(0, 0.0, 1.0, rows));
            tables.link_samples = Rows::like(|rows| link.sample(0, 0.0, 1.0, rows));
        }
        if wanted.changes {
            tables.window_changes = Rows::like(|rows| push_windows(rows, 0.0, 0, (None, None)));
            tables.queue_changes = Rows::like(|rows| push_queue(rows, 0.0, 0, (0, 0)));
            tables.rtt_changes = Rows::like(|rows| push_rtt(rows, 0.0, 0, 0.0));
        }
        tables.packets = wanted.packets.then(PacketColumns::default);
        tables
    }

    /// Whether each change of windows, RTTs and queues is recorded.
    pub fn records_changes(&self) -> bool {
        self.wanted.changes
    }

    /// Adds a link; returns its number.
    pub fn add_link(&mut self, book: LinkBook) -> u32 {
        self.links.push(book);
        self.links.len() as u32 - 1
    }

    /// Adds a flow between two endpoints; returns its number.
    pub fn add_flow(&mut self, book: FlowBook, sender: Address, receiver: Address) -> u32 {
        let number = self.flows.len() as u32;
        self.flows.push(book);
        for (end, is_reply) in [(sender, false), (receiver, true)] {
            let (node, port) = (end.node.max(0) as usize, end.port.max(0) as usize);
            if self.ends.len() <= node {
                self.ends.resize(node + 1, Vec::new());
            }
            if self.ends[node].len() <= port {
                self.ends[node].resize(port + 1, None);
            }
            self.ends[node][port] = Some((number, is_reply));
        }
        number
    }

    /// The statistics of a link.
    pub fn link(&mut self, number: u32) -> Option<&mut LinkBook> {
        self.links.get_mut(number as usize)
    }

    /// The statistics of a flow.
    pub fn flow(&mut self, number: u32) -> Option<&mut FlowBook> {
        self.flows.get_mut(number as usize)
    }

    /// The flow of a packet, and whether the packet is a reply.
    fn flow_of(&self, packet: &Packet) -> Option<End> {
        let ports = self.ends.get(usize::try_from(packet.src.node).ok()?)?;
        *ports.get(usize::try_from(packet.src.port).ok()?)?
    }

    /// Takes the samples with times before `now_s`.
    #[inline]
    pub fn advance(&mut self, now_s: f64) {
        if let Some(interval_s) = self.wanted.sample_s
            && now_s > self.next_sample_s
        {
            self.sample_until(now_s, interval_s);
        }
    }

    /// Sets a callback that is called from time to time during sampling. There can be any number of samples between two
    /// events, where the engine's caller has no control. After it returns false, no more samples are taken: the run
    /// must be stopped.
    pub fn ask_while_sampling(&mut self, goes_on: Option<GoesOn>) {
        self.goes_on = goes_on;
    }

    #[cold]
    fn sample_until(&mut self, now_s: f64, interval_s: f64) {
        while self.next_sample_s < now_s {
            self.rows_since_look += (self.flows.len() + self.links.len()) as u64;
            if self.rows_since_look > ROWS_BETWEEN_LOOKS
                && let Some(goes_on) = &self.goes_on
            {
                self.rows_since_look = 0;
                if !goes_on() {
                    self.next_sample_s = f64::INFINITY;
                    return;
                }
            }
            let at_s = self.next_sample_s;
            for (flow, book) in self.flows.iter_mut().enumerate() {
                book.sample(flow as u32 + 1, at_s, interval_s, &mut self.flow_samples);
            }
            for (link, book) in self.links.iter_mut().enumerate() {
                book.sample(link as u32, at_s, interval_s, &mut self.link_samples);
            }
            self.samples += 1;
            self.next_sample_s = self.samples as f64 * interval_s;
        }
    }

    /// A packet passes an observation point.
    #[inline(never)]
    pub fn packet(&mut self, spot: Spot, now_s: f64, packet: &Packet) {
        self.advance(now_s);
        match spot {
            Spot::Offered(link) => {
                self.offered(link, now_s, packet);
                return;
            }
            Spot::Head(link) => {
                self.offered(link, now_s, packet);
                self.links[link as usize].enqueue(now_s, packet);
            }
            Spot::Queue(link) => self.links[link as usize].enqueue(now_s, packet),
            Spot::Dequeued(link) => self.links[link as usize].dequeue(now_s, packet),
            Spot::Received(link) => self.received(link, now_s, packet),
            Spot::Dropped(link) => {
                self.links[link as usize].lose(now_s, packet);
                if let Some((flow, is_reply)) = self.flow_of(packet) {
                    self.flows[flow as usize].lose(packet, is_reply);
                }
            }
            Spot::Variable(..) => return,
        }
        if self.wanted.changes || self.packets.is_some() {
            self.keep(spot, now_s, packet);
        }
    }

    /// Records an event in the tables of changes and packets, if they are wanted.
    #[inline(never)]
    fn keep(&mut self, spot: Spot, now_s: f64, packet: &Packet) {
        let (event, link) = match spot {
            Spot::Head(link) | Spot::Queue(link) => (PacketEvent::Enqueue, link),
            Spot::Dequeued(link) => (PacketEvent::Dequeue, link),
            Spot::Received(link) => (PacketEvent::Receive, link),
            Spot::Dropped(link) => (PacketEvent::Drop, link),
            Spot::Offered(_) | Spot::Variable(..) => return,
        };
        let book = &self.links[link as usize];
        if self.wanted.changes && event != PacketEvent::Receive {
            push_queue(&mut self.queue_changes, now_s, link, book.queue());
        }
        if let Some(packets) = &mut self.packets {
            packets.push_packet(event, now_s, (book.from, book.to), packet);
        }
    }

    /// A packet arrives at a link's far end.
    fn received(&mut self, link: u32, now_s: f64, packet: &Packet) {
        let book = &mut self.links[link as usize];
        book.receive(packet);
        if book.to == packet.dst.node
            && let Some((number, is_reply)) = self.flow_of(packet)
            && let Some(rtt_s) = self.flows[number as usize].receive(now_s, packet, is_reply)
            && self.wanted.changes
        {
            push_rtt(&mut self.rtt_changes, now_s, number + 1, rtt_s);
        }
    }

    fn offered(&mut self, link: u32, now_s: f64, packet: &Packet) {
        let book = &mut self.links[link as usize];
        book.offer(packet);
        if book.from == packet.src.node
            && let Some((flow, is_reply)) = self.flow_of(packet)
        {
            self.flows[flow as usize].send(now_s, packet, is_reply);
        }
    }

    /// A traced variable has changed.
    pub fn variable(&mut self, spot: Spot, now_s: f64, value: f64) {
        let Spot::Variable(flow, variable) = spot else { return };
        self.advance(now_s);
        let book = &mut self.flows[flow as usize];
        if book.set(now_s, variable, value) && self.wanted.changes {
            push_windows(&mut self.window_changes, now_s, flow + 1, book.windows());
        }
    }

    /// Ends the run at `now_s`; returns all tables by name. `counted` has the counters of each flow's agents, `holds`
    /// the number of packets in each link.
    pub fn finish(&mut self, now_s: f64, counted: &[AgentCounters], holds: &[u64]) -> Vec<(&'static str, RecordBatch)> {
        if let Some(interval_s) = self.wanted.sample_s {
            self.sample_until(now_s, interval_s);
        }
        let (mut flows, mut links) = (FLOWS.rows(), LINKS.rows());
        for (flow, book) in self.flows.iter_mut().enumerate() {
            book.finish(flow as u32 + 1, now_s, counted[flow], &mut flows);
        }
        for (link, book) in self.links.iter_mut().enumerate() {
            book.finish(link as u32, now_s, holds[link], &mut links);
        }
        let mut tables = vec![("flows", flows.finish()), ("links", links.finish())];
        if self.wanted.sample_s.is_some() {
            tables.push(("flow_series", self.flow_samples.finish()));
            tables.push(("link_series", self.link_samples.finish()));
        }
        if self.wanted.changes {
            tables.push(("window_changes", self.window_changes.finish()));
            tables.push(("rtt_changes", self.rtt_changes.finish()));
            tables.push(("queue_changes", self.queue_changes.finish()));
        }
        if let Some(packets) = &mut self.packets {
            tables.push(("packets", packets.finish()));
        }
        tables
    }
}

static FLOWS: LazyLock<Shape> = LazyLock::new(|| {
    Shape::of(|| Rows::like(|rows| FlowBook::new(0, None).finish(0, 0.0, AgentCounters::default(), rows)))
});
static LINKS: LazyLock<Shape> =
    LazyLock::new(|| Shape::of(|| Rows::like(|rows| LinkBook::new(0, 0, 1.0).finish(0, 0.0, 0, rows))));

fn push_windows(rows: &mut Rows, now_s: f64, flow: u32, (cwnd, ssthresh): (Option<f64>, Option<f64>)) {
    rows.real("time_s", now_s).number("flow", flow).real("cwnd_packets", cwnd).real("ssthresh_packets", ssthresh).end();
}

fn push_rtt(rows: &mut Rows, now_s: f64, flow: u32, rtt_s: f64) {
    rows.real("time_s", now_s).number("flow", flow).real("rtt_s", rtt_s).end();
}

fn push_queue(rows: &mut Rows, now_s: f64, link: u32, (packets, bytes): (usize, i64)) {
    rows.real("time_s", now_s)
        .number("link", link)
        .count("queue_packets", packets as u64)
        .count("queue_bytes", bytes.max(0) as u64)
        .end();
}
