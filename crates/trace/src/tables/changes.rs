//! The tables of changes: each change of a window, each sample of a round-trip time, each change of a queue's length.

use std::collections::VecDeque;

use ackclock_engine::packet::Packet;

use crate::columns::{PacketEvent, Rows, Table};

/// A variable of a flow whose changes are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The congestion window, packets.
    Cwnd,
    /// The slow-start threshold, packets.
    Ssthresh,
    /// The round-trip time, s.
    Rtt,
}

/// The tables of changes.
pub struct Changes {
    windows: Rows,
    rtts: Rows,
    queues: Rows,
    /// By flow: congestion window and slow-start threshold.
    present: Vec<[Option<f64>; 2]>,
    /// By link: the packets in its queue.
    waiting: Vec<Waiting>,
}

/// The packets in a queue: uid and size in bytes.
#[derive(Default)]
struct Waiting {
    packets: VecDeque<(i32, i32)>,
    bytes: i64,
}

impl Waiting {
    /// A packet passes a hook of the link.
    fn pass(&mut self, event: PacketEvent, packet: &Packet) {
        if event == PacketEvent::Enqueue {
            self.packets.push_back((packet.uid, packet.size));
            self.bytes += i64::from(packet.size);
        } else if let Some(place) = self.packets.iter().position(|&(uid, _)| uid == packet.uid) {
            let (_, bytes) = self.packets.remove(place).unwrap_or_default();
            self.bytes -= i64::from(bytes);
        }
    }
}

impl Default for Changes {
    fn default() -> Changes {
        Changes {
            windows: Rows::like(|rows| push_windows(rows, 0.0, 0, [None; 2])),
            rtts: Rows::like(|rows| push_rtt(rows, 0.0, 0, 0.0)),
            queues: Rows::like(|rows| push_queue(rows, 0.0, 0, &Waiting::default())),
            present: Vec::new(),
            waiting: Vec::new(),
        }
    }
}

impl Changes {
    /// Adds a flow with its present window and threshold.
    pub fn add_flow(&mut self, present: [Option<f64>; 2]) {
        self.present.push(present);
    }

    /// A variable of a flow, numbered from 0, has a new value.
    pub fn set(&mut self, flow: u32, variable: Variable, now_s: f64, value: f64) {
        let present = &mut self.present[flow as usize];
        match variable {
            Variable::Rtt => return push_rtt(&mut self.rtts, now_s, flow + 1, value),
            Variable::Cwnd => present[0] = Some(value),
            Variable::Ssthresh => present[1] = Some(value),
        }
        push_windows(&mut self.windows, now_s, flow + 1, *present);
    }

    /// A packet enters or leaves a queue, or is lost on the link.
    pub fn pass(&mut self, link: u32, event: PacketEvent, now_s: f64, packet: &Packet) {
        if self.waiting.len() <= link as usize {
            self.waiting.resize_with(link as usize + 1, Waiting::default);
        }
        let waiting = &mut self.waiting[link as usize];
        waiting.pass(event, packet);
        push_queue(&mut self.queues, now_s, link, waiting);
    }

    /// The tables by name.
    pub fn finish(&mut self) -> [(&'static str, Table); 3] {
        [
            ("window_changes", self.windows.finish()),
            ("rtt_changes", self.rtts.finish()),
            ("queue_changes", self.queues.finish()),
        ]
    }
}

fn push_windows(rows: &mut Rows, now_s: f64, flow: u32, [cwnd, ssthresh]: [Option<f64>; 2]) {
    rows.real("time_s", now_s).number("flow", flow).real("cwnd_packets", cwnd).real("ssthresh_packets", ssthresh).end();
}

fn push_rtt(rows: &mut Rows, now_s: f64, flow: u32, rtt_s: f64) {
    rows.real("time_s", now_s).number("flow", flow).real("rtt_s", rtt_s).end();
}

fn push_queue(rows: &mut Rows, now_s: f64, link: u32, waiting: &Waiting) {
    rows.real("time_s", now_s)
        .number("link", link)
        .count("queue_packets", waiting.packets.len() as u64)
        .count("queue_bytes", waiting.bytes.max(0) as u64)
        .end();
}
