//! CAKE's traffic classes (tins): which tin a packet belongs to by its DSCP, and what share of the rate a tin may use
//! before it loses its priority.
//!
//! Source: tc-cake(8), section "Priority queue parameters"; the code points of RFC 4594 and RFC 8622; Linux 6.12,
//! net/sched/sch_cake.c.

/// How packets are sorted into tins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One tin.
    BestEffort,
    /// A tin for each class selector, as RFC 791 has its precedences.
    Precedence,
    /// Best effort, bulk, latency-sensitive.
    Diffserv3,
    /// Best effort, bulk, streaming, latency-sensitive.
    Diffserv4,
    /// Eight tins from background to network control.
    Diffserv8,
}

/// The share of the rate of each tin after the first with eight tins: 7/8 of the one before.
const EIGHTHS: [f64; 8] = [
    1.0,
    0.875,
    0.765_625,
    0.669_921_875,
    0.586_181_640_625,
    0.512_908_935_546_875,
    0.448_795_318_603_515_6,
    0.392_695_903_778_076_17,
];

impl Mode {
    /// The mode with this number: 0 for `besteffort`, 1 for `precedence`, 3, 4 and 8 for `diffserv3` to `diffserv8`.
    /// Any other number is `diffserv3`, the default.
    pub fn numbered(number: i32) -> Mode {
        match number {
            0 => Mode::BestEffort,
            1 => Mode::Precedence,
            4 => Mode::Diffserv4,
            8 => Mode::Diffserv8,
            _ => Mode::Diffserv3,
        }
    }

    /// For each tin its share of the rate, and its quantum when there is no shaper, bytes.
    pub fn tins(self) -> Vec<(f64, i64)> {
        match self {
            Mode::BestEffort => vec![(1.0, 65_535)],
            Mode::Diffserv3 => vec![(1.0, 1024), (1.0 / 16.0, 64), (0.25, 256)],
            Mode::Diffserv4 => vec![(1.0, 1024), (1.0 / 16.0, 64), (0.5, 512), (0.25, 256)],
            Mode::Precedence | Mode::Diffserv8 => {
                let quanta = std::iter::successors(Some(256), |quantum| Some(quantum * 7 / 8));
                EIGHTHS.into_iter().zip(quanta).collect()
            }
        }
    }

    /// The tin of a DSCP.
    pub fn tin(self, dscp: u8) -> usize {
        /// Expedited forwarding, voice admit.
        const VOICE: [u8; 2] = [46, 44];
        // The class selector, and whether the code point is that, or an assured forwarding class of it (AFx1 to AFx3).
        let (class, is_selector) = (dscp >> 3, dscp & 7 == 0);
        let is_known = dscp & 1 == 0;
        match self {
            Mode::BestEffort => 0,
            Mode::Precedence => usize::from(class),
            Mode::Diffserv3 => match dscp {
                1 | 8 => 1,
                4 | 48 | 56 => 2,
                _ if VOICE.contains(&dscp) => 2,
                _ => 0,
            },
            Mode::Diffserv4 => match (dscp, class) {
                (1 | 8, _) => 1,
                (4, _) => 2,
                (32 | 40 | 48 | 56, _) => 3,
                _ if VOICE.contains(&dscp) => 3,
                (_, 2..=4) if is_known => 2,
                _ => 0,
            },
            Mode::Diffserv8 => match (dscp, class) {
                (1, _) => 0,
                (2, _) => 1,
                (4, _) => 4,
                (16, _) => 5,
                (32 | 40, _) => 6,
                _ if VOICE.contains(&dscp) => 6,
                (_, 6 | 7) if is_selector => 7,
                (_, 1) if is_known => 1,
                (_, 2) if is_known => 4,
                (_, 3 | 4) if is_known => 3,
                _ => 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Mode;

    // The classes that sch_cake.c lists above `cake_config_diffserv8`, `_diffserv4` and `_diffserv3`, by their code
    // points (RFC 4594, RFC 8622): each class, its code points, its tin in the three modes.
    #[test]
    fn code_points_belong_to_their_classes() {
        let classes: [(&str, &[u8], [usize; 3]); 12] = [
            ("network control: CS6, CS7", &[48, 56], [7, 3, 2]),
            ("voice: EF, VA", &[46, 44], [6, 3, 2]),
            ("CS5, CS4", &[40, 32], [6, 3, 0]),
            ("interactive shell: CS2", &[16], [5, 2, 0]),
            ("low-latency transactions: AF2x", &[18, 20, 22], [4, 2, 0]),
            ("minimum delay: TOS4", &[4], [4, 2, 2]),
            ("video: AF4x", &[34, 36, 38], [3, 2, 0]),
            ("video: AF3x, CS3", &[24, 26, 28, 30], [3, 2, 0]),
            ("standard", &[0, 3, 5, 7, 9, 63, 42], [2, 0, 0]),
            ("high throughput: AF1x, TOS2", &[2, 10, 12, 14], [1, 0, 0]),
            ("CS1", &[8], [1, 1, 1]),
            ("lower effort: LE", &[1], [0, 1, 1]),
        ];
        for (class, points, tins) in classes {
            for &point in points {
                let found = [Mode::Diffserv8, Mode::Diffserv4, Mode::Diffserv3].map(|mode| mode.tin(point));
                assert_eq!(found, tins, "{class}: {point}");
            }
        }
        assert_eq!(Mode::Precedence.tin(46), 5);
    }

    // 256, and 7/8 of it each time, in whole bytes: 224, 196, 171.5.
    #[test]
    fn quanta_decrease_by_eighths() {
        let quanta: Vec<i64> = Mode::Diffserv8.tins().into_iter().map(|(_, quantum)| quantum).take(5).collect();
        assert_eq!(quanta, [256, 224, 196, 171, 149]);
    }
}
