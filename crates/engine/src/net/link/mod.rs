//! A simplex link: exactly one queue discipline, a transmitter with a rate, and a wire with a delay.
//!
//! A packet on the wire is an event to come; the end of a transmission is one only while a packet waits for it. Each packet takes its two counters as it enters the wire (arrival first, then
//! transmitter free), so every tie falls as if both events had been inserted there.

pub mod delayer;
pub mod error_module;
pub mod failure;
pub mod trace_driven;
pub(crate) mod transmit;
pub(crate) mod tx_time_cache;

use crate::event::Key;
use crate::event::timer::TimerId;
use crate::measure::monitor::MonitorId;
use crate::measure::observe::TraceId;
use crate::net::lan::Port;
use crate::net::link::delayer::Delayer;
use crate::net::link::trace_driven::DeliveryTrace;
use crate::net::quick_start::PortId;
use crate::packet::{PacketId, PacketPool};
use crate::queue::accounting::QueueAccount;
use crate::queue::{Discipline, Queue};
use crate::time::Time;
use tx_time_cache::{TxTime, TxTimesId};

/// Index of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

/// Index of an error module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorsId(pub u32);

/// What stands at a place of a link and sees each packet that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// The observer hears of the packet.
    Trace(TraceId),
    /// Nothing passes while the link is down.
    Gate,
    /// Packets wait here for the link's delayer. Only behind the queue ([`HookPoint::Dequeued`]), and once.
    Delayer,
    /// A monitor counts an arrival.
    CountArrival(MonitorId),
    /// A monitor counts a departure.
    CountDeparture(MonitorId),
    /// A monitor counts a loss.
    CountDrop(MonitorId),
    /// A monitor counts a loss from a queue that was not full.
    CountEarlyDrop(MonitorId),
    /// A monitor counts a drop by the police of a flow.
    CountPolicedDrop(MonitorId),
    /// An error module may take the packet out, hold it back or mark it.
    Errors(ErrorsId),
    /// A router that takes part in Quick-Start judges requests, and measures how busy the link is.
    QuickStart(PortId),
}

/// Where hooks stand, in the order in which a packet passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// At the head, in front of the queue.
    Head,
    /// Between the queue and the transmitter.
    Dequeued,
    /// At the wire's far end, before the hop count is looked at.
    WireEnd,
    /// After the hop count.
    Received,
    /// On the way of lost packets.
    Dropped,
    /// On the way of packets that the queue threw away before it was full. Without hooks they go the way of lost packets.
    DroppedEarly,
    /// On the way of packets that the police of their flow dropped. Without hooks nobody hears of them.
    Policed,
    /// Where a node hands a packet to its port of a LAN, before the port's delay.
    Entry,
    /// On the way of packets that a port of a LAN loses on the medium. Without hooks they go the way of lost packets.
    Collided,
}

/// What a transmitter does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transmitter {
    /// Nothing.
    Idle,
    /// It sends, and nobody waits for the end.
    Sends,
    /// It sends, and the end is in the event list.
    IsAwaited,
}

/// What a packet meets before the transmitter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FastPath {
    /// Not known: it may just have been changed.
    Unknown,
    /// Packets that find the transmitter free go on it and nobody sees them pass, neither hooks nor the queue.
    Plain,
    /// The same behind the hooks at the head.
    PlainBehindHead,
    /// The queue does not see packets that find the transmitter free, but hooks behind it do.
    Hooked,
    /// The queue sees each packet, and perhaps hooks do. It is a queue and a transmitter like most.
    Queue,
    /// A port, a delayer, opportunities, or a queue that is asked at times of its own.
    Other,
}

