//! Losses: which packets a link loses, marks, holds back or doubles whatever its queue does.

use crate::error::{ScenarioError, choose, nearest};
use crate::model::described::described;
use crate::model::shape::words;
use crate::model::typed::{Name, Number, Time};
use crate::tree::Tree;

/// Where packets are lost.
const PLACES: [&str; 3] = ["queue", "link", "wire"];

/// What `select` can pick: the words of a trace, and ns-2's numbers for them.
pub const PACKET_NUMBERS: [(&str, i64); 7] =
    [("tcp", 0), ("udp", 1), ("cbr", 2), ("ack", 5), ("telnet", 26), ("pareto", 28), ("exp", 29)];

struct Kind {
    name: &'static str,
    needs: &'static [&'static str],
    may: &'static [&'static str],
    units: &'static [&'static str],
}

const ALL_UNITS: &[&str] = &["packets", "bytes", "seconds"];

/// Kinds, the keys that each needs, those it may have, what it can count.
const KINDS: [Kind; 7] = [
    Kind { name: "uniform", needs: &["rate"], may: &[], units: &["packets", "bytes"] },
    Kind { name: "periodic", needs: &["period"], may: &["offset", "burst", "invert"], units: ALL_UNITS },
    Kind { name: "list", needs: &["packets"], may: &[], units: &["packets", "bytes"] },
    Kind { name: "two_state", needs: &["good", "bad"], may: &[], units: ALL_UNITS },
    Kind { name: "multi_state", needs: &["states"], may: &[], units: &["packets", "seconds"] },
    Kind { name: "gilbert_elliott", needs: &["p", "r"], may: &["h", "k"], units: &["packets"] },
    Kind { name: "select", needs: &["packet_type", "period"], may: &["offset"], units: &["packets"] },
];

/// The keys that only some kinds have, sorted.
const OWN: [&str; 14] = [
    "bad",
    "burst",
    "good",
    "h",
    "invert",
    "k",
    "offset",
    "p",
    "packet_type",
    "packets",
    "period",
    "r",
    "rate",
    "states",
];

described! {
    /// A state of a `multi_state` loss: while it lasts, each packet is lost with probability `rate`.
    ///
    /// `next` has the probability of each state, this one included, to be the next one. It is drawn at each packet, or
    /// where the loss counts seconds at the first packet after the state has lasted for `duration`.
    LossState renamed &[("lasts", "duration")];
    /// The probability of a loss.
    rate: Number,
    /// The probability of each state to be the next one.
    next: Vec<Number>,
    /// How long it lasts, where the loss counts seconds.
    duration: Option<Time> = None,
}

impl LossState {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if !(0.0..=1.0).contains(&self.rate.value) {
            return Err(ScenarioError::new("expected a probability, 0 to 1").key("rate").value(self.rate.given()));
        }
        let sum: f64 = self.next.iter().map(|part| part.value).sum();
        if self.next.iter().any(|part| part.value < 0.0) || (sum - 1.0).abs() > 1e-9 {
            let error = ScenarioError::new("expected probabilities whose sum is 1").key("next");
            return Err(error.value(list(&self.next)));
        }
        Ok(())
    }
}

fn list(numbers: &[Number]) -> Tree {
    Tree::List(numbers.iter().map(|number| number.given()).collect())
}

