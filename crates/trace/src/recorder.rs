//! The trace recorder: the simulation observer that writes trace files and tables.

mod places;

use std::any::Any;
use std::io;

use ackclock_engine::measure::connection::ConnectionEvent;
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
use crate::ns2::sctp_trace;
use crate::ns2::variable_trace;
use crate::qlog::Qlog;
use crate::tables::{Spot, Tables};

use places::Place;
pub use places::{AgentPlace, ChannelId, HappeningsPlace, LengthPlace, PacketPlace, VariablePlace};

/// Writes what it observes to channels, in this crate's formats.
#[derive(Default)]
pub struct Recorder {
    channels: Vec<Option<Channel>>,
    places: Vec<Place>,
    clock: ClockText,
    ns2_flows: Phrases<packet_trace::Flow>,
    ns2_packets: Recent<packet_trace::About>,
    nam_flows: Phrases<nam::Flow>,
    nam_packets: Recent<nam::About>,
    /// Whether packets have SRM's header.
    pub srm_header: nam::Srm,
    scratch: Vec<u8>,
    told: Vec<(TraceId, Vec<u8>)>,
    captures: Vec<(ChannelId, Pcapng)>,
    /// Node addresses in lines, if they are not the node numbers.
    pub addresses: Addresses,
    /// The tables to fill, if any.
    pub tables: Option<Box<Tables>>,
}

