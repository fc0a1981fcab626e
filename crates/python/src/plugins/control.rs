//! A congestion control that is a Python object.

use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::Simulation as Engine;
use ackclock_engine::transport::external_control::{ControlEvent, ControlState, ExternalCongestionOps};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::plugins::ledger::Shared;
use crate::plugins::{Number, PluginObject};
use crate::simulation::agents::Agent;

/// The greatest window, packets: no connection is that long.
const MOST: f64 = (1 << 30) as f64;

/// A TCP sender as its congestion control sees it. Windows are in packets; `cwnd_packets` and `ssthresh_packets` are to be
/// set. It is the same object at each call, with what is true then: keep its numbers, not the object.
#[pyclass(module = "ackclock._native")]
pub struct SenderState {
    state: ControlState,
    /// How often a window below one packet was set.
    floored: u64,
}

#[pymethods]
impl SenderState {
    /// The simulated time, s.
    #[getter]
    fn now_s(&self) -> f64 {
        self.state.now_s
    }

    /// The congestion window, packets: at least 1, not necessarily whole. Less than 1 counts as 1: Linux has no
    /// smaller window either (`tcp_snd_cwnd_set` warns of one). `ValueError` for a negative number, NaN and above 2**30.
    #[getter]
    fn cwnd_packets(&self) -> f64 {
        self.state.cwnd
    }

    #[setter]
    fn set_cwnd_packets(&mut self, packets: f64) -> PyResult<()> {
        if !(0.0..=MOST).contains(&packets) {
            return Err(PyValueError::new_err(format!(
                "cwnd_packets = {packets}: a window is not negative, and at most 2**30"
            )));
        }
        self.floored += u64::from(packets < 1.0);
        self.state.cwnd = packets.max(1.0);
        Ok(())
    }

    /// The slow-start threshold, packets: whole, the rest is cut off, and at least 2. `ValueError` for a negative number
    /// or none.
    #[getter]
    fn ssthresh_packets(&self) -> f64 {
        f64::from(self.state.ssthresh)
    }

    #[setter]
    fn set_ssthresh_packets(&mut self, packets: f64) -> PyResult<()> {
        if packets.is_nan() || packets < 0.0 {
            return Err(PyValueError::new_err(format!("ssthresh_packets = {packets}: a threshold is not negative")));
        }
        self.state.ssthresh = packets.clamp(2.0, MOST) as i32;
        Ok(())
    }

    /// What may be in flight, packets: the window with what duplicate ACKs add to it in recovery, at most the receiver's.
    #[getter]
    fn window_packets(&self) -> f64 {
        self.state.window
    }

    /// Packets sent and not yet acknowledged.
    #[getter]
    fn in_flight_packets(&self) -> i32 {
        self.state.in_flight
    }

    /// Bytes of data in a packet.
    #[getter]
    fn mss_bytes(&self) -> i32 {
        self.state.mss_bytes
    }

    /// The smoothed round-trip time (RFC 6298, gain 1/8, exact samples), s; None before the first sample.
    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        self.state.srtt_s
    }

    /// The shortest round-trip time so far, s; None before the first sample.
    #[getter]
    fn min_rtt_s(&self) -> Option<f64> {
        self.state.min_rtt_s
    }

    /// Whether the window, not the application or the receiver, limits the sender: one that is not used should not grow (RFC
    /// 7661). Senders other than `tcp` do not look, and say yes.
    #[getter]
    fn is_limited(&self) -> bool {
        self.state.is_limited
    }

    /// The rate to send at, packets/s; None lets ACKs say when. Only the sender `tcp` goes by it. `ValueError` for what is
    /// not a positive number.
    #[getter]
    fn pacing_packets_per_s(&self) -> Option<f64> {
        self.state.pacing_per_s
    }

    #[setter]
    fn set_pacing_packets_per_s(&mut self, rate: Option<f64>) -> PyResult<()> {
        if let Some(wrong) = rate.filter(|rate| !(*rate > 0.0 && rate.is_finite())) {
            return Err(PyValueError::new_err(format!(
                "pacing_packets_per_s = {wrong}: a rate is a positive number, or None"
            )));
        }
        self.state.pacing_per_s = rate;
        Ok(())
    }
}

/// An ACK of new data.
#[pyclass(module = "ackclock._native", frozen)]
pub struct Ack {
    packets: i32,
    marked: bool,
    marked_packets: i32,
    rtt_s: Option<f64>,
    delivery_per_s: Option<f64>,
    is_app_limited: bool,
}

