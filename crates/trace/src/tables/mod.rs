//! The result tables of a run: flows, links, series, changes, packets.
//!
//! Totals and series are read from the statistics that the engine keeps of links and endpoints. A sample of the series
//! is due after the last event of its time ([`Network::stop_to_sample`]). It changes nothing in the simulation. Only
//! changes and packets need hooks on the links, and the senders' traced variables.
//!
//! [`Network::stop_to_sample`]: ackclock_engine::net::Network::stop_to_sample

pub mod changes;
pub mod flow;
pub mod link;
#[cfg(feature = "arrow")]
pub mod merged_runs;

use std::sync::LazyLock;

use ackclock_engine::measure::frames::{Frame, FrameStats};
use ackclock_engine::measure::playback::{Playback, Segment};
use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::packet::Packet;
use ackclock_engine::sim::Simulation;
use ackclock_engine::time::Time;

use crate::columns::{PacketColumns, PacketEvent, Rows, Shape, Table};
use changes::{Changes, Variable};
use flow::FlowTotals;
use link::LinkTotals;

/// An observation point for changes and packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A hook of a link, and what happens to a packet there.
    Link(u32, PacketEvent),
    /// A variable of a flow, numbered from 0.
    Flow(u32, Variable),
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

/// Rows of samples after which the caller of [`Tables::sample`] should look around: about 10 ms.
const ROWS_BETWEEN_LOOKS: usize = 50_000;
/// Samples between two looks, so that a run without much in it tells how far it is, too.
const SAMPLES_BETWEEN_LOOKS: u64 = 20;

/// The tables of a run.
#[derive(Default)]
pub struct Tables {
    /// What is recorded.
    pub wanted: Wanted,
    links: Vec<LinkTotals>,
    ends: Vec<(i32, i32)>,
    flows: Vec<FlowTotals>,
    samples: u64,
    rows_since_look: usize,
    flow_samples: Rows,
    link_samples: Rows,
    changes: Option<Box<Changes>>,
    packets: Option<PacketColumns>,
}

impl Tables {
    /// Empty tables; the first sample is due at 0 s.
    pub fn new(wanted: Wanted, simulation: &mut Simulation) -> Tables {
        let mut tables = Tables { wanted, ..Tables::default() };
        if wanted.sample_s.is_some() {
            tables.flow_samples = FLOW_SAMPLES.rows();
            tables.link_samples = LINK_SAMPLES.rows();
            simulation.net.stop_to_sample(Time(0.0));
        }
        tables.changes = wanted.changes.then(Box::default);
        tables.packets = wanted.packets.then(PacketColumns::default);
        tables
    }

    /// Adds a measured link; returns its number.
    pub fn add_link(&mut self, simulation: &Simulation, id: LinkId) -> u32 {
        let link = LinkTotals::new(id);
        self.ends.push(link.nodes(&simulation.net));
        self.links.push(link);
        self.links.len() as u32 - 1
    }

