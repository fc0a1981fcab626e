//! Queue monitors: counters of arrivals, departures and drops, and integrals of the queue length.
//!
//! Source: ns-2.35's `QueueMonitor` and `Integrator`.

use crate::measure::histogram::Histogram;
use crate::measure::observe::TraceId;
use crate::measure::tagger::Tagger;
use crate::packet::{Packet, PacketKind, flag};
use crate::params::Params;
use crate::time::Time;

/// The integral of a step function over time.
#[derive(Clone, Debug, Default, Params)]
pub struct Integrator {
    /// The last point's instant, s.
    #[param(state)]
    pub last_s: f64,
    /// The last point's value.
    #[param(state)]
    pub last_value: f64,
    /// The integral up to the last point.
    #[param(state)]
    pub sum: f64,
}

impl Integrator {
    /// Adds a point: the function is `value` from `at` on.
    pub fn new_point(&mut self, at: Time, value: f64) {
        self.sum += (at.secs() - self.last_s) * self.last_value;
        self.last_s = at.secs();
        self.last_value = value;
    }
}

/// Index of a queue monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorId(pub u32);

/// Index of a table of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableId(pub u32);

/// The source, destination and id of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Source node.
    pub src: i32,
    /// Destination node.
    pub dst: i32,
    /// Flow id.
    pub fid: i32,
    /// Kind of its packets.
    pub kind: PacketKind,
}

impl Flow {
    /// The flow of a packet.
    pub fn of(packet: &Packet) -> Flow {
        Flow { src: packet.src.node, dst: packet.dst.node, fid: packet.fid, kind: packet.kind }
    }
}

/// Which events are counted by the flow monitors too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Params)]
pub struct Forwards {
    /// Arrivals.
    #[param(state, name = "counts_arrivals")]
    pub arrivals: bool,
    /// Departures.
    #[param(state, name = "counts_departures")]
    pub departures: bool,
    /// Losses.
    #[param(state, name = "counts_drops")]
    pub drops: bool,
    /// Drops from a queue that was not full.
    #[param(state, name = "counts_early_drops")]
    pub early_drops: bool,
}

impl Default for Forwards {
    fn default() -> Forwards {
        Forwards { arrivals: true, departures: true, drops: true, early_drops: true }
    }
}

/// The counters of a monitor.
#[derive(Clone, Debug, Default, Params)]
pub struct Monitor {
    /// Bytes in the queue now.
    #[param(state)]
    pub bytes: i32,
    /// Packets in the queue now.
    #[param(state)]
    pub packets: i32,
    /// Packets that arrived.
    #[param(state)]
    pub arrived_packets: i32,
    /// Bytes that arrived.
    #[param(state)]
    pub arrived_bytes: i32,
    /// Packets that left.
    #[param(state)]
    pub departed_packets: i32,
    /// Bytes that left.
    #[param(state)]
    pub departed_bytes: i32,
    /// Packets lost.
    #[param(state)]
    pub dropped_packets: i32,
    /// Bytes lost.
    #[param(state)]
    pub dropped_bytes: i32,
    /// Packets that left with a congestion mark.
    #[param(state)]
    pub marked_packets: i32,
    /// Packets dropped before the queue was full; `dropped_packets` includes them.
    #[param(state)]
    pub early_packets: i32,
    /// Bytes of these packets.
    #[param(state)]
    pub early_bytes: i32,
    /// Packets dropped by the policer of their flow; `dropped_packets` includes them.
    #[param(state)]
    pub policed_packets: i32,
    /// Bytes of these packets.
    #[param(state)]
    pub policed_bytes: i32,
    /// Packets that arrived and were sent in a Quick-Start window.
    #[param(state)]
    pub quick_start_packets: i32,
    /// Bytes of these packets.
    #[param(state)]
    pub quick_start_bytes: i32,
    /// Quick-Start packets lost.
    #[param(state)]
    pub quick_start_drops: i32,
    /// When the first packet arrived, s.
    #[param(state)]
    pub first_packet: f64,
    /// When the last packet arrived, s.
    #[param(state)]
    pub last_packet: f64,
    /// The counted flow, as in its last packet; `None` for a monitor of many flows.
    pub flow: Option<Flow>,
    /// The flow monitors that are updated with this one.
    pub flows: Option<TableId>,
    /// Which events they count.
    #[param(flatten)]
    pub forwards: Forwards,
    /// Integral of the queue length in bytes, if enabled.
    pub bytes_integral: Option<Integrator>,
    /// Integral of the queue length in packets, if enabled.
    pub packets_integral: Option<Integrator>,
    /// The node before the queue.
    pub from: i32,
    /// The node after the queue.
    pub to: i32,
    /// Where the observer receives each change of the queue length.
    pub trace: Option<TraceId>,
    /// Samples of the queueing delay, if enabled.
    pub delay: Option<DelaySamples>,
    /// Histogram of the sender's round-trip times (ms) of the TCP segments that left, if enabled.
    pub rtts: Option<Histogram>,
    /// Histogram of the sequence numbers of the TCP segments that left, if enabled.
    pub seqnos: Option<Histogram>,
    /// Tagger for the packets of the flow.
    pub tagger: Option<Tagger>,
    /// Tagger for the packets of new flows.
    pub fresh_tagger: Option<Tagger>,
}

