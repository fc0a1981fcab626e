//! Networks of descriptions, resolved by `crates/scenario`, and simulations of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ackclock_scenario::builder::{Output, build_in};
use ackclock_scenario::defaults::{Bench, SETS_TOML, Values};
use ackclock_scenario::model::apps::App;
use ackclock_scenario::model::deliveries::Deliveries;
use ackclock_scenario::model::described::Described;
use ackclock_scenario::model::processes::Process;
use ackclock_scenario::model::seed::Seed;
use ackclock_scenario::outside::Origin;
use ackclock_scenario::resolve::flows::kind_of;
use ackclock_scenario::resolve::network::{Happening, Network, resolve};
use ackclock_scenario::tree::{Table, Tree};
use ackclock_scenario::{Scenario, ScenarioError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Described as DescribedParameter, described, simulation_error, value_to_python};
use crate::run::channels::Channel;
use crate::run::descriptions::{scenario_error, tree};
use crate::run::outside::{PythonOutside, recording};
use crate::simulation::Simulation;

/// Parameters by name, for Python.
type Parameters<'py> = Bound<'py, PyDict>;

/// What a description comes to: numbered nodes, one-way links, senders and receivers, instants.
#[pyclass(frozen, module = "ackclock._native")]
pub struct ResolvedNetwork {
    scenario: Arc<Scenario>,
    network: Arc<Network>,
    code: Py<PyAny>,
}

fn parameters<'py>(py: Python<'py>, values: &Values) -> PyResult<Parameters<'py>> {
    let dict = PyDict::new(py);
    for (name, value) in &values.0 {
        dict.set_item(name, value_to_python(py, *value)?)?;
    }
    Ok(dict)
}

fn described_network(keys: &Table, outside: &PythonOutside) -> Result<(Scenario, Network), Box<ScenarioError>> {
    let scenario = Scenario::of(keys, false, outside)?;
    let network = resolve(&scenario, outside)?;
    Ok((scenario, network))
}

#[pymethods]
impl ResolvedNetwork {
    /// The network of a description, an `ackclock.Scenario`; `code` finds the code that it names (a `NamedCode`).
    /// `ScenarioError` where it describes none.
    #[new]
    fn new(py: Python, scenario: Py<PyAny>, code: Py<PyAny>) -> PyResult<ResolvedNetwork> {
        let Tree::Table(keys) = tree(scenario.bind(py))? else {
            return Err(PyValueError::new_err("expected a description"));
        };
        let outside = PythonOutside::new(Some(code.clone_ref(py)), PathBuf::new(), Default::default());
        let found = described_network(&keys, &outside);
        match (outside.take_raised(), found) {
            (Some(raised), _) => Err(raised),
            (None, Err(error)) => Err(scenario_error(py, &error)),
            (None, Ok((scenario, network))) => {
                Ok(ResolvedNetwork { scenario: Arc::new(scenario), network: Arc::new(network), code })
            }
        }
    }

    /// Names of the nodes, by number.
    fn nodes(&self) -> Vec<String> {
        self.network.nodes.clone()
    }

    /// Names of the flows, by number.
    fn flow_names(&self) -> Vec<String> {
        self.network.flows.iter().map(|flow| flow.name.clone()).collect()
    }

    /// Names of the links (`a->b`), by number.
    fn link_names(&self) -> Vec<String> {
        (0..self.network.links.len()).map(|number| self.network.link_name(number)).collect()
    }

