//! What a run writes besides its tables: ns-2's trace, nam's animation, a capture, qlogs.

use std::collections::HashSet;
use std::fmt::Write;

use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use ackclock_trace::ns2::number::push_g;
use ackclock_trace::recorder::{ChannelId, PacketPlace, Recorder};

use crate::builder::{Builder, Refusal};
use crate::resolve::layout::DirectedLink;
use crate::resolve::network::{Event, Happening};
use crate::schedule::{Action, recorder};

/// A number with all its digits, as ns-2 writes instants into traces.
fn exact(value: f64) -> String {
    let mut out = Vec::new();
    push_g(&mut out, value, 17);
    String::from_utf8(out).expect("numbers are ASCII")
}

impl Builder<'_> {
    fn recorder(&mut self) -> &mut Recorder {
        recorder(self.engine)
    }

    /// Whether each link is in the traces: those that the scenario names, all unless it names some.
    pub(super) fn traced_links(&self) -> Result<Vec<bool>, Refusal> {
        let count = self.network.links.len();
        if self.output.trace.is_none() && self.output.nam.is_none() {
            return Ok(vec![false; count]);
        }
        let Some(names) = &self.scenario.record.trace else { return Ok(vec![true; count]) };
        let mut traced = vec![false; count];
        for name in names {
            let links = self.network.links_named(name, "record.trace").map_err(|error| error.to_string())?;
            links.into_iter().for_each(|number| traced[number] = true);
        }
        Ok(traced)
    }

    pub(super) fn add_trace(&mut self, made: LinkId, link: &DirectedLink) {
        let places = [
            (b'+', HookPoint::Head),
            (b'-', HookPoint::Dequeued),
            (b'd', HookPoint::Dropped),
            (b'r', HookPoint::Received),
        ];
        for (op, point) in places {
            let place = PacketPlace {
                op,
                from: link.source as i32,
                to: link.target as i32,
                trace: self.output.trace,
                nam: self.output.nam,
                shows_tcp_header: false,
                is_tagged: false,
                is_told: false,
                shows_chunks: false,
            };
            let hook = Hook::Trace(self.recorder().add_packet_place(place));
            self.engine.net.links[made.0 as usize].add_hook(point, Some(0), hook);
        }
    }

    /// The trace lines of a link that goes down or up.
    pub(super) fn tell_dynamics(&mut self, event: &Event) {
        let word = match event.what {
            Happening::Up => "up",
            Happening::Down => "down",
            _ => return,
        };
        let link = &self.network.links[event.link];
        let (now, source, target) = (exact(event.at_s), link.source, link.target);
        if let Some(trace) = self.output.trace {
            self.put(event.at_s, Action::Write(trace, format!("v {now} link-{word} {source} {target}\n")));
        }
        if let Some(nam) = self.output.nam {
            let state = format!("l -t {now} -s {source} -d {target} -S {}\n", word.to_uppercase());
            let remark = format!("v -t {now} link-{word} {now} {source} {target}\n");
            self.put(event.at_s, Action::Write(nam, state + &remark));
        }
    }

    pub(super) fn add_capture(&mut self, channel: ChannelId) -> Result<(), Refusal> {
        let places = self.network.places(self.scenario.record.capture.as_deref(), "record.capture");
        let capture = self.recorder().add_capture(channel);
        for place in places.map_err(|error| error.to_string())? {
            let interface = self.recorder().add_capture_interface(capture, &place.name);
            let interface = interface.expect("the capture was just added");
            let entering = place.entering.iter().map(|&number| (number, HookPoint::Received));
            for (number, point) in place.leaving.iter().map(|&number| (number, HookPoint::Head)).chain(entering) {
                let hook = Hook::Trace(self.recorder().add_capture_place(capture, interface));
                let link = self.links[number];
                self.engine.net.links[link.0 as usize].add_hook(point, None, hook);
            }
        }
        Ok(())
    }

    pub(super) fn add_qlog(&mut self, number: usize, channel: ChannelId) -> Result<(), Refusal> {
        let name = &self.network.flows[number].name;
        let place = recorder(self.engine).add_connection_place(channel, name);
        let sender = self.senders[number];
        let is_known = self.engine.agents[sender.0 as usize].watch("connection", place);
        if is_known { Ok(()) } else { Err(format!("{name} has no connection that can be watched")) }
    }

    /// What nam's file begins with: its version, nodes in the order in which they start, and links.
    pub(super) fn write_nam_head(&mut self, order: &[usize]) {
        let Some(nam) = self.output.nam else { return };
        let mut head = "V -t * -v 1.0a5 -a 0\nA -t * -n 1 -p 0 -o 0x7fffffff -c 30 -a 1\n\
            A -t * -h 1 -m 1073741823 -s 0\n"
            .to_owned();
        for node in order {
            let _ = writeln!(head, "n -t * -a {node} -s {node} -S UP -v circle -c black -i black");
        }
        let mut drawn = HashSet::new();
        for link in &self.network.links {
            if !drawn.contains(&(link.target, link.source)) {
                drawn.insert((link.source, link.target));
                let (source, target) = (link.source, link.target);
                let (rate, delay) = (exact(link.rate_bps), exact(link.delay_s));
                let _ = writeln!(head, "l -t * -s {source} -d {target} -S UP -r {rate} -D {delay} -c black");
            }
        }
        if let Some(channel) = self.recorder().channel(nam) {
            channel.write(head.as_bytes());
        }
    }
}
