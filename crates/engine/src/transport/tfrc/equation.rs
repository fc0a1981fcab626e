//! TCP's throughput equation (Padhye), and its inverse.
//!
//! Source: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical
//! Validation", SIGCOMM 1998; RFC 5348, section 3.1. The rate is at most 25 MB/s, as in ns-2.35.

/// Max rate, bytes/s.
const HIGHEST_RATE: f64 = 25_000_000.0;
/// Shorter times count as zero, s.
const SHORTEST_S: f64 = 1e-7;
/// Max steps of the search for a loss event rate.
const MAX_STEPS: i32 = 30;

/// The path parameters of the equation.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Round-trip time, s.
    pub rtt_s: f64,
    /// Retransmission timeout, s.
    pub timeout_s: f64,
    /// Packet size, bytes.
    pub size: i32,
    /// Packets per ACK.
    pub per_ack: i32,
}

/// TCP's rate in bytes/s at a loss event rate of `p`.
pub fn rate(p: f64, path: Path) -> f64 {
    if p < 0.0 || path.rtt_s < 0.0 {
        return HIGHEST_RATE;
    }
    let per_ack = path.per_ack;
    let in_recovery = path.rtt_s * (f64::from(2 * per_ack) * p / 3.0).sqrt();
    let timeouts = (3.0 * (f64::from(3 * per_ack) * p / 8.0).sqrt()).min(1.0);
    let waiting = path.timeout_s * p * (1.0 + 32.0 * p * p);
    let seconds_by_packet = in_recovery + timeouts * waiting;
    if seconds_by_packet < SHORTEST_S {
        return HIGHEST_RATE;
    }
    (f64::from(path.size) / seconds_by_packet).min(HIGHEST_RATE)
}

/// The loss event rate at which TCP has the rate `wanted` (bytes/s), within 5 %, by bisection.
pub fn loss_event_rate(wanted: f64, path: Path) -> f64 {
    let (mut p, mut step) = (0.5, 0.25);
    for _ in 0..=MAX_STEPS {
        let found = rate(p, path);
        if found > 0.95 * wanted && found < 1.05 * wanted {
            break;
        }
        p += if found > wanted { step } else { -step };
        step /= 2.0;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Path = Path { rtt_s: 0.1, timeout_s: 0.4, size: 1000, per_ack: 1 };

    // RFC 5348, section 3.1, computed by hand for p = 0.01, R = 0.1 s, t_RTO = 4 R, b = 1, s = 1000 bytes:
    // R sqrt(2p/3) = 0.00816497, t_RTO (3 sqrt(3p/8)) p (1 + 32 p^2) = 0.4 * 0.183712 * 0.01 * 1.0032 = 0.000737199.
    #[test]
    fn the_rate_is_the_equations() {
        assert!((rate(0.01, PATH) - 1000.0 / 0.008_902_165).abs() < 1.0);
        assert_eq!(rate(0.0, PATH), HIGHEST_RATE);
    }

    #[test]
    fn the_inverse_is_within_five_per_cent() {
        for wanted in [5_000.0, 50_000.0, 300_000.0] {
            let found = rate(loss_event_rate(wanted, PATH), PATH);
            assert!((found / wanted - 1.0).abs() < 0.05, "{wanted} {found}");
        }
    }
}
