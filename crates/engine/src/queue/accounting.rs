//! Packet and byte accounting of a queue, kept by its link.

/// Packets and bytes that entered a queue and have neither left it nor been dropped. The low 40 bits count bytes, the
/// upper bits packets, so that one addition updates both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueAccount(i64);

impl QueueAccount {
    const BITS: u32 = 40;

    /// An account of this many packets and this many bytes in total.
    #[inline]
    pub fn of(packets: i64, bytes: i64) -> QueueAccount {
        QueueAccount((packets << QueueAccount::BITS).wrapping_add(bytes))
    }

    /// Packets and bytes; negative if more left than entered.
    pub fn parts(self) -> (i64, i64) {
        let bytes = self.0 << (64 - QueueAccount::BITS) >> (64 - QueueAccount::BITS);
        ((self.0 - bytes) >> QueueAccount::BITS, bytes)
    }

    /// A packet of this many bytes enters the queue.
    #[inline]
    pub fn add(&mut self, bytes: i32) {
        self.0 = self.0.wrapping_add(QueueAccount::of(1, bytes.into()).0);
    }

    /// A packet of this many bytes leaves the queue or is dropped.
    #[inline]
    pub fn remove(&mut self, bytes: i32) {
        self.0 = self.0.wrapping_sub(QueueAccount::of(1, bytes.into()).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balance_has_two_parts_of_either_sign() {
        for (packets, bytes) in [(0, 0), (3, 1540), (-1, -1500), (-1, 40), (2, -40), (8_000_000, 500_000_000_000)] {
            assert_eq!(QueueAccount::of(packets, bytes).parts(), (packets, bytes));
        }
    }
}
