//! What holds in every simulation, looked at all the time: a simulation in which it does not stops, and says what is wrong.
//!
//! - Packets are conserved: each that was made and not freed waits in a queue, is on a wire, or is held by something that can
//!   say so ([`Network::packets_held`]). A packet that vanished, or is in two places, makes the two counts differ.
//! - A queue gives back what it was given: packets and bytes, less those that it says it has thrown away
//!   ([`QueueAccount`]), and it holds no more than its parameters allow ([`crate::queue::QueueLimit`]).
//! - Time does not go back, and goes on ([`InvariantChecker`]).
//! - A sender's window and threshold are numbers, and it sends no new data beyond its window
//!   ([`Connection::is_within_window`], [`Agent::violation`]).
//!
//! What belongs to one event is looked at there; what is a sum over all links and agents only every so many events, so that
//! it costs less than a hundredth, and at the end.
//!
//! [`Connection::is_within_window`]: crate::transport::one_way::connection::Connection::is_within_window
//! [`Agent::violation`]: crate::transport::agent::Agent::violation

use crate::net::Network;
use crate::net::link::{Link, LinkId};
use crate::packet::PacketPool;
use crate::queue::QueueLimit;
use crate::queue::accounting::QueueAccount;
use crate::time::Time;

/// Events between two looks at whether time goes on.
const EVENTS_BETWEEN: u64 = 1 << 16;

/// Events between two sums, for each link and agent.
const EVENTS_PER_PART: u64 = 128;

/// So many events at one instant are held for a loop, unless whoever drives the simulation says otherwise. Ten thousand
/// senders that all start at once with a window of ten packets need less than a million.
pub const MAX_EVENTS_AT_ONE_TIME: u64 = 10_000_000;

/// When to look, and whether time goes on.
#[derive(Clone, Copy, Debug)]
pub struct InvariantChecker {
    /// Events until the next look.
    left: u64,
    /// Events until the next sum, less those until the next look.
    until_sum: u64,
    /// The instant at the last look.
    seen_at: Time,
    /// Events since then at that instant, about.
    still: u64,
    /// The most of them.
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
    /// How many of `wanted` events may be handled before the next look.
    pub(crate) fn next(&self, wanted: u64) -> u64 {
        wanted.min(self.left)
    }

    /// So many were handled; whether it is time for a look.
    pub(crate) fn count(&mut self, events: u64) -> bool {
        self.left -= events;
        self.left == 0
    }

    /// A look at the clock: whether the sums are due (there are so many links and agents), or that time stands still.
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
    /// A queue is given a packet of so many bytes.
    #[inline(always)]
    pub(crate) fn enters_queue(&mut self, link: LinkId, bytes: i32) {
        self.links[link.0 as usize].account.add(bytes);
    }

    /// A queue has given a packet of so many bytes back, or thrown it away.
    #[inline(always)]
    pub(crate) fn leaves_queue(&mut self, link: LinkId, bytes: i32) {
        self.links[link.0 as usize].account.remove(bytes);
    }

    /// Packets in queues, on wires and media, in buckets, and on their way between agents of one node.
    pub fn packets_held(&self) -> usize {
        let links = self.links.iter().map(|link| {
            let delayed = link.delayer().is_some_and(|delayer| delayer.held.is_some());
            let port = link.port().map_or(0, |port| port.holds_packets());
            link.holds_packets() + usize::from(delayed) + port
        });
        let errors = self.errors.iter().map(|module| module.holds_packets());
        let buckets = self.buckets.iter().map(|bucket| bucket.holds_packets());
        let elsewhere = self.lan_steps.holds_packets() + self.delay_boxes.holds_packets() + self.local.len();
        links.chain(errors).chain(buckets).sum::<usize>() + elsewhere
    }

    /// The invariant that does not hold, if any. `by_agents`: packets that agents keep.
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
    /// What is wrong with its queue, if anything is.
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
            // Some disciplines look at a limit in bytes before they store a packet, which may be beyond it then.
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

    // 2 looks 3 apart: with at most 5 events at an instant the second look at the same one is too much.
    #[test]
    fn time_that_stands_still_is_told() {
        let mut watch = InvariantChecker { most_at_one_time: 5, ..InvariantChecker::default() };
        assert_eq!(watch.look(Time(1.0), 10), Ok(true));
        assert_eq!(watch.next(100), 5);
        assert!(watch.count(5));
        assert!(watch.look(Time(1.0), 10).unwrap_err().starts_with("time does not advance: more than 5 events at 1 s"));
        assert!(watch.look(Time(2.0), 10).is_ok());
    }
}
