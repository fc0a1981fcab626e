//! What a run begins with, for all that is still deferred.

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::kinds::Answers;
use super::{LINK, LazyObjects, Name, QUEUE, What, handle_of};

impl LazyObjects {
    /// The thing that a deferred object stands for, if the library answers these methods for it.
    fn answering(this: &Bound<LazyObjects>, handle: &str, methods: Answers) -> PyResult<Option<usize>> {
        let found = this.borrow().find(handle);
        let Some(place) = found else { return Ok(None) };
        let kind = match &this.borrow().things[place.thing].what {
            What::Link(link) if place.part == LINK => link.kind,
            What::Node(node) if place.part == 0 => node.kind,
            What::Agent(agent) => agent.kind,
            _ => return Ok(None),
        };
        Ok(LazyObjects::answers(this, kind)?.include(methods).then_some(place.thing))
    }

    /// Those of these handles that `take` does not take.
    fn rest<'py>(
        handles: &Bound<'py, PyList>,
        mut take: impl FnMut(&str) -> PyResult<bool>,
    ) -> PyResult<Bound<'py, PyList>> {
        let rest = PyList::empty(handles.py());
        for handle in handles {
            if !take(&handle.extract::<Name>()?.0)? {
                rest.append(handle)?;
            }
        }
        Ok(rest)
    }

    /// So many of the handles, from one on, `take` takes without a break: the place behind them.
    fn until(handles: &Bound<PyList>, from: usize, mut take: impl FnMut(&str) -> PyResult<bool>) -> PyResult<usize> {
        for place in from..handles.len() {
            if !take(&handles.get_item(place)?.extract::<Name>()?.0)? {
                return Ok(place);
            }
        }
        Ok(handles.len())
    }

    fn reset_agents_at(this: &Bound<LazyObjects>, node: &str) -> PyResult<bool> {
        const RESET: Answers = Answers::one("reset");
        let Some(thing) = LazyObjects::answering(this, node, RESET)? else { return Ok(false) };
        let agents: Vec<String> = match &this.borrow().things[thing].what {
            What::Node(node) => node.agents.iter().map(|&agent| handle_of(agent)).collect(),
            _ => return Ok(false),
        };
        let mut numbers = Vec::with_capacity(agents.len());
        for agent in &agents {
            if LazyObjects::answering(this, agent, RESET)?.is_none() {
                return Ok(false);
            }
            numbers.extend(this.borrow().agent_at(agent).map(|(number, _)| number));
        }
        let lazy = this.borrow();
        let Some(simulation) = &lazy.simulation else { return Ok(false) };
        let mut simulation = simulation.borrow_mut(this.py());
        numbers.into_iter().for_each(|agent| simulation.reset_agent(agent));
        Ok(true)
    }

    fn reset_queue_of(this: &Bound<LazyObjects>, link: &str) -> PyResult<bool> {
        const RESET: Answers = Answers::one("queue").and(Answers::one("reset"));
        let Some(thing) = LazyObjects::answering(this, link, RESET)? else { return Ok(false) };
        let lazy = this.borrow();
        let thing = &lazy.things[thing];
        match (&thing.what, &lazy.simulation) {
            (What::Link(link), Some(simulation)) if thing.made & (1 << QUEUE) == 0 => {
                simulation.borrow_mut(this.py()).reset_queue(link.number);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

#[pymethods]
impl LazyObjects {
    /// Resets the agents of these nodes, from one on, up to the first node that has to be asked itself: its place.
    fn reset_nodes(this: &Bound<LazyObjects>, nodes: &Bound<PyList>, start: usize) -> PyResult<usize> {
        LazyObjects::until(nodes, start, |node| LazyObjects::reset_agents_at(this, node))
    }

    /// The same for the queues of these links.
    fn reset_queues(this: &Bound<LazyObjects>, links: &Bound<PyList>, start: usize) -> PyResult<usize> {
        LazyObjects::until(links, start, |link| LazyObjects::reset_queue_of(this, link))
    }

    /// Links that cost 1, as most do, count as that in the choice of routes. Those that have to be asked.
    fn set_costs<'py>(this: &Bound<'py, LazyObjects>, links: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        LazyObjects::rest(links, |link| {
            let Some(thing) = LazyObjects::answering(this, link, const { Answers::one("cost?") })? else {
                return Ok(false);
            };
            let lazy = this.borrow();
            if let (What::Link(link), Some(simulation)) = (&lazy.things[thing].what, &lazy.simulation) {
                simulation.borrow_mut(this.py()).engine.routing.insert(link.ends.0, link.ends.1, 1.0);
            }
            Ok(true)
        })
    }

    /// Those of these nodes and links that have to be asked this method.
    fn to_be_asked<'py>(
        this: &Bound<'py, LazyObjects>,
        handles: &Bound<'py, PyList>,
        method: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let method = Answers::named(method)?;
        LazyObjects::rest(handles, |handle| Ok(LazyObjects::answering(this, handle, method)?.is_some()))
    }

    /// The same, when this method introduces them to nam and nobody listens.
    fn introduce<'py>(
        this: &Bound<'py, LazyObjects>,
        handles: &Bound<'py, PyList>,
        method: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let method = Answers::named(method)?;
        LazyObjects::rest(handles, |handle| {
            let Some(thing) = LazyObjects::answering(this, handle, method)? else { return Ok(false) };
            match &mut this.borrow_mut().things[thing].what {
                What::Node(node) => node.is_introduced = true,
                What::Link(link) => link.is_introduced = true,
                _ => {}
            }
            Ok(true)
        })
    }

    /// Numbers of the nodes that a deferred link leads from and to.
    fn ends(&self, link: Name) -> Option<(u32, u32)> {
        let place = self.find(&link.0).filter(|place| place.part == LINK)?;
        match &self.things[place.thing].what {
            What::Link(link) => Some(link.ends),
            _ => None,
        }
    }

    /// The handle of the agent with this number, if it was deferred.
    fn agent(&self, number: u32) -> Option<String> {
        self.agents.get(&number).map(|&handle| handle_of(handle))
    }
}
