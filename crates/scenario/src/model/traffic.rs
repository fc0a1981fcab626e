//! Flows: who sends to whom, with which TCP, fed by which application, from when to when.

use crate::error::ScenarioError;
use crate::model::dscp::code_point;
use crate::model::typed::{
    Data, Described, Name, Number, Parameters, Rate, Read, Size, Time, Window, described, of_kind,
};
use crate::outside::Outside;
use crate::tree::Tree;

described! {
    /// A file transfer: endless, or of a `size` in packets or bytes (rounded up to whole packets). TCP only.
    Ftp;
    /// Packets or bytes.
    size: Option<Data> = None,
}

impl Ftp {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// Packets at constant intervals that give `rate`; `dither` moves each by up to half an interval.
    Cbr;
    /// The rate of the packets.
    rate: Rate = Rate::of("448 kb/s"),
    /// Their size.
    packet_size: Size = Size::of("210 B"),
    /// Whether the intervals vary.
    dither: bool = false,
    /// How many are sent.
    packets: Option<i64> = None,
}

impl Cbr {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// On/off traffic: bursts at `rate` and idle times, exponentially distributed with means `burst` and `idle`.
    Exponential;
    /// The rate of a burst.
    rate: Rate = Rate::of("64 kb/s"),
    /// The packets' size.
    packet_size: Size = Size::of("210 B"),
    /// Mean length of a burst.
    burst: Time = Time::of("0.5 s"),
    /// Mean idle time.
    idle: Time = Time::of("0.5 s"),
}

impl Exponential {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

fn has_mean(number: Number, key: &str) -> Result<(), ScenarioError> {
    if number.value > 1.0 {
        return Ok(());
    }
    Err(ScenarioError::new("must be more than 1, or the mean is infinite").key(key).value(number.given()))
}

described! {
    /// On/off traffic: bursts at `rate` and idle times, Pareto distributed: means `burst` and `idle`, this `shape`.
    Pareto;
    /// The rate of a burst.
    rate: Rate = Rate::of("64 kb/s"),
    /// The packets' size.
    packet_size: Size = Size::of("210 B"),
    /// Mean length of a burst.
    burst: Time = Time::of("0.5 s"),
    /// Mean idle time.
    idle: Time = Time::of("0.5 s"),
    /// The shape of both distributions.
    shape: Number = Number::new(1.5),
}

impl Pareto {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        has_mean(self.shape, "shape")
    }
}

described! {
    /// Single packets at exponentially distributed intervals of mean `interval`; without it, at those of tcplib.
    Telnet;
    /// Mean interval.
    interval: Option<Time> = None,
}

impl Telnet {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// A client and a server over one two-way TCP connection, which is opened, used and closed.
    Requests renamed &[("serves", "server_delay"), ("thinks", "think_time")];
    /// A request.
    request: Size = Size::of("300 B"),
    /// A response.
    response: Size = Size::of("12 kB"),
    /// How many requests; 0 for without end.
    times: i64 = 1,
    /// From request to response.
    server_delay: Time = Time::of("0 s"),
    /// From response to the next request.
    think_time: Time = Time::of("0 s"),
    /// Whether the source closes the connection after the last one.
    closes: bool = true,
}

impl Requests {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.times < 0 {
            let expected = "expected a number of times, 0 for without end";
            return Err(ScenarioError::new(expected).key("times").value(self.times));
        }
        Ok(())
    }
}

described! {
    /// The video of a call over RTP, at a rate by SCReAM (draft-ietf-ccwg-rfc8298bis-screamv2; RFC 8593, section 5).
    Call;
    /// Frames per second.
    fps: Number = Number::new(30.0),
    /// The encoder's least bitrate.
    min_rate: Rate = Rate::of("150 kb/s"),
    /// The encoder's highest bitrate.
    max_rate: Rate = Rate::of("1.5 Mb/s"),
    /// The scale of the deviations of frame sizes and intervals.
    frame_variation: Number = Number::new(0.15),
    /// The least time between two changes of the bitrate.
    reaction: Time = Time::of("200 ms"),
    /// A frame is late if it arrives later than this after its capture.
    deadline: Time = Time::of("150 ms"),
}

impl Call {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.fps.value <= 0.0 {
            return Err(ScenarioError::new("must be more than 0").key("fps").value(self.fps.given()));
        }
        if self.frame_variation.value < 0.0 {
            let error = ScenarioError::new("must not be negative").key("frame_variation");
            return Err(error.value(self.frame_variation.given()));
        }
        if self.min_rate.value > self.max_rate.value {
            let expected = format!("must not be above max_rate, {}", self.max_rate.text);
            return Err(ScenarioError::new(expected).key("min_rate").value(self.min_rate.text.as_str()));
        }
        Ok(())
    }
}

described! {
    /// A video in segments over one two-way TCP connection, whose player chooses bitrates by BOLA.
    ///
    /// K. Spiteri, R. Urgaonkar and R. K. Sitaraman, "BOLA: near-optimal bitrate adaptation for online videos", 2016.
    Video;
    /// The bitrates that there are, ascending.
    bitrates: Vec<Rate> = VIDEO_BITRATES.iter().copied().map(Rate::of).collect(),
    /// How much video a segment has.
    segment: Time = Time::of("3 s"),
    /// The most video in the player's buffer.
    buffer: Time = Time::of("25 s"),
    /// How much rebuffering counts beside the bitrate.
    gamma_p: Number = Number::new(5.0),
    /// How many segments there are; without it there is no end.
    segments: Option<i64> = None,
    /// The size of a request.
    request: Size = Size::of("300 B"),
}

