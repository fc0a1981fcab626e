//! Networks of scenario files.

use std::ffi::c_char;

use ackclock::{Network, Scenario, ScenarioError};

use crate::boundary::{change, make, part, place, text};
use crate::description::AckclockNetwork;
use crate::parts::{AckclockLinkId, AckclockNode};
use crate::status::{AckclockStatus, Failure};

/// The network of a scenario, which is the text of a scenario file: its nodes, links, flows and changes, its seed and its
/// duration. Only endpoints are added to it. NULL for a scenario that cannot be simulated, or is not read here. Free it
/// with ackclock_network_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_from_scenario(scenario: *const c_char) -> *mut AckclockNetwork {
    make(|| {
        // SAFETY: the caller's pointer.
        let text = unsafe { text(scenario, "the scenario") }?;
        let wrong = |error: ScenarioError| Failure::new(AckclockStatus::Build, error.to_string());
        let scenario = Scenario::from_toml(text).map_err(wrong)?;
        let network = Network::from_scenario(&scenario).map_err(wrong)?;
        Ok(AckclockNetwork { network, ..AckclockNetwork::default() })
    })
}

/// The node of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_find_node(
    network: *mut AckclockNetwork,
    name: *const c_char,
    node: *mut AckclockNode,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        change(network, "the network", |described: &mut AckclockNetwork| {
            place(node, "the place for the node")?;
            let found = described.network.find_node(text(name, "the node's name")?)?;
            node.write(number(&mut described.parts.nodes, found));
            Ok(())
        })
    }
}

/// The link from one node to another, the last one if there are several.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_find_link(
    network: *mut AckclockNetwork,
    from: AckclockNode,
    to: AckclockNode,
    link: *mut AckclockLinkId,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        change(network, "the network", |described: &mut AckclockNetwork| {
            place(link, "the place for the link")?;
            let nodes = &described.parts.nodes;
            let ends = (part(nodes, from, "node")?, part(nodes, to, "node")?);
            let found = described.network.find_link(ends.0, ends.1);
            let found = found.ok_or_else(|| Failure::argument("no link leads from the one node to the other"))?;
            link.write(number(&mut described.parts.links, found));
            Ok(())
        })
    }
}

/// The number of a part, which gets one if it has none.
fn number<T: PartialEq>(parts: &mut Vec<T>, part: T) -> u32 {
    let known = parts.iter().position(|known| *known == part);
    known.unwrap_or_else(|| {
        parts.push(part);
        parts.len() - 1
    }) as u32
}
