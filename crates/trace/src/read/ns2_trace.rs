//! Reads ns-2's packet traces: the plain format (`.tr`), with or without the columns of a TCP header, the tagged one, and
//! the packet lines of `.nam`.
//!
//! [`Reader`] gives one [`PacketLine`] after the other and allocates nothing for a line. Lines that are no packet's (watched
//! variables, remarks, reports of agents, queue lengths, nam's nam_topology) are counted and passed over. A line that begins
//! as a packet's and is none, a file that ends within a line, and a file without any packet's line are errors that name
//! the line and say how much was read before it. A reader of parts ([`Reader::of_parts`]) ends in front of the damage
//! instead, and keeps the error for whoever asks.

use std::fmt;
use std::io::{self, Read};

use crate::columns::PacketEvent;
use crate::names::Names;
use crate::read::fields::{Fields, PADDING, Wrong};
use crate::read::known_packets::KnownPackets;

/// How much is read at a time, bytes. A line may be as long.
const CHUNK: usize = 1 << 18;

/// An event of a packet on a link, as a line tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketLine {
    /// What happens.
    pub event: PacketEvent,
    /// When, s.
    pub time_s: f64,
    /// The node that the link leaves.
    pub from_node: i32,
    /// The node that it enters.
    pub to_node: i32,
    /// What the packet carries: its number among the reader's [`Reader::kinds`].
    pub kind: u8,
    /// Bytes on the wire.
    pub size_bytes: i32,
    /// ns-2's letters: their number among the reader's [`Reader::flags`].
    pub flags: u8,
    /// The flow id.
    pub flow: i32,
    /// Node and port it comes from.
    pub source: (i32, i32),
    /// Node and port it goes to.
    pub destination: (i32, i32),
    /// Its sequence number, -1 without one.
    pub sequence: i64,
    /// Its unique number.
    pub packet: i64,
    /// The columns of a TCP header, where the line has them.
    pub header: Option<HeaderColumns>,
}

/// What lines of a trace with `show_tcphdr_` end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderColumns {
    /// The acknowledgement number.
    pub acknowledgement: i64,
    /// The header's flags, 0 for one-way TCP.
    pub flags: u8,
    /// Bytes that count for headers.
    pub header_bytes: i32,
}

/// How much of a file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whole lines.
    pub lines: u64,
    /// Their bytes, unpacked.
    pub bytes: u64,
    /// Lines that are packets'.
    pub packets: u64,
    /// The others.
    pub others: u64,
}

/// Why a trace cannot be read further.
#[derive(Debug)]
pub enum TraceError {
    /// The file cannot be read.
    Io(io::Error, Progress),
    /// The file is damaged or no packet trace: the line's number, from 1, and what is the matter with it.
    Line(u64, String, Progress),
}

impl TraceError {
    /// How much was read before.
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

/// Packet lines, one after the other.
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
    /// Reads text, unpacked, up to where it is damaged; a text without any packet's line is an error still.
    pub fn of_parts(input: R) -> Reader<R> {
        Reader { takes_parts: true, ..Reader::new(input) }
    }

    /// Reads text, unpacked.
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

    /// How much has been read.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The words for what packets carry, by number, as far as they have been met.
    pub fn kinds(&self) -> &Names {
        &self.kinds
    }

    /// The words of flags, by number, as far as they have been met.
    pub fn flags(&self) -> &Names {
        &self.flags
    }

    /// The trace says nowhere which node has an address in levels, so nothing that depends on where a packet's way
    /// begins and ends can be told once such an address was read.
    ///
    /// # Errors
    /// A [`TraceError`] that says so.
    pub fn expect_node_numbers(&self) -> Result<(), TraceError> {
        if !self.in_levels {
            return Ok(());
        }
        let what = "addresses in levels, such as 0.1.2.0: which node has which is not in the trace, so that its flows \
                    have no figures; the packet table has the addresses";
        Err(TraceError::Line(self.progress.lines, what.into(), self.progress))
    }

    /// Why a reader of parts did not come to the end of the file.
    pub fn damage(&self) -> Option<&TraceError> {
        self.damage.as_ref()
    }

    /// The next packet's line; nothing at the end of the file.
    ///
    /// # Errors
    /// [`TraceError`], see there. Nothing is to be read after it.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<PacketLine>, TraceError> {
        self.next_line_and(|_| {})
    }

    /// The same; lines before it that are no packet's are shown to `other`.
    ///
    /// # Errors
    /// [`TraceError`], see there. Nothing is to be read after it.
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

    /// What an error comes to: for a reader of parts that has read one, the end.
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

    /// The end of the file, where every line must have ended.
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

/// The event of a line that begins as a packet's.
#[inline]
fn packet_event(line: &[u8]) -> Option<PacketEvent> {
    match line {
        [letter, b' ', ..] => PacketEvent::of_letter(*letter),
        _ => None,
    }
}

/// A line as a message shows it.
pub(crate) fn shown(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&line[..line.len().min(60)]).chars().map(printable).collect();
    if line.len() > 60 { text + "..." } else { text }
}

fn printable(letter: char) -> char {
    if is_hidden(letter) { '?' } else { letter }
}

/// Whether a terminal or a browser obeys a character instead of showing it: control characters, and those that turn the
/// direction of writing (Unicode Standard Annex #9, section 2), which can make a text look like another.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

/// Acknowledgement number, flags, header length; nothing if what follows is something else.
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

/// The rest of a tagged line: switches in any order; those that are not known are passed over with their word.
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
