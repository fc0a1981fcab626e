//! What is to happen at given instants of a run, and what is done when the engine stops for it.

use std::collections::HashMap;

use ackclock_engine::app::conversation::{Ask, Conversation, Side, Step};
use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::{AppId, Simulation, Stop};
use ackclock_trace::recorder::{ChannelId, Recorder};
use ackclock_trace::tabulate;

/// What happens at an instant.
#[derive(Clone, Debug)]
pub enum Action {
    /// The run ends.
    Stop,
    /// An application starts.
    StartApp(AppId),
    /// An application stops.
    StopApp(AppId),
    /// A link gets another rate, bit/s.
    Rate(LinkId, f64),
    /// A link gets another delay, s.
    Delay(LinkId, f64),
    /// A link works again.
    Up(LinkId),
    /// A link fails.
    Down(LinkId),
    /// A link loses what is on its way.
    Cut(LinkId),
    /// What a link counts for in routes; `None` takes it out of them.
    Cost(LinkId, Option<f64>),
    /// Routes follow the present costs.
    Reroute,
    /// One of the ends of an exchange does something.
    Exchange(usize, Step),
    /// The client of an exchange asks no more.
    StopExchange(usize),
    /// A channel gets a text.
    Write(ChannelId, String),
}

impl Action {
    /// The client of an exchange asks.
    pub fn ask(exchange: usize) -> Action {
        Action::Exchange(exchange, Step::Ask)
    }
}

/// The recorder of a simulation.
///
/// # Panics
/// If another observer was set.
pub fn recorder(engine: &mut Simulation) -> &mut Recorder {
    engine.net.observer.as_any_mut().downcast_mut().expect("the observer is the recorder it was made with")
}

struct Ends {
    exchange: Box<dyn Conversation>,
    client: AgentId,
    server: AgentId,
    /// The one of them that is the flow's sender.
    source: AgentId,
}

/// What is to happen, by the numbers of the engine's callbacks. The simulation's observer is a [`Recorder`].
///
/// [`Recorder`]: ackclock_trace::recorder::Recorder
#[derive(Default)]
pub struct Schedule {
    actions: Vec<Option<Action>>,
    exchanges: Vec<Ends>,
    exchange_of: HashMap<u32, usize>,
}

impl Schedule {
    /// Schedules an action `delay_s` seconds from now.
    pub fn put_after(&mut self, engine: &mut Simulation, delay_s: f64, action: Action) {
        let number = engine.call_back(delay_s).0 as usize;
        if self.actions.len() <= number {
            self.actions.resize(number + 1, None);
        }
        self.actions[number] = Some(action);
    }

    /// Adds requests and responses between two agents; their number. `source` is the flow's sender, one of the two.
    pub fn add_exchange(
        &mut self,
        engine: &mut Simulation,
        exchange: Box<dyn Conversation>,
        (client, server): (AgentId, AgentId),
        source: AgentId,
    ) -> usize {
        for agent in [client, server] {
            engine.listen(agent, Upcall::named("received", agent));
            self.exchange_of.insert(agent.0, self.exchanges.len());
        }
        self.exchanges.push(Ends { exchange, client, server, source });
        self.exchanges.len() - 1
    }

    /// Does what is due at a stop of the engine. Whether the run has ended.
    pub fn handle(&mut self, engine: &mut Simulation, stop: Stop) -> bool {
        match stop {
            Stop::Script(script) => match self.actions.get(script.0 as usize).cloned().flatten() {
                Some(Action::Stop) => return true,
                Some(action) => self.act(engine, action),
                None => {}
            },
            Stop::Upcall(Upcall::Done(agent)) => tabulate::is_done(engine, agent),
            Stop::Upcall(Upcall::Received(agent, bytes)) => self.receives(engine, agent, bytes),
            _ => {}
        }
        false
    }

    fn act(&mut self, engine: &mut Simulation, action: Action) {
        match action {
            Action::Stop => {}
            Action::StartApp(app) => {
                tabulate::app_stopped(engine, app, false);
                engine.with_app(app, |app, context| app.start(context));
            }
            Action::StopApp(app) => {
                engine.with_app(app, |app, context| app.stop(context));
                tabulate::app_stopped(engine, app, true);
            }
            Action::Rate(link, rate_bps) => engine.net.links[link.0 as usize].set_rate_bps(rate_bps),
            Action::Delay(link, delay_s) => engine.net.links[link.0 as usize].set_delay_s(delay_s),
            Action::Up(link) => engine.net.links[link.0 as usize].is_up = true,
            Action::Down(link) => {
                engine.net.links[link.0 as usize].is_up = false;
                engine.net.use_queue(link, |queue, context| queue.reset(context));
                engine.net.cut_wire(link);
            }
            Action::Cut(link) => engine.net.cut_wire(link),
            Action::Cost(link, cost) => {
                let link = &engine.net.links[link.0 as usize];
                let (from, to) = (link.from, link.to);
                match cost {
                    Some(cost) => engine.routing.insert(from, to, cost),
                    None => engine.routing.remove(from, to),
                }
            }
            Action::Reroute => engine.install_routes(),
            Action::Exchange(number, step) => self.step(engine, number, step),
            Action::Write(channel, text) => {
                if let Some(channel) = recorder(engine).channel(channel) {
                    channel.write(text.as_bytes());
                }
            }
            Action::StopExchange(number) => {
                let now_s = engine.now().secs();
                if self.exchanges[number].exchange.stop(now_s) {
                    self.step(engine, number, Step::Close);
                }
            }
        }
    }

    /// The run is over: what players have played becomes part of their agents' statistics.
    pub fn finish(&mut self, engine: &mut Simulation) {
        let now_s = engine.now().secs();
        for ends in &mut self.exchanges {
            let playback = ends.exchange.playback(now_s).map(Box::new);
            if let Some(stats) = engine.net.endpoint_stats(ends.client) {
                stats.playback = playback;
            }
        }
    }

    /// An agent has received bytes.
    fn receives(&mut self, engine: &mut Simulation, agent: AgentId, bytes: i32) {
        let Some(&number) = self.exchange_of.get(&agent.0) else { return };
        let ends = &mut self.exchanges[number];
        let side = if ends.client == agent { Side::Client } else { Side::Server };
        let now_s = engine.now().secs();
        let next = ends.exchange.receive(side, i64::from(bytes), now_s);
        if ends.exchange.is_over() {
            let source = ends.source;
            tabulate::completed(engine, source);
        }
        if let Some((step, delay_s)) = next {
            self.put_after(engine, delay_s, Action::Exchange(number, step));
        }
    }

    /// One of the ends does something.
    fn step(&mut self, engine: &mut Simulation, number: usize, step: Step) {
        let now_s = engine.now().secs();
        let Ends { exchange, client, server, .. } = &mut self.exchanges[number];
        let (client, server) = (*client, *server);
        match step {
            Step::Ask => match exchange.ask(now_s) {
                Ask::Now(bytes) => {
                    engine.with_agent(client, |agent, net| agent.send_bytes(Some(bytes), "", net));
                }
                Ask::After(delay_s) => self.put_after(engine, delay_s, Action::Exchange(number, step)),
                Ask::Never => {}
            },
            Step::Answer => {
                let bytes = exchange.response_bytes();
                engine.with_agent(server, |agent, net| agent.send_bytes(Some(bytes), "", net));
            }
            Step::Close => engine.with_agent(client, |agent, net| agent.close(net)),
        }
    }
}
