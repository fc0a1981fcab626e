//! The network: nodes, links, packets and timers, and the way of a packet through them.
//!
//! Agents and applications are not here: what an agent may do to the rest of the world is what this type offers.

use std::collections::VecDeque;

use crate::cc::linux::Kernel;
use crate::delay_box::DelayBoxes;
use crate::event::{Event, EventList, Key, LaneId};
use crate::flow::{Count, FlowTable};
use crate::invariants::Balance;
use crate::lan::{Lan, Steps};
use crate::link::{ErrorsId, Link, LinkId, MonitorId, Place, Tap};
use crate::loss::{ErrorModule, Fate, Judge, ModelContext, ModelId, Models, Resume};
use crate::monitor::Monitor;
use crate::node::{AgentId, Node, NodeId, Port, Way};
use crate::observe::{Nobody, Observer};
use crate::packet::{Packet, PacketId, PacketPool};
use crate::queue::QueueContext;
use crate::quick_start::QuickStart;
use crate::rng::Streams;
use crate::timer::{TimerId, TimerOwner, Timers};
use crate::token_bucket::TokenBucket;
use crate::units::Time;
use crate::wire::Wires;

/// What an agent tells its application or whoever drives the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcall {
    /// The agent has sent all it was given.
    Idle(AgentId),
    /// The agent has received this many bytes in order.
    Received(AgentId, i32),
    /// The agent noticed a gap in what it receives.
    Lost(AgentId),
    /// All the agent was given has been acknowledged, or its connection is closed.
    Done(AgentId),
    /// The agent's buffer is empty, and it was asked to say so.
    Emptied(AgentId),
    /// Words have come with a datagram.
    Heard(AgentId),
}

impl Upcall {
    /// Who tells.
    pub fn agent(self) -> AgentId {
        match self {
            Upcall::Idle(agent)
            | Upcall::Received(agent, _)
            | Upcall::Lost(agent)
            | Upcall::Done(agent)
            | Upcall::Emptied(agent)
            | Upcall::Heard(agent) => agent,
        }
    }

    /// What is told by this agent in that word.
    pub fn named(word: &str, agent: AgentId) -> Option<Upcall> {
        Some(match word {
            "idle" => Upcall::Idle(agent),
            "received" => Upcall::Received(agent, 0),
            "lost" => Upcall::Lost(agent),
            "done" => Upcall::Done(agent),
            "emptied" => Upcall::Emptied(agent),
            "heard" => Upcall::Heard(agent),
            _ => return None,
        })
    }

    /// A bit for each kind.
    #[inline]
    pub(crate) const fn bit(self) -> u8 {
        match self {
            Upcall::Idle(_) => 1,
            Upcall::Received(..) => 2,
            Upcall::Lost(_) => 4,
            Upcall::Done(_) => 8,
            Upcall::Emptied(_) => 16,
            Upcall::Heard(_) => 32,
        }
    }
}

/// Why a simulation cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A node has no way to a packet's destination.
    NoRoute {
        /// Where the packet is.
        node: u32,
        /// Where it wants to go.
        destination: i32,
    },
    /// No agent is at a packet's port.
    NoAgent {
        /// The node.
        node: u32,
        /// The port.
        port: i32,
    },
    /// A component cannot do what it is asked to, in words.
    Broken(String),
    /// What holds in every simulation did not hold ([`crate::invariants`]): the simulator is wrong, or code of one's own is.
    Invariant(String),
    /// More than was allowed, in words.
    Limit(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Trouble::NoRoute { node, destination } => write!(out, "node {node} has no route to node {destination}"),
            Trouble::NoAgent { node, port } => write!(out, "node {node} has no agent at port {port}"),
            Trouble::Broken(what) | Trouble::Limit(what) => out.write_str(what),
            Trouble::Invariant(what) => write!(out, "an invariant is broken: {what}"),
        }
    }
}

