//! The registry of all agents: TCP senders and receivers, and all other endpoints.

use crate::net::Network;
use crate::net::node::AgentId;
use crate::transport::agent::{Agent, Entry};
use crate::transport::compat::linux26::sender::Linux;
use crate::transport::compat::ns2::paced::Paced;
use crate::transport::compat::ns2::sack_rh::SackRh;
use crate::transport::compat::ns2::vegas::Vegas;
use crate::transport::compat::ns2::window_law;
use crate::transport::compat::ns2::{
    fack::Fack, new_reno::NewReno, reno::Reno, reno::xcp::Xcp, rfc793edu::Rfc793Edu, sack::Sack, tahoe::Tahoe,
};
use crate::transport::compat::ns2::{full, sctp, simple_tcp, sink};
use crate::transport::compat::ns3_25::sender::Ns3;
use crate::transport::one_way::recovery::Recovery;
use crate::transport::one_way::sender::Sender;
use crate::transport::tcp::agent;
use crate::transport::{admission, external_endpoint, message, multicast, rap, routing_messages, rtp, tfrc, udp};

/// Makes a one-way sender, whose window rules are ns-2's.
fn sender<R: Recovery + Default + 'static>(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
    Sender::<R>::make(id, window_law::numbered, net)
}

/// All one-way TCP senders.
pub const VARIANTS: &[Entry] = &[
    Entry { id: "tahoe", about: "every loss restarts slow start (Jacobson 1988)", make: sender::<Tahoe> },
    Entry {
        id: "reno",
        about: "fast retransmit, fast recovery until the next new ACK (RFC 2001)",
        make: sender::<Reno>,
    },
    Entry { id: "new_reno", about: "fast recovery through partial ACKs (RFC 3782)", make: sender::<NewReno> },
    Entry {
        id: "sack",
        about: "fast recovery by SACK blocks and a pipe estimate (Fall and Floyd 1996, RFC 2018)",
        make: sender::<Sack>,
    },
    Entry {
        id: "fack",
        about: "packets in flight are estimated from the highest SACK block (Mathis and Mahdavi 1996)",
        make: sender::<Fack>,
    },
    Entry {
        id: "reno_rbp",
        about: "Reno, which paces its first window after an idle time (Visweswaraiah and Heidemann 1997)",
        make: sender::<Paced<Reno>>,
    },
    Entry {
        id: "vegas_rbp",
        about: "Vegas, which paces its first window after an idle time (Visweswaraiah and Heidemann 1997)",
        make: sender::<Paced<Vegas>>,
    },
    Entry {
        id: "sack_rh",
        about: "halves its rate over a round trip (Mathis and others 1999)",
        make: sender::<SackRh>,
    },
    Entry { id: "vegas", about: "a window that follows the delay (Brakmo and Peterson 1995)", make: sender::<Vegas> },
    Entry {
        id: "linux",
        about: "Linux's sender, with a congestion control by name (Linux 2.6.22)",
        make: sender::<Linux>,
    },
    Entry { id: "ns3", about: "a sender with a congestion control by name (ns-3.25)", make: sender::<Ns3> },
    Entry {
        id: "rfc793edu",
        about: "RFC 793, with later inventions as options (Cela Diaz's teaching agent)",
        make: sender::<Rfc793Edu>,
    },
    Entry {
        id: "xcp",
        about: "routers say by how much the rate changes (Katabi, Handley and Rohrs 2002)",
        make: sender::<Xcp>,
    },
];

/// All one-way TCP receivers.
pub const SINKS: &[Entry] = &[sink::SINK, sink::SINK_DEL_ACK, sink::SINK_SACK, sink::SINK_XCP, sink::SINK_SACK_DEL_ACK];

/// All two-way TCPs.
pub fn two_way() -> impl Iterator<Item = &'static Entry> {
    std::iter::once(&agent::ENTRY).chain(full::VARIANTS)
}

/// Makes the agent with this id.
pub fn make(kind: &str, id: AgentId, net: &mut Network) -> Option<Box<dyn Agent>> {
    tables().find(|entry| entry.id == kind).map(|entry| (entry.make)(id, net))
}

/// All agent types.
pub fn tables() -> impl Iterator<Item = &'static Entry> {
    VARIANTS
        .iter()
        .chain(two_way())
        .chain(std::iter::once(&simple_tcp::SIMPLE_TCP))
        .chain(SINKS)
        .chain(tfrc::AGENTS)
        .chain(rap::AGENTS)
        .chain(rtp::AGENTS)
        .chain(sctp::AGENTS)
        .chain(udp::DATAGRAM_AGENTS)
        .chain(routing_messages::ROUTING_AGENTS)
        .chain(message::MESSAGE_AGENTS)
        .chain(multicast::MULTICAST_AGENTS)
        .chain(admission::ADMISSION_AGENTS)
        .chain(external_endpoint::EXTERNAL_ENDPOINTS)
}
