//! The terms of flows that are no TCP: datagrams, and calls over RTP.

use ackclock_engine::params::Value;
use ackclock_engine::transport::rtp::overhead::UDP_IP_BYTES;

use crate::defaults::{Bench, Values};
use crate::error::{ScenarioError, choose};
use crate::model::apps::{App, Call};
use crate::model::traffic::{CALL_RECEIVER, Flow, TAKE_DATAGRAMS};
use crate::resolve::terms::{Terms, parameter};

/// The agent that sends the video of a call.
pub(super) const CALL_SENDER: &str = "scream";

pub(super) fn datagrams(bench: &mut Bench, flow: &Flow) -> Result<Terms, ScenarioError> {
    if let App::Call(app) = &flow.app {
        return call(bench, flow, app);
    }
    let of_app = match &flow.app {
        App::Cbr(app) => app.packet_size.value,
        App::Exponential(app) => app.packet_size.value,
        App::Pareto(app) => app.packet_size.value,
        _ => unreachable!("the flow was checked"),
    };
    let receiver = flow.receiver.clone().unwrap_or_else(|| TAKE_DATAGRAMS[0].into());
    choose(&receiver, &TAKE_DATAGRAMS, "a receiver for datagrams", "receiver")?;
    let packet = flow.packet_size.as_ref().map_or_else(|| of_app.max(1000), |size| size.value);
    let mut parameters = Values::default();
    parameters.set("packet_size", Value::Int(packet));
    let mut receivers = Values::default();
    set_given(bench, flow, ("udp", &mut parameters), (&receiver, &mut receivers))?;
    Ok(Terms {
        kind: flow.app.kind().into(),
        sender: "udp".into(),
        receiver,
        control: None,
        parameters,
        receiver_parameters: receivers,
        code: None,
        packet_bytes: packet,
        wire_bytes: packet.min(of_app),
    })
}

fn call(bench: &mut Bench, flow: &Flow, app: &Call) -> Result<Terms, ScenarioError> {
    let receiver = flow.receiver.clone().unwrap_or_else(|| CALL_RECEIVER.into());
    choose(&receiver, &[CALL_RECEIVER], "the receiver of a call", "receiver")?;
    let usual = bench.agent_value(CALL_SENDER, "mss").map_or(0, Value::int);
    let packet = flow.packet_size.as_ref().map_or(usual, |size| size.value);
    let mut parameters = Values::default();
    parameters.set("mss", Value::Int(packet));
    parameters.set("target_bitrate_min", Value::Real(app.min_rate.value));
    parameters.set("target_bitrate_max", Value::Real(app.max_rate.value));
    let mut receivers = Values::default();
    receivers.set("deadline", Value::Real(app.deadline.value));
    set_given(bench, flow, (CALL_SENDER, &mut parameters), (&receiver, &mut receivers))?;
    Ok(Terms {
        kind: "call".into(),
        sender: CALL_SENDER.into(),
        receiver,
        control: None,
        parameters,
        receiver_parameters: receivers,
        code: None,
        packet_bytes: packet,
        wire_bytes: packet + i64::from(UDP_IP_BYTES),
    })
}

/// Sets the parameters that a flow gives, of its sender and of its receiver.
fn set_given(
    bench: &mut Bench,
    flow: &Flow,
    (sender, parameters): (&str, &mut Values),
    (receiver, receivers): (&str, &mut Values),
) -> Result<(), ScenarioError> {
    for (name, value) in &flow.parameters {
        parameters.set(name, parameter(bench, "", sender, (name, value), "parameters", None)?);
    }
    for (name, value) in &flow.receiver_parameters {
        receivers.set(name, parameter(bench, "", receiver, (name, value), "receiver_parameters", None)?);
    }
    Ok(())
}
