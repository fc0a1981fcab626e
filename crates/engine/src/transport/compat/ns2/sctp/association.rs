//! The state of an association: made, reset, closed.

use std::collections::VecDeque;

use super::cmt_state::Cmt;
use super::destination::{Destination, Interface, Status};
use super::receiver::Receiver;
use super::settings::Settings;
use super::traced::Traced;
use super::unacknowledged::Unacknowledged;
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::{AgentId, NodeId};
use crate::net::{Network, SimulationError};
use crate::packet::PacketKind;
use crate::packet::sctp::DATA_HEADER;
use crate::transport::agent::{Agent, Endpoint};

/// The state of the association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Never reset.
    Uninitialized,
    /// No association.
    Closed,
    /// INIT was sent.
    CookieWait,
    /// COOKIE ECHO was sent.
    CookieEchoed,
    /// Data can flow.
    Established,
}

/// The extensions of ns-2's variants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extensions {
    /// A heartbeat follows each timeout.
    pub heartbeats_after_timeout: bool,
    /// A chunk may be fast retransmitted more than once.
    pub retransmits_again: bool,
    /// Packets carry timestamps.
    pub has_timestamps: bool,
    /// New data goes to all destinations at once.
    pub is_multipath: bool,
}

/// A message of the application.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Its stream.
    pub stream: u16,
    /// Retransmissions on an unreliable stream.
    pub reliability: u16,
    /// Whether it may be delivered out of order.
    pub is_unordered: bool,
    /// Bytes of data.
    pub bytes: u32,
}

/// An outbound stream.
#[derive(Clone, Copy, Debug)]
pub struct OutStream {
    /// Whether chunks may be given up.
    pub is_unreliable: bool,
    /// The next stream sequence number.
    pub next_ssn: u16,
}

/// Timers of the agent itself.
#[derive(Clone, Copy, Debug)]
pub struct Timers {
    /// T1-init.
    pub init: TimerId,
    /// T1-cookie.
    pub cookie: TimerId,
    /// The next heartbeat.
    pub heartbeat: TimerId,
    /// The delayed SACK.
    pub sack: TimerId,
}

/// An SCTP agent, as ns-2.35's `Agent/SCTP`.
pub struct Sctp {
    /// The state that all agents share.
    pub end: Endpoint,
    /// Parameters.
    pub set: Settings,
    /// The variant.
    pub extensions: Extensions,
    /// Traced variables.
    pub traced: Traced,
    /// The state of the association.
    pub state: State,
    /// The node whose routes choose the interface.
    pub core: Option<NodeId>,
    /// The agent's own addresses, if it has several.
    pub interfaces: Vec<Interface>,
    /// The peer's addresses.
    pub destinations: Vec<Destination>,
    /// The primary destination.
    pub primary: usize,
    /// The destination of new data.
    pub new_tx: usize,
    /// The destination of replies.
    pub reply: Option<usize>,
    /// Whether the script chose the interface.
    pub forces_source: bool,
    /// Timeouts in a row, of all destinations.
    pub association_errors: i32,
    /// The agent's timers.
    pub timers: Timers,
    /// When the heartbeat timer was started, s.
    pub heartbeat_started: f64,
    /// INITs and COOKIE ECHOs sent again.
    pub init_tries: i32,
    /// Messages to send.
    pub messages: VecDeque<Message>,
    /// Whether data has no end.
    pub is_endless: bool,
    /// The last TSN used.
    pub next_tsn: u32,
    /// The stream of the next chunk of an endless transfer, modulo the number of streams.
    pub next_stream: u16,
    /// Outbound streams.
    pub out_streams: Vec<OutStream>,
    /// The peer's receiver window, bytes.
    pub peer_rwnd: u32,
    /// The cumulative TSN acknowledged.
    pub cum_ack_point: u32,
    /// The cumulative TSN acknowledged or given up (RFC 3758).
    pub advanced_peer_ack_point: u32,
    /// The highest TSN newly acknowledged (HTNA).
    pub htna: u32,
    /// The highest TSN sent, as far as it was asked for.
    pub highest_sent: u32,
    /// The recovery point.
    pub recover: u32,
    /// Chunks not acknowledged.
    pub send_buffer: Vec<Unacknowledged>,
    /// Free bytes of the send buffer.
    pub avail_swnd: u32,
    /// FORWARD TSN is to be sent.
    pub forward_tsn_needed: bool,
    /// New data may be sent.
    pub send_new_data: bool,
    /// Chunks wait for retransmission.
    pub marked_pending: bool,
    /// `Max.Burst` applies.
    pub apply_max_burst: bool,
    /// Packets of the present burst.
    pub burst_length: u32,
    /// Room for chunks in a packet, bytes.
    pub max_payload: u32,
    /// Room for data in a packet, bytes.
    pub max_data: u32,
    /// The receiver.
    pub receiver: Receiver,
    /// Concurrent multipath transfer.
    pub cmt: Cmt,
    /// Timestamp to echo, s.
    pub echo_to_send: Option<f32>,
    /// The last timestamp that was echoed, s.
    pub echo_received: f32,
}