/// Nodes, links, packets, timers.
pub struct Network {
    /// Packets have no header for flags, which a script of ns-2 can do without. ns-2 reads and clears the flags all the
    /// same, in the bytes of type, size and number: agents' packets are all called TCP, have no size until one is given
    /// and a number without its last eight binary digits, and the flag against timing is the size's last byte, the
    /// one of priority the byte before; a one-way sender that says it has reduced its window sets a bit of the first byte.
    pub lacks_flags: bool,
    /// Nodes by number.
    pub nodes: Vec<Node>,
    /// Links by number.
    pub links: Vec<Link>,
    /// All packets alive.
    pub packets: PacketPool,
    /// Random numbers.
    pub rng: Streams,
    /// Queue monitors by number.
    pub monitors: Vec<Monitor>,
    /// Tables of flows by number.
    pub flow_tables: Vec<FlowTable>,
    /// Shared media by number.
    pub lans: Vec<Lan>,
    pub(crate) lan_steps: Steps,
    /// Error modules by number.
    pub errors: Vec<ErrorModule>,
    /// Error models by number.
    pub models: Models,
    /// Token buckets by number.
    pub buckets: Vec<TokenBucket>,
    /// Boxes at the doors of nodes.
    pub delay_boxes: DelayBoxes,
    /// Who takes part in Quick-Start.
    pub quick_start: QuickStart,
    /// Whether a RAP sender has timed a round trip. ns-2 takes the first one of all senders together as it is.
    pub rap_has_sample: bool,
    /// What all Linux senders share.
    pub kernel: Kernel,
    /// Who hears of what passes the taps.
    pub observer: Box<dyn Observer>,
    pub(crate) events: EventList,
    pub(crate) timers: Timers,
    pub(crate) current: Key,
    pub(crate) wires: Wires,
    /// What somebody wants to hear of each agent, in bits of [`Upcall::bit`].
    pub(crate) audience: Vec<u8>,
    /// Something was told, is for an agent of its own node, or stops the simulation.
    pub(crate) has_news: bool,
    pub(crate) upcalls: VecDeque<Upcall>,
    pub(crate) local: VecDeque<(AgentId, PacketId)>,
    pub(crate) trouble: Option<Trouble>,
    pub(crate) has_fresh_flows: bool,
    pub(crate) balances: Vec<Balance>,
    dropped: Vec<PacketId>,
    dropped_early: Vec<PacketId>,
    queue_trouble: Option<String>,
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
            flow_tables: Vec::new(),
            lans: Vec::new(),
            lan_steps: Steps::default(),
            errors: Vec::new(),
            models: Models::default(),
            buckets: Vec::new(),
            delay_boxes: DelayBoxes::default(),
            quick_start: QuickStart::default(),
            rap_has_sample: false,
            kernel: Kernel::default(),
            observer: Box::new(Nobody),
            events: EventList::default(),
            timers: Timers::default(),
            current: Key { at: Time::ZERO, counter: 0 },
            wires: Wires::default(),
            audience: Vec::new(),
            has_news: false,
            upcalls: VecDeque::new(),
            local: VecDeque::new(),
            trouble: None,
            has_fresh_flows: false,
            balances: Vec::new(),
            dropped: Vec::new(),
            dropped_early: Vec::new(),
            queue_trouble: None,
        }
    }
}

impl Network {
    /// The present instant.
    #[inline]
    pub fn now(&self) -> Time {
        self.current.at
    }

    /// A new packet like `like`, made now, with the next uid.
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

    /// A new timer, not running.
    pub fn add_timer(&mut self, owner: TimerOwner) -> TimerId {
        self.timers.add(owner)
    }

    /// Starts a timer, or starts it again, to be due `delay_s` from now.
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

    /// Tells the agent's application, or whoever drives the simulation, as soon as the agent has finished what it does.
    #[inline]
    pub fn tell(&mut self, upcall: Upcall) {
        if self.audience.get(upcall.agent().0 as usize).is_none_or(|wanted| wanted & upcall.bit() != 0) {
            self.upcalls.push_back(upcall);
            self.has_news = true;
        }
    }

    /// Stops the simulation for this reason.
    pub fn fail(&mut self, trouble: Trouble) {
        self.trouble.get_or_insert(trouble);
        self.has_news = true;
    }

    /// Sends a packet from a node towards its destination: into the next link's queue, all the way, now.
    pub fn send(&mut self, node: NodeId, packet: PacketId) {
        if let Some(arrived) = self.enter_node(node.0, packet) {
            self.local.push_back(arrived);
            self.has_news = true;
        }
    }

