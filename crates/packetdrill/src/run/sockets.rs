//! The script's descriptors, and which connection its packets belong to.
//!
//! Source: packetdrill's rule that packets belong to the socket made last; a listening socket's packets to the
//! connection that the first of them opens (`run_packet.c`).

use ackclock_engine::transport::tcp::socket::segment::flag;
use ackclock_engine::transport::tcp::socket::seq::SeqNum;
use ackclock_engine::transport::tcp::socket::{Socket, SocketOption, TcpState};

use super::connection::Connection;
use super::descriptors::{Kind, UnderTest};
use super::runner::Runner;
use crate::script::TcpPacket;

/// Our initial sequence number: near the end of the numbers, so that they wrap.
const INITIAL_SEQUENCE: u32 = 0xffff_8000;

impl Runner<'_> {
    /// A new connection of the descriptor's options; its index.
    pub(super) fn open(&mut self, options: &[SocketOption], listener: Option<i64>) -> usize {
        // A port has its own offset of timestamps in Linux; here they begin with the time.
        let iss = INITIAL_SEQUENCE.wrapping_add(self.connections.len() as u32 * 0x10_0000);
        let mut socket = Socket::new(self.environment.socket_config(), SeqNum(iss), 0);
        for option in options {
            // The descriptor has accepted the option before.
            let _ = socket.set_option(self.now, option.clone());
        }
        self.connections.push(Connection::new(socket, iss, listener));
        self.connections.len() - 1
    }

    /// The connection that an inbound packet belongs to.
    pub(super) fn connection_for_inbound(&mut self, tcp: &TcpPacket) -> Option<usize> {
        let is_syn = tcp.flags & (flag::SYN | flag::ACK | flag::RST) == flag::SYN;
        match self.under_test {
            UnderTest::Connection(at) => {
                // A request that was given up: the listening socket takes the next SYN.
                let listener = self.connections[at].listener.filter(|_| is_syn);
                if let Some(listener) = listener.filter(|listener| self.is_listening(*listener))
                    && self.connections[at].socket.state() == TcpState::Closed
                    && !self.connections[at].was_established
                {
                    return Some(self.accept_syn(listener));
                }
                Some(at)
            }
            UnderTest::File(file) if self.is_listening(file) => Some(self.accept_syn(file)),
            UnderTest::File(_) | UnderTest::Nothing => {
                // No socket: a closed one answers.
                let at = self.open(&[], None);
                self.under_test = UnderTest::Connection(at);
                Some(at)
            }
        }
    }

    fn is_listening(&self, file: i64) -> bool {
        self.files.get(&file).is_some_and(|file| file.kind == Kind::Listener)
    }

    fn accept_syn(&mut self, listener: i64) -> usize {
        let options = self.files.get(&listener).map_or_else(Vec::new, |file| file.options.clone());
        let at = self.open(&options, Some(listener));
        self.connections[at].is_accepted = false;
        // A new socket can always listen.
        let _ = self.connections[at].socket.listen();
        self.under_test = UnderTest::Connection(at);
        at
    }

    /// The connection whose packets the script expects.
    pub(super) fn connection_for_outbound(&self) -> Option<usize> {
        match self.under_test {
            UnderTest::Connection(at) => Some(at),
            _ => None,
        }
    }

    /// The connection under test, for code blocks.
    pub(super) fn connection_under_test(&self) -> Option<&Connection> {
        match self.under_test {
            UnderTest::Connection(at) => self.connections.get(at),
            _ => None,
        }
    }
}
