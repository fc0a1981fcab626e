//! How a trace-driven link sends ([`crate::net::link::trace_driven`]).

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::Network;
use crate::net::link::trace_driven::DeliveryTrace;
use crate::net::link::{HookPoint, LinkId};
use crate::packet::PacketId;

impl Network {
    /// Lets a link send only at these opportunities.
    pub fn set_delivery_trace(&mut self, id: LinkId, mut delivery_trace: DeliveryTrace) {
        delivery_trace.timer = Some(self.add_timer(TimerOwner::DeliveryTrace(id.0)));
        self.links[id.0 as usize].put_delivery_trace(delivery_trace);
    }

    /// Schedules the next opportunity if a packet waits. The transmitter is busy until then.
    pub(crate) fn await_delivery(&mut self, id: LinkId) {
        let now = self.now();
        let link = &mut self.links[id.0 as usize];
        let is_empty = link.queue().len_packets() == 0;
        let Some(delivery_trace) = link.delivery_trace_mut() else { return };
        let Some(timer) = delivery_trace.timer.filter(|_| !is_empty || delivery_trace.begun.is_some()) else { return };
        let at = delivery_trace.after(now);
        // A scheduled end keeps the transmitter busy for all arrivals.
        link.send_until(Key { at, counter: 0 }, true);
        self.timers.set(timer, at, &mut self.events);
    }

    /// One or more opportunities are due.
    pub(crate) fn deliver_due(&mut self, id: LinkId) {
        let now = self.now();
        let index = id.0 as usize;
        self.links[index].be_idle();
        let Some(delivery_trace) = self.links[index].delivery_trace_mut() else { return };
        let mut bytes = delivery_trace.take_due(now);
        let mut begun = delivery_trace.begun.take();
        while bytes > 0 {
            let next = begun.take().or_else(|| {
                let packet = self.take_from_queue(id)?;
                self.keep_busy(id, packet);
                Some((packet, i64::from(self.packets[packet].size)))
            });
            let Some((packet, left)) = next else {
                self.links[index].queue_at_work().found_empty(now);
                break;
            };
            let sent = bytes.min(left);
            bytes -= sent;
            if sent < left {
                begun = Some((packet, left - sent));
            } else {
                self.leave(id, packet);
            }
        }
        if let Some(delivery_trace) = self.links[index].delivery_trace_mut() {
            delivery_trace.begun = begun;
        }
        self.await_delivery(id);
    }

    /// Dequeues the next packet that passes the hooks behind the queue, and counts it as sent.
    pub(super) fn take_from_queue(&mut self, id: LinkId) -> Option<PacketId> {
        loop {
            let packet = self.use_queue(id, |queue, context| queue.dequeue(context))?;
            self.leaves_queue(id, self.packets[packet].size);
            if self.pass(id, HookPoint::Dequeued, 0, packet) {
                self.count_leave(id, packet);
                let bytes = self.packets[packet].size;
                self.links[id.0 as usize].count_sent(bytes);
                return Some(packet);
            }
        }
    }

    /// The transmitter counts as busy for the time that a packet would take at the link's rate.
    fn keep_busy(&mut self, id: LinkId, packet: PacketId) {
        let (now_s, bytes) = (self.now().secs(), self.packets[packet].size);
        let link = &mut self.links[id.0 as usize];
        let transmission_s = link.transmission_s(bytes);
        if let Some(delivery_trace) = link.delivery_trace_mut() {
            delivery_trace.busy_until_s = now_s + transmission_s;
        }
    }

    /// Puts a packet on the wire after its last byte was sent.
    fn leave(&mut self, id: LinkId, packet: PacketId) {
        let link = &mut self.links[id.0 as usize];
        link.on_wire += 1;
        let delay_s = link.delay_s();
        let arrival = Key { at: self.now() + delay_s, counter: self.events.take_counter() };
        self.events.insert(arrival, Event::Arrive(id.0, packet));
    }
}
