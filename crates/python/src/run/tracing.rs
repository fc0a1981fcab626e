//! Places where packets and variables are traced.

use ackclock_engine::measure::observe::TraceId;
use ackclock_trace::recorder::{ChannelId, PacketPlace, VariablePlace as Place};
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::run::channels::Channel;
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;

/// Where a trace of packets is written: its lines begin with a letter and name two nodes.
#[pyclass(frozen, module = "ackclock._native")]
pub struct TracePlace(pub Handle<TraceId>);

/// Where one variable of an object is written, as ns-2's `Trace/Var` writes it.
#[pyclass(frozen, module = "ackclock._native")]
pub struct VariablePlace(pub Handle<TraceId>);

impl TracePlace {
    fn change(&self, py: Python, change: impl FnOnce(&mut PacketPlace)) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let place = simulation.recorder().packet_place(self.0.id);
        change(place.ok_or_else(|| no_such("trace place", self.0.id.0))?);
        Ok(())
    }

    fn channel(&self, channel: Option<&Channel>) -> PyResult<Option<ChannelId>> {
        channel.map(|channel| self.0.other(&channel.0)).transpose()
    }
}

#[pymethods]
impl TracePlace {
    /// Sets where lines go, of ns-2's trace and of nam's; nowhere for `None`.
    fn set_channels(&self, py: Python, trace: Option<&Channel>, nam: Option<&Channel>) -> PyResult<()> {
        let (trace, nam) = (self.channel(trace)?, self.channel(nam)?);
        self.change(py, |place| (place.trace, place.nam) = (trace, nam))
    }

    /// Sets the numbers of the two nodes that lines name.
    fn set_nodes(&self, py: Python, from_node: i32, to_node: i32) -> PyResult<()> {
        self.change(py, |place| (place.from, place.to) = (from_node, to_node))
    }

    /// Sets how lines look: with the columns of the TCP header, with the tag of an event, one for each chunk of SCTP.
    #[pyo3(signature = (shows_tcp_header, is_tagged, shows_chunks = false))]
    fn set_style(&self, py: Python, shows_tcp_header: bool, is_tagged: bool, shows_chunks: bool) -> PyResult<()> {
        self.change(py, |place| {
            (place.shows_tcp_header, place.is_tagged, place.shows_chunks) = (shows_tcp_header, is_tagged, shows_chunks);
        })
    }

    /// Its number, by which `Simulation.take_lines` names it.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// Sets whether `Simulation.take_lines` gives its lines.
    fn set_told(&self, py: Python, is_told: bool) -> PyResult<()> {
        self.change(py, |place| place.is_told = is_told)
    }

    /// Writes a remark.
    fn annotate(&self, py: Python, text: &str) -> PyResult<()> {
        let mut simulation = self.0.simulation(py)?;
        let now = simulation.engine.now();
        simulation.recorder().annotate(self.0.id, now, text);
        Ok(())
    }
}

#[pymethods]
impl VariablePlace {
    /// Sets where lines go; nowhere for `None`.
    #[pyo3(signature = (channel = None))]
    fn set_channel(&self, py: Python, channel: Option<&Channel>) -> PyResult<()> {
        let channel = channel.map(|channel| self.0.other(&channel.0)).transpose()?;
        self.0.simulation(py)?.recorder().set_variable_channel(self.0.id, channel);
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    /// The lines that trace places are to tell, with the numbers of the places, since this was last called.
    fn take_lines(&mut self) -> Vec<(u32, String)> {
        let told = self.recorder().take_told();
        told.into_iter().map(|(id, line)| (id.0, String::from_utf8_lossy(&line).into_owned())).collect()
    }

    /// A place for a trace of packets, to be added to a link: its lines begin with `op` and name the two nodes by their
    /// numbers. `trace` and `nam` are as in `TracePlace.set_channels`, the rest as in `TracePlace.set_style`.
    #[pyo3(signature = (op, from_node, to_node, trace = None, nam = None, shows_tcp_header = false, is_tagged = false))]
    fn add_trace_place(
        this: &Bound<Simulation>,
        op: char,
        from_node: i32,
        to_node: i32,
        trace: Option<&Channel>,
        nam: Option<&Channel>,
        shows_tcp_header: bool,
        is_tagged: bool,
    ) -> PyResult<TracePlace> {
        let channel = |channel: Option<&Channel>| channel.map(|channel| channel.0.id_in(this)).transpose();
        let place = PacketPlace {
            op: op as u8,
            from: from_node,
            to: to_node,
            trace: channel(trace)?,
            nam: channel(nam)?,
            shows_tcp_header,
            is_tagged,
            is_told: false,
            shows_chunks: false,
        };
        Handle::made(this, |simulation| Ok(simulation.recorder().add_packet_place(place))).map(TracePlace)
    }

    /// A place for the variable `name` of the object `owner`. Its lines go to `channel`, or nowhere.
    #[pyo3(signature = (owner, name, channel = None))]
    fn add_variable_place(
        this: &Bound<Simulation>,
        owner: &str,
        name: &str,
        channel: Option<&Channel>,
    ) -> PyResult<VariablePlace> {
        let channel = channel.map(|channel| channel.0.id_in(this)).transpose()?;
        let place = Place { channel, owner: owner.into(), name: name.into() };
        Handle::made(this, |simulation| Ok(simulation.recorder().add_variable_place(place))).map(VariablePlace)
    }
}
