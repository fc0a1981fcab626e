//! What a script says to its Simulator, of nodes, links and agents that are promised.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::kinds::{Answers, Making};
use super::{Agent, LINK, Link, Name, Node, Place, Ports, Promises, QUEUE, What, handle_number, handle_of};
use crate::arrays::MANY_VARIABLES;
use crate::convert::simulation_error;
use crate::simulation::Simulation;

/// The script's Simulator, and what Python keeps of it.
pub(super) struct Network {
    kind: usize,
    handle: String,
    /// Its variables: as an object, which says whether they are kept here; while they are; what was looked for in vain.
    vars: Py<PyAny>,
    kept: Py<PyDict>,
    looked: Py<PyList>,
    /// Numbers of nodes -> handles.
    nodes: Py<PyDict>,
    /// Handles of the links that nam is to be told of.
    drawn: Py<PyDict>,
    /// How many nodes and links the script counts.
    nodes_made: Py<Count>,
    links_made: Py<Count>,
    /// Tells a node that Python made of a neighbour.
    add_neighbour: Py<PyAny>,
}

/// The number of a node by its handle, and the node itself if it is promised.
struct Found {
    number: u32,
    thing: Option<usize>,
}

/// A class variable that counts what was made. It is not known how many that are at first, and after a script has written to it.
#[pyclass(module = "ackclock._native")]
pub struct Count(Option<i64>);

#[pymethods]
impl Count {
    #[new]
    fn new() -> Count {
        Count(None)
    }

    /// How many were made, if that is known.
    fn value(&self) -> Option<i64> {
        self.0
    }

    /// So many there are.
    fn set(&mut self, value: i64) {
        self.0 = Some(value);
    }

    /// The script has written to the variable.
    fn forget(&mut self) {
        self.0 = None;
    }
}

impl Network {
    /// Whether this is its handle, and its variables are Python's.
    fn is_plain(&self, py: Python, simulator: &str) -> PyResult<bool> {
        Ok(self.handle == simulator && self.vars.bind(py).getattr(intern!(py, "are_kept"))?.is_truthy()?)
    }

    fn has(&self, py: Python, variable: &str) -> PyResult<bool> {
        self.kept.bind(py).contains(variable)
    }

    /// The script's Tcl would look for this element of an array, which is not there.
    fn look(&self, py: Python, element: &str) -> PyResult<()> {
        let count = self.kept.bind(py).len();
        if count >= MANY_VARIABLES {
            let looked = self.looked.bind(py);
            looked.append(count)?;
            looked.append(element)?;
        }
        Ok(())
    }
}

impl Promises {
    /// The network, if this is the handle of its Simulator and nothing about that is unusual.
    fn network(&self, py: Python, simulator: &str) -> PyResult<Option<&Network>> {
        match &self.network {
            Some(network) if network.is_plain(py, simulator)? => Ok(Some(network)),
            _ => Ok(None),
        }
    }

    /// Whether the Simulator makes no trace for what a new sender does.
    pub(super) fn no_sender_is_traced(this: &Bound<Promises>) -> PyResult<bool> {
        let py = this.py();
        let Some(kind) = this.borrow().network.as_ref().map(|network| network.kind) else { return Ok(false) };
        let plain = Promises::answers(this, kind)?.include(const { Answers::one("create-eventtrace") });
        let promises = this.borrow();
        let Some(network) = &promises.network else { return Ok(false) };
        Ok(plain && network.is_plain(py, &network.handle)? && !network.has(py, "eventTraceAll_")?)
    }

    fn node_at(&self, handle: &str) -> Option<Found> {
        if let Some(&number) = self.other_nodes.get(&handle_number(handle)?) {
            return Some(Found { number, thing: None });
        }
        let Place { thing, part } = self.place(handle_number(handle)?)?;
        match &self.things[thing].what {
            What::Node(node) if part == 0 && !node.is_gone => {
                let is_promised = self.things[thing].made & 1 == 0;
                Some(Found { number: node.number, thing: is_promised.then_some(thing) })
            }
            _ => None,
        }
    }