/// A simplex link. What each packet looks at comes first, so that it is fetched at once.
#[repr(C, align(64))]
pub struct Link {
    /// When the transmitter will be free, or was, and which of that instant's events that is.
    free: Key,
    transmitter: Transmitter,
    /// Whether packets that its gate refuses go the way of lost packets; otherwise nobody hears of them.
    pub reports_refused: bool,
    /// Whether a packet has waited since the transmitter was last told that it is free: where packets come in trains, the
    /// end of each goes into the event list at once.
    expects_more: bool,
    /// A parameter may have been set since the queue was last within its limit: it may hold more until that has left.
    pub(crate) is_excused: bool,
    /// What it has in common with others, once that was looked for.
    pub(crate) tx_times: TxTimesId,
    /// Number of the node it enters.
    pub to: u32,
    /// Packets on the wire.
    pub(crate) on_wire: u32,
    /// A bit for each [`HookPoint`] that has hooks.
    hooked: u16,
    fast_path: FastPath,
    /// Whether packets can pass its gate, if it has one.
    pub is_up: bool,
    /// Whether a packet waits on the wire for those before it when rate or delay have changed meanwhile.
    pub keeps_order: bool,
    /// Bytes that the transmitter has taken.
    pub bytes_sent: u64,
    rate_bps: f64,
    delay_s: f64,
    queue: Queue,
    /// What its queue has in it ([`crate::invariants`]).
    pub(crate) account: QueueAccount,
    more: Option<Box<ColdState>>,
    /// Number of the node it leaves.
    pub from: u32,
    /// The queue discipline's timer, from its first use on.
    pub(crate) queue_timer: Option<TimerId>,
}

const _: () = assert!(size_of::<Link>() == 128 && std::mem::offset_of!(Link, queue) == 64);

/// What few links have.
#[derive(Default)]
struct ColdState {
    hooks: [Vec<Hook>; 9],
    /// What makes it a port of a LAN, if it is one.
    port: Option<Port>,
    /// What holds packets back between the queue and the transmitter, if anything does.
    delayer: Option<Delayer>,
    /// When it can send, if that is not always.
    delivery_trace: Option<DeliveryTrace>,
    /// The latest arrival of a link that keeps the order, s.
    latest_arrival_s: f64,
}

impl Link {
    /// A link that is up and empty.
    pub fn new(from: u32, to: u32, rate_bps: f64, delay_s: f64, queue: Queue) -> Link {
        Link {
            free: Key::default(),
            transmitter: Transmitter::Idle,
            expects_more: false,
            is_excused: false,
            tx_times: TxTimesId::NONE,
            to,
            on_wire: 0,
            hooked: 0,
            fast_path: FastPath::Unknown,
            is_up: true,
            reports_refused: false,
            keeps_order: false,
            bytes_sent: 0,
            rate_bps,
            delay_s,
            queue,
            account: QueueAccount::default(),
            more: None,
            queue_timer: None,
            from,
        }
    }

    /// The queue discipline.
    #[inline]
    pub fn queue(&self) -> &dyn Discipline {
        &*self.queue
    }

    /// The queue discipline, to be changed or used.
    #[inline]
    pub fn queue_mut(&mut self) -> &mut dyn Discipline {
        self.fast_path = FastPath::Unknown;
        self.is_excused = true;
        &mut *self.queue
    }

    /// Puts another queue discipline in the place of the present one.
    pub fn set_queue(&mut self, queue: Queue) {
        self.fast_path = FastPath::Unknown;
        self.queue = queue;
    }

    /// The queue discipline, for packets.
    #[inline]
    pub(crate) fn queue_at_work(&mut self) -> &mut Queue {
        &mut self.queue
    }

