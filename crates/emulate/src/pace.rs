//! The real-time loop: it injects real packets into a running simulation and writes them to devices.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ackclock_engine::net::node::AgentId;
use ackclock_engine::packet::Address;
use ackclock_engine::packet::segment::EcnCodepoint;
use ackclock_engine::sim::{Simulation, Stop};
use ackclock_engine::time::Time;
use ackclock_engine::transport::external_endpoint::{Inbound, let_in, take_out};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::ip::{self, Conversation};

/// The longest packet that a device can return, bytes.
const LONGEST: usize = 1 << 16;
/// Max packets read from one device before the loop serves other devices and the simulation.
const AT_ONCE: usize = 64;

/// A simulation, with a handler for its stops.
pub trait Simulated {
    /// The engine.
    fn engine(&mut self) -> &mut Simulation;

    /// Called when the engine has stopped; returns whether the run is over.
    ///
    /// # Errors
    /// A message, when the run cannot continue.
    fn handle_stop(&mut self, stop: Stop) -> Result<bool, String>;
}

/// An external node: where real packets enter and leave.
pub struct End {
    /// A non-blocking device; each read or write is one IP packet.
    pub device: File,
    /// Destination addresses of the packets that leave here.
    pub addresses: Vec<IpAddr>,
    /// The gateway agent that represents it in the simulation.
    pub gateway: AgentId,
}

/// How late packets were handed over, in steps of [`Lateness::STEP_S`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lateness {
    /// Packets by the step; the last also has those that were later.
    packets: Vec<u64>,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { packets: vec![0; Lateness::STEPS] }
    }
}

impl Lateness {
    /// The resolution, s.
    pub const STEP_S: f64 = 10e-6;
    const STEPS: usize = 10_000;

    fn note(&mut self, late_s: f64) {
        self.packets[((late_s / Lateness::STEP_S) as usize).min(Lateness::STEPS - 1)] += 1;
    }

    /// The time, s, that a share `share` of the packets did not exceed; 0 without packets.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let wanted = (share * self.packets.iter().sum::<u64>() as f64).ceil() as u64;
        if wanted == 0 {
            return 0.0;
        }
        let mut seen = 0;
        let step = self.packets.iter().position(|&packets| {
            seen += packets;
            seen >= wanted
        });
        (step.unwrap_or(Lateness::STEPS - 1) + 1) as f64 * Lateness::STEP_S
    }
}

/// Packet counters and lateness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Packets that entered.
    pub came_in: u64,
    /// Packets that left.
    pub went_out: u64,
    /// Packets that a queue marked with CE.
    pub marked: u64,
    /// Packets with an unknown destination, and data that is not an IP packet.
    pub strange: u64,
    /// Packets that a device did not accept.
    pub lost: u64,
    /// Max lateness of an event, s: the time between its due time and its execution.
    pub latest_s: f64,
    /// How late packets left.
    pub late: Lateness,
}

/// Why emulation failed.
#[derive(Debug)]
pub enum Failure {
    /// The simulation failed.
    Simulation(String),
    /// A device failed.
    Device(std::io::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Device(error)
    }
}

/// Ties the simulation clock to the real clock.
pub struct Pace {
    ends: Vec<End>,
    places: Vec<Address>,
    began: Instant,
    from_s: f64,
    flows: HashMap<Conversation, i32>,
    next_number: i32,
    buffer: Vec<u8>,
    /// Counters since the start.
    pub counts: Counts,
}

impl Pace {
    /// Starts now, at the present simulation time.
    pub fn new(ends: Vec<End>, simulation: &mut Simulation) -> Pace {
        let places = ends.iter().map(|end| simulation.agents[end.gateway.0 as usize].endpoint().here).collect();
        Pace {
            ends,
            places,
            began: Instant::now(),
            from_s: simulation.now().secs(),
            flows: HashMap::new(),
            next_number: 0,
            buffer: vec![0; LONGEST],
            counts: Counts::default(),
        }
    }

    fn now(&self) -> Time {
        Time(self.from_s + self.began.elapsed().as_secs_f64())
    }

