//! A network in virtual time.

use std::time::Duration;

use ackclock::{Datagram, Delivery, Ecn, Simulation};

use crate::boundary::{Breaks, array, change, free, guard, part, place, read};
use crate::description::{AckclockNetwork, Parts};
use crate::parts::{ACKCLOCK_ECN_CE, ACKCLOCK_NEVER, AckclockEndpoint, AckclockFlowId, AckclockLinkId};
use crate::reports::{AckclockEndpointReport, AckclockFlowReport, AckclockLinkReport, nanos};
use crate::status::{AckclockStatus, Failure};

/// A network in virtual time. It moves only when ackclock_simulation_advance is called.
pub struct AckclockSimulation {
    pub(crate) simulation: Simulation,
    pub(crate) parts: Parts,
    /// Behind the datagrams that C was given last.
    delivered: Vec<Delivery>,
    given: Vec<AckclockDelivery>,
    broken: Option<String>,
}

impl Breaks for AckclockSimulation {
    fn broken(&mut self) -> &mut Option<String> {
        &mut self.broken
    }
}

/// A datagram that has arrived.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AckclockDelivery {
    /// The endpoint at which it arrived.
    pub at: AckclockEndpoint,
    /// The endpoint that sent it.
    pub from: AckclockEndpoint,
    /// When it was sent.
    pub sent_ns: u64,
    /// When it arrived, rounded up to whole nanoseconds.
    pub time_ns: u64,
    /// Its bytes.
    pub payload: *const u8,
    /// Their number.
    pub payload_bytes: usize,
    /// The ECN field; ACKCLOCK_ECN_CE if a queue has marked it.
    pub ecn: u8,
}

/// Makes the simulation, at time 0. Free it with ackclock_simulation_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_network_build(
    network: *const AckclockNetwork,
    simulation: *mut *mut AckclockSimulation,
) -> AckclockStatus {
    guard(|| {
        place(simulation, "the place for the simulation")?;
        // SAFETY: the caller's pointers.
        unsafe { simulation.write(std::ptr::null_mut()) };
        // SAFETY: as above.
        let described = unsafe { read(network, "the network")? };
        if let Some(text) = &described.broken {
            return Err(Failure::new(AckclockStatus::Panic, text.clone()));
        }
        let made = AckclockSimulation {
            simulation: described.network.build()?,
            parts: described.parts.clone(),
            delivered: Vec::new(),
            given: Vec::new(),
            broken: None,
        };
        // SAFETY: as above.
        unsafe { simulation.write(Box::into_raw(Box::new(made))) };
        Ok(())
    })
}

/// Frees the simulation and the datagrams that it gave. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_free(simulation: *mut AckclockSimulation) {
    // SAFETY: the caller's pointers.
    unsafe { free(simulation) }
}

/// # Safety
/// As for [`change`].
pub(crate) unsafe fn with(
    simulation: *mut AckclockSimulation,
    work: impl FnOnce(&mut AckclockSimulation) -> Result<(), Failure>,
) -> AckclockStatus {
    // SAFETY: by the caller.
    unsafe { change(simulation, "the simulation", work) }
}

/// The present time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_now(
    simulation: *mut AckclockSimulation,
    now_ns: *mut u64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(now_ns, "the place for the time")?;
            now_ns.write(nanos(made.simulation.now()));
            Ok(())
        })
    }
}

/// Sends a datagram at a time that has not passed, now or later. The bytes are copied. At one instant, packets of the
/// network move first, then datagrams are sent, in the order of the calls.
///
/// ACKCLOCK_STATUS_PAST, _TOO_LARGE, _NO_ROUTE, _UNKNOWN_ENDPOINT: the datagram is not sent, and the simulation goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_send(
    simulation: *mut AckclockSimulation,
    from: AckclockEndpoint,
    at_ns: u64,
    to: AckclockEndpoint,
    ecn: u8,
    payload: *const u8,
    payload_bytes: usize,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            if ecn > ACKCLOCK_ECN_CE {
                return Err(Failure::argument(format!("the ECN field is {ecn}; expected 0 to {ACKCLOCK_ECN_CE}")));
            }
            let payload = array(payload, payload_bytes, "the payload")?;
            let [from, to] = [made.endpoint(from)?, made.endpoint(to)?];
            let datagram = Datagram::new(to, payload).ecn(Ecn::from_bits(ecn));
            Ok(made.simulation.send(from, Duration::from_nanos(at_ns), datagram)?)
        })
    }
}

