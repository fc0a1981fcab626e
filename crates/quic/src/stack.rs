//! What an adapter gives of a stack, and what the application at each end does.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use ackclock::{Delivery, Ecn};

/// Where the peer seems to be: a simulated path needs no addresses.
pub const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 4433);

/// What is written.
const DATA: [u8; 16_384] = [0; 16_384];

/// One end of a connection. All times are since the start of the simulation.
pub trait Stack {
    /// A datagram arrives.
    fn receive(&mut self, now: Duration, datagram: Delivery);

    /// When its next timer expires.
    fn next_timeout(&mut self) -> Option<Duration>;

    /// A timer expires.
    fn on_timeout(&mut self, now: Duration);

    /// The next datagram to send, if any.
    fn transmit(&mut self, now: Duration) -> Option<Sent>;

    /// The application.
    fn application(&self) -> &Application;

    /// Why the connection failed, if it did.
    fn failure(&self) -> Option<&str>;
}

/// A datagram that a stack sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its bytes.
    pub payload: Vec<u8>,
    /// The ECN field.
    pub ecn: Ecn,
    /// When it leaves: now, or later where the stack leaves pacing to the host.
    pub at: Duration,
}

/// Which way the data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the server to the client.
    Download,
    /// From the client to the server.
    Upload,
}

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It opens the connection and a stream.
    Client,
    /// It answers on that stream when it has read the request to its end.
    Server,
}

/// The application at one end: what it has still to write, and what it has read.
#[derive(Clone, Debug)]
pub struct Application {
    /// Its side.
    pub side: Side,
    /// Bytes to write before the stream's end.
    pub unwritten: u64,
    /// Bytes read.
    pub read: u64,
    /// The handshake is over at its side.
    pub is_connected: bool,
    /// It has read the peer's end of the stream.
    pub has_read_all: bool,
    /// It has written the end of the stream.
    pub has_written_all: bool,
}

impl Application {
    /// An application that writes this many bytes.
    pub fn new(side: Side, bytes: u64) -> Application {
        Application {
            side,
            unwritten: bytes,
            read: 0,
            is_connected: false,
            has_read_all: false,
            has_written_all: false,
        }
    }

    /// Whether it writes now: a server answers only a whole request.
    pub fn may_write(&self) -> bool {
        !self.has_written_all && (self.side == Side::Client || self.has_read_all)
    }

    /// Reads what there is. `next` gives the bytes of the next chunk, `None` at the stream's end, an error if there is none
    /// now.
    pub fn read_from<E>(&mut self, mut next: impl FnMut() -> Result<Option<usize>, E>) {
        while let Ok(chunk) = next() {
            let Some(bytes) = chunk else {
                self.has_read_all = true;
                return;
            };
            self.read += bytes as u64;
        }
    }

    /// Writes until all is written or `write`, which returns the number of bytes taken, gives an error. Returns whether all
    /// is written.
    pub fn write_to<E>(&mut self, mut write: impl FnMut(&[u8]) -> Result<usize, E>) -> bool {
        while self.unwritten > 0 {
            let bytes = self.unwritten.min(DATA.len() as u64) as usize;
            let Ok(written) = write(&DATA[..bytes]) else { return false };
            self.unwritten -= written as u64;
        }
        true
    }
}
