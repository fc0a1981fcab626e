//! Many runs in lock step, each with a TCP flow whose window and rate a program sets once per monitor interval: one call
//! moves all of them to their next decisions.

use ackclock_engine::net::SimulationError;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::{ScriptId, Stop};
use ackclock_engine::transport::tcp::agent::{monitor, steer, totals};
use ackclock_engine::transport::tcp::monitor::{Held, Monitor};
use ackclock_engine::transport::tcp::socket::Totals;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::engine_error;
use crate::simulation::Simulation;
use crate::simulation::agents::Agent;

/// Events between two looks at whether there is anything else to do.
const EVENTS_AT_ONCE: u64 = 1_000_000;

/// While a connection is opened, it is looked at so often, s.
const HANDSHAKE_STEP_S: f64 = 0.001;

/// What a row has, in this order. Totals are of the interval, the others of its end.
const COLUMNS: [&str; 16] = [
    "time_s",
    "interval_s",
    "sent",
    "delivered",
    "lost",
    "rtt_samples",
    "rtt_mean_s",
    "rtt_first_half_s",
    "rtt_second_half_s",
    "srtt_s",
    "min_rtt_s",
    "in_flight",
    "cwnd",
    "ssthresh",
    "pacing_per_s",
    "ending",
];

/// How a run has ended, in the column `ending`.
const GOES_ON: f64 = 0.0;
const DURATION_OVER: f64 = 1.0;
const ALL_DELIVERED: f64 = 2.0;

/// A run's flow.
struct Steered {
    agent: AgentId,
    monitor: Monitor,
    /// Bytes of a finite transfer. It is complete when more is acknowledged: the SYN counts as a byte.
    awaited: Option<i64>,
    /// When the last interval ended, and the totals then.
    since_s: f64,
    before: Totals,
    ending: f64,
}

impl Steered {
    fn has_started(&self) -> bool {
        self.monitor.samples().has_started
    }

    /// Runs for `interval_s`, or to the end.
    fn advance(&mut self, simulation: &mut Simulation, interval_s: f64) -> Result<(), SimulationError> {
        if self.ending != GOES_ON {
            return Ok(());
        }
        let decision = simulation.engine.call_back(interval_s);
        if !run_until(simulation, decision)? {
            self.ending = DURATION_OVER;
        }
        let acknowledged = simulation.engine.agents[self.agent.0 as usize].progress().acknowledged;
        if self.awaited.is_some_and(|awaited| acknowledged > awaited) {
            self.ending = ALL_DELIVERED;
        }
        Ok(())
    }

    /// The first interval begins. The packets that left with the end of the handshake are the first of it. The RTT, s.
    fn begin(&mut self, simulation: &mut Simulation) -> f64 {
        let now = totals(&mut *simulation.engine.agents[self.agent.0 as usize]);
        self.since_s = simulation.engine.now().secs();
        self.before.delivered = now.delivered;
        now.srtt_s
    }

    /// What happened since the last call.
    fn row(&mut self, simulation: &mut Simulation) -> [f64; COLUMNS.len()] {
        let now_s = simulation.engine.now().secs();
        let after = totals(&mut *simulation.engine.agents[self.agent.0 as usize]);
        let (before, since_s) =
            (std::mem::replace(&mut self.before, after), std::mem::replace(&mut self.since_s, now_s));
        let mut samples = self.monitor.samples();
        let (first, second) = samples.rtts_s.split_at(samples.rtts_s.len() / 2);
        let (early_s, late_s) = (first.iter().sum::<f64>(), second.iter().sum::<f64>());
        let mean = |sum_s: f64, count: usize| if count > 0 { sum_s / count as f64 } else { 0.0 };
        let row = [
            now_s,
            now_s - since_s,
            f64::from(after.sent.wrapping_sub(before.sent)),
            f64::from(after.delivered.wrapping_sub(before.delivered)),
            f64::from(after.lost.wrapping_sub(before.lost)),
            samples.rtts_s.len() as f64,
            mean(early_s + late_s, first.len() + second.len()),
            mean(early_s, first.len()),
            mean(late_s, second.len()),
            after.srtt_s,
            after.min_rtt_s,
            f64::from(after.in_flight),
            after.cwnd,
            after.ssthresh,
            after.pacing_per_s,
            self.ending,
        ];
        samples.rtts_s.clear();
        row
    }
}

/// Runs to a call-back; `false` if the run has ended before.
fn run_until(simulation: &mut Simulation, decision: ScriptId) -> Result<bool, SimulationError> {
    loop {
        match simulation.engine.run(EVENTS_AT_ONCE) {
            Stop::Script(script) if script == decision => return Ok(true),
            Stop::Paused => {}
            Stop::Exhausted => return Ok(false),
            Stop::Failed(error) => return Err(error),
            stop => {
                if simulation.handle_stop(stop).map_err(SimulationError::Broken)? {
                    return simulation.engine.check().map_or(Ok(false), Err);
                }
            }
        }
    }
}

/// Numbers of 8 bytes each, one for each run. `ValueError` for another length.
fn numbers(bytes: &[u8], count: usize, what: &str) -> PyResult<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if numbers.len() != count || !rest.is_empty() {
        let message = format!("{what} has {} bytes; expected {count} numbers of 8 bytes", bytes.len());
        return Err(PyValueError::new_err(message));
    }
    Ok(numbers.iter().map(|number| f64::from_ne_bytes(*number)).collect())
}