    /// Sends a packet on its way from a node that it is not for.
    #[inline(always)]
    fn forward(&mut self, node: u32, destination: i32, packet: PacketId) {
        if let Way::Link(link) = self.nodes[node as usize].way(destination) {
            self.offer(link, packet);
        } else {
            self.forward_otherwise(node, destination, packet);
        }
    }

    /// The same, from a node that does not simply name a link.
    #[inline(never)]
    fn forward_otherwise(&mut self, node: u32, destination: i32, packet: PacketId) {
        let way = self.nodes[node as usize].way(destination);
        if !self.take_way(node, way, packet) {
            self.come_to_door(node, packet);
        }
    }

    /// Sends a packet on its way; false if nobody said which it is.
    fn take_way(&mut self, node: u32, way: Way, packet: PacketId) -> bool {
        let way = match way {
            Way::InTurn(turn) => self.nodes[node as usize].take_turn(turn).map_or(Way::Discard, Way::Link),
            Way::ByConversation => {
                let fields = &self.packets[packet];
                self.nodes[node as usize].given_way((fields.src.node, fields.dst.node, fields.fid))
            }
            way => way,
        };
        match way {
            Way::Link(link) => self.offer(link, packet),
            Way::Port(link) => self.enter_lan(link, packet),
            Way::Discard | Way::InTurn(_) | Way::ByConversation => self.free(packet),
            Way::Unknown => return false,
        }
        true
    }

    /// A packet comes to a node that shows it no way and no port: it meets the box at the door, if there is one. The agent
    /// it is for, if it passes at once and is for this node.
    #[cold]
    fn come_to_door(&mut self, node: u32, packet: PacketId) -> Option<(AgentId, PacketId)> {
        match self.nodes[node as usize].guarded_by() {
            Some(guard) => self.meet_delay_box(guard, packet),
            None => self.pass_door(node, packet),
        }
    }

    /// A packet passes the door of a node, where a box may stand: the agent it is for, or nothing when it goes on.
    pub(crate) fn pass_door(&mut self, node: u32, packet: PacketId) -> Option<(AgentId, PacketId)> {
        let destination = self.packets[packet].dst;
        let inside = self.nodes[node as usize].inside();
        if destination.node == node as i32 {
            match inside.at_port(destination.port) {
                Port::Agent(agent) => return Some((agent, packet)),
                Port::Left => self.free(packet),
                Port::Free => self.fail(Trouble::NoAgent { node, port: destination.port }),
            }
        } else {
            let way = inside.way(destination.node);
            if !self.take_way(node, way, packet) {
                self.fail(Trouble::NoRoute { node, destination: destination.node });
            }
        }
        None
    }

    /// A packet comes to a link's head.
    #[inline(always)]
    pub fn offer(&mut self, link: LinkId, packet: PacketId) {
        let known = &self.links[link.0 as usize];
        if known.is_open(self.current) {
            self.transmit(link, packet, known.expects_more());
        } else {
            self.enter_link(link, packet);
        }
    }

    /// The same, with what stands in front of the transmitter.
    #[inline(never)]
    fn enter_link(&mut self, link: LinkId, packet: PacketId) {
        let known = &mut self.links[link.0 as usize];
        if known.stores(packet, self.current, &self.packets) {
            if let Some(free) = known.await_end() {
                self.events.insert(free, Event::TransmitterFree(link.0));
            }
            self.enters_queue(link, packet);
        } else if self.pass(link, Place::Head, 0, packet) {
            self.enqueue(link, packet);
        }
    }

    /// Takes a packet past the taps of a place, from the `first`-th on. False if one of them took it out.
    #[inline(always)]
    pub(crate) fn pass(&mut self, link: LinkId, place: Place, first: usize, packet: PacketId) -> bool {
        !self.links[link.0 as usize].has_taps(place) || self.pass_taps(link, place, first, packet)
    }

