//! Class-Based Queueing (CBQ): hierarchical link sharing between classes of packets.
//!
//! Source: S. Floyd and V. Jacobson, "Link-sharing and resource management models for packet networks", IEEE/ACM
//! Transactions on Networking 3(4), 1995; ns-2.35's `Queue/CBQ`, `Queue/CBQ/WRR` and `CBQClass`.
//! What it decides: which class sends next: by priority, then round robin (weighted for `cbq_wrr`). Classes that are
//! under their limit or may borrow come first.
//! Departures: none from ns-2. As in ns-2, an idle link sends nothing while all backlogged classes are over their
//! limits, until a packet arrives. A class's RED queue is never reset, so its thresholds and slopes stay 0.
//! Not implemented: class queues other than DropTail and RED.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod class;

use self::class::{Class, LEAF};
use super::{Discipline, Entry, Queue, QueueContext, QueueLimit};
use crate::measure::observe::TraceId;
use crate::packet::PacketId;
use crate::params::{Params, Value};

/// The registry entry of CBQ with round robin among classes of a priority.
pub const ENTRY: Entry = Entry {
    id: "cbq",
    about: "class-based queueing, classes of a priority in turn (Floyd and Jacobson 1995)",
    make: || Box::new(Cbq::default()),
};

/// The registry entry of CBQ with weighted round robin.
pub const WEIGHTED: Entry = Entry {
    id: "cbq_wrr",
    about: "class-based queueing, classes of a priority by weighted round robin (Floyd and Jacobson 1995)",
    make: || Box::new(Cbq { is_weighted: true, ..Cbq::default() }),
};

const PRIORITIES: usize = 10;
const LEVELS: i32 = 32;
/// Prefix of the parameters of a class's queue, followed by the class's number and a dot: `class2.limit`.
const CLASS_PREFIX: &str = "class";

/// The link-sharing guideline: from which ancestors a class may borrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sharing {
    /// Ancestors-only: any ancestor under its limit.
    #[default]
    AncestorsOnly,
    /// Top-level: an ancestor under its limit, not above the top level, which varies.
    TopLevel,
    /// Formal: an ancestor under its limit, if no class below its level is unsatisfied.
    Formal,
}

/// The classes of one priority, in round-robin order.
#[derive(Default)]
struct Ring {
    classes: Vec<usize>,
    /// Index of the class that is served next.
    turn: usize,
    /// Sum of the allocations at this priority, including classes without queues.
    share: f64,
    /// Number of classes at this priority, including classes without queues.
    count: i32,
    /// Bytes per round of a class with an allocation of 1.
    weight: f64,
}

#[derive(Params)]
struct Cbq {
    is_weighted: bool,
    sharing: Sharing,
    classes: Vec<Class>,
    rings: [Ring; PRIORITIES],
    /// The class of each flow id.
    flows: std::collections::BTreeMap<i32, usize>,
    /// Top-level sharing: the highest level from which classes may borrow now.
    top_level: i32,
    lender: usize,
    /// Maximum packet size, bytes; scales the round-robin weights.
    #[param(state)]
    maxpkt: i32,
    /// No effect, as in ns-2.
    #[param(state)]
    limit: i32,
}

impl Default for Cbq {
    fn default() -> Cbq {
        Cbq {
            is_weighted: false,
            sharing: Sharing::default(),
            classes: Vec::new(),
            rings: Default::default(),
            flows: Default::default(),
            top_level: LEVELS,
            lender: 0,
            maxpkt: 1024,
            limit: 50,
        }
    }
}

