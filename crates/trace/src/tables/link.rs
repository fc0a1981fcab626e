//! A link's rows, from its counters and statistics.

use ackclock_engine::measure::link_stats::{LinkStats, QueueStats, QueueTotals};
use ackclock_engine::net::Network;
use ackclock_engine::net::link::{Link, LinkId};

use crate::columns::{PARTS, Rows};

/// A link of the tables.
pub struct LinkTotals {
    id: LinkId,
    sampled_bytes: u64,
    sampled_drops: u64,
}

impl LinkTotals {
    /// The link `id`, which is measured.
    pub fn new(id: LinkId) -> LinkTotals {
        LinkTotals { id, sampled_bytes: 0, sampled_drops: 0 }
    }

    fn link<'a>(&self, net: &'a Network) -> (&'a Link, &'a LinkStats) {
        (&net.links[self.id.0 as usize], &net.link_stats[self.id.0 as usize])
    }

    /// Its nodes: start and end.
    pub fn nodes(&self, net: &Network) -> (i32, i32) {
        let link = self.link(net).0;
        (link.from as i32, link.to as i32)
    }

    /// Appends a row of the series for the interval of `interval_s` that ends at `at_s`.
    pub fn sample(&mut self, number: u32, at_s: f64, interval_s: f64, net: &Network, rows: &mut Rows) {
        let (link, stats) = self.link(net);
        let (packets, bytes) = (link.queue().len_packets() as u64, link.queue().len_bytes());
        let drops = stats.dropped.packets + stats.lost.packets;
        rows.real("time_s", at_s)
            .number("link", number)
            .count("queue_packets", packets)
            .count("queue_bytes", bytes.max(0) as u64)
            .real("throughput_bps", (link.bytes_sent - self.sampled_bytes) as f64 * 8.0 / interval_s)
            .count("drops_packets", drops - self.sampled_drops)
            .end();
        (self.sampled_bytes, self.sampled_drops) = (link.bytes_sent, drops);
    }

    /// Appends the row of the table of links. `on_wires`: the bytes on the wire of each link.
    pub fn finish(&self, number: u32, now_s: f64, on_wires: &[u64], net: &mut Network, rows: &mut Rows) {
        let [offered, arrived, received] = net.link_tallies(self.id, on_wires[self.id.0 as usize]);
        let holds = net.packets_on(self.id) as u64;
        let (link, stats) = (&net.links[self.id.0 as usize], &mut net.link_stats[self.id.0 as usize]);
        let mut unused = QueueStats::default();
        let queue = stats.queue.as_deref_mut().unwrap_or(&mut unused);
        let QueueTotals { length, max_bytes, bytes_integral, waits, marked } = queue.finish(now_s, link.packets_sent);
        let lasted = |value: f64| (now_s > 0.0).then(|| value / now_s);
        let [p50, p95, p99] = PARTS.map(|part| length.quantile(part));
        let [w50, w95, w99] = waits.quantiles(PARTS);
        rows.number("link", number)
            .integer("from_node", link.from as i32)
            .integer("to_node", link.to as i32)
            .count("offered_packets", offered.packets)
            .count("offered_bytes", offered.bytes)
            .count("arrived_packets", arrived.packets)
            .count("arrived_bytes", arrived.bytes)
            .count("departed_packets", link.packets_sent)
            .count("departed_bytes", link.bytes_sent)
            .count("received_packets", received.packets)
            .count("received_bytes", received.bytes)
            .count("dropped_packets", stats.dropped.packets)
            .count("dropped_bytes", stats.dropped.bytes)
            .count("lost_packets", stats.lost.packets)
            .count("lost_bytes", stats.lost.bytes)
            .count("marked_packets", marked)
            .count("in_transit_packets", holds)
            .real("throughput_bps", lasted((link.bytes_sent * 8) as f64))
            .real("utilisation", lasted(link.busy_s(now_s)))
            .real("queue_mean_packets", length.mean())
            .real("queue_p50_packets", p50)
            .real("queue_p95_packets", p95)
            .real("queue_p99_packets", p99)
            .count("queue_max_packets", length.max() as u64)
            .real("queue_mean_bytes", lasted(bytes_integral))
            .count("queue_max_bytes", max_bytes)
            .real("queueing_delay_mean_s", waits.mean())
            .real("queueing_delay_p50_s", w50)
            .real("queueing_delay_p95_s", w95)
            .real("queueing_delay_p99_s", w99)
            .real("queueing_delay_max_s", waits.max())
            .end();
    }
}
