//! Buffered output that stores its first error.

use std::io::{self, Write};

/// Buffer size, bytes.
const BUFFER: usize = 1 << 18;
/// Tcl's buffer size, bytes.
const TCL_BLOCK: usize = 4096;

/// A buffered output. After an error nothing more is written; [`Channel::take_failure`] returns the error.
pub struct Channel {
    sink: Box<dyn Write + Send + Sync>,
    buffer: Vec<u8>,
    /// Bytes of the present block that were already written.
    ahead: usize,
    block: Option<usize>,
    failure: Option<io::Error>,
}

impl Channel {
    /// A channel to `sink`.
    pub fn new(sink: Box<dyn Write + Send + Sync>) -> Channel {
        Channel { sink, buffer: Vec::with_capacity(BUFFER + 1024), ahead: 0, block: None, failure: None }
    }

    /// A channel that writes whole blocks of this size, each when the buffer holds more than a block, as C's standard
    /// output does.
    pub fn in_blocks(sink: Box<dyn Write + Send + Sync>, block: usize) -> Channel {
        Channel { sink, buffer: Vec::new(), ahead: 0, block: Some(block.max(1)), failure: None }
    }

    /// The same channel, with `bytes` of the first block already written.
    #[must_use]
    pub fn begun_with(mut self, bytes: usize) -> Channel {
        self.ahead = bytes;
        self
    }

    /// The buffer to append to; call [`Channel::written`] afterwards.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer if it is full.
    #[inline]
    pub fn written(&mut self) {
        match self.block {
            None if self.buffer.len() >= BUFFER => self.flush_blocks(),
            Some(block) if self.buffer.len() > block => self.flush_part((self.buffer.len() - 1) / block * block),
            _ => {}
        }
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        self.written();
    }

    /// Writes what Tcl would have written by now; Tcl writes its buffer each time it is full.
    pub fn flush_blocks(&mut self) {
        let whole = (self.ahead + self.buffer.len()) / TCL_BLOCK * TCL_BLOCK;
        if whole > self.ahead {
            self.flush_part(whole - self.ahead);
        }
    }

    fn flush_part(&mut self, bytes: usize) {
        let rest = self.buffer.split_off(bytes);
        self.flush();
        self.buffer.extend_from_slice(&rest);
    }

    /// Writes the buffer.
    pub fn flush(&mut self) {
        if self.failure.is_none() && !self.buffer.is_empty() {
            let done = self.sink.write_all(&self.buffer).and_then(|()| self.sink.flush());
            self.failure = done.err();
        }
        self.buffer.clear();
        self.ahead = 0;
    }

    /// The first error, if any; returned once.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        // An error cannot be cloned: a similar one stays, so that nothing is written after it.
        let failure = self.failure.take()?;
        let like = failure.raw_os_error().map_or_else(|| failure.kind().into(), io::Error::from_raw_os_error);
        self.failure = Some(like);
        Some(failure)
    }

    /// Whether a write has failed.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.flush();
    }
}
