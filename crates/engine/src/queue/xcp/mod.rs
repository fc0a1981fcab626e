//! XCP router: sends rate feedback to XCP flows in packet headers. TCP and other traffic have separate queues.
//!
//! Source: D. Katabi, M. Handley, C. Rohrs, "Congestion control for high bandwidth-delay product networks", SIGCOMM
//! 2002, sections 3.3 to 3.5 and 4; draft-falk-xcp-spec, as ns-2.35's `Queue/XCP` computes it.
//! What it decides: once per mean round-trip time, the aggregate positive and negative feedback, and each packet's part
//! of both. Packets are classified into three queues (XCP, TCP, other), which are served in round robin.
//! Departures: if no capacity is set, it is the link's rate; in ns-2 it is 0.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod controller;

use super::{Discipline, Entry, Queue, QueueContext, QueueLimit};
use crate::measure::observe::TraceId;
use crate::packet::header::Header;
use crate::packet::{PacketId, PacketKind};
use crate::params::{Parameter, Params, Value};
use controller::{Controller, FIRST_INTERVAL_S};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "xcp",
    about: "tells flows by how much to change their rates (Katabi, Handley and Rohrs 2002)",
    make: || Box::new(Xcp::default()),
};

/// The queues: the prefix of their parameters, and the code point of their packets.
const QUEUES: [(&str, i32); 3] = [("xcp.", 10), ("tcp.", 20), ("other.", 30)];
const XCP: usize = 0;
/// XCP's fraction of the link when `tcp_xcp_on` is set.
const SHARE: f64 = 0.5;
/// The first expiry of a timer is drawn from a normal distribution around its mean. The standard deviation is this
/// fraction of the mean; the result is at least `MIN_FIRST_S`, s.
const SPREAD: f64 = 0.2;
const MIN_FIRST_S: f64 = 0.004;
/// Interval of utilization reports until a round-trip time is measured or an interval is set, s.
const FIRST_REPORT_S: f64 = 0.1;

/// The timers, in the order in which they start: minimum queue length, control interval, report.
const MIN_LENGTH: usize = 0;
const INTERVAL: usize = 1;
const REPORT: usize = 2;

/// Statistics of the link's use, for traces.
#[derive(Default)]
struct Use {
    place: Option<TraceId>,
    /// Maximum round-trip time seen, s.
    longest_rtt_s: f64,
    /// Bytes of XCP packets: all, those of long flows, and those of short flows.
    bytes: [f64; 3],
    drops: i64,
    all_drops: i64,
    /// Minimum and maximum queue length in the control interval, packets.
    shortest: usize,
    longest: usize,
}

/// The queue of an XCP router.
#[derive(Params)]
struct Xcp {
    queues: [Queue; 3],
    /// The queue that was served last.
    turn: usize,
    controller: Controller,
    /// When each timer expires, s, once they run; and which timer is first.
    due_s: Option<[f64; 3]>,
    first: usize,
    /// The capacity that is shared out; 0 for the link's rate.
    #[param("bit/s")]
    capacity_bps: f64,
    /// Whether half of it is left to traffic that is not XCP.
    #[param("flag")]
    tcp_xcp_on: bool,
    /// The router's number, which it writes to packet headers.
    #[param(state)]
    router: i32,
    /// Flows with a lower number count as short (mice); 0 disables the distinction.
    #[param(state)]
    num_mice: i32,
    /// Interval of utilization reports, s; 0 for the maximum round-trip time.
    report_s: f64,
    usage: Use,
}

impl Default for Xcp {
    fn default() -> Xcp {
        Xcp {
            queues: [Queue::drop_tail(), Queue::red(), Queue::red()],
            turn: 0,
            controller: Controller::default(),
            due_s: None,
            first: 0,
            capacity_bps: 0.0,
            tcp_xcp_on: false,
            router: 0,
            num_mice: 0,
            report_s: 0.0,
            usage: Use::default(),
        }
    }
}

impl Xcp {
    /// The capacity for XCP, bytes/s.
    fn capacity(&self, context: &QueueContext) -> f64 {
        let all = if self.capacity_bps == 0.0 { context.rate_bps } else { self.capacity_bps };
        if self.tcp_xcp_on { all * SHARE / 8.0 } else { all / 8.0 }
    }

    /// Starts the timers, at random times so that routers do not synchronize.
    fn start(&mut self, context: &mut QueueContext) {
        if self.due_s.is_some() {
            return;
        }
        let now_s = context.now.secs();
        let due_s = [FIRST_INTERVAL_S, FIRST_INTERVAL_S, FIRST_REPORT_S]
            .map(|mean_s| now_s + context.rng.normal(mean_s, SPREAD * mean_s).max(MIN_FIRST_S));
        self.due_s = Some(due_s);
        self.wake(context);
    }

