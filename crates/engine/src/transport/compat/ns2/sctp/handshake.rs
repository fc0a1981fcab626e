//! The handshake that opens an association: INIT, INIT ACK, COOKIE ECHO, COOKIE ACK (RFC 4960, section 5).

use super::association::{Sctp, State};
use super::destination::Status;
use super::output::Outgoing;
use super::receiver::InStream;
use super::traced::Variable;
use crate::net::Network;
use crate::packet::sctp::{Chunk, Init};

impl Sctp {
    fn init(&self) -> Init {
        Init {
            arwnd: self.set.initial_rwnd as u32,
            streams: self.set.num_out_streams as u16,
            unreliable: self.set.num_unrel_streams as u16,
        }
    }

    /// Sends INIT.
    pub fn open(&mut self, net: &mut Network) {
        let Some(primary) = self.destinations.get(self.primary) else {
            self.fail("it was not connected to its peer; ns-2 ends here", net);
            return;
        };
        net.set_timer(self.timers.init, primary.rto);
        self.state = State::CookieWait;
        self.send_packet(Outgoing::with(Chunk::Init(self.init())), self.primary, net);
    }

    /// T1-init or T1-cookie has expired: the last chunk is sent again.
    pub fn on_handshake_timeout(&mut self, sends_cookie: bool, net: &mut Network) {
        self.init_tries += 1;
        if self.init_tries > self.set.max_init_retransmits {
            self.close_association(net);
            return;
        }
        let primary = &mut self.destinations[self.primary];
        primary.rto = (primary.rto * 2.0).min(self.set.max_rto);
        self.touch(Variable::Rto, net);
        let (chunk, timer) = match sends_cookie {
            true => (Chunk::CookieEcho, self.timers.cookie),
            false => (Chunk::Init(self.init()), self.timers.init),
        };
        self.send_packet(Outgoing::with(chunk), self.primary, net);
        net.set_timer(timer, self.destinations[self.primary].rto);
    }

    /// The peer's window and streams.
    fn take_init(&mut self, init: Init) {
        self.peer_rwnd = init.arwnd;
        let unreliable = init.unreliable;
        self.receiver.streams = (0..init.streams).map(|number| InStream::new(number < unreliable)).collect();
    }

    /// A chunk while there is no association; others than of the handshake are ignored.
    pub fn take_while_closed(&mut self, chunk: &Chunk, out: &mut Outgoing, net: &mut Network) {
        match chunk {
            Chunk::Init(init) => {
                self.take_init(*init);
                out.push(Chunk::InitAck(self.init()));
            }
            Chunk::CookieEcho => {
                out.push(Chunk::CookieAck);
                self.state = State::Established;
                self.start_heartbeats(net);
            }
            _ => {}
        }
    }

    /// A chunk after INIT. ns-2 does not look at its type.
    pub fn take_in_cookie_wait(&mut self, chunk: &Chunk, out: &mut Outgoing, net: &mut Network) {
        net.stop_timer(self.timers.init);
        self.take_init(as_init(chunk));
        self.touch(Variable::Rwnd, net);
        out.push(Chunk::CookieEcho);
        let Some(primary) = self.destinations.get(self.primary) else { return };
        net.set_timer(self.timers.cookie, primary.rto);
        self.state = State::CookieEchoed;
    }

    /// A chunk after COOKIE ECHO. ns-2 does not look at its type. Data has to wait until all destinations are confirmed.
    pub fn take_in_cookie_echoed(&mut self, net: &mut Network) {
        net.stop_timer(self.timers.cookie);
        self.state = State::Established;
        for number in 0..self.destinations.len() {
            self.destinations[number].status = Status::Unconfirmed;
            self.send_heartbeat(number, net);
        }
        self.send_new_data = false;
    }
}

/// What ns-2 reads of another chunk as if it was INIT ACK.
fn as_init(chunk: &Chunk) -> Init {
    match chunk {
        Chunk::Init(init) | Chunk::InitAck(init) => *init,
        Chunk::Sack(sack) | Chunk::NonRenegableSack(sack) => {
            Init { arwnd: sack.arwnd, streams: sack.words.first().copied().unwrap_or(0), unreliable: 0 }
        }
        Chunk::Data(data) => {
            Init { arwnd: u32::from(data.stream) | u32::from(data.ssn) << 16, streams: 0, unreliable: 0 }
        }
        Chunk::Heartbeat(heartbeat) | Chunk::HeartbeatAck(heartbeat) => {
            let bits = heartbeat.sent_s.to_bits();
            Init { arwnd: bits as u32, streams: (bits >> 32) as u16, unreliable: 0 }
        }
        _ => Init::default(),
    }
}
