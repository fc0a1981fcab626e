//! Where a recording keeps its rows: a file, read and written at offsets, or memory where there are no files.

use std::fs::File;
use std::io;

/// Storage of bytes at offsets.
pub enum Storage {
    /// A file, opened for reading and writing.
    File(File),
    /// Memory.
    Memory(Vec<u8>),
}

impl From<File> for Storage {
    fn from(file: File) -> Storage {
        Storage::File(file)
    }
}

impl Storage {
    /// Fills `bytes` from `offset` on.
    ///
    /// # Errors
    /// If the file cannot be read, or ends before.
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Storage::File(file) => read_exact_at(file, bytes, offset),
            Storage::Memory(all) => {
                let begin = offset as usize;
                let found = all.get(begin..begin + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                bytes.copy_from_slice(found);
                Ok(())
            }
        }
    }

    /// Writes all of `bytes` from `offset` on.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        match self {
            Storage::File(file) => write_all_at(file, bytes, offset),
            Storage::Memory(all) => {
                let (begin, end) = (offset as usize, offset as usize + bytes.len());
                if all.len() < end {
                    all.resize(end, 0);
                }
                all[begin..end].copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

// Unix and Windows name this differently in the standard library, and Windows also moves the file's cursor, which
// nothing here uses. WebAssembly in a browser has no files.

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(unix, windows)))]
fn write_all_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
