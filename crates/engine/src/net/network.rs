//! The state of the network.

use std::collections::VecDeque;

use crate::event::timer::{TimerId, TimerOwner, Timers};
use crate::event::{EventList, Key};
use crate::loss::Models;
use crate::measure::endpoint_stats::EndpointStats;
use crate::measure::flow::FlowTable;
use crate::measure::link_stats::LinkStats;
use crate::measure::monitor::Monitor;
use crate::measure::observe::{Nobody, Observer};
use crate::net::delay_box::DelayBoxes;
use crate::net::error::SimulationError;
use crate::net::ids::AgentId;
use crate::net::lan::{Lan, Steps};
use crate::net::link::Link;
use crate::net::link::error_module::ErrorModule;
use crate::net::link::parts::Parts;
use crate::net::link::tx_time_cache::TxTimeCache;
use crate::net::link::wifi::Medium;
use crate::net::multicast::Multicast;
use crate::net::node::Node;
use crate::net::quick_start::QuickStart;
use crate::net::shared_state::SharedState;
use crate::net::token_bucket::TokenBucket;
use crate::net::upcall::Upcall;
use crate::packet::{Packet, PacketId, PacketPool};
use crate::params::cow_arc::Interner;
use crate::random::rng::Streams;
use crate::time::Time;

/// Reasons to stop that are rare.
pub(crate) mod rare_news {
    /// Flow tables have new flows.
    pub const FRESH_FLOWS: u8 = 1;
    /// Multicast packets wait for a decision or an agent.
    pub const MULTICAST: u8 = 2;
    /// Packets passed traces of which the caller hears.
    pub const LINES: u8 = 4;
}

/// Nodes, links, packets and timers.
pub struct Network {
    /// Packets have no flags header, as after ns-2's `remove-packet-header Flags`. ns-2 still reads and clears flags
    /// then, in the bytes of type, size and uid: agents' packets have type TCP, size 0 until one is set, and a uid
    /// without its low 8 bits. The low byte of the size is the flag [`crate::packet::flag::NO_TIMESTAMP`], the next
    /// byte is [`crate::packet::flag::PRIORITY`]. A one-way sender that reports a window reduction sets a bit in a
    /// higher byte of the size.
    pub lacks_flags: bool,
    /// Nodes by number.
    pub nodes: Vec<Node>,
    /// Links by number.
    pub links: Vec<Link>,
    /// All allocated packets.
    pub packets: PacketPool,
    /// Random numbers.
    pub rng: Streams,
    /// Queue monitors by number.
    pub monitors: Vec<Monitor>,
    /// Statistics of links, by number; empty unless links are measured.
    pub link_stats: Vec<LinkStats>,
    /// Statistics of the agents that are endpoints of measured flows, by agent.
    pub endpoint_stats: Vec<Option<Box<EndpointStats>>>,
    /// Tables of flows by number.
    pub flow_tables: Vec<FlowTable>,
    /// Shared media by number.
    pub lans: Vec<Lan>,
    /// Wi-Fi media by number.
    pub media: Vec<Medium>,
    pub(crate) lan_steps: Steps,
    /// Error modules by number.
    pub errors: Vec<ErrorModule>,
    /// The parts of links that were taken apart.
    pub parts: Parts,
    /// Error models by number.
    pub models: Models,
    /// Token buckets by number.
    pub buckets: Vec<TokenBucket>,
    /// Delay boxes at the ingress of nodes.
    pub delay_boxes: DelayBoxes,
    /// Multicast routing tables, replicators, and packets that wait for a decision.
    pub multicast: Multicast,
    /// The Quick-Start routers.
    pub quick_start: QuickStart,
    /// Values that agents of one kind share.
    pub shared_state: SharedState,
    /// Receives the events of traces and watched variables.
    pub observer: Box<dyn Observer>,
    pub(crate) events: EventList,
    pub(crate) timers: Timers,
    pub(crate) current: Key,
    pub(crate) tx_time_cache: TxTimeCache,
    pub(crate) known: Interner,
    /// Which notifications of each agent are wanted, as bits of [`Upcall::bit`].
    pub(crate) audience: Vec<u8>,
    /// Whether packets may take the fast path (`packet_path/fast.rs`).
    pub(super) has_fast_path: bool,
    /// There is a notification, a packet for an agent of the same node, or a reason to stop.
    pub(crate) has_news: bool,
    pub(crate) upcalls: VecDeque<Upcall>,
    pub(crate) local: VecDeque<(AgentId, PacketId)>,
    pub(crate) error: Option<SimulationError>,
    /// Bits of [`rare_news`].
    pub(crate) rare_news: u8,
    pub(super) dropped: Vec<PacketId>,
    pub(super) dropped_early: Vec<PacketId>,
    pub(super) queue_error: Option<String>,
}