    /// Adds a flow between two agents; returns its number, from 0.
    ///
    /// # Errors
    /// The name of a parameter that a TCP has and this sender has not.
    pub fn add_flow(
        &mut self,
        simulation: &mut Simulation,
        ends: (AgentId, AgentId),
        is_tcp: bool,
    ) -> Result<u32, &'static str> {
        let flow = FlowTotals::new(simulation, ends, is_tcp)?;
        if self.wanted.changes {
            flow.keep_frames(simulation);
        }
        self.flows.push(flow);
        if let Some(changes) = &mut self.changes {
            let progress = simulation.net.endpoint_stats(ends.0).and_then(|stats| stats.progress());
            changes.add_flow([progress.map(|progress| progress.cwnd), progress.map(|progress| progress.ssthresh)]);
        }
        Ok(self.flows.len() as u32 - 1)
    }

    /// The senders of the flows, in the order of their rows.
    pub fn senders(&self) -> Vec<AgentId> {
        self.flows.iter().map(|flow| flow.sender).collect()
    }

    fn next_sample_s(&self) -> f64 {
        self.wanted.sample_s.map_or(f64::INFINITY, |interval_s| self.samples as f64 * interval_s)
    }

    /// Takes the sample that is due. Returns whether the caller should look whether the run shall go on: there can be
    /// any number of samples between two events.
    pub fn sample(&mut self, simulation: &mut Simulation) -> bool {
        self.take_sample(simulation);
        if simulation.has_events() {
            simulation.net.stop_to_sample(Time(self.next_sample_s()));
        }
        let is_look_due =
            self.rows_since_look > ROWS_BETWEEN_LOOKS || self.samples.is_multiple_of(SAMPLES_BETWEEN_LOOKS);
        if is_look_due {
            self.rows_since_look = 0;
        }
        is_look_due
    }

    fn take_sample(&mut self, simulation: &Simulation) {
        let Some(interval_s) = self.wanted.sample_s else { return };
        let at_s = self.next_sample_s();
        for (number, flow) in (1..).zip(&mut self.flows) {
            flow.sample(number, at_s, interval_s, &simulation.net, &mut self.flow_samples);
        }
        for (number, link) in (0..).zip(&mut self.links) {
            link.sample(number, at_s, interval_s, &simulation.net, &mut self.link_samples);
        }
        self.samples += 1;
        self.rows_since_look += self.flows.len() + self.links.len();
    }

    /// A packet passes an observation point.
    #[inline(never)]
    pub fn packet(&mut self, spot: Spot, now_s: f64, packet: &Packet) {
        let Spot::Link(link, event) = spot else { return };
        if let Some(changes) = &mut self.changes
            && event != PacketEvent::Receive
        {
            changes.pass(link, event, now_s, packet);
        }
        if let Some(packets) = &mut self.packets {
            packets.push_packet(event, now_s, self.ends[link as usize], packet);
        }
    }

    /// A variable has changed.
    pub fn variable(&mut self, spot: Spot, now_s: f64, value: f64) {
        if let (Spot::Flow(flow, variable), Some(changes)) = (spot, &mut self.changes) {
            changes.set(flow, variable, now_s, value);
        }
    }

    /// Ends the run; returns all tables by name.
    pub fn finish(&mut self, simulation: &mut Simulation) -> Vec<(&'static str, Table)> {
        let now_s = simulation.now().secs();
        while self.next_sample_s() < now_s {
            self.take_sample(simulation);
        }
        let (mut flows, mut links) = (FLOWS.rows(), LINKS.rows());
        for (number, flow) in (1..).zip(&self.flows) {
            flow.finish(number, simulation, &mut flows);
        }
        let on_wires = simulation.net.bytes_on_wires();
        for (number, link) in (0..).zip(&self.links) {
            link.finish(number, now_s, &on_wires, &mut simulation.net, &mut links);
        }
        let mut tables = vec![("flows", flows.finish()), ("links", links.finish())];
        if self.wanted.sample_s.is_some() {
            tables.push(("flow_series", self.flow_samples.finish()));
            tables.push(("link_series", self.link_samples.finish()));
        }
        tables.extend(self.finish_calls(simulation));
        tables.extend(self.finish_videos(simulation));
        tables.extend(self.changes.take().map(|mut changes| changes.finish()).into_iter().flatten());
        tables.extend(self.packets.as_mut().map(|packets| ("packets", packets.finish())));
        tables
    }

    /// The table of calls, and with changes the table of their frames; nothing without a call.
    fn finish_calls(&self, simulation: &mut Simulation) -> Vec<(&'static str, Table)> {
        let mut calls = Rows::like(|rows| flow::push_call(rows, 0, (0, 0), &FrameStats::default(), Some(1.0)));
        let frame = Frame { number: 0, bytes: 0, captured_s: 0.0, delay_s: 0.0 };
        let mut frames = Rows::like(|rows| flow::push_frame(rows, 0, &frame));
        for (number, flow) in (1..).zip(&self.flows) {
            flow.finish_call(number, simulation, &mut calls);
            flow.finish_frames(number, simulation, &mut frames);
        }
        let calls = calls.finish();
        if calls.is_empty() {
            return Vec::new();
        }
        let frames = self.wanted.changes.then(|| ("frames", frames.finish()));
        std::iter::once(("calls", calls)).chain(frames).collect()
    }

    /// The tables of videos and of their segments; nothing without a video.
    fn finish_videos(&self, simulation: &Simulation) -> Vec<(&'static str, Table)> {
        let segment =
            Segment { number: 0, bitrate_bps: 0.0, bytes: 0, requested_s: 0.0, arrived_s: 0.0, buffer_s: 0.0 };
        let mut videos = Rows::like(|rows| flow::push_video(rows, 0, &Playback::default()));
        let mut segments = Rows::like(|rows| flow::push_segment(rows, 0, &segment));
        for (number, flow) in (1..).zip(&self.flows) {
            flow.finish_video(number, &simulation.net, (&mut videos, &mut segments));
        }
        let videos = videos.finish();
        if videos.is_empty() {
            return Vec::new();
        }
        vec![("videos", videos), ("segments", segments.finish())]
    }
}

/// The columns of the rows of a network with one flow.
fn columns(append: impl FnOnce(&mut Simulation, &mut FlowTotals, &mut LinkTotals, &mut Rows)) -> Shape {
    let mut simulation = Simulation::default();
    let nodes = [simulation.add_node(), simulation.add_node()];
    let link = simulation.add_link(nodes[0], nodes[1], 1.0, 0.0, "drop_tail").expect("drop_tail is a discipline");
    simulation.net.measure_links();
    let ends = [(); 2].map(|()| simulation.add_agent("udp").expect("udp is an agent"));
    let mut flow = FlowTotals::new(&mut simulation, ends.into(), false).expect("udp needs no parameter");
    Shape::of(Rows::like(|rows| append(&mut simulation, &mut flow, &mut LinkTotals::new(link), rows)))
}

static FLOWS: LazyLock<Shape> = LazyLock::new(|| columns(|simulation, flow, _, rows| flow.finish(0, simulation, rows)));
static LINKS: LazyLock<Shape> =
    LazyLock::new(|| columns(|simulation, _, link, rows| link.finish(0, 0.0, &[0], &mut simulation.net, rows)));
static FLOW_SAMPLES: LazyLock<Shape> =
    LazyLock::new(|| columns(|simulation, flow, _, rows| flow.sample(0, 0.0, 1.0, &simulation.net, rows)));
static LINK_SAMPLES: LazyLock<Shape> =
    LazyLock::new(|| columns(|simulation, _, link, rows| link.sample(0, 0.0, 1.0, &simulation.net, rows)));
