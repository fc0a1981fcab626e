//! Statistics of one flow: its data, its replies, and its sender's window.

use ackclock_engine::packet::{Packet, flag};

use super::link::Tally;
use super::quantiles::{PARTS, Quantiles};
use crate::columns::Rows;

/// A traced variable of a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The congestion window, packets.
    Cwnd,
    /// The slow-start threshold, packets.
    Ssthresh,
    /// The next packet to send.
    Next,
    /// Number of packets that the application has produced.
    Produced,
    /// The highest packet acknowledged.
    Acknowledged,
}

/// What limits a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Application,
    ReceiverWindow,
    CongestionWindow,
}

/// The state of a TCP sender.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The receiver's window, packets.
    pub window: f64,
    /// Bytes of data in a packet.
    pub segment_bytes: u64,
    /// Size of the SYN, if the sender sends one; confirmed by its first packet.
    pub syn_bytes: Option<i32>,
    cwnd: f64,
    ssthresh: f64,
    next: i64,
    produced: i64,
    acknowledged: i64,
    limit: Limit,
    since_s: Option<f64>,
    limited_s: [f64; 3],
}

impl Sender {
    /// A sender that has not started.
    pub fn new(window: f64, segment_bytes: u64, syn_bytes: Option<i32>) -> Sender {
        Sender {
            window,
            segment_bytes,
            syn_bytes,
            cwnd: 0.0,
            ssthresh: 0.0,
            next: 0,
            produced: 0,
            acknowledged: -1,
            limit: Limit::Application,
            since_s: None,
            limited_s: [0.0; 3],
        }
    }

    fn limit_now(&self) -> Limit {
        if self.next >= self.produced {
            Limit::Application
        } else if self.cwnd >= self.window {
            Limit::ReceiverWindow
        } else {
            Limit::CongestionWindow
        }
    }

    /// Adds the time since the last call to the present limit, and updates the limit.
    fn look(&mut self, now_s: f64) {
        if let Some(since_s) = self.since_s {
            self.limited_s[self.limit as usize] += now_s - since_s;
            self.since_s = Some(now_s);
        }
        self.limit = self.limit_now();
    }

    /// Updates a variable; returns whether its changes are recorded.
    fn set(&mut self, now_s: f64, variable: Variable, value: f64) -> bool {
        match variable {
            Variable::Cwnd => self.cwnd = value,
            Variable::Ssthresh => self.ssthresh = value,
            Variable::Next => self.next = value as i64,
            Variable::Produced => self.produced = value as i64,
            Variable::Acknowledged => self.acknowledged = value as i64,
        }
        self.look(now_s);
        matches!(variable, Variable::Cwnd | Variable::Ssthresh)
    }
}

/// Counters of the flow's agents, where available.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentCounters {
    /// Packets retransmitted by the sender.
    pub retransmitted: Option<u64>,
    /// The sender's timeouts.
    pub timeouts: Option<u64>,
    /// In-order bytes that the receiver of a two-way connection has delivered to its application.
    pub delivered_bytes: Option<u64>,
    /// The bytes delivered in the reverse direction.
    pub replied_bytes: Option<u64>,
}

/// The statistics of one flow.
pub struct FlowBook {
    /// The flow id that its packets carry.
    pub fid: i32,
    /// The state of its sender, if that is a TCP.
    pub sender: Option<Sender>,
    sent: Tally,
    received: Tally,
    dropped: Tally,
    replies_sent: Tally,
    replies_received: Tally,
    replies_dropped: Tally,
    marked: u64,
    delays: Quantiles,
    last_delay_s: Option<f64>,
    variation_s: f64,
    variations: u64,
    rtts: Quantiles,
    last_rtt_s: Option<f64>,
    first_sent_s: Option<f64>,
    last_received_s: Option<f64>,
    in_order: i64,
    /// The highest acknowledgement received by the sender.
    acknowledged: i32,
    completed_s: Option<f64>,
    awaited_bytes: Option<i64>,
    stopped_s: Option<f64>,
    sampled_bytes: u64,
}

