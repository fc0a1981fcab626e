//! Smoothed Round Robin (SRR): flows with reserved rates are served in turns that are spread evenly over a round.
//!
//! Source: Guo Chuanxiong, "SRR: an O(1) time complexity packet scheduler for flows in multi-service packet networks",
//! SIGCOMM 2001 (weight matrix: section 3.1; weight spread sequence: definition 1), as ns-2.35's `Queue/SRR` has it.
//! What it decides: a flow's weight is its rate divided by the granularity. For each binary 1 of its weight, the flow
//! is in the matrix column of that digit. The weight spread sequence selects the next column, and each of its flows
//! gets one turn. A turn allows `mtu` bytes plus the flow's deficit.
//! Departures: an `mtu` below 1 counts as 1; ns-2 loops forever.
//! Not implemented: `blimit` has no effect, as in ns-2.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "srr",
    about: "smoothed round robin: flows with rates take turns that are spread evenly (Guo 2001)",
    make: || Box::new(Srr::default()),
};

/// Flow ids and queue numbers are below this.
const MOST: usize = 100;
/// Maximum binary digits of a weight.
const MAX_COLUMNS: usize = 16;
/// Minimum, maximum and default rate of a queue, bit/s.
const MIN_RATE: i32 = 1000;
const GREATEST_RATE: i32 = 100_000_000;
const USUAL_RATE: i32 = 1000;

#[derive(Default)]
struct Flows {
    fifo: Fifo,
    deficit: i32,
    /// Whether the current turn's bytes were added to the deficit.
    has_turn: bool,
    /// Packets in the queue, plus the one in transmission.
    held: usize,
}

/// A queue's position in the matrix.
#[derive(Clone, Copy)]
struct Cell {
    column: usize,
    queue: usize,
}

#[derive(Params)]
struct Srr {
    /// Limit of each queue, packets, the one in transmission included.
    #[param(state)]
    limit: i32,
    #[param(state)]
    maxqueuenumber: i32,
    /// Bytes per turn.
    #[param(state)]
    mtu: i32,
    /// The rate of a weight of 1, bit/s.
    #[param(state)]
    granularity: i32,
    #[param(state)]
    blimit: i32,
    queue_of: [usize; MOST],
    rates: [i32; MOST],
    queues: Vec<Flows>,
    /// The queues in each column, in order of service.
    columns: [Vec<usize>; MAX_COLUMNS],
    /// The highest column of any rate that was set.
    highest: usize,
    /// The queue being served, and its column.
    turn: Option<Cell>,
    /// Current index in the weight spread sequence.
    term: usize,
    /// The queue whose packet is in transmission.
    last: Option<usize>,
    waiting: usize,
    bytes: i64,
}

impl Default for Srr {
    fn default() -> Srr {
        Srr {
            limit: 50,
            maxqueuenumber: 16,
            mtu: 1000,
            granularity: 1000,
            blimit: 25_000,
            queue_of: [0; MOST],
            rates: [USUAL_RATE; MOST],
            queues: (0..MOST).map(|_| Flows::default()).collect(),
            columns: Default::default(),
            highest: 0,
            turn: None,
            term: 0,
            last: None,
            waiting: 0,
            bytes: 0,
        }
    }
}

/// The term at `index`, counted from 0, of the weight spread sequence. The sequence of order n is the sequence of order
/// n - 1, then n, then the sequence of order n - 1 again.
fn spread(index: usize) -> usize {
    (index + 1).trailing_zeros() as usize + 1
}

impl Srr {
    fn weight(&self, queue: usize) -> i32 {
        self.rates[queue] / self.granularity.max(1)
    }

    /// The highest nonempty column.
    fn top(&self) -> Option<usize> {
        self.columns.iter().rposition(|column| !column.is_empty())
    }

    fn add(&mut self, queue: usize) -> Result<(), String> {
        let weight = self.weight(queue);
        if weight <= 0 || weight > (1 << (self.highest + 1)) - 1 {
            let rate = self.rates[queue];
            return Err(format!(
                "SRR: queue {queue} has {rate} bit/s, by a granularity of {} bit/s a weight of {weight}; the weights set \
                 with setrate allow 1 to {}",
                self.granularity,
                (1 << (self.highest + 1)) - 1
            ));
        }
        let before = self.top();
        for column in (0..=self.highest).rev().filter(|&column| weight & (1 << column) != 0) {
            let place = match self.turn {
                Some(turn) if turn.column == column => self.columns[column].iter().position(|&at| at == turn.queue),
                _ => None,
            };
            let end = self.columns[column].len();
            self.columns[column].insert(place.unwrap_or(end), queue);
            self.turn.get_or_insert(Cell { column, queue });
        }
        if let (Some(before), Some(now)) = (before, self.top())
            && before < now
        {
            self.term = ((self.term + 1) << (now - before)) - 1;
        }
        Ok(())
    }

    fn remove(&mut self, queue: usize) {
        if let Some(turn) = self.turn.filter(|turn| turn.queue == queue) {
            self.turn = self.next_in_column(turn);
        }
        let before = self.top();
        for column in &mut self.columns {
            column.retain(|&at| at != queue);
        }
        let (Some(before), Some(now)) = (before, self.top()) else {
            (self.turn, self.last, self.term) = (None, None, 0);
            return;
        };
        if now < before {
            let (terms, many) = (self.term + 1, 1 << (before - now));
            let rounded = terms.div_ceil(many);
            self.term = if rounded > (1 << (now + 1)) - 1 { 0 } else { rounded - 1 };
        }
        if self.turn.is_none() {
            self.turn = Some(self.next_column(now));
        }
    }

