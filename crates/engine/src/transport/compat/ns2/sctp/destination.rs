//! What is known of the peer's addresses, and of the agent's own.

use super::cmt_state::CmtDestination;
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::Network;
use crate::net::ids::AgentId;
use crate::net::node::NodeId;
use crate::packet::{Address, PacketId};

/// Timers of the agent itself.
pub mod timer {
    /// T1-init.
    pub const INIT: u8 = 0;
    /// T1-cookie.
    pub const COOKIE: u8 = 1;
    /// The next heartbeat.
    pub const HEARTBEAT: u8 = 2;
    /// The delayed SACK.
    pub const SACK: u8 = 3;
    /// The number of the first timer of the first destination.
    pub const FIRST_OF_DESTINATIONS: u8 = 4;
    /// Timers of a destination.
    pub const PER_DESTINATION: u8 = 5;
}

/// The most destinations: timers have 8 bits.
pub const MAX_DESTINATIONS: usize = 50;

/// The state of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It does not answer.
    Inactive,
    /// It may have failed (CMT-PF).
    PossiblyFailed,
    /// It answers.
    Active,
    /// It has not answered a heartbeat yet.
    Unconfirmed,
}

/// Timers of a destination.
#[derive(Clone, Copy, Debug)]
pub struct Timers {
    /// T3-rtx.
    pub t3: TimerId,
    /// The congestion window shrinks when idle.
    pub degrade: TimerId,
    /// The heartbeat was not answered.
    pub heartbeat: TimerId,
    /// The route is forgotten.
    pub route_flush: TimerId,
    /// The route is computed.
    pub route_calc: TimerId,
}

/// A destination address of the peer.
#[derive(Clone, Debug)]
pub struct Destination {
    /// Node and port.
    pub address: Address,
    /// Congestion window, bytes.
    pub cwnd: i32,
    /// Slow-start threshold, bytes.
    pub ssthresh: i32,
    /// Whether there is no round-trip sample yet.
    pub is_first_sample: bool,
    /// Retransmission timeout, s.
    pub rto: f64,
    /// Smoothed round-trip time, s.
    pub srtt: f64,
    /// Its variation, s.
    pub rttvar: f64,
    /// Whether T3 is taken to run. After `close` it is not changed although T3 is stopped.
    pub t3_runs: bool,
    /// Whether a chunk in flight measures the round trip.
    pub rto_pending: bool,
    /// `partial_bytes_acked` of RFC 4960, section 7.2.2.
    pub partial_bytes_acked: i32,
    /// Bytes in flight.
    pub outstanding: i32,
    /// Timeouts so far.
    pub timeouts: i32,
    /// Timeouts in a row.
    pub errors: i32,
    /// Its state.
    pub status: Status,
    /// When it was last used, s.
    pub idle_since: f64,
    /// Congestion control was applied for the present SACK.
    pub cc_applied: bool,
    /// TSN of the first outstanding chunk that was seen.
    pub first_outstanding: Option<u32>,
    /// Bytes that the present SACK newly acknowledges.
    pub newly_acked: i32,
    /// Routes computed so far.
    pub routes_computed: i32,
    /// Whether the route is known.
    pub is_route_known: bool,
    /// Packets that wait for the route.
    pub waiting: Vec<PacketId>,
    /// Its timers.
    pub timers: Timers,
    /// Its state in concurrent multipath transfer.
    pub cmt: CmtDestination,
}

impl Destination {
    /// A destination that was not reset yet.
    pub fn new(address: Address, number: usize, agent: AgentId, net: &mut Network) -> Destination {
        let first = timer::FIRST_OF_DESTINATIONS + timer::PER_DESTINATION * number as u8;
        let mut timer = |kind: u8| net.add_timer(TimerOwner::Agent(agent.0, first + kind));
        Destination {
            address,
            cwnd: 0,
            ssthresh: 0,
            is_first_sample: false,
            rto: 0.0,
            srtt: 0.0,
            rttvar: 0.0,
            t3_runs: false,
            rto_pending: false,
            partial_bytes_acked: 0,
            outstanding: 0,
            timeouts: 0,
            errors: 0,
            status: Status::Inactive,
            idle_since: 0.0,
            cc_applied: false,
            first_outstanding: None,
            newly_acked: 0,
            routes_computed: 0,
            is_route_known: false,
            waiting: Vec::new(),
            cmt: CmtDestination::default(),
            timers: Timers {
                t3: timer(0),
                degrade: timer(1),
                heartbeat: timer(2),
                route_flush: timer(3),
                route_calc: timer(4),
            },
        }
    }
}

/// An address of the agent itself.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// Node and port.
    pub address: Address,
    /// The node that packets leave from; a link from the core node leads to it, which stands for the interface.
    pub node: NodeId,
}