described! {
    /// Packets that a link loses, whatever its queue does. With `mark` it marks them instead, with `delay` it delays
    /// them, with `duplicate` it sends a copy after each.
    ///
    /// `kind` selects the packets. `uniform` is each packet with probability `rate`. `periodic` is every `period`-th
    /// from number `offset` on, with those within `burst` after it; with `invert` all except those. `list` is those
    /// numbered in `packets`, from 0. `two_state` (Gilbert) is all in the bad state; good and bad states last
    /// exponentially distributed times of means `good` and `bad`. `multi_state` goes by the current one of its
    /// `states`. `gilbert_elliott` loses with probability 1 - `k` in the good state and 1 - `h` in the bad one (none
    /// and all by default). At each packet it goes from good to bad with probability `p`, back with `r` (Gilbert 1960,
    /// Elliott 1963, as in tc-netem(8)). `select` is, of the packets that `packet_type` names, those whose number in
    /// the whole run leaves the remainder `offset` when divided by `period`.
    ///
    /// `unit` is what all these numbers count: packets, bytes or seconds (a `rate` is a probability for each packet, or
    /// for each byte). `flows` names the flows concerned, data and ACKs, by name or flow id; all by default. `place` is
    /// before the queue, or before the link, as in ns-2 until 2.29 (a loss there takes a random part of a
    /// transmission's time), or behind the wire. With `max_delay`, packets are delayed by random times from `delay` up
    /// to this (uniform); with `in_order`, no packet overtakes a delayed one.
    Loss renamed &[
        ("hold", "delay"), ("hold_most", "max_delay"), ("spares", "invert"), ("carries", "packet_type"),
    ];
    /// Which packets are lost.
    kind: String [words(KINDS.map(|kind| kind.name))] = "uniform".into(),
    /// What the other numbers count.
    unit: String [words(ALL_UNITS.iter().copied())] = "packets".into(),
    /// Of `uniform`: the probability of a loss, for each packet or byte.
    rate: Option<Number> = None,
    /// Of `periodic` and `select`: one of this many is lost.
    period: Option<Number> = None,
    /// Of `periodic` and `select`: the first number that is lost.
    offset: Option<Number> = None,
    /// Of `periodic`: how much after each of them is lost, too.
    burst: Option<Number> = None,
    /// Of `periodic`: all except those are lost.
    invert: Option<bool> = None,
    /// Of `list`: the numbers of those that are lost, from 0.
    packets: Option<Vec<i64>> = None,
    /// Of `two_state`: the mean length of a good state.
    good: Option<Number> = None,
    /// Of `two_state`: the mean length of a bad state.
    bad: Option<Number> = None,
    /// Of `multi_state`: the states.
    states: Option<Vec<LossState>> = None,
    /// Of `gilbert_elliott`: the probability to go from good to bad.
    p: Option<Number> = None,
    /// Of `gilbert_elliott`: the probability to go back.
    r: Option<Number> = None,
    /// Of `gilbert_elliott`: the probability that a packet gets through in the bad state; 0 without it.
    h: Option<Number> = None,
    /// Of `gilbert_elliott`: the probability that a packet gets through in the good state; 1 without it.
    k: Option<Number> = None,
    /// Of `select`: what the packets carry.
    packet_type: Option<String> [words(PACKET_NUMBERS.map(|(name, _)| name))] = None,
    /// The flows concerned, by name or flow id; all without it.
    flows: Option<Vec<Name>> = None,
    /// Whether packets are marked instead of lost.
    mark: bool = false,
    /// By how much packets are delayed instead of lost.
    delay: Option<Time> = None,
    /// The largest random delay; `delay` is the smallest.
    max_delay: Option<Time> = None,
    /// Whether no packet overtakes a delayed one.
    in_order: bool = false,
    /// Whether a copy is sent after each instead of a loss.
    duplicate: bool = false,
    /// Where: before the queue, before the link, or behind the wire.
    place: String [words(PLACES)] = "queue".into(),
}

