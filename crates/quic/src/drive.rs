//! A client and a server of a stack over a network: both send, get what arrives, and see their timers expire.

use std::time::Duration;

use ackclock::{Datagram, Endpoint, Error, Simulation};

use crate::failure::Failure;
use crate::stack::{Application, Direction, Stack};

/// Where and when a client talks to a server.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// The endpoints of the client and of the server.
    pub ends: [Endpoint; 2],
    /// Which way the data go.
    pub direction: Direction,
    /// When the client opens the connection.
    pub starts: Duration,
    /// When the simulation ends.
    pub ends_at: Duration,
}

/// What came of it. All times are since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course {
    /// When the handshake was over for the client.
    pub connected: Option<Duration>,
    /// When the receiver's application had all data.
    pub received: Option<Duration>,
    /// When the client had the end of the answer.
    pub completed: Option<Duration>,
    /// The last time at which something happened.
    pub ended: Duration,
    /// Bytes of data that the receiver's application has read.
    pub read: u64,
    /// A number that follows from each byte, ECN field and time of all datagrams that were sent (FNV-1a, 64 bits).
    pub digest: u64,
}

/// Lets the client and the server talk until the transfer or the simulation is over.
///
/// # Errors
/// If the network or a stack fails.
pub fn drive(
    simulation: &mut Simulation,
    meeting: &Meeting,
    stacks: &mut [Box<dyn Stack>; 2],
) -> Result<Course, Failure> {
    let Meeting { ends, direction, starts, ends_at } = *meeting;
    let receiver = usize::from(direction == Direction::Upload);
    let mut course = Course { digest: 0xcbf2_9ce4_8422_2325, ..Course::default() };
    while simulation.now() < starts {
        simulation.advance(starts)?;
    }
    while simulation.now() < ends_at {
        let now = simulation.now();
        // The stacks' time begins with the connection.
        let own = now - starts;
        for (stack, (from, to)) in stacks.iter_mut().zip([(ends[0], ends[1]), (ends[1], ends[0])]) {
            while let Some(sent) = stack.transmit(own) {
                let at = starts + sent.at;
                course.take(&(at.as_nanos() as u64).to_le_bytes());
                course.take(&[sent.ecn as u8]);
                course.take(&sent.payload);
                match simulation.send(from, at, Datagram::new(to, sent.payload).ecn(sent.ecn)) {
                    // A probe for the MTU: a socket refuses it with EMSGSIZE. What would leave behind the end does not.
                    Ok(()) | Err(Error::TooLarge { .. } | Error::Over { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        course.look(now, stacks[0].application(), stacks[receiver].application());
        if course.completed.is_some() {
            break;
        }
        let timers = stacks.iter_mut().filter_map(|stack| stack.next_timeout()).min().map(|due| starts + due);
        let now = simulation.advance(timers.unwrap_or(ends_at).max(now))?;
        let own = now - starts;
        for stack in &mut *stacks {
            if stack.next_timeout().is_some_and(|due| due <= own) {
                stack.on_timeout(own);
            }
        }
        for datagram in simulation.deliveries() {
            stacks[usize::from(datagram.at == ends[1])].receive(own, datagram);
        }
        for (stack, side) in stacks.iter().zip(["client", "server"]) {
            if let Some(reason) = stack.failure() {
                let at_s = now.as_secs_f64();
                return Err(Failure::Stack(format!("the {side} gave up at {at_s} s: {reason}")));
            }
        }
    }
    course.ended = simulation.now();
    Ok(course)
}

impl Course {
    fn look(&mut self, now: Duration, client: &Application, receiver: &Application) {
        self.read = receiver.read;
        for (at, is_so) in [
            (&mut self.connected, client.is_connected),
            (&mut self.received, receiver.has_read_all),
            (&mut self.completed, client.has_read_all),
        ] {
            if is_so {
                at.get_or_insert(now);
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