    /// How long it lasts, s.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.network.duration_s
    }

    /// Whether it depends on the seed: transfers that come, starts and rates that are drawn.
    #[getter]
    fn is_drawn(&self) -> bool {
        self.network.is_drawn(&self.scenario)
    }

    /// The flows, each with the name of its field: `name`, `source`, `destination`, `sender`, `receiver`, `control`,
    /// `flow_id`, `stream`, `spans_s`, `parameters`, `receiver_parameters`, `wire_bytes`, `packets`, `described` (its number
    /// in the description), `response_bytes` (of requests that were drawn), `own` (parameters of a class of the user's own).
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let flows = self.network.flows.iter();
        let made = flows.map(|flow| {
            let (dict, terms) = (PyDict::new(py), &flow.terms);
            dict.set_item("name", &flow.name)?;
            dict.set_item("source", flow.source)?;
            dict.set_item("destination", flow.destination)?;
            dict.set_item("sender", &terms.sender)?;
            dict.set_item("receiver", &terms.receiver)?;
            dict.set_item("control", &terms.control)?;
            dict.set_item("flow_id", flow.flow_id)?;
            dict.set_item("stream", &flow.stream)?;
            dict.set_item("spans_s", &flow.spans_s)?;
            dict.set_item("parameters", parameters(py, &terms.parameters)?)?;
            dict.set_item("receiver_parameters", parameters(py, &terms.receiver_parameters)?)?;
            dict.set_item("wire_bytes", terms.wire_bytes)?;
            dict.set_item("packets", flow.packets)?;
            dict.set_item("described", flow.described)?;
            let own = terms.code.as_ref().filter(|code| code.origin == Origin::Python);
            dict.set_item("own", own.map(|code| parameters(py, &code.values)).transpose()?)?;
            let response = match &flow.app {
                App::Requests(app) => Some(app.response.value),
                _ => None,
            };
            dict.set_item("response_bytes", response)?;
            Ok(dict)
        });
        made.collect()
    }

    /// The links, each with the name of its field: `source`, `target`, `rate_bps`, `delay_s`, `losses` (key, flow ids,
    /// states: loss rate, probabilities of the next state and duration, s, of each), `cost`, `key`, `queue_key`,
    /// `deliveries` (ms), `slots` (s, bytes), `radio_key`, `parameters`, `commands`.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let links = self.network.links.iter();
        let made = links.map(|link| {
            let dict = PyDict::new(py);
            dict.set_item("source", link.source)?;
            dict.set_item("target", link.target)?;
            dict.set_item("rate_bps", link.rate_bps)?;
            dict.set_item("delay_s", link.delay_s)?;
            // What a process adds is not described as a loss.
            let losses = link.losses.iter().filter(|lossy| lossy.key != link.process_key);
            let losses = losses.map(|lossy| (&lossy.key, &lossy.flow_ids, lossy.loss.chain()));
            dict.set_item("losses", losses.collect::<Vec<_>>())?;
            dict.set_item("cost", link.cost)?;
            dict.set_item("key", &link.key)?;
            dict.set_item("queue_key", &link.queue_key)?;
            dict.set_item("deliveries", link.deliveries.as_ref().map(Deliveries::at_ms))?;
            let slots = link.slots.iter().map(|slot| (slot.at_s, slot.bytes));
            dict.set_item("slots", slots.collect::<Vec<_>>())?;
            let is_radio = |process: &&Process| matches!(process, Process::Nr(_) | Process::Wifi(_));
            let radio = link.process.as_ref().filter(is_radio);
            dict.set_item("radio_key", radio.map(|_| &link.process_key))?;
            dict.set_item("parameters", parameters(py, &link.parameters)?)?;
            dict.set_item("commands", &link.commands)?;
            Ok(dict)
        });
        made.collect()
    }

    /// What happens to links, in the order of time: when, s; what (`rate`, `delay`, `cost`, `up`, `down`, `cut`); the link's number;
    /// the new value.
    fn events(&self) -> Vec<(f64, &'static str, usize, f64)> {
        let told = |what| match what {
            Happening::Rate(rate_bps) => ("rate", rate_bps),
            Happening::Delay(delay_s) => ("delay", delay_s),
            Happening::Cost(cost) => ("cost", cost),
            Happening::Up => ("up", 0.0),
            Happening::Down => ("down", 0.0),
            Happening::Cut => ("cut", 0.0),
        };
        let events = self.network.events.iter();
        events.map(|event| (event.at_s, told(event.what).0, event.link, told(event.what).1)).collect()
    }

    /// Numbers of the flows with these `names`; without names, of all that have today's TCP. `ScenarioError` for a name that
    /// none of those has; `key` is the key of the names in the description.
    #[pyo3(signature = (names, key))]
    fn connections(&self, py: Python, names: Option<Vec<String>>, key: &str) -> PyResult<Vec<usize>> {
        self.network.connections(names.as_deref(), key).map_err(|error| scenario_error(py, &error))
    }

    /// The flows that never send, since they start when the run is over: the name, and when they start, s.
    fn silent_flows(&self) -> Vec<(String, f64)> {
        let flows = self.network.flows.iter();
        let silent = flows.filter_map(|flow| {
            let starts_s = flow.spans_s.iter().map(|(start_s, _)| *start_s);
            let first_s = starts_s.fold(f64::INFINITY, f64::min);
            (first_s >= self.network.duration_s && !flow.spans_s.is_empty()).then(|| (flow.name.clone(), first_s))
        });
        silent.collect()
    }

    /// Sets the network up in an empty simulation. Objects of users' code are made anew. Returns the agent number of each
    /// flow's sender. `seed` replaces that of the description, where nothing is drawn. `trace`, `nam` and `capture` are where
    /// those go, `qlogs` are channels by the number of the flow. Without `tables` nothing is measured, without `series` no
    /// samples are kept. `SimulationError` for values that the engine refuses.
    #[pyo3(signature = (simulation, seed = None, trace = None, nam = None, capture = None, qlogs = None, tables = true,
        series = true))]
    fn build(
        &self,
        py: Python,
        simulation: &Bound<Simulation>,
        seed: Option<u64>,
        trace: Option<&Channel>,
        nam: Option<&Channel>,
        capture: Option<&Channel>,
        qlogs: Option<Vec<(usize, Py<Channel>)>>,
        tables: bool,
        series: bool,
    ) -> PyResult<Vec<u32>> {
        let channel = |channel: Option<&Channel>| channel.map(|channel| channel.0.id_in(simulation)).transpose();
        let qlogs = qlogs.unwrap_or_default();
        let qlogs = qlogs.iter().map(|(number, channel)| Ok((*number, channel.get().0.id_in(simulation)?)));
        let output = Output {
            trace: channel(trace)?,
            nam: channel(nam)?,
            capture: channel(capture)?,
            qlogs: qlogs.collect::<PyResult<_>>()?,
            tables,
            series,
        };
        let mut scenario = Arc::clone(&self.scenario);
        if let Some(seed) = seed {
            Arc::make_mut(&mut scenario).seed = Some(Seed::Hashed(seed));
        }
        let mut own = simulation.try_borrow_mut()?;
        let outside = PythonOutside::new(Some(self.code.clone_ref(py)), PathBuf::new(), own.plugins.clone());
        let Simulation { engine, schedule, .. } = &mut *own;
        let built = build_in(engine, schedule, (&scenario, &self.network), &outside, &output);
        if let Some(raised) = outside.take_raised() {
            return Err(raised);
        }
        let senders = built.map_err(simulation_error)?;
        Ok(senders.into_iter().map(|sender| sender.0).collect())
    }
}

