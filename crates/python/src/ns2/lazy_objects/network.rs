//! What a script says to its Simulator, of nodes, links and agents that are deferred.

use ackclock_engine::net::node::{AgentId, NodeId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::kinds::{Answers, Making};
use super::script_simulator::{Count, ScriptSimulator};
use super::{Agent, LINK, LazyObjects, Link, Name, Node, Place, Ports, QUEUE, What, handle_number, handle_of};
use crate::convert::simulation_error;
use crate::simulation::{LinkKind, Simulation};

/// How many links are named in the result of making one.
const MAX_SHOWN: usize = 1000;

/// The number of a node by its handle, and the node itself if it is deferred.
struct Found {
    number: u32,
    thing: Option<usize>,
}

impl LazyObjects {
    /// The network, if this is the handle of its Simulator and nothing about that is unusual.
    fn network(&self, py: Python, simulator: &str) -> PyResult<Option<&ScriptSimulator>> {
        match &self.network {
            Some(network) if network.is_plain(py, simulator)? => Ok(Some(network)),
            _ => Ok(None),
        }
    }

    /// Whether the Simulator makes no trace for what a new sender does.
    pub(super) fn no_sender_is_traced(this: &Bound<LazyObjects>) -> PyResult<bool> {
        let py = this.py();
        let Some(kind) = this.borrow().network.as_ref().map(|network| network.kind) else { return Ok(false) };
        let plain = LazyObjects::answers(this, kind)?.include(const { Answers::one("create-eventtrace") });
        let lazy = this.borrow();
        let Some(network) = &lazy.network else { return Ok(false) };
        Ok(plain && network.is_plain(py, &network.handle)? && !network.has(py, "eventTraceAll_")?)
    }

    fn node_at(&self, handle: &str) -> Option<Found> {
        if let Some(&number) = self.other_nodes.get(&handle_number(handle)?) {
            return Some(Found { number, thing: None });
        }
        let Place { thing, part } = self.place(handle_number(handle)?)?;
        match &self.things[thing].what {
            What::Node(node) if part == 0 && !node.is_gone => {
                let is_deferred = self.things[thing].made & 1 == 0;
                Some(Found { number: node.number.0, thing: is_deferred.then_some(thing) })
            }
            _ => None,
        }
    }

    pub(super) fn node(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator] = words else { return Ok(None) };
        let mut lazy = this.borrow_mut();
        let lazy = &mut *lazy;
        let Some(&kind) = lazy.makes.get("node") else { return Ok(None) };
        let (Some(network), Some(simulation)) = (lazy.network(py, simulator)?, &lazy.simulation) else {
            return Ok(None);
        };
        if network.has(py, "QS_")? {
            return Ok(None);
        }
        let number = simulation.borrow_mut(py).engine.add_node();
        let handle = handle_of(lazy.last + 1);
        network.kept.bind(py).set_item(format!("Node_({})", number.0), &handle)?;
        network.nodes.bind(py).set_item(number.0, &handle)?;
        network.nodes_made.borrow_mut(py).set(i64::from(number.0) + 1);
        let node = Node {
            kind,
            number,
            neighbours: Vec::new(),
            agents: Vec::new(),
            ports: 0,
            is_introduced: false,
            is_gone: false,
        };
        let plans = lazy.kinds[kind].plans.clone_ref(py);
        lazy.add(plans.bind(py), What::Node(node));
        Ok(Some(handle))
    }

    pub(super) fn simplex_link(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        LazyObjects::links(this, words, false)
    }

    pub(super) fn duplex_link(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        LazyObjects::links(this, words, true)
    }

    fn links(this: &Bound<LazyObjects>, words: &[&str], both: bool) -> PyResult<Option<String>> {
        const NEEDED: Answers = Answers::one("register-nam-linkconfig").and(Answers::one("simplex-link"));
        let py = this.py();
        let [simulator, one, other, bandwidth, delay, queue] = words else { return Ok(None) };
        let Some(kind) = this.borrow().network.as_ref().map(|network| network.kind) else { return Ok(None) };
        if !LazyObjects::answers(this, kind)?.include(NEEDED) {
            return Ok(None);
        }
        let Some(&kind) = this.borrow().makes.get(&format!("link Queue/{queue}")) else { return Ok(None) };
        let ends = {
            let lazy = this.borrow();
            let Some(network) = lazy.network(py, simulator)? else { return Ok(None) };
            if network.links_made.borrow(py).value().is_none() {
                return Ok(None);
            }
            let (Some(one), Some(other)) = (lazy.node_at(one), lazy.node_at(other)) else { return Ok(None) };
            let unusual = [format!("link_({}:{})", one.number, other.number), format!("queueMap_({queue})")];
            for variable in ["traceAllFile_", "namtraceAllFile_", &unusual[0], &unusual[1]] {
                if network.has(py, variable)? {
                    return Ok(None);
                }
            }
            (one, other)
        };
        for found in [&ends.0, &ends.1] {
            let node_kind = found.thing.and_then(|thing| this.borrow().kind_of(thing));
            if let Some(node_kind) = node_kind
                && !LazyObjects::answers(this, node_kind)?.include(const { Answers::one("add-neighbor") })
            {
                return Ok(None);
            }
        }
        let Some((rate_bps, delay_s)) = LazyObjects::amounts(this, kind, bandwidth, delay) else { return Ok(None) };
        if rate_bps.is_nan() || rate_bps <= 0.0 || delay_s.is_nan() || delay_s < 0.0 || ends.0.number == ends.1.number {
            return Ok(None);
        }
        if both {
            let lazy = this.borrow();
            let network = lazy.network.as_ref().expect("was there");
            network.look(py, &format!("link_({}:{})", ends.0.number, ends.1.number))?;
        }
        let (one, other) = ((*one, ends.0.number), (*other, ends.1.number));
        let is_drawn = LazyObjects::lay_link(this, kind, queue, (rate_bps, delay_s), one, other)?;
        if both {
            LazyObjects::lay_link(this, kind, queue, (rate_bps, delay_s), other, one)?;
        } else if is_drawn {
            // `simplex-link` returns the links in nam's list, as in ns-2; with very many links it returns nothing.
            let lazy = this.borrow();
            let drawn = lazy.network.as_ref().expect("was there").drawn.bind(py);
            if drawn.len() <= MAX_SHOWN {
                return Ok(Some(drawn.keys().extract::<Vec<String>>()?.join(" ")));
            }
        }
        Ok(Some(String::new()))
    }

    /// Bits a second and seconds; none where Python has something to say about it.
    fn amounts(this: &Bound<LazyObjects>, kind: usize, bandwidth: &str, delay: &str) -> Option<(f64, f64)> {
        let py = this.py();
        match &mut this.borrow_mut().kinds[kind].making {
            Making::Link { rate_bps, delay_s, .. } => {
                Some((rate_bps.get(py, bandwidth).ok()?, delay_s.get(py, delay).ok()?))
            }
            _ => None,
        }
    }

    /// A link from one node to another, given by their handles and numbers, and who hears of it. Whether nam is told of it.
    fn lay_link(
        this: &Bound<LazyObjects>,
        kind: usize,
        queue: &str,
        (rate_bps, delay_s): (f64, f64),
        (source, from): (&str, u32),
        (target, to): (&str, u32),
    ) -> PyResult<bool> {
        let py = this.py();
        let handle = LazyObjects::add_link(this, kind, (from, to), rate_bps, delay_s)?;
        let tell = {
            let mut lazy = this.borrow_mut();
            let deferred = lazy.node_at(source).and_then(|found| found.thing);
            let network = lazy.network.as_ref().expect("links are made in it");
            network.look(py, &format!("queueMap_({queue})"))?;
            network.kept.bind(py).set_item(format!("link_({from}:{to})"), &handle)?;
            let tell = network.add_neighbour.clone_ref(py);
            match deferred.map(|thing| &mut lazy.things[thing].what) {
                Some(What::Node(node)) => {
                    node.neighbours.push(to);
                    None
                }
                _ => Some(tell),
            }
        };
        // The script may have a say in that, and may look into anything.
        tell.map_or(Ok(()), |tell| tell.call1(py, (source, target)).map(drop))?;
        let lazy = this.borrow();
        let network = lazy.network.as_ref().expect("links are made in it");
        let drawn = network.drawn.bind(py);
        // One link of each pair is drawn. ns-2 looks for the other once it knows of a link.
        let back = format!("link_({to}:{from})");
        match network.kept.bind(py).get_item(&back)? {
            Some(other) if drawn.contains(&other)? => return Ok(false),
            None if !drawn.is_empty() => network.look(py, &back)?,
            _ => {}
        }
        drawn.set_item(handle, py.None())?;
        Ok(true)
    }

    pub(super) fn link(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator, one, other] = words else { return Ok(None) };
        let lazy = this.borrow();
        let Some(network) = lazy.network(py, simulator)? else { return Ok(None) };
        let (Some(one), Some(other)) = (lazy.node_at(one), lazy.node_at(other)) else { return Ok(None) };
        let link = network.kept.bind(py).get_item(format!("link_({}:{})", one.number, other.number))?;
        Ok(link.and_then(|link| link.extract().ok()))
    }

    pub(super) fn queue_limit(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        const NEEDED: Answers = Answers::one("queue").and(Answers::one("queue-limit"));
        let [simulator, one, other, limit] = words else { return Ok(None) };
        let Some(link) = LazyObjects::link(this, &[simulator, one, other])? else { return Ok(None) };
        let found = this.borrow().find(&link);
        let Some(Place { thing, part: LINK }) = found else { return Ok(None) };
        let queue = Place { thing, part: QUEUE };
        let Some(kind) = this.borrow().kind_of(thing) else { return Ok(None) };
        let is_made = this.borrow().things[thing].made & (1 << QUEUE) != 0;
        if is_made || !LazyObjects::answers(this, kind)?.include(NEEDED) {
            return Ok(None);
        }
        let limit = LazyObjects::set(this, kind, queue, "limit_", Some(limit))?;
        Ok(limit.map(|_| String::new()))
    }

    pub(super) fn attach_agent(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [_, at, who] = words else { return Ok(None) };
        let (node, agent, kind) = {
            let lazy = this.borrow();
            let (Some(node), Some(agent)) = (lazy.find(at), lazy.find(who)) else { return Ok(None) };
            let (What::Node(Node { kind, .. }), What::Agent(_), 0) =
                (&lazy.things[node.thing].what, &lazy.things[agent.thing].what, node.part)
            else {
                return Ok(None);
            };
            (node.thing, agent.thing, *kind)
        };
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("attach") }) {
            return Ok(None);
        }
        let mut lazy = this.borrow_mut();
        let lazy = &mut *lazy;
        let (node_handle, agent_handle) = (lazy.first[node], lazy.first[agent]);
        let has_ports = matches!(&lazy.things[node].what, What::Node(node) if node.ports != 0);
        let ports = match &lazy.kinds[kind].making {
            Making::Node { ports } if !has_ports => Some(ports.clone_ref(py)),
            _ => None,
        };
        let What::Node(Node { number, .. }) = lazy.things[node].what else { return Ok(None) };
        let first = ports.map(|plan| lazy.add(plan.bind(py), What::Ports(Ports { kind, node: number })));
        if let What::Node(node) = &mut lazy.things[node].what {
            node.ports = first.unwrap_or(node.ports);
            node.agents.push(agent_handle);
        }
        if let (What::Agent(agent), Some(simulation)) = (&mut lazy.things[agent].what, &lazy.simulation) {
            agent.node = node_handle;
            simulation.borrow_mut(py).attach(agent.number, number, None);
        }
        Ok(Some(String::new()))
    }

    pub(super) fn connect(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator, one, other] = words else { return Ok(None) };
        let Some(kind) = this.borrow().network(py, simulator)?.map(|network| network.kind) else { return Ok(None) };
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("simplex-connect") }) {
            return Ok(None);
        }
        let mut ends = [AgentId(0); 2];
        for (end, handle) in ends.iter_mut().zip([one, other]) {
            let Some((agent, kind)) = this.borrow().agent_at(handle) else { return Ok(None) };
            if !LazyObjects::answers(this, kind)?.include(const { Answers::one("set") }) {
                return Ok(None);
            }
            *end = agent;
        }
        let lazy = this.borrow();
        let Some(simulation) = &lazy.simulation else { return Ok(None) };
        let mut simulation = simulation.borrow_mut(py);
        simulation.aim(ends[0], ends[1]);
        simulation.aim(ends[1], ends[0]);
        Ok(Some((*one).to_owned()))
    }

    /// The engine's id of a deferred agent, and its kind.
    pub(super) fn agent_at(&self, handle: &str) -> Option<(AgentId, usize)> {
        match &self.things[self.find(handle)?.thing].what {
            What::Agent(Agent { number, kind, .. }) => Some((*number, *kind)),
            _ => None,
        }
    }

    /// A new link between two nodes, whose parts are deferred: its handle.
    fn add_link(
        this: &Bound<LazyObjects>,
        kind: usize,
        ends: (u32, u32),
        rate_bps: f64,
        delay_s: f64,
    ) -> PyResult<String> {
        let py = this.py();
        let mut lazy = this.borrow_mut();
        let lazy = &mut *lazy;
        let number = {
            let (Making::Link { discipline, params, keeps_order, .. }, Some(simulation)) =
                (&lazy.kinds[kind].making, &lazy.simulation)
            else {
                return Err(simulation_error("these are not links"));
            };
            let params = params.borrow(py);
            let ends = (NodeId(ends.0), NodeId(ends.1));
            let kind = LinkKind { discipline, params: Some(&params), keeps_order: *keeps_order };
            simulation.borrow_mut(py).add_link_of(ends, rate_bps, delay_s, &kind)?
        };
        let plans = lazy.kinds[kind].plans.clone_ref(py);
        let id = lazy.network.as_ref().map_or(0, |network| {
            let mut count = network.links_made.borrow_mut(py);
            let id = count.value().unwrap_or(0);
            count.set(id + 1);
            id
        });
        let first = lazy.add(plans.bind(py), What::Link(Link { kind, number, id, ends, is_introduced: false }));
        Ok(handle_of(first + LINK as u64))
    }
}

