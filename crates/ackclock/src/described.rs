//! Networks from scenarios: their links, flows and events are the scenario's, their endpoints the program's.

use std::sync::Arc;
use std::time::Duration;

use ackclock_scenario::outside::Nothing;
use ackclock_scenario::resolve::network::resolve;
use ackclock_scenario::{Scenario, ScenarioError};

use crate::base::Base;
use crate::error::{BuildError, unknown};
use crate::ids::{LinkId, NodeId};
use crate::link::Link;
use crate::network::Network;

impl Network {
    /// The network of a scenario: its nodes, links, flows and changes, its seed and its duration. You add endpoints at its
    /// nodes, and no more nodes, links or flows.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ackclock::{Datagram, Network, Scenario};
    ///
    /// let text = r#"
    ///     duration = "5 s"
    ///     external_nodes = ["left1", "right1"]
    ///     [topology]
    ///     kind = "dumbbell"
    ///     bottleneck = { rate = "10 Mb/s", delay = "20 ms", queue = { kind = "fq_codel" } }
    ///     [[flows]]
    ///     pair = 1
    ///     tcp = "cubic"
    /// "#;
    /// let mut network = Network::from_scenario(&Scenario::from_toml(text)?)?;
    /// let (left, right) = (network.find_node("left1")?, network.find_node("right1")?);
    /// let (here, there) = (network.endpoint(left), network.endpoint(right));
    /// network.external_flow("mine", here, there);
    /// let mut simulation = network.build()?;
    /// simulation.send(here, Duration::ZERO, Datagram::new(there, vec![0; 1000]))?;
    /// while simulation.now() < Duration::from_secs(5) {
    ///     simulation.advance(Duration::from_secs(5))?;
    ///     simulation.deliveries();
    /// }
    /// let tables = simulation.take_tables();
    /// let (_, flows) = &tables[0];
    /// assert_eq!(flows.column("received_packets").and_then(|packets| packets.real(1)), Some(1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For a description that cannot be simulated.
    // What the error weighs is paid once.
    #[allow(clippy::result_large_err)]
    pub fn from_scenario(scenario: &Scenario) -> Result<Network, ScenarioError> {
        let resolved = resolve(scenario, &Nothing)?;
        let delay = |delay_s: f64| Duration::try_from_secs_f64(delay_s).unwrap_or_default();
        let links = resolved.links.iter().map(|link| {
            let (from, to) = (NodeId(link.source as u32), NodeId(link.target as u32));
            (from, to, Link::new(link.rate_bps, delay(link.delay_s)))
        });
        Ok(Network {
            nodes: resolved.nodes.clone(),
            links: links.collect(),
            base: Some(Arc::new(Base { scenario: scenario.clone(), resolved })),
            ..Network::default()
        })
    }

    /// The node of this name.
    ///
    /// # Errors
    /// If there is none: a message with the nearest known name.
    pub fn find_node(&self, name: &str) -> Result<NodeId, BuildError> {
        match self.nodes.iter().position(|known| known == name) {
            Some(index) => Ok(NodeId(index as u32)),
            None => Err(BuildError::new("network", unknown("node", name, self.nodes.iter().map(String::as_str)))),
        }
    }

    /// The link from one node to another, the last one if there are several.
    pub fn find_link(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        let index = self.links.iter().rposition(|(source, target, _)| (*source, *target) == (from, to))?;
        Some(LinkId(index as u32))
    }

    /// The MTU of all links, bytes; 1500 unless set.
    pub fn mtu(mut self, bytes: u32) -> Network {
        for (_, _, link) in &mut self.links {
            link.mtu = bytes;
        }
        self
    }

    /// Names of the nodes, by number.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(String::as_str)
    }

    /// Names of the links as scenarios have them, `a->b`, by number.
    pub fn link_names(&self) -> impl Iterator<Item = String> {
        self.links.iter().map(|(from, to, _)| format!("{}->{}", self.name(*from), self.name(*to)))
    }

    /// Names of the flows in the order of the rows of the tables: the scenario's, then those of your endpoints.
    pub fn flow_names(&self) -> impl Iterator<Item = &str> {
        let described = self.base.iter().flat_map(|base| base.resolved.flows.iter().map(|flow| flow.name.as_str()));
        described.chain(self.external_flows.iter().map(|(name, ..)| name.as_str()))
    }

    /// Nothing was added to the scenario's own parts.
    pub(crate) fn check_parts(&self, base: &Base) -> Result<(), BuildError> {
        let added = [
            ("nodes", self.nodes.len() > base.resolved.nodes.len()),
            ("links", self.links.len() > base.resolved.links.len()),
            ("flows", !self.flows.is_empty()),
        ];
        match added.iter().find(|(_, is_added)| *is_added) {
            Some((what, _)) => Err(BuildError::new(
                "network of a scenario",
                format!("{what} were added; expected them in the scenario, and only endpoints here"),
            )),
            None => Ok(()),
        }
    }
}