impl Loss {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        choose(&self.kind, &KINDS.map(|kind| kind.name), "a kind of loss", "kind")?;
        choose(&self.place, &PLACES, "where packets are lost", "place")?;
        let name = self.kind.clone();
        let kind = KINDS.iter().find(|kind| kind.name == name).expect("the kind is known");
        choose(&self.unit, kind.units, &format!("what a {name} loss counts"), "unit")?;
        for key in kind.needs {
            if self.given(key).is_none() {
                return Err(ScenarioError::new(format!("the key is missing; a {name} loss needs it")).key(*key));
            }
        }
        let own = [kind.needs, kind.may].concat();
        for key in OWN {
            if let Some(given) = self.given(key).filter(|_| !own.contains(&key)) {
                let listed = format!("a {name} loss has no such key; expected one of {}", own.join(", "));
                return Err(ScenarioError::new(listed).key(key).value(given).near(nearest(key, &own)));
            }
        }
        self.check_numbers()?;
        if let Some(states) = &self.states {
            self.check_states(states)?;
        }
        if let Some(carried) = &self.packet_type {
            choose(carried, &PACKET_NUMBERS.map(|(name, _)| name), "what a packet carries", "packet_type")?;
        }
        self.check_fate()?;
        if self.flows.as_ref().is_some_and(Vec::is_empty) {
            let expected = "expected at least one flow; omit the key for all flows";
            return Err(ScenarioError::new(expected).key("flows"));
        }
        Ok(())
    }

    /// The value of a key that only some kinds have.
    fn given(&self, key: &str) -> Option<Tree> {
        match key {
            "packets" => self.packets.as_ref().map(|all| Tree::List(all.iter().map(|&one| Tree::Whole(one)).collect())),
            "states" => self.states.as_ref().map(|all| Tree::List(vec![Tree::Flag(true); all.len()])),
            "invert" => self.invert.map(Tree::Flag),
            "packet_type" => self.packet_type.clone().map(Tree::Text),
            _ => self.number(key).map(Number::given),
        }
    }

    fn number(&self, key: &str) -> Option<Number> {
        match key {
            "rate" => self.rate,
            "period" => self.period,
            "offset" => self.offset,
            "burst" => self.burst,
            "good" => self.good,
            "bad" => self.bad,
            "p" => self.p,
            "r" => self.r,
            "h" => self.h,
            "k" => self.k,
            _ => None,
        }
    }

    /// The states of a channel that has some: of each the loss rate, the probabilities of the next one, and how long it
    /// lasts, s. Gilbert's and Elliott's are a good and a bad one.
    pub fn chain(&self) -> Vec<(f64, Vec<f64>, f64)> {
        let lasts = |state: &LossState| state.duration.as_ref().map_or(0.0, |time| time.value);
        if let Some(states) = &self.states {
            let next = |state: &LossState| state.next.iter().map(|part| part.value).collect();
            return states.iter().map(|state| (state.rate.value, next(state), lasts(state))).collect();
        }
        let or = |number: Option<Number>, usual: f64| number.map_or(usual, |number| number.value);
        let (p, r) = (or(self.p, 0.0), or(self.r, 0.0));
        vec![(1.0 - or(self.k, 1.0), vec![1.0 - p, p], 0.0), (1.0 - or(self.h, 0.0), vec![r, 1.0 - r], 0.0)]
    }

    fn check_fate(&self) -> Result<(), ScenarioError> {
        let text = |time: &Time| Tree::Text(time.text.clone());
        if let (true, Some(delay)) = (self.mark, &self.delay) {
            return Err(ScenarioError::new("a packet is either marked or delayed").key("delay").value(text(delay)));
        }
        if self.duplicate && (self.mark || self.delay.is_some()) {
            let wrong = "a packet is either marked, delayed or duplicated";
            return Err(ScenarioError::new(wrong).key("duplicate").value(true));
        }
        if (self.delay.is_some() || self.duplicate) && self.place == "link" {
            let place = "packets can be delayed or duplicated before the queue or after the wire";
            return Err(ScenarioError::new(place).key("place").value("link"));
        }
        if self.delay.is_none() {
            for (key, is_there) in [("max_delay", self.max_delay.is_some()), ("in_order", self.in_order)] {
                if is_there {
                    return Err(ScenarioError::new("the key needs `delay`").key(key));
                }
            }
        }
        if let (Some(most), Some(delay)) = (&self.max_delay, &self.delay)
            && most.value < delay.value
        {
            let expected = format!("expected at least `delay`, {}", delay.text);
            return Err(ScenarioError::new(expected).key("max_delay").value(text(most)));
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), ScenarioError> {
        let unit = &self.unit;
        let wrong = |key: &str, number: Number, expected: String| {
            Err(ScenarioError::new(expected).key(key).value(number.given()))
        };
        let given =
            |keys: &'static [&'static str]| keys.iter().filter_map(|key| self.number(key).map(|number| (*key, number)));
        for (key, number) in given(&["rate", "p", "r", "h", "k"]) {
            if !(0.0..=1.0).contains(&number.value) {
                return wrong(key, number, "expected a probability, 0 to 1".into());
            }
        }
        if let Some(period) = self.period {
            let least = if unit == "seconds" { 0.0 } else { 1.0 };
            if period.value < least || period.value == 0.0 {
                return wrong("period", period, format!("expected a number of {unit} that is positive"));
            }
        }
        for (key, number) in given(&["offset", "burst"]) {
            if number.value < 0.0 {
                return wrong(key, number, format!("expected a number of {unit}, at least 0"));
            }
        }
        for (key, number) in given(&["period", "offset"]) {
            if unit != "seconds" && number.value != number.value.trunc() {
                return wrong(key, number, format!("there are only whole {unit}"));
            }
        }
        for (key, number) in given(&["good", "bad"]) {
            if number.value <= 0.0 {
                return wrong(key, number, format!("expected a mean number of {unit}, more than 0"));
            }
        }
        let packets = self.packets.as_deref().unwrap_or_default();
        for (index, &number) in packets.iter().enumerate() {
            if number < 0 || packets[..index].contains(&number) {
                let what = if number < 0 { "numbers are counted from 0" } else { "duplicate number" };
                return Err(ScenarioError::new(what).key(format!("packets.{index}")).value(number));
            }
        }
        Ok(())
    }

    fn check_states(&self, states: &[LossState]) -> Result<(), ScenarioError> {
        if states.is_empty() {
            return Err(ScenarioError::new("expected at least one state").key("states"));
        }
        for (index, state) in states.iter().enumerate() {
            if state.next.len() != states.len() {
                let expected = format!("expected {} probabilities, one for each state", states.len());
                let error = ScenarioError::new(expected).key(format!("states.{index}.next"));
                return Err(error.value(list(&state.next)));
            }
            if state.duration.is_none() == (self.unit == "seconds") {
                let key = format!("states.{index}.duration");
                return Err(match &state.duration {
                    Some(duration) => ScenarioError::new("only with unit = \"seconds\" do states last for a time")
                        .key(key)
                        .value(duration.text.as_str()),
                    None => ScenarioError::new("the key is missing; a state needs it where the loss counts seconds")
                        .key(key),
                });
            }
        }
        Ok(())
    }
}
