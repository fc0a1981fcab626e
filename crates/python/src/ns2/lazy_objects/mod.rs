//! Objects of a script that are there, and not made yet.
//!
//! Of the objects behind a flow few are ever looked into, and those that do what most do can be answered for without being
//! made: what a script says to them goes to the engine. Whoever asks for more than is known here gets the object itself from
//! Python ([`LazyObjects::of`]), which answers for it from then on.

mod commands;
mod kinds;
mod network;
mod objects;
mod register;
mod script_simulator;
mod start;

use std::collections::HashMap;

use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::{AgentId, NodeId};
use ackclock_engine::sim::AppId;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

pub use commands::Command;
use kinds::Kind;
pub use script_simulator::Count;
use script_simulator::ScriptSimulator;

use crate::convert::simulation_error;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// The classes of what objects stand for.
mod native {
    pub use crate::simulation::agents::Agent;
    pub use crate::simulation::applications::Application;
    pub use crate::simulation::links::Link;
    pub use crate::simulation::nodes::Node;
}

/// Digits of the longest number that is a handle's.
const MAX_DIGITS: usize = 15;

/// Something with handles one after the other, a part each.
struct Thing {
    /// How its parts begin.
    plans: Py<PyTuple>,
    parts: usize,
    /// Which of its parts are deferred no longer, a bit each.
    made: u32,
    what: What,
}

enum What {
    /// Python made it and knows what its parts are to know.
    Whole(Py<PyAny>),
    Node(Node),
    Ports(Ports),
    Link(Link),
    Agent(Agent),
    App(App),
}

/// A node as most are. Numbers of handles are 0 where there is none.
struct Node {
    kind: usize,
    number: NodeId,
    /// Numbers of the nodes that links from here lead to.
    neighbours: Vec<u32>,
    /// Handles of its agents.
    agents: Vec<u64>,
    /// Handle of its table of ports.
    ports: u64,
    /// Whether nam would have been told of it by now, which leaves something in its variables.
    is_introduced: bool,
    is_gone: bool,
}

/// A node's table of ports, which comes to be with its first agent.
struct Ports {
    /// The node's kind and number.
    kind: usize,
    node: NodeId,
}

struct Link {
    kind: usize,
    number: LinkId,
    /// What the script knows it by.
    id: i64,
    /// Numbers of the nodes it leads from and to.
    ends: (u32, u32),
    is_introduced: bool,
}

struct Agent {
    kind: usize,
    number: AgentId,
    /// Handle of its node.
    node: u64,
    /// Handle of the application that feeds it.
    app: u64,
}

struct App {
    kind: usize,
    number: AppId,
    /// Handle of the agent that it feeds.
    agent: u64,
}

/// Parts of a link in the order of their handles.
const QUEUE: usize = 0;
const LINK: usize = 1;

/// Which object this is: its thing, and its place among the thing's parts.
#[derive(Clone, Copy)]
struct Place {
    thing: usize,
    part: usize,
}

/// The handles of all objects, and those of them that are deferred.
#[pyclass(module = "ackclock._native")]
#[derive(Default)]
pub struct LazyObjects {
    /// The number of the last handle.
    last: u64,
    /// Of each thing the number in its first part's handle, in order.
    first: Vec<u64>,
    things: Vec<Thing>,
    kinds: Vec<Kind>,
    /// Word of a script -> kind of what is made at that word; what is said of classes may end that.
    makes: HashMap<String, usize>,
    simulation: Option<Py<Simulation>>,
    network: Option<ScriptSimulator>,
    /// Handles of nodes that Python made -> their numbers.
    other_nodes: HashMap<u64, u32>,
    /// Numbers of agents -> their handles.
    agents: HashMap<u32, u64>,
}

/// The number in a handle such as _o12; none for any other name, such as _o012.
fn handle_number(handle: &str) -> Option<u64> {
    let digits = handle.strip_prefix("_o")?;
    let is_one = digits.len() <= MAX_DIGITS && !digits.starts_with('0') && digits.bytes().all(|c| c.is_ascii_digit());
    if is_one { digits.parse().ok() } else { None }
}