#[pymethods]
impl Ack {
    /// Packets that it acknowledges and none did before: more than 1 with delayed or lost ACKs, and after a recovery.
    #[getter]
    fn packets(&self) -> i32 {
        self.packets
    }

    /// Whether it echoes a congestion mark.
    #[getter]
    fn marked(&self) -> bool {
        self.marked
    }

    /// Packets that it newly tells to have been marked; 1 or 0 where marks are not counted (`acc_ecn` counts them).
    #[getter]
    fn marked_packets(&self) -> i32 {
        self.marked_packets
    }

    /// The round-trip time that it tells by its echoed timestamp, s; None if it tells none.
    #[getter]
    fn rtt_s(&self) -> Option<f64> {
        self.rtt_s
    }

    /// How fast packets were delivered while the last of these was on its way, packets/s (draft-ietf-ccwg-bbr, 4.1); None
    /// where that cannot be told, and on senders other than `tcp`.
    #[getter]
    fn delivery_packets_per_s(&self) -> Option<f64> {
        self.delivery_per_s
    }

    /// Whether the application, not the path, held that rate down.
    #[getter]
    fn is_app_limited(&self) -> bool {
        self.is_app_limited
    }
}

struct PluginControl {
    own: PluginObject,
    state: Py<SenderState>,
    /// Windows below one packet that the object was told of.
    floored: u64,
}

impl ExternalCongestionOps for PluginControl {
    fn decide(&mut self, sign: ControlEvent, state: &mut ControlState) -> Result<(), String> {
        Python::attach(|py| {
            let seen = self.state.clone_ref(py);
            seen.borrow_mut(py).state = *state;
            let now_s = state.now_s;
            let method = match sign {
                ControlEvent::Start => intern!(py, "on_start"),
                ControlEvent::Ack { .. } => intern!(py, "on_ack"),
                ControlEvent::Loss => intern!(py, "on_loss"),
                ControlEvent::Mark => intern!(py, "on_mark"),
                ControlEvent::Timeout => intern!(py, "on_timeout"),
                ControlEvent::Undone => intern!(py, "on_undo"),
            };
            let returned = match sign {
                ControlEvent::Ack { packets, marked, marked_packets, rtt_s, delivery_per_s, is_app_limited } => {
                    let ack = Ack { packets, marked, marked_packets, rtt_s, delivery_per_s, is_app_limited };
                    self.own.call(py, method, (&seen, ack), now_s)
                }
                _ => self.own.call(py, method, (&seen,), now_s),
            }?;
            if !returned.is_none() {
                let what = format!("it returned {returned}; expected None, with the window set in state.cwnd_packets");
                return Err(self.own.wrong(py, &method.to_string(), now_s, &what));
            }
            let seen = seen.borrow(py);
            *state = seen.state;
            if seen.floored > self.floored {
                self.floored = seen.floored;
                self.own.set(py, "windows_below_one", seen.floored as f64);
            }
            Ok(())
        })
    }
}

#[pymethods]
impl Agent {
    /// Lets an object of the user's own, `control`, decide about the window of a TCP sender, from the sender's next reset on.
    /// `name` and `number` are the flow's; each change of a variable in `traced` is noted. Whether the sender is one that lets
    /// it.
    fn set_plugin_control(
        &self,
        py: Python,
        control: Py<PyAny>,
        name: &str,
        number: u32,
        traced: Vec<String>,
    ) -> PyResult<bool> {
        let mut simulation = self.0.simulation(py)?;
        let ledger = simulation.plugins.clone();
        give_own_control(py, &mut simulation.engine, self.0.id, control, (name, number), &traced, &ledger)
    }
}

/// Lets an object of the user's own decide about the window of a TCP sender, from the sender's next reset on. Whether the
/// sender is one that lets it. `name` and `number` are the flow's; each change of a variable in `traced` is noted.
pub fn give_own_control(
    py: Python,
    engine: &mut Engine,
    sender: AgentId,
    control: Py<PyAny>,
    (name, number): (&str, u32),
    traced: &[String],
    ledger: &Shared,
) -> PyResult<bool> {
    let own = PluginObject::new(py, control, format!("flow {name}"), Number::Flow(number), traced, ledger);
    let start = ControlState {
        now_s: 0.0,
        cwnd: 1.0,
        ssthresh: 2,
        window: 0.0,
        in_flight: 0,
        mss_bytes: 0,
        srtt_s: None,
        min_rtt_s: None,
        is_limited: true,
        pacing_per_s: None,
    };
    let control = PluginControl { own, state: Py::new(py, SenderState { state: start, floored: 0 })?, floored: 0 };
    Ok(engine.agents[sender.0 as usize].set_control(Box::new(control)))
}