impl FlowBook {
    /// Statistics of a flow that has not started.
    pub fn new(fid: i32, sender: Option<Sender>) -> FlowBook {
        FlowBook {
            fid,
            sender,
            sent: Tally::default(),
            received: Tally::default(),
            dropped: Tally::default(),
            replies_sent: Tally::default(),
            replies_received: Tally::default(),
            replies_dropped: Tally::default(),
            marked: 0,
            delays: Quantiles::default(),
            last_delay_s: None,
            variation_s: 0.0,
            variations: 0,
            rtts: Quantiles::default(),
            last_rtt_s: None,
            first_sent_s: None,
            last_received_s: None,
            in_order: 0,
            acknowledged: -1,
            completed_s: None,
            awaited_bytes: None,
            stopped_s: None,
            sampled_bytes: 0,
        }
    }

    /// The sender, or with `is_reply` the receiver, sends a packet.
    pub fn send(&mut self, now_s: f64, packet: &Packet, is_reply: bool) {
        if is_reply {
            self.replies_sent.add(packet);
            self.in_order = self.in_order.max(i64::from(packet.seqno) + 1);
            return;
        }
        self.sent.add(packet);
        if self.first_sent_s.is_none() {
            self.first_sent_s = Some(now_s);
            if let Some(sender) = &mut self.sender {
                // Some variants start with data in any case.
                sender.syn_bytes = sender.syn_bytes.filter(|&bytes| bytes == packet.size);
                sender.since_s = Some(now_s);
                sender.look(now_s);
            }
        }
    }

    /// A packet arrives at the receiver, or a reply at the sender; returns the RTT sample of a reply, s.
    pub fn receive(&mut self, now_s: f64, packet: &Packet, is_reply: bool) -> Option<f64> {
        if is_reply {
            self.replies_received.add(packet);
            // RFC 7323, 4.1: a duplicate ACK may echo an old timestamp. Only an ACK of new data gives a sample.
            let is_two_way = packet.tcp_flags != 0;
            let acknowledges = if is_two_way { packet.ackno } else { packet.seqno };
            let is_new = acknowledges > self.acknowledged;
            self.acknowledged = self.acknowledged.max(acknowledges);
            if self.sender.is_some() && packet.ts_echo >= 0.0 && is_new {
                let rtt_s = now_s - packet.ts_echo;
                self.rtts.add(rtt_s);
                self.last_rtt_s = Some(rtt_s);
                return Some(rtt_s);
            }
            return None;
        }
        self.received.add(packet);
        self.last_received_s = Some(now_s);
        if packet.has(flag::MARKED | flag::ECN_CAPABLE) {
            self.marked += 1;
        }
        let delay_s = now_s - packet.made_at.secs();
        self.delays.add(delay_s);
        if let Some(last_s) = self.last_delay_s.replace(delay_s) {
            self.variation_s += (delay_s - last_s).abs();
            self.variations += 1;
        }
        None
    }

    /// A packet, or a reply, is lost.
    pub fn lose(&mut self, packet: &Packet, is_reply: bool) {
        if is_reply { self.replies_dropped.add(packet) } else { self.dropped.add(packet) }
    }

    /// Updates a variable of the sender; returns whether its changes are recorded.
    pub fn set(&mut self, now_s: f64, variable: Variable, value: f64) -> bool {
        // The SYN counts as a byte, too.
        if variable == Variable::Acknowledged && self.awaited_bytes.is_some_and(|bytes| value as i64 > bytes) {
            self.completed_s.get_or_insert(now_s);
        }
        self.sender.as_mut().is_some_and(|sender| sender.set(now_s, variable, value))
    }

    /// Congestion window and slow-start threshold, packets.
    pub fn windows(&self) -> (Option<f64>, Option<f64>) {
        self.sender.as_ref().map_or((None, None), |sender| (Some(sender.cwnd), Some(sender.ssthresh)))
    }

    /// The flow completes when this number of bytes of a two-way connection is acknowledged.
    pub fn await_bytes(&mut self, bytes: i64) {
        self.awaited_bytes = Some(bytes);
    }

    /// All data of the sender were acknowledged.
    pub fn complete(&mut self, now_s: f64) {
        self.completed_s = Some(now_s);
    }

    /// Its application starts or resumes.
    pub fn start(&mut self) {
        self.stopped_s = None;
    }

    /// Its application stops.
    pub fn stop(&mut self, now_s: f64) {
        self.stopped_s = Some(now_s);
    }

    /// End of the flow for the computation of rates, s.
    fn end_s(&self, now_s: f64) -> f64 {
        let stopped_s = self.stopped_s.map(|stopped_s| stopped_s.max(self.last_received_s.unwrap_or(stopped_s)));
        self.completed_s.or(stopped_s).unwrap_or(now_s)
    }