    fn pass_taps(&mut self, link: LinkId, place: Place, first: usize, packet: PacketId) -> bool {
        let mut index = first;
        while let Some(&tap) = self.links[link.0 as usize].taps(place).get(index) {
            index += 1;
            let now = self.current.at;
            match tap {
                Tap::Trace(trace) => {
                    let (sack, header) = (self.packets.sack(packet), self.packets.header(packet));
                    self.observer.packet(trace, now, &self.packets[packet], sack, header);
                }
                Tap::Gate => {
                    if !self.links[link.0 as usize].is_up {
                        self.refuse(link, packet);
                        return false;
                    }
                }
                Tap::Delayer => {
                    self.delay(link, index, packet);
                    return false;
                }
                Tap::QuickStart(port) => self.pass_quick_start(port, link, place, packet),
                Tap::CountArrival(monitor) => self.count(monitor, Count::Arrival, packet),
                Tap::CountDeparture(monitor) => self.count(monitor, Count::Departure, packet),
                Tap::CountDrop(monitor) => self.count(monitor, Count::Drop, packet),
                Tap::CountEarlyDrop(monitor) => self.count(monitor, Count::EarlyDrop, packet),
                Tap::Errors(errors) => {
                    let fid = self.packets[packet].fid;
                    let fate = match self.errors[errors.0 as usize].judge_of(fid) {
                        Judge::Pass => Fate::Pass,
                        Judge::Missing => Fate::Vanish,
                        Judge::Model(model) => self.judge(model, packet),
                    };
                    if place == Place::Dequeued && !matches!(fate, Fate::Pass) {
                        self.lose_before_link(link, errors, packet);
                        return false;
                    }
                    match fate {
                        Fate::Pass => {}
                        Fate::Vanish => {
                            self.packets.free(packet);
                            return false;
                        }
                        Fate::Drop => {
                            self.lose(link, packet);
                            return false;
                        }
                        Fate::Hold { until } => {
                            self.hold(errors, (link, place, index, packet), until);
                            return false;
                        }
                        Fate::Double => {
                            let copy = self.packets.copy(packet);
                            self.hold(errors, (link, place, index, copy), now);
                        }
                    }
                }
            }
        }
        true
    }

    /// An error module holds a packet back.
    fn hold(&mut self, errors: ErrorsId, resume: Resume, until: Time) {
        let key = Key { at: until, counter: self.events.take_counter() };
        self.errors[errors.0 as usize].hold(resume, key);
        self.events.insert(key, Event::Release(errors.0));
    }

    /// A packet is lost between the queue and the transmitter, which then asks the queue again after a random part of the
    /// time that the packet takes at the model's own rate. So ns-2 did while error models stood there (until 2.31).
    fn lose_before_link(&mut self, link: LinkId, errors: ErrorsId, packet: PacketId) {
        let Packet { fid, size, .. } = self.packets[packet];
        if let Judge::Model(model) = self.errors[errors.0 as usize].judge_of(fid) {
            let most_s = 8.0 * f64::from(size) / self.models.rate_bps(model);
            let free_at = self.current.at + most_s * self.rng.default.unit();
            let free = Key { at: free_at, counter: self.events.take_counter() };
            self.links[link.0 as usize].send_until(free, true);
            self.events.insert(free, Event::TransmitterFree(link.0));
        }
        self.lose(link, packet);
    }

    fn judge(&mut self, model: ModelId, packet: PacketId) -> Fate {
        let mut context = ModelContext { now: self.current.at, rng: &mut self.rng, wake_in_s: None, trouble: None };
        let fate = self.models.judge(model, &mut self.packets[packet], &mut context);
        if let Some(trouble) = context.trouble {
            self.fail(Trouble::Broken(trouble));
        }
        fate
    }

    /// Lets an error model do a command, or, without one, what it has to do when its timer is due.
    fn use_model(&mut self, model: ModelId, command: Option<(&str, &[&str])>) -> Result<String, String> {
        let mut context = ModelContext { now: self.current.at, rng: &mut self.rng, wake_in_s: None, trouble: None };
        let result = match command {
            Some((name, arguments)) => self.models.command(model, name, arguments, &mut context),
            None => {
                self.models.timer(model, &mut context);
                Ok(String::new())
            }
        };
        let (wake_in_s, trouble) = (context.wake_in_s, context.trouble);
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        if let Some(delay_s) = wake_in_s {
            let timers = &mut self.timers;
            let timer =
                *self.models.timer_slot(model).get_or_insert_with(|| timers.add(TimerOwner::Errors(model.0, 0)));
            self.set_timer(timer, delay_s);
        }
        result
    }

