//! Captures of what an endpoint sends and gets.

use std::io::{self, Write};

use ackclock_engine::packet::segment::EcnCodepoint as Ecn;
use ackclock_engine::packet::{Address, flag};
use ackclock_trace::capture::frames::{self, Captured, Transport};
use ackclock_trace::capture::pcapng::Pcapng;

use crate::ids::Endpoint;

/// A capture (pcapng) at one endpoint.
pub(crate) struct Capture {
    pub at: Endpoint,
    out: Box<dyn Write + Send>,
    interface: u32,
    packets: i64,
    block: Vec<u8>,
    failure: Option<io::Error>,
}

impl Capture {
    /// A capture with one interface, which is named after the endpoint's node.
    pub fn new(at: Endpoint, node: &str, out: Box<dyn Write + Send>) -> Capture {
        let mut block = Vec::new();
        Pcapng::push_head(&mut block);
        let interface = Pcapng::default().push_interface(&mut block, node);
        let mut capture = Capture { at, out, interface, packets: 0, block, failure: None };
        capture.write();
        capture
    }

    /// A datagram is sent or has arrived.
    pub fn push(&mut self, time_s: f64, from: Address, to: Address, ecn: Ecn, payload: &[u8]) {
        let captured = Captured {
            time_s,
            source: (from.node, from.port),
            destination: (to.node, to.port),
            transport: Transport::Datagram,
            size_bytes: payload.len() as i32,
            sequence: 0,
            packet: self.packets,
            flags: match ecn {
                Ecn::NotEct => 0,
                Ecn::Ect0 => flag::ECN_CAPABLE,
                Ecn::Ect1 => flag::ECN_CAPABLE | flag::ECT_1,
                Ecn::Ce => flag::ECN_CAPABLE | flag::MARKED,
            },
            sack: &[],
            timestamps: None,
            segment: None,
        };
        self.packets += 1;
        Pcapng::push_datagram(&mut self.block, self.interface, &captured, payload);
        self.write();
    }

    fn write(&mut self) {
        if self.failure.is_none() {
            self.failure = self.out.write_all(&self.block).err();
        }
        self.block.clear();
    }

    /// Ends it, with its first error.
    pub fn end(mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

/// An address of the engine as captures show it: IPv4 and port.
pub(crate) fn shown_address(address: Address) -> ([u8; 4], u16) {
    let end = (address.node, address.port);
    (frames::ip(end), u16::from_be_bytes(frames::port(end)))
}
