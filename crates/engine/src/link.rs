//! A simplex link: exactly one queue discipline, a transmitter with a rate, and a wire with a delay.
//!
//! A packet on the wire is an event to come; the end of a transmission is one only while a packet waits for it. Each packet takes its two counters as it enters the wire (arrival first, then
//! transmitter free), so every tie falls as if both events had been inserted there.

use crate::delayer::Delayer;
use crate::deliveries::Deliveries;
use crate::event::{EventList, Key, LaneId};
use crate::lan::Port;
use crate::observe::TraceId;
use crate::queue::Discipline;
use crate::quick_start::PortId;
use crate::timer::TimerId;
use crate::units::Time;

/// Index of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub u32);

/// Index of a queue monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorId(pub u32);

/// Index of an error module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorsId(pub u32);

/// What stands at a place of a link and sees each packet that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tap {
    /// The observer hears of the packet.
    Trace(TraceId),
    /// Nothing passes while the link is down.
    Gate,
    /// Packets wait here for the link's delayer. Only behind the queue ([`Place::Dequeued`]), and once.
    Delayer,
    /// A monitor counts an arrival.
    CountArrival(MonitorId),
    /// A monitor counts a departure.
    CountDeparture(MonitorId),
    /// A monitor counts a loss.
    CountDrop(MonitorId),
    /// A monitor counts a loss from a queue that was not full.
    CountEarlyDrop(MonitorId),
    /// An error module may take the packet out, hold it back or mark it.
    Errors(ErrorsId),
    /// A router that takes part in Quick-Start judges requests, and measures how busy the link is.
    QuickStart(PortId),
}

/// Where taps stand, in the order in which a packet passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
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
    /// On the way of packets that the queue threw away before it was full. Without taps they go the way of lost packets.
    DroppedEarly,
    /// Where a node hands a packet to its port of a LAN, before the port's delay.
    Entry,
    /// On the way of packets that a port of a LAN loses on the medium. Without taps they go the way of lost packets.
    Collided,
}

/// What the transmitter does.
#[derive(Clone, Copy)]
pub enum Transmitter {
    /// Nothing.
    Idle,
    /// It sends until `free`; `listed` tells whether that end is in the event list.
    Sending {
        /// When it will be free, and which of that instant's events that is.
        free: Key,
        /// Whether the event list holds it.
        listed: bool,
    },
}

/// What sending a packet of some size means.
#[derive(Clone, Copy)]
pub(crate) struct Sending {
    size: i32,
    /// How long the transmitter is busy, s.
    pub transmission_s: f64,
    /// How long it takes to arrive, s.
    usual_s: f64,
    /// The lane of its arrival.
    pub arrival: LaneId,
    /// The lane of the end of its transmission.
    pub end: LaneId,
}

/// A simplex link. What each packet looks at comes first, so that it is fetched at once.
#[repr(C, align(64))]
pub struct Link {
    pub(crate) transmitter: Transmitter,
    /// The last packet's, for the next one of its size.
    sending: Option<Sending>,
    /// Number of the node it enters.
    pub to: u32,
    /// Packets on the wire.
    pub(crate) on_wire: u32,
    /// A bit for each [`Place`] that has taps.
    tapped: u8,
    /// Whether the queue lets a packet pass unseen; not known while it may just have been changed.
    passes_unseen: Option<bool>,
    /// Whether packets can pass its gate, if it has one.
    pub is_up: bool,
    /// Whether packets that its gate refuses go the way of lost packets; otherwise nobody hears of them.
    pub reports_refused: bool,
    /// Whether a packet waits on the wire for those before it when rate or delay have changed meanwhile.
    pub keeps_order: bool,
    /// Bytes that the transmitter has taken.
    pub bytes_sent: u64,
    rate_bps: f64,
    delay_s: f64,
    queue: Box<dyn Discipline>,
    /// What makes it a port of a LAN, if it is one.
    pub port: Option<Box<Port>>,
    /// What holds packets back between the queue and the transmitter, if anything does.
    pub delayer: Option<Box<Delayer>>,
    /// When it can send, if that is not always.
    pub(crate) deliveries: Option<Box<Deliveries>>,
    taps: Option<Box<[Vec<Tap>; 8]>>,
    /// The latest arrival of a link that keeps the order, s.
    latest_arrival_s: f64,
    /// The queue discipline's timer, from its first use on.
    pub(crate) queue_timer: Option<TimerId>,
    /// Number of the node it leaves.
    pub from: u32,
}

