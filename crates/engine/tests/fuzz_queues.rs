//! Every queue discipline through random arrivals, departures and time: no packet is lost, none is there twice, each flow's
//! come in their order, the lengths are the sums, the limits are kept, and in the end all has left.

mod fuzzing;

use std::collections::{BTreeMap, VecDeque};

use ackclock_engine::measure::observe::Nobody;
use ackclock_engine::packet::header::{Header, XcpHeader};
use ackclock_engine::packet::{Address, Packet, PacketId, PacketPool, flag};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{DISCIPLINES, Discipline, OF_SCRIPTS, Queue, QueueContext, QueueLimit, make};
use ackclock_engine::random::rng::{Source, Streams};
use ackclock_engine::time::Time;
use fuzzing::{Chance, fuzz};

const FLOWS: usize = 6;
/// As in ns-2 these keep their packets when a simulation starts anew.
const KEEP_AT_RESET: [&str; 3] = ["cbq", "cbq_wrr", "rem"];

/// A queue, and what is known to be in it.
struct Rig {
    queue: Queue,
    packets: PacketPool,
    rng: Streams,
    now: Time,
    timer: Option<Time>,
    /// Of each flow the packets that wait, oldest first.
    waiting: BTreeMap<i32, VecDeque<PacketId>>,
    bytes: i64,
    largest: i64,
    rate_bps: f64,
    is_xcp: bool,
}

impl Rig {
    fn new(id: &str, chance: &mut Chance) -> Rig {
        let rate_bps = chance.of(&[1e5, 1e6, 1e7]);
        let mut rig = Rig {
            queue: make(id).expect("of the table"),
            packets: PacketPool::default(),
            rng: Streams::default(),
            now: Time::ZERO,
            timer: None,
            waiting: BTreeMap::new(),
            bytes: 0,
            largest: 0,
            rate_bps,
            is_xcp: id == "xcp",
        };
        let limit = 1 + chance.below(30) as i64;
        for (name, value) in [
            ("limit", Value::Int(limit)),
            ("queue_in_bytes", Value::Flag(chance.once_in(3))),
            ("ecn", Value::Flag(chance.once_in(2))),
            ("setbit", Value::Flag(chance.once_in(2))),
            ("drop_front", Value::Flag(chance.once_in(3))),
            ("gentle", Value::Flag(chance.once_in(2))),
            ("adaptive", Value::Int(chance.below(2) as i64)),
            ("maxqueue", Value::Int(limit)),
            ("blimit", Value::Int(1000 * limit)),
            ("memory_limit", Value::Int(1000 * limit)),
            ("flow_limit", Value::Int(limit)),
            ("markpkts", Value::Flag(chance.once_in(2))),
            ("qib", Value::Flag(chance.once_in(3))),
        ] {
            // A few of them each time, where the discipline has them.
            if name == "limit" || chance.once_in(2) {
                rig.queue.set_param(name, value);
            }
        }
        rig.ready(id);
        rig
    }

    /// What some disciplines need to be told before the first packet.
    fn ready(&mut self, id: &str) {
        let mut words: Vec<String> = Vec::new();
        if id.starts_with("ds_red") {
            words.extend((0..4).map(|prio| format!("addPHBEntry {prio} {} {}", prio / 2, prio % 2)));
            words.push("setNumPrec 2".into());
            for queue in 0..2 {
                words.extend((0..2).map(|precedence| format!("configQ {queue} {precedence} 3 9 0.1")));
            }
            self.queue.set_param("num_queues", Value::Int(2));
        }
        if id == "red_pd" {
            words.push("monitor flow.0.3.0 0.3 1".into());
            words.push("monitor flow.1.4.1 0.6 1".into());
            words.push("unresponsive flow.1.4.1".into());
        }
        if id.starts_with("cbq") {
            words.push("insert 1 1 0.5 0.1 0 1 -1 drop_tail".into());
            words.push("insert 2 1 0.4 0.1 0 1 -1 red".into());
            words.extend((0..FLOWS).map(|flow| format!("bind {flow} {}", flow % 2)));
        }
        for word in words {
            self.act(|queue, context| queue.command(&word, context)).expect("a command of this discipline");
        }
        // Those that compute nothing from their link do not know it.
        let _ = self.act(|queue, context| queue.command("link", context));
    }

    /// Lets the queue act, and takes in what it threw away.
    fn act<R>(&mut self, act: impl FnOnce(&mut dyn Discipline, &mut QueueContext) -> R) -> R {
        let (mut dropped, mut dropped_early, mut error) = (Vec::new(), Vec::new(), None);
        let mut context = QueueContext {
            now: self.now,
            packets: &mut self.packets,
            rng: self.rng.of(Source::Queue(0)),
            rate_bps: self.rate_bps,
            delay_s: 0.01,
            dropped: &mut dropped,
            dropped_early: &mut dropped_early,
            wake_in_s: None,
            error: &mut error,
            observer: &mut Nobody,
        };
        let result = act(&mut *self.queue, &mut context);
        if let Some(wait_s) = context.wake_in_s {
            assert!(wait_s >= 0.0 && wait_s.is_finite(), "it wants to be woken in {wait_s} s");
            self.timer = Some(self.now + wait_s);
        }
        assert_eq!(error, None);
        for packet in dropped.into_iter().chain(dropped_early) {
            let flow = self.packets[packet].fid;
            let line = self.waiting.get_mut(&flow).expect("a flow that came");
            let place = line.iter().position(|&other| other == packet).expect("it drops what waits, once");
            line.remove(place);
            self.ended(packet);
        }
        result
    }