    /// Data packets in flight.
    fn in_flight(&self) -> u64 {
        self.sent.packets - self.received.packets - self.dropped.packets
    }

    /// Bytes delivered to the receiver, without duplicates.
    fn delivered_bytes(&self) -> u64 {
        match &self.sender {
            None => self.received.bytes,
            Some(sender) => {
                let packets = self.in_order - i64::from(sender.syn_bytes.is_some());
                packets.max(0) as u64 * sender.segment_bytes
            }
        }
    }

    /// Appends a row of the series for the interval of `interval_s` that ends at `at_s`.
    pub fn sample(&mut self, flow: u32, at_s: f64, interval_s: f64, rows: &mut Rows) {
        let received = self.received.bytes - self.sampled_bytes;
        self.sampled_bytes = self.received.bytes;
        let (cwnd, ssthresh) = self.windows();
        rows.real("time_s", at_s)
            .number("flow", flow)
            .real("cwnd_packets", cwnd)
            .real("ssthresh_packets", ssthresh)
            .real("rtt_s", self.last_rtt_s)
            .count("in_flight_packets", self.in_flight())
            .real("throughput_bps", received as f64 * 8.0 / interval_s)
            .end();
    }

    /// Appends the row of the table of flows. `own` has the counters of its agents.
    pub fn finish(&mut self, flow: u32, now_s: f64, own: AgentCounters, rows: &mut Rows) {
        if let Some(sender) = &mut self.sender {
            sender.look(now_s);
        }
        let delivered = own.delivered_bytes.unwrap_or_else(|| self.delivered_bytes());
        let lasted_s = self.first_sent_s.map(|first_s| self.end_s(now_s) - first_s);
        let rate = |bytes: u64| lasted_s.filter(|&s| s > 0.0).map(|s| bytes as f64 * 8.0 / s);
        let [delay_p50, delay_p95, delay_p99] = self.delays.quantiles(PARTS);
        let [rtt_p50, rtt_p95, rtt_p99] = self.rtts.quantiles(PARTS);
        let limited = |limit: Limit| self.sender.as_ref().map(|sender| sender.limited_s[limit as usize]);
        rows.number("flow", flow)
            .integer("flow_id", self.fid)
            .count("sent_packets", self.sent.packets)
            .count("sent_bytes", self.sent.bytes)
            .count("received_packets", self.received.packets)
            .count("received_bytes", self.received.bytes)
            .count("dropped_packets", self.dropped.packets)
            .count("dropped_bytes", self.dropped.bytes)
            .count("in_flight_packets", self.in_flight())
            .count("marked_packets", self.marked)
            .count("retransmitted_packets", own.retransmitted)
            .count("timeouts", own.timeouts)
            .count("delivered_bytes", delivered)
            .count("replies_delivered_bytes", own.replied_bytes)
            .count("replies_sent_packets", self.replies_sent.packets)
            .count("replies_received_packets", self.replies_received.packets)
            .count("replies_dropped_packets", self.replies_dropped.packets)
            .real("start_s", self.first_sent_s)
            .real("completion_s", self.completed_s.zip(self.first_sent_s).map(|(end, start)| end - start))
            .real("throughput_bps", rate(self.received.bytes))
            .real("goodput_bps", rate(delivered))
            .real("loss_ratio", (self.sent.packets > 0).then(|| self.dropped.packets as f64 / self.sent.packets as f64))
            .real("delay_mean_s", self.delays.mean())
            .real("delay_min_s", self.delays.least())
            .real("delay_p50_s", delay_p50)
            .real("delay_p95_s", delay_p95)
            .real("delay_p99_s", delay_p99)
            .real("delay_max_s", self.delays.most())
            .real("jitter_s", (self.variations > 0).then(|| self.variation_s / self.variations as f64))
            .real("rtt_mean_s", self.rtts.mean())
            .real("rtt_min_s", self.rtts.least())
            .real("rtt_p50_s", rtt_p50)
            .real("rtt_p95_s", rtt_p95)
            .real("rtt_p99_s", rtt_p99)
            .real("limited_by_application_s", limited(Limit::Application))
            .real("limited_by_receiver_window_s", limited(Limit::ReceiverWindow))
            .real("limited_by_congestion_window_s", limited(Limit::CongestionWindow))
            .end();
    }
}
