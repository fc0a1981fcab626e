//! How a link sends over a Wi-Fi medium ([`crate::net::link::wifi`]).

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::Network;
use crate::net::link::LinkId;
use crate::net::link::wifi::{Medium, MediumId, OnMedium, Settings, State, Station};
use crate::packet::PacketId;
use crate::random::rng::Source;
use crate::time::Time;

impl Network {
    /// Adds a medium.
    ///
    /// # Errors
    /// What is wrong with its constants.
    pub fn add_medium(&mut self, settings: Settings) -> Result<MediumId, String> {
        settings.check()?;
        let id = MediumId(self.media.len() as u32);
        let timer = self.add_timer(TimerOwner::Medium(id.0));
        self.media.push(Medium::new(settings, timer));
        Ok(id)
    }

    /// Makes a link a station of a medium, before its first packet.
    pub fn join_medium(&mut self, link: LinkId, id: MediumId) {
        let now = self.now();
        let medium = &mut self.media[id.0 as usize];
        let joined = OnMedium {
            medium: id,
            station: medium.stations.len(),
            held: 0,
            held_bytes: 0,
            airtime_s: 0.0,
            until_s: 0.0,
        };
        medium.stations.push(Station::new(Some(link), &medium.settings));
        // Contenders begin with the first event: until then the streams of random numbers get their names.
        for contender in medium.stations.iter_mut().filter(|station| station.link.is_none()) {
            contender.waits_since = Some(now);
        }
        self.links[link.0 as usize].put_on_medium(joined);
        self.contend(id);
    }

    /// A packet is in the queue: the link's station contends, if it does not already.
    pub(crate) fn await_access(&mut self, link: LinkId) {
        let now = self.now();
        let waits = &self.links[link.0 as usize];
        let Some(joined) = waits.on_medium().filter(|_| waits.queue().len_packets() > 0) else { return };
        let (id, station) = (joined.medium, joined.station);
        let medium = &mut self.media[id.0 as usize];
        let (is_busy, waiting) = (medium.state == State::Busy, &mut medium.stations[station]);
        if waiting.waits_since.is_some() {
            return;
        }
        waiting.waits_since = Some(now);
        if is_busy && waiting.backoff == 0 {
            self.draw_backoff(id, station);
        }
        self.contend(id);
    }

    /// Sets the timer to the first instant at which a station may send.
    fn contend(&mut self, id: MediumId) {
        let medium = &self.media[id.0 as usize];
        if medium.state == State::Busy {
            return;
        }
        if let Some(at) = medium.next_at() {
            let at = Time(at.secs().max(self.current.at.secs()));
            self.timers.set(medium.timer, at, &mut self.events);
        }
    }

    /// A random number of slots. Contenders draw from the stream of the medium's first link.
    fn draw_backoff(&mut self, id: MediumId, station: usize) {
        let stations = &self.media[id.0 as usize].stations;
        let (cw, link) = (stations[station].cw, stations[station].link);
        let Some(link) = link.or_else(|| stations.iter().find_map(|station| station.link)) else { return };
        let slots = self.rng.of(Source::Access(link.0)).integer(i64::from(cw) + 1);
        self.media[id.0 as usize].stations[station].backoff = slots as u32;
    }

    /// The timer of a medium expires.
    pub(crate) fn medium_timer(&mut self, id: MediumId) {
        match self.media[id.0 as usize].state {
            State::Idle => self.begin_sending(id),
            State::Busy => self.end_sending(id),
        }
    }

    /// The stations whose wait is over send.
    fn begin_sending(&mut self, id: MediumId) {
        let now = self.now();
        let medium = &self.media[id.0 as usize];
        let Some(at) = medium.next_at() else { return };
        if at > now {
            return self.contend(id);
        }
        let is_ready = |station: &Station| medium.ready_at(station).is_some_and(|ready| ready <= at);
        let ready: Vec<usize> = (0..medium.stations.len()).filter(|&index| is_ready(&medium.stations[index])).collect();
        let mut senders = Vec::with_capacity(ready.len());
        for station in ready {
            if self.fill_aggregate(id, station) {
                senders.push(station);
            }
        }
        if senders.is_empty() {
            return self.contend(id);
        }
        self.count_down(id, &senders, now);
        let settings = self.media[id.0 as usize].settings;
        let (mut longest_s, mut answer_s) = (0.0f64, 0.0);
        for &station in &senders {
            let (frames, sending_s) = self.put_on_air(id, station, now);
            (longest_s, answer_s) = (longest_s.max(sending_s), settings.answer_s(frames));
        }
        if let [station] = senders[..] {
            self.arrive_together(id, station, now + longest_s);
        } else {
            // Nobody is acknowledged; the others wait an EIFS, which is as long as an ACK and its SIFS more.
            answer_s = settings.answer_s(1);
        }
        let medium = &mut self.media[id.0 as usize];
        (medium.state, medium.senders) = (State::Busy, senders);
        self.timers.set(medium.timer, now + longest_s + answer_s, &mut self.events);
    }

    /// Counts the idle slots that have passed at all stations that do not send.
    fn count_down(&mut self, id: MediumId, senders: &[usize], now: Time) {
        let medium = &mut self.media[id.0 as usize];
        // A station that waited has counted exactly its slots; the quotient of two times may be a little less.
        let counted = senders.iter().map(|&sender| medium.stations[sender].backoff).max().unwrap_or(0);
        let passed = counted.max(medium.slots_passed(now));
        for (index, station) in medium.stations.iter_mut().enumerate() {
            if !senders.contains(&index) {
                let left = station.backoff.saturating_sub(passed);
                // It would have sent, if it had waited for as long.
                station.backoff = if station.waits_since.is_some() { left.max(1) } else { left };
            }
        }
    }

