//! A simplex link: exactly one queue discipline, a transmitter with a rate, and a wire with a delay.
//!
//! The packets on the wire are a ring of which only the head is in the event list, and the end of a transmission is
//! listed only while a packet waits for it. Each packet takes its two counters as it enters the wire (arrival first, then
//! transmitter free), so every tie falls as if both events had been inserted there.

use std::collections::VecDeque;

use crate::delayer::Delayer;
use crate::event::Key;
use crate::lan::Port;
use crate::observe::TraceId;
use crate::packet::PacketId;
use crate::queue::Discipline;
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

/// A packet on the wire.
#[derive(Clone, Copy)]
pub struct InFlight {
    /// When it arrives, and which of its instant it is.
    pub key: Key,
    /// The packet.
    pub packet: PacketId,
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

/// A simplex link.
pub struct Link {
    /// Number of the node it leaves.
    pub from: u32,
    /// Number of the node it enters.
    pub to: u32,
    /// Rate, bit/s.
    pub rate_bps: f64,
    /// Propagation delay, s.
    pub delay_s: f64,
    /// Whether packets can pass its gate, if it has one.
    pub is_up: bool,
    /// Whether packets that its gate refuses go the way of lost packets; otherwise nobody hears of them.
    pub reports_refused: bool,
    /// Whether a packet waits on the wire for those before it when rate or delay have changed meanwhile.
    pub keeps_order: bool,
    /// The latest arrival of a link that keeps the order, s.
    latest_arrival_s: f64,
    /// The queue discipline.
    pub queue: Box<dyn Discipline>,
    /// The queue discipline's timer, from its first use on.
    pub(crate) queue_timer: Option<TimerId>,
    /// What makes it a port of a LAN, if it is one.
    pub port: Option<Box<Port>>,
    /// What holds packets back between the queue and the transmitter, if anything does.
    pub delayer: Option<Box<Delayer>>,
    /// Bytes that the transmitter has taken.
    pub bytes_sent: u64,
    pub(crate) transmitter: Transmitter,
    pub(crate) wire: VecDeque<InFlight>,
    pub(crate) listed_arrival: Option<Key>,
    taps: [Vec<Tap>; 8],
}

impl Link {
    /// A link that is up and empty.
    pub fn new(from: u32, to: u32, rate_bps: f64, delay_s: f64, queue: Box<dyn Discipline>) -> Link {
        Link {
            from,
            to,
            rate_bps,
            delay_s,
            is_up: true,
            reports_refused: false,
            keeps_order: false,
            latest_arrival_s: 0.0,
            queue,
            queue_timer: None,
            port: None,
            delayer: None,
            bytes_sent: 0,
            transmitter: Transmitter::Idle,
            wire: VecDeque::new(),
            listed_arrival: None,
            taps: Default::default(),
        }
    }

    /// The taps at a place, in the order in which a packet passes them.
    #[inline]
    pub fn taps(&self, place: Place) -> &[Tap] {
        &self.taps[place as usize]
    }

    /// The same, to be changed.
    pub fn taps_mut(&mut self, place: Place) -> &mut Vec<Tap> {
        &mut self.taps[place as usize]
    }

    /// Seconds that the transmitter needs for `bytes`.
    #[inline]
    pub fn transmission_s(&self, bytes: i32) -> f64 {
        8.0 * f64::from(bytes) / self.rate_bps
    }

    /// Seconds from `now` until a packet that goes on the wire now arrives.
    #[inline]
    pub(crate) fn time_on_wire_s(&mut self, now: Time, transmission_s: f64) -> f64 {
        // Transmission and propagation are added first, then to the clock: the sum of doubles depends on it.
        let usual_s = transmission_s + self.delay_s;
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
        self.queue.len_packets() + self.wire.len()
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