/// A name that a script may have chosen. One that is no text to Rust, which Tcl allows, is that of nobody here, and empty.
pub struct Name(String);

impl<'py> FromPyObject<'_, 'py> for Name {
    type Error = PyErr;

    fn extract(name: Borrowed<'_, 'py, PyAny>) -> PyResult<Name> {
        Ok(Name(name.cast::<PyString>()?.to_str().unwrap_or_default().to_owned()))
    }
}

fn handle_of(number: u64) -> String {
    if number == 0 { String::new() } else { format!("_o{number}") }
}

impl LazyObjects {
    /// The deferred object of a handle.
    fn find(&self, handle: &str) -> Option<Place> {
        let place = self.place(handle_number(handle)?)?;
        (self.things[place.thing].made & (1 << place.part) == 0).then_some(place)
    }

    fn place(&self, number: u64) -> Option<Place> {
        let thing = self.first.partition_point(|&first| first <= number).checked_sub(1)?;
        let part = (number - self.first[thing]) as usize;
        (part < self.things[thing].parts).then_some(Place { thing, part })
    }

    /// Takes handles for a new thing's parts: the number of the first.
    fn add(&mut self, plans: &Bound<PyTuple>, what: What) -> u64 {
        let parts = plans.len();
        let first = self.last + 1;
        self.last += parts as u64;
        self.first.push(first);
        self.things.push(Thing { plans: plans.clone().unbind(), parts, made: 0, what });
        first
    }

    /// The kind that a thing is of, if it is answered for here.
    fn kind_of(&self, thing: usize) -> Option<usize> {
        match &self.things[thing].what {
            What::Whole(_) | What::Ports(_) => None,
            What::Node(node) => Some(node.kind),
            What::Link(link) => Some(link.kind),
            What::Agent(agent) => Some(agent.kind),
            What::App(app) => Some(app.kind),
        }
    }

    /// What a part is to know when it is made.
    fn facts<'py>(&self, py: Python<'py>, thing: usize) -> PyResult<Bound<'py, PyTuple>> {
        let simulation = self.simulation.as_ref().map(|simulation| simulation.bind(py));
        let simulation = simulation.ok_or_else(|| simulation_error("no Simulator is served"));
        let handles = |numbers: &[u64]| numbers.iter().map(|&number| handle_of(number)).collect::<Vec<_>>();
        match &self.things[thing].what {
            What::Whole(_) => Ok(PyTuple::empty(py)),
            What::Node(node) => {
                let parts = (handle_of(self.first[thing] + 1), handle_of(self.first[thing] + 2), handle_of(node.ports));
                let native = native::Node(Handle::new(simulation?, node.number));
                (native, parts, node.neighbours.clone(), handles(&node.agents), node.is_introduced).into_pyobject(py)
            }
            What::Ports(ports) => (ports.node.0,).into_pyobject(py),
            What::Link(link) => {
                let parts = (0..self.things[thing].parts as u64)
                    .map(|part| handle_of(self.first[thing] + part))
                    .collect::<Vec<_>>();
                let native = native::Link(Handle::new(simulation?, link.number));
                (native, link.id, link.ends, parts, link.is_introduced).into_pyobject(py)
            }
            What::Agent(agent) => {
                let native = native::Agent(Handle::new(simulation?, agent.number));
                (native, handle_of(agent.node), agent.app != 0).into_pyobject(py)
            }
            What::App(app) => {
                let native = native::Application(Handle::new(simulation?, app.number));
                (native, handle_of(app.agent)).into_pyobject(py)
            }
        }
    }
}

#[pymethods]
impl LazyObjects {
    #[new]
    fn new() -> LazyObjects {
        LazyObjects::default()
    }

    /// The number of the last handle.
    #[getter]
    fn last(&self) -> u64 {
        self.last
    }

    /// The number in a handle such as _o12; 0 for any other name, such as _o012.
    #[staticmethod]
    fn number(handle: Name) -> u64 {
        handle_number(&handle.0).unwrap_or(0)
    }