    /// Duration of a station's transmission, s, and its frames; counts the airtime.
    fn put_on_air(&mut self, id: MediumId, station: usize, now: Time) -> (u32, f64) {
        let medium = &self.media[id.0 as usize];
        let (settings, sender) = (medium.settings, &medium.stations[station]);
        let Some(link) = sender.link else {
            let (frames, bytes) = settings.full();
            return (frames, settings.sending_s(bytes));
        };
        let frames = sender.frames.len() as u32;
        let sending_s = settings.sending_s(sender.bytes);
        if let Some(joined) = self.links[link.0 as usize].on_medium_mut() {
            let airtime_s = sending_s + settings.answer_s(frames);
            joined.airtime_s += airtime_s;
            joined.until_s = now.secs() + airtime_s;
        }
        (frames, sending_s)
    }

    /// Takes packets from the queue of a station that has no aggregate. False if there is none, and it waits no more.
    fn fill_aggregate(&mut self, id: MediumId, station: usize) -> bool {
        let medium = &mut self.media[id.0 as usize];
        let (settings, sender) = (medium.settings, &mut medium.stations[station]);
        let Some(link) = sender.link else { return true };
        if !sender.frames.is_empty() {
            return true;
        }
        let (mut frames, mut bytes, mut next) = (Vec::new(), 0, sender.next.take());
        while let Some(packet) = next.take().or_else(|| self.take_from_queue(link)) {
            let size = i64::from(self.packets[packet].size);
            let Some(sum) = settings.add(frames.len() as u32, bytes, size) else {
                next = Some(packet);
                break;
            };
            bytes = sum;
            frames.push(packet);
        }
        let held = frames.iter().chain(&next);
        let held_bytes = held.clone().map(|&packet| self.packets[packet].size.max(0) as u64).sum();
        if let Some(joined) = self.links[link.0 as usize].on_medium_mut() {
            (joined.held, joined.held_bytes) = (held.count() as u32, held_bytes);
        }
        let is_empty = frames.is_empty();
        let sender = &mut self.media[id.0 as usize].stations[station];
        (sender.frames, sender.bytes, sender.next) = (frames, bytes, next);
        if is_empty {
            sender.waits_since = None;
        }
        !is_empty
    }

    /// The frames of a station that sends alone enter the wire together, when their transmission is over.
    fn arrive_together(&mut self, id: MediumId, station: usize, sent_at: Time) {
        let sender = &mut self.media[id.0 as usize].stations[station];
        let Some(link) = sender.link else { return };
        let frames = std::mem::take(&mut sender.frames);
        let at = sent_at + self.links[link.0 as usize].delay_s();
        self.links[link.0 as usize].on_wire += frames.len() as u32;
        for &packet in &frames {
            let arrival = Key { at, counter: self.events.take_counter() };
            self.events.insert(arrival, Event::Arrive(link.0, packet));
        }
        self.hold_no_more(link, &frames);
    }

    /// Packets are held no longer.
    fn hold_no_more(&mut self, link: LinkId, packets: &[PacketId]) {
        let bytes: u64 = packets.iter().map(|&packet| self.packets[packet].size.max(0) as u64).sum();
        if let Some(joined) = self.links[link.0 as usize].on_medium_mut() {
            joined.held -= packets.len() as u32;
            joined.held_bytes -= bytes;
        }
    }

    /// A transmission and its acknowledgment are over, or a collision.
    fn end_sending(&mut self, id: MediumId) {
        let now = self.now();
        let medium = &mut self.media[id.0 as usize];
        medium.state = State::Idle;
        medium.idle_since = now;
        let senders = std::mem::take(&mut medium.senders);
        let collided = senders.len() > 1;
        for station in senders {
            let settings = self.media[id.0 as usize].settings;
            let sender = &mut self.media[id.0 as usize].stations[station];
            sender.collisions = if collided { sender.collisions + 1 } else { 0 };
            if sender.collisions > settings.retries {
                let lost = std::mem::take(&mut sender.frames);
                sender.collisions = 0;
                if let Some(link) = sender.link {
                    self.hold_no_more(link, &lost);
                    lost.into_iter().for_each(|packet| self.lose(link, packet));
                }
            }
            let sender = &mut self.media[id.0 as usize].stations[station];
            let doubled = (2 * sender.cw + 1).min(settings.cw_max);
            sender.cw = if sender.collisions == 0 { settings.cw_min } else { doubled };
            self.draw_backoff(id, station);
            self.wait_again(id, station, now);
        }
        self.contend(id);
    }

    /// A station that has sent goes on waiting if it has more.
    fn wait_again(&mut self, id: MediumId, station: usize, now: Time) {
        let sender = &self.media[id.0 as usize].stations[station];
        let has_kept = !sender.frames.is_empty() || sender.next.is_some();
        let waits = match sender.link {
            None => true,
            Some(_) if has_kept => true,
            Some(link) => {
                let link = &mut self.links[link.0 as usize];
                let has_more = link.queue().len_packets() > 0;
                if !has_more {
                    link.queue_at_work().found_empty(now);
                }
                has_more
            }
        };
        self.media[id.0 as usize].stations[station].waits_since = waits.then_some(now);
    }
}
