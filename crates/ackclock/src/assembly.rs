//! Makes the engine's simulation from a description.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use ackclock_engine::loss::{ModelContext, ModelId};
use ackclock_engine::measure::endpoint_stats::{EndpointStats, SenderStats};
use ackclock_engine::net::link::error_module::ErrorModule;
use ackclock_engine::net::link::{ErrorsId, Hook, HookPoint, LinkId as EngineLink};
use ackclock_engine::net::node::{AgentId, NodeId as EngineNode};
use ackclock_engine::params::Value;
use ackclock_engine::queue::{DISCIPLINES, Queue};
use ackclock_engine::random::rng::{Owner, Source};
use ackclock_engine::sim::{AppId, Simulation as Engine};
use ackclock_engine::time::Time;
use ackclock_engine::transport::tcp::agent::give_control;
use ackclock_engine::transport::tcp::controls;
use ackclock_scenario::builder;
use ackclock_scenario::outside::Nothing;
use ackclock_trace::tabulate;

use crate::base::Base;
use crate::error::{BuildError, unknown};
use crate::flow::{Flow, Traffic};
use crate::ids::{Endpoint, NodeId};
use crate::link::Loss;
use crate::network::Network;
use crate::own_control::Checked;
use crate::simulation::{Action, FlowIds, Place, RunningFlow, Simulation, path_limit};
use crate::times::since_start;

/// Bytes of a UDP flow's packets on the wire.
const UDP_PACKET_BYTES: i64 = 1250;

impl Network {
    /// Makes the simulation, at time 0.
    ///
    /// # Errors
    /// For an unknown name or a value out of range: which part has it, and what was expected.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        assemble(self)
    }
}

fn assemble(network: &Network) -> Result<Simulation, BuildError> {
    if let Some(base) = &network.base {
        return assemble_described(network, base);
    }
    let mut engine = Engine::default();
    engine.net.rng.hash(network.seed.unwrap_or(1));
    for (index, name) in network.nodes.iter().enumerate() {
        if network.nodes[..index].contains(name) {
            return Err(BuildError::new(format_args!("node {name}"), "another node has this name"));
        }
        engine.add_node();
    }
    for index in 0..network.links.len() {
        add_link(&mut engine, network, index)?;
    }
    let mut actions = Vec::new();
    let mut flows = Vec::new();
    for (index, flow) in network.flows.iter().enumerate() {
        flows.push(add_flow(&mut engine, network, index, flow, &mut actions)?);
    }
    let places = add_endpoints(&mut engine, network)?;
    engine.install_routes();
    check_paths(&engine, network)?;
    engine.net.measure_links();
    for flow in &flows {
        for agent in [flow.sender, flow.receiver] {
            engine.with_agent(agent, |agent, net| agent.reset(net));
        }
    }
    for link in 0..network.links.len() as u32 {
        engine.net.use_queue(EngineLink(link), |queue, context| queue.reset(context));
    }
    let first_id = network.flows.len() as i32 + 1;
    let flow_ids = external_flow_ids(&mut engine, network, &places, first_id)?;
    Ok(Simulation { flows, actions, flow_ids, ..ready(engine, network, places, first_id) })
}

/// The simulation of a scenario, with the endpoints.
fn assemble_described(network: &Network, base: &Base) -> Result<Simulation, BuildError> {
    network.check_parts(base)?;
    let (scenario, resolved) = base.seeded(network.seed)?;
    let built = builder::build(&scenario, &resolved, &Nothing);
    let (mut engine, schedule) = built.map_err(|message| BuildError::new("scenario", message))?;
    let places = add_endpoints(&mut engine, network)?;
    let last_id = resolved.flows.iter().map(|flow| flow.flow_id).max().unwrap_or(0);
    let first_id = last_id.clamp(0, i64::from(i32::MAX / 2)) as i32 + 1;
    let flow_ids = external_flow_ids(&mut engine, network, &places, first_id)?;
    for (_, from, to) in &network.external_flows {
        let ends = [from, to].map(|end| places[end.0 as usize].agent);
        tabulate::add_flow(&mut engine, ends.into(), false).expect("only a TCP has parameters to be looked for");
    }
    let duration = since_start(Time(resolved.duration_s));
    let end = network.end.map_or(duration, |end| end.min(duration));
    let network = Network { end: Some(end), ..network.clone() };
    Ok(Simulation { flow_ids, schedule: Some(schedule), ..ready(engine, &network, places, first_id) })
}

