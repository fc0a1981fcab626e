//! A simplex link: exactly one queue discipline, a transmitter with a rate, and a wire with a delay.
//!
//! Each packet on the wire is one pending event. The end of a transmission is a pending event only while a packet
//! waits for it. Each packet takes two counters when it enters the wire: arrival first, then transmitter free. So
//! ties have the same order as if both events were inserted at that time.

pub mod delayer;
pub mod error_module;
mod fast_path;
mod hook;
mod optional_parts;
pub mod parts;
pub mod trace_driven;
pub(crate) mod tx_time_cache;
pub mod wifi;
mod wire;

use crate::event::Key;
use crate::event::timer::TimerId;
pub use crate::net::ids::{ErrorsId, LinkId, PartId};
use crate::net::lan::Port;
use crate::net::link::delayer::Delayer;
pub(in crate::net) use crate::net::link::fast_path::FastPath;
pub use crate::net::link::hook::{Hook, HookPoint};
use crate::net::link::trace_driven::DeliveryTrace;
use crate::net::link::wifi::OnMedium;
use crate::packet::PacketId;
use crate::queue::accounting::QueueAccount;
use crate::queue::{Discipline, Queue};
use crate::time::Time;
use tx_time_cache::{TxTime, TxTimesId};
pub(in crate::net) use wire::{Early, InTransit};

/// The state of a transmitter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transmitter {
    /// Nothing.
    Idle,
    /// Sends; the end of the transmission is not scheduled.
    Sends,
    /// Sends; the end of the transmission is in the event list.
    IsAwaited,
}

/// The bit of [`Link::bits`] for a link without the fast path.
const SLOW: u16 = 1 << 15;
/// The bit for a link whose packets arrive in the order in which they were sent.
const KEEPS_ORDER: u16 = 1 << 14;
/// The bit for a link that can fail.
const CAN_FAIL: u16 = 1 << 12;
/// The bit for a link whose arrivals deliver the packet that is first on its wire.
const FIRST_COMES_FIRST: u16 = 1 << 11;
/// The bit that is set while a packet has waited since the transmitter was last idle. Then the end of each transmission
/// is scheduled immediately, because packets arrive in bursts.
const EXPECTS_MORE: u16 = 1 << 13;

/// A simplex link. The fields that each packet needs come first, in one cache line.
#[repr(C, align(64))]
pub struct Link {
    /// When the transmitter will be free or was freed, with the counter of that event.
    free: Key,
    transmitter: Transmitter,
    pub(in crate::net) fast_path: FastPath,
    /// A bit for each [`HookPoint`] that has hooks, and the bits above.
    bits: u16,
    /// Index of the cached transmission times, once looked up.
    pub(crate) tx_times: TxTimesId,
    /// Number of the node at its far end.
    pub to: u32,
    /// Packets on the wire.
    pub(crate) on_wire: u32,
    /// Packets whose transmission has begun.
    pub packets_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    rate_bps: f64,
    delay_s: f64,
    pub(in crate::net) queue: Queue,
    /// Packets and bytes that must be in its queue ([`crate::invariants`]).
    pub(crate) account: QueueAccount,
    more: Option<Box<ColdState>>,
    /// Number of the node that sends on it.
    pub from: u32,
    /// Whether packets can pass its gate, if it has one.
    pub is_up: bool,
    /// Whether packets that the gate refuses pass [`HookPoint::Dropped`]; otherwise they are not reported.
    pub reports_refused: bool,
    /// The queue may exceed its limit, because a parameter may have changed. Cleared when the queue is within its
    /// limit again.
    pub(crate) is_excused: bool,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Link>() == 128 && std::mem::offset_of!(Link, queue) == 64);

