//! Interning of words with few distinct values, numbered in order of first occurrence.

use crate::read::fields::Wrong;

/// Max number of words: a table's dictionary has 7-bit indices.
const MOST: usize = 127;

/// The words and their numbers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    words: Vec<Box<str>>,
    /// The first eight bytes of each word.
    starts: Vec<u64>,
    last: usize,
}

impl Names {
    /// The number of a word; `start` is its first eight bytes as a number, padded with 0.
    ///
    /// # Errors
    /// For the 128th word.
    #[inline]
    pub fn number(&mut self, (word, start): (&[u8], u64)) -> Result<u8, Wrong> {
        let is = |index: usize, this: &Names| {
            this.starts[index] == start && (word.len() < 8 || this.words[index].as_bytes() == word)
        };
        if self.last < self.words.len() && is(self.last, self) {
            return Ok(self.last as u8);
        }
        self.last = match (0..self.words.len()).find(|&index| is(index, self)) {
            Some(index) => index,
            None => self.add(word, start)?,
        };
        Ok(self.last as u8)
    }

    /// The number of a word of a table, whose words are at most 127.
    pub fn number_of(&mut self, word: &str) -> u8 {
        let mut start = [0; 8];
        let length = word.len().min(8);
        start[..length].copy_from_slice(&word.as_bytes()[..length]);
        self.number((word.as_bytes(), u64::from_le_bytes(start))).unwrap_or_default()
    }

    #[cold]
    fn add(&mut self, word: &[u8], start: u64) -> Result<usize, Wrong> {
        let text = std::str::from_utf8(word).map_err(|_| Wrong::lacks("a word in ASCII"))?;
        if self.words.len() == MOST {
            return Err(Wrong::lacks("one of the 127 different words met before"));
        }
        self.words.push(text.into());
        self.starts.push(start);
        Ok(self.words.len() - 1)
    }

    /// The words, by number.
    pub fn words(&self) -> &[Box<str>] {
        &self.words
    }

    /// The word for a number from [`Names::number`].
    ///
    /// # Panics
    /// For any other number.
    pub fn word(&self, number: u8) -> &str {
        &self.words[usize::from(number)]
    }
}
