//! Requests and responses between two agents of a described run.

use ackclock_engine::app::request_response::{RequestResponse, Side, Step};
use ackclock_engine::net::Upcall;
use ackclock_engine::net::node::AgentId;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;
use crate::simulation::action::Action;
use crate::simulation::exchanges::Ends;

impl Simulation {
    pub fn check_exchange(&self, number: u32) -> PyResult<usize> {
        let exists = (number as usize) < self.exchanges.all.len();
        exists.then_some(number as usize).ok_or_else(|| no_such("exchange", number))
    }

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

#[pymethods]
impl Simulation {
    /// A new exchange of requests and responses of so many bytes between two agents; its number. `times`: how often the
    /// client asks, -1 for without end; `serves_s`, `thinks_s`: how long until the server answers and the client asks
    /// again; `closes`: whether the client then closes the connection.
    #[allow(clippy::too_many_arguments)]
    fn add_exchange(
        &mut self,
        client: u32,
        server: u32,
        request_bytes: i64,
        response_bytes: i64,
        times: i64,
        serves_s: f64,
        thinks_s: f64,
        closes: bool,
    ) -> PyResult<u32> {
        let (client, server) = (self.check_agent(client)?, self.check_agent(server)?);
        let times = u32::try_from(times).ok();
        let exchange = RequestResponse::new((request_bytes, response_bytes), times, (serves_s, thinks_s), closes);
        for agent in [client, server] {
            self.engine.listen(agent, Upcall::named("received", agent));
            self.exchanges.of_agent.insert(agent.0, self.exchanges.all.len());
        }
        self.exchanges.all.push(Ends { exchange, client, server });
        Ok(self.exchanges.all.len() as u32 - 1)
    }
}
