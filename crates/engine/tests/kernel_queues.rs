//! Queue disciplines beside Linux's own: the same packets at the same times leave, are dropped and are marked, in the
//! same order.
//!
//! The facts in tests/oracle/kernel_queues are what the C of Linux 6.12 did with the arrivals that each file describes:
//! tools/record_kernel_queues.py compiled and ran it. A line `stream` has the flow, the first arrival (ns), the time
//! between two (ns), their number, bytes, DSCP, ECN field, and how long after its arrival a packet may leave (ns; 0: it
//! has no departure time). `acks` are pure ACKs of TCP with a timestamp. Their last number is 1 if only each fourth
//! acknowledges more, and 2 if each has a SACK block, some a D-SACK, and some ECE.
//!
//! Linux counts nanoseconds, and the units of a discipline, in whole numbers; the engine does not. Times of departure may
//! differ by [`TOLERANCE_US`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use ackclock_engine::measure::observe::Nobody;
use ackclock_engine::packet::{Address, Packet, PacketId, PacketKind, PacketPool, SackBlocks, flag};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{Discipline, Queue, QueueContext, make};
use ackclock_engine::random::rng::{Source, Stream, Streams};
use ackclock_engine::time::Time;

const TOLERANCE_US: i64 = 25;
/// RFC 793: the flag ACK of a TCP header.
const ACK: u8 = 0x10;

struct Arrivals {
    flow: i32,
    next_ns: u64,
    interval_ns: u64,
    left: u32,
    size: i32,
    dscp: u8,
    ecn: u16,
    delay_ns: u64,
    is_ack: bool,
    sent: i32,
}

struct Case {
    queue: Queue,
    rate_bps: f64,
    stop_ns: u64,
    arrivals: Vec<Arrivals>,
    packets: PacketPool,
    rng: Streams,
    now_ns: u64,
    timer_ns: Option<u64>,
    idle_since_ns: Option<u64>,
    facts: Vec<String>,
    /// Packets that wait and are not marked.
    unmarked: BTreeSet<u32>,
    events: Vec<String>,
}

impl Case {
    fn read(name: &str) -> Case {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/kernel_queues").join(name);
        let text = fs::read_to_string(path.with_extension("txt")).expect("a recorded case");
        let (lines, facts) = text.split_once("\nfacts\n").expect("facts");
        let mut case = Case {
            queue: make("drop_tail").expect("of the table"),
            rate_bps: 0.0,
            stop_ns: 0,
            arrivals: Vec::new(),
            packets: PacketPool::default(),
            rng: Streams::default(),
            now_ns: 0,
            timer_ns: None,
            idle_since_ns: Some(0),
            facts: facts.split_whitespace().map(str::to_owned).collect(),
            unmarked: BTreeSet::new(),
            events: Vec::new(),
        };
        // The seed of drive.c.
        case.rng.default = Stream::from_seed(12_345);
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |place: usize| words[place].parse::<f64>().expect("a number");
            match words[0] {
                "queue" => case.queue = make(words[1]).expect("of the table"),
                "rate" => case.rate_bps = number(1),
                "stop_s" => case.stop_ns = (number(1) * 1e9) as u64,
                "set" => assert!(case.queue.set_param(words[1], Value::Real(number(2))), "{line}"),
                "stream" | "acks" => case.arrivals.push(Arrivals {
                    flow: number(1) as i32,
                    next_ns: number(2) as u64,
                    interval_ns: number(3) as u64,
                    left: number(4) as u32,
                    size: number(5) as i32,
                    dscp: number(6) as u8,
                    ecn: number(7) as u16,
                    delay_ns: number(8) as u64,
                    is_ack: words[0] == "acks",
                    sent: 0,
                }),
                other => panic!("{other}"),
            }
        }
        case
    }

    fn now(&self) -> Time {
        Time(self.now_ns as f64 * 1e-9)
    }

    /// Lets the queue act, and notes what it drops and marks.
    fn act<R>(&mut self, act: impl FnOnce(&mut dyn Discipline, &mut QueueContext) -> R) -> R {
        if let Some(since_ns) = self.idle_since_ns.take() {
            self.queue.found_empty(Time(since_ns as f64 * 1e-9));
        }
        let (mut dropped, mut dropped_early, mut error) = (Vec::new(), Vec::new(), None);
        let mut context = QueueContext {
            now: self.now(),
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
            self.timer_ns = Some(self.now_ns + ((wait_s * 1e9).round() as u64).max(1));
        }
        assert_eq!(error, None);
        let marked: Vec<u32> =
            self.unmarked.iter().copied().filter(|&slot| self.packets[PacketId(slot)].has(flag::MARKED)).collect();
        for slot in marked {
            self.unmarked.remove(&slot);
            self.events.push(format!("m{}", self.packets[PacketId(slot)].uid));
        }
        for packet in dropped.into_iter().chain(dropped_early) {
            self.events.push(format!("x{}", self.packets[packet].uid));
            self.unmarked.remove(&packet.0);
        }
        result
    }

    fn arrive(&mut self, place: usize) {
        let source = &mut self.arrivals[place];
        let (mut packet, mut blocks) = (Packet::default(), SackBlocks::default());
        (packet.size, packet.dscp, packet.fid) = (source.size, source.dscp, source.flow);
        packet.src = Address { node: 1 + source.flow % 10, port: source.flow };
        packet.dst = Address { node: 1 + source.flow / 10, port: source.flow };
        packet.flags = [0, flag::ECN_CAPABLE | flag::ECT_1, flag::ECN_CAPABLE][usize::from(source.ecn)];
        if source.is_ack {
            packet.kind = PacketKind::Ack;
            packet.tcp_flags = ACK;
            packet.header_len = source.size;
            packet.ackno = 1448 * (source.sent / if source.delay_ns > 0 { 4 } else { 1 });
            if source.delay_ns == 2 {
                let sent = source.sent;
                let ackno = 14_480 + 1448 * (sent / 3);
                packet.ackno = ackno;
                if sent / 5 % 3 == 2 {
                    packet.flags |= flag::ECN_ECHO;
                }
                match sent % 7 {
                    6 => blocks.push(ackno - 1448, ackno),
                    _ => blocks.push(ackno + 2896, ackno + 2896 + 1448 * (1 + sent % 3 / 2)),
                }
            }
        } else if source.delay_ns > 0 {
            packet.departure = Time((self.now_ns + source.delay_ns) as f64 * 1e-9);
        }
        source.next_ns += source.interval_ns;
        source.left -= 1;
        source.sent += 1;
        let id = self.packets.make(packet);
        self.packets.set_sack(id, blocks);
        self.unmarked.insert(id.0);
        self.act(|queue, context| queue.enqueue(id, context));
    }

    /// The transmitter asks for a packet; returns when it will have sent it.
    fn send(&mut self) -> Option<u64> {
        let Some(packet) = self.act(|queue, context| queue.dequeue(context)) else {
            if self.queue.len_packets() == 0 {
                self.idle_since_ns = Some(self.now_ns);
            }
            return None;
        };
        self.unmarked.remove(&packet.0);
        self.events.push(format!("d{}@{}", self.packets[packet].uid, self.now_ns / 1000));
        Some(self.now_ns + (f64::from(self.packets[packet].size) * 8e9 / self.rate_bps) as u64)
    }

    fn run(&mut self) {
        let mut free_ns: Option<u64> = None;
        self.act(|queue, context| queue.reset(context));
        loop {
            let due = self.arrivals.iter().filter(|source| source.left > 0).map(|source| source.next_ns).min();
            let Some(next_ns) = [due, self.timer_ns, free_ns].into_iter().flatten().min() else { break };
            if next_ns > self.stop_ns {
                break;
            }
            self.now_ns = next_ns;
            if self.timer_ns == Some(next_ns) {
                self.timer_ns = None;
                self.act(|queue, context| queue.timer(context));
            }
            for place in 0..self.arrivals.len() {
                if self.arrivals[place].left > 0 && self.arrivals[place].next_ns == next_ns {
                    self.arrive(place);
                    if free_ns.is_none_or(|free_ns| free_ns <= next_ns) {
                        free_ns = self.send();
                    }
                }
            }
            if free_ns.is_none_or(|free_ns| free_ns <= next_ns) {
                free_ns = self.send();
            }
        }
    }
}

