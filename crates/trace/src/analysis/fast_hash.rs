//! A fast hash for keys of a few small numbers, and an insertion-ordered map.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Multiplicative hash. It does not resist chosen keys: a malicious trace file harms only its author.
#[derive(Clone, Copy, Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_i32(&mut self, number: i32) {
        self.write_u64(u64::from(number as u32));
    }

    #[inline]
    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}

/// A map with this hash.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// Values in the order in which their keys first occurred.
pub struct Met<K, V> {
    /// Keys and values.
    pub all: Vec<(K, V)>,
    numbers: QuickMap<K, usize>,
    last: usize,
}

impl<K, V> Default for Met<K, V> {
    fn default() -> Met<K, V> {
        Met { all: Vec::new(), numbers: QuickMap::default(), last: 0 }
    }
}

impl<K: Copy + Eq + Hash, V: Default> Met<K, V> {
    /// The value of a key; inserts a default for a new key.
    #[inline]
    pub fn of(&mut self, key: K) -> &mut V {
        if self.all.get(self.last).is_none_or(|(last, _)| *last != key) {
            self.last = *self.numbers.entry(key).or_insert_with(|| {
                self.all.push((key, V::default()));
                self.all.len() - 1
            });
        }
        &mut self.all[self.last].1
    }
}
