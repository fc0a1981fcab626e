//! Applications: what feeds a flow.

use crate::error::ScenarioError;
use crate::model::described::{described, kinds};
use crate::model::typed::{Data, Number, Rate, Size, Time};

described! {
    /// A file transfer: endless, or of a `size` in packets or bytes (rounded up to whole packets). TCP only.
    Ftp;
    /// How much is sent; no limit by default.
    size: Option<Data> = None,
}

impl Ftp {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// Packets of `packet_size` at constant intervals that give `rate`; `dither` moves each by up to half an interval.
    ///
    /// `packets` is how many are sent; no limit by default.
    Cbr;
    /// The rate of the packets.
    rate: Rate = Rate::of("448 kb/s"),
    /// The packets' size.
    packet_size: Size = Size::of("210 B"),
    /// Whether the intervals vary.
    dither: bool = false,
    /// How many are sent; no limit by default.
    packets: Option<i64> = None,
}

impl Cbr {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// On/off traffic: bursts at `rate` and idle times, exponentially distributed with means `burst` and `idle`.
    ///
    /// Packets have `packet_size`.
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

/// Checks that a Pareto distribution of this shape has a mean.
///
/// # Errors
/// If it has none.
pub fn has_mean(number: Number, key: &str) -> Result<(), ScenarioError> {
    if number.value > 1.0 {
        return Ok(());
    }
    Err(ScenarioError::new("must be more than 1, or the mean is infinite").key(key).value(number.given()))
}

described! {
    /// On/off traffic: bursts at `rate` and idle times, Pareto distributed: means `burst` and `idle`, this `shape`.
    ///
    /// Packets have `packet_size`.
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
    /// The mean interval; without it, intervals are those of tcplib.
    interval: Option<Time> = None,
}

impl Telnet {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

described! {
    /// A client and a server over one two-way TCP connection, which is opened, used and closed.
    ///
    /// The source sends a `request`. Once the destination has all of it, it sends a `response` after the time
    /// `server_delay`. Once the source has all of that, it sends the next request after the time `think_time`, `times`
    /// in all, or without end if that is 0. Then the source closes the connection, unless `closes` is false. Two-way
    /// TCP only.
    Requests renamed &[("serves", "server_delay"), ("thinks", "think_time")];
    /// The size of a request.
    request: Size = Size::of("300 B"),
    /// The size of a response.
    response: Size = Size::of("12 kB"),
    /// How many requests are sent; 0 for without end.
    times: i64 = 1,
    /// The time from a request to its response.
    server_delay: Time = Time::of("0 s"),
    /// The time from a response to the next request.
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
    /// The video of a call over RTP and UDP, whose bitrate SCReAM sets between `min_rate` and `max_rate`. No `tcp`.
    ///
    /// An encoder gives `fps` frames per second. Sizes and intervals deviate by Laplacian amounts, whose scale is the
    /// part `frame_variation` of each, and a new bitrate is taken after the time `reaction` at the earliest: the model
    /// of RFC 8593, section 5. The congestion control is SCReAM version 2 (draft-ietf-ccwg-rfc8298bis-screamv2), with
    /// feedback by RFC 8888. A frame is late if its last packet arrives later than `deadline` after its capture; ITU-T
    /// G.114 recommends at most 150 ms one way. The flow's `packet_size` is the largest RTP packet, 1000 bytes by
    /// default.
    Call;
    /// Frames per second.
    fps: Number = Number::new(30.0),
    /// The encoder's lowest bitrate.
    min_rate: Rate = Rate::of("150 kb/s"),
    /// The encoder's highest bitrate.
    max_rate: Rate = Rate::of("1.5 Mb/s"),
    /// The scale of the deviations of frame sizes and intervals.
    frame_variation: Number = Number::new(0.15),
    /// The shortest time between two changes of the bitrate.
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
    /// A video that the source sends and the destination plays, in segments over one two-way TCP connection.
    ///
    /// The destination opens the connection, and sends a `request` for each `segment`. Once it has all of the segment,
    /// it requests the next one, and waits first if the `buffer` has no room for it. Playing begins with the first
    /// segment; when the buffer is empty, it waits for the next one. Each segment has one of the `bitrates`. BOLA
    /// chooses it by the level of the buffer: K. Spiteri, R. Urgaonkar and R. K. Sitaraman, "BOLA: near-optimal bitrate
    /// adaptation for online videos", INFOCOM 2016, BOLA-BASIC. `gamma_p` is how much rebuffering counts there beside
    /// the bitrate. `segments` is the number of segments; without it, the video lasts until the flow's `stop`. Two-way
    /// TCP only.
    Video;
    /// The bitrates that there are, ascending.
    bitrates: Vec<Rate> = VIDEO_BITRATES.iter().copied().map(Rate::of).collect(),
    /// How much video a segment has.
    segment: Time = Time::of("3 s"),
    /// The most video in the player's buffer.
    buffer: Time = Time::of("25 s"),
    /// How much rebuffering counts beside the bitrate.
    gamma_p: Number = Number::new(5.0),
    /// How many segments there are; no limit by default.
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

kinds! {
    /// Every application.
    App,
    /// Names of the applications.
    APPS;
    /// A file transfer.
    "ftp" => Ftp(Ftp),
    /// A constant rate.
    "cbr" => Cbr(Cbr),
    /// On and off, exponentially distributed.
    "exponential" => Exponential(Exponential),
    /// On and off, Pareto distributed.
    "pareto" => Pareto(Pareto),
    /// Single packets.
    "telnet" => Telnet(Telnet),
    /// Requests and responses.
    "requests" => Requests(Requests),
    /// The video of a call.
    "call" => Call(Call),
    /// Adaptive video.
    "video" => Video(Video),
}
