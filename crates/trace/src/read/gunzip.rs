//! Files as text: gzipped ones are unpacked while they are read.

use std::io::{self, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// What a gzipped file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file's text.
pub enum Unpacked<R> {
    /// It is text already.
    Plain(Chain<Cursor<Vec<u8>>, R>),
    /// It is gzipped, in one part or several.
    Gzipped(Box<MultiGzDecoder<Chain<Cursor<Vec<u8>>, R>>>),
}

impl<R: Read> Unpacked<R> {
    /// Looks at the first bytes of a file.
    ///
    /// # Errors
    /// When it cannot be read.
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
