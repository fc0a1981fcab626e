//! Descriptions of the engine's own flows.

use std::time::Duration;

use ackclock_engine::params::Value;
use ackclock_engine::transport::tcp::cc::Control;

use crate::ids::NodeId;

/// What makes a user-defined congestion control.
pub(crate) type MakeControl = fn() -> Box<dyn Control>;

/// What a flow sends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Traffic {
    /// TCP.
    Tcp,
    /// UDP at a constant rate, bit/s.
    Udp(f64),
}

/// A flow of the engine, which competes with your endpoints.
///
/// ```
/// use std::time::Duration;
/// use ackclock::{Flow, Link, Network};
///
/// let mut network = Network::new();
/// let (left, right) = (network.node("left"), network.node("right"));
/// network.duplex(left, right, Link::new(10e6, Duration::from_millis(10)));
/// let download = network.flow(Flow::tcp(left, right).control("bbr3").bytes(1_000_000));
/// network.flow(Flow::udp(right, left, 1e6).starts(Duration::from_secs(1)).stops(Duration::from_secs(2)));
/// let mut simulation = network.build()?;
/// simulation.advance(Duration::from_secs(5))?;
/// assert!(simulation.flow_report(download).completed.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) traffic: Traffic,
    /// CUBIC unless set.
    pub(crate) control: Option<String>,
    pub(crate) own_control: Option<MakeControl>,
    pub(crate) bytes: Option<u64>,
    pub(crate) params: Vec<(String, Value)>,
    pub(crate) receiver_params: Vec<(String, Value)>,
    pub(crate) starts: Duration,
    pub(crate) stops: Option<Duration>,
}

impl Flow {
    fn new(from: NodeId, to: NodeId, traffic: Traffic) -> Flow {
        Flow {
            from,
            to,
            traffic,
            control: None,
            own_control: None,
            bytes: None,
            params: Vec::new(),
            receiver_params: Vec::new(),
            starts: Duration::ZERO,
            stops: None,
        }
    }

    /// Today's TCP with CUBIC, and data without end.
    pub fn tcp(from: NodeId, to: NodeId) -> Flow {
        Flow::new(from, to, Traffic::Tcp)
    }

    /// UDP at a constant rate, bit/s, in packets of 1250 bytes.
    pub fn udp(from: NodeId, to: NodeId, rate_bps: f64) -> Flow {
        Flow::new(from, to, Traffic::Udp(rate_bps))
    }

    /// The congestion control of a TCP flow by its id ([`crate::controls`]).
    pub fn control(mut self, id: &str) -> Flow {
        self.control = Some(id.into());
        self
    }

    /// A user-defined congestion control.
    pub fn own_control(mut self, make: fn() -> Box<dyn Control>) -> Flow {
        self.own_control = Some(make);
        self
    }

    /// A TCP flow sends this many bytes and no more.
    pub fn bytes(mut self, bytes: u64) -> Flow {
        self.bytes = Some(bytes);
        self
    }

    /// A parameter of the sender or of its congestion control, such as `segsize` or `ecn`.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Flow {
        self.params.push((name.into(), value.into()));
        self
    }

    /// A parameter of the receiver, such as `window`, its maximum receive window in packets.
    pub fn receiver_param(mut self, name: &str, value: impl Into<Value>) -> Flow {
        self.receiver_params.push((name.into(), value.into()));
        self
    }

    /// When it starts; at once unless set.
    pub fn starts(mut self, at: Duration) -> Flow {
        self.starts = at;
        self
    }

    /// When it stops; never unless set.
    pub fn stops(mut self, at: Duration) -> Flow {
        self.stops = Some(at);
        self
    }
}
