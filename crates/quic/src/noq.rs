//! noq-proto as an endpoint.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ackclock::{Delivery, Ecn};
use bytes::BytesMut;
use noq_proto as quic;
use quic::congestion::NewRenoConfig;
use quic::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quic::{ConnectionHandle, ConnectionId, DatagramEvent, Dir, Event, StreamEvent, StreamId};

use crate::seeded::{self, Random};
use crate::stack::{Application, PEER, Sent, Side, Stack};

/// One end of a connection of noq.
pub struct Noq {
    /// What time 0 of the simulation is for the stack.
    start: Instant,
    endpoint: quic::Endpoint,
    connection: Option<(ConnectionHandle, quic::Connection)>,
    stream: Option<StreamId>,
    application: Application,
    /// Datagrams of the endpoint itself.
    answers: VecDeque<Vec<u8>>,
    failure: Option<String>,
}

/// Its congestion controls, the default first. BBR takes random numbers of the system, which no seed repeats.
pub const CONTROLS: &[&str] = &["cubic", "new_reno"];

/// Connection ids from a seed.
struct SeededIds(&'static Random);

impl quic::ConnectionIdGenerator for SeededIds {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.array::<8>())
    }

    fn cid_len(&self) -> usize {
        8
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

impl Noq {
    /// One end with a control of [`CONTROLS`]; a client opens its connection at once.
    pub fn new(application: Application, seed: u64, control: &str) -> Noq {
        let random = seeded::random(seed);
        let reset_key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &random.array::<32>());
        let mut config = quic::EndpointConfig::new(Arc::new(reset_key));
        config.rng_seed(Some(random.array())).cid_generator(Arc::new(move || Box::new(SeededIds(random))));
        let server = (application.side == Side::Server).then(|| Arc::new(server_config(random, control)));
        let mut endpoint = quic::Endpoint::new(Arc::new(config), server, true);
        let start = Instant::now();
        let connection = (application.side == Side::Client).then(|| {
            let tls = QuicClientConfig::try_from(seeded::client_tls(random)).expect("TLS 1.3");
            let mut config = quic::ClientConfig::new(Arc::new(tls));
            config.transport_config(transport(control));
            config.initial_dst_cid_provider(Arc::new(move || ConnectionId::new(&random.array::<8>())));
            endpoint.connect(start, config, PEER, "localhost").expect("a connection")
        });
        Noq { start, endpoint, connection, stream: None, application, answers: VecDeque::new(), failure: None }
    }

    /// Lets the application read and write.
    fn work(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => {
                    self.application.is_connected = true;
                    if self.application.side == Side::Client {
                        self.stream = connection.streams().open(Dir::Bi);
                    }
                }
                Event::Stream(StreamEvent::Opened { dir }) => self.stream = connection.streams().accept(dir),
                Event::ConnectionLost { reason } => self.failure = Some(reason.to_string()),
                _ => {}
            }
        }
        if let Some(stream) = self.stream {
            read(connection, stream, &mut self.application);
            write(connection, stream, &mut self.application);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
    }
}

fn path() -> quic::FourTuple {
    quic::FourTuple::from_remote(PEER)
}

fn transport(control: &str) -> Arc<quic::TransportConfig> {
    let mut config = quic::TransportConfig::default();
    if control == "new_reno" {
        config.congestion_controller_factory(Arc::new(NewRenoConfig::default()));
    }
    Arc::new(config)
}

fn server_config(random: &'static Random, control: &str) -> quic::ServerConfig {
    let tls = QuicServerConfig::try_from(seeded::server_tls(random)).expect("TLS 1.3");
    // It has a random key for tokens, which it does not send.
    let mut config = quic::ServerConfig::with_crypto(Arc::new(tls));
    // A token for a later connection has the time of day in it.
    let mut tokens = quic::ValidationTokenConfig::default();
    tokens.sent(0);
    config.validation_token_config(tokens).transport_config(transport(control));
    config
}

fn read(connection: &mut quic::Connection, stream: StreamId, application: &mut Application) {
    if application.has_read_all {
        return;
    }
    let mut stream = connection.recv_stream(stream);
    let Ok(mut chunks) = stream.read(true) else { return };
    application.read_from(|| chunks.next(usize::MAX).map(|chunk| chunk.map(|chunk| chunk.bytes.len())));
    let _ = chunks.finalize();
}

fn write(connection: &mut quic::Connection, stream: StreamId, application: &mut Application) {
    if !application.may_write() {
        return;
    }
    let mut stream = connection.send_stream(stream);
    if application.write_to(|data| stream.write(data)) {
        application.has_written_all = stream.finish().is_ok();
    }
}

impl Stack for Noq {
    fn receive(&mut self, now: Duration, datagram: Delivery) {
        let now = self.start + now;
        let ecn = quic::EcnCodepoint::from_bits(datagram.ecn as u8);
        let (data, mut answer) = (BytesMut::from(&datagram.payload[..]), Vec::new());
        match self.endpoint.handle(now, path(), ecn, data, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(error) => self.failure = Some(error.cause.to_string()),
                }
            }
            Some(DatagramEvent::Response(_)) => self.answers.push_back(answer),
            None => {}
        }
    }

    fn next_timeout(&mut self) -> Option<Duration> {
        let (_, connection) = self.connection.as_mut()?;
        connection.poll_timeout().map(|at| at.saturating_duration_since(self.start))
    }

    fn on_timeout(&mut self, now: Duration) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(self.start + now);
        }
    }

    fn transmit(&mut self, now: Duration) -> Option<Sent> {
        if let Some(answer) = self.answers.pop_front() {
            return Some(Sent { payload: answer, ecn: Ecn::NotEct, at: now });
        }
        self.work();
        let (_, connection) = self.connection.as_mut()?;
        let mut payload = Vec::new();
        let transmit = connection.poll_transmit(self.start + now, NonZeroUsize::MIN, &mut payload)?;
        payload.truncate(transmit.size);
        Some(Sent { payload, ecn: Ecn::from_bits(transmit.ecn.map_or(0, |ecn| ecn as u8)), at: now })
    }

    fn application(&self) -> &Application {
        &self.application
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