impl Default for Network {
    fn default() -> Network {
        Network {
            lacks_flags: false,
            nodes: Vec::new(),
            links: Vec::new(),
            packets: PacketPool::default(),
            rng: Streams::default(),
            monitors: Vec::new(),
            link_stats: Vec::new(),
            endpoint_stats: Vec::new(),
            flow_tables: Vec::new(),
            lans: Vec::new(),
            media: Vec::new(),
            lan_steps: Steps::default(),
            errors: Vec::new(),
            parts: Parts::default(),
            models: Models::default(),
            buckets: Vec::new(),
            delay_boxes: DelayBoxes::default(),
            multicast: Multicast::default(),
            quick_start: QuickStart::default(),
            shared_state: SharedState::default(),
            observer: Box::new(Nobody),
            events: EventList::default(),
            timers: Timers::default(),
            current: Key { at: Time::ZERO, counter: 0 },
            tx_time_cache: TxTimeCache::default(),
            known: Interner::default(),
            audience: Vec::new(),
            has_fast_path: true,
            has_news: false,
            upcalls: VecDeque::new(),
            local: VecDeque::new(),
            error: None,
            rare_news: 0,
            dropped: Vec::new(),
            dropped_early: Vec::new(),
            queue_error: None,
        }
    }
}

impl Network {
    /// The current time.
    #[inline]
    pub fn now(&self) -> Time {
        self.current.at
    }

    /// A new packet with the fields of `like`, the current time and the next uid.
    #[inline(always)]
    pub fn make_packet(&mut self, like: Packet) -> PacketId {
        let now = self.current.at;
        self.packets.make(Packet { made_at: now, queued_at: now, ..like })
    }

    /// Frees a packet.
    #[inline]
    pub fn free(&mut self, packet: PacketId) {
        self.packets.free(packet);
    }

    /// Adds a timer, not running.
    pub fn add_timer(&mut self, owner: TimerOwner) -> TimerId {
        self.timers.add(owner)
    }

    /// Starts or restarts a timer; it expires `delay_s` from now.
    #[inline]
    pub fn set_timer(&mut self, timer: TimerId, delay_s: f64) {
        self.timers.set(timer, self.current.at + delay_s, &mut self.events);
    }

    /// Stops a timer.
    #[inline]
    pub fn stop_timer(&mut self, timer: TimerId) {
        self.timers.stop(timer);
    }

    /// Whether a timer runs.
    #[inline]
    pub fn timer_runs(&self, timer: TimerId) -> bool {
        self.timers.is_running(timer)
    }

    /// Queues a notification. It is delivered when the agent's present call has returned.
    #[inline]
    pub fn notify(&mut self, upcall: Upcall) {
        if self.audience.get(upcall.agent().0 as usize).is_none_or(|wanted| wanted & upcall.bit() != 0) {
            self.upcalls.push_back(upcall);
            self.has_news = true;
        }
    }

    /// Stops the simulation with this error.
    pub fn fail(&mut self, error: SimulationError) {
        self.error.get_or_insert(error);
        self.has_news = true;
    }
}
