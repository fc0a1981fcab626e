//! quiche as an endpoint. It reads the clock of the process, and BoringSSL its random numbers; [`host`] gives both.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use ackclock::{Delivery, Ecn};
use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use boring::x509::X509;

use crate::host;
use crate::seeded::{self, CERTIFICATE, KEY, Random};
use crate::stack::{Application, PEER, Sent, Side, Stack};

/// Its congestion controls, the default first.
pub const CONTROLS: &[&str] = &["cubic", "reno", "bbr2_gcongestion"];

/// The own address, which names the path.
const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 4433);
/// Bytes of a datagram, as in quiche's own programs.
const MAX_DATAGRAM: usize = 1350;
/// Flow control: bytes that the peer may send on the connection and on a stream before it gets more credit (RFC 9000, 4),
/// as in quiche's own programs.
const MAX_DATA: u64 = 10_000_000;
const MAX_STREAM_DATA: u64 = 1_000_000;
/// The client's first stream.
const STREAM: u64 = 0;

/// One end of a connection of quiche.
pub struct Quiche {
    /// What time 0 of the simulation is for the stack.
    start: Instant,
    random: &'static Random,
    config: quiche::Config,
    connection: Option<quiche::Connection>,
    application: Application,
    failure: Option<String>,
}

impl Quiche {
    /// One end with a control of [`CONTROLS`]; a client opens its connection at once.
    pub fn new(application: Application, seed: u64, control: &str) -> Quiche {
        let random = seeded::random(seed);
        host::within(Duration::ZERO, random, || {
            let mut config = config(application.side, control);
            let connection = (application.side == Side::Client).then(|| {
                quiche::connect(Some("localhost"), &id(random), HERE, PEER, &mut config).expect("a connection")
            });
            Quiche { start: Instant::now(), random, config, connection, application, failure: None }
        })
    }

    /// Lets the application read and write.
    fn work(&mut self) {
        let (Some(connection), application) = (&mut self.connection, &mut self.application) else { return };
        if connection.is_closed() && !application.has_read_all {
            let reason = connection.peer_error().or(connection.local_error());
            self.failure = Some(format!("the connection is closed: {reason:?}"));
        }
        application.is_connected = connection.is_established();
        if !application.is_connected {
            return;
        }
        if !application.has_read_all {
            let (mut buffer, mut is_end) = ([0; 16_384], false);
            application.read_from(|| match is_end {
                true => Ok(None),
                false => connection.stream_recv(STREAM, &mut buffer).map(|(bytes, fin)| {
                    is_end = fin;
                    Some(bytes)
                }),
            });
        }
        // quiche makes a packet of whatever the window has room for. A program waits for room for a whole one.
        let least = application.unwritten.min(MAX_DATAGRAM as u64) as usize;
        let has_room = connection.stream_writable(STREAM, least).unwrap_or(true);
        if application.may_write() && has_room {
            let write = |data: &[u8]| connection.stream_send(STREAM, data, false);
            if application.write_to(write) {
                application.has_written_all = connection.stream_send(STREAM, &[], true).is_ok();
            }
        }
    }
}

/// A connection id.
fn id(random: &Random) -> quiche::ConnectionId<'static> {
    quiche::ConnectionId::from_vec(random.array::<16>().to_vec())
}

fn config(side: Side, control: &str) -> quiche::Config {
    let tls = tls(side).expect("a certificate and its key");
    let mut config = quiche::Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, tls).expect("a version");
    config.verify_peer(side == Side::Client);
    config.set_application_protos(&[b"transfer"]).expect("a name");
    config.set_cc_algorithm_name(control).expect("a control");
    config.set_max_recv_udp_payload_size(MAX_DATAGRAM);
    config.set_max_send_udp_payload_size(MAX_DATAGRAM);
    config.set_initial_max_data(MAX_DATA);
    config.set_initial_max_stream_data_bidi_local(MAX_STREAM_DATA);
    config.set_initial_max_stream_data_bidi_remote(MAX_STREAM_DATA);
    config.set_initial_max_streams_bidi(1);
    config
}

/// TLS with X25519 and Ed25519 alone: the other ways take random numbers inside of BoringSSL.
fn tls(side: Side) -> Result<SslContextBuilder, boring::error::ErrorStack> {
    let mut tls = SslContextBuilder::new(SslMethod::tls())?;
    tls.set_curves_list("X25519")?;
    tls.set_verify_algorithm_prefs(&[SslSignatureAlgorithm::ED25519])?;
    let certificate = X509::from_der(CERTIFICATE)?;
    if side == Side::Client {
        tls.cert_store_mut().add_cert(&certificate)?;
    } else {
        tls.set_certificate(&certificate)?;
        tls.set_private_key(&*PKey::private_key_from_pkcs8(KEY)?)?;
    }
    Ok(tls)
}

impl Stack for Quiche {
    fn receive(&mut self, now: Duration, datagram: Delivery) {
        let mut data = datagram.payload;
        host::within(now, self.random, || {
            if self.connection.is_none() {
                match quiche::accept(&id(self.random), None, HERE, PEER, &mut self.config) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(error) => self.failure = Some(error.to_string()),
                }
            }
            let Some(connection) = &mut self.connection else { return };
            match connection.recv(&mut data, quiche::RecvInfo { from: PEER, to: HERE }) {
                Ok(_) | Err(quiche::Error::Done) => {}
                Err(error) => self.failure = Some(error.to_string()),
            }
        });
    }

    fn next_timeout(&mut self) -> Option<Duration> {
        let due = self.connection.as_ref()?.timeout_instant()?;
        Some(due.saturating_duration_since(self.start))
    }

    fn on_timeout(&mut self, now: Duration) {
        if let Some(connection) = &mut self.connection {
            host::within(now, self.random, || connection.on_timeout());
        }
    }

    fn transmit(&mut self, now: Duration) -> Option<Sent> {
        host::within(now, self.random, || {
            self.work();
            let mut payload = vec![0; MAX_DATAGRAM];
            match self.connection.as_mut()?.send(&mut payload) {
                Ok((bytes, info)) => {
                    payload.truncate(bytes);
                    // It sets no ECN field, and leaves pacing to the host.
                    let at = info.at.saturating_duration_since(self.start).max(now);
                    Some(Sent { payload, ecn: Ecn::NotEct, at })
                }
                Err(quiche::Error::Done) => None,
                Err(error) => {
                    self.failure = Some(error.to_string());
                    None
                }
            }
        })
    }

    fn application(&self) -> &Application {
        &self.application
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