    /// Makes the link a port of a LAN.
    pub(crate) fn become_port(&mut self, port: Port) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().port = Some(port);
    }

    /// Puts a delayer between the queue and the transmitter.
    pub(crate) fn put_delayer(&mut self, delayer: Delayer) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().delayer = Some(delayer);
    }

    /// The link sends at opportunities only.
    pub(crate) fn put_delivery_trace(&mut self, delivery_trace: DeliveryTrace) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().delivery_trace = Some(delivery_trace);
    }

    /// What makes it a port of a LAN, if it is one.
    #[inline]
    pub fn port(&self) -> Option<&Port> {
        self.more.as_ref()?.port.as_ref()
    }

    /// The same, to be changed.
    pub fn port_mut(&mut self) -> Option<&mut Port> {
        self.more.as_mut()?.port.as_mut()
    }

    /// What holds packets back between the queue and the transmitter, if anything does.
    #[inline]
    pub fn delayer(&self) -> Option<&Delayer> {
        self.more.as_ref()?.delayer.as_ref()
    }

    /// The same, to be changed.
    pub fn delayer_mut(&mut self) -> Option<&mut Delayer> {
        self.more.as_mut()?.delayer.as_mut()
    }

    /// When it can send, if that is not always.
    pub(crate) fn delivery_trace(&self) -> Option<&DeliveryTrace> {
        self.more.as_ref()?.delivery_trace.as_ref()
    }

    /// The same, to be changed.
    pub(crate) fn delivery_trace_mut(&mut self) -> Option<&mut DeliveryTrace> {
        self.more.as_mut()?.delivery_trace.as_mut()
    }

    /// The hooks at a place, in the order in which a packet passes them.
    #[inline]
    pub fn hooks(&self, place: HookPoint) -> &[Hook] {
        self.more.as_ref().map_or(&[], |more| &more.hooks[place as usize])
    }

    /// Whether a place has hooks.
    #[inline]
    pub(crate) fn has_hooks(&self, place: HookPoint) -> bool {
        self.hooked & 1 << place as u8 != 0
    }

    /// Adds a hook at a place, the `index`-th that a packet passes; without `index` the last.
    pub fn add_hook(&mut self, place: HookPoint, index: Option<usize>, hook: Hook) {
        let hooks = &mut self.more.get_or_insert_default().hooks[place as usize];
        hooks.insert(index.map_or(hooks.len(), |index| index.min(hooks.len())), hook);
        self.hooked |= 1 << place as u8;
        self.fast_path = FastPath::Unknown;
    }

    /// Whether a packet that comes now goes on the transmitter as if there were nothing in front of it.
    #[inline(always)]
    pub(crate) fn is_open(&self, now: Key) -> bool {
        self.fast_path == FastPath::Plain && !self.sends(now)
    }

    /// Whether it is likely that a packet waits for the end of this transmission.
    #[inline(always)]
    pub(crate) fn expects_more(&self) -> bool {
        self.expects_more
    }

    /// The packet that goes next and whether another one waits, if there is one and nobody sees it go.
    #[inline]
    pub(crate) fn takes(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        if self.is_plain_behind_head() { self.queue.take(packets) } else { None }
    }

    /// Whether it is so behind the hooks at the head.
    #[inline(always)]
    pub(crate) fn is_plain_behind_head(&mut self) -> bool {
        self.refresh_fast_path();
        matches!(self.fast_path, FastPath::Plain | FastPath::PlainBehindHead)
    }

    /// Whether a packet that comes now finds the transmitter free and no queue that would see it.
    pub(crate) fn can_bypass(&self, now: Key) -> bool {
        self.fast_path == FastPath::Hooked && !self.sends(now)
    }

    /// Whether it is a queue and a transmitter like most, as far as that is known.
    #[inline(always)]
    pub(crate) fn is_usual(&self) -> bool {
        !matches!(self.fast_path, FastPath::Unknown | FastPath::Other)
    }

    #[inline(always)]
    fn refresh_fast_path(&mut self) {
        if self.fast_path == FastPath::Unknown {
            self.find_fast_path();
        }
    }

    #[cold]
    fn find_fast_path(&mut self) {
        let has_own_ways = self.port().is_some() || self.delayer().is_some() || self.delivery_trace().is_some();
        self.fast_path = if has_own_ways || self.queue.answers_later() || self.queue.counts_questions() {
            FastPath::Other
        } else if !self.queue.can_bypass() {
            FastPath::Queue
        } else if self.has_hooks(HookPoint::Dequeued) {
            FastPath::Hooked
        } else if self.has_hooks(HookPoint::Head) {
            FastPath::PlainBehindHead
        } else {
            FastPath::Plain
        };
    }

    /// Whether hooks stand at the far end.
    #[inline(always)]
    pub(crate) fn has_hooks_at_end(&self) -> bool {
        self.hooked & (1 << HookPoint::WireEnd as u8 | 1 << HookPoint::Received as u8) != 0
    }

    /// Rate, bit/s.
    #[inline]
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// Propagation delay, s.
    #[inline]
    pub fn delay_s(&self) -> f64 {
        self.delay_s
    }

    /// Sets the rate, bit/s, for packets sent from now on.
    pub fn set_rate_bps(&mut self, rate_bps: f64) {
        self.tx_times = TxTimesId::NONE;
        self.rate_bps = rate_bps;
    }

    /// Sets the propagation delay, s, for packets sent from now on.
    pub fn set_delay_s(&mut self, delay_s: f64) {
        self.tx_times = TxTimesId::NONE;
        self.delay_s = delay_s;
    }

    /// Seconds that the transmitter needs for `bytes`.
    #[inline]
    pub fn transmission_s(&self, bytes: i32) -> f64 {
        tx_time_cache::transmission_s(bytes, self.rate_bps)
    }

    /// Seconds from `now` until a packet arrives that goes on the wire now, of a link that keeps the order.
    pub(crate) fn time_in_order_s(&mut self, now: Time, sending: TxTime) -> f64 {
        let TxTime { transmission_s, usual_s, .. } = sending;
        let latest_s = &mut self.more.get_or_insert_default().latest_arrival_s;
        if usual_s < *latest_s - now.secs() && *latest_s > 0.0 {
            *latest_s += transmission_s;
            return *latest_s - now.secs();
        }
        *latest_s = now.secs() + transmission_s + self.delay_s;
        usual_s
    }

    /// Whether the transmitter is busy for someone who comes at `now`.
    #[inline]
    pub(crate) fn is_busy(&self, now: Key) -> bool {
        if let Some(delayer) = self.delayer() {
            return delayer.blocks_queue;
        }
        if let Some(port) = self.port() {
            return port.blocks_queue;
        }
        self.sends(now)
    }

    /// Whether the transmitter sends for someone who comes at `now`. One that is awaited sends until it is told that it is
    /// free.
    #[inline(always)]
    pub(crate) fn sends(&self, now: Key) -> bool {
        match self.transmitter {
            Transmitter::Idle => false,
            Transmitter::Sends => now.order() < self.free.order(),
            Transmitter::IsAwaited => true,
        }
    }

    /// Whether the transmitter was told that it is free, or never sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.transmitter == Transmitter::Idle
    }

    /// The transmitter is free.
    pub(crate) fn be_idle(&mut self) {
        self.expects_more = false;
        self.transmitter = Transmitter::Idle;
    }

    /// The transmitter sends until `free`. `is_awaited`: the event list has that end.
    #[inline(always)]
    pub(crate) fn send_until(&mut self, free: Key, is_awaited: bool) {
        self.free = free;
        self.transmitter = if is_awaited { Transmitter::IsAwaited } else { Transmitter::Sends };
    }

    /// Whether it sends and nobody waits for the end.
    pub(crate) fn ends_unawaited(&self) -> bool {
        self.transmitter == Transmitter::Sends
    }

    /// The end of a transmission for which nobody waited until now, and which has to come into the event list.
    pub(crate) fn await_end(&mut self) -> Option<Key> {
        let is_news = self.transmitter == Transmitter::Sends;
        if is_news {
            self.transmitter = Transmitter::IsAwaited;
            self.expects_more = true;
        }
        is_news.then_some(self.free)
    }

    /// Whether this is the end of the transmission that is awaited.
    pub(crate) fn ends_with(&self, key: Key) -> bool {
        self.transmitter == Transmitter::IsAwaited && self.free == key
    }

    /// Packets waiting and on the wire.
    pub fn holds_packets(&self) -> usize {
        let begun = self.delivery_trace().is_some_and(|delivery_trace| delivery_trace.begun.is_some());
        self.queue.len_packets() + self.on_wire as usize + usize::from(begun)
    }

    /// When the transmitter found nothing more to send, if it has and was not told so yet.
    pub(crate) fn idle_since(&mut self, now: Key) -> Option<Time> {
        let was_told = self.transmitter != Transmitter::Sends || self.free >= now;
        if was_told {
            return None;
        }
        self.transmitter = Transmitter::Idle;
        Some(self.free.at)
    }
}
