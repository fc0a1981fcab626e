//! Timeouts: T3-rtx, unanswered heartbeats, idle windows, and routes that are computed.

use super::association::{Extensions, Sctp};
use super::destination::Status;
use super::traced::Variable;
use crate::net::Network;

/// What was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// DATA.
    Data,
    /// HEARTBEAT.
    Heartbeat,
}

impl Sctp {
    /// A destination did not answer in time (RFC 4960, sections 6.3.3, 8.1, 8.2 and 8.3).
    pub fn on_timeout(&mut self, number: usize, what: Unanswered, net: &mut Network) {
        if what == Unanswered::Data {
            self.shrink_after_timeout(number, net);
        }
        let max_rto = self.set.max_rto;
        let destination = &mut self.destinations[number];
        destination.rto *= 2.0;
        if destination.rto > max_rto {
            destination.rto = max_rto;
        }
        self.touch(Variable::Rto, net);
        let destination = &mut self.destinations[number];
        destination.timeouts += 1;
        destination.errors += 1;
        let answered_so_far = matches!(destination.status, Status::Active | Status::PossiblyFailed);
        if answered_so_far {
            self.association_errors += 1;
            if self.extensions.is_multipath {
                self.note_possible_failure(number, net);
            }
            let destination = &mut self.destinations[number];
            if destination.errors > self.set.path_max_retrans {
                destination.status = Status::Inactive;
                if number == self.new_tx {
                    self.new_tx = self.next_destination(number);
                }
            }
            if self.association_errors > self.set.association_max_retrans {
                self.close_association(net);
                return;
            }
        }
        self.touch(Variable::TimeoutCount, net);
        self.touch(Variable::ErrorCount, net);
        if self.destinations[number].errors > self.set.change_primary_thresh && number == self.primary {
            self.primary = self.new_tx;
        }
        let has_heartbeats = self.set.heartbeat_interval != 0;
        match what {
            Unanswered::Data => {
                self.retransmit_after_timeout(number, net);
                let sends_heartbeat = match self.extensions.heartbeats_after_timeout {
                    _ if self.extensions.is_multipath => {
                        if self.destinations[number].status == Status::PossiblyFailed {
                            self.send_heartbeat(number, net);
                        }
                        self.destinations[number].status == Status::Inactive && has_heartbeats
                    }
                    true => self.next_destination(number) != number,
                    false => self.destinations[number].status == Status::Inactive && has_heartbeats,
                };
                if sends_heartbeat {
                    self.send_heartbeat(number, net);
                }
            }
            Unanswered::Heartbeat => {
                let confirms = matches!(self.destinations[number].status, Status::Unconfirmed | Status::PossiblyFailed)
                    && !self.extensions.heartbeats_after_timeout;
                if has_heartbeats || confirms {
                    self.send_heartbeat(number, net);
                }
            }
        }
    }

    /// RFC 4960, section 7.2.3: slow start begins again.
    fn shrink_after_timeout(&mut self, number: usize, net: &mut Network) {
        let max_data = self.max_data as i32;
        let Extensions { heartbeats_after_timeout, is_multipath, .. } = self.extensions;
        let least = if heartbeats_after_timeout || is_multipath { self.set.initial_cwnd } else { 4 };
        let destination = &mut self.destinations[number];
        destination.t3_runs = false;
        if destination.cwnd > max_data || is_multipath {
            destination.ssthresh = (destination.cwnd / 2).max(least * max_data);
            destination.cwnd = max_data;
            destination.partial_bytes_acked = 0;
            self.touch(Variable::Cwnd, net);
        }
        let destination = &mut self.destinations[number];
        net.stop_timer(destination.timers.degrade);
        destination.rto_pending = false;
        if is_multipath {
            self.trace_timeout(number, net);
        }
    }

    /// A destination was idle for a retransmission timeout: its window shrinks (RFC 4960, section 7.2.1).
    pub fn on_idle(&mut self, number: usize, net: &mut Network) {
        let max_data = self.max_data as i32;
        let destination = &mut self.destinations[number];
        if destination.cwnd > self.set.initial_cwnd * max_data {
            destination.cwnd = (destination.cwnd / 2).max(4 * max_data);
            self.touch(Variable::Cwnd, net);
        }
        let destination = &self.destinations[number];
        net.set_timer(destination.timers.degrade, destination.rto);
    }

    /// A destination's route is forgotten.
    pub fn on_route_flush(&mut self, number: usize) {
        self.destinations[number].is_route_known = false;
    }

    /// A destination's route is known: packets that waited for it are sent.
    pub fn on_route_computed(&mut self, number: usize, net: &mut Network) {
        self.destinations[number].routes_computed += 1;
        self.touch(Variable::RcdCount, net);
        self.destinations[number].is_route_known = true;
        self.set_source(number, net);
        self.end.peer = self.destinations[number].address;
        for packet in std::mem::take(&mut self.destinations[number].waiting) {
            self.end.send(net, packet);
        }
    }
}
