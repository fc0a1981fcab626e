//! The observer that writes traces.

use std::any::Any;
use std::io;

use ackclock_engine::measure::observe::{Observer, Passing, TraceId};
use ackclock_engine::packet::Address;
use ackclock_engine::params::Value;
use ackclock_engine::time::Time;

use crate::addresses::Addresses;
use crate::capture::frames::Captured;
use crate::capture::pcapng::Pcapng;
use crate::channel::Channel;
use crate::ns2::agent_stdout;
use crate::ns2::line_fragments::{Clock, Phrases, Recent};
use crate::ns2::nam;
use crate::ns2::number::{push_g, push_microseconds};
use crate::ns2::packet_trace;
use crate::ns2::variable_trace;
use crate::tables::{Spot, Tables};

/// Index of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelId(pub u32);

/// A place on a link where packets are traced.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketPlace {
    /// The event's letter.
    pub op: u8,
    /// The node that lines name as the link's start.
    pub from: i32,
    /// The node that lines name as the link's end.
    pub to: i32,
    /// Where ns-2's packet trace goes.
    pub trace: Option<ChannelId>,
    /// Where nam's events go.
    pub nam: Option<ChannelId>,
    /// Whether lines end with fields of the TCP header.
    pub shows_tcp_header: bool,
    /// Whether the packet trace is written in nam's manner.
    pub is_tagged: bool,
}

/// Where an agent's variables go, and whose they are.
#[derive(Clone, Debug)]
pub struct AgentPlace {
    /// Where the lines go.
    pub channel: ChannelId,
    /// What the lines call the variable.
    pub name: String,
    /// The agent's node and port.
    pub here: Address,
    /// Its peer's.
    pub peer: Address,
    /// Set when the lines are nam's.
    pub nam: Option<NamVariable>,
}

/// What nam's lines tell of a variable besides its value.
#[derive(Clone, Debug)]
pub struct NamVariable {
    /// What nam calls the agent; nobody has named it at first, and ns-2 then prints C's word for no text.
    pub agent: String,
    /// The value that the last line told.
    pub told: Option<String>,
}

impl Default for NamVariable {
    fn default() -> NamVariable {
        NamVariable { agent: "(null)".into(), told: None }
    }
}

/// Where what agents report in words goes.
#[derive(Clone, Copy, Debug)]
pub struct HappeningsPlace {
    /// Where ns-2's event trace goes.
    pub trace: Option<ChannelId>,
    /// Where nam's goes.
    pub nam: Option<ChannelId>,
    /// The agent's node and port.
    pub here: Address,
    /// Its peer's.
    pub peer: Address,
}

/// Where a queue's length goes, and which nodes its lines name.
#[derive(Clone, Copy, Debug)]
pub struct LengthPlace {
    /// Where the lines go.
    pub channel: ChannelId,
    /// The node the link leaves.
    pub from: i32,
    /// The node it enters.
    pub to: i32,
}

enum Place {
    Length(LengthPlace),
    Packets(PacketPlace, Option<Ends>),
    Agent(AgentPlace),
    Queue(ChannelId),
    Happenings(HappeningsPlace),
    Remarks(ChannelId),
    Table(Spot),
    Capture(usize, u32),
}

/// The nodes of a place, as ns-2's packet trace and nam have them.
type Ends = (packet_trace::Ends, nam::Ends);

/// Writes what it observes to channels, in the formats of this crate.
#[derive(Default)]
pub struct Recorder {
    channels: Vec<Option<Channel>>,
    places: Vec<Place>,
    clock: ClockText,
    ns2_flows: Phrases<packet_trace::Flow>,
    ns2_packets: Recent<packet_trace::About>,
    nam_flows: Phrases<nam::Flow>,
    nam_packets: Recent<nam::About>,
    scratch: Vec<u8>,
    captures: Vec<(ChannelId, Pcapng)>,
    /// What nodes are called in lines, if not by their numbers.
    pub addresses: Addresses,
    /// Tables that are filled, if any.
    pub tables: Option<Box<Tables>>,
}

