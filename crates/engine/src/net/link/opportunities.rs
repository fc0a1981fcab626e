//! What a link does whose [`DeliveryTrace`] say when it can send: it waits for the next
//! opportunity while anything waits, and sends what fits into those that are due.

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::Network;
use crate::net::link::trace_driven::DeliveryTrace;
use crate::net::link::{HookPoint, LinkId};
use crate::packet::PacketId;

impl Network {
    /// From now on a link sends only at these opportunities.
    pub fn set_deliveries(&mut self, id: LinkId, mut deliveries: DeliveryTrace) {
        deliveries.timer = Some(self.add_timer(TimerOwner::Deliveries(id.0)));
        self.links[id.0 as usize].put_deliveries(deliveries);
    }

    /// Something waits: the transmitter is busy until the next opportunity.
    pub(crate) fn await_delivery(&mut self, id: LinkId) {
        let now = self.now();
        let link = &mut self.links[id.0 as usize];
        let is_empty = link.queue().len_packets() == 0;
        let Some(deliveries) = link.deliveries_mut() else { return };
        let Some(timer) = deliveries.timer.filter(|_| !is_empty || deliveries.begun.is_some()) else { return };
        let at = deliveries.after(now);
        // As long as that is awaited, the transmitter is busy for everybody.
        link.send_until(Key { at, counter: 0 }, true);
        self.timers.set(timer, at, &mut self.events);
    }

    /// Opportunities are due.
    pub(crate) fn deliver_due(&mut self, id: LinkId) {
        let now = self.now();
        let index = id.0 as usize;
        self.links[index].be_idle();
        let Some(deliveries) = self.links[index].deliveries_mut() else { return };
        let mut bytes = deliveries.take_due(now);
        let mut begun = deliveries.begun.take();
        while bytes > 0 {
            let next = begun.take().or_else(|| {
                let packet = self.next_of(id)?;
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
        if let Some(deliveries) = self.links[index].deliveries_mut() {
            deliveries.begun = begun;
        }
        self.await_delivery(id);
    }

    /// The next packet of the queue that passes what stands behind it.
    fn next_of(&mut self, id: LinkId) -> Option<PacketId> {
        loop {
            let packet = self.use_queue(id, |queue, context| queue.dequeue(context))?;
            self.leaves_queue(id, self.packets[packet].size);
            if self.pass(id, HookPoint::Dequeued, 0, packet) {
                return Some(packet);
            }
        }
    }

    /// A packet's last byte is on the wire.
    fn leave(&mut self, id: LinkId, packet: PacketId) {
        let link = &mut self.links[id.0 as usize];
        link.bytes_sent += self.packets[packet].size as u64;
        link.on_wire += 1;
        let delay_s = link.delay_s();
        let arrival = Key { at: self.now() + delay_s, counter: self.events.take_counter() };
        self.events.insert(arrival, Event::Arrive(id.0, packet));
    }
}