/// Bitrates of the film with which BOLA was evaluated, as in Sabre's `bbb.json`.
const VIDEO_BITRATES: [&str; 10] = [
    "230 kb/s",
    "331 kb/s",
    "477 kb/s",
    "688 kb/s",
    "991 kb/s",
    "1427 kb/s",
    "2056 kb/s",
    "2962 kb/s",
    "5027 kb/s",
    "6000 kb/s",
];

impl Video {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.bitrates.is_empty() {
            return Err(ScenarioError::new("expected at least one bitrate").key("bitrates"));
        }
        for (index, pair) in self.bitrates.windows(2).enumerate() {
            if pair[1].value <= pair[0].value {
                let expected = format!("must be above the bitrate before it, {}", pair[0].text);
                let error = ScenarioError::new(expected).key(format!("bitrates.{}", index + 1));
                return Err(error.value(pair[1].text.as_str()));
            }
        }
        if self.segment.value <= 0.0 {
            return Err(ScenarioError::new("must be more than 0").key("segment").value(self.segment.text.as_str()));
        }
        if self.buffer.value <= self.segment.value {
            let expected = format!("must be more than a segment, {}", self.segment.text);
            return Err(ScenarioError::new(expected).key("buffer").value(self.buffer.text.as_str()));
        }
        if self.gamma_p.value < 1.0 {
            let expected = "must be at least 1, or an empty buffer does not ask for the lowest bitrate";
            return Err(ScenarioError::new(expected).key("gamma_p").value(self.gamma_p.given()));
        }
        if let Some(segments) = self.segments.filter(|&segments| segments < 1) {
            return Err(ScenarioError::new("expected at least 1").key("segments").value(segments));
        }
        if self.request.value < 1 {
            return Err(ScenarioError::new("must be more than 0").key("request").value(self.request.text.as_str()));
        }
        Ok(())
    }
}

/// Every application.
#[derive(Clone, Debug, PartialEq)]
pub enum App {
    /// A file transfer.
    Ftp(Ftp),
    /// A constant rate.
    Cbr(Cbr),
    /// On and off, exponentially distributed.
    Exponential(Exponential),
    /// On and off, Pareto distributed.
    Pareto(Pareto),
    /// Single packets.
    Telnet(Telnet),
    /// Requests and responses.
    Requests(Requests),
    /// The video of a call.
    Call(Call),
    /// Adaptive video.
    Video(Video),
}

/// Names of the applications.
pub const APPS: [&str; 8] = ["ftp", "cbr", "exponential", "pareto", "telnet", "requests", "call", "video"];

impl App {
    /// Its name.
    pub fn kind(&self) -> &'static str {
        match self {
            App::Ftp(_) => "ftp",
            App::Cbr(_) => "cbr",
            App::Exponential(_) => "exponential",
            App::Pareto(_) => "pareto",
            App::Telnet(_) => "telnet",
            App::Requests(_) => "requests",
            App::Call(_) => "call",
            App::Video(_) => "video",
        }
    }
}

impl Read for App {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<App, ScenarioError> {
        of_kind(tree, "Ftp", &APPS, |kind, table| {
            Ok(match kind {
                "ftp" => App::Ftp(Ftp::of(table, true, outside)?),
                "cbr" => App::Cbr(Cbr::of(table, true, outside)?),
                "exponential" => App::Exponential(Exponential::of(table, true, outside)?),
                "pareto" => App::Pareto(Pareto::of(table, true, outside)?),
                "telnet" => App::Telnet(Telnet::of(table, true, outside)?),
                "requests" => App::Requests(Requests::of(table, true, outside)?),
                "call" => App::Call(Call::of(table, true, outside)?),
                _ => App::Video(Video::of(table, true, outside)?),
            })
        })
    }

    fn expected() -> String {
        "a table of Ftp".into()
    }
}

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

described! {
    /// Web-like traffic: short transfers in sequence, each a connection of its own.
    ///
    /// Pages are requested at exponentially distributed intervals of mean `interval`. The number of objects of a page is
    /// Pareto distributed (P. Barford and M. Crovella, "Generating representative Web workloads", 1998), and so are the
    /// objects' sizes (M. E. Crovella and A. Bestavros, "Self-similarity in World Wide Web traffic", 1997).
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
    /// From when.
    start: Time,
    /// Until when.
    stop: Option<Time> = None,
}

impl Span {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// Packets from one node to another. docs/guide/scenarios.md says what each key means.
    Flow renamed &[("spread", "start_jitter")], belongs &[
        ("size", "a transfer's size belongs to its app: app = { kind = \"ftp\", size = \"1 MB\" }"),
        ("rate", "a rate belongs to the app: app = { kind = \"cbr\", rate = \"1 Mb/s\" }"),
        ("queue", "a queue belongs to a link of the topology"),
    ];
    /// In a dumbbell, a pair of hosts; 0 for a flow of each pair.
    pair: Option<i64> = None,
    /// The node that sends.
    source: Option<String> = None,
    /// The node that receives.
    destination: Option<String> = None,
    /// A TCP variant; without it the packets are UDP datagrams.
    tcp: Option<String> = None,
    /// The congestion control, for senders that have several.
    control: Option<String> = None,
    /// The source of data.
    app: App = App::Ftp(Ftp { size: None }),
    /// Many flows, a transfer each.
    arrivals: Option<Arrivals> = None,
    /// From when it sends.
    start: Time = Time::of("0 s"),
    /// Up to how much later it starts, at random.
    start_jitter: Time = Time::of("0 s"),
    /// Until when it sends.
    stop: Option<Time> = None,
    /// When it sends, instead of `start` and `stop`.
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
    /// The receiver's.
    receiver_parameters: Parameters = Parameters::new(),
    /// The flow id in packets and traces.
    id: Option<i64> = None,
    /// What it is called.
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
