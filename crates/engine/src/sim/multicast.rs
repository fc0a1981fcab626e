//! Multicast packets that wait for an agent or for an answer of the caller ([`crate::net::multicast`]).

use std::ops::ControlFlow;

use super::{Simulation, Stop};
use crate::net::multicast::{Question, ReplicatorId, Rest, Step, Waiting};
use crate::net::rare_news;

impl Simulation {
    /// Handles what is rare between two events. `Continue`: something was done; look again. `Break`: a reason to stop, or
    /// nothing was to be done.
    #[cold]
    pub(super) fn handle_rare_news(&mut self) -> ControlFlow<Option<Stop>> {
        if self.net.rare_news & rare_news::MULTICAST != 0 {
            if let Some(waiting) = self.net.multicast.begin_first() {
                let stop = self.take_step(waiting);
                self.settle();
                return stop.map_or(ControlFlow::Continue(()), |stop| ControlFlow::Break(Some(stop)));
            }
            if let Some((rest, count)) = self.net.multicast.close() {
                self.end_delivery(rest, count);
                self.settle();
                return ControlFlow::Continue(());
            }
            if self.net.multicast.last_asked().is_none() && self.net.multicast.open() == 0 {
                self.net.rare_news &= !rare_news::MULTICAST;
            }
        }
        if self.net.rare_news & rare_news::FRESH_FLOWS != 0 {
            self.net.rare_news &= !rare_news::FRESH_FLOWS;
            return ControlFlow::Break(Some(Stop::FreshFlows));
        }
        if self.net.rare_news & rare_news::LINES != 0 {
            self.net.rare_news &= !rare_news::LINES;
            return ControlFlow::Break(Some(Stop::Lines));
        }
        ControlFlow::Break(None)
    }

    fn take_step(&mut self, waiting: Waiting) -> Option<Stop> {
        let count = self.net.events.count_from(waiting.counter);
        match waiting.step {
            Step::Ask { .. } => {
                self.net.multicast.ask(waiting, count);
                return Some(Stop::Multicast);
            }
            Step::Deliver { agent, packet, uid, then } => {
                let next_uid = uid.map(|uid| self.net.packets.swap_next_uid(uid));
                self.agents[agent.0 as usize].receive(packet, &mut self.net);
                if let Some(next) = next_uid {
                    self.net.packets.swap_next_uid(next);
                }
                self.settle();
                if self.upcalls.is_empty() {
                    self.end_delivery(then, count);
                } else {
                    self.net.multicast.keep_open(then, count);
                }
                return None;
            }
            Step::SendRest { agent, bytes, is_new_burst } => {
                let flags = if is_new_burst { "NEW_BURST" } else { "" };
                self.agents[agent.0 as usize].send_bytes(Some(bytes), flags, &mut self.net);
            }
            step => self.net.resume(step),
        }
        self.net.multicast.end_first();
        self.net.events.count_from(count);
        None
    }

    /// An agent has received its copy, and the caller has heard what it had to tell.
    fn end_delivery(&mut self, rest: Option<Rest>, count: u64) {
        if let Some(rest) = rest {
            self.net.copy_rest(rest);
        }
        self.net.multicast.end_first();
        self.net.events.count_from(count);
    }

    /// Number of deliveries of multicast packets that are not over, since the caller still hears of them.
    pub fn open_deliveries(&self) -> usize {
        self.net.multicast.open()
    }

    /// Goes on with multicast packets that wait, without any further event: a reason to stop, or `None` if none waits.
    /// For a caller that has let an agent or an application send, and wants to see what comes of it at once.
    /// `keeps_open`: the number of open deliveries when it did so.
    pub fn settle_multicast(&mut self, keeps_open: usize) -> Option<Stop> {
        if self.net.rare_news & rare_news::MULTICAST == 0 {
            return None;
        }
        self.net.multicast.keeps_open = keeps_open;
        let stop = self.reason_to_stop();
        self.net.multicast.keeps_open = 0;
        stop
    }

    /// The question of [`Stop::Multicast`].
    pub fn multicast_question(&self) -> Option<Question> {
        match self.net.multicast.last_asked()?.step {
            Step::Ask { question, .. } => Some(question),
            _ => None,
        }
    }

    /// Answers it. `again`: look the packet up again; `which`: the replicator and the packet's upstream router, for a
    /// table that always asks. Otherwise the packet is discarded.
    pub fn answer_multicast(&mut self, again: bool, which: Option<(ReplicatorId, i32)>) {
        let Some((waiting, count)) = self.net.multicast.take_asked() else { return };
        self.net.answered(waiting, again, which);
        self.net.multicast.end_first();
        self.net.events.count_from(count);
        self.settle();
    }
}