/// Fields that few links use.
#[derive(Default)]
struct ColdState {
    hooks: [Vec<Hook>; 9],
    /// The LAN port, if the link is one.
    port: Option<Port>,
    /// The delayer between the queue and the transmitter, if any.
    delayer: Option<Delayer>,
    /// The delivery trace, if the link has one.
    delivery_trace: Option<DeliveryTrace>,
    /// Its part of a Wi-Fi medium, if it sends over one.
    on_medium: Option<OnMedium>,
    /// The latest arrival on a link with `keeps_order`, s.
    latest_arrival_s: f64,
    /// The packets on a wire that delivers the first of them.
    in_transit: InTransit,
    /// Until when the last packet that was lost behind the queue keeps the transmitter, s.
    lost_until_s: f64,
    /// Bytes that were sent before the last change of the rate, and how long that took, s.
    before: (u64, f64),
    /// The timer of the queue discipline, after its first use.
    queue_timer: Option<TimerId>,
}

impl Link {
    /// A link that is up and empty.
    pub fn new(from: u32, to: u32, rate_bps: f64, delay_s: f64, queue: Queue) -> Link {
        Link {
            free: Key::default(),
            transmitter: Transmitter::Idle,
            fast_path: FastPath::Unknown,
            bits: 0,
            tx_times: TxTimesId::NONE,
            to,
            on_wire: 0,
            packets_sent: 0,
            bytes_sent: 0,
            rate_bps,
            delay_s,
            queue,
            account: QueueAccount::default(),
            more: None,
            from,
            is_up: true,
            reports_refused: false,
            is_excused: false,
        }
    }

    /// The queue discipline.
    #[inline]
    pub fn queue(&self) -> &dyn Discipline {
        &*self.queue
    }

    /// The queue discipline, mutable. Clears what is known of the fast path and excuses a queue above its limit.
    #[inline]
    pub fn queue_mut(&mut self) -> &mut dyn Discipline {
        self.fast_path = FastPath::Unknown;
        self.is_excused = true;
        &mut *self.queue
    }

    /// Replaces the queue discipline.
    pub fn set_queue(&mut self, queue: Queue) {
        self.fast_path = FastPath::Unknown;
        self.queue = queue;
    }

    /// The queue discipline, to enqueue and dequeue packets.
    #[inline]
    pub(crate) fn queue_at_work(&mut self) -> &mut Queue {
        &mut self.queue
    }

    /// The hooks at a hook point, in the order in which a packet passes them.
    #[inline]
    pub fn hooks(&self, place: HookPoint) -> &[Hook] {
        self.more.as_ref().map_or(&[], |more| &more.hooks[place as usize])
    }

    /// Whether a hook point has hooks.
    #[inline]
    pub(crate) fn has_hooks(&self, place: HookPoint) -> bool {
        self.bits & 1 << place as u8 != 0
    }

    /// Inserts a hook at `index` of a hook point; without `index`, behind the others.
    pub fn add_hook(&mut self, place: HookPoint, index: Option<usize>, hook: Hook) {
        let hooks = &mut self.more.get_or_insert_default().hooks[place as usize];
        hooks.insert(index.map_or(hooks.len(), |index| index.min(hooks.len())), hook);
        self.bits |= 1 << place as u8;
        self.fast_path = FastPath::Unknown;
    }

    /// Takes the link apart: the parts get its packets instead of the hooks of these points. The queue discipline's
    /// own points, [`HookPoint::DroppedEarly`] and [`HookPoint::Policed`], keep their hooks.
    pub(crate) fn take_apart(&mut self, head: PartId, queue: PartId, wire: PartId) {
        use HookPoint::{Dequeued, Dropped, Head, Received, WireEnd};
        for place in [Head, Dequeued, WireEnd, Received, Dropped] {
            self.more.get_or_insert_default().hooks[place as usize].clear();
            self.set_bit(1 << place as u8, false);
        }
        for (place, part) in [(Head, head), (Dequeued, queue), (Dropped, queue), (WireEnd, wire)] {
            self.add_hook(place, None, Hook::Part(part));
        }
    }

    /// The part that is the link's wire, if the link was taken apart.
    pub(crate) fn wire_part(&self) -> Option<PartId> {
        match self.hooks(HookPoint::WireEnd).first() {
            Some(&Hook::Part(part)) => Some(part),
            _ => None,
        }
    }

