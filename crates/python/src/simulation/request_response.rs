//! Requests and responses between two agents of a described run.

use ackclock_engine::app::request_response::{RequestResponse, Side, Step};
use ackclock_engine::net::Upcall;
use ackclock_engine::net::node::AgentId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::simulation::Simulation;
use crate::simulation::action::Action;
use crate::simulation::agents::Agent;
use crate::simulation::exchanges::Ends;
use crate::simulation::handle::Handle;

impl Simulation {
    /// An agent has received bytes.
    pub fn exchange_receives(&mut self, agent: AgentId, bytes: i32) {
        let Some(&number) = self.exchanges.of_agent.get(&agent.0) else { return };
        let ends = &mut self.exchanges.all[number];
        let side = if ends.client == agent { Side::Client } else { Side::Server };
        let (step, client) = (ends.exchange.receive(side, i64::from(bytes)), ends.client);
        if ends.exchange.is_over() {
            self.completed(client);
        }
        if let Some((step, delay_s)) = step {
            self.put_after(delay_s, Action::Exchange(number, step));
        }
    }

    /// One of the ends does something.
    pub fn exchange_steps(&mut self, number: usize, step: Step) {
        let Ends { exchange, client, server } = &mut self.exchanges.all[number];
        let (client, server) = (*client, *server);
        match step {
            Step::Ask => {
                if exchange.asks() {
                    let bytes = exchange.request_bytes;
                    self.engine.with_agent(client, |agent, net| agent.send_bytes(Some(bytes), "", net));
                }
            }
            Step::Answer => {
                let bytes = exchange.response_bytes;
                self.engine.with_agent(server, |agent, net| agent.send_bytes(Some(bytes), "", net));
            }
            Step::Close => self.engine.with_agent(client, |agent, net| agent.close(net)),
        }
    }

    /// The client asks no more.
    pub fn exchange_stops(&mut self, number: usize) {
        if self.exchanges.all[number].exchange.stop() {
            self.exchange_steps(number, Step::Close);
        }
    }
}

/// An exchange of requests and responses between two agents.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Exchange(pub Handle<usize>);

#[pymethods]
impl Exchange {
    /// Schedules the client's first request, `start`, or the end of its requests, `stop`, at an instant, s. `ValueError` for a
    /// time in the past, or something else.
    fn schedule(&self, py: Python, time_s: f64, what: &str) -> PyResult<()> {
        let action = match what {
            "start" => Action::Exchange(self.0.id, Step::Ask),
            "stop" => Action::StopExchange(self.0.id),
            _ => return Err(PyValueError::new_err(format!("{what} cannot be scheduled for an exchange"))),
        };
        self.0.simulation(py)?.put(time_s, action)
    }
}

#[pymethods]
impl Simulation {
    /// A new exchange of requests and responses of so many bytes between two agents. `times`: how often the client asks, -1
    /// for without end; `serves_s`, `thinks_s`: how long until the server answers and the client asks again; `closes`: whether
    /// the client then closes the connection.
    #[allow(clippy::too_many_arguments)]
    fn add_exchange(
        this: &Bound<Simulation>,
        client: &Agent,
        server: &Agent,
        request_bytes: i64,
        response_bytes: i64,
        times: i64,
        serves_s: f64,
        thinks_s: f64,
        closes: bool,
    ) -> PyResult<Exchange> {
        let (client, server) = (client.0.id_in(this)?, server.0.id_in(this)?);
        let times = u32::try_from(times).ok();
        let exchange = RequestResponse::new((request_bytes, response_bytes), times, (serves_s, thinks_s), closes);
        let made = Handle::made(this, |simulation| {
            let exchanges = &mut simulation.exchanges;
            for agent in [client, server] {
                simulation.engine.listen(agent, Upcall::named("received", agent));
                exchanges.of_agent.insert(agent.0, exchanges.all.len());
            }
            exchanges.all.push(Ends { exchange, client, server });
            Ok(exchanges.all.len() - 1)
        });
        made.map(Exchange)
    }
}
