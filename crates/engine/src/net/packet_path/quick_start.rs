//! What a Quick-Start router does to packets ([`crate::net::quick_start`]).

use crate::event::timer::TimerOwner;
use crate::net::Network;
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::net::quick_start::{Measuring, Port, PortId, Router, RouterId};
use crate::packet::PacketId;
use crate::packet::header::{Header, QuickStartKind, QuickStartOption};
use crate::time::Time;

impl Network {
    /// Adds a Quick-Start router; [`Network::start_quick_start`] starts its timer.
    pub fn add_quick_start_router(&mut self) -> RouterId {
        let id = RouterId(self.quick_start.routers.len() as u32);
        let timer = self.add_timer(TimerOwner::QuickStart(id.0));
        self.quick_start.routers.push(Router {
            enabled: true,
            algorithm: 3,
            state_delay: 0.2,
            alloc_rate: 0.85,
            threshold: 0.85,
            max_rate: 256,
            mss: 1000,
            agreed: 0.0,
            agreed_before: 0.0,
            timer,
        });
        id
    }

    /// Starts the timer that removes old approved rates.
    pub fn start_quick_start(&mut self, router: RouterId) {
        let Router { timer, state_delay, .. } = self.quick_start.routers[router.0 as usize];
        self.set_timer(timer, state_delay);
    }

    /// Lets a router process the requests on a link, and measure the link's utilisation.
    pub fn put_quick_start(&mut self, router: RouterId, link: LinkId, by: Measuring) {
        let port = Hook::QuickStart(PortId(self.quick_start.ports.len() as u32));
        self.quick_start.ports.push(Port::new(router, by));
        self.links[link.0 as usize].add_hook(HookPoint::Head, Some(0), port);
        self.links[link.0 as usize].add_hook(HookPoint::Dequeued, Some(0), port);
    }

    pub(crate) fn quick_start_timer(&mut self, router: RouterId) {
        let forgetful = &mut self.quick_start.routers[router.0 as usize];
        forgetful.agreed_before = std::mem::take(&mut forgetful.agreed);
        self.start_quick_start(router);
    }

    /// A packet passes a link of a Quick-Start router. Before the queue a request is processed; behind it the
    /// utilisation is measured.
    pub(crate) fn pass_quick_start(&mut self, id: PortId, link: LinkId, place: HookPoint, packet: PacketId) {
        let now = self.current.at;
        let port = &mut self.quick_start.ports[id.0 as usize];
        if place == HookPoint::Dequeued {
            if port.busy_to < now || port.busy_to == Time::ZERO {
                port.measure_idle(now);
            }
            port.busy_to = now + self.links[link.0 as usize].transmission_s(self.packets[packet].size);
        } else if let Some(&Header::QuickStart(option)) = self.packets.header(packet)
            && self.quick_start.routers[port.router.0 as usize].enabled
            && option.kind == QuickStartKind::Request
            && option.rate_code > 0
        {
            let judged = self.judge_request(id, link, option);
            self.packets.set_header(packet, Header::QuickStart(judged));
        }
    }

    fn judge_request(&mut self, id: PortId, link: LinkId, option: QuickStartOption) -> QuickStartOption {
        let wanted = self.quick_start.rate(option.rate_code);
        let (now, link) = (self.current, &self.links[link.0 as usize]);
        let port = &mut self.quick_start.ports[id.0 as usize];
        if link.is_busy(now) {
            port.measure(now.at, true);
        } else {
            port.measure_idle(now.at);
        }
        let (mean, peak) = (port.mean, port.peak());
        let given = self.quick_start.routers[port.router.0 as usize].agree(wanted, link.rate_bps(), mean, peak);
        if given > 0.0 {
            QuickStartOption { hops: option.hops - 1, rate_code: self.quick_start.code(given), ..option }
        } else {
            QuickStartOption { kind: QuickStartKind::Refused, rate_code: 0, ..option }
        }
    }
}