impl Link {
    /// A link that is up and empty.
    pub fn new(from: u32, to: u32, rate_bps: f64, delay_s: f64, queue: Box<dyn Discipline>) -> Link {
        Link {
            transmitter: Transmitter::Idle,
            sending: None,
            to,
            on_wire: 0,
            tapped: 0,
            passes_unseen: None,
            is_up: true,
            reports_refused: false,
            keeps_order: false,
            bytes_sent: 0,
            rate_bps,
            delay_s,
            queue,
            port: None,
            delayer: None,
            deliveries: None,
            taps: None,
            latest_arrival_s: 0.0,
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
        self.passes_unseen = None;
        &mut *self.queue
    }

    /// Puts another queue discipline in the place of the present one.
    pub fn set_queue(&mut self, queue: Box<dyn Discipline>) {
        self.passes_unseen = None;
        self.queue = queue;
    }

    /// The queue discipline, for packets.
    #[inline]
    pub(crate) fn queue_at_work(&mut self) -> &mut dyn Discipline {
        &mut *self.queue
    }

    /// Makes the link a port of a LAN.
    pub(crate) fn become_port(&mut self, port: Port) {
        self.passes_unseen = None;
        self.port = Some(Box::new(port));
    }

    /// Puts a delayer between the queue and the transmitter.
    pub(crate) fn put_delayer(&mut self, delayer: Delayer) {
        self.passes_unseen = None;
        self.delayer = Some(Box::new(delayer));
    }

    /// The link sends at opportunities only.
    pub(crate) fn put_deliveries(&mut self, deliveries: Deliveries) {
        self.passes_unseen = None;
        self.deliveries = Some(Box::new(deliveries));
    }

    /// The taps at a place, in the order in which a packet passes them.
    #[inline]
    pub fn taps(&self, place: Place) -> &[Tap] {
        self.taps.as_ref().map_or(&[], |taps| &taps[place as usize])
    }

    /// Whether a place has taps.
    #[inline]
    pub(crate) fn has_taps(&self, place: Place) -> bool {
        self.tapped & 1 << place as u8 != 0
    }

    /// Adds a tap at a place, the `index`-th that a packet passes; without `index` the last.
    pub fn add_tap(&mut self, place: Place, index: Option<usize>, tap: Tap) {
        let taps = &mut self.taps.get_or_insert_default()[place as usize];
        taps.insert(index.map_or(taps.len(), |index| index.min(taps.len())), tap);
        self.tapped |= 1 << place as u8;
    }

    /// Whether a packet that comes now finds the transmitter idle and goes on it as if there were no queue.
    #[inline(always)]
    pub(crate) fn is_open(&mut self, now: Key) -> bool {
        if let Transmitter::Sending { free, listed } = self.transmitter
            && (listed || now < free)
        {
            return false;
        }
        match self.passes_unseen {
            Some(passes) => passes,
            None => {
                let is_plain = self.port.is_none() && self.delayer.is_none() && self.deliveries.is_none();
                let passes = is_plain && self.queue.passes_unseen();
                *self.passes_unseen.insert(passes)
            }
        }
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
        self.sending = None;
        self.rate_bps = rate_bps;
    }

    /// Sets the propagation delay, s, for packets sent from now on.
    pub fn set_delay_s(&mut self, delay_s: f64) {
        self.sending = None;
        self.delay_s = delay_s;
    }

    /// Seconds that the transmitter needs for `bytes`.
    #[inline]
    pub fn transmission_s(&self, bytes: i32) -> f64 {
        8.0 * f64::from(bytes) / self.rate_bps
    }

    /// What it means to send a packet of this size.
    #[inline(always)]
    pub(crate) fn sending(&mut self, size: i32, events: &mut EventList) -> Sending {
        match self.sending {
            Some(sending) if sending.size == size => sending,
            _ => {
                let transmission_s = self.transmission_s(size);
                // Transmission and propagation are added first, then to the clock: the sum of doubles depends on it.
                let usual_s = transmission_s + self.delay_s;
                let (arrival, end) = (events.lane(usual_s), events.lane(transmission_s));
                *self.sending.insert(Sending { size, transmission_s, usual_s, arrival, end })
            }
        }
    }

    /// Seconds from `now` until a packet that goes on the wire now arrives.
    #[inline]
    pub(crate) fn time_on_wire_s(&mut self, now: Time, sending: Sending) -> f64 {
        let Sending { transmission_s, usual_s, .. } = sending;
        if !self.keeps_order {
            return usual_s;
        }
        if usual_s < self.latest_arrival_s - now.secs() && self.latest_arrival_s > 0.0 {
            self.latest_arrival_s += transmission_s;
            return self.latest_arrival_s - now.secs();
        }
        self.latest_arrival_s = now.secs() + transmission_s + self.delay_s;
        usual_s
    }

    /// Whether the transmitter is busy for someone who comes at `now`.
    #[inline]
    pub(crate) fn is_busy(&self, now: Key) -> bool {
        if let Some(delayer) = &self.delayer {
            return delayer.blocks_queue;
        }
        if let Some(port) = &self.port {
            return port.blocks_queue;
        }
        match self.transmitter {
            Transmitter::Idle => false,
            Transmitter::Sending { free, listed } => listed || now < free,
        }
    }

    /// Packets waiting and on the wire.
    pub fn holds_packets(&self) -> usize {
        let begun = self.deliveries.as_ref().is_some_and(|deliveries| deliveries.begun.is_some());
        self.queue.len_packets() + self.on_wire as usize + usize::from(begun)
    }

    /// When the transmitter found nothing more to send, if it has and was not told so yet.
    pub(crate) fn idle_since(&mut self, now: Key) -> Option<Time> {
        match self.transmitter {
            Transmitter::Sending { free, listed: false } if free < now => {
                self.transmitter = Transmitter::Idle;
                Some(free.at)
            }
            _ => None,
        }
    }
}
