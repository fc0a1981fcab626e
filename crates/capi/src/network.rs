//! What is said of a network.

use std::ffi::c_char;
use std::mem::take;
use std::time::Duration;

use crate::boundary::{change, free, make, part, place, read, text};
use crate::description::AckclockNetwork;
use crate::flow::AckclockFlow;
use crate::link::AckclockLink;
use crate::parts::{AckclockEndpoint, AckclockFlowId, AckclockLinkId, AckclockNode};
use crate::status::{AckclockStatus, Failure};

/// An empty network. Free it with ackclock_network_free.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_network_new() -> *mut AckclockNetwork {
    make(|| Ok(AckclockNetwork::default()))
}

/// Frees the description. Simulations that were made of it stay. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_free(network: *mut AckclockNetwork) {
    // SAFETY: the caller's pointers.
    unsafe { free(network) }
}

/// # Safety
/// As for [`change`].
unsafe fn with(
    network: *mut AckclockNetwork,
    work: impl FnOnce(&mut AckclockNetwork) -> Result<(), Failure>,
) -> AckclockStatus {
    // SAFETY: by the caller.
    unsafe { change(network, "the network", work) }
}

/// The seed of all random numbers; 1 unless set. Each link and flow has a stream of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_seed(network: *mut AckclockNetwork, seed: u64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            described.network = take(&mut described.network).seed(seed);
            Ok(())
        })
    }
}

/// Bytes of the headers of each datagram on the wire; 28 unless set, for IPv4 and UDP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_header_bytes(network: *mut AckclockNetwork, bytes: u32) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            described.network = take(&mut described.network).header_bytes(bytes);
            Ok(())
        })
    }
}

/// The simulation ends at this time; never unless set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_ends(network: *mut AckclockNetwork, at_ns: u64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            described.network = take(&mut described.network).ends(Duration::from_nanos(at_ns));
            Ok(())
        })
    }
}

/// Adds a node. Its name appears in errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_node(
    network: *mut AckclockNetwork,
    name: *const c_char,
    node: *mut AckclockNode,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            place(node, "the place for the node")?;
            let made = described.network.node(text(name, "the node's name")?);
            described.parts.nodes.push(made);
            node.write(described.parts.nodes.len() as u32 - 1);
            Ok(())
        })
    }
}

/// Adds a link in one direction. Of several links between two nodes the last one is used. `id` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_link(
    network: *mut AckclockNetwork,
    from: AckclockNode,
    to: AckclockNode,
    link: *const AckclockLink,
    id: *mut AckclockLinkId,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            let link = read(link, "the link")?.whole();
            let parts = &mut described.parts;
            let made = described.network.link(part(&parts.nodes, from, "node")?, part(&parts.nodes, to, "node")?, link);
            parts.links.push(made);
            if !id.is_null() {
                id.write(parts.links.len() as u32 - 1);
            }
            Ok(())
        })
    }
}

/// Adds two links of a kind, one in each direction. `ids` takes both, from the first node to the second and back; it may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_duplex(
    network: *mut AckclockNetwork,
    one: AckclockNode,
    other: AckclockNode,
    link: *const AckclockLink,
    ids: *mut AckclockLinkId,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            let link = read(link, "the link")?.whole();
            let parts = &mut described.parts;
            let [one, other] = [part(&parts.nodes, one, "node")?, part(&parts.nodes, other, "node")?];
            let made = described.network.duplex(one, other, link);
            let first = parts.links.len() as u32;
            parts.links.extend(made);
            if !ids.is_null() {
                ids.write(first);
                ids.add(1).write(first + 1);
            }
            Ok(())
        })
    }
}

/// Adds a flow of the engine. `id` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_flow(
    network: *mut AckclockNetwork,
    flow: *const AckclockFlow,
    id: *mut AckclockFlowId,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            let made = described.network.flow(read(flow, "the flow")?.flow.clone());
            described.parts.flows.push(made);
            if !id.is_null() {
                id.write(described.parts.flows.len() as u32 - 1);
            }
            Ok(())
        })
    }
}

/// Adds an endpoint at a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_endpoint(
    network: *mut AckclockNetwork,
    node: AckclockNode,
    endpoint: *mut AckclockEndpoint,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(network, |described| {
            place(endpoint, "the place for the endpoint")?;
            let made = described.network.endpoint(part(&described.parts.nodes, node, "node")?);
            described.parts.endpoints.push(made);
            endpoint.write(described.parts.endpoints.len() as u32 - 1);
            Ok(())
        })
    }
}
