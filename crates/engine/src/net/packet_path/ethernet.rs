//! How a port with CSMA/CD sends and receives ([`crate::net::lan::ethernet`]).

use crate::net::Network;
use crate::net::lan::ethernet::{Ethernet, State};
use crate::net::lan::{Access, Frame, Receiver};
use crate::net::link::LinkId;
use crate::packet::flag;
use crate::random::rng::Source;

const HEADER: i32 = 14;
const MIN_FRAME: i32 = 64;
const GAP_BYTES: i32 = 12;
const JAM_AND_GAP_BYTES: i32 = 16;
const SLOT_BYTES: i32 = 64;
const MAX_TRIES: u32 = 16;
const MAX_DOUBLINGS: u32 = 10;
/// Gaps that end within this time count as over, s.
const RESOLUTION_S: f64 = 1.0e-15;

const SENT: u8 = 0;
const RECEIVED: u8 = 1;
const TRY_AGAIN: u8 = 2;
const GAP: u8 = 3;

impl Network {
    fn ethernet(&mut self, link: LinkId) -> &mut Ethernet {
        match &mut self.port(link).access {
            Access::Ethernet(found) => found,
            Access::Plain { .. } => unreachable!("only ports with Ethernet's access method come here"),
        }
    }

    fn waits(&mut self, link: LinkId, what: u8) -> bool {
        let timer = self.ethernet(link).timers[usize::from(what)];
        self.timer_runs(timer)
    }

    fn wait(&mut self, link: LinkId, what: u8, delay_s: f64) {
        let timer = self.ethernet(link).timers[usize::from(what)];
        self.set_timer(timer, delay_s);
    }

    fn wait_no_more(&mut self, link: LinkId, what: u8) {
        let timer = self.ethernet(link).timers[usize::from(what)];
        self.stop_timer(timer);
    }

    fn bytes_s(&self, link: LinkId, bytes: i32) -> f64 {
        self.links[link.0 as usize].transmission_s(bytes)
    }

    /// The queue passes a packet to the medium access.
    pub(crate) fn send_frame(&mut self, link: LinkId, mut frame: Frame) {
        let packet = &mut self.packets[frame.packet];
        packet.size += HEADER;
        frame.padding = (MIN_FRAME - packet.size).max(0);
        packet.size += frame.padding;
        let access = self.ethernet(link);
        access.queue_waits = true;
        access.kept = Some(frame);
        self.try_frame(link);
    }

    /// Sends the kept frame if the medium is idle and no gap is running.
    fn try_frame(&mut self, link: LinkId) {
        if self.waits(link, GAP) {
            return;
        }
        let access = self.ethernet(link);
        let (State::Idle, Some(frame)) = (access.state, access.kept) else { return };
        let size = self.packets[frame.packet].size;
        self.wait(link, SENT, self.bytes_s(link, size));
        self.broadcast(link, frame);
        self.ethernet(link).state = State::Sending;
    }

    /// The first bit of a frame arrives.
    pub(crate) fn hear_frame(&mut self, link: LinkId, frame: Frame) {
        if self.ethernet(link).state != State::Idle && self.waits(link, GAP) {
            let timer = self.ethernet(link).timers[usize::from(GAP)];
            let left_s = self.timers.due_at(timer).map_or(0.0, |due| due - self.now());
            if left_s > RESOLUTION_S {
                self.free(frame.packet);
                return;
            }
            self.wait_no_more(link, GAP);
            self.medium_is_idle(link);
        }
        if self.ethernet(link).state == State::Idle {
            let access = self.ethernet(link);
            access.state = State::Receiving;
            access.heard = Some(frame);
            let size = self.packets[frame.packet].size;
            self.wait(link, RECEIVED, self.bytes_s(link, size));
        } else {
            self.collide(link, frame);
        }
    }

    fn collide(&mut self, link: LinkId, frame: Frame) {
        self.wait_no_more(link, GAP);
        let wait_s = self.bytes_s(link, JAM_AND_GAP_BYTES);
        self.wait(link, GAP, wait_s);
        if self.ethernet(link).state == State::Receiving {
            self.free(frame.packet);
            self.wait_no_more(link, RECEIVED);
            if let Some(heard) = self.ethernet(link).heard.take() {
                self.free(heard.packet);
            }
            return;
        }
        if self.port(link).traces_collisions {
            self.lose_on_medium(link, frame.packet);
        } else {
            self.free(frame.packet);
        }
        self.wait_no_more(link, SENT);
        if !self.waits(link, TRY_AGAIN) {
            self.back_off(link, wait_s);
        }
    }

    fn back_off(&mut self, link: LinkId, wait_s: f64) {
        let tries = self.ethernet(link).tries;
        if tries < MAX_TRIES {
            let slots = self.rng.of(Source::Access(link.0)).integer(1 << tries.min(MAX_DOUBLINGS));
            let slots_s = slots as f64 * self.bytes_s(link, SLOT_BYTES);
            self.wait(link, TRY_AGAIN, slots_s + wait_s);
            return;
        }
        let access = self.ethernet(link);
        access.tries = 1;
        if let Some(frame) = access.kept.take() {
            self.packets[frame.packet].size -= HEADER + frame.padding;
            self.lose_on_medium(link, frame.packet);
        }
    }

    /// The medium is idle and the gap is over: sends the kept frame, or requests the queue's next packet.
    fn medium_is_idle(&mut self, link: LinkId) {
        let backs_off = self.waits(link, TRY_AGAIN);
        let access = self.ethernet(link);
        access.state = State::Idle;
        if backs_off {
            return;
        }
        if access.kept.is_some() {
            self.try_frame(link);
        } else if std::mem::take(&mut access.queue_waits) {
            self.queue_goes_on(link);
        }
    }

    /// A timer of the port expires.
    pub(crate) fn ethernet_timer(&mut self, link: LinkId, which: u8) {
        match which {
            SENT => {
                self.wait_no_more(link, TRY_AGAIN);
                let access = self.ethernet(link);
                access.tries = 1;
                if let Some(frame) = access.kept.take() {
                    self.free(frame.packet);
                }
                self.wait(link, GAP, self.bytes_s(link, GAP_BYTES));
            }
            RECEIVED => {
                if let Some(frame) = self.ethernet(link).heard.take() {
                    self.accept(link, frame);
                }
                self.wait(link, GAP, self.bytes_s(link, GAP_BYTES));
            }
            TRY_AGAIN => {
                self.ethernet(link).tries += 1;
                self.try_frame(link);
            }
            _ => self.medium_is_idle(link),
        }
    }

    /// The last bit of a frame has arrived.
    fn accept(&mut self, link: LinkId, frame: Frame) {
        let is_for_another = matches!(frame.to, Receiver::Port(other) if other != link);
        if is_for_another || self.packets[frame.packet].has(flag::CORRUPT) {
            self.free(frame.packet);
            return;
        }
        self.packets[frame.packet].size -= HEADER + frame.padding;
        self.hand_up(link, frame.packet);
    }
}
