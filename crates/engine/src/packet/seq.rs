//! Sequence numbers: 32 bits, which wrap (RFC 9293, 3.4).

use std::fmt;

/// A sequence number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SeqNum(pub u32);

#[allow(clippy::should_implement_trait, reason = "operators would hide that the sums wrap")]
impl SeqNum {
    /// `self + bytes`, modulo 2^32.
    #[inline]
    pub fn add(self, bytes: u32) -> SeqNum {
        SeqNum(self.0.wrapping_add(bytes))
    }

    /// `self - bytes`, modulo 2^32.
    #[inline]
    pub fn sub(self, bytes: u32) -> SeqNum {
        SeqNum(self.0.wrapping_sub(bytes))
    }

    /// The bytes from `earlier` to here; negative if `earlier` is later.
    #[inline]
    pub fn since(self, earlier: SeqNum) -> i32 {
        self.0.wrapping_sub(earlier.0) as i32
    }

    /// Whether this number comes before `other`.
    #[inline]
    pub fn before(self, other: SeqNum) -> bool {
        self.since(other) < 0
    }

    /// Whether this number comes after `other`.
    #[inline]
    pub fn after(self, other: SeqNum) -> bool {
        other.before(self)
    }

    /// The later of two numbers.
    #[inline]
    pub fn max(self, other: SeqNum) -> SeqNum {
        if self.before(other) { other } else { self }
    }

    /// The earlier of two numbers.
    #[inline]
    pub fn min(self, other: SeqNum) -> SeqNum {
        if self.after(other) { other } else { self }
    }
}

impl fmt::Debug for SeqNum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9293, 3.4: comparisons are modulo 2^32.
    #[test]
    fn comparisons_wrap() {
        let last = SeqNum(u32::MAX);
        assert!(last.before(SeqNum(0)) && SeqNum(5).after(last));
        assert_eq!(last.add(2), SeqNum(1));
        assert_eq!(SeqNum(1).since(last), 2);
        assert_eq!(last.max(SeqNum(3)), SeqNum(3));
        assert_eq!(last.min(SeqNum(3)), last);
    }
}