/// The time as text, formatted once for all lines of one time.
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

    /// An open channel.
    pub fn channel(&mut self, id: ChannelId) -> Option<&mut Channel> {
        self.channels.get_mut(id.0 as usize)?.as_mut()
    }

    /// Flushes and closes a channel. Trace points that use it write nothing more.
    ///
    /// # Errors
    /// The first error of the channel.
    pub fn close(&mut self, id: ChannelId) -> io::Result<()> {
        match self.channels.get_mut(id.0 as usize).and_then(Option::take) {
            Some(mut channel) => {
                channel.flush();
                channel.take_failure().map_or(Ok(()), Err)
            }
            None => Ok(()),
        }
    }

    /// The first channel that has failed, with its error.
    pub fn take_failure(&mut self) -> Option<(ChannelId, io::Error)> {
        let (index, channel) =
            self.channels.iter_mut().enumerate().find(|(_, c)| c.as_ref().is_some_and(Channel::has_failed))?;
        Some((ChannelId(index as u32), channel.as_mut()?.take_failure()?))
    }

    fn add_place(&mut self, place: Place) -> TraceId {
        self.places.push(place);
        TraceId(self.places.len() as u32 - 1)
    }

    /// Adds a trace point on a link.
    pub fn add_packet_place(&mut self, place: PacketPlace) -> TraceId {
        self.add_place(Place::Packets(place, None))
    }

    /// Mutable access to a trace point on a link; `None` for other types.
    pub fn packet_place(&mut self, id: TraceId) -> Option<&mut PacketPlace> {
        match self.places.get_mut(id.0 as usize) {
            Some(Place::Packets(place, ends)) => {
                *ends = None;
                Some(place)
            }
            _ => None,
        }
    }

    /// The lines of trace points that are told, without line ends, since this was last called.
    pub fn take_told(&mut self) -> Vec<(TraceId, Vec<u8>)> {
        std::mem::take(&mut self.told)
    }

    /// Adds a trace point for an agent's variables.
    pub fn add_agent_place(&mut self, place: AgentPlace) -> TraceId {
        self.add_place(Place::Agent(place))
    }

    /// Sets the agent's and the peer's addresses at a trace point for variables or events.
    pub fn set_agent_addresses(&mut self, id: TraceId, now_here: Address, now_peer: Address) {
        if let Some(
            Place::Agent(AgentPlace { here, peer, .. }) | Place::Happenings(HappeningsPlace { here, peer, .. }),
        ) = self.places.get_mut(id.0 as usize)
        {
            *here = now_here;
            *peer = now_peer;
        }
    }

    /// Sets nam's name of the agent, at a trace point for one of its variables.
    pub fn name_agent_for_nam(&mut self, id: TraceId, name: &str) {
        if let Some(Place::Agent(AgentPlace { nam: Some(nam), .. })) = self.places.get_mut(id.0 as usize) {
            nam.agent = name.into();
        }
    }

    /// Sets the output of an agent's variable; other trace points stay as they are.
    pub fn set_agent_channel(&mut self, id: TraceId, now_channel: ChannelId) {
        if let Some(Place::Agent(AgentPlace { channel, .. })) = self.places.get_mut(id.0 as usize) {
            *channel = now_channel;
        }
    }

    /// Adds a trace point for a variable in the format of `Trace/Var`.
    pub fn add_variable_place(&mut self, place: VariablePlace) -> TraceId {
        self.add_place(Place::Variable(place))
    }

    /// Sets the output of a trace point of [`Recorder::add_variable_place`].
    pub fn set_variable_channel(&mut self, id: TraceId, now_channel: Option<ChannelId>) {
        if let Some(Place::Variable(VariablePlace { channel, .. })) = self.places.get_mut(id.0 as usize) {
            *channel = now_channel;
        }
    }

    /// Adds a trace point for a queue's variables.
    pub fn add_queue_place(&mut self, channel: ChannelId) -> TraceId {
        self.add_place(Place::Queue(channel))
    }

    /// Adds a trace point for a queue's length.
    pub fn add_length_place(&mut self, place: LengthPlace) -> TraceId {
        self.add_place(Place::Length(place))
    }

    /// Sets the nodes in the lines of a queue's length.
    pub fn set_length_nodes(&mut self, id: TraceId, now_from: i32, now_to: i32) {
        if let Some(Place::Length(LengthPlace { from, to, .. })) = self.places.get_mut(id.0 as usize) {
            (*from, *to) = (now_from, now_to);
        }
    }

    /// Writes an annotation to the outputs of a trace point.
    pub fn annotate(&mut self, id: TraceId, now: Time, text: &str) {
        let Some(&Place::Packets(place, _)) = self.places.get(id.0 as usize) else { return };
        line(&mut self.channels, place.trace, |out| {
            variable_trace::push_remark(out, now.secs(), place.is_tagged, text);
        });
        let clock = self.clock.at(now.secs());
        line(&mut self.channels, place.nam, |out| nam::push_remark(out, clock.text(), now.secs(), text));
    }

    /// Adds a trace point for an agent's events.
    pub fn add_happenings_place(&mut self, place: HappeningsPlace) -> TraceId {
        self.add_place(Place::Happenings(place))
    }

    /// Adds a trace point for the tables.
    pub fn add_table_place(&mut self, spot: Spot) -> TraceId {
        self.add_place(Place::Table(spot))
    }

    /// Starts a capture in a channel; returns its number.
    pub fn add_capture(&mut self, id: ChannelId) -> usize {
        line(&mut self.channels, Some(id), Pcapng::push_head);
        self.captures.push((id, Pcapng::default()));
        self.captures.len() - 1
    }

    /// Adds an interface to a capture; `None` if there is no such capture.
    pub fn add_capture_interface(&mut self, capture: usize, name: &str) -> Option<u32> {
        let (id, capture) = self.captures.get_mut(capture)?;
        let mut interface = 0;
        line(&mut self.channels, Some(*id), |out| interface = capture.push_interface(out, name));
        Some(interface)
    }

    /// Adds a trace point for an interface of a capture.
    pub fn add_capture_place(&mut self, capture: usize, interface: u32) -> TraceId {
        self.add_place(Place::Capture(capture, interface))
    }

    /// Adds a trace point for a TCP connection, whose qlog begins in a channel. `title` names the connection.
    pub fn add_connection_place(&mut self, channel: ChannelId, title: &str) -> TraceId {
        line(&mut self.channels, Some(channel), |out| Qlog::push_head(out, title));
        self.add_place(Place::Connection(channel, Box::default()))
    }

    /// Adds a trace point for an agent's stdout.
    pub fn add_remarks_place(&mut self, channel: ChannelId) -> TraceId {
        self.add_place(Place::Remarks(channel))
    }

    /// A packet at a trace point that does not belong to the tables.
    #[inline(never)]
    fn write_packet(&mut self, place: TraceId, now: Time, passing: Passing) {
        let packet = passing.packet;
        let id = place;
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
        let chunks = passing.chunks().filter(|_| place.shows_chunks && !place.is_tagged);
        if let Some(chunks) = chunks {
            let time = self.clock.rounded_at(seconds);
            line(channels, place.trace, |out| {
                sctp_trace::push_lines(out, place.op, time, &ends.0, packet, chunks, &self.addresses);
            });
            if place.is_told {
                let mut text = Vec::new();
                sctp_trace::push_lines(&mut text, place.op, time, &ends.0, packet, chunks, &self.addresses);
                // As in ns-2, `trace-callback` gets the line of the last chunk only.
                let last = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
                self.told.extend(last.filter(|line| !line.is_empty()).map(|line| (id, line.to_vec())));
            }
        } else if (place.trace.is_some() || place.is_told) && !place.is_tagged {
            let (flows, scratch, addresses) = (&mut self.ns2_flows, &mut self.scratch, &self.addresses);
            let about = self.ns2_packets.about(packet, |packet| {
                packet_trace::about(
                    flows.about(packet, |packet| packet_trace::flow(packet, addresses)),
                    packet,
                    scratch,
                )
            });
            let time = self.clock.rounded_at(seconds);
            let header = place.shows_tcp_header.then(|| passing.sack().len());
            line(channels, place.trace, |out| {
                packet_trace::push_line(out, place.op, time, &ends.0, about, packet, header);
            });
            if place.is_told {
                let mut text = Vec::new();
                packet_trace::push_line(&mut text, place.op, time, &ends.0, about, packet, header);
                self.told.push((id, text.trim_ascii_end().to_vec()));
            }
        }
        let tagged = place.trace.filter(|_| place.is_tagged);
        let is_told = place.is_told && place.is_tagged;
        if tagged.is_none() && place.nam.is_none() && !is_told {
            return;
        }
        let (flows, scratch, addresses) = (&mut self.nam_flows, &mut self.scratch, &self.addresses);
        let srm = self.srm_header;
        let of_chunks;
        let about = if let Some(letter) = chunks.and_then(sctp_trace::last_letter) {
            let flow = nam::flow(packet, addresses);
            of_chunks = nam::about(&flow, packet, (srm, Some(letter)), scratch);
            &of_chunks
        } else {
            self.nam_packets.about(packet, |packet| {
                nam::about(flows.about(packet, |packet| nam::flow(packet, addresses)), packet, (srm, None), scratch)
            })
        };
        let clock = self.clock.at(seconds);
        let mut write = |channel, op, tagged| {
            line(channels, channel, |out| nam::push_line(out, op, clock, &ends.1, about, (packet, srm), tagged));
        };
        if is_told {
            let mut text = Vec::new();
            nam::push_line(&mut text, place.op, clock, &ends.1, about, (packet, srm), true);
            self.told.push((id, text.trim_ascii_end().to_vec()));
        }
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
        // Tables get three events per hop. The code that writes lines is a separate function because its prologue is
        // expensive.
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
            Place::Variable(place) => line(&mut self.channels, place.channel, |out| {
                variable_trace::push_object_line(out, seconds, &place.owner, &place.name, value);
            }),
            Place::Queue(channel) => line(&mut self.channels, Some(*channel), |out| {
                variable_trace::push_queue_line(out, seconds, name, value);
            }),
            Place::Table(spot) => {
                if let Some(tables) = &mut self.tables {
                    tables.variable(*spot, seconds, value.real());
                }
            }
            Place::Packets(..)
            | Place::Happenings(_)
            | Place::Length(_)
            | Place::Remarks(_)
            | Place::Capture(..)
            | Place::Connection(..) => {}
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
        if let Place::Agent(AgentPlace { channel, name, .. }) = &self.places[place.0 as usize] {
            line(&mut self.channels, Some(*channel), |out| {
                sctp_trace::push_variable_line(out, now.secs(), what, name, fields, &self.addresses);
            });
            return;
        }
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

    fn connection(&mut self, place: TraceId, now: Time, event: ConnectionEvent) {
        if let Place::Connection(channel, qlog) = &mut self.places[place.0 as usize] {
            line(&mut self.channels, Some(*channel), |out| qlog.push(out, now.secs(), event));
        }
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
