//! Storage of rows in chunks; a chunk is written to disk when its rows are final.

use std::collections::VecDeque;
use std::io;

use super::chunk::{BYTES, Hop, ROWS, flag};
use super::positional::Storage;

/// Max chunks in memory. When there are more, the oldest is written to disk, and later changes go to the file.
const MAX_OPEN: usize = 4;

/// Row number, from the first row.
pub type Place = u64;

/// Summary of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The earliest enqueue time in it, s.
    pub begin_s: f64,
    /// The latest enqueue time in it, s.
    pub end_s: f64,
    /// Time of the last event in it, s; infinite while one of its packets is in transit.
    pub reach_s: f64,
    /// Number of rows.
    pub rows: usize,
}

struct Open {
    hops: Vec<Hop>,
    /// Number of rows that are not final.
    under_way: usize,
}

/// All rows of a recording.
pub struct Rows {
    storage: Storage,
    sealed: Vec<Summary>,
    open: VecDeque<Open>,
}

impl Rows {
    /// Empty.
    pub fn new(storage: Storage) -> Rows {
        Rows { storage, sealed: Vec::new(), open: VecDeque::new() }
    }

    /// The available chunks: those on disk.
    pub fn chunks(&self) -> &[Summary] {
        &self.sealed
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, hop: Hop) -> io::Result<Place> {
        if self.open.back().is_none_or(|last| last.hops.len() == ROWS) {
            self.open.push_back(Open { hops: Vec::with_capacity(ROWS), under_way: 0 });
            if self.open.len() > MAX_OPEN {
                self.seal_first()?;
            }
        }
        let last = self.open.back_mut().expect("there is an open chunk");
        last.hops.push(hop);
        last.under_way += 1;
        let row = last.hops.len() - 1;
        Ok(((self.sealed.len() + self.open.len() - 1) * ROWS + row) as Place)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&self, place: Place) -> io::Result<Hop> {
        let (chunk, row) = (place as usize / ROWS, place as usize % ROWS);
        match chunk.checked_sub(self.sealed.len()) {
            Some(open) => Ok(self.open[open].hops[row]),
            None => {
                let mut bytes = [0; BYTES];
                self.storage.read_exact_at(&mut bytes, place * BYTES as u64)?;
                Ok(Hop::of_bytes(&bytes))
            }
        }
    }

    /// Replaces a row.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn set(&mut self, place: Place, hop: &Hop) -> io::Result<()> {
        let (chunk, row) = (place as usize / ROWS, place as usize % ROWS);
        match chunk.checked_sub(self.sealed.len()) {
            Some(open) => self.open[open].hops[row] = *hop,
            None => {
                let summary = &mut self.sealed[chunk];
                summary.reach_s = summary.reach_s.max(hop.reach_s());
                self.storage.write_all_at(&hop.to_bytes(), place * BYTES as u64)?;
            }
        }
        Ok(())
    }

    /// Marks a row as final.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn close(&mut self, place: Place) -> io::Result<()> {
        let chunk = place as usize / ROWS;
        if let Some(open) = chunk.checked_sub(self.sealed.len()) {
            self.open[open].under_way -= 1;
            while self.open.front().is_some_and(|first| first.under_way == 0 && first.hops.len() == ROWS) {
                self.seal_first()?;
            }
        }
        Ok(())
    }

    /// Ends the recording. The rows in `lost` never arrived; packets still in transit last until `end_s`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(&mut self, lost: &[Place], end_s: f64) -> io::Result<()> {
        for &place in lost {
            let mut hop = self.get(place)?;
            hop.flags |= flag::LOST;
            self.set(place, &hop)?;
        }
        while !self.open.is_empty() {
            self.seal_first()?;
        }
        for summary in &mut self.sealed {
            summary.reach_s = summary.reach_s.min(end_s);
        }
        Ok(())
    }

    fn seal_first(&mut self) -> io::Result<()> {
        let Some(first) = self.open.pop_front() else { return Ok(()) };
        let bytes: Vec<u8> = first.hops.iter().flat_map(Hop::to_bytes).collect();
        self.storage.write_all_at(&bytes, (self.sealed.len() * ROWS * BYTES) as u64)?;
        let mut summary = Summary {
            begin_s: f64::INFINITY,
            end_s: f64::NEG_INFINITY,
            reach_s: f64::NEG_INFINITY,
            rows: first.hops.len(),
        };
        for hop in &first.hops {
            summary.begin_s = summary.begin_s.min(hop.enqueue_s);
            summary.end_s = summary.end_s.max(hop.enqueue_s);
            summary.reach_s = summary.reach_s.max(if hop.is_over() { hop.reach_s() } else { f64::INFINITY });
        }
        self.sealed.push(summary);
        Ok(())
    }

    /// The rows of a chunk, on disk or in memory; empty if there is no such chunk.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunk(&self, number: usize) -> io::Result<Vec<Hop>> {
        let Some(summary) = self.sealed.get(number) else {
            let open = number.checked_sub(self.sealed.len()).and_then(|open| self.open.get(open));
            return Ok(open.map_or_else(Vec::new, |open| open.hops.clone()));
        };
        let mut bytes = vec![0; summary.rows * BYTES];
        self.storage.read_exact_at(&mut bytes, (number * ROWS * BYTES) as u64)?;
        let (rows, _) = bytes.as_chunks::<BYTES>();
        Ok(rows.iter().map(Hop::of_bytes).collect())
    }

    /// Calls `visit`, in order, for each row of the chunks with events between `from_s` and `to_s`; this includes other
    /// rows.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn each(&self, from_s: f64, to_s: f64, mut visit: impl FnMut(&Hop)) -> io::Result<()> {
        for number in 0..self.sealed.len() + self.open.len() {
            let counts = self.sealed.get(number).is_none_or(|chunk| chunk.begin_s <= to_s && chunk.reach_s >= from_s);
            if counts {
                self.chunk(number)?.iter().for_each(&mut visit);
            }
        }
        Ok(())
    }
}