    /// A command of an error model, see [`Models::command`].
    ///
    /// # Errors
    /// When the model knows no such command or cannot do it, in words.
    pub fn model_command(&mut self, model: ModelId, name: &str, arguments: &[&str]) -> Result<String, String> {
        self.use_model(model, Some((name, arguments)))
    }

    /// An error model's timer is due.
    pub(crate) fn model_timer(&mut self, model: ModelId) {
        if let Err(trouble) = self.use_model(model, None) {
            self.fail(Trouble::Broken(trouble));
        }
    }

    pub(crate) fn report_length(&mut self, monitor: MonitorId) {
        let Monitor { trace, bytes, packets, .. } = self.monitors[monitor.0 as usize];
        if let Some(trace) = trace {
            self.observer.queue_length(trace, self.current.at, bytes, packets);
        }
    }

    /// Packets of a link: waiting, on the wire, or held back by an error model.
    pub fn packets_on(&self, link: LinkId) -> usize {
        let link = &self.links[link.0 as usize];
        let taps = [Place::Head, Place::WireEnd].into_iter().flat_map(|place| link.taps(place));
        let held = taps.map(|tap| match tap {
            Tap::Errors(errors) => self.errors[errors.0 as usize].holds_packets(),
            _ => 0,
        });
        link.holds_packets() + held.sum::<usize>()
    }

    /// A packet is lost on a link.
    pub fn lose(&mut self, link: LinkId, packet: PacketId) {
        if self.pass(link, Place::Dropped, 0, packet) {
            self.packets.free(packet);
        }
    }

    /// A queue threw a packet away before it was full.
    fn lose_early(&mut self, link: LinkId, packet: PacketId) {
        if !self.links[link.0 as usize].has_taps(Place::DroppedEarly) {
            self.lose(link, packet);
        } else if self.pass(link, Place::DroppedEarly, 0, packet) {
            self.packets.free(packet);
        }
    }

    fn with_queue<R>(
        &mut self,
        link: LinkId,
        act: impl FnOnce(&mut dyn crate::queue::Discipline, &mut QueueContext) -> R,
    ) -> R {
        let id = link;
        let link = &mut self.links[id.0 as usize];
        let mut context = QueueContext {
            now: self.current.at,
            packets: &mut self.packets,
            rng: &mut self.rng,
            rate_bps: link.rate_bps(),
            delay_s: link.delay_s(),
            dropped: &mut self.dropped,
            dropped_early: &mut self.dropped_early,
            wake_in_s: None,
            trouble: &mut self.queue_trouble,
            observer: &mut *self.observer,
        };
        let result = act(link.queue_at_work(), &mut context);
        if let Some(wait_s) = context.wake_in_s {
            self.wake_queue(id, wait_s);
        }
        if let Some(trouble) = self.queue_trouble.take() {
            self.fail(Trouble::Broken(trouble));
        }
        result
    }

    fn wake_queue(&mut self, link: LinkId, wait_s: f64) {
        let timer =
            *self.links[link.0 as usize].queue_timer.get_or_insert_with(|| self.timers.add(TimerOwner::Queue(link.0)));
        if (0.0..f64::INFINITY).contains(&wait_s) {
            self.timers.set(timer, self.current.at + wait_s, &mut self.events);
        } else {
            self.fail(Trouble::Broken(format!("a queue's timer was set to go off in {wait_s} s")));
        }
    }

    /// Lets a link's queue discipline act, then loses what it threw away.
    #[inline]
    pub fn use_queue<R>(
        &mut self,
        link: LinkId,
        act: impl FnOnce(&mut dyn crate::queue::Discipline, &mut QueueContext) -> R,
    ) -> R {
        let current = self.current;
        if let Some(since) = self.links[link.0 as usize].idle_since(current) {
            self.links[link.0 as usize].queue_at_work().found_empty(since);
        }
        let result = self.with_queue(link, act);
        self.lose_dropped(link);
        result
    }

