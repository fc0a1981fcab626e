//! A flow's rows, from the statistics of its endpoints.

use ackclock_engine::measure::endpoint_stats::{EndpointStats, Limit, SenderStats};
use ackclock_engine::measure::frames::{Frame, FrameStats};
use ackclock_engine::measure::playback::{Playback, Segment};
use ackclock_engine::net::Network;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::Simulation;

use crate::columns::{PARTS, Rows};

/// A flow of the tables.
pub struct FlowTotals {
    /// The agent that sends its data.
    pub sender: AgentId,
    receiver: AgentId,
    fid: i32,
    /// Bytes of data in a packet, if the sender is a TCP.
    segment_bytes: Option<u64>,
    /// Size of the SYN, if the sender sends one; some variants start with data in any case.
    syn_bytes: Option<i32>,
    sampled_bytes: u64,
}

impl FlowTotals {
    /// The flow between two agents, attached and connected, which are measured from now on.
    ///
    /// # Errors
    /// The name of a parameter that a TCP has and this sender has not.
    pub fn new(
        simulation: &mut Simulation,
        (sender, receiver): (AgentId, AgentId),
        is_tcp: bool,
    ) -> Result<FlowTotals, &'static str> {
        let agent = &simulation.agents[sender.0 as usize];
        let real = |name| agent.param(name).map(|value| value.real()).ok_or(name);
        let end = agent.endpoint();
        let mut flow = FlowTotals {
            sender,
            receiver,
            fid: end.fid,
            segment_bytes: is_tcp.then_some(end.packet_size.max(0) as u64),
            syn_bytes: None,
            sampled_bytes: 0,
        };
        let mut tcp = None;
        if is_tcp {
            let syn_bytes = real("tcpip_base_hdr_size")? as i32;
            flow.syn_bytes = (real("syn")? != 0.0).then_some(syn_bytes);
            // 0 is no limit in packets.
            let window = Some(real("window")?).filter(|&packets| packets > 0.0).unwrap_or(f64::INFINITY);
            tcp = Some(SenderStats::new(window, agent.progress()));
        }
        simulation.net.measure_endpoint(sender, EndpointStats::new(true, tcp));
        simulation.net.measure_endpoint(receiver, EndpointStats::new(false, None));
        Ok(flow)
    }

    fn ends<'a>(&self, net: &'a Network) -> [&'a EndpointStats; 2] {
        let stats = |agent: AgentId| net.endpoint_stats[agent.0 as usize].as_deref();
        [self.sender, self.receiver].map(|agent| stats(agent).expect("a flow's endpoints are measured"))
    }

    /// Appends a row of the series for the interval of `interval_s` that ends at `at_s`.
    pub fn sample(&mut self, number: u32, at_s: f64, interval_s: f64, net: &Network, rows: &mut Rows) {
        let [sender, receiver] = self.ends(net);
        let received = receiver.received.bytes - self.sampled_bytes;
        self.sampled_bytes = receiver.received.bytes;
        let progress = sender.progress();
        rows.real("time_s", at_s)
            .number("flow", number)
            .real("cwnd_packets", progress.map(|progress| progress.cwnd))
            .real("ssthresh_packets", progress.map(|progress| progress.ssthresh))
            .real("rtt_s", sender.last_s)
            .count("in_flight_packets", in_flight(sender, receiver))
            .real("throughput_bps", received as f64 * 8.0 / interval_s)
            .end();
    }

    /// Bytes delivered to the receiver, without duplicates.
    fn delivered_bytes(&self, sender: &EndpointStats, receiver: &EndpointStats) -> u64 {
        let Some(segment_bytes) = self.segment_bytes else { return receiver.received.bytes };
        let has_syn = self.syn_bytes.is_some() && self.syn_bytes == sender.first_sent.map(|(_, bytes)| bytes);
        let packets = receiver.end_of_sequence - i64::from(has_syn);
        packets.max(0) as u64 * segment_bytes
    }

    /// From the first packet until completion, or until the last packet after a stop, or until now, s.
    fn lasted_s(&self, now_s: f64, net: &Network) -> Option<f64> {
        let [sender, receiver] = self.ends(net);
        // A stopped flow lasts until its last packet arrives.
        let stopped_s = sender.stopped_s.map(|stopped_s| receiver.last_received_s.unwrap_or(stopped_s).max(stopped_s));
        let end_s = sender.completed_s.or(stopped_s).unwrap_or(now_s);
        sender.first_sent.map(|(start_s, _)| end_s - start_s).filter(|&lasted_s| lasted_s > 0.0)
    }

    /// Appends the row of the table of calls, if the flow is one: if its receiver gets video frames.
    pub fn finish_call(&self, number: u32, simulation: &mut Simulation, rows: &mut Rows) {
        let lasted_s = self.lasted_s(simulation.now().secs(), &simulation.net);
        let captured = |name: &str| {
            let value = simulation.agents[self.sender.0 as usize].param(name);
            value.map_or(0, |value| value.int().max(0) as u64)
        };
        let (frames, bytes) = (captured("captured_frames"), captured("captured_bytes"));
        let Some(stats) = simulation.agents[self.receiver.0 as usize].frames() else { return };
        push_call(rows, number, (frames, bytes), stats, lasted_s);
    }

    /// Keeps each frame of a call.
    pub fn keep_frames(&self, simulation: &mut Simulation) {
        if let Some(stats) = simulation.agents[self.receiver.0 as usize].frames() {
            stats.kept = Some(Vec::new());
        }
    }

    /// Appends the kept frames of a call.
    pub fn finish_frames(&self, number: u32, simulation: &mut Simulation, rows: &mut Rows) {
        let stats = simulation.agents[self.receiver.0 as usize].frames();
        for frame in stats.and_then(|stats| stats.kept.take()).into_iter().flatten() {
            push_frame(rows, number, &frame);
        }
    }

    /// Appends the row of the table of videos and those of its segments, if one of the ends plays one.
    pub fn finish_video(&self, number: u32, net: &Network, (videos, segments): (&mut Rows, &mut Rows)) {
        let Some(playback) = self.ends(net).into_iter().find_map(|stats| stats.playback.as_deref()) else { return };
        push_video(videos, number, playback);
        for segment in &playback.segments {
            push_segment(segments, number, segment);
        }
    }

    /// Appends the row of the table of flows.
    pub fn finish(&self, number: u32, simulation: &Simulation, rows: &mut Rows) {
        let now_s = simulation.now().secs();
        let [sender, receiver] = self.ends(&simulation.net);
        let own = |agent: AgentId, name: &str| {
            let value = simulation.agents[agent.0 as usize].param(name)?;
            Some(value.int().max(0) as u64)
        };
        let delivered = own(self.receiver, "bytes_received").unwrap_or_else(|| self.delivered_bytes(sender, receiver));
        let start_s = sender.first_sent.map(|(at_s, _)| at_s);
        let lasted_s = self.lasted_s(now_s, &simulation.net);
        let rate = |bytes: u64| lasted_s.map(|lasted_s| bytes as f64 * 8.0 / lasted_s);
        let (sent, received) = (sender.sent, receiver.received);
        let (delays, rtts) = (&receiver.times, &sender.times);
        let [delay_p50, delay_p95, delay_p99] = delays.quantiles(PARTS);
        let [rtt_p50, rtt_p95, rtt_p99] = rtts.quantiles(PARTS);
        let limited = |limit: Limit| sender.tcp.as_ref().map(|tcp| tcp.limited_s(limit, now_s));
        rows.number("flow", number)
            .integer("flow_id", self.fid)
            .count("sent_packets", sent.packets)
            .count("sent_bytes", sent.bytes)
            .count("received_packets", received.packets)
            .count("received_bytes", received.bytes)
            .count("dropped_packets", sender.dropped.packets)
            .count("dropped_bytes", sender.dropped.bytes)
            .count("in_flight_packets", in_flight(sender, receiver))
            .count("marked_packets", receiver.marked)
            .count("retransmitted_packets", own(self.sender, "nrexmitpack"))
            .count("timeouts", own(self.sender, "nrexmit"))
            .count("delivered_bytes", delivered)
            .count("replies_delivered_bytes", own(self.sender, "bytes_received"))
            .count("replies_sent_packets", receiver.sent.packets)
            .count("replies_received_packets", sender.received.packets)
            .count("replies_dropped_packets", receiver.dropped.packets)
            .real("start_s", start_s)
            .real("completion_s", sender.completed_s.zip(start_s).map(|(end_s, start_s)| end_s - start_s))
            .real("throughput_bps", rate(received.bytes))
            .real("goodput_bps", rate(delivered))
            .real("loss_ratio", (sent.packets > 0).then(|| sender.dropped.packets as f64 / sent.packets as f64))
            .real("delay_mean_s", delays.mean())
            .real("delay_min_s", delays.min())
            .real("delay_p50_s", delay_p50)
            .real("delay_p95_s", delay_p95)
            .real("delay_p99_s", delay_p99)
            .real("delay_max_s", delays.max())
            .real("jitter_s", (delays.count() > 1).then(|| receiver.variation_s / (delays.count() - 1) as f64))
            .real("rtt_mean_s", rtts.mean())
            .real("rtt_min_s", rtts.min())
            .real("rtt_p50_s", rtt_p50)
            .real("rtt_p95_s", rtt_p95)
            .real("rtt_p99_s", rtt_p99)
            .real("limited_by_application_s", limited(Limit::Application))
            .real("limited_by_receiver_window_s", limited(Limit::ReceiverWindow))
            .real("limited_by_congestion_window_s", limited(Limit::CongestionWindow))
            .end();
    }
}