/// The clock as text, made once for all lines of an instant.
#[derive(Default)]
struct ClockText {
    exact: (f64, Clock),
    rounded: (f64, Clock),
    scratch: Vec<u8>,
}

impl ClockText {
    /// As `%.15g`.
    #[inline]
    fn at(&mut self, seconds: f64) -> &Clock {
        ClockText::text(&mut self.exact, seconds, &mut self.scratch, |text| push_g(text, seconds, 15))
    }

    /// Rounded to microseconds.
    #[inline]
    fn rounded_at(&mut self, seconds: f64) -> &Clock {
        ClockText::text(&mut self.rounded, seconds, &mut self.scratch, |text| push_microseconds(text, seconds))
    }

    #[inline]
    fn text<'a>(
        (of, clock): &'a mut (f64, Clock),
        seconds: f64,
        scratch: &mut Vec<u8>,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> &'a Clock {
        if seconds != *of || clock.text().is_empty() {
            *of = seconds;
            clock.set(scratch, write);
        }
        clock
    }
}

impl Recorder {
    /// Adds a channel.
    pub fn add_channel(&mut self, channel: Channel) -> ChannelId {
        self.channels.push(Some(channel));
        ChannelId(self.channels.len() as u32 - 1)
    }

    /// A channel that is open.
    pub fn channel(&mut self, id: ChannelId) -> Option<&mut Channel> {
        self.channels.get_mut(id.0 as usize)?.as_mut()
    }

    /// Flushes a channel and closes it. Places that write to it fall silent.
    ///
    /// # Errors
    /// The first failure of the channel.
    pub fn close(&mut self, id: ChannelId) -> io::Result<()> {
        match self.channels.get_mut(id.0 as usize).and_then(Option::take) {
            Some(mut channel) => {
                channel.flush();
                channel.take_failure().map_or(Ok(()), Err)
            }
            None => Ok(()),
        }
    }

    /// The first channel that has failed, and how.
    pub fn take_failure(&mut self) -> Option<(ChannelId, io::Error)> {
        let (index, channel) =
            self.channels.iter_mut().enumerate().find(|(_, c)| c.as_ref().is_some_and(Channel::has_failed))?;
        Some((ChannelId(index as u32), channel.as_mut()?.take_failure()?))
    }

    fn add_place(&mut self, place: Place) -> TraceId {
        self.places.push(place);
        TraceId(self.places.len() as u32 - 1)
    }

    /// A place on a link.
    pub fn add_packet_place(&mut self, place: PacketPlace) -> TraceId {
        self.add_place(Place::Packets(place, None))
    }

    /// A place on a link, to be changed; `None` for other kinds of place.
    pub fn packet_place(&mut self, id: TraceId) -> Option<&mut PacketPlace> {
        match self.places.get_mut(id.0 as usize) {
            Some(Place::Packets(place, ends)) => {
                *ends = None;
                Some(place)
            }
            _ => None,
        }
    }

    /// A place for an agent's variables.
    pub fn add_agent_place(&mut self, place: AgentPlace) -> TraceId {
        self.add_place(Place::Agent(place))
    }

    /// The agent whose variables or reports a place writes is now here, its peer there.
    pub fn set_agent_addresses(&mut self, id: TraceId, now_here: Address, now_peer: Address) {
        if let Some(
            Place::Agent(AgentPlace { here, peer, .. }) | Place::Happenings(HappeningsPlace { here, peer, .. }),
        ) = self.places.get_mut(id.0 as usize)
        {
            *here = now_here;
            *peer = now_peer;
        }
    }

    /// What nam calls an agent from now on, at a place for one of its variables.
    pub fn name_agent_for_nam(&mut self, id: TraceId, name: &str) {
        if let Some(Place::Agent(AgentPlace { nam: Some(nam), .. })) = self.places.get_mut(id.0 as usize) {
            nam.agent = name.into();
        }
    }

    /// A place for a queue's variables.
    pub fn add_queue_place(&mut self, channel: ChannelId) -> TraceId {
        self.add_place(Place::Queue(channel))
    }

    /// A place for a queue's length.
    pub fn add_length_place(&mut self, place: LengthPlace) -> TraceId {
        self.add_place(Place::Length(place))
    }

