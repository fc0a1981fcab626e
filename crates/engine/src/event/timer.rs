//! Timers that may be put off at every ACK.
//!
//! A timer stores when it is due; the event list holds at most one live entry for it, at or before that instant, and the
//! timer goes back into the list only when that entry is due. The order is as if every change had been an insertion.

use std::num::NonZeroU32;

use crate::event::{Event, EventList, Key};
use crate::time::Time;

/// Number of a timer, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(NonZeroU32);

impl TimerId {
    #[inline]
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Whose timer it is; the last number is the owner's own name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerOwner {
    /// An agent's.
    Agent(u32, u8),
    /// An application's.
    App(u32, u8),
    /// A link's queue discipline's.
    Queue(u32),
    /// An error model's.
    Errors(u32, u8),
    /// A port's of a LAN.
    Lan(u32, u8),
    /// A link's delayer's.
    Delayer(u32, u8),
    /// A router's that takes part in Quick-Start.
    QuickStart(u32),
    /// A token bucket's.
    Bucket(u32),
    /// A link's that sends at opportunities only.
    DeliveryTrace(u32),
    /// A flow's at a delay box.
    DelayBox(u32),
}

struct Timer {
    /// Under which key it is due, and which one is in the list; [`NEVER`] for none.
    due: Key,
    listed: Key,
    owner: TimerOwner,
}

/// Comes after all keys.
const NEVER: Key = Key { at: Time(f64::INFINITY), counter: u64::MAX };

/// All timers of a simulation.
#[derive(Default)]
pub struct Timers {
    timers: Vec<Timer>,
}

impl Timers {
    /// A new timer, not running.
    pub fn add(&mut self, owner: TimerOwner) -> TimerId {
        self.timers.push(Timer { due: NEVER, listed: NEVER, owner });
        TimerId(NonZeroU32::new(self.timers.len() as u32).expect("there is one now"))
    }

    /// Starts the timer, or starts it again, to be due at `at`.
    pub fn set(&mut self, id: TimerId, at: Time, events: &mut EventList) {
        let timer = &mut self.timers[id.index()];
        let key = Key { at, counter: events.take_counter() };
        timer.due = key;
        if key.order() < timer.listed.order() {
            timer.listed = key;
            events.insert(key, Event::Timer(id.index() as u32));
        }
    }

    /// Stops the timer; nothing happens if it does not run.
    pub fn stop(&mut self, id: TimerId) {
        self.timers[id.index()].due = NEVER;
    }

    /// Whether the timer runs.
    pub fn is_running(&self, id: TimerId) -> bool {
        self.timers[id.index()].due.counter != NEVER.counter
    }

    /// When the timer is due, if it runs.
    pub fn due_at(&self, id: TimerId) -> Option<Time> {
        self.is_running(id).then(|| self.timers[id.index()].due.at)
    }

    /// The list's entry for timer `index` under `key` is due: whose timer is due, if one really is.
    pub fn came_up(&mut self, index: u32, key: Key, events: &mut EventList) -> Option<TimerOwner> {
        let timer = &mut self.timers[index as usize];
        if timer.listed != key {
            return None;
        }
        timer.listed = NEVER;
        if timer.due == key {
            timer.due = NEVER;
            return Some(timer.owner);
        }
        if timer.due != NEVER {
            timer.listed = timer.due;
            events.insert(timer.due, Event::Timer(index));
        }
        None
    }
}
