//! Run-time checks of invariants: a simulation that violates one stops with an error.
//!
//! - Packet conservation: each allocated packet is in a queue, on a wire, or in another component that counts its
//!   packets ([`Network::packets_held`]). If a packet is lost or is in two places, the two counts differ.
//! - A queue returns the packets and bytes that it got, less those that it reports as dropped ([`QueueAccount`]). It
//!   does not exceed its limit ([`crate::queue::QueueLimit`]).
//! - Time does not go back, and advances ([`InvariantChecker`]).
//! - A sender's window and threshold are valid numbers, and it sends no new data beyond its window
//!   ([`Connection::is_within_window`], [`Agent::violation`]).
//!
//! Invariants of one event are checked at that event. Sums over all links and agents are checked periodically and at
//! the end; this costs less than 1 % of the time.
//!
//! [`Connection::is_within_window`]: crate::transport::one_way::connection::Connection::is_within_window
//! [`Agent::violation`]: crate::transport::agent::Agent::violation

use crate::net::Network;
use crate::net::link::{Link, LinkId};
use crate::packet::PacketPool;
use crate::queue::QueueLimit;
use crate::queue::accounting::QueueAccount;
use crate::time::Time;

/// Events between two checks that time advances.
const EVENTS_BETWEEN: u64 = 1 << 16;

/// Events between two checks of all invariants, per link and agent.
const EVENTS_PER_PART: u64 = 128;

/// The default limit of events at one instant; more are taken for an endless loop. 10,000 senders that start at the
/// same time with a window of 10 packets need less than 1,000,000.
pub const MAX_EVENTS_AT_ONE_TIME: u64 = 10_000_000;

/// Schedules the checks, and checks that time advances.
#[derive(Clone, Copy, Debug)]
pub struct InvariantChecker {
    /// Events until the next check of time.
    left: u64,
    /// Events until the next check of all invariants, less `left`.
    until_sum: u64,
    /// Time at the last check.
    seen_at: Time,
    /// Approximate number of events at that time.
    still: u64,
    /// Maximum number of events at one instant.
    pub most_at_one_time: u64,
}

impl Default for InvariantChecker {
    fn default() -> InvariantChecker {
        InvariantChecker {
            left: EVENTS_BETWEEN,
            until_sum: 0,
            seen_at: Time(-1.0),
            still: 0,
            most_at_one_time: MAX_EVENTS_AT_ONE_TIME,
        }
    }
}

impl InvariantChecker {
    /// How many of `wanted` events may be handled before the next check.
    pub(crate) fn next(&self, wanted: u64) -> u64 {
        wanted.min(self.left)
    }

    /// Counts handled events; returns whether a check is due.
    pub(crate) fn count(&mut self, events: u64) -> bool {
        self.left -= events;
        self.left == 0
    }

    /// Returns whether the check of all invariants is due, or an error if time does not advance. `parts` is the number
    /// of links and agents.
    pub(crate) fn look(&mut self, now: Time, parts: usize) -> Result<bool, String> {
        self.left = EVENTS_BETWEEN.min(self.most_at_one_time.max(1));
        self.still = if now == self.seen_at { self.still + self.left } else { 0 };
        self.seen_at = now;
        if self.still >= self.most_at_one_time {
            return Err(format!(
                "time does not advance: more than {} events at {} s, the limit at one instant",
                self.most_at_one_time,
                now.secs()
            ));
        }
        self.until_sum = self.until_sum.saturating_sub(self.left);
        let is_due = self.until_sum == 0;
        if is_due {
            self.until_sum = EVENTS_PER_PART * parts as u64;
        }
        Ok(is_due)
    }
}

impl Network {
    /// A packet of this size enters a queue.
    #[inline(always)]
    pub(crate) fn enters_queue(&mut self, link: LinkId, bytes: i32) {
        self.links[link.0 as usize].account.add(bytes);
    }

    /// A packet of this size leaves a queue, or is dropped by it.
    #[inline(always)]
    pub(crate) fn leaves_queue(&mut self, link: LinkId, bytes: i32) {
        self.links[link.0 as usize].account.remove(bytes);
    }

    /// Number of packets in queues, on wires and media, in token buckets and delay boxes, and between agents of one
    /// node.
    pub fn packets_held(&self) -> usize {
        let links = self.links.iter().map(|link| {
            let delayed = link.delayer().is_some_and(|delayer| delayer.held.is_some());
            let port = link.port().map_or(0, |port| port.holds_packets());
            link.holds_packets() + usize::from(delayed) + port
        });
        let errors = self.errors.iter().map(|module| module.holds_packets());
        let buckets = self.buckets.iter().map(|bucket| bucket.holds_packets());
        let waiting = self.local.len() + self.multicast.holds_packets() + self.packets.inside();
        let elsewhere = self.lan_steps.holds_packets() + self.delay_boxes.holds_packets() + waiting;
        links.chain(errors).chain(buckets).sum::<usize>() + elsewhere
    }

    /// The first violated invariant. `by_agents`: number of packets that agents hold.
    pub(crate) fn violation(&mut self, by_agents: usize) -> Option<String> {
        let now_s = self.now().secs();
        if now_s.is_nan() || now_s < 0.0 {
            return Some(format!("the clock shows {now_s} s"));
        }
        for number in 0..self.links.len() {
            if let Some(what) = self.links[number].violation(&self.packets) {
                let Link { from, to, .. } = self.links[number];
                return Some(format!("the queue of the link from node {from} to node {to} {what}"));
            }
        }
        let (alive, held) = (self.packets.alive(), self.packets_held() + by_agents);
        (alive != held).then(|| format!("{alive} packets were made and have not ended, and {held} are somewhere"))
    }
}

impl Link {
    /// The violated invariant of the queue, if any.
    fn violation(&mut self, pool: &PacketPool) -> Option<String> {
        let (packets, bytes) = (self.queue().len_packets() as i64, self.queue().len_bytes());
        if self.account != QueueAccount::of(packets, bytes) {
            let (given, given_bytes) = self.account.parts();
            return Some(format!(
                "says that it holds {packets} packets of {bytes} bytes; of those it was given, {given} of {given_bytes} \
                 bytes were neither given back nor thrown away"
            ));
        }
        let (holds, most, unit) = match self.queue().limit() {
            QueueLimit::Packets(most) => (packets, most, "packets"),
            // Some disciplines check a byte limit before they store a packet, and then exceed it by up to one packet.
            QueueLimit::Bytes(most) if bytes > most => (bytes, most.saturating_add(pool.largest_bytes()), "bytes"),
            QueueLimit::Bytes(most) => (bytes, most, "bytes"),
            QueueLimit::Others => return None,
        };
        if holds <= most.max(0) {
            self.is_excused = false;
        } else if !self.is_excused {
            return Some(format!("holds {holds} {unit}; its limit is {most}"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Checks are 5 events apart. With a maximum of 5 events at one instant, the second check at the same time fails.
    #[test]
    fn time_that_stands_still_is_reported() {
        let mut watch = InvariantChecker { most_at_one_time: 5, ..InvariantChecker::default() };
        assert_eq!(watch.look(Time(1.0), 10), Ok(true));
        assert_eq!(watch.next(100), 5);
        assert!(watch.count(5));
        assert!(watch.look(Time(1.0), 10).unwrap_err().starts_with("time does not advance: more than 5 events at 1 s"));
        assert!(watch.look(Time(2.0), 10).is_ok());
    }
}