    /// Switches the fast path on or off. Off, transmission times are not cached either.
    pub(in crate::net) fn allow_fast_path(&mut self, is_allowed: bool) {
        self.set_bit(SLOW, !is_allowed);
        self.fast_path = FastPath::Unknown;
        self.tx_times = TxTimesId::NONE;
    }

    #[inline(always)]
    fn set_bit(&mut self, bit: u16, value: bool) {
        self.bits = if value { self.bits | bit } else { self.bits & !bit };
    }

    /// Whether packets may take the fast path.
    pub(in crate::net) fn allows_fast_path(&self) -> bool {
        self.bits & SLOW == 0
    }

    /// Whether packets arrive in the order in which they were sent, also after a change of rate or delay.
    #[inline(always)]
    pub fn keeps_order(&self) -> bool {
        self.bits & KEEPS_ORDER != 0
    }

    /// Sets whether packets arrive in the order in which they were sent.
    pub fn set_keeps_order(&mut self, keeps_order: bool) {
        self.set_bit(KEEPS_ORDER, keeps_order);
    }

    /// Whether the link can fail. What is behind its wire then gets each packet that arrives, whenever it was put there.
    pub fn can_fail(&self) -> bool {
        self.bits & CAN_FAIL != 0
    }

    /// Sets whether the link can fail.
    pub fn set_can_fail(&mut self, can_fail: bool) {
        self.set_bit(CAN_FAIL, can_fail);
    }

    /// The timer of the queue discipline, after its first use.
    pub(crate) fn queue_timer(&mut self) -> &mut Option<TimerId> {
        &mut self.more.get_or_insert_default().queue_timer
    }

    /// Whether a packet is likely to wait for the end of this transmission.
    #[inline(always)]
    pub(crate) fn expects_more(&self) -> bool {
        self.bits & EXPECTS_MORE != 0
    }

    /// Whether packets take the slow path at the far end: it has hooks or an order of its own, or the fast path is switched
    /// off.
    #[inline(always)]
    pub(crate) fn is_slow_at_end(&self) -> bool {
        let slow = 1 << HookPoint::WireEnd as u8 | 1 << HookPoint::Received as u8 | SLOW | FIRST_COMES_FIRST;
        self.bits & slow != 0
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
        let busy_s = self.all_busy_s();
        self.more.get_or_insert_default().before = (self.bytes_sent, busy_s);
        self.rate_bps = rate_bps;
    }

    /// Sets the propagation delay, s, for packets sent from now on. [`crate::net::Network::set_delay_s`] also knows links
    /// that can fail.
    pub fn set_delay_s(&mut self, delay_s: f64) {
        self.tx_times = TxTimesId::NONE;
        self.delay_s = delay_s;
    }

    /// Transmission time of `bytes`, s.
    #[inline]
    pub fn transmission_s(&self, bytes: i32) -> f64 {
        tx_time_cache::transmission_s(bytes, self.rate_bps)
    }

    /// Whether the wire has an order of its own.
    #[inline(always)]
    pub(in crate::net) fn has_own_order(&self) -> bool {
        self.bits & (KEEPS_ORDER | FIRST_COMES_FIRST) != 0
    }

    /// A packet enters a wire with an order of its own: time until it arrives, s.
    #[cold]
    pub(in crate::net) fn enter_wire(&mut self, now: Time, sending: TxTime, packet: PacketId) -> f64 {
        if self.delivers_first() {
            self.in_transit().extend([packet]);
        }
        // As in ns-2, a link that can fail does not keep the order.
        if self.keeps_order() && !self.can_fail() { self.time_in_order_s(now, sending) } else { sending.usual_s }
    }

    fn time_in_order_s(&mut self, now: Time, sending: TxTime) -> f64 {
        let TxTime { transmission_s, usual_s, .. } = sending;
        let latest_s = &mut self.more.get_or_insert_default().latest_arrival_s;
        if usual_s < *latest_s - now.secs() && *latest_s > 0.0 {
            *latest_s += transmission_s;
            return *latest_s - now.secs();
        }
        *latest_s = now.secs() + transmission_s + self.delay_s;
        usual_s
    }