    /// The nodes that the lines of a queue's length name.
    pub fn set_length_nodes(&mut self, id: TraceId, now_from: i32, now_to: i32) {
        if let Some(Place::Length(LengthPlace { from, to, .. })) = self.places.get_mut(id.0 as usize) {
            (*from, *to) = (now_from, now_to);
        }
    }

    /// Writes a remark where a place's lines go.
    pub fn annotate(&mut self, id: TraceId, now: Time, text: &str) {
        let Some(&Place::Packets(place, _)) = self.places.get(id.0 as usize) else { return };
        line(&mut self.channels, place.trace, |out| {
            variable_trace::push_remark(out, now.secs(), place.is_tagged, text);
        });
        let clock = self.clock.at(now.secs());
        line(&mut self.channels, place.nam, |out| nam::push_remark(out, clock.text(), now.secs(), text));
    }

    /// A place for what agents report in words.
    pub fn add_happenings_place(&mut self, place: HappeningsPlace) -> TraceId {
        self.add_place(Place::Happenings(place))
    }

    /// A place that is heard for the tables.
    pub fn add_table_place(&mut self, spot: Spot) -> TraceId {
        self.add_place(Place::Table(spot))
    }

    /// Begins a capture in a channel; its number.
    pub fn add_capture(&mut self, id: ChannelId) -> usize {
        line(&mut self.channels, Some(id), Pcapng::push_head);
        self.captures.push((id, Pcapng::default()));
        self.captures.len() - 1
    }

    /// An interface of a capture; nothing where there is no such capture.
    pub fn add_capture_interface(&mut self, capture: usize, name: &str) -> Option<u32> {
        let (id, capture) = self.captures.get_mut(capture)?;
        let mut interface = 0;
        line(&mut self.channels, Some(*id), |out| interface = capture.push_interface(out, name));
        Some(interface)
    }

    /// A place whose packets pass an interface of a capture.
    pub fn add_capture_place(&mut self, capture: usize, interface: u32) -> TraceId {
        self.add_place(Place::Capture(capture, interface))
    }

    /// A place for what an agent prints.
    pub fn add_remarks_place(&mut self, channel: ChannelId) -> TraceId {
        self.add_place(Place::Remarks(channel))
    }

    /// A packet passes a place that is not the tables'.
    #[inline(never)]
    fn write_packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        let packet = passing.packet;
        let (place, ends) = match &mut self.places[place.0 as usize] {
            Place::Packets(place, ends) => (
                &*place,
                &*ends
                    .get_or_insert_with(|| (packet_trace::ends(place.from, place.to), nam::ends(place.from, place.to))),
            ),
            Place::Capture(number, interface) => {
                if let Some((id, capture)) = self.captures.get_mut(*number) {
                    let packet = Captured::of_packet(now.secs(), passing);
                    line(&mut self.channels, Some(*id), |out| capture.push_packet(out, *interface, &packet));
                }
                return;
            }
            _ => return,
        };
        let seconds = now.secs();
        let channels = &mut self.channels;
        if place.trace.is_some() && !place.is_tagged {
            let (flows, scratch, addresses) = (&mut self.ns2_flows, &mut self.scratch, &self.addresses);
            let about = self.ns2_packets.about(packet, |packet| {
                packet_trace::about(
                    flows.about(packet, |packet| packet_trace::flow(packet, addresses)),
                    packet,
                    scratch,
                )
            });
            let time = self.clock.rounded_at(seconds);
            line(channels, place.trace, |out| {
                let header = place.shows_tcp_header.then(|| passing.sack().len());
                packet_trace::push_line(out, place.op, time, &ends.0, about, packet, header);
            });
        }
        let tagged = place.trace.filter(|_| place.is_tagged);
        if tagged.is_none() && place.nam.is_none() {
            return;
        }
        let (flows, scratch, addresses) = (&mut self.nam_flows, &mut self.scratch, &self.addresses);
        let about = self.nam_packets.about(packet, |packet| {
            nam::about(flows.about(packet, |packet| nam::flow(packet, addresses)), packet, scratch)
        });
        let clock = self.clock.at(seconds);
        let mut write = |channel, op, tagged| {
            line(channels, channel, |out| nam::push_line(out, op, clock, &ends.1, about, packet, tagged));
        };
        write(tagged, place.op, true);
        write(place.nam, place.op, false);
        if place.op == b'-' {
            write(place.nam, nam::ON_ITS_WAY, false);
            write(tagged, nam::ON_ITS_WAY, true);
        }
    }
}