/// At time 0, without flows.
fn ready(engine: Engine, network: &Network, places: Vec<Place>, first_id: i32) -> Simulation {
    let by_address =
        (0..).zip(&places).map(|(index, place)| ((place.address.node, place.address.port), Endpoint(index)));
    Simulation {
        engine,
        network: network.clone(),
        by_address: by_address.collect(),
        places,
        flows: Vec::new(),
        actions: Vec::new(),
        schedule: None,
        is_over: false,
        captures: Vec::new(),
        now: Duration::ZERO,
        pending: BTreeMap::new(),
        calls: 0,
        delivered: Vec::new(),
        first_id,
        flow_ids: FlowIds::new(),
        path_limits: HashMap::new(),
        failure: None,
    }
}

/// The ids of the flows between endpoints that have a name, by their ends.
fn external_flow_ids(
    engine: &mut Engine,
    network: &Network,
    places: &[Place],
    first_id: i32,
) -> Result<FlowIds, BuildError> {
    let mut flow_ids = FlowIds::new();
    let mut taken = Vec::new();
    for ((name, from, to), id) in network.external_flows.iter().zip(first_id..) {
        for end in [from, to] {
            let wrong = |problem: &str| Err(BuildError::new(format_args!("external flow {name}"), problem));
            let Some(place) = places.get(end.0 as usize) else {
                return wrong("one of its endpoints is of another network");
            };
            if taken.contains(end) {
                return wrong("one of its endpoints has a flow already; expected two of its own");
            }
            taken.push(*end);
            engine.agents[place.agent.0 as usize].endpoint_mut().fid = id;
        }
        flow_ids.insert((*from, *to), (id, 0));
    }
    Ok(flow_ids)
}

/// The packets of each flow find a way, and TCP's ACKs one back.
fn check_paths(engine: &Engine, network: &Network) -> Result<(), BuildError> {
    for (index, flow) in network.flows.iter().enumerate() {
        let (from, to) = (flow.from, flow.to);
        let back = matches!(flow.traffic, Traffic::Tcp).then_some((to, from));
        for (from, to) in [(from, to)].into_iter().chain(back) {
            if path_limit(engine, network, from.0 as i32, to.0 as i32).is_none() {
                let problem = format!("no path leads from {} to {}", network.name(from), network.name(to));
                return Err(BuildError::new(format_args!("flow {index}"), problem));
            }
        }
    }
    Ok(())
}

fn check_node(network: &Network, node: NodeId, part: impl std::fmt::Display) -> Result<EngineNode, BuildError> {
    match network.nodes.get(node.0 as usize) {
        Some(_) => Ok(EngineNode(node.0)),
        None => Err(BuildError::new(part, "one of its nodes is of another network")),
    }
}

fn add_link(engine: &mut Engine, network: &Network, index: usize) -> Result<(), BuildError> {
    let (from, to, link) = &network.links[index];
    let [from, to] = [*from, *to].map(|node| check_node(network, node, format_args!("link {index}")));
    let (from, to) = (from?, to?);
    let name = network.link_name(index);
    let wrong = |problem: String| BuildError::new(format_args!("link {name}"), problem);
    if !link.rate_bps.is_finite() {
        return Err(wrong(format!("its rate is {} bit/s; expected a positive number", link.rate_bps)));
    }
    if !(link.cost > 0.0 && link.cost.is_finite()) {
        return Err(wrong(format!("its cost is {}; expected a positive number", link.cost)));
    }
    if link.mtu <= network.header_bytes || link.mtu > i32::MAX as u32 {
        return Err(wrong(format!(
            "its MTU is {} bytes; expected more than the headers' {}",
            link.mtu, network.header_bytes
        )));
    }
    if link.own_queue.is_none() && !DISCIPLINES.iter().any(|entry| entry.id == link.queue) {
        return Err(wrong(unknown("queue discipline", &link.queue, DISCIPLINES.iter().map(|entry| entry.id))));
    }
    let kind = if link.own_queue.is_some() { "drop_tail" } else { &link.queue };
    let made = match engine.add_link(from, to, link.rate_bps, link.delay.as_secs_f64(), kind) {
        Ok(made) => made,
        Err(error) => return Err(wrong(error.to_string())),
    };
    if let Some(make) = link.own_queue {
        engine.net.links[made.0 as usize].set_queue(Queue::Other(make()));
    }
    for (param, value) in &link.params {
        let queue = engine.net.links[made.0 as usize].queue_mut();
        if !queue.set_param(param, *value) {
            let mut known = Vec::new();
            queue.describe(&mut known);
            let known = known.iter().map(|parameter| &*parameter.name);
            let what = if link.own_queue.is_some() { "the user-defined queue" } else { &link.queue };
            return Err(wrong(unknown(&format!("parameter of {what}"), param, known)));
        }
        if param == "limit" && value.real() < 1.0 {
            return Err(wrong(format!("the limit of its queue is {}; expected at least 1", value.real())));
        }
    }
    // A discipline that computes nothing from its link does not know the command.
    engine.net.use_queue(made, |queue, context| queue.command("link", context).is_ok());
    engine.net.rng.name(Owner::Link, made.0, &format!("link/{name}"));
    engine.routing.insert(from.0, to.0, link.cost);
    // The last hook that is put in front is met first.
    for (number, loss) in link.losses.iter().enumerate().rev() {
        let model = add_loss(engine, loss).map_err(wrong)?;
        engine.net.rng.name(Owner::ErrorModel, model.0, &format!("link/{name}/{}", number + 1));
        let mut module = ErrorModule::default();
        module.assign_others(Some(model));
        engine.net.errors.push(module);
        let errors = ErrorsId(engine.net.errors.len() as u32 - 1);
        engine.net.links[made.0 as usize].add_hook(HookPoint::Head, Some(0), Hook::Errors(errors));
    }
    Ok(())
}