    /// Requests a wake-up at the first timer's expiry.
    fn wake(&mut self, context: &mut QueueContext) {
        let Some(due_s) = self.due_s else { return };
        self.first = (1..due_s.len()).fold(0, |first, next| if due_s[next] < due_s[first] { next } else { first });
        context.wake_in_s = Some(due_s[self.first] - context.now.secs());
    }

    /// Restarts a timer.
    fn set(&mut self, which: usize, wait_s: f64, context: &mut QueueContext) {
        if let Some(due_s) = &mut self.due_s {
            due_s[which] = context.now.secs() + wait_s;
        }
        self.wake(context);
    }

    fn trace(&self, what: &'static str, fields: &[f64], context: &mut QueueContext) {
        if let Some(place) = self.usage.place {
            context.observer.happening(place, context.now, what, fields);
        }
    }

    /// Classifies a packet by its code point, and assigns the code point if it has none. Returns the queue's index.
    fn sort(packet: PacketId, context: &mut QueueContext) -> Option<usize> {
        let is_xcp = matches!(context.packets.header(packet), Some(Header::Xcp(_)));
        let packet = &mut context.packets[packet];
        if packet.prio <= 0 {
            let queue = match packet.kind {
                _ if is_xcp => XCP,
                PacketKind::Tcp | PacketKind::Ack => 1,
                _ => 2,
            };
            packet.prio = QUEUES[queue].1;
        }
        let found = QUEUES.iter().position(|queue| queue.1 == packet.prio);
        if found.is_none() {
            let (prio, fid, known) = (packet.prio, packet.fid, QUEUES.map(|queue| queue.1));
            *context.error = Some(format!(
                "a packet of flow {fid} has prio {prio}; where XCP's routers sort by it, it is 0, or a code point of theirs: {known:?}"
            ));
        }
        found
    }

    fn note_length(&mut self) {
        let length = self.queues[XCP].len_packets();
        self.usage.shortest = self.usage.shortest.min(length);
        self.usage.longest = self.usage.longest.max(length);
    }

    fn enqueue_xcp(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.note_length();
        let header = match context.packets.header(packet) {
            Some(Header::Xcp(header)) => Some(header),
            _ => None,
        };
        self.controller.arrive(f64::from(context.packets[packet].size), header);
        let before = context.dropped.len();
        self.queues[XCP].enqueue(packet, context);
        let drops = (context.dropped.len() - before) as i64;
        self.usage.drops += drops;
        self.usage.all_drops += drops;
    }

    fn dequeue_xcp(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.controller.note_length(self.queues[XCP].len_bytes() as f64);
        let next = self.queues[XCP].dequeue(context);
        if let Some(packet) = next {
            self.answer(packet, context);
        }
        self.note_length();
        next
    }

    fn answer(&mut self, packet: PacketId, context: &mut QueueContext) {
        let bytes = f64::from(context.packets[packet].size);
        let flow = context.packets[packet].fid;
        let Some(Header::Xcp(header)) = context.packets.header_mut(packet) else { return };
        if !header.asks {
            return;
        }
        let Some((given, taken)) = self.controller.answer(bytes, header, self.router as u32) else { return };
        if self.usage.place.is_none() {
            return;
        }
        let header = *header;
        let fields = [given, taken, header.delta, f64::from(flow), header.spacing_s];
        self.trace("XCP packet", &fields, context);
        self.usage.longest_rtt_s = self.usage.longest_rtt_s.max(header.rtt_s);
        self.usage.bytes[0] += bytes;
        if self.num_mice != 0 {
            self.usage.bytes[if flow >= self.num_mice { 1 } else { 2 }] += bytes;
        }
    }

    /// The control interval has ended.
    fn share_out(&mut self, context: &mut QueueContext) {
        let Controller { to_give, to_take, arrived, .. } = self.controller;
        self.controller.share_out(self.capacity(context));
        let length = self.queues[XCP].len_packets();
        let after = &self.controller;
        let fields = [
            to_give,
            to_take,
            arrived,
            after.mean_rtt_s,
            after.to_give,
            after.to_take,
            length as f64,
            self.usage.shortest as f64,
            self.usage.longest as f64,
            f64::from(self.router),
        ];
        self.trace("XCP interval", &fields, context);
        self.set(INTERVAL, self.controller.interval_s, context);
        (self.usage.shortest, self.usage.longest) = (length, length);
    }

