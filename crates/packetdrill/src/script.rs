//! A packetdrill script as a tree: what the parser makes and the runner reads.
//!
//! Source: the grammar of packetdrill (<https://github.com/google/packetdrill>, `gtests/net/packetdrill/parser.y`).

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The file's name, for messages.
    pub name: String,
    /// Command line options in the first lines (`--tolerance_usecs=10000`).
    pub options: Vec<ScriptOption>,
    /// Shell commands before the first event.
    pub init: Option<Command>,
    /// The events, in the order of the file.
    pub events: Vec<Event>,
    /// Shell commands after the last event.
    pub cleanup: Option<Command>,
}

/// A command line option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOption {
    /// Line in the file, from 1.
    pub line: u32,
    /// The name without the dashes.
    pub name: String,
    /// The text after the equals sign.
    pub value: Option<String>,
}

/// Shell commands in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Line of the opening backtick, from 1.
    pub line: u32,
    /// The text between the backticks.
    pub text: String,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Line of the event's time, from 1.
    pub line: u32,
    /// When it happens.
    pub time: EventTime,
    /// What happens.
    pub action: Action,
}

/// When an event happens, or has to happen. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// `0.5`: after the start.
    Absolute(i64),
    /// `+.5`: after the previous event.
    Relative(i64),
    /// `0.5~0.6`.
    AbsoluteRange(i64, i64),
    /// `+.5~+.6`.
    RelativeRange(i64, i64),
    /// `*`: whenever.
    Any,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Injects a packet, or expects one.
    Packet(Packet),
    /// Calls the socket.
    Call(Call),
    /// Runs shell commands.
    Command(Command),
    /// Checks `TCP_INFO` by Python statements.
    Code(Code),
}

/// Python statements between `%{` and `}%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Line of the opening `%{`, from 1.
    pub line: u32,
    /// The text between the brackets.
    pub text: String,
}

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`: to the socket.
    Inbound,
    /// `>`: from the socket.
    Outbound,
}

/// A packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Its direction.
    pub direction: Direction,
    /// What the script says of the IP header.
    pub ip: IpInfo,
    /// Headers around the packet (`ipv4`, `gre`, `mpls`, `psp`).
    pub encapsulation: Option<String>,
    /// Source and destination port, where given.
    pub ports: Option<(u16, u16)>,
    /// The packet inside IP.
    pub body: Body,
}

/// What a packet carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A TCP segment.
    Tcp(TcpPacket),
    /// A UDP datagram.
    Udp,
    /// An ICMP message.
    Icmp,
}

/// What a script says of an IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IpInfo {
    /// The ECN field.
    pub ecn: Option<EcnSpec>,
    /// The flow label (IPv6).
    pub flow_label: Option<u32>,
    /// The time to live.
    pub ttl: Option<u8>,
}

/// What a script says of the ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnSpec {
    /// `[noecn]`.
    NotEct,
    /// `[ect0]`.
    Ect0,
    /// `[ect1]`.
    Ect1,
    /// `[ce]`.
    Ce,
    /// `[ect01]`: one of the two.
    Ect01,
    /// `[tos 0x..]`: the whole byte.
    Tos(u8),
}

/// A TCP segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpPacket {
    /// Control bits, in the positions of the wire (`ackclock_engine`'s `segment::flag`).
    pub flags: u16,
    /// Whether the three AccECN bits were written as a number (`.5`).
    pub flags_have_ace: bool,
    /// The first sequence number.
    pub seq: u32,
    /// Bytes of payload.
    pub payload: u32,
    /// The acknowledgement number; 0 where not given.
    pub ack: u32,
    /// The window field, where given.
    pub window: Option<u16>,
    /// The urgent pointer.
    pub urgent: u16,
    /// The options; `None` for `<...>`, which is not checked.
    pub options: Option<Vec<TcpOption>>,
}

/// A TCP option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// `nop`.
    Nop,
    /// `eol`.
    Eol,
    /// `mss 1460`.
    Mss(u16),
    /// `wscale 8`.
    WindowScale(u8),
    /// `sackOK`.
    SackPermitted,
    /// `sack 1:2 5:6`.
    Sack(Vec<(u32, u32)>),
    /// `TS val 1 ecr 2`.
    Timestamps {
        /// TSval.
        val: u32,
        /// TSecr.
        ecr: u32,
    },
    /// `ECN e0b 1 ceb 2 e1b 3`, its fields in the order of the option.
    AccEcn(Vec<(AccEcnField, u32)>),
    /// `FO` or `FOEXP` with a cookie.
    FastOpen {
        /// The cookie, in hexadecimal digits.
        cookie: String,
        /// Whether it is the experimental option.
        is_experimental: bool,
    },
    /// `md5` with a digest.
    Md5(String),
}

/// A counter of the AccECN option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccEcnField {
    /// `e0b`.
    Ect0,
    /// `ceb`.
    Ce,
    /// `e1b`.
    Ect1,
}

impl TcpOption {
    /// Bytes of the option on the wire.
    pub fn len(&self) -> usize {
        match self {
            TcpOption::Nop | TcpOption::Eol => 1,
            TcpOption::Mss(_) => 4,
            TcpOption::WindowScale(_) => 3,
            TcpOption::SackPermitted => 2,
            TcpOption::Sack(blocks) => 2 + 8 * blocks.len(),
            TcpOption::Timestamps { .. } => 10,
            TcpOption::AccEcn(fields) => 2 + 3 * fields.len(),
            TcpOption::FastOpen { cookie, is_experimental } => cookie.len() / 2 + if *is_experimental { 4 } else { 2 },
            TcpOption::Md5(digest) => 2 + digest.len() / 2,
        }
    }

    /// Never; for symmetry with [`TcpOption::len`].
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// A system call with its expected result.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// For a call that blocks: when it returns, in microseconds, counted as the event's own time.
    pub end: Option<i64>,
    /// The call's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// The expected result.
    pub result: Expression,
    /// The expected `errno`, by name.
    pub error: Option<String>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `...`: any value.
    Ellipsis,
    /// A number.
    Integer(i64),
    /// A symbol.
    Word(String),
    /// A string.
    Text(String),
    /// `a | b`.
    Or(Box<Expression>, Box<Expression>),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{a, b = c, d(e) = f}`.
    Structure(Vec<Field>),
    /// `htons(8080)`.
    Function(String, Vec<Expression>),
}

/// An element of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, where given.
    pub name: Option<String>,
    /// Its value.
    pub value: Expression,
}

impl Expression {
    /// The value of the structure's field of that name.
    pub fn field(&self, name: &str) -> Option<&Expression> {
        match self {
            Expression::Structure(fields) => {
                fields.iter().find(|field| field.name.as_deref() == Some(name)).map(|field| &field.value)
            }
            _ => None,
        }
    }

    /// All symbols in the expression.
    pub fn words(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.collect_words(&mut found);
        found
    }

    fn collect_words<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Expression::Word(word) => found.push(word),
            Expression::Or(left, right) => {
                left.collect_words(found);
                right.collect_words(found);
            }
            Expression::List(items) | Expression::Function(_, items) => {
                items.iter().for_each(|item| item.collect_words(found));
            }
            Expression::Structure(fields) => fields.iter().for_each(|field| field.value.collect_words(found)),
            Expression::Ellipsis | Expression::Integer(_) | Expression::Text(_) => {}
        }
    }
}