    fn next_in_column(&self, turn: Cell) -> Option<Cell> {
        let column = &self.columns[turn.column];
        let place = column.iter().position(|&at| at == turn.queue)?;
        column.get(place + 1).map(|&queue| Cell { queue, ..turn })
    }

    /// The first queue of the next nonempty column.
    fn next_column(&mut self, top: usize) -> Cell {
        loop {
            let column = top + 1 - spread(self.term);
            self.term = (self.term + 1) % ((1 << (top + 1)) - 1);
            if let Some(&queue) = self.columns[column].first() {
                return Cell { column, queue };
            }
        }
    }

    /// The transmission of the last packet has ended.
    fn sent(&mut self) {
        let Some(queue) = self.last.take() else { return };
        let flows = &mut self.queues[queue];
        flows.held -= 1;
        if flows.held == 0 {
            flows.has_turn = false;
            flows.deficit = 0;
            self.remove(queue);
        }
    }
}

fn number(text: &str, what: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("SRR: {what} is \"{text}\"; it must be a whole number"))
}

fn index(text: &str, what: &str) -> Result<usize, String> {
    let found = usize::try_from(number(text, what)?).ok().filter(|&found| found < MOST);
    found.ok_or_else(|| format!("SRR: {what} is {text}; it must be from 0 to {}", MOST - 1))
}

impl Discipline for Srr {
    fn enqueue(&mut self, id: PacketId, context: &mut QueueContext) {
        let fid = context.packets[id].fid;
        let known = usize::try_from(fid).ok().and_then(|fid| self.queue_of.get(fid)).copied();
        let Some(queue) = known.filter(|&queue| queue as i64 <= i64::from(self.maxqueuenumber)) else {
            *context.error = Some(match known {
                None => format!("SRR: a packet has flow id {fid}; it must be from 0 to {}", MOST - 1),
                Some(queue) => {
                    format!("SRR: flow id {fid} has queue {queue}; maxqueuenumber is {}", self.maxqueuenumber)
                }
            });
            return;
        };
        let flows = &mut self.queues[queue];
        if flows.held as i64 == i64::from(self.limit) {
            context.dropped.push(id);
            return;
        }
        flows.fifo.push(id, context.packets);
        flows.held += 1;
        let is_first = flows.held == 1;
        self.waiting += 1;
        self.bytes += i64::from(context.packets[id].size);
        if is_first {
            flows.deficit = 0;
            if let Err(error) = self.add(queue) {
                *context.error = Some(error);
            }
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.sent();
        loop {
            let turn = self.turn?;
            let flows = &mut self.queues[turn.queue];
            let size = context.packets[flows.fifo.get(0)?].size;
            if !flows.has_turn {
                flows.deficit = flows.deficit.saturating_add(self.mtu.max(1));
                flows.has_turn = true;
            }
            if flows.deficit < size {
                flows.has_turn = false;
                let top = self.top()?;
                self.turn = Some(self.next_in_column(turn).unwrap_or_else(|| self.next_column(top)));
                continue;
            }
            flows.deficit -= size;
            self.waiting -= 1;
            self.bytes -= i64::from(size);
            self.last = Some(turn.queue);
            return flows.fifo.pop(context.packets);
        }
    }

    fn found_empty(&mut self, _: Time) {
        self.sent();
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit.max(0)) * MOST as i64)
    }

    fn len_packets(&self) -> usize {
        self.waiting
    }

    fn len_bytes(&self) -> i64 {
        self.bytes
    }

    fn command(&mut self, words: &str, _: &mut QueueContext) -> Result<String, String> {
        match *words.split_whitespace().collect::<Vec<_>>() {
            ["setqueue", flow, queue] => self.queue_of[index(flow, "a flow id")?] = index(queue, "a queue's number")?,
            ["setrate", queue, rate] => {
                let (queue, rate) = (index(queue, "a queue's number")?, number(rate, "a rate")?.max(MIN_RATE));
                if rate > GREATEST_RATE {
                    return Err(format!("SRR: a rate is {rate} bit/s; the maximum is {GREATEST_RATE}"));
                }
                self.rates[queue] = rate;
                let digits = self.weight(queue).max(1).ilog2() as usize;
                if digits >= MAX_COLUMNS {
                    return Err(format!(
                        "SRR: {rate} bit/s by {} make a weight of over {MAX_COLUMNS} digits",
                        self.granularity
                    ));
                }
                self.highest = self.highest.max(digits);
            }
            ["shrink-queue"] => {}
            _ => return Err(format!("this queue discipline has no command {words}")),
        }
        Ok(String::new())
    }

    own_params!();
}

#[cfg(test)]
mod tests {
    use super::spread;

    // Guo 2001, definition 1: S1 = 1; S2 = 1 2 1; S3 = 1 2 1 3 1 2 1.
    #[test]
    fn the_weight_spread_sequence_is_the_papers() {
        let first: Vec<usize> = (0..15).map(spread).collect();
        assert_eq!(first, [1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1]);
    }
}