    /// The next handle, such as _o12.
    fn next_handle(&mut self) -> String {
        self.last += 1;
        handle_of(self.last)
    }

    /// Takes so many handles, as ns-2 does for objects that do not exist here.
    fn skip(&mut self, count: u64) {
        self.last += count;
    }

    /// Makes lazy objects of the parts of something, which begin by these plans; returns their handles. Its `finish` is called for each
    /// that is materialized.
    fn defer(&mut self, plans: Bound<PyTuple>, whole: Py<PyAny>) -> Vec<String> {
        let first = self.add(&plans, What::Whole(whole));
        (first..=self.last).map(handle_of).collect()
    }

    /// A deferred object is to be made and deferred no longer: its plan, who finishes it, its place among the parts, and what
    /// there is to know about it. `None` for any other.
    fn of<'py>(
        &mut self,
        py: Python<'py>,
        handle: Name,
    ) -> PyResult<Option<(Py<PyAny>, Py<PyAny>, usize, Bound<'py, PyTuple>)>> {
        let Some(Place { thing, part }) = self.find(&handle.0) else { return Ok(None) };
        let facts = self.facts(py, thing)?;
        let (whole, part_of_kind) = match &self.things[thing].what {
            What::Whole(whole) => (whole.clone_ref(py), part),
            // Behind the parts that the node has from the beginning.
            What::Ports(Ports { kind, .. }) => {
                (self.kinds[*kind].python.clone_ref(py), self.kinds[*kind].plans.bind(py).len())
            }
            What::Node(Node { kind, .. })
            | What::Link(Link { kind, .. })
            | What::Agent(Agent { kind, .. })
            | What::App(App { kind, .. }) => (self.kinds[*kind].python.clone_ref(py), part),
        };
        self.things[thing].made |= 1 << part;
        Ok(Some((self.things[thing].plans.bind(py).get_item(part)?.unbind(), whole, part_of_kind, facts)))
    }

    /// Whether this is the handle of a deferred object.
    fn has(&self, handle: Name) -> bool {
        self.find(&handle.0).is_some()
    }

    /// Handles of all deferred objects of a class.
    fn of_class<'py>(&self, py: Python<'py>, class_name: &Bound<PyString>) -> PyResult<Vec<String>> {
        let mut found = Vec::new();
        for (thing, &first) in self.things.iter().zip(&self.first) {
            for (part, plan) in thing.plans.bind(py).iter().enumerate() {
                let name = plan.getattr(pyo3::intern!(py, "class_name"))?;
                if thing.made & (1 << part) == 0 && name.eq(class_name)? {
                    found.push(handle_of(first + part as u64));
                }
            }
        }
        Ok(found)
    }

    /// There is no such object any more. Handles of deferred objects that are to be made before it goes.
    fn forget(&mut self, handle: Name) -> Vec<String> {
        let Some(number) = handle_number(&handle.0) else { return Vec::new() };
        let mut gone_node = self.other_nodes.remove(&number);
        let mut fed_by = 0;
        if let Some(Place { thing, part }) = self.place(number) {
            self.things[thing].made |= 1 << part;
            match &mut self.things[thing].what {
                What::Node(node) if part == 0 => {
                    node.is_gone = true;
                    gone_node = Some(node.number.0);
                }
                What::Agent(agent) => fed_by = std::mem::take(&mut agent.app),
                _ => {}
            }
        }
        let mut before = Vec::new();
        if self.place(fed_by).is_some_and(|app| self.things[app.thing].made == 0) {
            before.push(handle_of(fed_by));
        }
        if let Some(node) = gone_node {
            let ends_there =
                |what: &What| matches!(what, What::Link(link) if link.ends.0 == node || link.ends.1 == node);
            let links = self.things.iter().zip(&self.first);
            let links = links.filter(|(thing, _)| thing.made & (1 << LINK) == 0 && ends_there(&thing.what));
            before.extend(links.map(|(_, first)| handle_of(first + LINK as u64)));
        }
        before
    }
}
