//! Hooks on a link: traces, monitors and error modules that see each packet at a point of the link.

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::loss::{Fate, ModelContext, ModelId};
use crate::measure::flow::Count;
use crate::measure::monitor::{Monitor, MonitorId};
use crate::measure::observe::{Passing, TraceId};
use crate::net::link::error_module::{Judge, Resume};
use crate::net::link::{ErrorsId, Hook, HookPoint, LinkId};
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError, rare_news};
use crate::packet::PacketId;
use crate::random::rng::Source;
use crate::time::Time;

/// Where a packet continues after a hook: link, hook point, index of the next hook at this point.
type Behind = (LinkId, HookPoint, usize);

impl Network {
    /// Runs the hooks of a point, from index `first` on. False if a hook took the packet.
    #[inline(always)]
    pub(crate) fn pass(&mut self, link: LinkId, place: HookPoint, first: usize, packet: PacketId) -> bool {
        !self.links[link.0 as usize].has_hooks(place) || self.pass_hooks(link, place, first, packet)
    }

    fn pass_hooks(&mut self, link: LinkId, place: HookPoint, first: usize, packet: PacketId) -> bool {
        let mut index = first;
        while let Some(&hook) = self.links[link.0 as usize].hooks(place).get(index) {
            index += 1;
            // Most hooks are traces, and a small function is faster to call.
            let passes = match hook {
                Hook::Trace(trace) => {
                    self.notify_observer(trace, packet);
                    true
                }
                Hook::Errors(errors) => self.pass_errors(errors, (link, place, index), packet),
                _ => self.pass_hook(hook, (link, place, index), packet),
            };
            if !passes {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    pub(super) fn notify_observer(&mut self, trace: TraceId, packet: PacketId) {
        let passing = Passing { packet: &self.packets[packet], pool: &self.packets };
        self.observer.packet(trace, self.current.at, passing);
    }

    /// Runs one hook. `index` is that of the next hook. False if the hook took the packet.
    #[inline(never)]
    fn pass_hook(&mut self, hook: Hook, (link, place, index): Behind, packet: PacketId) -> bool {
        match hook {
            Hook::Trace(trace) => self.notify_observer(trace, packet),
            Hook::Gate => {
                if !self.links[link.0 as usize].is_up {
                    self.refuse(link, packet);
                    return false;
                }
            }
            Hook::Delayer => {
                self.delay(link, index, packet);
                return false;
            }
            Hook::Count => self.count_end(link, place, packet),
            Hook::QuickStart(port) => self.pass_quick_start(port, link, place, packet),
            Hook::Tell => {
                self.rare_news |= rare_news::LINES;
                self.has_news = true;
            }
            Hook::Interface(label) => self.packets[packet].interface = label + 1,
            Hook::CountArrival(monitor) => self.count(monitor, Count::Arrival, packet),
            Hook::CountDeparture(monitor) => self.count(monitor, Count::Departure, packet),
            Hook::CountDrop(monitor) => self.count(monitor, Count::Drop, packet),
            Hook::CountPolicedDrop(monitor) => self.count(monitor, Count::PolicedDrop, packet),
            Hook::CountEarlyDrop(monitor) => self.count(monitor, Count::EarlyDrop, packet),
            Hook::Errors(errors) => return self.pass_errors(errors, (link, place, index), packet),
            Hook::Part(part) => {
                self.enter_part(part, link, place, packet);
                return false;
            }
        }
        true
    }

    /// Runs an error module. False if the packet is lost or held back.
    #[inline(always)]
    fn pass_errors(&mut self, errors: ErrorsId, behind: Behind, packet: PacketId) -> bool {
        let fate = self.judge_at(errors, packet);
        matches!(fate, Fate::Pass) || self.meet_fate(fate, errors, behind, packet)
    }

    /// The decision of an error module on a packet.
    #[inline(never)]
    pub(super) fn judge_at(&mut self, errors: ErrorsId, packet: PacketId) -> Fate {
        let known = &mut self.packets[packet];
        let model = match self.errors[errors.0 as usize].judge_of(known) {
            Judge::Model(model) => model,
            Judge::Pass => return Fate::Pass,
            Judge::Missing => {
                let flow = format!("s:{}, d:{}, fid:{}", known.src.node, known.dst.node, known.fid);
                let error =
                    format!("an error module has no model for the flow {flow}, and no default; ns-2 stops there");
                self.fail(SimulationError::Broken(error));
                return Fate::Vanish;
            }
        };
        let mut context = ModelContext {
            now: self.current.at,
            rng: self.rng.of(Source::Loss(model.0)),
            wake_in_s: None,
            error: None,
        };
        let fate = self.models.judge(model, known, &mut context);
        if let Some(error) = context.error {
            self.fail(SimulationError::Broken(error));
        }
        fate
    }

    /// Applies the decision of an error module. False if the packet does not continue now.
    #[cold]
    fn meet_fate(&mut self, fate: Fate, errors: ErrorsId, (link, place, index): Behind, packet: PacketId) -> bool {
        if place == HookPoint::Dequeued {
            self.lose_before_link(link, errors, packet);
            return false;
        }
        match fate {
            Fate::Pass => return true,
            Fate::Vanish => self.packets.free(packet),
            Fate::Drop => self.lose(link, packet),
            Fate::Hold { until } => self.hold(errors, Resume::Hook(link, place, index), packet, until),
            Fate::Double => {
                let copy = self.packets.copy(packet);
                self.hold(errors, Resume::Hook(link, place, index), copy, self.current.at);
                return true;
            }
        }
        false
    }

    /// An error module holds a packet back.
    pub(super) fn hold(&mut self, errors: ErrorsId, resume: Resume, packet: PacketId, until: Time) {
        let key = Key { at: until, counter: self.events.take_counter() };
        self.errors[errors.0 as usize].hold(resume, packet, key);
        self.events.insert(key, Event::Release(errors.0));
    }

    /// A packet is lost between the queue and the transmitter. The transmitter asks the queue for the next packet
    /// after a random part of the packet's transmission time at the rate of the error model. ns-2 did so up to 2.31,
    /// where error models were at this point.
    fn lose_before_link(&mut self, link: LinkId, errors: ErrorsId, packet: PacketId) {
        self.free_after_loss(link, errors, packet);
        self.count_dropped(link, packet);
        self.discard(link, packet);
    }

    /// The transmitter asks the queue for the next packet after a random part of the lost packet's transmission time.
    pub(super) fn free_after_loss(&mut self, link: LinkId, errors: ErrorsId, packet: PacketId) {
        let size = self.packets[packet].size;
        if let Judge::Model(model) = self.errors[errors.0 as usize].judge_of(&self.packets[packet]) {
            let most_s = 8.0 * f64::from(size) / self.models.rate_bps(model);
            let free_at = self.current.at + most_s * self.rng.of(Source::Loss(model.0)).unit();
            let free = Key { at: free_at, counter: self.events.take_counter() };
            self.links[link.0 as usize].lose_until(free);
            self.events.insert(free, Event::TransmitterFree(link.0));
        }
    }

    /// Whether the error model for a packet lets the queue go on that it takes a packet from. As in ns-2, one that marks
    /// or delays packets never does.
    pub(super) fn resumes_queue(&self, errors: ErrorsId, packet: PacketId) -> bool {
        match self.errors[errors.0 as usize].judge_of(&self.packets[packet]) {
            Judge::Model(model) => !self.models.marks_or_delays(model),
            Judge::Missing | Judge::Pass => false,
        }
    }

    /// Runs a command of an error model, or its timer handler if `command` is `None`.
    fn use_model(&mut self, model: ModelId, command: Option<(&str, &[&str])>) -> Result<String, String> {
        let mut context = ModelContext {
            now: self.current.at,
            rng: self.rng.of(Source::Loss(model.0)),
            wake_in_s: None,
            error: None,
        };
        let result = match command {
            Some((name, arguments)) => self.models.command(model, name, arguments, &mut context),
            None => {
                self.models.timer(model, &mut context);
                Ok(String::new())
            }
        };
        let (wake_in_s, error) = (context.wake_in_s, context.error);
        if let Some(error) = error {
            return Err(error);
        }
        if let Some(delay_s) = wake_in_s {
            let timers = &mut self.timers;
            let timer =
                *self.models.timer_slot(model).get_or_insert_with(|| timers.add(TimerOwner::Errors(model.0, 0)));
            self.set_timer(timer, delay_s);
        }
        result
    }

    /// Runs a command of an error model, see [`crate::loss::Models::command`].
    ///
    /// # Errors
    /// When the model does not have this command, or the command fails.
    pub fn model_command(&mut self, model: ModelId, name: &str, arguments: &[&str]) -> Result<String, String> {
        self.use_model(model, Some((name, arguments)))
    }

    /// The timer of an error model expires.
    pub(crate) fn model_timer(&mut self, model: ModelId) {
        if let Err(error) = self.use_model(model, None) {
            self.fail(SimulationError::Broken(error));
        }
    }

    pub(crate) fn report_length(&mut self, monitor: MonitorId) {
        let Monitor { trace, bytes, packets, .. } = self.monitors[monitor.0 as usize];
        if let Some(trace) = trace {
            self.observer.queue_length(trace, self.current.at, bytes, packets);
        }
    }

    /// An error module releases a held packet.
    pub(crate) fn release(&mut self, errors: u32, key: Key) -> Option<(AgentId, PacketId)> {
        let (resume, packet) = self.errors[errors as usize].release(key)?;
        self.current = key;
        let (link, place, index) = match resume {
            Resume::Hook(link, place, index) => (link, place, index),
            Resume::Part(part) => {
                self.leave_part(part, packet, None);
                return None;
            }
        };
        match place {
            HookPoint::Head => {
                if self.pass(link, place, index, packet) {
                    self.enqueue(link, packet);
                }
                None
            }
            HookPoint::WireEnd | HookPoint::Received => Some((self.reach_far_end(link, packet, place, index)?, packet)),
            HookPoint::Dequeued
            | HookPoint::Dropped
            | HookPoint::DroppedEarly
            | HookPoint::Policed
            | HookPoint::Entry
            | HookPoint::Collided => {
                unreachable!("packets are held at the head or the far end of a link")
            }
        }
    }
}