    pub(super) fn node(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator] = words else { return Ok(None) };
        let mut promises = this.borrow_mut();
        let promises = &mut *promises;
        let Some(&kind) = promises.makes.get("node") else { return Ok(None) };
        let (Some(network), Some(simulation)) = (promises.network(py, simulator)?, &promises.simulation) else {
            return Ok(None);
        };
        if network.has(py, "QS_")? {
            return Ok(None);
        }
        let number = simulation.borrow_mut(py).engine.add_node().0;
        let handle = handle_of(promises.last + 1);
        network.kept.bind(py).set_item(format!("Node_({number})"), &handle)?;
        network.nodes.bind(py).set_item(number, &handle)?;
        network.nodes_made.borrow_mut(py).set(i64::from(number) + 1);
        let node = Node {
            kind,
            number,
            neighbours: Vec::new(),
            agents: Vec::new(),
            ports: 0,
            is_introduced: false,
            is_gone: false,
        };
        let plans = promises.kinds[kind].plans.clone_ref(py);
        promises.add(plans.bind(py), What::Node(node));
        Ok(Some(handle))
    }

    pub(super) fn simplex_link(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        Promises::links(this, words, false)
    }

    pub(super) fn duplex_link(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        Promises::links(this, words, true)
    }

    fn links(this: &Bound<Promises>, words: &[&str], both: bool) -> PyResult<Option<String>> {
        const NEEDED: Answers = Answers::one("register-nam-linkconfig").and(Answers::one("simplex-link"));
        let py = this.py();
        let [simulator, one, other, bandwidth, delay, queue] = words else { return Ok(None) };
        let Some(kind) = this.borrow().network.as_ref().map(|network| network.kind) else { return Ok(None) };
        if !Promises::answers(this, kind)?.include(NEEDED) {
            return Ok(None);
        }
        let Some(&kind) = this.borrow().makes.get(&format!("link Queue/{queue}")) else { return Ok(None) };
        let ends = {
            let promises = this.borrow();
            let Some(network) = promises.network(py, simulator)? else { return Ok(None) };
            if network.links_made.borrow(py).value().is_none() {
                return Ok(None);
            }
            let (Some(one), Some(other)) = (promises.node_at(one), promises.node_at(other)) else { return Ok(None) };
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
                && !Promises::answers(this, node_kind)?.include(const { Answers::one("add-neighbor") })
            {
                return Ok(None);
            }
        }
        let Some((rate_bps, delay_s)) = Promises::amounts(this, kind, bandwidth, delay) else { return Ok(None) };
        if rate_bps.is_nan() || rate_bps <= 0.0 || delay_s.is_nan() || delay_s < 0.0 || ends.0.number == ends.1.number {
            return Ok(None);
        }
        if both {
            let promises = this.borrow();
            let network = promises.network.as_ref().expect("was there");
            network.look(py, &format!("link_({}:{})", ends.0.number, ends.1.number))?;
        }
        let (one, other) = ((*one, ends.0.number), (*other, ends.1.number));
        Promises::lay_link(this, kind, queue, (rate_bps, delay_s), one, other)?;
        if both {
            Promises::lay_link(this, kind, queue, (rate_bps, delay_s), other, one)?;
        }
        Ok(Some(String::new()))
    }

    /// Bits a second and seconds; none where Python has something to say about it.
    fn amounts(this: &Bound<Promises>, kind: usize, bandwidth: &str, delay: &str) -> Option<(f64, f64)> {
        let py = this.py();
        match &mut this.borrow_mut().kinds[kind].making {
            Making::Link { rate_bps, delay_s, .. } => {
                Some((rate_bps.get(py, bandwidth).ok()?, delay_s.get(py, delay).ok()?))
            }
            _ => None,
        }
    }

    /// A link from one node to another, given by their handles and numbers, and who hears of it.
    fn lay_link(
        this: &Bound<Promises>,
        kind: usize,
        queue: &str,
        (rate_bps, delay_s): (f64, f64),
        (source, from): (&str, u32),
        (target, to): (&str, u32),
    ) -> PyResult<()> {
        let py = this.py();
        let handle = Promises::add_link(this, kind, (from, to), rate_bps, delay_s)?;
        let tell = {
            let mut promises = this.borrow_mut();
            let promised = promises.node_at(source).and_then(|found| found.thing);
            let network = promises.network.as_ref().expect("links are made in it");
            network.look(py, &format!("queueMap_({queue})"))?;
            network.kept.bind(py).set_item(format!("link_({from}:{to})"), &handle)?;
            let tell = network.add_neighbour.clone_ref(py);
            match promised.map(|thing| &mut promises.things[thing].what) {
                Some(What::Node(node)) => {
                    node.neighbours.push(to);
                    None
                }
                _ => Some(tell),
            }
        };
        // The script may have a say in that, and may look into anything.
        tell.map_or(Ok(()), |tell| tell.call1(py, (source, target)).map(drop))?;
        let promises = this.borrow();
        let network = promises.network.as_ref().expect("links are made in it");
        let drawn = network.drawn.bind(py);
        // One link of each pair is drawn.
        let back = format!("link_({to}:{from})");
        match network.kept.bind(py).get_item(&back)? {
            Some(other) if drawn.contains(&other)? => Ok(()),
            Some(_) => drawn.set_item(handle, py.None()),
            None => network.look(py, &back).and_then(|()| drawn.set_item(handle, py.None())),
        }
    }

    pub(super) fn link(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator, one, other] = words else { return Ok(None) };
        let promises = this.borrow();
        let Some(network) = promises.network(py, simulator)? else { return Ok(None) };
        let (Some(one), Some(other)) = (promises.node_at(one), promises.node_at(other)) else { return Ok(None) };
        let link = network.kept.bind(py).get_item(format!("link_({}:{})", one.number, other.number))?;
        Ok(link.and_then(|link| link.extract().ok()))
    }

    pub(super) fn queue_limit(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        const NEEDED: Answers = Answers::one("queue").and(Answers::one("queue-limit"));
        let [simulator, one, other, limit] = words else { return Ok(None) };
        let Some(link) = Promises::link(this, &[simulator, one, other])? else { return Ok(None) };
        let found = this.borrow().find(&link);
        let Some(Place { thing, part: LINK }) = found else { return Ok(None) };
        let queue = Place { thing, part: QUEUE };
        let Some(kind) = this.borrow().kind_of(thing) else { return Ok(None) };
        let is_made = this.borrow().things[thing].made & (1 << QUEUE) != 0;
        if is_made || !Promises::answers(this, kind)?.include(NEEDED) {
            return Ok(None);
        }
        let limit = Promises::set(this, kind, queue, "limit_", Some(limit))?;
        Ok(limit.map(|_| String::new()))
    }

    pub(super) fn attach_agent(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [_, at, who] = words else { return Ok(None) };
        let (node, agent, kind) = {
            let promises = this.borrow();
            let (Some(node), Some(agent)) = (promises.find(at), promises.find(who)) else { return Ok(None) };
            let (What::Node(Node { kind, .. }), What::Agent(_), 0) =
                (&promises.things[node.thing].what, &promises.things[agent.thing].what, node.part)
            else {
                return Ok(None);
            };
            (node.thing, agent.thing, *kind)
        };
        if !Promises::answers(this, kind)?.include(const { Answers::one("attach") }) {
            return Ok(None);
        }
        let mut promises = this.borrow_mut();
        let promises = &mut *promises;
        let (node_handle, agent_handle) = (promises.first[node], promises.first[agent]);
        let has_ports = matches!(&promises.things[node].what, What::Node(node) if node.ports != 0);
        let ports = match &promises.kinds[kind].making {
            Making::Node { ports } if !has_ports => Some(ports.clone_ref(py)),
            _ => None,
        };
        let What::Node(Node { number, .. }) = promises.things[node].what else { return Ok(None) };
        let first = ports.map(|plan| promises.add(plan.bind(py), What::Ports(Ports { kind, node: number })));
        if let What::Node(node) = &mut promises.things[node].what {
            node.ports = first.unwrap_or(node.ports);
            node.agents.push(agent_handle);
        }
        if let (What::Agent(agent), Some(simulation)) = (&mut promises.things[agent].what, &promises.simulation) {
            agent.node = node_handle;
            simulation.borrow_mut(py).attach(agent.number, number, None)?;
        }
        Ok(Some(String::new()))
    }

    pub(super) fn connect(this: &Bound<Promises>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [simulator, one, other] = words else { return Ok(None) };
        let Some(kind) = this.borrow().network(py, simulator)?.map(|network| network.kind) else { return Ok(None) };
        if !Promises::answers(this, kind)?.include(const { Answers::one("simplex-connect") }) {
            return Ok(None);
        }
        let mut ends = [0, 0];
        for (end, handle) in ends.iter_mut().zip([one, other]) {
            let Some((number, kind)) = this.borrow().agent_at(handle) else { return Ok(None) };
            if !Promises::answers(this, kind)?.include(const { Answers::one("set") }) {
                return Ok(None);
            }
            *end = number;
        }
        let promises = this.borrow();
        let Some(simulation) = &promises.simulation else { return Ok(None) };
        let mut simulation = simulation.borrow_mut(py);
        simulation.aim(ends[0], ends[1])?;
        simulation.aim(ends[1], ends[0])?;
        Ok(Some((*one).to_owned()))
    }

    /// The engine's number of a promised agent, and its kind.
    pub(super) fn agent_at(&self, handle: &str) -> Option<(u32, usize)> {
        match &self.things[self.find(handle)?.thing].what {
            What::Agent(Agent { number, kind, .. }) => Some((*number, *kind)),
            _ => None,
        }
    }

    /// A new link between two nodes, whose parts are promised: its handle.
    fn add_link(
        this: &Bound<Promises>,
        kind: usize,
        ends: (u32, u32),
        rate_bps: f64,
        delay_s: f64,
    ) -> PyResult<String> {
        let py = this.py();
        let mut promises = this.borrow_mut();
        let promises = &mut *promises;
        let number = {
            let (Making::Link { discipline, params, keeps_order, .. }, Some(simulation)) =
                (&promises.kinds[kind].making, &promises.simulation)
            else {
                return Err(simulation_error("these are no links"));
            };
            let params = params.borrow(py);
            simulation.borrow_mut(py).add_link(
                ends.0,
                ends.1,
                rate_bps,
                delay_s,
                discipline,
                Some(&params),
                *keeps_order,
            )?
        };
        let plans = promises.kinds[kind].plans.clone_ref(py);
        let id = promises.network.as_ref().map_or(0, |network| {
            let mut count = network.links_made.borrow_mut(py);
            let id = count.value().unwrap_or(0);
            count.set(id + 1);
            id
        });
        let first = promises.add(plans.bind(py), What::Link(Link { kind, number, id, ends, is_introduced: false }));
        Ok(handle_of(first + LINK as u64))
    }
}

#[pymethods]
impl Promises {
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
        self.network =
            Some(Network { kind, handle, vars, kept, looked, nodes, drawn, nodes_made, links_made, add_neighbour });
        Ok(())
    }

    /// A new node of the Simulator with this handle: its own handle. `None` where how to make it was not learnt.
    fn new_node(this: &Bound<Promises>, simulator: Name) -> PyResult<Option<String>> {
        Promises::node(this, &[&simulator.0])
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
        this: &Bound<Promises>,
        queue_class: Name,
        from_node: u32,
        to_node: u32,
        rate_bps: f64,
        delay_s: f64,
    ) -> PyResult<Option<String>> {
        let Some(&kind) = this.borrow().makes.get(&format!("link {}", queue_class.0)) else { return Ok(None) };
        Promises::add_link(this, kind, (from_node, to_node), rate_bps, delay_s).map(Some)
    }
}