fn add_loss(engine: &mut Engine, loss: &Loss) -> Result<ModelId, String> {
    let net = &mut engine.net;
    let known = ackclock_engine::loss::MODELS.iter().map(|entry| entry.id);
    let model = net.models.add(&loss.model).ok_or_else(|| unknown("error model", &loss.model, known))?;
    for (param, value) in &loss.params {
        if !net.models.set_param(model, param, *value) {
            return Err(format!("unknown parameter {param:?} of the error model {}", loss.model));
        }
        if param == "rate" && !(0.0..=1.0).contains(&value.real()) {
            return Err(format!("its loss rate is {}; expected 0 to 1", value.real()));
        }
    }
    if !loss.listed.is_empty() {
        let words: Vec<String> = loss.listed.iter().map(u32::to_string).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let rng = net.rng.of(Source::Loss(model.0));
        let now = ackclock_engine::time::Time::ZERO;
        let mut context = ModelContext { now, rng, wake_in_s: None, error: None };
        net.models.command(model, "droplist", &words, &mut context)?;
    }
    Ok(model)
}

fn add_flow(
    engine: &mut Engine,
    network: &Network,
    index: usize,
    flow: &Flow,
    actions: &mut Vec<Action>,
) -> Result<RunningFlow, BuildError> {
    let [from, to] = [flow.from, flow.to].map(|node| check_node(network, node, format_args!("flow {index}")));
    let (from, to) = (from?, to?);
    let part = || format!("flow {index}, {} -> {}", network.name(flow.from), network.name(flow.to));
    let wrong = |problem: String| BuildError::new(part(), problem);
    if from == to {
        return Err(wrong("it begins and ends at one node; expected two".into()));
    }
    if let Some(stops) = flow.stops.filter(|&stops| stops < flow.starts) {
        return Err(wrong(format!("it stops at {stops:?}, before it starts at {:?}", flow.starts)));
    }
    let is_tcp = matches!(flow.traffic, Traffic::Tcp);
    let of_tcp = [
        (flow.control.is_some() || flow.own_control.is_some(), "a congestion control"),
        (flow.bytes.is_some(), "a number of bytes"),
    ];
    if let Some((_, what)) = of_tcp.iter().find(|(is_set, _)| *is_set && !is_tcp) {
        return Err(wrong(format!("{what} is TCP's; a UDP flow sends at its rate")));
    }
    let (kind, receiver) = if is_tcp { ("tcp", "tcp") } else { ("udp", "null") };
    let [sender, receiver] = [(kind, from), (receiver, to)].map(|(kind, node)| {
        let agent = engine.add_agent(kind).expect("a kind of agent");
        engine.attach(agent, node, None);
        engine.agents[agent.0 as usize].endpoint_mut().fid = index as i32 + 1;
        agent
    });
    for (own, other) in [(sender, receiver), (receiver, sender)] {
        engine.agents[own.0 as usize].endpoint_mut().peer = engine.agents[other.0 as usize].endpoint().here;
    }
    engine.net.rng.name(Owner::Agent, sender.0, &format!("flow/{index}"));
    engine.net.rng.name(Owner::Agent, receiver.0, &format!("flow/{index}/receiver"));
    let mut app = None;
    match flow.traffic {
        Traffic::Tcp => {
            choose_control(engine, flow, [sender, receiver], &part).map_err(wrong)?;
            let listening = engine.with_agent(receiver, |agent, net| agent.command("listen", &[], net));
            listening.expect("a command of TCP");
        }
        Traffic::Udp(rate_bps) => {
            if !(rate_bps > 0.0 && rate_bps.is_finite()) {
                return Err(wrong(format!("its rate is {rate_bps} bit/s; expected a positive number")));
            }
            app = Some(add_cbr(engine, sender, rate_bps));
        }
    }
    for (agent, params) in [(sender, &flow.params), (receiver, &flow.receiver_params)] {
        set_params(engine, agent, params).map_err(wrong)?;
    }
    let progress = engine.agents[sender.0 as usize].progress();
    let tcp = is_tcp.then(|| {
        let mut tcp = SenderStats::new(f64::INFINITY, progress);
        // The SYN counts as a byte, too.
        tcp.awaited = flow.bytes.map(|bytes| bytes as i64);
        tcp
    });
    engine.net.measure_endpoint(sender, EndpointStats::new(true, tcp));
    engine.net.measure_endpoint(receiver, EndpointStats::new(false, None));
    let running = RunningFlow { sender, receiver, app, starts: flow.starts };
    engine.call_back(flow.starts.as_secs_f64());
    actions.push(Action::Start(index));
    if let Some(stops) = flow.stops {
        engine.call_back(stops.as_secs_f64());
        actions.push(Action::Stop(index));
    }
    Ok(running)
}

