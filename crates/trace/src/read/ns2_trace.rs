//! Reader for ns-2's packet traces: the plain format (`.tr`), with or without TCP header columns, the tagged format,
//! and the packet lines of `.nam`.
//!
//! [`Reader`] returns one [`PacketLine`] at a time without allocations per line. Other lines (traced variables,
//! annotations, agent events, queue lengths, nam's topology) are counted and skipped. Errors are: a malformed packet
//! line, a file that ends within a line, and a file without packet lines. The error names the line and reports how much
//! was read before it. A partial reader ([`Reader::of_parts`]) ends before the damage instead, and stores the error.

use std::fmt;
use std::io::{self, Read};

use crate::columns::PacketEvent;
use crate::names::Names;
use crate::read::fields::{Fields, PADDING, Wrong};
use crate::read::known_packets::KnownPackets;
use crate::read::packet_line::{HeaderColumns, PacketLine};
use crate::read::text::shown;

/// Buffer size, and max length of a line, bytes.
const CHUNK: usize = 1 << 18;

/// Progress of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Complete lines.
    pub lines: u64,
    /// Uncompressed bytes of these lines.
    pub bytes: u64,
    /// Packet lines.
    pub packets: u64,
    /// Other lines.
    pub others: u64,
}

/// Why reading failed.
#[derive(Debug)]
pub enum TraceError {
    /// I/O error.
    Io(io::Error, Progress),
    /// The file is damaged or not a packet trace: line number, from 1, and message.
    Line(u64, String, Progress),
}

impl TraceError {
    /// How much was read before the error.
    pub fn progress(&self) -> Progress {
        match self {
            TraceError::Io(_, progress) | TraceError::Line(_, _, progress) => *progress,
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TraceError::Io(error, progress) => write!(out, "after line {}: {error}", progress.lines)?,
            TraceError::Line(line, what, _) => write!(out, "line {line}: {what}")?,
        }
        let Progress { lines, bytes, packets, .. } = self.progress();
        write!(out, "; read before it: {lines} lines, {bytes} bytes, {packets} packet events")
    }
}

impl std::error::Error for TraceError {}

/// Iterates over packet lines.
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    next: usize,
    end: usize,
    at_end: bool,
    progress: Progress,
    first: Option<String>,
    kinds: Names,
    flags: Names,
    known: KnownPackets,
    takes_parts: bool,
    in_levels: bool,
    damage: Option<TraceError>,
}

impl<R: Read> Reader<R> {
    /// Reads uncompressed text up to the first damage. A text without packet lines is still an error.
    pub fn of_parts(input: R) -> Reader<R> {
        Reader { takes_parts: true, ..Reader::new(input) }
    }