impl Cbq {
    /// Adds a class and returns its number. The eight words: priority, level, allocation, maximum idle time, extra
    /// delay; whether it borrows (0 or 1), the parent's number or -1, its queue (`drop_tail`, `red` or `none`).
    fn add_class(&mut self, words: &[&str], context: &QueueContext) -> Result<usize, String> {
        let wrong = || String::from("a class has seven numbers and a queue");
        let (queue, words) = words.split_last().ok_or_else(wrong)?;
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let [priority, level, share, most_idle_s, extra_delay_s, borrows, parent] = numbers[..] else {
            return Err(wrong());
        };
        let queue = match *queue {
            "none" => None,
            "drop_tail" => Some(Queue::drop_tail()),
            "red" => Some(Queue::red()),
            _ => return Err(format!("a class's queue is drop_tail, red or none, not {queue}")),
        };
        if !(0.0..PRIORITIES as f64).contains(&priority) {
            return Err(format!("a class has a priority from 0 to {}, not {priority}", PRIORITIES - 1));
        }
        if !(1.0..=f64::from(LEVELS)).contains(&level) {
            return Err(format!("a class has a level from 1 to {LEVELS}, not {level}"));
        }
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("a class has a share from 0 to 1, not {share}"));
        }
        let number = self.classes.len();
        let mut class = Class::new(priority as usize, level as i32, share, context.rate_bps);
        class.most_idle_s = most_idle_s;
        class.extra_delay_s = extra_delay_s;
        class.borrows = borrows != 0.0;
        class.parent = if parent < 0.0 { None } else { Some(parent as usize) };
        let ring = &mut self.rings[class.priority];
        class.queue = queue;
        if class.queue.is_some() {
            let place = if ring.classes.is_empty() { 0 } else { ring.turn + 1 };
            ring.classes.insert(place, number);
        }
        ring.count += 1;
        ring.share += share;
        self.classes.push(class);
        self.weigh();
        Ok(number)
    }

    /// Recomputes the round-robin weights of all priorities up to the last one with queues.
    fn weigh(&mut self) {
        let Some(last) = self.rings.iter().rposition(|ring| !ring.classes.is_empty()) else { return };
        for ring in &mut self.rings[..=last] {
            let bytes = f64::from(ring.count * self.maxpkt) * 1.0;
            ring.weight = if ring.share > 0.0 { bytes / ring.share } else { 0.0 };
        }
    }

    /// Changes a class's allocation.
    fn set_share(&mut self, number: usize, share: f64, rate_bps: f64) {
        let class = &mut self.classes[number];
        let before = class.share;
        class.set_share(share.max(0.0), rate_bps);
        self.rings[class.priority].share += class.share - before;
        self.weigh();
    }

    /// Whether a class may send now: it is under its limit, or an ancestor lends.
    fn may_send(&mut self, number: usize, now_s: f64) -> bool {
        let lender =
            if self.classes[number].is_under_limit(now_s) { Some(number) } else { self.find_lender(number, now_s) };
        self.lender = lender.unwrap_or(self.lender);
        lender.is_some()
    }

    fn find_lender(&self, number: usize, now_s: f64) -> Option<usize> {
        if !self.classes[number].borrows {
            return None;
        }
        let mut next = self.classes[number].parent;
        while let Some(ancestor) = next {
            let class = &self.classes[ancestor];
            let is_above = self.sharing == Sharing::TopLevel && class.level > self.top_level;
            if class.over_until_s > now_s {
                if is_above {
                    return None;
                }
            } else {
                let lends = match self.sharing {
                    Sharing::AncestorsOnly => true,
                    Sharing::TopLevel => !is_above,
                    Sharing::Formal => self.is_all_satisfied_below(class.level, now_s),
                };
                if lends {
                    return Some(ancestor);
                }
            }
            next = class.parent;
        }
        None
    }

    /// Whether all classes below a level are satisfied: at or over their limit, or without backlog in themselves and
    /// their descendants.
    fn is_all_satisfied_below(&self, level: i32, now_s: f64) -> bool {
        let mut below = (0..self.classes.len()).filter(|&number| (LEAF..level).contains(&self.classes[number].level));
        below.all(|number| {
            let class = &self.classes[number];
            let has_demand = if class.level == LEAF { class.waiting() > 0 } else { self.has_waiting_heir(number) };
            class.over_until_s >= now_s || !has_demand
        })
    }

    /// Whether a backlogged leaf class borrows from this class, directly or through other classes.
    fn has_waiting_heir(&self, ancestor: usize) -> bool {
        self.classes.iter().filter(|class| class.level == LEAF && class.waiting() > 0).any(|leaf| {
            let mut class = leaf;
            while let Some(parent) = class.parent.filter(|_| class.borrows) {
                if parent == ancestor {
                    return true;
                }
                class = &self.classes[parent];
            }
            false
        })
    }

    /// Top-level sharing: a packet that arrives for a class under its limit lowers the top level.
    fn lower_top_level(&mut self, number: usize, now_s: f64) {
        let class = &self.classes[number];
        let under_limit = |number: usize| self.classes[number].over_until_s < now_s;
        if self.top_level > 1 && under_limit(number) {
            self.top_level = 1;
        } else if self.top_level > 2 && class.borrows && class.parent.is_some_and(under_limit) {
            self.top_level = 2;
        }
    }

    /// Top-level sharing, after a class has sent: the top level becomes the lender's level, or unlimited if the class
    /// has no more backlog or the lender is over its limit.
    fn raise_top_level(&mut self, number: usize, now_s: f64) {
        let lender = &self.classes[self.lender];
        if self.top_level >= lender.level {
            let is_over = self.classes[number].waiting() <= 1 || lender.over_until_s > now_s;
            self.top_level = if is_over { LEVELS } else { lender.level };
        }
    }

    /// Round robin: the next class of a priority that may send, if any. Sets `first`, if unset, to the first backlogged
    /// class that can borrow.
    fn choose_in_turn(&mut self, priority: usize, now_s: f64, first: &mut Option<usize>) -> Option<usize> {
        let ring = &self.rings[priority];
        let (count, turn) = (ring.classes.len(), ring.turn);
        for step in 0..count {
            let number = self.rings[priority].classes[(turn + step) % count];
            if self.classes[number].waiting() == 0 {
                continue;
            }
            if first.is_none() && self.classes[number].can_borrow() {
                *first = Some(number);
            }
            if self.may_send(number, now_s) {
                return Some(number);
            }
            self.classes[number].delay(now_s);
        }
        None
    }

    /// Weighted round robin, otherwise like [`Cbq::choose_in_turn`]. If only credit was lacking, a second pass ignores
    /// credit.
    fn choose_by_weight(&mut self, priority: usize, now_s: f64, first: &mut Option<usize>) -> Option<usize> {
        let ring = &self.rings[priority];
        let (count, turn, weight) = (ring.classes.len(), ring.turn, ring.weight);
        let mut lacked_credit = false;
        for step in 0..2 * count {
            let is_second = step >= count;
            if is_second && !lacked_credit {
                break;
            }
            let number = self.rings[priority].classes[(turn + step) % count];
            let class = &mut self.classes[number];
            if !is_second && class.credit <= 0 {
                class.credit += (class.share * weight) as i32;
            }
            if class.waiting() > 0 {
                if first.is_none() && class.can_borrow() {
                    *first = Some(number);
                }
                if !self.may_send(number, now_s) {
                    self.classes[number].delay(now_s);
                } else if is_second || self.classes[number].credit > 0 {
                    return Some(number);
                } else {
                    lacked_credit = true;
                }
            }
            self.classes[number].credit = 0;
        }
        None
    }

    /// Moves the round-robin position to the class (`stays`) or to the one after it.
    fn pass_turn(&mut self, number: usize, stays: bool) {
        let ring = &mut self.rings[self.classes[number].priority];
        let place = ring.classes.iter().position(|&other| other == number).unwrap_or(0);
        ring.turn = (place + usize::from(!stays)) % ring.classes.len().max(1);
    }

    /// Updates the idle time of the class and all its ancestors after a packet.
    fn account(&mut self, number: usize, bytes: i32, context: &QueueContext) {
        let (now_s, sending_s) = (context.now.secs(), 8.0 * f64::from(bytes) / context.rate_bps);
        let mut next = Some(number);
        while let Some(class) = next.map(|number| &mut self.classes[number]) {
            class.sends(bytes, now_s, sending_s);
            next = class.parent;
        }
        if self.sharing == Sharing::TopLevel {
            self.raise_top_level(number, now_s);
        }
    }

    /// The class number and the parameter name in a name such as `class2.limit`.
    fn class_param<'a>(&self, name: &'a str) -> Option<(usize, &'a str)> {
        let (number, own) = name.strip_prefix(CLASS_PREFIX)?.split_once('.')?;
        let number: usize = number.parse().ok()?;
        (number < self.classes.len()).then_some((number, own))
    }
}

