//! Flows: who sends to whom, with which TCP, fed by which application, from when to when.

use crate::error::ScenarioError;
use crate::model::apps::{App, Ftp, has_mean};
use crate::model::described::described;
use crate::model::dscp::code_point;
use crate::model::shape::Says;
use crate::model::typed::{Data, Name, Number, Parameters, Size, Time, Window};
use crate::outside::Role;

/// Senders whose congestion control is chosen by name.
pub const WITH_CONTROLS: [&str; 3] = ["linux", "tcp", "ns3"];

/// Senders whose window a user-defined control can decide.
pub const LEAVE_WINDOW: [&str; 4] = ["reno", "new_reno", "sack", "tcp"];

/// Whether a control or a queue discipline is the user's own: `module:Class`.
pub fn is_own(name: &str) -> bool {
    name.contains(':')
}

/// The engine's agents that take datagrams.
pub const TAKE_DATAGRAMS: [&str; 2] = ["null", "loss_monitor"];

/// The engine's agent that receives the video of a call.
pub const CALL_RECEIVER: &str = "rtp_receiver";

described! {
    /// Web-like traffic: short transfers in sequence, each a connection of its own.
    ///
    /// With the application `requests`, the objects are responses; otherwise they go from source to destination.
    ///
    /// Pages are requested at exponentially distributed intervals of mean `interval`. The number of objects of a page
    /// is Pareto distributed with mean `objects` and shape `objects_shape` (P. Barford and M. Crovella, "Generating
    /// representative Web workloads", 1998, found 2.43). They are requested in sequence at exponentially distributed
    /// intervals of mean `spacing`. The objects' sizes are Pareto distributed with mean `size` and this `shape` (M. E.
    /// Crovella and A. Bestavros, "Self-similarity in World Wide Web traffic", 1997, found 1.0 to 1.3), in whole
    /// packets.
    Arrivals renamed &[("every", "interval")];
    /// Mean interval between pages.
    interval: Time,
    /// Mean size of an object.
    size: Data,
    /// The shape of the sizes.
    shape: Number = Number::new(1.2),
    /// Mean number of objects of a page.
    objects: Number = Number::new(1.0),
    /// The shape of these numbers.
    objects_shape: Number = Number::new(2.43),
    /// Mean interval between the objects of a page.
    spacing: Time = Time::of("0 s"),
}

impl Arrivals {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        has_mean(self.shape, "shape")?;
        has_mean(self.objects_shape, "objects_shape")?;
        if self.interval.value <= 0.0 {
            return Err(ScenarioError::new("must be more than 0").key("interval").value(self.interval.text.as_str()));
        }
        if self.objects.value < 1.0 {
            return Err(ScenarioError::new("a page has at least 1 object").key("objects").value(self.objects.given()));
        }
        Ok(())
    }
}

described! {
    /// A time in which the application sends, from `start` to `stop`; without `stop` until the end.
    Span;
    /// When it begins.
    start: Time,
    /// When it ends.
    stop: Option<Time> = None,
}

impl Span {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// Packets from one node to another.
    ///
    /// `source` and `destination` name nodes. In a dumbbell `pair = 1` is left1 to right1, and `pair = 0` a flow for
    /// each pair. `tcp` is a variant's id (`ackclock list`); without it the packets are UDP datagrams. `app` is the
    /// source of data. `id` is the flow id in packets and traces, by default 1, 2, ... in the order of flows.
    ///
    /// Two-way variants (tcp, full, full_sack, ...) are the same at both ends. They have a handshake, both ends may
    /// send, and the end that stops closes the connection; with several `spans`, `tcp` keeps it open. Their
    /// `parameters` apply to both ends.
    ///
    /// With `tcp = "linux"`, `"tcp"` or `"ns3"`, `control` names the congestion control. `tcp = "cubic"`, or the name
    /// of another control of `tcp`, means `tcp = "tcp"` with it. With `reno`, `new_reno`, `sack` or `tcp`, `control`
    /// may be a user-defined class, or its name (`module:Class`). `tcp = "./libmine.so:Mine"` is a control of a shared
    /// library, `tcp = "kernel:cubic"` one of the Linux kernel's.
    ///
    /// `receiver` is a receiver's id, by default the default set's. `parameters` are the sender's and
    /// `receiver_parameters` the receiver's, by the engine's names. `window` and `packet_size` (data, without headers)
    /// are two of the sender's.
    ///
    /// The application sends from `start` to `stop`, or in each of its `spans`. With `start_jitter`, each flow starts
    /// at a random time within this time after `start`, which depends only on the seed and the flow. With `arrivals`
    /// there are many flows, a transfer each, that arrive from `start` to `stop`.
    ///
    /// `dscp` is the DiffServ code point of the source's packets, by number or name ("EF", "CS1", "AF41"). CAKE's tins
    /// and the bands of `linux_fq` go by it. ACKs have none.
    Flow renamed &[("spread", "start_jitter")], belongs &[
        ("size", "a transfer's size belongs to its app: app = { kind = \"ftp\", size = \"1 MB\" }"),
        ("rate", "a rate belongs to the app: app = { kind = \"cbr\", rate = \"1 Mb/s\" }"),
        ("queue", "a queue belongs to a link of the topology"),
    ];
    /// In a dumbbell, the pair of hosts; 0 for a flow of each pair.
    pair: Option<i64> = None,
    /// The node that sends.
    source: Option<String> = None,
    /// The node that receives.
    destination: Option<String> = None,
    /// A TCP variant; without it the packets are UDP datagrams.
    tcp: Option<String> = None,
    /// The congestion control, for senders that have several: its name, or a user-defined class or its name (`module:Class`).
    control: Option<String> [Says::Code(Role::Control)] = None,
    /// The source of data.
    app: App = App::Ftp(Ftp { size: None }),
    /// How transfers come, where there are many.
    arrivals: Option<Arrivals> = None,
    /// When it begins to send.
    start: Time = Time::of("0 s"),
    /// The largest random delay of its start.
    start_jitter: Time = Time::of("0 s"),
    /// When it ceases to send.
    stop: Option<Time> = None,
    /// The times in which it sends, instead of `start` and `stop`.
    spans: Option<Vec<Span>> = None,
    /// Data in a packet, without headers.
    packet_size: Option<Size> = None,
    /// The sender's largest window.
    window: Option<Window> = None,
    /// The receiver's id.
    receiver: Option<String> = None,
    /// The DiffServ code point of the source's packets.
    dscp: Option<Name> = None,
    /// The sender's parameters, by the engine's names.
    parameters: Parameters = Parameters::new(),
    /// The receiver's parameters, by the engine's names.
    receiver_parameters: Parameters = Parameters::new(),
    /// The flow id in packets and traces.
    id: Option<i64> = None,
    /// Its name in results.
    name: Option<String> = None,
}

