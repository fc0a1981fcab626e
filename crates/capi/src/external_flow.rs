//! Flows between endpoints of your program, which have rows in the tables.

use std::ffi::c_char;

use crate::boundary::{change, part, place, text};
use crate::description::AckclockNetwork;
use crate::parts::{AckclockEndpoint, AckclockExternalFlow};
use crate::simulation::{AckclockSimulation, with};
use crate::status::AckclockStatus;

/// What goes from one endpoint to another is a flow of this name, with a row in the tables behind the scenario's flows. An
/// endpoint has at most one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_external_flow(
    network: *mut AckclockNetwork,
    name: *const c_char,
    sender: AckclockEndpoint,
    receiver: AckclockEndpoint,
    flow: *mut AckclockExternalFlow,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        change(network, "the network", |described: &mut AckclockNetwork| {
            place(flow, "the place for the flow")?;
            let name = text(name, "the flow's name")?;
            let endpoints = &described.parts.endpoints;
            let [sender, receiver] = [part(endpoints, sender, "endpoint")?, part(endpoints, receiver, "endpoint")?];
            let made = described.network.external_flow(name, sender, receiver);
            described.parts.external_flows.push(made);
            flow.write(described.parts.external_flows.len() as u32 - 1);
            Ok(())
        })
    }
}

/// The receiver's application has got so many bytes of the flow up to now. The tables' goodput is computed from it. Without
/// this call it is computed from the bytes on the wire.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_note_delivered(
    simulation: *mut AckclockSimulation,
    flow: AckclockExternalFlow,
    bytes: u64,
) -> AckclockStatus {
    // SAFETY: the caller's pointer.
    unsafe {
        with(simulation, |made| {
            let flow = part(&made.parts.external_flows, flow, "external flow")?;
            made.simulation.note_delivered(flow, bytes);
            Ok(())
        })
    }
}

/// The flow has transferred all that it was there for: its completion in the tables is now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_note_completion(
    simulation: *mut AckclockSimulation,
    flow: AckclockExternalFlow,
) -> AckclockStatus {
    // SAFETY: the caller's pointer.
    unsafe {
        with(simulation, |made| {
            let flow = part(&made.parts.external_flows, flow, "external flow")?;
            made.simulation.note_completion(flow);
            Ok(())
        })
    }
}