    /// A queue discipline's timer is due. One that held its packets back may let them go now.
    pub(crate) fn queue_timer(&mut self, link: LinkId) {
        self.use_queue(link, |queue, context| queue.timer(context));
        let waits = &self.links[link.0 as usize];
        if waits.deliveries.is_none() && waits.queue().len_packets() > 0 && !waits.is_busy(self.current) {
            self.dequeue(link);
        }
    }

    #[inline(always)]
    fn lose_dropped(&mut self, link: LinkId) {
        // Taken out while in use: losing a packet never makes a queue drop another one.
        if !self.dropped_early.is_empty() {
            let mut early = std::mem::take(&mut self.dropped_early);
            for packet in early.drain(..) {
                self.leaves_queue(link, packet);
                self.lose_early(link, packet);
            }
            self.dropped_early = early;
        }
        if !self.dropped.is_empty() {
            let mut dropped = std::mem::take(&mut self.dropped);
            for packet in dropped.drain(..) {
                self.leaves_queue(link, packet);
                self.lose(link, packet);
            }
            self.dropped = dropped;
        }
    }

    pub(crate) fn enqueue(&mut self, link: LinkId, packet: PacketId) {
        if !self.links[link.0 as usize].passes_unseen(self.current) {
            self.leave_to_queue(link, packet);
        } else if self.pass(link, Place::Dequeued, 0, packet) {
            self.transmit(link, packet, false);
        }
    }

    /// A packet is left to the queue.
    fn leave_to_queue(&mut self, id: LinkId, packet: PacketId) {
        self.enters_queue(id, packet);
        self.use_queue(id, |queue, context| queue.enqueue(packet, context));
        let link = &mut self.links[id.0 as usize];
        if !link.is_busy(self.current) {
            if link.deliveries.is_some() {
                self.await_delivery(id);
            } else if link.queue().answers_later() {
                let free = Key { at: self.current.at, counter: self.events.take_counter() };
                link.send_until(free, true);
                self.events.insert(free, Event::TransmitterFree(id.0));
            } else {
                self.dequeue(id);
            }
        } else if link.ends_unawaited()
            && link.queue().len_packets() > 0
            && let Some(free) = link.await_end()
        {
            self.events.insert(free, Event::TransmitterFree(id.0));
        }
    }

    /// The transmitter takes the next packet of the queue, if any. Whether there was one.
    pub(crate) fn dequeue(&mut self, link: LinkId) -> bool {
        let next = self.with_queue(link, |queue, context| queue.dequeue(context));
        self.lose_dropped(link);
        match next {
            Some(packet) => {
                self.leaves_queue(link, packet);
                if self.pass(link, Place::Dequeued, 0, packet) {
                    self.put_on_wire(link, packet);
                }
                true
            }
            None => false,
        }
    }

    /// The transmitter, or what stands in its place, takes a packet.
    pub(crate) fn put_on_wire(&mut self, id: LinkId, packet: PacketId) {
        let link = &self.links[id.0 as usize];
        if link.port.is_some() {
            self.access_medium(id, packet);
        } else {
            let is_awaited =
                link.queue().len_packets() > 0 || link.delayer.is_some() || link.queue().counts_questions();
            self.transmit(id, packet, is_awaited);
        }
    }

    /// The transmitter sends a packet. `is_awaited`: something happens when it is free again.
    #[inline(always)]
    fn transmit(&mut self, id: LinkId, packet: PacketId, is_awaited: bool) {
        let now = self.current.at;
        let size = self.packets[packet].size;
        let arrival_counter = self.events.take_counter();
        let free_counter = self.events.take_counter();
        let link = &mut self.links[id.0 as usize];
        let sending = match self.wires.remembered(link.wire, size) {
            Some(sending) => sending,
            None => {
                let (rate_bps, delay_s) = (link.rate_bps(), link.delay_s());
                link.wire = self.wires.kind_of(rate_bps, delay_s);
                self.wires.work_out(link.wire, size, (rate_bps, delay_s), &mut self.events)
            }
        };
        link.bytes_sent += size as u64;
        link.on_wire += 1;
        let on_wire_s = if link.keeps_order { link.time_in_order_s(now, sending) } else { sending.usual_s };
        let arrival = Key { at: now + on_wire_s, counter: arrival_counter };
        let free = Key { at: now + sending.transmission_s, counter: free_counter };
        link.send_until(free, is_awaited);
        let wire = link.wire;
        self.events.insert_in(sending.arrival, arrival, id.0, Some(packet));
        if is_awaited {
            let lane = match sending.end {
                LaneId::NONE => self.wires.lane_of_ends(wire, sending, &mut self.events),
                known => known,
            };
            self.events.insert_in(lane, free, id.0, None);
        }
    }

