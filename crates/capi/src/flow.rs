//! Descriptions of the engine's own flows.

use std::ffi::c_char;
use std::time::Duration;

use ackclock::Flow;

use crate::boundary::{Breaks, change, free, make, part, read, text, value};
use crate::description::AckclockNetwork;
use crate::parts::AckclockNode;
use crate::status::{AckclockStatus, Failure};

/// A flow of the engine, which competes with your endpoints.
pub struct AckclockFlow {
    /// The description up to now.
    pub(crate) flow: Flow,
    broken: Option<String>,
}

impl Breaks for AckclockFlow {
    fn broken(&mut self) -> &mut Option<String> {
        &mut self.broken
    }
}

/// # Safety
/// The network is NULL or of this library.
unsafe fn flow_between(
    network: *const AckclockNetwork,
    [from, to]: [AckclockNode; 2],
    make_flow: impl FnOnce(ackclock::NodeId, ackclock::NodeId) -> Flow,
) -> *mut AckclockFlow {
    make(|| {
        // SAFETY: by the caller.
        let nodes = unsafe { &read(network, "the network")?.parts.nodes };
        let flow = make_flow(part(nodes, from, "node")?, part(nodes, to, "node")?);
        Ok(AckclockFlow { flow, broken: None })
    })
}

/// Today's TCP with CUBIC, and data without end. Free it with ackclock_flow_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_tcp(
    network: *const AckclockNetwork,
    from: AckclockNode,
    to: AckclockNode,
) -> *mut AckclockFlow {
    // SAFETY: the caller's pointers.
    unsafe { flow_between(network, [from, to], Flow::tcp) }
}

/// UDP at a constant rate, bit/s, in packets of 1250 bytes. Free it with ackclock_flow_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_udp(
    network: *const AckclockNetwork,
    from: AckclockNode,
    to: AckclockNode,
    rate_bps: f64,
) -> *mut AckclockFlow {
    // SAFETY: the caller's pointers.
    unsafe { flow_between(network, [from, to], |from, to| Flow::udp(from, to, rate_bps)) }
}

/// Frees the description. Flows that were made of it stay. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_free(flow: *mut AckclockFlow) {
    // SAFETY: the caller's pointers.
    unsafe { free(flow) }
}

/// # Safety
/// As for [`change`].
unsafe fn with(flow: *mut AckclockFlow, work: impl FnOnce(Flow) -> Result<Flow, Failure>) -> AckclockStatus {
    // SAFETY: by the caller.
    unsafe {
        change(flow, "the flow", |flow| {
            flow.flow = work(flow.flow.clone())?;
            Ok(())
        })
    }
}

/// The congestion control of a TCP flow by its id (ackclock_control).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_control(flow: *mut AckclockFlow, id: *const c_char) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe { with(flow, |flow| Ok(flow.control(text(id, "the congestion control")?))) }
}

/// A TCP flow sends this many bytes and no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_bytes(flow: *mut AckclockFlow, bytes: u64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe { with(flow, |flow| Ok(flow.bytes(bytes))) }
}

/// A parameter of the sender or of its congestion control, such as segsize or ecn. Whole numbers are truncated; 0 and 1 are
/// off and on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_param(
    flow: *mut AckclockFlow,
    name: *const c_char,
    number: f64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(flow, |flow| {
            let name = text(name, "the parameter")?;
            Ok(flow.param(name, value(name, number)?))
        })
    }
}

/// A parameter of the receiver, such as window, its maximum receive window in packets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_receiver_param(
    flow: *mut AckclockFlow,
    name: *const c_char,
    number: f64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(flow, |flow| {
            let name = text(name, "the parameter")?;
            Ok(flow.receiver_param(name, value(name, number)?))
        })
    }
}

/// When it starts; at once unless set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_starts(flow: *mut AckclockFlow, at_ns: u64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe { with(flow, |flow| Ok(flow.starts(Duration::from_nanos(at_ns)))) }
}

/// When it stops; never unless set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_flow_stops(flow: *mut AckclockFlow, at_ns: u64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe { with(flow, |flow| Ok(flow.stops(Duration::from_nanos(at_ns)))) }
}
