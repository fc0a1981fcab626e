//! Timers that can be restarted cheaply at every ACK.
//!
//! A timer stores its expiry time. The event list holds at most one valid entry for it, not later than the expiry.
//! The timer is inserted again only when that entry is due. The order is as if every restart had inserted an event.

use std::num::NonZeroU32;

use crate::event::{Event, EventList, Key};
use crate::time::Time;

/// Number of a timer, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(NonZeroU32);

impl TimerId {
    #[inline]
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The owner of a timer; the second number is the owner's own number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerOwner {
    /// An agent.
    Agent(u32, u8),
    /// An application.
    App(u32, u8),
    /// A link's queue discipline.
    Queue(u32),
    /// An error model.
    Errors(u32, u8),
    /// A port of a LAN.
    Lan(u32, u8),
    /// A link's delayer.
    Delayer(u32, u8),
    /// A Quick-Start router.
    QuickStart(u32),
    /// A token bucket.
    Bucket(u32),
    /// A link with a delivery trace.
    DeliveryTrace(u32),
    /// A Wi-Fi medium.
    Medium(u32),
    /// A flow through a delay box.
    DelayBox(u32),
}

struct Timer {
    /// The key of the expiry, and that of the entry in the event list; [`NEVER`] for none.
    due: Key,
    listed: Key,
    owner: TimerOwner,
}

/// After all keys.
const NEVER: Key = Key { at: Time(f64::INFINITY), counter: u64::MAX };

/// All timers of a simulation.
#[derive(Default)]
pub struct Timers {
    timers: Vec<Timer>,
}

impl Timers {
    /// Adds a timer, not running.
    pub fn add(&mut self, owner: TimerOwner) -> TimerId {
        self.timers.push(Timer { due: NEVER, listed: NEVER, owner });
        TimerId(NonZeroU32::new(self.timers.len() as u32).expect("there is one now"))
    }

    /// Starts or restarts the timer; it expires at `at`.
    pub fn set(&mut self, id: TimerId, at: Time, events: &mut EventList) {
        let timer = &mut self.timers[id.index()];
        let key = Key { at, counter: events.take_counter() };
        timer.due = key;
        if key.order() < timer.listed.order() {
            timer.listed = key;
            events.insert(key, Event::Timer(id.index() as u32));
        }
    }

    /// Stops the timer, if it runs.
    pub fn stop(&mut self, id: TimerId) {
        self.timers[id.index()].due = NEVER;
    }

    /// Whether the timer runs.
    pub fn is_running(&self, id: TimerId) -> bool {
        self.timers[id.index()].due.counter != NEVER.counter
    }

    /// When the timer expires, if it runs.
    pub fn due_at(&self, id: TimerId) -> Option<Time> {
        self.is_running(id).then(|| self.timers[id.index()].due.at)
    }

    /// The entry of timer `index` under `key` is due. Returns the owner if the timer expires now.
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