#[pymethods]
impl LazyObjects {
    /// Commands of the Simulator with this handle are answered from now on. `kind` says what the library answers for it; `vars`,
    /// `kept` and `looked` are its variables; `nodes` has the handles of nodes by their numbers, `drawn` those of the links that nam
    /// is to be told of; the counts are of nodes and links; `add_neighbour` tells a node that Python made of a neighbour.
    fn serve(
        &mut self,
        py: Python,
        simulation: Py<Simulation>,
        handle: Name,
        kind: Py<PyAny>,
        vars: Py<PyAny>,
        kept: Py<PyDict>,
        looked: Py<PyList>,
        nodes: Py<PyDict>,
        drawn: Py<PyDict>,
        nodes_made: Py<Count>,
        links_made: Py<Count>,
        add_neighbour: Py<PyAny>,
    ) -> PyResult<()> {
        self.values_changed();
        let Name(handle) = handle;
        let kind = self.learn(py, kind, Making::Network, Vec::new())?;
        self.simulation = Some(simulation);
        self.network = Some(ScriptSimulator {
            kind,
            handle,
            vars,
            kept,
            looked,
            nodes,
            drawn,
            nodes_made,
            links_made,
            add_neighbour,
        });
        Ok(())
    }

    /// A new node of the Simulator with this handle: its own handle. `None` where how to make it was not learnt.
    fn new_node(this: &Bound<LazyObjects>, simulator: Name) -> PyResult<Option<String>> {
        LazyObjects::node(this, &[&simulator.0])
    }

    /// Python made a node: its handle and its number.
    fn know_node(&mut self, handle: Name, number: u32) {
        if let Some(handle) = handle_number(&handle.0) {
            self.other_nodes.insert(handle, number);
        }
    }

    /// The script has given an object a method of its own, or another class. Of those that are answered for, others than the
    /// Simulator are made by then.
    fn has_its_own(&mut self, handle: Name) {
        if let Some(network) = self.network.as_ref().filter(|network| network.handle == handle.0) {
            self.kinds[network.kind].answers = None;
        }
    }

    /// A link by a kind that was learnt: its handle. `None` where none was learnt for this class of queue.
    fn put_link(
        this: &Bound<LazyObjects>,
        queue_class: Name,
        from_node: u32,
        to_node: u32,
        rate_bps: f64,
        delay_s: f64,
    ) -> PyResult<Option<String>> {
        let Some(&kind) = this.borrow().makes.get(&format!("link {}", queue_class.0)) else { return Ok(None) };
        LazyObjects::add_link(this, kind, (from_node, to_node), rate_bps, delay_s).map(Some)
    }
}
