//! Updates of the statistics of links and flows ([`crate::measure::link_stats`], [`crate::measure::endpoint_stats`]).
//!
//! Links are measured from [`Network::measure_links`] on, an agent from [`Network::measure_endpoint`] on. Otherwise
//! each update is one comparison. A packet that finds a plain link idle needs no update.

use crate::event::{Event, Key};
use crate::measure::endpoint_stats::{EndpointStats, Progress};
use crate::measure::link_stats::{LinkStats, Tally};
use crate::net::Network;
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::net::node::{AgentId, Port};
use crate::packet::PacketId;
use crate::params::Value;
use crate::time::Time;

impl Network {
    /// Measures all links that exist. To be called before the first packet, and after gates and error modules were put
    /// on the links: such a link counts the packets at its ends by hooks.
    pub fn measure_links(&mut self) {
        self.link_stats.resize_with(self.links.len(), LinkStats::default);
        for (link, stats) in self.links.iter_mut().zip(&mut self.link_stats) {
            let takes_packets =
                |place| link.hooks(place).iter().any(|hook| matches!(hook, Hook::Gate | Hook::Errors(_)));
            if [HookPoint::Head, HookPoint::WireEnd, HookPoint::Received].into_iter().any(takes_packets) {
                stats.ends = Some(Box::default());
                link.add_hook(HookPoint::Head, Some(0), Hook::Count);
                link.add_hook(HookPoint::Received, None, Hook::Count);
            }
        }
    }

    /// Measures an agent: its packets, and the packets that it receives.
    pub fn measure_endpoint(&mut self, agent: AgentId, stats: EndpointStats) {
        let index = agent.0 as usize;
        if self.endpoint_stats.len() <= index {
            self.endpoint_stats.resize_with(index + 1, || None);
        }
        self.endpoint_stats[index] = Some(Box::new(stats));
    }

    /// The statistics of a measured agent.
    pub fn endpoint_stats(&mut self, agent: AgentId) -> Option<&mut EndpointStats> {
        self.endpoint_stats.get_mut(agent.0 as usize)?.as_deref_mut()
    }

    /// Lets [`crate::sim::Simulation::run`] return after the last event at `at`, and before the next one.
    pub fn stop_to_sample(&mut self, at: Time) {
        self.events.insert(Key { at, counter: u64::MAX }, Event::Sample);
    }

    /// The packets and bytes that were offered at the head of a measured link, that arrived at its queue, and that
    /// arrived at its far end. `on_wire_bytes`: those of [`Network::bytes_on_wires`].
    pub fn link_tallies(&self, id: LinkId, on_wire_bytes: u64) -> [Tally; 3] {
        let (link, stats) = (&self.links[id.0 as usize], &self.link_stats[id.0 as usize]);
        let sent = Tally { packets: link.packets_sent, bytes: link.bytes_sent };
        let (packets, bytes) = (link.queue().len_packets() as u64, link.queue().len_bytes().max(0) as u64);
        let arrived = sent.plus(stats.dropped).plus(Tally { packets, bytes });
        match stats.ends.as_deref() {
            Some(&[offered, received]) => [offered, arrived, received],
            None => {
                let begun = link.delivery_trace().and_then(|trace| trace.begun).map(|(packet, _)| packet);
                let begun_bytes = begun.map_or(0, |packet| self.packets[packet].size.max(0) as u64);
                let (held, held_bytes) = link.on_medium().map_or((0, 0), |joined| (joined.held, joined.held_bytes));
                let packets = u64::from(link.on_wire) + u64::from(begun.is_some()) + u64::from(held);
                // Without hooks, packets are lost only at the far end, where their time to live is over.
                let under_way = Tally { packets, bytes: on_wire_bytes + begun_bytes + held_bytes };
                [arrived, arrived, sent.minus(under_way).minus(stats.lost)]
            }
        }
    }

    /// The bytes on the wire of each link.
    pub fn bytes_on_wires(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.links.len()];
        for event in self.events.iter() {
            if let Event::Arrive(link, packet) = event {
                bytes[link as usize] += self.packets[packet].size.max(0) as u64;
            }
        }
        bytes
    }

    /// A packet enters a queue.
    #[inline(always)]
    pub(super) fn count_enter(&mut self, link: LinkId, packet: PacketId) {
        if let Some(stats) = self.link_stats.get_mut(link.0 as usize) {
            stats.enter(self.current.at.secs(), packet, &mut self.packets[packet]);
        }
    }

    /// A packet leaves a queue, and has passed the hooks behind it.
    #[inline(always)]
    pub(super) fn count_leave(&mut self, link: LinkId, packet: PacketId) {
        if let Some(stats) = self.link_stats.get_mut(link.0 as usize) {
            stats.leave(self.current.at.secs(), packet, &self.packets[packet]);
        }
    }

    /// A packet is dropped by a queue, or by an error model behind it.
    pub(super) fn count_dropped(&mut self, link: LinkId, packet: PacketId) {
        if let Some(stats) = self.link_stats.get_mut(link.0 as usize) {
            stats.discard(self.current.at.secs(), packet, &self.packets[packet]);
            self.count_lost_by_sender(packet);
        }
    }

    /// A packet is lost on a link, but not by the queue.
    pub(super) fn count_lost(&mut self, link: LinkId, packet: PacketId) {
        if let Some(stats) = self.link_stats.get_mut(link.0 as usize) {
            stats.lost.add(&self.packets[packet]);
            self.count_lost_by_sender(packet);
        }
    }

    fn count_lost_by_sender(&mut self, packet: PacketId) {
        let source = self.packets[packet].src;
        let node = usize::try_from(source.node).ok().and_then(|node| self.nodes.get(node));
        if let Some(Port::Agent(agent)) = node.map(|node| node.at_port(source.port))
            && let Some(Some(stats)) = self.endpoint_stats.get_mut(agent.0 as usize)
        {
            stats.dropped.add(&self.packets[packet]);
        }
    }

    /// A packet passes the hook [`Hook::Count`].
    pub(super) fn count_end(&mut self, link: LinkId, place: HookPoint, packet: PacketId) {
        if let Some(ends) = &mut self.link_stats[link.0 as usize].ends {
            ends[usize::from(place != HookPoint::Head)].add(&self.packets[packet]);
        }
    }

    /// An agent sends a packet.
    #[inline(always)]
    pub(crate) fn count_send(&mut self, agent: AgentId, packet: PacketId) {
        if let Some(Some(stats)) = self.endpoint_stats.get_mut(agent.0 as usize) {
            stats.send(self.current.at.secs(), &self.packets[packet]);
        }
    }

    /// An agent receives a packet.
    #[inline(always)]
    pub(crate) fn count_receive(&mut self, agent: AgentId, packet: PacketId) {
        let now = self.current.at;
        if let Some(Some(stats)) = self.endpoint_stats.get_mut(agent.0 as usize)
            && let Some(rtt_s) = stats.receive(now.secs(), &self.packets[packet])
            && let Some(place) = stats.reports
        {
            self.observer.variable(place, now, "rtt_s", Value::Real(rtt_s));
        }
    }

    /// An agent has acted. `progress` is asked for its state if that is followed.
    #[inline(always)]
    pub(crate) fn count_act(&mut self, agent: AgentId, progress: impl FnOnce() -> Progress) {
        if let Some(Some(stats)) = self.endpoint_stats.get_mut(agent.0 as usize)
            && stats.tcp.is_some()
        {
            stats.acted(self.current.at.secs(), progress());
        }
    }
}
