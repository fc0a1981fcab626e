//! Transparent decompression of gzip files.

use std::io::{self, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// The magic number of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file's uncompressed content.
pub enum Unpacked<R> {
    /// The file is not compressed.
    Plain(Chain<Cursor<Vec<u8>>, R>),
    /// The file has one or more gzip members.
    Gzipped(Box<MultiGzDecoder<Chain<Cursor<Vec<u8>>, R>>>),
}

impl<R: Read> Unpacked<R> {
    /// Detects the format from the first bytes.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn new(mut input: R) -> io::Result<Unpacked<R>> {
        let mut start = Vec::with_capacity(2);
        (&mut input).take(2).read_to_end(&mut start)?;
        let is_gzipped = start == GZIP;
        let whole = Cursor::new(start).chain(input);
        Ok(if is_gzipped { Unpacked::Gzipped(Box::new(MultiGzDecoder::new(whole))) } else { Unpacked::Plain(whole) })
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(input) => input.read(buffer),
            Unpacked::Gzipped(input) => input.read(buffer).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the gzipped file is cut short"),
                kind => io::Error::new(kind, format!("the gzipped file is damaged: {error}")),
            }),
        }
    }
}