/// A row of the table of calls: `captured` are frames and their bytes.
pub(super) fn push_call(rows: &mut Rows, number: u32, captured: (u64, u64), stats: &FrameStats, lasted_s: Option<f64>) {
    let delays = &stats.delays;
    let [p50, p95, p99] = delays.quantiles(PARTS);
    let rate = |bytes: u64| lasted_s.map(|lasted_s| bytes as f64 * 8.0 / lasted_s);
    rows.number("flow", number)
        .count("captured_frames", captured.0)
        .count("delivered_frames", stats.delivered)
        .count("lost_frames", stats.lost())
        .count("late_frames", stats.late)
        .real("encoded_bps", rate(captured.1))
        .real("delivered_bps", rate(stats.bytes))
        .real("frame_delay_mean_s", delays.mean())
        .real("frame_delay_min_s", delays.min())
        .real("frame_delay_p50_s", p50)
        .real("frame_delay_p95_s", p95)
        .real("frame_delay_p99_s", p99)
        .real("frame_delay_max_s", delays.max())
        .end();
}

/// A row of the table of frames.
pub(super) fn push_frame(rows: &mut Rows, number: u32, frame: &Frame) {
    rows.real("time_s", frame.captured_s + frame.delay_s)
        .number("flow", number)
        .count("frame", u64::from(frame.number))
        .count("size_bytes", u64::from(frame.bytes))
        .real("captured_s", frame.captured_s)
        .real("delay_s", frame.delay_s)
        .end();
}