impl Sctp {
    /// Makes an agent.
    pub fn make(extensions: Extensions, id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        use super::destination::timer;
        let mut timer = |which| net.add_timer(TimerOwner::Agent(id.0, which));
        Box::new(Sctp {
            end: Endpoint::new(id, PacketKind::Sctp, 0),
            set: Settings::default(),
            extensions,
            traced: Traced::default(),
            state: State::Uninitialized,
            core: None,
            interfaces: Vec::new(),
            destinations: Vec::new(),
            primary: 0,
            new_tx: 0,
            reply: None,
            forces_source: false,
            association_errors: 0,
            timers: Timers {
                init: timer(timer::INIT),
                cookie: timer(timer::COOKIE),
                heartbeat: timer(timer::HEARTBEAT),
                sack: timer(timer::SACK),
            },
            heartbeat_started: 0.0,
            init_tries: 0,
            messages: VecDeque::new(),
            is_endless: false,
            next_tsn: 0,
            next_stream: 0,
            out_streams: Vec::new(),
            peer_rwnd: 0,
            cum_ack_point: 0,
            advanced_peer_ack_point: 0,
            htna: 0,
            highest_sent: 0,
            recover: 0,
            send_buffer: Vec::new(),
            avail_swnd: 0,
            forward_tsn_needed: false,
            send_new_data: false,
            marked_pending: false,
            apply_max_burst: false,
            burst_length: 0,
            max_payload: 0,
            max_data: 0,
            receiver: Receiver::default(),
            cmt: Cmt::default(),
            echo_to_send: None,
            echo_received: 0.0,
        })
    }

    /// Stops the simulation: ns-2 ends here, or goes on in memory that is not its own.
    pub fn fail(&self, reason: &str, net: &mut Network) {
        net.fail(SimulationError::Broken(format!("SCTP agent at node {}: {reason}", self.end.here.node)));
    }

    /// Bytes that the extensions' chunks take in each packet.
    fn reserved_bytes(&self) -> u32 {
        if self.extensions.has_timestamps { 12 } else { 0 }
    }

    /// Returns to the initial state; a present association ends.
    pub fn start_over(&mut self, net: &mut Network) {
        if !matches!(self.state, State::Uninitialized | State::Closed) {
            self.close_association(net);
        }
        let max_payload = self.set.max_payload();
        let max_data = max_payload.wrapping_sub(self.reserved_bytes());
        if let Some(error) = self.set.error(max_data) {
            self.fail(&error, net);
            return;
        }
        self.avail_swnd = self.set.initial_swnd as u32;
        (self.max_payload, self.max_data) = (max_payload, max_data);
        self.end.packet_size = self.max_payload.wrapping_sub(DATA_HEADER) as i32;
        self.state = State::Closed;
        self.forces_source = false;
        self.association_errors = 0;
        if self.set.heartbeat_interval != 0 {
            net.stop_timer(self.timers.heartbeat);
        }
        net.stop_timer(self.timers.init);
        net.stop_timer(self.timers.cookie);
        self.init_tries = 0;
        (self.next_tsn, self.next_stream) = (0, 0);
        let unreliable = self.set.num_unrel_streams;
        self.out_streams = (0..self.set.num_out_streams)
            .map(|stream| OutStream { is_unreliable: stream < unreliable, next_ssn: 0 })
            .collect();
        self.peer_rwnd = 0;
        (self.cum_ack_point, self.advanced_peer_ack_point, self.htna, self.recover) = (0, 0, 0, 0);
        self.highest_sent = 0;
        self.messages.clear();
        self.send_buffer.clear();
        self.reset_destinations(net);
        self.forward_tsn_needed = false;
        self.send_new_data = false;
        self.marked_pending = false;
        self.apply_max_burst = false;
        self.is_endless = false;
        self.burst_length = 0;
        self.receiver.start_over(self.set.initial_rwnd as u32);
        net.stop_timer(self.timers.sack);
        self.echo_to_send = None;
        self.trace_reset(net);
    }

    fn reset_destinations(&mut self, net: &mut Network) {
        let max_data = self.max_data as i32;
        for destination in &mut self.destinations {
            destination.cwnd = (4 * max_data).min((2 * max_data).max(4380));
            destination.ssthresh = self.set.initial_ssthresh;
            destination.is_first_sample = true;
            destination.rto = self.set.initial_rto;
            destination.outstanding = 0;
            destination.partial_bytes_acked = 0;
            destination.errors = 0;
            destination.timeouts = 0;
            destination.status = Status::Active;
            destination.idle_since = 0.0;
            destination.cc_applied = false;
            destination.first_outstanding = None;
            destination.routes_computed = 0;
            destination.is_route_known = false;
            destination.cmt.start_over();
            let timers = destination.timers;
            for timer in [timers.t3, timers.degrade, timers.heartbeat, timers.route_flush, timers.route_calc] {
                net.stop_timer(timer);
            }
            for packet in destination.waiting.drain(..) {
                net.free(packet);
            }
        }
    }

    /// Ends the association at once (ABORT without a message).
    pub fn close_association(&mut self, net: &mut Network) {
        self.state = State::Closed;
        net.stop_timer(self.timers.init);
        net.stop_timer(self.timers.cookie);
        net.stop_timer(self.timers.sack);
        if self.set.heartbeat_interval != 0 {
            net.stop_timer(self.timers.heartbeat);
        }
        for destination in &self.destinations {
            net.stop_timer(destination.timers.t3);
            net.stop_timer(destination.timers.degrade);
            net.stop_timer(destination.timers.heartbeat);
        }
        self.send_buffer.clear();
        self.messages.clear();
        self.receiver.close();
    }
}