impl Discipline for Cbq {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        let fid = context.packets[id].fid;
        let Some(&number) = self.flows.get(&fid) else {
            *context.error = Some(format!("no class of the CBQ link is bound to flow {fid}"));
            context.dropped.push(id);
            return;
        };
        if self.sharing == Sharing::TopLevel {
            self.lower_top_level(number, context.now.secs());
        }
        match &mut self.classes[number].queue {
            Some(queue) => queue.enqueue(id, context),
            None => {
                *context.error = Some(format!("flow {fid} is bound to a class of the CBQ link without a queue"));
                context.dropped.push(id);
            }
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let now_s = context.now.secs();
        let mut first = None;
        let chosen = (0..PRIORITIES).find_map(|priority| {
            if self.is_weighted {
                self.choose_by_weight(priority, now_s, &mut first)
            } else {
                self.choose_in_turn(priority, now_s, &mut first)
            }
        });
        let number = chosen.or(first)?;
        let packet = self.classes[number].queue.as_mut()?.dequeue(context)?;
        let mut stays = false;
        if chosen.is_some() {
            let bytes = context.packets[packet].size;
            if self.is_weighted {
                let class = &mut self.classes[number];
                if class.credit > 0 {
                    class.credit -= bytes;
                }
                stays = class.credit > 0;
            }
            self.account(number, bytes, context);
        }
        self.pass_turn(number, stays);
        Some(packet)
    }

