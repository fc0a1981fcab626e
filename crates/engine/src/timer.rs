//! Timers that may be put off at every ACK.
//!
//! A timer stores when it is due; the event list holds at most one live entry for it, at or before that instant, and the
//! timer goes back into the list only when that entry comes up. The order is as if every change had been an insertion.

use crate::event::{Event, EventList, Key};
use crate::units::Time;

/// Index of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(pub u32);

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
    Deliveries(u32),
    /// A flow's at a delay box.
    DelayBox(u32),
}

struct Timer {
    owner: TimerOwner,
    due: Option<Key>,
    listed: Option<Key>,
}

/// All timers of a simulation.
#[derive(Default)]
pub struct Timers {
    timers: Vec<Timer>,
}

impl Timers {
    /// A new timer, not running.
    pub fn add(&mut self, owner: TimerOwner) -> TimerId {
        self.timers.push(Timer { owner, due: None, listed: None });
        TimerId(self.timers.len() as u32 - 1)
    }

    /// Starts the timer, or starts it again, to be due at `at`.
    pub fn set(&mut self, id: TimerId, at: Time, events: &mut EventList) {
        let timer = &mut self.timers[id.0 as usize];
        let key = Key { at, counter: events.take_counter() };
        timer.due = Some(key);
        if timer.listed.is_none_or(|listed| key < listed) {
            timer.listed = Some(key);
            events.insert(key, Event::Timer(id.0));
        }
    }

    /// Stops the timer; nothing happens if it does not run.
    pub fn stop(&mut self, id: TimerId) {
        self.timers[id.0 as usize].due = None;
    }

    /// Whether the timer runs.
    pub fn is_running(&self, id: TimerId) -> bool {
        self.timers[id.0 as usize].due.is_some()
    }

    /// When the timer is due, if it runs.
    pub fn due_at(&self, id: TimerId) -> Option<Time> {
        self.timers[id.0 as usize].due.map(|key| key.at)
    }

    /// The list's entry for timer `index` under `key` came up: whose timer is due, if one really is.
    pub fn came_up(&mut self, index: u32, key: Key, events: &mut EventList) -> Option<TimerOwner> {
        let timer = &mut self.timers[index as usize];
        if timer.listed != Some(key) {
            return None;
        }
        timer.listed = None;
        let due = timer.due?;
        if due == key {
            timer.due = None;
            return Some(timer.owner);
        }
        timer.listed = Some(due);
        events.insert(due, Event::Timer(index));
        None
    }
}
