//! Descriptions of links and of their losses.

use std::time::Duration;

use ackclock_engine::params::Value;
use ackclock_engine::queue::Discipline;

/// The MTU of Ethernet, bytes.
const ETHERNET_MTU: u32 = 1500;

/// What makes a user-defined queue discipline.
pub(crate) type MakeQueue = fn() -> Box<dyn Discipline>;

/// What a link is to be: rate, delay, queue discipline, losses.
///
/// ```
/// use std::time::Duration;
/// use ackclock::{Link, Loss};
///
/// let dsl = Link::new(50e6, Duration::from_millis(20)).queue("drop_tail").param("limit", 100);
/// let wireless = Link::new(20e6, Duration::from_millis(2)).loss(Loss::random(0.01)).mtu(1400);
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    pub(crate) rate_bps: f64,
    pub(crate) delay: Duration,
    pub(crate) queue: String,
    pub(crate) own_queue: Option<MakeQueue>,
    pub(crate) params: Vec<(String, Value)>,
    pub(crate) mtu: u32,
    pub(crate) cost: f64,
    pub(crate) losses: Vec<Loss>,
}

impl Link {
    /// A link of this rate, bit/s, and propagation delay, with a drop-tail queue.
    pub fn new(rate_bps: f64, delay: Duration) -> Link {
        Link {
            rate_bps,
            delay,
            queue: "drop_tail".into(),
            own_queue: None,
            params: Vec::new(),
            mtu: ETHERNET_MTU,
            cost: 1.0,
            losses: Vec::new(),
        }
    }

    /// The queue discipline by its id ([`crate::queues`]).
    pub fn queue(mut self, id: &str) -> Link {
        self.queue = id.into();
        self
    }

    /// A user-defined queue discipline: `make` is called once for each direction.
    pub fn own_queue(mut self, make: fn() -> Box<dyn Discipline>) -> Link {
        self.own_queue = Some(make);
        self
    }

    /// A parameter of the queue discipline. Those not set have the values of the sources that the discipline's file names:
    /// ns-2's or an RFC's.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Link {
        self.params.push((name.into(), value.into()));
        self
    }

    /// The maximum of bytes of an IP packet; 1500 unless set. It limits datagrams. The engine's own flows have a parameter
    /// `segsize` instead.
    pub fn mtu(mut self, bytes: u32) -> Link {
        self.mtu = bytes;
        self
    }

    /// The cost for the choice of routes; 1 unless set. Packets take the path with the smallest sum.
    pub fn cost(mut self, cost: f64) -> Link {
        self.cost = cost;
        self
    }

    /// Loses packets. Several losses add up, in this order.
    pub fn loss(mut self, loss: Loss) -> Link {
        self.losses.push(loss);
        self
    }
}

/// Losses of a link, before its queue, as in scenarios.
#[derive(Clone, Debug)]
pub struct Loss {
    pub(crate) model: String,
    pub(crate) params: Vec<(String, Value)>,
    pub(crate) listed: Vec<u32>,
}

impl Loss {
    /// Each packet is lost with this probability.
    pub fn random(probability: f64) -> Loss {
        Loss::model("uniform").param("rate", probability)
    }

    /// These packets of the link are lost, counted from 0.
    pub fn packets(listed: &[u32]) -> Loss {
        Loss { listed: listed.to_vec(), ..Loss::model("list") }
    }

    /// The losses of an error model by its id: one of [`crate::engine::loss::MODELS`].
    pub fn model(id: &str) -> Loss {
        Loss { model: id.into(), params: Vec::new(), listed: Vec::new() }
    }

    /// A parameter of the model.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Loss {
        self.params.push((name.into(), value.into()));
        self
    }
}