/// A number that is set; NaN leaves what there is.
fn given(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

/// Runs in lock step, by number, each with a flow that is steered. All arrays are `bytes` of native floats of 8 bytes, one
/// for each run, as `numpy.ndarray.tobytes` and `numpy.frombuffer` have them.
#[pyclass(module = "ackclock._native")]
pub struct SteeredRuns {
    simulations: Vec<Option<Py<Simulation>>>,
    flows: Vec<Option<Steered>>,
}

#[pymethods]
impl SteeredRuns {
    /// Places for `count` runs.
    #[new]
    fn new(count: usize) -> SteeredRuns {
        SteeredRuns { simulations: (0..count).map(|_| None).collect(), flows: (0..count).map(|_| None).collect() }
    }

    /// Names of the columns of a row.
    #[staticmethod]
    fn columns() -> Vec<&'static str> {
        COLUMNS.to_vec()
    }

    /// Puts a run into a place, before its first event: that of the simulation of `sender`, a TCP agent. With `cwnd_packets` (and
    /// perhaps `pacing_packets_per_s`), the window and the rate are held as they are set; without, the sender keeps its own
    /// control, and what is set is where that goes on. `bytes` is the size of a finite transfer. `ValueError` for another kind
    /// of agent, `IndexError` for another place.
    #[pyo3(signature = (place, sender, cwnd_packets = None, pacing_packets_per_s = None, bytes = None))]
    fn put(
        &mut self,
        py: Python,
        place: usize,
        sender: &Agent,
        cwnd_packets: Option<f64>,
        pacing_packets_per_s: Option<f64>,
        bytes: Option<i64>,
    ) -> PyResult<()> {
        if place >= self.flows.len() {
            return Err(PyIndexError::new_err(format!("there is no place {place}, only {}", self.flows.len())));
        }
        let (agent, owner) = (sender.0.id, sender.0.owner(py));
        let held = cwnd_packets.map(|cwnd| Held { cwnd, pacing_per_s: pacing_packets_per_s });
        let mut simulation = owner.try_borrow_mut()?;
        let Some(monitor) = monitor(&mut *simulation.engine.agents[agent.0 as usize], held) else {
            return Err(PyValueError::new_err("only flows of today's TCP can be steered"));
        };
        let (before, ending) = (Totals::default(), GOES_ON);
        self.flows[place] = Some(Steered { agent, monitor, awaited: bytes, since_s: 0.0, before, ending });
        self.simulations[place] = Some(owner.clone().unbind());
        Ok(())
    }

    /// Runs the run in a place until its connection is established; the round-trip time of the handshake, s, which is 0 if that
    /// was not measured. `None` if the run has ended before. `SimulationError` for a run that cannot go on, `IndexError` for a
    /// place without one.
    fn connect(&mut self, py: Python, place: usize) -> PyResult<Option<f64>> {
        let run = self.simulations.get(place).zip(self.flows.get_mut(place));
        let Some((Some(simulation), Some(flow))) = run else {
            return Err(PyIndexError::new_err(format!("there is no run in place {place}")));
        };
        let mut simulation = simulation.bind(py).try_borrow_mut()?;
        let inside = &mut *simulation;
        let connected = py.detach(|| {
            while !flow.has_started() && flow.ending == GOES_ON {
                flow.advance(inside, HANDSHAKE_STEP_S)?;
            }
            let srtt_s = flow.begin(inside);
            Ok(flow.has_started().then_some(srtt_s))
        });
        connected.map_err(|error| simulation.stopped(py, engine_error(&error)))
    }

    /// Sets windows (packets) and pacing rates (packets/s) where they are not NaN, and moves each run by its interval (s), or to
    /// its end. A run whose interval is NaN stays where it is; its row is 0. The rows, one after the other. The interpreter's
    /// lock is released meanwhile. `SimulationError` for a run that cannot go on, `ValueError` for arrays of another length.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        cwnd_packets: &[u8],
        pacing_packets_per_s: &[u8],
        interval_s: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let count = self.flows.len();
        let cwnds = numbers(cwnd_packets, count, "cwnd_packets")?;
        let rates = numbers(pacing_packets_per_s, count, "pacing_packets_per_s")?;
        let intervals = numbers(interval_s, count, "interval_s")?;
        let mut moved = Vec::with_capacity(count);
        for (place, (simulation, flow)) in self.simulations.iter().zip(&mut self.flows).enumerate() {
            if let (Some(simulation), Some(flow), Some(_)) = (simulation, flow, given(intervals[place])) {
                moved.push((place, simulation.bind(py).try_borrow_mut()?, flow));
            }
        }
        let mut rows = vec![0.0; count * COLUMNS.len()];
        let mut runs: Vec<_> =
            moved.iter_mut().map(|(place, simulation, flow)| (*place, &mut **simulation, flow)).collect();
        let failed = py.detach(|| {
            for (at, (place, simulation, flow)) in runs.iter_mut().enumerate() {
                let agent = &mut *simulation.engine.agents[flow.agent.0 as usize];
                steer(agent, given(cwnds[*place]), given(rates[*place]));
                if let Err(error) = flow.advance(simulation, intervals[*place]) {
                    return Some((at, error));
                }
                rows[*place * COLUMNS.len()..][..COLUMNS.len()].copy_from_slice(&flow.row(simulation));
            }
            None
        });
        if let Some((at, error)) = failed {
            return Err(moved[at].1.stopped(py, engine_error(&error)));
        }
        drop(moved);
        py.check_signals()?;
        PyBytes::new_with(py, rows.len() * 8, |bytes| {
            for (place, number) in bytes.chunks_exact_mut(8).zip(&rows) {
                place.copy_from_slice(&number.to_ne_bytes());
            }
            Ok(())
        })
    }
}