    /// Reads uncompressed text.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input,
            buffer: vec![0; CHUNK + PADDING],
            next: 0,
            end: 0,
            at_end: false,
            progress: Progress::default(),
            first: None,
            kinds: Names::default(),
            flags: Names::default(),
            known: KnownPackets::default(),
            takes_parts: false,
            in_levels: false,
            damage: None,
        }
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The names of packet types read so far, by number.
    pub fn kinds(&self) -> &Names {
        &self.kinds
    }

    /// The flag strings read so far, by number.
    pub fn flags(&self) -> &Names {
        &self.flags
    }

    /// Fails if a hierarchical address was read. The trace does not contain the mapping from these addresses to nodes,
    /// so results that depend on a packet's source or destination node cannot be computed.
    ///
    /// # Errors
    /// A [`TraceError`] with this reason.
    pub fn expect_node_numbers(&self) -> Result<(), TraceError> {
        if !self.in_levels {
            return Ok(());
        }
        let what = "addresses in levels, such as 0.1.2.0: which node has which is not in the trace, so that its flows \
                    have no figures; the packet table has the addresses";
        Err(TraceError::Line(self.progress.lines, what.into(), self.progress))
    }

    /// The error that ended a partial reader early.
    pub fn damage(&self) -> Option<&TraceError> {
        self.damage.as_ref()
    }

    /// The next packet line; `None` at the end of the file.
    ///
    /// # Errors
    /// See [`TraceError`]. Do not continue to read after an error.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<PacketLine>, TraceError> {
        self.next_line_and(|_| {})
    }

    /// Like [`Reader::next_line`]; calls `other` for each line before it that is not a packet line.
    ///
    /// # Errors
    /// See [`TraceError`]. Do not continue to read after an error.
    #[inline]
    pub fn next_line_and(&mut self, mut other: impl FnMut(&[u8])) -> Result<Option<PacketLine>, TraceError> {
        loop {
            let Some(length) = memchr::memchr(b'\n', &self.buffer[self.next..self.end]) else {
                if self.at_end {
                    return self.finished().or_else(|error| self.ends_here(error)).map(|()| None);
                }
                if let Err(error) = self.fill() {
                    return self.ends_here(error).map(|()| None);
                }
                continue;
            };
            let text = &self.buffer[self.next..self.next + length + 1 + PADDING];
            let line = &text[..length];
            let packet = match packet_event(line) {
                None => None,
                Some(event) => {
                    match parse(event, text, &mut self.kinds, &mut self.flags, &mut self.known, &mut self.in_levels) {
                        Ok(packet) => Some(packet),
                        Err(wrong) => {
                            let error = self.damaged(wrong.says(line));
                            return self.ends_here(error).map(|()| None);
                        }
                    }
                }
            };
            if packet.is_none() {
                other(line);
            }
            if self.first.is_none() {
                self.first = Some(shown(line));
            }
            self.next += length + 1;
            self.progress.lines += 1;
            self.progress.bytes += length as u64 + 1;
            match packet {
                None => self.progress.others += 1,
                packet => {
                    self.progress.packets += 1;
                    return Ok(packet);
                }
            }
        }
    }

    /// Handles an error: a partial reader that has read a packet ends without an error.
    #[cold]
    fn ends_here(&mut self, error: TraceError) -> Result<(), TraceError> {
        if self.takes_parts && self.progress.packets > 0 {
            self.damage = Some(error);
            return Ok(());
        }
        Err(error)
    }

    fn damaged(&self, what: String) -> TraceError {
        TraceError::Line(self.progress.lines + 1, what, self.progress)
    }

    /// Checks the end of the file: the last line must be complete.
    fn finished(&self) -> Result<(), TraceError> {
        if self.next < self.end {
            let rest = shown(&self.buffer[self.next..self.end]);
            return Err(self.damaged(format!("the file ends within the line, after `{rest}`: it is cut short")));
        }
        if self.progress.packets == 0 {
            let what = match &self.first {
                None => "the file is empty".to_owned(),
                Some(first) => {
                    format!("not an ns-2 packet trace: no line is a packet event: `{first}`")
                }
            };
            return Err(TraceError::Line(1, what, self.progress));
        }
        Ok(())
    }

    #[cold]
    fn fill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.next..self.end, 0);
        self.end -= self.next;
        self.next = 0;
        if self.end == CHUNK {
            return Err(self.damaged(format!("longer than {CHUNK} bytes: not an ns-2 packet trace")));
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..CHUNK]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(TraceError::Io(error, self.progress)),
            }
            return Ok(());
        }
    }
}

/// The event, if the line starts like a packet line.
#[inline]
fn packet_event(line: &[u8]) -> Option<PacketEvent> {
    match line {
        [letter, b' ', ..] => PacketEvent::of_letter(*letter),
        _ => None,
    }
}

