//! Heartbeats: they confirm destinations, and show whether idle ones answer (RFC 4960, section 8.3).

use super::association::Sctp;
use super::destination::Status;
use super::output::Outgoing;
use super::traced::Variable;
use crate::net::Network;
use crate::packet::sctp::{Chunk, Heartbeat};
use crate::random::rng::Source;

impl Sctp {
    /// Sends HEARTBEAT.
    pub fn send_heartbeat(&mut self, number: usize, net: &mut Network) {
        let now = net.now().secs();
        let heartbeat = Heartbeat { sent_s: now, destination: number as u32 };
        self.send_packet(Outgoing::with(Chunk::Heartbeat(heartbeat)), number, net);
        let destination = &mut self.destinations[number];
        destination.idle_since = now;
        net.set_timer(destination.timers.heartbeat, destination.rto);
    }

    /// Time to the next heartbeat: the interval, and a retransmission timeout that varies by half.
    fn heartbeat_delay(&self, rto: f64, net: &mut Network) -> f64 {
        let mut delay_s = rto + f64::from(self.set.heartbeat_interval as u32);
        delay_s += net.rng.of(Source::Sending(self.end.id.0)).uniform_below(rto);
        delay_s - rto / 2.0
    }

    /// The association is open: heartbeats begin.
    pub fn start_heartbeats(&mut self, net: &mut Network) {
        if self.set.heartbeat_interval == 0 || self.destinations.is_empty() {
            return;
        }
        let now = net.now().secs();
        let delay_s = self.heartbeat_delay(self.destinations[self.primary].rto, net);
        net.set_timer(self.timers.heartbeat, delay_s);
        self.heartbeat_started = now;
        for destination in &mut self.destinations {
            destination.idle_since = now;
        }
    }

    /// The heartbeat timer has expired: the destination that was idle longest gets a heartbeat, if it was idle all the time.
    pub fn on_heartbeat_timer(&mut self, net: &mut Network) {
        let mut longest = 0;
        for number in 1..self.destinations.len() {
            if self.destinations[number].idle_since < self.destinations[longest].idle_since {
                longest = number;
            }
        }
        let destination = &self.destinations[longest];
        if destination.idle_since <= self.heartbeat_started && destination.status != Status::PossiblyFailed {
            self.send_heartbeat(longest, net);
        }
        let delay_s = self.heartbeat_delay(self.destinations[longest].rto, net);
        net.set_timer(self.timers.heartbeat, delay_s);
        self.heartbeat_started = net.now().secs();
    }

    /// Handles HEARTBEAT ACK.
    pub fn take_heartbeat_ack(&mut self, heartbeat: Heartbeat, net: &mut Network) {
        let number = heartbeat.destination as usize;
        let Some(destination) = self.destinations.get_mut(number) else { return };
        let former = destination.status;
        self.association_errors = 0;
        if destination.errors >= 0 {
            destination.status = Status::Active;
            destination.errors = 0;
            self.touch(Variable::ErrorCount, net);
            self.return_to_primary(number);
        }
        self.update_rtt(heartbeat.sent_s, number, net);
        net.stop_timer(self.destinations[number].timers.heartbeat);
        match former {
            Status::Unconfirmed if !self.has_unconfirmed() => {
                self.send_new_data = true;
                self.start_heartbeats(net);
            }
            Status::PossiblyFailed | Status::Inactive if self.extensions.is_multipath => {
                self.use_again(heartbeat, former, net);
            }
            _ => {}
        }
    }
}
