//! HighSpeed TCP: with a large window, faster growth and smaller cuts, by table.
//!
//! Source: S. Floyd, RFC 3649, appendix B; Linux 2.6.22's HighSpeed, as in ns-2.35 (`highspeed`).
//! What it decides: a(w) is the place of the window in the table, b(w) the table's.
//! Departures: windows past the table's end keep its last line.
//! Not implemented: nothing.
//! Checked against: ns-2.35 (amd64); the table against RFC 3649, appendix B.

use super::{Control, Entry, Socket, at_least_two};

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "highspeed",
    about: "HighSpeed TCP (RFC 3649): faster growth and smaller cuts of large windows",
    wants_sending_times: false,
    tunables: &[],
    make: || Box::<HighSpeed>::default(),
};

/// Greatest window of a line, and what is given up there, in 256ths.
#[rustfmt::skip]
const TABLE: [(u64, u64); 72] = [
    (38, 128), (118, 112), (221, 104), (347, 98), (495, 93), (663, 89), (851, 86), (1058, 83),
    (1284, 81), (1529, 78), (1793, 76), (2076, 74), (2378, 72), (2699, 71), (3039, 69), (3399, 68),
    (3778, 66), (4177, 65), (4596, 64), (5036, 62), (5497, 61), (5979, 60), (6483, 59), (7009, 58),
    (7558, 57), (8130, 56), (8726, 55), (9346, 54), (9991, 53), (10661, 52), (11358, 52), (12082, 51),
    (12834, 50), (13614, 49), (14424, 48), (15265, 48), (16137, 47), (17042, 46), (17981, 45), (18955, 45),
    (19965, 44), (21013, 43), (22101, 43), (23230, 42), (24402, 41), (25618, 41), (26881, 40), (28193, 39),
    (29557, 39), (30975, 38), (32450, 38), (33986, 37), (35586, 36), (37253, 36), (38992, 35), (40808, 35),
    (42707, 34), (44694, 33), (46776, 33), (48961, 32), (51258, 32), (53677, 31), (56230, 30), (58932, 30),
    (61799, 29), (64851, 28), (68113, 28), (71617, 27), (75401, 26), (79517, 26), (84035, 25), (89053, 24),
];

/// Line of the table.
#[derive(Default)]
struct HighSpeed {
    line: usize,
}

impl Control for HighSpeed {
    fn init(&mut self, socket: &mut Socket) {
        self.line = 0;
        socket.clamp_for_products();
    }

    fn ssthresh(&mut self, socket: &mut Socket) -> u64 {
        let given_up = socket.snd_cwnd.wrapping_mul(TABLE[self.line].1) >> 8;
        at_least_two(socket.snd_cwnd.wrapping_sub(given_up))
    }

    fn cong_avoid(&mut self, socket: &mut Socket, _ack: u64, in_flight: u64, _good: bool) {
        if !socket.is_cwnd_limited(in_flight) {
            return;
        }
        if socket.in_slow_start() {
            socket.slow_start();
            return;
        }
        while self.line < TABLE.len() - 1 && socket.snd_cwnd > TABLE[self.line].0 {
            self.line += 1;
        }
        while self.line > 0 && socket.snd_cwnd <= TABLE[self.line - 1].0 {
            self.line -= 1;
        }
        if socket.snd_cwnd < u64::from(socket.snd_cwnd_clamp) {
            socket.save_up(self.line as u64 + 1);
            if u64::from(socket.snd_cwnd_cnt) >= socket.snd_cwnd {
                socket.snd_cwnd_cnt = socket.snd_cwnd_cnt.wrapping_sub(socket.snd_cwnd as u32);
                socket.snd_cwnd += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, appendix B: w, a(w), b(w).
    #[test]
    fn the_table_is_the_rfcs() {
        for (window, a, b) in [(38, 1, 0.50), (221, 3, 0.41), (1058, 8, 0.33), (10_661, 30, 0.21), (84_035, 71, 0.10)] {
            let line = TABLE.iter().position(|&(most, _)| window <= most).expect("a window of the table");
            assert_eq!(line + 1, a, "a({window})");
            assert!((TABLE[line].1 as f64 / 256.0 - b).abs() < 0.01, "b({window})");
        }
        assert!(TABLE.is_sorted());
    }
}