    /// Whether a packet that arrives at `now` must wait.
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

    /// Whether the transmitter is busy at `now`. If the end of the transmission is scheduled, it is busy until that
    /// event is handled.
    #[inline(always)]
    pub(crate) fn sends(&self, now: Key) -> bool {
        match self.transmitter {
            Transmitter::Idle => false,
            Transmitter::Sends => now.order() < self.free.order(),
            Transmitter::IsAwaited => true,
        }
    }

    /// Whether the transmitter was set idle, or never sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.transmitter == Transmitter::Idle
    }

    /// Sets the transmitter idle.
    pub(crate) fn be_idle(&mut self) {
        self.set_bit(EXPECTS_MORE, false);
        self.transmitter = Transmitter::Idle;
    }

    /// The transmitter sends until `free`. `is_awaited`: that end is in the event list.
    #[inline(always)]
    pub(crate) fn send_until(&mut self, free: Key, is_awaited: bool) {
        self.free = free;
        self.transmitter = if is_awaited { Transmitter::IsAwaited } else { Transmitter::Sends };
    }

    /// The transmitter waits until `free` for a packet that was lost before it.
    pub(in crate::net) fn lose_until(&mut self, free: Key) {
        self.send_until(free, true);
        self.more.get_or_insert_default().lost_until_s = free.at.secs();
    }

    /// The transmission of a packet has begun.
    #[inline(always)]
    pub(in crate::net) fn count_sent(&mut self, bytes: i32) {
        self.packets_sent += 1;
        self.bytes_sent += bytes as u64;
    }

    /// The transmission times of all packets whose transmission has begun, s.
    fn all_busy_s(&self) -> f64 {
        let (bytes, busy_s) = self.more.as_ref().map_or((0, 0.0), |more| more.before);
        busy_s + 8.0 * (self.bytes_sent - bytes) as f64 / self.rate_bps
    }

    /// How long the transmitter was busy up to `now_s`, s.
    pub fn busy_s(&self, now_s: f64) -> f64 {
        if let Some(joined) = self.on_medium() {
            return joined.airtime_s - (joined.until_s - now_s).max(0.0);
        }
        let until_s = match (self.delivery_trace(), &self.more) {
            (Some(trace), _) => trace.busy_until_s,
            (None, Some(more)) if more.lost_until_s == self.free.at.secs() => now_s,
            _ => self.free.at.secs(),
        };
        self.all_busy_s() - (until_s - now_s).max(0.0)
    }

    /// Whether it sends and the end of the transmission is not scheduled.
    pub(crate) fn ends_unawaited(&self) -> bool {
        self.transmitter == Transmitter::Sends
    }

    /// The end of the present transmission, which the caller must schedule. `None` if it is already scheduled, or
    /// nothing is sent.
    pub(crate) fn await_end(&mut self) -> Option<Key> {
        let is_news = self.transmitter == Transmitter::Sends;
        if is_news {
            self.transmitter = Transmitter::IsAwaited;
            self.set_bit(EXPECTS_MORE, true);
        }
        is_news.then_some(self.free)
    }

    /// Whether `key` is the scheduled end of the present transmission.
    pub(crate) fn ends_with(&self, key: Key) -> bool {
        self.transmitter == Transmitter::IsAwaited && self.free == key
    }

    /// Number of packets in the queue and on the wire.
    pub fn holds_packets(&self) -> usize {
        let begun = self.delivery_trace().is_some_and(|delivery_trace| delivery_trace.begun.is_some());
        let held = self.on_medium().map_or(0, |joined| joined.held as usize);
        self.queue.len_packets() + self.on_wire as usize + usize::from(begun) + held
    }

    /// When the transmitter became idle, if its end was not scheduled. Reports each end once.
    pub(crate) fn idle_since(&mut self, now: Key) -> Option<Time> {
        let is_reported = self.transmitter != Transmitter::Sends || self.free >= now;
        if is_reported {
            return None;
        }
        self.transmitter = Transmitter::Idle;
        Some(self.free.at)
    }
}