impl Flow {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.pair.is_none() && (self.source.is_none() || self.destination.is_none()) {
            let missing = if self.source.is_none() { "source" } else { "destination" };
            let expected = "the key is missing; a flow needs source and destination, or pair";
            return Err(ScenarioError::new(expected).key(missing));
        }
        if let Some(pair) = self.pair
            && (self.source.is_some() || self.destination.is_some())
        {
            return Err(ScenarioError::new("a flow has either pair or source and destination").key("pair").value(pair));
        }
        if self.tcp.is_none() && matches!(self.app, App::Ftp(_) | App::Telnet(_) | App::Requests(_) | App::Video(_)) {
            let kind = self.app.kind();
            let expected =
                format!("the key is missing; {kind} goes over TCP, datagrams have cbr, exponential, pareto, call");
            return Err(ScenarioError::new(expected).key("tcp"));
        }
        if let (Some(tcp), App::Call(_)) = (&self.tcp, &self.app) {
            let expected = "a call goes over RTP, and has no TCP; expected no such key";
            return Err(ScenarioError::new(expected).key("tcp").value(tcp.as_str()));
        }
        let is_transfer = matches!(self.app, App::Requests(_) | App::Ftp(Ftp { size: None }));
        if self.arrivals.is_some() && (self.tcp.is_none() || !is_transfer) {
            return Err(
                ScenarioError::new("arrivals are ftp or requests over TCP, with sizes of their own").key("arrivals")
            );
        }
        if self.start_jitter.value > 0.0 && (self.arrivals.is_some() || self.spans.is_some()) {
            let error = ScenarioError::new("a flow with arrivals or spans has no start_jitter").key("start_jitter");
            return Err(error.value(self.start_jitter.text.as_str()));
        }
        if let Some(dscp) = &self.dscp {
            code_point(dscp).map_err(|error| error.under("dscp"))?;
        }
        self.check_spans()?;
        self.check_control()
    }

    fn check_control(&self) -> Result<(), ScenarioError> {
        let Some(control) = &self.control else { return Ok(()) };
        if is_own(control) {
            if self.tcp.as_ref().is_some_and(|tcp| LEAVE_WINDOW.contains(&tcp.as_str())) {
                return Ok(());
            }
            let expected = format!("a user-defined control works with {}", LEAVE_WINDOW.join(", "));
            let error = ScenarioError::new(expected).key("tcp");
            return Err(match &self.tcp {
                Some(tcp) => error.value(tcp.as_str()),
                None => error,
            });
        }
        if !self.tcp.as_ref().is_some_and(|tcp| WITH_CONTROLS.contains(&tcp.as_str())) {
            let senders = WITH_CONTROLS.map(|sender| format!("\"{sender}\"")).join(" and ");
            let expected =
                format!("only tcp = {senders} take a congestion control by name; a user-defined one is module:Class");
            return Err(ScenarioError::new(expected).key("control").value(control.as_str()));
        }
        Ok(())
    }

    fn check_spans(&self) -> Result<(), ScenarioError> {
        let Some(spans) = &self.spans else { return Ok(()) };
        let wrong = |what: &str| Err(ScenarioError::new(what).key("spans"));
        if self.stop.is_some() || self.start.value > 0.0 {
            return wrong("a flow has either spans or start and stop");
        }
        if self.arrivals.is_some() || matches!(self.app, App::Ftp(Ftp { size: Some(_) })) {
            return wrong("transfers of a size end by themselves; spans are for sources without end");
        }
        if matches!(self.app, App::Telnet(_)) && spans.len() > 1 {
            return wrong("telnet cannot be started again: its next packet may be on its way");
        }
        if matches!(self.app, App::Video(_)) && spans.len() > 1 {
            return wrong("a viewer who has left does not come back; expected one span");
        }
        if spans.is_empty() {
            return wrong("expected at least one span");
        }
        for (index, pair) in spans.windows(2).enumerate() {
            let Some(stop) = &pair[0].stop else {
                let missing = "the key is missing; only the last span may go on";
                return Err(ScenarioError::new(missing).key(format!("spans.{index}.stop")));
            };
            if pair[1].start.value < stop.value {
                let expected = format!("must not be before the stop of the span before it, {}", stop.text);
                let error = ScenarioError::new(expected).key(format!("spans.{}.start", index + 1));
                return Err(error.value(pair[1].start.text.as_str()));
            }
        }
        Ok(())
    }
}