    /// Runs in real time for `duration`; returns whether the run is over.
    ///
    /// # Errors
    /// If the simulation or a device fails.
    pub fn keep(&mut self, world: &mut impl Simulated, duration: Duration) -> Result<bool, Failure> {
        let until = Instant::now() + duration;
        loop {
            if self.catch_up(world)? {
                return Ok(true);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let due = world.engine().next_at().map(|due| (due.secs() - self.now().secs()).max(0.0));
            let wait = due.map_or(left, |due_s| left.min(Duration::from_secs_f64(due_s.min(1e6))));
            for index in self.ready(wait)? {
                if self.read(index, world)? {
                    return Ok(true);
                }
            }
        }
    }

    /// Waits for at most `wait`; returns the indices of the devices that have packets.
    fn ready(&self, wait: Duration) -> Result<Vec<usize>, Failure> {
        let mut asked: Vec<PollFd> = self.ends.iter().map(|end| PollFd::new(&end.device, PollFlags::IN)).collect();
        let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        match poll(&mut asked, Some(&wait)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Failure::Device(error.into())),
        }
        Ok((0..asked.len()).filter(|&index| !asked[index].revents().is_empty()).collect())
    }

    /// Runs all due events, and writes the packets that leave. Returns whether the run is over.
    fn catch_up(&mut self, world: &mut impl Simulated) -> Result<bool, Failure> {
        let now = self.now();
        while let Some(due) = world.engine().next_at().filter(|&due| due <= now) {
            let late_s = now.secs() - due.secs();
            self.counts.latest_s = self.counts.latest_s.max(late_s);
            let stop = world.engine().run(1);
            if stop != Stop::Paused && world.handle_stop(stop).map_err(Failure::Simulation)? {
                return Ok(true);
            }
            self.let_out(world, late_s)?;
        }
        world.engine().pass_to(now);
        Ok(false)
    }

