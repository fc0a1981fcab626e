//! The estimate of packets per ACK by which BIC and CUBIC compensate for delayed ACKs.
//!
//! Source: L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004; Linux 2.6.22's BIC.

use super::socket::{CaState, Socket};

/// The average is in sixteenths.
const SHIFT: u32 = 4;

/// Moving average of packets per ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketsPerAck(u64);

impl PacketsPerAck {
    /// The initial value: two packets per ACK.
    pub fn two() -> PacketsPerAck {
        PacketsPerAck(2 << SHIFT)
    }

    /// Adds an ACK of `packets` packets.
    pub fn acknowledged(&mut self, socket: &Socket, packets: u64) {
        if packets > 0 && socket.state == CaState::Open {
            let change = packets.wrapping_sub(self.0 >> SHIFT);
            self.0 = self.0.wrapping_add(change);
        }
    }

    /// The number of ACKs for `packets` packets; at least one.
    pub fn acks_for(self, packets: u64, socket: &mut Socket) -> u64 {
        socket.divide(packets << SHIFT, self.0).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Linux's `delayed_ack`: ratio += packets - ratio / 16, so the ratio converges to sixteen times the packets per
    // ACK.
    #[test]
    fn the_count_follows_the_receiver() {
        let mut socket = Socket::new(10);
        let mut count = PacketsPerAck::two();
        assert_eq!(count.acks_for(100, &mut socket), 50);
        for _ in 0..200 {
            count.acknowledged(&socket, 1);
        }
        // 31 / 16 is truncated to 1, so the average stays there.
        assert_eq!(count.0, 31);
        assert_eq!(count.acks_for(100, &mut socket), 51);
        socket.state = CaState::Recovery;
        count.acknowledged(&socket, 50);
        assert_eq!(count.0, 31);
    }
}