/// The time of the next event: before it, nothing in the network changes and nothing is delivered. ACKCLOCK_NEVER at the end,
/// or if nothing moves any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_next_event(
    simulation: *mut AckclockSimulation,
    at_ns: *mut u64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(at_ns, "the place for the time")?;
            at_ns.write(made.simulation.next_event().map_or(ACKCLOCK_NEVER, nanos));
            Ok(())
        })
    }
}

/// Runs to `until_ns`, to the first delivery, or to the end, whichever is first. `now_ns` takes that time; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_advance(
    simulation: *mut AckclockSimulation,
    until_ns: u64,
    now_ns: *mut u64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            let now = made.simulation.advance(Duration::from_nanos(until_ns))?;
            if !now_ns.is_null() {
                now_ns.write(nanos(now));
            }
            Ok(())
        })
    }
}

/// Takes the datagrams that were delivered, in the order of their arrival. They and their bytes are valid until the next
/// call of this function with the same simulation, or until it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_deliveries(
    simulation: *mut AckclockSimulation,
    deliveries: *mut *const AckclockDelivery,
    count: *mut usize,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(deliveries, "the place for the deliveries")?;
            place(count, "the place for their number")?;
            made.delivered.clear();
            made.delivered.extend(made.simulation.deliveries());
            made.given.clear();
            for delivery in &made.delivered {
                made.given.push(AckclockDelivery {
                    at: number(&made.parts, delivery.at),
                    from: number(&made.parts, delivery.from),
                    sent_ns: nanos(delivery.sent),
                    time_ns: nanos(delivery.time),
                    payload: delivery.payload.as_ptr(),
                    payload_bytes: delivery.payload.len(),
                    ecn: delivery.ecn as u8,
                });
            }
            deliveries.write(made.given.as_ptr());
            count.write(made.given.len());
            Ok(())
        })
    }
}

/// What was measured on a link.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_link_report(
    simulation: *mut AckclockSimulation,
    link: AckclockLinkId,
    report: *mut AckclockLinkReport,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(report, "the place for the report")?;
            let link = part(&made.parts.links, link, "link")?;
            report.write(made.simulation.link_report(link).into());
            Ok(())
        })
    }
}

/// What was measured of a flow of the engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_flow_report(
    simulation: *mut AckclockSimulation,
    flow: AckclockFlowId,
    report: *mut AckclockFlowReport,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(report, "the place for the report")?;
            let flow = part(&made.parts.flows, flow, "flow")?;
            report.write(made.simulation.flow_report(flow).into());
            Ok(())
        })
    }
}

/// What was measured at an endpoint of your program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_endpoint_report(
    simulation: *mut AckclockSimulation,
    endpoint: AckclockEndpoint,
    report: *mut AckclockEndpointReport,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(report, "the place for the report")?;
            let endpoint = made.endpoint(endpoint)?;
            report.write(made.simulation.endpoint_report(endpoint).into());
            Ok(())
        })
    }
}

impl AckclockSimulation {
    pub(crate) fn endpoint(&self, number: AckclockEndpoint) -> Result<ackclock::Endpoint, Failure> {
        let found = part(&self.parts.endpoints, number, "endpoint");
        found.map_err(|failure| Failure { status: AckclockStatus::UnknownEndpoint, ..failure })
    }
}

/// C's number of an endpoint. The library counts them up, so they are sorted.
fn number(parts: &Parts, endpoint: ackclock::Endpoint) -> AckclockEndpoint {
    parts.endpoints.binary_search(&endpoint).expect("an endpoint of this network") as AckclockEndpoint
}
