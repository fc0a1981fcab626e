//! What a script needs that a simulated socket does not have, by name.

use crate::script::{Action, Body, Call, EcnSpec, Packet, Script, TcpOption};
use ackclock_engine::transport::tcp::socket::segment::flag;

/// Calls, and what they are for.
const CALLS: &[(&str, &str)] = &[
    ("epoll_create", "epoll"),
    ("epoll_ctl", "epoll"),
    ("epoll_wait", "epoll"),
    ("splice", "splice"),
    ("sendfile", "sendfile"),
    ("pipe", "pipes"),
    ("open", "files"),
    ("cap_set", "capabilities"),
    ("psp_rx_assoc", "PSP"),
    ("psp_tx_assoc", "PSP"),
];

/// Symbols in arguments, by their first letters, and what they are for.
const SYMBOLS: &[(&str, &str)] = &[
    ("TCP_FASTOPEN", "fast open"),
    ("MSG_FASTOPEN", "fast open"),
    ("SO_ZEROCOPY", "zero copy"),
    ("MSG_ZEROCOPY", "zero copy"),
    ("TCP_ZEROCOPY", "zero copy"),
    ("SO_TIMESTAMPING", "times of packets on the error queue"),
    ("MSG_ERRQUEUE", "the error queue"),
    ("MSG_OOB", "urgent data"),
    ("TCP_MD5SIG", "MD5 signatures"),
    ("TCP_TX_DELAY", "TCP_TX_DELAY"),
    ("TCP_REPAIR", "TCP_REPAIR"),
    ("IP_TTL", "TTL"),
    ("SOCK_DGRAM", "UDP"),
    ("SOCK_RAW", "raw sockets"),
    ("IPPROTO_ICMP", "ICMP"),
    ("AF_UNSPEC", "disconnecting by AF_UNSPEC"),
];

/// The first feature of the script that no simulation has, with the line that needs it.
pub(super) fn missing(script: &Script) -> Option<(u32, String)> {
    script.events.iter().find_map(|event| {
        let missing = match &event.action {
            Action::Packet(packet) => in_packet(packet),
            Action::Call(call) => in_call(call),
            Action::Command(_) | Action::Code(_) => None,
        };
        missing.map(|name| (event.line, name))
    })
}

fn in_packet(packet: &Packet) -> Option<String> {
    if let Some(header) = &packet.encapsulation {
        return Some(if header == "psp" { "PSP".to_owned() } else { format!("packets inside {header}") });
    }
    let tcp = match &packet.body {
        Body::Udp => return Some("UDP".to_owned()),
        Body::Icmp => return Some("ICMP".to_owned()),
        Body::Tcp(tcp) => tcp,
    };
    let missing = match packet.ip.ecn {
        _ if packet.ip.flow_label.is_some() => "flow labels",
        _ if packet.ip.ttl.is_some() => "TTL",
        _ if packet.ports.is_some() => "packets of other ports",
        Some(EcnSpec::Tos(byte)) if byte > 3 => "DSCP",
        _ if tcp.flags & flag::URG != 0 => "urgent data",
        _ => tcp.options.iter().flatten().find_map(|option| match option {
            TcpOption::FastOpen { .. } => Some("fast open"),
            TcpOption::Md5(_) => Some("MD5 signatures"),
            _ => None,
        })?,
    };
    Some(missing.to_owned())
}

fn in_call(call: &Call) -> Option<String> {
    if let Some((_, feature)) = CALLS.iter().find(|(name, _)| *name == call.name) {
        return Some((*feature).to_owned());
    }
    let words = call.arguments.iter().flat_map(|argument| argument.words());
    words
        .flat_map(|word| SYMBOLS.iter().filter(move |(start, _)| word.starts_with(start)))
        .next()
        .map(|(_, feature)| (*feature).to_owned())
}