fn same(ours: &str, theirs: &str) -> bool {
    let parts = |event: &str| {
        let (what, time) = event.split_once('@').unwrap_or((event, "0"));
        (what.to_owned(), time.parse::<i64>().expect("microseconds"))
    };
    let (ours, theirs) = (parts(ours), parts(theirs));
    ours.0 == theirs.0 && (ours.1 - theirs.1).abs() <= TOLERANCE_US
}

/// What is dropped and marked at the same time is compared in the order of numbers.
fn in_order(events: &[String]) -> Vec<String> {
    let mut sorted = events.to_vec();
    for run in sorted.chunk_by_mut(|one, other| one.starts_with(['m', 'x']) && other.starts_with(['m', 'x'])) {
        run.sort_by_key(|event| (event[1..].split('@').next().and_then(|uid| uid.parse::<i64>().ok()), event.clone()));
    }
    sorted
}

fn check(name: &str) {
    let mut case = Case::read(name);
    case.run();
    let (ours, theirs) = (in_order(&case.events), in_order(&case.facts));
    let differs = (0..ours.len().max(theirs.len())).find(|&place| match (ours.get(place), theirs.get(place)) {
        (Some(ours), Some(theirs)) => !same(ours, theirs),
        _ => true,
    });
    if let Some(place) = differs {
        let mut report = String::new();
        let around = |events: &[String]| events[place.saturating_sub(4)..(place + 5).min(events.len())].join(" ");
        let count = |events: &[String], letter| events.iter().filter(|event| event.starts_with(letter)).count();
        for (who, events) in [("ackclock", &ours), ("Linux", &theirs)] {
            let counts = ['d', 'x', 'm'].map(|letter| count(events, letter));
            let _ = writeln!(report, "{who}: ... {} ... ({counts:?} sent, dropped, marked)", around(events));
        }
        panic!("{name}: event {place} of {} differs\n{report}", theirs.len());
    }
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

cases! {
    cake_acks
    cake_acks_aggressive
    cake_acks_with_sack
    cake_ingress
    cake_memory
    cake_tins
    cake_unlimited
    codel_linux
    codel_marks
    dualpi2_linux
    dualpi2_overload
    fq_codel_linux
    fq_codel_l4s
    fq_codel_memory
    fq_codel_overload
    fq_fair
    fq_maxrate
    fq_paced
    fq_pie_linux
    pie_bytemode
    pie_linux
    pie_overload
    pie_rate_estimator
}