    /// A transmission ended and packets may wait.
    pub(crate) fn transmitter_free(&mut self, link: LinkId, key: Key) {
        if !self.links[link.0 as usize].ends_with(key) {
            return;
        }
        self.current = key;
        let known = &mut self.links[link.0 as usize];
        if let Some((packet, has_next)) = known.takes(&self.packets) {
            let is_awaited = has_next || known.expects_more();
            self.leaves_queue(link, packet);
            self.transmit(link, packet, is_awaited);
        } else if self.links[link.0 as usize].delayer.is_some() {
            self.links[link.0 as usize].be_idle();
            self.delayer_goes_on(link);
        } else if !self.dequeue(link) {
            let now = self.current.at;
            let link = &mut self.links[link.0 as usize];
            link.be_idle();
            link.queue_at_work().found_empty(now);
        }
    }

    /// A packet arrives: the agent it is for, or nothing when the packet goes on.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, id: LinkId, packet: PacketId, key: Key) -> Option<(AgentId, PacketId)> {
        self.current = key;
        let link = &mut self.links[id.0 as usize];
        link.on_wire -= 1;
        let record = &mut self.packets[packet];
        if link.has_taps_at_end() || record.ttl <= 1 {
            return self.reach_far_end(id, packet, Place::WireEnd, 0);
        }
        record.ttl -= 1;
        let (node, destination) = (link.to, record.dst);
        if destination.node == node as i32 {
            return self.reach_port(node, destination.port, packet);
        }
        self.forward(node, destination.node, packet);
        None
    }

    /// Takes a packet past the taps at a link's far end, from the `first`-th of `place` on, and into the node.
    fn reach_far_end(
        &mut self,
        id: LinkId,
        packet: PacketId,
        place: Place,
        first: usize,
    ) -> Option<(AgentId, PacketId)> {
        if place == Place::WireEnd {
            if !self.pass(id, Place::WireEnd, first, packet) {
                return None;
            }
            let hops_left = self.packets[packet].ttl - 1;
            if hops_left <= 0 {
                self.lose(id, packet);
                return None;
            }
            self.packets[packet].ttl = hops_left;
        }
        let first = if place == Place::Received { first } else { 0 };
        if !self.pass(id, Place::Received, first, packet) {
            return None;
        }
        let node = self.links[id.0 as usize].to;
        self.enter_node(node, packet)
    }

    /// A packet comes to a node: the agent it is for, or nothing when it goes on.
    #[inline]
    pub(crate) fn enter_node(&mut self, node: u32, packet: PacketId) -> Option<(AgentId, PacketId)> {
        let destination = self.packets[packet].dst;
        if destination.node == node as i32 {
            return self.reach_port(node, destination.port, packet);
        }
        self.forward(node, destination.node, packet);
        None
    }

    /// A packet is for this node: the agent at the port.
    #[inline(always)]
    fn reach_port(&mut self, node: u32, port: i32, packet: PacketId) -> Option<(AgentId, PacketId)> {
        match self.nodes[node as usize].at_port(port) {
            Port::Agent(agent) => return Some((agent, packet)),
            Port::Left => self.free(packet),
            Port::Free => return self.come_to_door(node, packet),
        }
        None
    }

    /// An error module lets a held packet go on.
    pub(crate) fn release(&mut self, errors: u32, key: Key) -> Option<(AgentId, PacketId)> {
        let (link, place, index, packet) = self.errors[errors as usize].release(key)?;
        self.current = key;
        match place {
            Place::Head => {
                if self.pass(link, place, index, packet) {
                    self.enqueue(link, packet);
                }
                None
            }
            Place::WireEnd | Place::Received => self.reach_far_end(link, packet, place, index),
            Place::Dequeued | Place::Dropped | Place::DroppedEarly | Place::Entry | Place::Collided => {
                unreachable!("packets are held at the head or the far end of a link")
            }
        }
    }
}
