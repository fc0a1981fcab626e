//! The state of a run, which the parts of `run` change.

use std::collections::{BTreeMap, VecDeque};

use ackclock_engine::transport::tcp::socket::clock::Instant;
use ackclock_engine::transport::tcp::socket::segment::Segment;

use super::connection::Connection;
use super::descriptors::{File, UnderTest};
use super::environment::Environment;
use super::python::Variables;
use super::settings::Settings;
use crate::script::{Call, Direction, Event, Script};

/// The time at which a script starts. packetdrill starts 250 us after a tick of the kernel's clock.
pub(super) const START: Instant = Instant(10_000_250_000);

/// A packet of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it was injected or came out, microseconds from the start.
    pub at: i64,
    /// Its direction.
    pub direction: Direction,
    /// The packet in packetdrill's notation, with the ECN field of its IP header.
    pub text: String,
}

/// Why a run ends early.
pub(super) enum Stop {
    /// What differs, without file and line.
    Differs {
        line: u32,
        message: String,
    },
    NotApplicable(String),
}

pub(super) type Step<T = ()> = Result<T, Stop>;

/// A call that waits.
#[derive(Clone, Copy)]
pub(super) struct Pending<'a> {
    pub(super) event: &'a Event,
    pub(super) call: &'a Call,
    pub(super) start: i64,
    pub(super) end: i64,
    /// Bytes that the call has written so far.
    pub(super) progress: u64,
    /// When the call returns whatever happens (`poll`).
    pub(super) wakes_at: Option<Instant>,
}

/// A segment that came out and has not been expected yet.
pub(super) struct Sniffed {
    pub(super) at: Instant,
    pub(super) connection: usize,
    pub(super) segment: Segment,
}

pub(super) struct Runner<'a> {
    pub(super) script: &'a Script,
    pub(super) settings: Settings,
    pub(super) environment: Environment,
    pub(super) now: Instant,
    pub(super) connections: Vec<Connection>,
    pub(super) files: BTreeMap<i64, File>,
    pub(super) under_test: UnderTest,
    pub(super) sniffed: VecDeque<Sniffed>,
    pub(super) pending: Option<Pending<'a>>,
    pub(super) variables: Variables,
    /// Time of the previous event as the script has it, microseconds from the start.
    pub(super) last_event: i64,
    /// Whether the previous event is an inbound packet.
    pub(super) follows_inbound: bool,
    pub(super) steps: u64,
    pub(super) packets: Vec<Record>,
    pub(super) printed: Vec<String>,
}
