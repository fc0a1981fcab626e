//! Accounting of a queue, which its link keeps.

/// What a queue has been given and not given back, and not thrown away: bytes, and above their 40 bits packets, so that both
/// are one sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueAccount(i64);

impl QueueAccount {
    const BITS: u32 = 40;

    /// So many packets, and so many bytes altogether.
    #[inline]
    pub fn of(packets: i64, bytes: i64) -> QueueAccount {
        QueueAccount((packets << QueueAccount::BITS).wrapping_add(bytes))
    }

    /// Packets and bytes, each negative if more was given back than given.
    pub fn parts(self) -> (i64, i64) {
        let bytes = self.0 << (64 - QueueAccount::BITS) >> (64 - QueueAccount::BITS);
        ((self.0 - bytes) >> QueueAccount::BITS, bytes)
    }

    /// The queue is given a packet of so many bytes.
    #[inline]
    pub fn add(&mut self, bytes: i32) {
        self.0 = self.0.wrapping_add(QueueAccount::of(1, bytes.into()).0);
    }

    /// The queue gives one back, or throws it away.
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