    fn ended(&mut self, packet: PacketId) {
        self.bytes -= i64::from(self.packets[packet].size);
        self.packets.free(packet);
    }

    fn arrives(&mut self, chance: &mut Chance) {
        let flow = chance.below(FLOWS) as i32;
        let ends = [flow % 3, 3 + flow % 2].map(|node| Address { node, port: flow });
        let understands = [0, flag::ECN_CAPABLE, flag::ECN_CAPABLE | flag::ECT_1][flow as usize % 3];
        let priority = if flow % 2 == 0 { flag::PRIORITY } else { 0 };
        let size = chance.of(&[40, 40, 1000, 1500]);
        let mut packet = Packet::default();
        // XCP's routers know the priorities 10, 20 and 30.
        (packet.size, packet.fid, packet.prio) = (size, flow, flow % 4 * if self.is_xcp { 10 } else { 1 });
        (packet.src, packet.dst) = (ends[0], ends[1]);
        packet.flags = understands | priority;
        let id = self.packets.make(packet);
        if self.is_xcp && flow % 4 == 1 {
            let (rtt_s, window) = (chance.of(&[0.0, 0.05, 2.0]), 1.0 + chance.below(9) as f64);
            let (spacing_s, delta) = (rtt_s / window, chance.of(&[1e24, 1e4, -1e4]));
            let header = XcpHeader { asks: chance.once_in(2), rtt_s, spacing_s, delta, ..XcpHeader::default() };
            self.packets.set_header(id, Header::Xcp(header));
        }
        self.bytes += i64::from(size);
        self.largest = self.largest.max(i64::from(size));
        self.waiting.entry(flow).or_default().push_back(id);
        self.act(|queue, context| queue.enqueue(id, context));
    }

    fn leaves(&mut self) -> bool {
        let Some(packet) = self.act(|queue, context| queue.dequeue(context)) else { return false };
        let line = self.waiting.get_mut(&self.packets[packet].fid).expect("a flow that came");
        assert_eq!(line.pop_front(), Some(packet), "a flow's packets leave in their order, each once");
        self.ended(packet);
        true
    }

    fn time_goes_on(&mut self, seconds: f64) {
        let until = self.now + seconds;
        while let Some(due) = self.timer.filter(|&due| due <= until) {
            self.now = due.max(self.now);
            self.timer = None;
            self.act(|queue, context| queue.timer(context));
            if self.timer == Some(self.now) {
                break;
            }
        }
        self.now = until;
    }

    fn holds(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn obeys(&self) {
        assert_eq!(self.queue.len_packets(), self.holds());
        assert_eq!(self.queue.len_bytes(), self.bytes);
        assert_eq!(self.packets.alive(), self.holds());
        match self.queue.limit() {
            QueueLimit::Packets(most) => {
                assert!(self.holds() as i64 <= most.max(0), "{} wait, {most} may", self.holds())
            }
            QueueLimit::Bytes(most) => {
                assert!(self.bytes <= most.max(0) + self.largest, "{} bytes wait, {most} may", self.bytes);
            }
            QueueLimit::Others => {}
        }
    }
}

fn attempt(id: &str, chance: &mut Chance) {
    let mut rig = Rig::new(id, chance);
    let load = 1 + chance.below(4);
    for _ in 0..60 + chance.below(60) {
        match chance.below(load + 2) {
            0 => {
                if !rig.leaves() {
                    let now = rig.now;
                    rig.queue.found_empty(now);
                }
            }
            1 => {
                let seconds = chance.of(&[0.0, 0.001, 0.02, 0.5]) * chance.unit();
                rig.time_goes_on(seconds);
            }
            _ => rig.arrives(chance),
        }
        rig.obeys();
    }
    if chance.once_in(8) && !KEEP_AT_RESET.contains(&id) {
        rig.act(|queue, context| queue.reset(context));
        assert_eq!(rig.holds(), 0, "a queue that starts anew is empty");
    }
    // Nobody comes any more: all leaves, however slow a shaper is.
    for _ in 0..2_000 {
        rig.leaves();
        rig.time_goes_on(0.5);
        rig.obeys();
        if rig.holds() == 0 {
            return;
        }
    }
    panic!("{} packets never leave", rig.holds());
}

#[test]
fn queues_obey_their_laws() {
    // DiffServ's edge asks for policies of each pair of nodes; its queues are the core's.
    let ids: Vec<&str> =
        DISCIPLINES.iter().chain(OF_SCRIPTS).map(|entry| entry.id).filter(|&id| id != "ds_red_edge").collect();
    fuzz("queue disciplines", &ids, 20, attempt);
}