/// A row of the table of videos.
pub(super) fn push_video(rows: &mut Rows, number: u32, playback: &Playback) {
    rows.number("flow", number)
        .count("segments", playback.segments.len() as u64)
        .real("startup_delay_s", playback.startup_delay_s)
        .real("played_s", playback.played_s)
        .real("rebuffering_s", playback.rebuffering_s)
        .real("rebuffering_ratio", playback.rebuffering_ratio())
        .count("rebufferings", playback.rebufferings)
        .real("bitrate_mean_bps", playback.bitrate_mean_bps())
        .count("switches", playback.switches)
        .end();
}

/// A row of the table of segments.
pub(super) fn push_segment(rows: &mut Rows, number: u32, segment: &Segment) {
    rows.real("time_s", segment.arrived_s)
        .number("flow", number)
        .count("segment", u64::from(segment.number))
        .real("bitrate_bps", segment.bitrate_bps)
        .count("size_bytes", segment.bytes as u64)
        .real("requested_s", segment.requested_s)
        .real("buffer_s", segment.buffer_s)
        .end();
}

/// Data packets in flight; an endpoint of another program may get packets of others, too.
fn in_flight(sender: &EndpointStats, receiver: &EndpointStats) -> u64 {
    sender.sent.packets.saturating_sub(receiver.received.packets + sender.dropped.packets)
}
