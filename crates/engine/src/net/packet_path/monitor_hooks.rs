//! Updates of queue and flow monitors when a packet passes their hooks.
//!
//! Source: ns-2.35's `QueueMonitor` and `QueueMonitor/ED/Flowmon`. As there, a packet stores when it arrived at the
//! last queue with delay samples; without such a queue, when it was made. Packets of flows with a tagger are tagged
//! when they are counted.

use crate::measure::flow::Count;
use crate::measure::monitor::{DelaySamples, Flow, Monitor, MonitorId, TableId};
use crate::measure::tagger::Tagger;
use crate::net::{Network, rare_news};
use crate::packet::flow_key::Key;
use crate::packet::{PacketId, flag};

impl Network {
    /// Counts a packet in a monitor, and in the monitor of its flow.
    pub(crate) fn count(&mut self, monitor: MonitorId, what: Count, packet: PacketId) {
        self.count_in(monitor, what, packet);
        let Monitor { flows: Some(table), forwards, fresh_tagger, .. } = self.monitors[monitor.0 as usize] else {
            return;
        };
        let is_wanted = match what {
            Count::Arrival => forwards.arrivals,
            Count::Departure => forwards.departures,
            Count::Drop => forwards.drops,
            Count::EarlyDrop => forwards.early_drops,
            Count::PolicedDrop => true,
        };
        if is_wanted && let Some(single) = self.monitor_of_flow(table, fresh_tagger, packet) {
            self.monitors[single.0 as usize].flow = Some(Flow::of(&self.packets[packet]));
            if what == Count::Arrival {
                self.tag(single, packet);
            }
            self.count_in(single, what, packet);
        }
    }

    fn tag(&mut self, monitor: MonitorId, packet: PacketId) {
        let now = self.now();
        let packet = &mut self.packets[packet];
        if let Some(tagger) = &mut self.monitors[monitor.0 as usize].tagger
            && tagger.is_in(packet.size, now)
        {
            packet.flags |= flag::PRIORITY;
        }
    }

    fn count_in(&mut self, monitor: MonitorId, what: Count, packet: PacketId) {
        let now = self.now();
        if what == Count::Arrival && self.monitors[monitor.0 as usize].delay.is_some() {
            self.packets[packet].queued_at = now;
        }
        let (counts, packet) = (&mut self.monitors[monitor.0 as usize], &self.packets[packet]);
        match what {
            Count::Arrival => counts.arrival(now, packet),
            Count::Departure => counts.departure(now, packet),
            Count::Drop => counts.drop(now, packet),
            Count::EarlyDrop => {
                counts.early_packets += 1;
                counts.early_bytes = counts.early_bytes.wrapping_add(packet.size);
                counts.drop(now, packet);
            }
            Count::PolicedDrop => {
                counts.policed_packets += 1;
                counts.policed_bytes = counts.policed_bytes.wrapping_add(packet.size);
                counts.drop(now, packet);
            }
        }
        self.report_length(monitor);
    }

    fn monitor_of_flow(&mut self, table: TableId, tagger: Option<Tagger>, packet: PacketId) -> Option<MonitorId> {
        let flow = Flow::of(&self.packets[packet]);
        let flows = &mut self.flow_tables[table.0 as usize];
        let known = flows.find(flow.src, flow.dst, flow.fid);
        if known.is_some() || flows.key == Key::Destination {
            return known;
        }
        let fresh = MonitorId(self.monitors.len() as u32);
        flows.meet(flow, fresh);
        self.monitors.push(Monitor { delay: Some(DelaySamples::default()), tagger, ..Monitor::default() });
        self.rare_news |= rare_news::FRESH_FLOWS;
        self.has_news = true;
        Some(fresh)
    }
}