fn line(channels: &mut [Option<Channel>], id: Option<ChannelId>, write: impl FnOnce(&mut Vec<u8>)) {
    if let Some(id) = id
        && let Some(channel) = &mut channels[id.0 as usize]
    {
        write(channel.buffer());
        channel.written();
    }
}

impl Observer for Recorder {
    fn packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        // Tables hear three times a hop: what writes lines is a function of its own, long to enter and to leave.
        if let Place::Table(spot) = self.places[place.0 as usize] {
            if let Some(tables) = &mut self.tables {
                tables.packet(spot, now.secs(), passing.packet);
            }
        } else {
            self.write_packet(place, now, passing);
        }
    }

    fn variable(&mut self, place: TraceId, now: Time, name: &'static str, value: Value) {
        let seconds = now.secs();
        let addresses = &self.addresses;
        match &mut self.places[place.0 as usize] {
            Place::Agent(AgentPlace { channel, name, here, peer, nam: Some(nam) }) => {
                let ends = (addresses.packed(*here), addresses.packed(*peer));
                let clock = self.clock.at(seconds);
                line(&mut self.channels, Some(*channel), |out| {
                    nam::push_variable_line(out, clock.text(), ends, name, nam, value);
                });
            }
            Place::Agent(place) => line(&mut self.channels, Some(place.channel), |out| {
                let (here, peer) = (addresses.packed(place.here), addresses.packed(place.peer));
                variable_trace::push_agent_line(out, seconds, here, peer, &place.name, value);
            }),
            Place::Queue(channel) => line(&mut self.channels, Some(*channel), |out| {
                variable_trace::push_queue_line(out, seconds, name, value);
            }),
            Place::Table(spot) => {
                if let Some(tables) = &mut self.tables {
                    tables.variable(*spot, seconds, value.real());
                }
            }
            Place::Packets(..) | Place::Happenings(_) | Place::Length(_) | Place::Remarks(_) | Place::Capture(..) => {}
        }
    }

    fn variables(&mut self, place: TraceId, now: Time, values: &[(&'static str, Value)]) {
        if let Place::Agent(place) = &self.places[place.0 as usize] {
            line(&mut self.channels, Some(place.channel), |out| {
                variable_trace::push_all_line(out, now.secs(), place.here, place.peer, values);
            });
        }
    }

    fn queue_length(&mut self, place: TraceId, now: Time, bytes: i32, packets: i32) {
        let &Place::Length(LengthPlace { channel, from, to }) = &self.places[place.0 as usize] else { return };
        let clock = self.clock.at(now.secs());
        line(&mut self.channels, Some(channel), |out| {
            variable_trace::push_length_line(out, clock.text(), from, to, bytes, packets);
        });
    }

    fn happening(&mut self, place: TraceId, now: Time, what: &'static str, fields: &[f64]) {
        let (trace, nam, here, peer) = match self.places[place.0 as usize] {
            Place::Happenings(HappeningsPlace { trace, nam, here, peer }) => (trace, nam, here, peer),
            Place::Remarks(channel) | Place::Queue(channel) => {
                line(&mut self.channels, Some(channel), |out| {
                    agent_stdout::push_remark_line(out, now.secs(), what, fields)
                });
                return;
            }
            _ => return,
        };
        line(&mut self.channels, trace, |out| {
            variable_trace::push_happening_line(out, now.secs(), here, peer, what, fields);
        });
        let clock = self.clock.at((now.secs() * 1.0e6 + 0.5).floor() / 1.0e6);
        line(&mut self.channels, nam, |out| {
            nam::push_happening_line(out, clock.text(), (here, peer), what, &self.addresses)
        });
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
