//! Channels, traces, watched variables and monitors.

use ackclock_engine::measure::histogram::Histogram;
use ackclock_engine::measure::monitor::{DelaySamples, Integrator, Monitor};
use ackclock_engine::measure::observe::TraceId;
use ackclock_engine::net::node::AgentId;
use ackclock_trace::channel::Channel;
use ackclock_trace::ns2::nam::NamVariable;
use ackclock_trace::recorder::{AgentPlace, ChannelId, HappeningsPlace, LengthPlace, PacketPlace, VariablePlace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{no_such, unknown_parameter, value_from_python, value_to_python};
use crate::process::files::take_descriptor;
use crate::simulation::Simulation;

impl Simulation {
    fn monitor(&mut self, number: u32) -> PyResult<&mut Monitor> {
        self.engine.net.monitors.get_mut(number as usize).ok_or_else(|| no_such("monitor", number))
    }

    fn watched(&mut self, agent: u32, place: TraceId) {
        let index = agent as usize;
        if self.agent_places.len() <= index {
            self.agent_places.resize(index + 1, Vec::new());
        }
        self.agent_places[index].push(place.0);
    }
}

#[pymethods]
impl Simulation {
    /// A channel that writes to a file; the file's descriptor `fd` is taken over and closed with the channel. With `block`
    /// it writes whole blocks of so many bytes, as C's standard output does. `begun`: the bytes that Tcl would not have
    /// written yet, had the channel been its own.
    #[pyo3(signature = (fd, block = None, begun = 0))]
    fn open_channel(&mut self, fd: i32, block: Option<usize>, begun: usize) -> PyResult<u32> {
        let file = Box::new(take_descriptor(fd)?);
        let channel = match block {
            None => Channel::new(file).begun_with(begun),
            Some(block) => Channel::in_blocks(file, block),
        };
        let number = self.recorder().add_channel(channel).0;
        self.channel_fds.push(fd);
        Ok(number)
    }

    fn channel_write(&mut self, channel: u32, bytes: &[u8]) -> PyResult<()> {
        self.recorder().channel(ChannelId(channel)).ok_or_else(|| no_such("channel", channel))?.write(bytes);
        Ok(())
    }

    /// What is buffered goes to the file; with `in_blocks` only what Tcl's own buffers would have let go by now.
    #[pyo3(signature = (channel, in_blocks = false))]
    fn channel_flush(&mut self, channel: u32, in_blocks: bool) -> PyResult<()> {
        if let Some(open) = self.recorder().channel(ChannelId(channel)) {
            if in_blocks {
                open.flush_blocks()
            } else {
                open.flush()
            }
            if let Some(failure) = open.take_failure() {
                return Err(self.channel_error(channel, &failure));
            }
        }
        Ok(())
    }

    fn channel_close(&mut self, channel: u32) -> PyResult<()> {
        // The system knows the file's name only while it is open, so what fails is asked for before it is closed.
        let failure = self.recorder().channel(ChannelId(channel)).and_then(|open| {
            open.flush();
            open.take_failure()
        });
        let told = failure.map_or(Ok(()), |failure| Err(self.channel_error(channel, &failure)));
        let _ = self.recorder().close(ChannelId(channel));
        told
    }

    /// A place for a packet trace: lines begin with `op` and name the two nodes; tap it into a link.
    #[pyo3(signature = (op, from_node, to_node, trace = None, nam = None, shows_tcp_header = false, is_tagged = false))]
    fn add_trace_place(
        &mut self,
        op: char,
        from_node: i32,
        to_node: i32,
        trace: Option<u32>,
        nam: Option<u32>,
        shows_tcp_header: bool,
        is_tagged: bool,
    ) -> u32 {
        let place = PacketPlace {
            op: op as u8,
            from: from_node,
            to: to_node,
            trace: trace.map(ChannelId),
            nam: nam.map(ChannelId),
            shows_tcp_header,
            is_tagged,
        };
        self.recorder().add_packet_place(place).0
    }

    /// Where a place's lines go from now on.
    #[pyo3(signature = (place, trace, nam))]
    fn set_trace_channels(&mut self, place: u32, trace: Option<u32>, nam: Option<u32>) -> PyResult<()> {
        let place = self.recorder().packet_place(TraceId(place)).ok_or_else(|| no_such("trace place", place))?;
        place.trace = trace.map(ChannelId);
        place.nam = nam.map(ChannelId);
        Ok(())
    }

    /// The two nodes that a place's lines name from now on.
    fn set_trace_nodes(&mut self, place: u32, from_node: i32, to_node: i32) -> PyResult<()> {
        let place = self.recorder().packet_place(TraceId(place)).ok_or_else(|| no_such("trace place", place))?;
        place.from = from_node;
        place.to = to_node;
        Ok(())
    }

    /// Writes a remark where a place's lines go.
    fn annotate(&mut self, place: u32, text: &str) {
        let now = self.engine.now();
        self.recorder().annotate(TraceId(place), now, text);
    }

    /// How a place's lines look from now on.
    fn set_trace_style(&mut self, place: u32, shows_tcp_header: bool, is_tagged: bool) -> PyResult<()> {
        let place = self.recorder().packet_place(TraceId(place)).ok_or_else(|| no_such("trace place", place))?;
        place.shows_tcp_header = shows_tcp_header;
        place.is_tagged = is_tagged;
        Ok(())
    }

    /// An agent's variable is written to a channel at each change, and now if `at_once`; `shown` is what the lines call it.
    fn watch_agent(&mut self, agent: u32, name: &str, shown: &str, channel: u32, at_once: bool) -> PyResult<()> {
        let id = self.check_agent(agent)?;
        let place = self.agent_place(id, shown, channel, None);
        let watched = &mut self.engine.agents[id.0 as usize];
        if !watched.watch(name, place) {
            return Err(unknown_parameter("this agent, among those that can be watched,", name));
        }
        if at_once {
            watched.report(Some(name), &mut self.engine.net);
        }
        self.watched(agent, place);
        Ok(())
    }

    /// An agent's variable is written to a channel at each change, in nam's manner; the place, for naming the agent.
    fn watch_agent_for_nam(&mut self, agent: u32, name: &str, shown: &str, channel: u32) -> PyResult<u32> {
        let id = self.check_agent(agent)?;
        let place = self.agent_place(id, shown, channel, Some(NamVariable::default()));
        if !self.engine.agents[id.0 as usize].watch(name, place) {
            return Err(unknown_parameter("this agent, among those that can be watched,", name));
        }
        self.watched(agent, place);
        Ok(place.0)
    }

    /// Whatever is written of an agent's variables goes to this channel from now on.
    fn move_agent_variables(&mut self, agent: u32, channel: u32) -> PyResult<()> {
        let id = self.check_agent(agent)?;
        for place in self.agent_places.get(id.0 as usize).cloned().unwrap_or_default() {
            self.recorder().set_agent_channel(TraceId(place), ChannelId(channel));
        }
        Ok(())
    }

    /// A place for one variable of an object, written as ns-2's `Trace/Var` writes it.
    #[pyo3(signature = (owner, name, channel = None))]
    fn add_variable_place(&mut self, owner: &str, name: &str, channel: Option<u32>) -> u32 {
        let place = VariablePlace { channel: channel.map(ChannelId), owner: owner.into(), name: name.into() };
        self.recorder().add_variable_place(place).0
    }

    /// Where the lines of such a place go from now on.
    #[pyo3(signature = (place, channel = None))]
    fn set_variable_channel(&mut self, place: u32, channel: Option<u32>) {
        self.recorder().set_variable_channel(TraceId(place), channel.map(ChannelId));
    }

    /// An agent's variable is written at such a place at each change.
    fn watch_agent_at(&mut self, agent: u32, name: &str, place: u32) -> PyResult<()> {
        let id = self.check_agent(agent)?;
        let known = self.engine.agents[id.0 as usize].watch(name, TraceId(place));
        if known { Ok(()) } else { Err(unknown_parameter("this agent, among those that can be watched,", name)) }
    }

    /// A queue's variable is written at such a place at each change.
    fn watch_queue_at(&mut self, link: u32, name: &str, place: u32) -> PyResult<()> {
        let link = self.check_link(link)?;
        let known = self.engine.net.links[link.0 as usize].queue_mut().watch(name, TraceId(place));
        if known { Ok(()) } else { Err(unknown_parameter("this queue, among those that can be watched,", name)) }
    }

    /// What nam calls an agent from now on, at a place for one of its variables.
    fn name_agent_for_nam(&mut self, place: u32, name: &str) {
        self.recorder().name_agent_for_nam(TraceId(place), name);
    }

    /// What an agent prints (Linux's congestion controls, TFRC) is written to a channel.
    fn watch_remarks(&mut self, agent: u32, channel: u32) -> PyResult<()> {
        let id = self.check_agent(agent)?;
        let place = self.recorder().add_remarks_place(ChannelId(channel));
        if !self.engine.agents[id.0 as usize].watch("remarks", place) {
            return Err(unknown_parameter("this agent, among those that can be watched,", "remarks"));
        }
        Ok(())
    }

    /// What an agent reports in words (`E` lines) is written to channels.
    #[pyo3(signature = (agent, trace = None, nam = None))]
    fn watch_happenings(&mut self, agent: u32, trace: Option<u32>, nam: Option<u32>) -> PyResult<()> {
        let id = self.check_agent(agent)?;
        let end = self.engine.agents[id.0 as usize].endpoint().clone();
        let place =
            HappeningsPlace { trace: trace.map(ChannelId), nam: nam.map(ChannelId), here: end.here, peer: end.peer };
        let place = self.recorder().add_happenings_place(place);
        if !self.engine.agents[id.0 as usize].watch("event", place) {
            return Err(unknown_parameter("this agent, among those that can be watched,", "event"));
        }
        self.watched(agent, place);
        Ok(())
    }

    /// Each change of a queue's variable is written to a channel.
    fn watch_queue(&mut self, link: u32, name: &str, channel: u32) -> PyResult<()> {
        let link = self.check_link(link)?;
        let place = self.recorder().add_queue_place(ChannelId(channel));
        let known = self.engine.net.links[link.0 as usize].queue_mut().watch(name, place);
        if known { Ok(()) } else { Err(unknown_parameter("this queue, among those that can be watched,", name)) }
    }

    fn add_monitor(&mut self) -> u32 {
        self.engine.net.monitors.push(Monitor::default());
        self.engine.net.monitors.len() as u32 - 1
    }

    /// The nodes that a monitor's lines name.
    fn set_monitor_nodes(&mut self, monitor: u32, from_node: i32, to_node: i32) -> PyResult<()> {
        let monitor = self.monitor(monitor)?;
        (monitor.from, monitor.to) = (from_node, to_node);
        if let Some(place) = monitor.trace {
            self.recorder().set_length_nodes(place, from_node, to_node);
        }
        Ok(())
    }

    /// Each change of a monitored queue's length is written to a channel.
    fn trace_monitor(&mut self, monitor: u32, channel: u32) -> PyResult<()> {
        let (from, to) = (self.monitor(monitor)?.from, self.monitor(monitor)?.to);
        let place = self.recorder().add_length_place(LengthPlace { channel: ChannelId(channel), from, to });
        self.monitor(monitor)?.trace = Some(place);
        Ok(())
    }

    fn monitor_param<'py>(&mut self, py: Python<'py>, monitor: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.monitor(monitor)?.own_param(name).ok_or_else(|| unknown_parameter("a monitor", name))?;
        value_to_python(py, value)
    }

    fn set_monitor_param(&mut self, monitor: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known = self.monitor(monitor)?.set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("a monitor", name)) }
    }

    /// Keeps one of a monitor's integrals from now on: `which` is bytes or packets.
    fn keep_integral(&mut self, monitor: u32, which: &str) -> PyResult<()> {
        self.integral(monitor, which)?.get_or_insert_default();
        Ok(())
    }

    /// A value of an integral that is kept: last_s, last_value or sum.
    fn integral_param<'py>(
        &mut self,
        py: Python<'py>,
        monitor: u32,
        which: &str,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let integral = self.integral(monitor, which)?.clone().unwrap_or_default();
        value_to_python(py, integral.own_param(name).ok_or_else(|| unknown_parameter("an integral", name))?)
    }

    fn set_integral_param(&mut self, monitor: u32, which: &str, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let known =
            self.integral(monitor, which)?.get_or_insert_default().set_own_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("an integral", name)) }
    }

    /// A new point of an integral: the function is `value` from `at_s` on.
    fn integral_new_point(&mut self, monitor: u32, which: &str, at_s: f64, value: f64) -> PyResult<()> {
        let integral = self.integral(monitor, which)?.get_or_insert_default();
        integral.new_point(ackclock_engine::time::Time(at_s), value);
        Ok(())
    }

    /// Keeps a histogram of the TCP segments that leave: `which` is rtts (ms) or seqnos.
    fn keep_histogram(&mut self, monitor: u32, which: &str, bin_width: i32, bins: usize) -> PyResult<()> {
        *self.histogram_slot(monitor, which)? = Some(Histogram::new(bin_width, bins));
        Ok(())
    }

    /// Counts in the bins of a histogram that is kept.
    fn histogram(&mut self, monitor: u32, which: &str) -> PyResult<Vec<u32>> {
        Ok(self.histogram_slot(monitor, which)?.as_ref().map_or_else(Vec::new, |kept| kept.bins().to_vec()))
    }

    /// Keeps samples of a monitor's queueing delay from now on.
    fn keep_delay_samples(&mut self, monitor: u32) -> PyResult<()> {
        self.monitor(monitor)?.delay.get_or_insert_default();
        Ok(())
    }

    /// Count, sum (s) and sum of squares (s²) of a monitor's delay samples.
    fn delay_samples(&mut self, monitor: u32) -> PyResult<(i32, f64, f64)> {
        let samples = self.monitor(monitor)?.delay.clone().unwrap_or_default();
        Ok((samples.count, samples.sum_s, samples.sum_of_squares))
    }

    fn reset_delay_samples(&mut self, monitor: u32) -> PyResult<()> {
        self.monitor(monitor)?.delay = Some(DelaySamples::default());
        Ok(())
    }
}

impl Simulation {
    fn agent_place(&mut self, agent: AgentId, shown: &str, channel: u32, nam: Option<NamVariable>) -> TraceId {
        let end = self.engine.agents[agent.0 as usize].endpoint().clone();
        let place = AgentPlace { channel: ChannelId(channel), name: shown.into(), here: end.here, peer: end.peer, nam };
        self.recorder().add_agent_place(place)
    }

    fn histogram_slot(&mut self, monitor: u32, which: &str) -> PyResult<&mut Option<Histogram>> {
        let monitor = self.monitor(monitor)?;
        match which {
            "rtts" => Ok(&mut monitor.rtts),
            "seqnos" => Ok(&mut monitor.seqnos),
            _ => Err(PyValueError::new_err(format!("a monitor has no histogram of {which}; it has rtts and seqnos"))),
        }
    }

    fn integral(&mut self, monitor: u32, which: &str) -> PyResult<&mut Option<Integrator>> {
        let monitor = self.monitor(monitor)?;
        match which {
            "bytes" => Ok(&mut monitor.bytes_integral),
            "packets" => Ok(&mut monitor.packets_integral),
            _ => Err(PyValueError::new_err(format!("a monitor has no integral of {which}; it has bytes and packets"))),
        }
    }
}