/// The instants of a recording, ms: one opportunity of 1504 bytes each, the last one being the period's length.
///
/// `ScenarioError` for a file that cannot be read, is not a regular file, is too large or holds no opportunities, with the
/// line of what is wrong. It shows nothing of a line but a number: the file may be no recording at all, but somebody's secret.
#[pyfunction]
pub fn read_deliveries(py: Python, path: PathBuf) -> PyResult<Vec<i64>> {
    let found = py.detach(|| recording_in(&path));
    let found = found.map_err(|error| scenario_error(py, &ScenarioError { key: String::new(), ..*error }))?;
    Ok(found.at_ms().to_vec())
}

fn recording_in(path: &Path) -> Result<Deliveries, Box<ScenarioError>> {
    let shown = path.to_string_lossy().into_owned();
    let bytes = recording(path).map_err(|reason| {
        Box::new(ScenarioError::new(format!("the recording cannot be read: {reason}")).value(shown.as_str()))
    })?;
    let found = Deliveries::of_file(shown, &bytes);
    found.check()?;
    Ok(found)
}

/// What a flow without a name is called before its number: its congestion control if it names one, else its variant.
#[pyfunction]
#[pyo3(signature = (tcp, control))]
pub fn flow_kind(tcp: Option<&str>, control: Option<&str>) -> String {
    kind_of(tcp, control)
}

/// The default sets of scenarios, as a TOML file.
#[pyfunction]
pub fn default_sets() -> &'static str {
    SETS_TOML
}

/// The parameters that scenarios offer of a queue discipline, by its id, or of senders: `one_way` and `full` for ns-2's,
/// `tcp_NAME` for today's TCP with the congestion control NAME, `tcp` for what all controls share; name, value, unit,
/// description of each. None for an unknown name.
#[pyfunction]
pub fn scenario_parameters<'py>(py: Python<'py>, of: &str) -> PyResult<Vec<DescribedParameter<'py>>> {
    described(py, Bench::default().parameters(of).to_vec())
}
