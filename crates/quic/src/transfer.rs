//! A transfer between a client and a server of a stack, beside CUBIC of the engine.

use std::time::Duration;

use ackclock::{BuildError, Delays, Endpoint, EndpointReport, Flow, FlowId, Link, LinkId, Network, Simulation};

use crate::drive::{Meeting, drive};
use crate::failure::Failure;
use crate::stack::{Application, Direction, Side, Stack};
use crate::stacks::Entry;

/// Bytes of a request.
const REQUEST: u64 = 100;
/// More than any simulation here transfers.
pub const WITHOUT_END: u64 = 1 << 50;

/// What is run.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// Bytes of data.
    pub bytes: u64,
    /// The stack's congestion control; its default unless given.
    pub control: Option<&'static str>,
    /// The bottleneck; the way to it adds 1 ms in each direction.
    pub bottleneck: Link,
    /// Whether CUBIC of the engine competes.
    pub competes: bool,
    /// The end.
    pub duration: Duration,
    /// The seed of both the network and the stacks.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// When the handshake was over for the client.
    pub connected: Option<Duration>,
    /// When the client had the end of the answer.
    pub completed: Option<Duration>,
    /// Bytes of data that the receiver's application has read, as a rate up to the completion or the end, bit/s.
    pub goodput_bps: f64,
    /// The sender of the data, as the network saw it.
    pub sender: EndpointReport,
    /// Datagrams that reached the receiver of the data with a mark.
    pub marked_packets: u64,
    /// The queue in the direction of the data.
    pub queueing_delay: Delays,
    /// CUBIC's goodput, bit/s.
    pub cubic_bps: f64,
    /// A number that follows from each byte, ECN field and time of all datagrams that were sent (FNV-1a, 64 bits).
    pub digest: u64,
}

struct Path {
    simulation: Simulation,
    ends: [Endpoint; 2],
    queue: LinkId,
    cubic: Option<FlowId>,
}

fn path(transfer: &Transfer) -> Result<Path, BuildError> {
    let mut network = Network::new().seed(transfer.seed).ends(transfer.duration);
    let [client, router, server] = ["client", "router", "server"].map(|name| network.node(name));
    network.duplex(client, router, Link::new(1e9, Duration::from_millis(1)).param("limit", 10_000));
    let [up, down] = network.duplex(router, server, transfer.bottleneck.clone());
    let (queue, ways) = match transfer.direction {
        Direction::Download => (down, (server, client)),
        Direction::Upload => (up, (client, server)),
    };
    let cubic = transfer.competes.then(|| network.flow(Flow::tcp(ways.0, ways.1)));
    let ends = [network.endpoint(client), network.endpoint(server)];
    Ok(Path { simulation: network.build()?, ends, queue, cubic })
}

/// Runs a transfer between two ends of a stack.
///
/// # Errors
/// If the network or a stack fails, or the stack has no such control.
pub fn run(transfer: &Transfer, stack: &Entry) -> Result<Outcome, Failure> {
    let control = stack.control(transfer.control)?;
    let Path { mut simulation, ends, queue, cubic } = path(transfer)?;
    let make = |application, seed| (stack.make)(application, seed, control);
    let mut stacks = stacks(transfer.direction, transfer.bytes, transfer.seed, make);
    let (direction, ends_at) = (transfer.direction, transfer.duration);
    let course = drive(&mut simulation, &Meeting { ends, direction, starts: Duration::ZERO, ends_at }, &mut stacks)?;
    let [from, to] = match direction {
        Direction::Download => [1, 0],
        Direction::Upload => [0, 1],
    };
    Ok(Outcome {
        connected: course.connected,
        completed: course.completed,
        goodput_bps: course.read as f64 * 8.0 / course.received.unwrap_or(course.ended).as_secs_f64(),
        sender: simulation.endpoint_report(ends[from]),
        marked_packets: simulation.endpoint_report(ends[to]).marked_packets,
        queueing_delay: simulation.link_report(queue).queueing_delay,
        cubic_bps: cubic.map_or(0.0, |cubic| simulation.flow_report(cubic).goodput_bps),
        digest: course.digest,
    })
}

/// A client and a server that transfer so many bytes.
pub fn stacks(
    direction: Direction,
    bytes: u64,
    seed: u64,
    make: impl Fn(Application, u64) -> Box<dyn Stack>,
) -> [Box<dyn Stack>; 2] {
    let [to_server, to_client] = match direction {
        Direction::Download => [REQUEST, bytes],
        Direction::Upload => [bytes, 0],
    };
    [
        make(Application::new(Side::Client, to_server), seed),
        make(Application::new(Side::Server, to_client), seed ^ u64::MAX),
    ]
}
