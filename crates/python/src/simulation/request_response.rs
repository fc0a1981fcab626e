//! Requests and responses between two agents of a described run.

use ackclock_engine::app::request_response::RequestResponse;
use ackclock_engine::app::video::{Player, Settings};
use ackclock_scenario::schedule::Action;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::simulation::Simulation;
use crate::simulation::agents::Agent;
use crate::simulation::handle::Handle;

/// An exchange of requests and responses between two agents.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Exchange(pub Handle<usize>);

#[pymethods]
impl Exchange {
    /// Schedules the client's first request, `start`, or the end of its requests, `stop`, at an instant, s. `ValueError` for a
    /// time in the past, or something else.
    fn schedule(&self, py: Python, time_s: f64, what: &str) -> PyResult<()> {
        let action = match what {
            "start" => Action::ask(self.0.id),
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
            let ends = (client, server);
            Ok(simulation.schedule.add_exchange(&mut simulation.engine, Box::new(exchange), ends, client))
        });
        made.map(Exchange)
    }

    /// A new video that a client plays and a server sends: its `bitrates_bps`, ascending, the length of a segment and of the
    /// client's buffer, s, BOLA's `gamma_p`, how many `segments` (-1 for without end), and the bytes of a request.
    #[allow(clippy::too_many_arguments)]
    fn add_video(
        this: &Bound<Simulation>,
        client: &Agent,
        server: &Agent,
        bitrates_bps: Vec<f64>,
        segment_s: f64,
        buffer_s: f64,
        gamma_p: f64,
        segments: i64,
        request_bytes: i64,
    ) -> PyResult<Exchange> {
        let (client, server) = (client.0.id_in(this)?, server.0.id_in(this)?);
        if bitrates_bps.is_empty() {
            return Err(PyValueError::new_err("expected at least one bitrate"));
        }
        let segments = u32::try_from(segments).ok();
        let player = Player::new(Settings { bitrates_bps, segment_s, buffer_s, gamma_p, segments, request_bytes });
        let made = Handle::made(this, |simulation| {
            let ends = (client, server);
            Ok(simulation.schedule.add_exchange(&mut simulation.engine, Box::new(player), ends, server))
        });
        made.map(Exchange)
    }
}