    /// The interval of the minimum queue length has ended.
    fn take_least(&mut self, context: &mut QueueContext) {
        let bytes = self.queues[XCP].len_bytes() as f64;
        let wait_s = self.controller.take_least(bytes, self.capacity(context));
        self.set(MIN_LENGTH, wait_s, context);
        self.trace("XCP queue", &[wait_s, self.controller.standing, f64::from(self.router)], context);
    }

    /// The current interval of utilization reports, s.
    fn report_interval_s(&self) -> f64 {
        [self.report_s, self.usage.longest_rtt_s].into_iter().find(|&given_s| given_s != 0.0).unwrap_or(FIRST_REPORT_S)
    }

    fn report(&mut self, context: &mut QueueContext) {
        let wait_s = self.report_interval_s();
        let most = wait_s * self.capacity(context);
        let [all, long, short] = self.usage.bytes.map(|bytes| bytes / most);
        let length = self.queues[XCP].len_packets() as f64;
        self.trace("XCP use", &[self.usage.drops as f64, length, all, long, short], context);
        self.usage.drops = 0;
        self.usage.bytes[0] = 0.0;
        self.set(REPORT, wait_s, context);
    }

    /// The queue of a parameter, and the parameter's name without the prefix.
    fn part(name: &str) -> Option<(usize, &str)> {
        QUEUES.iter().enumerate().find_map(|(index, queue)| Some((index, name.strip_prefix(queue.0)?)))
    }
}

impl Discipline for Xcp {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        match Xcp::sort(packet, context) {
            Some(XCP) => self.enqueue_xcp(packet, context),
            Some(queue) => self.queues[queue].enqueue(packet, context),
            None => context.dropped.push(packet),
        }
    }

    /// Serves the queues in round robin by packets. If all are empty, the next queue is still dequeued.
    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let after = |turn: usize| (turn + 1) % QUEUES.len();
        self.turn = after(self.turn);
        for _ in 0..QUEUES.len() {
            if self.queues[self.turn].len_packets() > 0 {
                break;
            }
            self.turn = after(self.turn);
        }
        if self.turn == XCP { self.dequeue_xcp(context) } else { self.queues[self.turn].dequeue(context) }
    }

    fn counts_questions(&self) -> bool {
        true
    }

    fn timer(&mut self, context: &mut QueueContext) {
        match self.first {
            MIN_LENGTH => self.take_least(context),
            INTERVAL => self.share_out(context),
            _ => self.report(context),
        }
    }

    fn len_packets(&self) -> usize {
        self.queues.iter().map(|queue| queue.len_packets()).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.queues.iter().map(|queue| queue.len_bytes()).sum()
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Others
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        out.push(Parameter {
            name: "limit".into(),
            value: self.queues[XCP].param("limit").unwrap_or(Value::Int(0)),
            unit: "packets",
            about: "Limit of each of the three queues: XCP, TCP and other packets.".into(),
        });
        self.describe_own(out);
    }

    fn param(&self, name: &str) -> Option<Value> {
        match Xcp::part(name) {
            Some((queue, name)) => self.queues[queue].param(name),
            None if name == "limit" => self.queues[XCP].param(name),
            None => self.own_param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match Xcp::part(name) {
            Some((queue, name)) => self.queues[queue].set_param(name, value),
            None if name == "limit" => self.queues.iter_mut().all(|queue| queue.set_param(name, value)),
            None => self.set_own_param(name, value),
        }
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let is_remarks = name == "remarks";
        if is_remarks {
            self.usage.place = Some(place);
        }
        is_remarks
    }

    fn reset(&mut self, context: &mut QueueContext) {
        self.start(context);
        for queue in &mut self.queues {
            queue.reset(context);
        }
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name.split_once(' ') {
            None if name == "start" => self.start(context),
            None if name == "drops" => return Ok(self.usage.all_drops.to_string()),
            None if name == "link" => {
                for queue in &mut self.queues[XCP + 1..] {
                    queue.command(name, context)?;
                }
            }
            Some((order @ ("link" | "reset"), part)) => {
                let (index, _) = Xcp::part(&format!("{part}."))
                    .ok_or_else(|| format!("xcp has the queues xcp, tcp and other, not {part}"))?;
                match order {
                    "reset" => self.queues[index].reset(context),
                    _ => return self.queues[index].command(order, context),
                }
            }
            Some(("report", wait_s)) => {
                self.report_s = wait_s
                    .parse()
                    .ok()
                    .filter(|wait_s: &f64| (0.0..f64::INFINITY).contains(wait_s))
                    .ok_or_else(|| format!("report takes a time in seconds, not {wait_s}"))?;
                self.set(REPORT, self.report_s, context);
            }
            _ => return Err(format!("xcp has no command {name}; it has start, drops, link, reset and report")),
        }
        Ok(String::new())
    }
}