    fn let_out(&mut self, world: &mut impl Simulated, late_s: f64) -> Result<(), Failure> {
        for end in &mut self.ends {
            while let Some(mut packet) = take_out(&mut *world.engine().agents[end.gateway.0 as usize]) {
                // A packet that came in with CE was marked by somebody else.
                let came_in_as = |bytes: &[u8]| ip::read(bytes).map(|header| header.ecn);
                if packet.ecn == EcnCodepoint::Ce && came_in_as(&packet.payload) != Some(EcnCodepoint::Ce) {
                    ip::mark(&mut packet.payload);
                    self.counts.marked += 1;
                }
                match end.device.write(&packet.payload) {
                    Ok(_) => {
                        self.counts.went_out += 1;
                        self.counts.late.note(late_s);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.counts.lost += 1,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Reads packets from a device and injects them. Returns whether the run is over.
    fn read(&mut self, index: usize, world: &mut impl Simulated) -> Result<bool, Failure> {
        for _ in 0..AT_ONCE {
            let bytes = match self.ends[index].device.read(&mut self.buffer) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            };
            // The packet enters when it is read, after all events that were due before.
            if self.catch_up(world)? {
                return Ok(true);
            }
            let Some((header, to)) = self.understood(bytes) else {
                self.counts.strange += 1;
                continue;
            };
            let known = self.flows.len() as i32 + 1;
            let flow = *self.flows.entry(header.conversation).or_insert(known);
            let packet = Inbound {
                number: self.next_number,
                payload: self.buffer[..header.bytes].to_vec(),
                bytes: header.bytes as i32,
                flow,
                ecn: header.ecn,
                to,
            };
            self.next_number = self.next_number.checked_add(1).unwrap_or(0);
            world.engine().with_agent(self.ends[index].gateway, |agent, net| let_in(agent, packet, net));
            self.counts.came_in += 1;
        }
        Ok(false)
    }

    fn understood(&self, bytes: usize) -> Option<(ip::Header, Address)> {
        let header = ip::read(&self.buffer[..bytes])?;
        let end = self.ends.iter().position(|end| end.addresses.contains(&header.conversation.destination))?;
        Some((header, self.places[end]))
    }

    /// The flows seen so far, sorted by id.
    pub fn flows(&self) -> Vec<(i32, Conversation)> {
        let mut flows: Vec<_> = self.flows.iter().map(|(&conversation, &id)| (id, conversation)).collect();
        flows.sort_by_key(|&(id, _)| id);
        flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_engine::params::Value;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;

    struct World(Simulation);

    impl Simulated for World {
        fn engine(&mut self) -> &mut Simulation {
            &mut self.0
        }

        fn handle_stop(&mut self, stop: Stop) -> Result<bool, String> {
            match stop {
                Stop::Failed(error) => Err(error.to_string()),
                _ => Ok(false),
            }
        }
    }

    /// A socket that plays the outside host, and the device at the other side.
    fn device() -> (UnixDatagram, File) {
        let (outside, inside) = UnixDatagram::pair().unwrap();
        inside.set_nonblocking(true).unwrap();
        outside.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        (outside, File::from(OwnedFd::from(inside)))
    }

    fn packet(to: u8, bytes: u16) -> Vec<u8> {
        let mut packet = vec![0u8; usize::from(bytes)];
        packet[..20].copy_from_slice(&[0x45, 2, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 9, 10, 0, 0, to]);
        packet[2..4].copy_from_slice(&bytes.to_be_bytes());
        packet
    }

    // Of 100 packets, 50 are in the step of 0 to 10 us, 49 in that of 200 to 210 us, one beyond the last step.
    #[test]
    fn quantiles_of_lateness_are_the_upper_ends_of_steps() {
        let mut late = Lateness::default();
        assert_eq!(late.quantile_s(0.5), 0.0);
        for _ in 0..50 {
            late.note(3e-6);
        }
        for _ in 0..49 {
            late.note(205e-6);
        }
        late.note(9.0);
        let found = [0.5, 0.51, 0.99, 1.0].map(|share| (late.quantile_s(share) * 1e6).round());
        assert_eq!(found, [10.0, 210.0, 210.0, 100_000.0]);
    }

    // 10 packets of 1250 bytes at 1 Mb/s and 20 ms take 10 ms each. The last one leaves 120 ms after it entered, never
    // earlier. Of 12 packets, one is in transmission and 9 wait (ns-2 counts the limit so); two are dropped. A packet
    // to an unknown address counts as strange.
    #[test]
    fn packets_take_their_time() {
        let mut sim = Simulation::default();
        let (left, right) = (sim.add_node(), sim.add_node());
        let link = sim.add_link(left, right, 1e6, 0.02, "drop_tail").unwrap();
        sim.net.links[link.0 as usize].queue_mut().set_param("limit", Value::Int(10));
        sim.routing.insert(left.0, right.0, 1.0);
        let gateways = [left, right].map(|node| {
            let agent = sim.add_agent("gateway").unwrap();
            sim.attach(agent, node, None);
            agent
        });
        sim.install_routes();
        let (here, near) = device();
        let (there, far) = device();
        let end = |device, gateway, address: &str| End { device, gateway, addresses: vec![address.parse().unwrap()] };
        let ends = vec![end(near, gateways[0], "10.0.0.1"), end(far, gateways[1], "10.0.0.2")];
        for number in 0..12 {
            let mut packet = packet(2, 1250);
            packet[28] = number;
            here.send(&packet).unwrap();
        }
        here.send(&packet(3, 100)).unwrap();
        here.send(b"no packet").unwrap();
        let mut world = World(sim);
        let began = Instant::now();
        let mut pace = Pace::new(ends, &mut world.0);
        let mut got = Vec::new();
        let mut buffer = [0u8; 2000];
        while got.len() < 10 && began.elapsed() < Duration::from_secs(20) {
            pace.keep(&mut world, Duration::from_millis(1)).unwrap();
            while let Ok(bytes) = there.recv(&mut buffer) {
                got.push((buffer[28], bytes, began.elapsed()));
            }
        }
        assert_eq!(got.iter().map(|one| one.0).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        assert!(got.iter().all(|one| one.1 == 1250));
        for (number, _, after) in got {
            assert!(after >= Duration::from_millis(10 * (u64::from(number) + 1) + 20), "{number} after {after:?}");
        }
        assert_eq!((pace.counts.came_in, pace.counts.went_out, pace.counts.strange), (12, 10, 2));
        assert_eq!(pace.flows().len(), 1);
    }
}
