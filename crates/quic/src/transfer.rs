//! A transfer between a client and a server of a stack, beside CUBIC of the engine.

use std::time::Duration;

use ackclock::{
    BuildError, Datagram, Delays, Endpoint, EndpointReport, Error, Flow, FlowId, Link, LinkId, Network, Simulation,
};

use crate::stack::{Application, Side, Stack};

/// Bytes of a request.
const REQUEST: u64 = 100;
/// More than any simulation here transfers.
pub const WITHOUT_END: u64 = 1 << 50;

/// Which way the data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the server to the client.
    Download,
    /// From the client to the server.
    Upload,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// Bytes of data.
    pub bytes: u64,
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

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The network cannot be simulated.
    Build(BuildError),
    /// The network refused a call.
    Network(Error),
    /// A stack gave up: the reason.
    Stack(String),
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::Build(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Network(error)
    }
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

/// Runs a transfer between two ends that `make` makes.
///
/// # Errors
/// If the network or a stack fails.
pub fn run<S: Stack>(transfer: &Transfer, make: impl Fn(Application, u64) -> S) -> Result<Outcome, Failure> {
    let Path { mut simulation, ends, queue, cubic } = path(transfer)?;
    let [to_server, to_client] = match transfer.direction {
        Direction::Download => [REQUEST, transfer.bytes],
        Direction::Upload => [transfer.bytes, 0],
    };
    let client = make(Application::new(Side::Client, to_server), transfer.seed);
    let server = make(Application::new(Side::Server, to_client), transfer.seed ^ u64::MAX);
    let mut stacks = [client, server];
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let mut now = Duration::ZERO;
    while now < transfer.duration && !stacks[0].application().has_read_all {
        for (stack, (from, to)) in stacks.iter_mut().zip([(ends[0], ends[1]), (ends[1], ends[0])]) {
            while let Some((payload, ecn)) = stack.transmit(now) {
                digest.take(&(now.as_nanos() as u64).to_le_bytes());
                digest.take(&[ecn as u8]);
                digest.take(&payload);
                match simulation.send(from, now, Datagram::new(to, payload).ecn(ecn)) {
                    // A probe for the MTU: a socket refuses it with EMSGSIZE.
                    Ok(()) | Err(Error::TooLarge { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let timers = stacks.iter_mut().filter_map(Stack::next_timeout).min();
        now = simulation.advance(timers.unwrap_or(transfer.duration).max(now))?;
        for stack in &mut stacks {
            if stack.next_timeout().is_some_and(|due| due <= now) {
                stack.on_timeout(now);
            }
        }
        for datagram in simulation.deliveries() {
            let stack = &mut stacks[usize::from(datagram.at == ends[1])];
            stack.receive(now, datagram);
        }
        if let Some(reason) = stacks.iter().find_map(Stack::failure) {
            return Err(Failure::Stack(format!("{reason} at {} s", now.as_secs_f64())));
        }
    }
    let completed = stacks[0].application().has_read_all.then_some(now);
    let [from, to] = match transfer.direction {
        Direction::Download => [1, 0],
        Direction::Upload => [0, 1],
    };
    Ok(Outcome {
        completed,
        goodput_bps: stacks[to].application().read as f64 * 8.0 / now.as_secs_f64(),
        sender: simulation.endpoint_report(ends[from]),
        marked_packets: simulation.endpoint_report(ends[to]).marked_packets,
        queueing_delay: simulation.link_report(queue).queueing_delay,
        cubic_bps: cubic.map_or(0.0, |cubic| simulation.flow_report(cubic).goodput_bps),
        digest: digest.0,
    })
}

struct Digest(u64);

impl Digest {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