/// Count, sum and sum of squares of delay samples.
#[derive(Clone, Debug, Default)]
pub struct DelaySamples {
    /// Number of samples.
    pub count: i32,
    /// Their sum, s.
    pub sum_s: f64,
    /// The sum of their squares, s².
    pub sum_of_squares: f64,
}

impl Monitor {
    fn length_changed(&mut self, now: Time) {
        if let Some(integral) = &mut self.bytes_integral {
            integral.new_point(now, f64::from(self.bytes));
        }
        if let Some(integral) = &mut self.packets_integral {
            integral.new_point(now, f64::from(self.packets));
        }
    }

    /// A packet enters the queue.
    pub fn arrival(&mut self, now: Time, packet: &Packet) {
        self.last_packet = now.secs();
        if self.arrived_packets == 0 {
            self.first_packet = self.last_packet;
        }
        self.arrived_bytes = self.arrived_bytes.wrapping_add(packet.size);
        self.arrived_packets += 1;
        if packet.has(flag::QUICK_START) {
            self.quick_start_packets += 1;
            self.quick_start_bytes = self.quick_start_bytes.wrapping_add(packet.size);
        }
        self.bytes += packet.size;
        self.packets += 1;
        self.length_changed(now);
    }

    /// A packet leaves the queue.
    pub fn departure(&mut self, now: Time, packet: &Packet) {
        self.bytes -= packet.size;
        self.packets -= 1;
        self.departed_bytes = self.departed_bytes.wrapping_add(packet.size);
        self.departed_packets += 1;
        if packet.has(flag::MARKED | flag::ECN_CAPABLE) {
            self.marked_packets += 1;
        }
        self.length_changed(now);
        if let Some(delay) = &mut self.delay {
            let waited = now - packet.queued_at;
            delay.count += 1;
            delay.sum_s += waited;
            delay.sum_of_squares += waited * waited;
        }
        if matches!(packet.kind, PacketKind::Tcp | PacketKind::Ftp | PacketKind::Telnet) {
            if let Some(rtts) = &mut self.rtts {
                rtts.count(packet.last_rtt_ms);
            }
            if let Some(seqnos) = &mut self.seqnos {
                seqnos.count(packet.seqno);
            }
        }
    }

    /// A packet is lost from the queue.
    pub fn drop(&mut self, now: Time, packet: &Packet) {
        self.bytes -= packet.size;
        self.packets -= 1;
        self.dropped_bytes = self.dropped_bytes.wrapping_add(packet.size);
        self.dropped_packets += 1;
        self.quick_start_drops += i32::from(packet.has(flag::QUICK_START));
        self.length_changed(now);
    }
}
