//! Hash of a seed and a name, for the state of a stream.
//!
//! Source: M. E. O'Neill, "Developing a seed_seq alternative" (2015), with the form and the constants of NumPy's
//! `SeedSequence`. The hash mixes each input word into a pool of four words.
//! Checked against: numpy.random.SeedSequence, below and in tests/scenario/test_seeds.py.

use super::stream::{M1, M2, Stream};

const POOL: usize = 4;
const SHIFT: u32 = 16;
const INIT_A: u32 = 0x43b0_d7e5;
const MULTIPLIER_A: u32 = 0x931e_8875;
const INIT_B: u32 = 0x8b51_f9dd;
const MULTIPLIER_B: u32 = 0x58f3_8ded;
const MIX_LEFT: u32 = 0xca01_f9dd;
const MIX_RIGHT: u32 = 0x4973_f715;

/// A pool with the input mixed so far.
#[derive(Clone)]
pub struct SeedSequence {
    pool: [u32; POOL],
    multiplier: u32,
}

impl SeedSequence {
    /// The pool for a seed, without a name.
    pub fn of(seed: u64) -> SeedSequence {
        let mut sequence = SeedSequence { pool: [0; POOL], multiplier: INIT_A };
        // NumPy pads the seed's words to the pool's size if there is a spawn key.
        let words = [seed as u32, (seed >> 32) as u32, 0, 0];
        sequence.pool = words.map(|word| sequence.scramble(word));
        for source in 0..POOL {
            for target in 0..POOL {
                if source != target {
                    let word = sequence.scramble(sequence.pool[source]);
                    sequence.pool[target] = mix(sequence.pool[target], word);
                }
            }
        }
        sequence
    }

    /// Mixes in a name: its length in bytes, then its bytes as little-endian words.
    pub fn named(mut self, name: &str) -> SeedSequence {
        self.absorb(name.len() as u32);
        for bytes in name.as_bytes().chunks(4) {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            self.absorb(u32::from_le_bytes(word));
        }
        self
    }

    fn absorb(&mut self, word: u32) {
        for target in 0..POOL {
            let word = self.scramble(word);
            self.pool[target] = mix(self.pool[target], word);
        }
    }

    fn scramble(&mut self, word: u32) -> u32 {
        let word = word ^ self.multiplier;
        self.multiplier = self.multiplier.wrapping_mul(MULTIPLIER_A);
        let word = word.wrapping_mul(self.multiplier);
        word ^ (word >> SHIFT)
    }

    /// The sequence of output words.
    fn words(&self) -> Words<'_> {
        Words { pool: &self.pool, next: 0, multiplier: INIT_B }
    }

    /// The first two words as one number; the first word is its lower half.
    pub fn hash(&self) -> u64 {
        let mut words = self.words();
        let (low, high) = (words.next_word(), words.next_word());
        u64::from(high) << 32 | u64::from(low)
    }

    /// A stream with the output words as its state.
    pub fn stream(&self) -> Stream {
        let mut words = self.words();
        Stream::from_state(state(|| words.next_word()))
    }
}

impl Stream {
    /// The stream with this name for this seed: its state is the hash of both, see [`hash`].
    ///
    /// The words of the hash fill the state in order. A word that is not below its modulus is skipped, so that all
    /// valid states are equally likely.
    pub fn hashed(seed: u64, name: &str) -> Stream {
        SeedSequence::of(seed).named(name).stream()
    }
}

/// The hash of a seed and a name: the value of
/// `numpy.random.SeedSequence(seed, spawn_key=key).generate_state(1, "u8")`. `key` is the name's length in bytes, then
/// its UTF-8 bytes as little-endian 32-bit words; the last one is padded with zeros.
pub fn hash(seed: u64, name: &str) -> u64 {
    SeedSequence::of(seed).named(name).hash()
}

fn mix(left: u32, right: u32) -> u32 {
    let mixed = MIX_LEFT.wrapping_mul(left).wrapping_sub(MIX_RIGHT.wrapping_mul(right));
    mixed ^ (mixed >> SHIFT)
}

/// The output words of a hash.
struct Words<'a> {
    pool: &'a [u32; POOL],
    next: usize,
    multiplier: u32,
}

impl Words<'_> {
    /// The next word.
    fn next_word(&mut self) -> u32 {
        let word = self.pool[self.next] ^ self.multiplier;
        self.next = (self.next + 1) % POOL;
        self.multiplier = self.multiplier.wrapping_mul(MULTIPLIER_B);
        let word = word.wrapping_mul(self.multiplier);
        word ^ (word >> SHIFT)
    }
}

/// A valid state of MRG32k3a from random words: three below the first modulus, three below the second, neither three
/// all 0.
fn state(mut word: impl FnMut() -> u32) -> [u64; 6] {
    let mut half = |modulus: u64| {
        let mut below = || {
            loop {
                let drawn = u64::from(word());
                if drawn < modulus {
                    return drawn;
                }
            }
        };
        loop {
            let three = [below(), below(), below()];
            if three != [0; 3] {
                return three;
            }
        }
    };
    let ([a, b, c], [d, e, f]) = (half(M1), half(M2));
    [a, b, c, d, e, f]
}

#[cfg(test)]
mod tests {
    use super::*;

    // NumPy 2.4: `SeedSequence(seed, spawn_key=(len(name), *words)).generate_state(7)`.
    #[test]
    fn states_are_those_of_numpys_words() {
        let state = |seed, name| Stream::hashed(seed, name).state();
        assert_eq!(
            state(0, ""),
            [3_757_552_657, 2_018_376_492, 1_456_443_223, 3_395_645_823, 2_612_339_235, 1_723_480_411]
        );
        assert_eq!(
            state(7, "web"),
            [3_263_265_954, 1_252_562_366, 4_026_551_346, 3_117_190_455, 2_318_257_934, 4_293_715_370]
        );
        assert_eq!(
            state(u64::MAX, "link/a->b/queue"),
            [1_675_642_459, 1_489_942_500, 737_516_979, 1_165_747_314, 3_660_199_761, 2_587_942_842]
        );
        // Its fifth word, 4294947562, is not below the second modulus.
        assert_eq!(
            state(1700, "link/a->b/queue"),
            [1_196_877_027, 3_377_346_551, 350_383_966, 3_101_149_914, 1_484_271_553, 3_324_972_931]
        );
    }

    #[test]
    fn words_that_are_no_state_are_passed_over() {
        let words = [u32::MAX, M1 as u32, 0, 0, 0, 0, 5, 0, 1, 2, M2 as u32, M2 as u32 - 1];
        let mut given = words.into_iter();
        assert_eq!(state(|| given.next().unwrap()), [0, 5, 0, 1, 2, M2 - 1]);
        let mut given = [1, 0, 0, 0, 0, 0, 7, 8, 9].into_iter();
        assert_eq!(state(|| given.next().unwrap()), [1, 0, 0, 7, 8, 9]);
    }
}