#[inline]
fn parse(
    event: PacketEvent,
    text: &[u8],
    kinds: &mut Names,
    flags: &mut Names,
    known: &mut KnownPackets,
    in_levels: &mut bool,
) -> Result<PacketLine, Wrong> {
    let mut fields = Fields::after_first(text);
    if fields.goes_on(b" -t ") {
        fields.skip_word();
        return tagged(event, fields, kinds, flags, in_levels);
    }
    let time_s = fields.time()?;
    if fields.goes_on(b" -s ") {
        return switches(event, time_s, fields, kinds, flags, in_levels);
    }
    let from_node = fields.int("the node that the link leaves, a number")?;
    let to_node = fields.int("the node that the link enters, a number")?;
    let rest = fields.rest();
    if let Some(line) = known.find(rest) {
        return Ok(PacketLine { event, time_s, from_node, to_node, ..*line });
    }
    let line = PacketLine {
        event,
        time_s,
        from_node,
        to_node,
        kind: kinds.number(fields.short_word("what the packet carries")?)?,
        size_bytes: fields.int("the size in bytes, a whole number")?,
        flags: flags.number(fields.short_word("the flags")?)?,
        flow: fields.int("the flow id, a whole number")?,
        source: fields.address("the source as node.port", in_levels)?,
        destination: fields.address("the destination as node.port", in_levels)?,
        sequence: fields.long("the sequence number")?,
        packet: fields.long("the packet's unique number")?,
        header: if fields.is_at_end() { None } else { header_columns(fields) },
    };
    known.learn(rest, line);
    Ok(line)
}

/// Acknowledgement number, flags, header length; `None` if other text follows.
#[cold]
fn header_columns(mut fields: Fields) -> Option<HeaderColumns> {
    let acknowledgement = fields.long("").ok()?;
    let flags = std::str::from_utf8(fields.word("").ok()?).ok()?.strip_prefix("0x")?;
    let flags = u8::from_str_radix(flags, 16).ok()?;
    Some(HeaderColumns { acknowledgement, flags, header_bytes: fields.int("").ok()? })
}

fn tagged(
    event: PacketEvent,
    mut fields: Fields,
    kinds: &mut Names,
    flags: &mut Names,
    in_levels: &mut bool,
) -> Result<PacketLine, Wrong> {
    let time_s = fields.time()?;
    switches(event, time_s, fields, kinds, flags, in_levels)
}

/// Parses the rest of a tagged line: switches in any order. Unknown switches are skipped with their values.
fn switches(
    event: PacketEvent,
    time_s: f64,
    mut fields: Fields,
    kinds: &mut Names,
    flags: &mut Names,
    in_levels: &mut bool,
) -> Result<PacketLine, Wrong> {
    let (mut from, mut to, mut kind, mut size, mut flow, mut packet) = (None, None, None, None, None, None);
    loop {
        match fields.word("a switch such as -s, or -x {...}")? {
            b"-s" => from = Some(fields.int("the node that the link leaves, a number, after -s")?),
            b"-d" => to = Some(fields.int("the node that the link enters, a number, after -d")?),
            b"-p" => kind = Some(kinds.number(fields.short_word("what the packet carries, after -p")?)?),
            b"-e" => size = Some(fields.int("the size in bytes, after -e")?),
            b"-i" => packet = Some(fields.long("the packet's unique number, after -i")?),
            b"-a" => flow = Some(fields.int("the flow id, after -a")?),
            b"-x" => break,
            _ => fields.skip_word(),
        }
    }
    fields.skip(b'{');
    let source = fields.address("the source as {node.port, after -x", in_levels)?;
    let destination = fields.address("the destination as node.port", in_levels)?;
    let sequence = fields.long("the sequence number")?;
    let flags = flags.number(fields.short_word("the flags")?)?;
    let lacking = |switch: &'static str| Wrong::lacks(switch);
    Ok(PacketLine {
        event,
        time_s,
        from_node: from.ok_or(lacking("-s, the node that the link leaves"))?,
        to_node: to.ok_or(lacking("-d, the node that the link enters"))?,
        kind: kind.ok_or(lacking("-p, what the packet carries"))?,
        size_bytes: size.ok_or(lacking("-e, the size in bytes"))?,
        flags,
        flow: flow.ok_or(lacking("-a, the flow id"))?,
        source,
        destination,
        sequence,
        packet: packet.ok_or(lacking("-i, the packet's unique number"))?,
        header: None,
    })
}