fn set_params(engine: &mut Engine, agent: AgentId, params: &[(String, Value)]) -> Result<(), String> {
    engine.with_agent(agent, |agent, net| {
        for (param, value) in params {
            if !agent.set_param(param, *value) {
                let mut known = Vec::new();
                agent.describe(&mut known);
                return Err(unknown("parameter", param, known.iter().map(|parameter| &*parameter.name)));
            }
        }
        agent.was_set(net);
        Ok(())
    })
}

/// Both ends get the control: the receiver's feedback of marks follows from it.
fn choose_control(
    engine: &mut Engine,
    flow: &Flow,
    ends: [AgentId; 2],
    place: &dyn Fn() -> String,
) -> Result<(), String> {
    for agent in ends {
        if let Some(make) = flow.own_control {
            let checked = Checked::new(make(), place());
            give_control(&mut *engine.agents[agent.0 as usize], Box::new(checked));
            continue;
        }
        let control = flow.control.as_deref().unwrap_or("cubic");
        let chosen = |agent: &mut dyn ackclock_engine::transport::agent::Agent, net: &mut _| {
            agent.command("congestion_control", &[control], net)
        };
        if engine.with_agent(agent, chosen).is_err() {
            return Err(unknown("congestion control", control, controls::entries().map(|(id, _)| id)));
        }
    }
    Ok(())
}

fn add_cbr(engine: &mut Engine, sender: AgentId, rate_bps: f64) -> AppId {
    let app = engine.add_app("cbr").expect("a kind of application");
    let made = &mut engine.apps[app.0 as usize].app;
    for (param, value) in [("rate_bps", Value::Real(rate_bps)), ("packet_size", Value::Int(UDP_PACKET_BYTES))] {
        assert!(made.set_param(param, value), "CBR has {param}");
    }
    // A message that exceeds the agent's size would be cut.
    engine.agents[sender.0 as usize].set_param("packet_size", Value::Int(UDP_PACKET_BYTES));
    engine.attach_app(app, sender);
    app
}

fn add_endpoints(engine: &mut Engine, network: &Network) -> Result<Vec<Place>, BuildError> {
    let mut places = Vec::new();
    for (index, &node) in network.endpoints.iter().enumerate() {
        let node = check_node(network, node, format_args!("endpoint {index}"))?;
        let agent = engine.add_agent("gateway").expect("a kind of agent");
        engine.attach(agent, node, None);
        engine.listen(agent, None);
        engine.net.measure_endpoint(agent, EndpointStats::new(false, None));
        places.push(Place { agent, address: engine.agents[agent.0 as usize].endpoint().here });
    }
    Ok(places)
}