    fn counts_questions(&self) -> bool {
        true
    }

    fn answers_later(&self) -> bool {
        true
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Others
    }

    fn len_packets(&self) -> usize {
        self.classes.iter().map(Class::waiting).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.classes.iter().filter_map(|class| class.queue.as_ref()).map(|queue| queue.len_bytes()).sum()
    }

    fn param(&self, name: &str) -> Option<Value> {
        match self.class_param(name) {
            Some((number, own)) => self.classes[number].queue.as_ref()?.param(own),
            None => self.own_param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match self.class_param(name) {
            Some((number, own)) => self.classes[number].queue.as_mut().is_some_and(|queue| queue.set_param(own, value)),
            None => self.set_own_param(name, value),
        }
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        let Some((number, own)) = self.class_param(name) else { return false };
        self.classes[number].queue.as_mut().is_some_and(|queue| queue.watch(own, place))
    }

    /// No effect: CBQ keeps its state and its packets.
    fn reset(&mut self, _: &mut QueueContext) {}

    /// `insert` with a class's eight words; `link` class, whose queue learns the link's rate; `reset` class, whose queue
    /// is emptied; `bind` flow class; `unbind` flow, or all flows; `parent` class class; `share`, `borrows` or `extra-delay` class value; `algorithm` name.
    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        let words: Vec<&str> = name.split_whitespace().collect();
        match words[..] {
            ["insert", ref numbers @ ..] => return Ok(self.add_class(numbers, context)?.to_string()),
            ["bind", flow, class] => {
                self.flows.insert(flow_id(flow)?, self.number(class)?);
            }
            ["unbind", flow] => {
                self.flows.remove(&flow_id(flow)?);
            }
            ["unbind"] => self.flows.clear(),
            ["parent", class, parent] => {
                let class = self.number(class)?;
                self.classes[class].parent = Some(self.number(parent)?);
            }
            ["share", class, value] => self.set_share(self.number(class)?, real(value)?, context.rate_bps),
            ["borrows", class, value] => {
                let class = self.number(class)?;
                self.classes[class].borrows = real(value)? != 0.0;
            }
            ["extra-delay", class, value] => {
                let class = self.number(class)?;
                self.classes[class].extra_delay_s = real(value)?;
            }
            ["algorithm", "ancestor-only"] => self.sharing = Sharing::AncestorsOnly,
            ["algorithm", "top-level"] => self.sharing = Sharing::TopLevel,
            ["algorithm", "formal"] => self.sharing = Sharing::Formal,
            ["link"] => {}
            [order @ ("link" | "reset"), class] => {
                let class = self.number(class)?;
                match &mut self.classes[class].queue {
                    Some(queue) if order == "reset" => queue.reset(context),
                    Some(queue) => return queue.command(order, context),
                    None => {}
                }
            }
            _ => {
                return Err(format!(
                    "cbq has no command {name}; it has insert, bind, unbind, parent, share, borrows, extra-delay, algorithm"
                ));
            }
        }
        Ok(String::new())
    }
}

fn flow_id(word: &str) -> Result<i32, String> {
    word.parse().map_err(|_| format!("a flow has a whole number, not {word}"))
}

impl Cbq {
    fn number(&self, word: &str) -> Result<usize, String> {
        let number: usize = word.parse().map_err(|_| format!("a class has a whole number, not {word}"))?;
        if number < self.classes.len() { Ok(number) } else { Err(format!("there is no class {number}")) }
    }
}

fn real(word: &str) -> Result<f64, String> {
    word.parse().map_err(|_| format!("{word} is not a number"))
}
