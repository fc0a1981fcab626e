//! Everything random of a handshake, from a seed; and TLS 1.3 with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use curve25519_dalek::MontgomeryPoint;
use rustls::crypto::{
    ActiveKeyExchange, CryptoProvider, GetRandomFailed, SecureRandom, SharedSecret, SupportedKxGroup,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{NamedGroup, RootCertStore};

/// A certificate for `localhost`, of 2026 for a hundred years, and its key. Ed25519 signs without random numbers.
pub(crate) const CERTIFICATE: &[u8] = include_bytes!("localhost.der");
pub(crate) const KEY: &[u8] = include_bytes!("localhost.key");

/// When handshakes take place for TLS, seconds since 1970: while the certificate is valid.
pub(crate) const NOW_S: u64 = 1_800_000_000;

/// Random numbers of the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): no secret, for simulations only.
#[derive(Debug)]
pub struct Random(AtomicU64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(AtomicU64::new(seed))
    }

    /// Fills a slice.
    pub fn bytes(&self, out: &mut [u8]) {
        for piece in out.chunks_mut(8) {
            let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
            let state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            piece.copy_from_slice(&(state ^ state >> 31).to_le_bytes()[..piece.len()]);
        }
    }

    /// An array.
    pub fn array<const N: usize>(&self) -> [u8; N] {
        let mut array = [0; N];
        self.bytes(&mut array);
        array
    }
}

impl SecureRandom for Random {
    fn fill(&self, out: &mut [u8]) -> Result<(), GetRandomFailed> {
        self.bytes(out);
        Ok(())
    }
}

/// X25519 with keys of such a generator.
#[derive(Debug)]
struct SeededX25519(&'static Random);

/// A secret and its public key (RFC 7748, 5).
struct Exchange([u8; 32], MontgomeryPoint);

impl SupportedKxGroup for SeededX25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, rustls::Error> {
        let secret = self.0.array::<32>();
        Ok(Box::new(Exchange(secret, MontgomeryPoint::mul_base_clamped(secret))))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, rustls::Error> {
        let peer: [u8; 32] = peer.try_into().map_err(|_| rustls::PeerMisbehaved::InvalidKeyShare)?;
        Ok(SharedSecret::from(&MontgomeryPoint(peer).mul_clamped(self.0).to_bytes()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        self.1.as_bytes()
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// The same time at each handshake.
#[derive(Debug)]
struct FixedTime;

impl TimeProvider for FixedTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(NOW_S)))
    }
}

/// ring's cryptography, with keys and random numbers of the generator. rustls wants it for ever, so it is never freed.
fn provider(random: &'static Random) -> Arc<CryptoProvider> {
    let group: &'static SeededX25519 = Box::leak(Box::new(SeededX25519(random)));
    let ring = rustls::crypto::ring::default_provider();
    Arc::new(CryptoProvider { kx_groups: vec![group], secure_random: random, ..ring })
}

/// A generator that lives for ever, as rustls wants it.
pub fn random(seed: u64) -> &'static Random {
    Box::leak(Box::new(Random::new(seed)))
}

/// TLS of a client.
pub fn client_tls(random: &'static Random) -> rustls::ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(CERTIFICATE)).expect("a certificate");
    let builder = rustls::ClientConfig::builder_with_details(provider(random), Arc::new(FixedTime));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]).expect("TLS 1.3");
    builder.with_root_certificates(roots).with_no_client_auth()
}

/// TLS of a server.
pub fn server_tls(random: &'static Random) -> rustls::ServerConfig {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
    let builder = rustls::ServerConfig::builder_with_details(provider(random), Arc::new(FixedTime));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]).expect("TLS 1.3");
    builder.with_no_client_auth().with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key).expect("a key")
}
