//! Packets per ACK, as BIC and CUBIC make up for delayed ACKs.
//!
//! Source: L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004; Linux 2.6.22's BIC.

use super::{CaState, Socket};

/// The count is in sixteenths.
const SHIFT: u32 = 4;

/// A running count of packets that an ACK acknowledges.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketsPerAck(u64);

impl PacketsPerAck {
    /// Two, before anything is known.
    pub fn two() -> PacketsPerAck {
        PacketsPerAck(2 << SHIFT)
    }

    /// An ACK of so many packets has come.
    pub fn acknowledged(&mut self, socket: &Socket, packets: u64) {
        if packets > 0 && socket.state == CaState::Open {
            let change = packets.wrapping_sub(self.0 >> SHIFT);
            self.0 = self.0.wrapping_add(change);
        }
    }

    /// So many packets as ACKs; at least one.
    pub fn acks_for(self, packets: u64, socket: &mut Socket) -> u64 {
        socket.divide(packets << SHIFT, self.0).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The kernel's delayed_ack: ratio += packets - ratio / 16, so that the ratio comes to sixteen times the packets of an ACK.
    #[test]
    fn the_count_follows_the_receiver() {
        let mut socket = Socket::new(10);
        let mut count = PacketsPerAck::two();
        assert_eq!(count.acks_for(100, &mut socket), 50);
        for _ in 0..200 {
            count.acknowledged(&socket, 1);
        }
        // 31 / 16 is cut to 1: the count rests there.
        assert_eq!(count.0, 31);
        assert_eq!(count.acks_for(100, &mut socket), 51);
        socket.state = CaState::Recovery;
        count.acknowledged(&socket, 50);
        assert_eq!(count.0, 31);
    }
}
