//! Packets in packetdrill's notation.
//!
//! Source: what packetdrill prints of packets that differ (`packet_to_string.c`): the flags in the order FSRP.U, then
//! the ECN bits as letters or as a number, sequence numbers, acknowledgement, window and options.

use std::fmt::{self, Write as _};

use ackclock_engine::transport::tcp::socket::segment::flag;

use crate::script::{AccEcnField, EcnSpec, TcpOption, TcpPacket};

const LETTERS: [(u16, char); 6] =
    [(flag::FIN, 'F'), (flag::SYN, 'S'), (flag::RST, 'R'), (flag::PSH, 'P'), (flag::ACK, '.'), (flag::URG, 'U')];
const ECN_LETTERS: [(u16, char); 3] = [(flag::ECE, 'E'), (flag::CWR, 'W'), (flag::AE, 'A')];

/// The AccECN bits as a number: AE, CWR and ECE (RFC 9768, 3.1).
pub(crate) fn ace(flags: u16) -> u16 {
    (flags / flag::ECE) & 7
}

impl fmt::Display for TcpPacket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut flags = String::new();
        flags.extend(LETTERS.iter().filter(|(bit, _)| self.flags & bit != 0).map(|(_, letter)| letter));
        if self.flags_have_ace {
            write!(flags, "{}", ace(self.flags))?;
        } else {
            flags.extend(ECN_LETTERS.iter().filter(|(bit, _)| self.flags & bit != 0).map(|(_, letter)| letter));
        }
        let flags = if flags.is_empty() { "-" } else { &flags };
        write!(out, "{flags} {}:{}({})", self.seq, self.seq.wrapping_add(self.payload), self.payload)?;
        if self.flags & flag::ACK != 0 {
            write!(out, " ack {}", self.ack)?;
        }
        if let Some(window) = self.window {
            write!(out, " win {window}")?;
        }
        if self.urgent != 0 {
            write!(out, " urg {}", self.urgent)?;
        }
        match self.options.as_deref() {
            None => out.write_str(" <...>"),
            Some([]) => Ok(()),
            Some(options) => write!(out, " <{}>", options_text(options)),
        }
    }
}

/// Options with commas between them.
pub(crate) fn options_text(options: &[TcpOption]) -> String {
    options.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for TcpOption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TcpOption::Nop => out.write_str("nop"),
            TcpOption::Eol => out.write_str("eol"),
            TcpOption::Mss(mss) => write!(out, "mss {mss}"),
            TcpOption::WindowScale(shift) => write!(out, "wscale {shift}"),
            TcpOption::SackPermitted => out.write_str("sackOK"),
            TcpOption::Sack(blocks) => {
                out.write_str("sack")?;
                blocks.iter().try_for_each(|(left, right)| write!(out, " {left}:{right}"))
            }
            TcpOption::Timestamps { val, ecr } => write!(out, "TS val {val} ecr {ecr}"),
            TcpOption::AccEcn(fields) => {
                out.write_str("ECN")?;
                fields.iter().try_for_each(|(field, count)| {
                    let name = match field {
                        AccEcnField::Ect0 => "e0b",
                        AccEcnField::Ce => "ceb",
                        AccEcnField::Ect1 => "e1b",
                    };
                    write!(out, " {name} {count}")
                })
            }
            TcpOption::FastOpen { cookie, is_experimental } => {
                write!(out, "{}", if *is_experimental { "FOEXP" } else { "FO" })?;
                if cookie.is_empty() { Ok(()) } else { write!(out, " {cookie}") }
            }
            TcpOption::Md5(digest) => write!(out, "md5 {digest}"),
        }
    }
}

impl fmt::Display for EcnSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EcnSpec::NotEct => out.write_str("[noecn]"),
            EcnSpec::Ect0 => out.write_str("[ect0]"),
            EcnSpec::Ect1 => out.write_str("[ect1]"),
            EcnSpec::Ce => out.write_str("[ce]"),
            EcnSpec::Ect01 => out.write_str("[ect01]"),
            EcnSpec::Tos(byte) => write!(out, "[tos {byte:#04x}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::{Action, Packet};

    fn packet(text: &str) -> Packet {
        let script = crate::parse("x", &format!("0 > {text}"), &[]).unwrap();
        match script.events.into_iter().next().unwrap().action {
            Action::Packet(packet) => packet,
            _ => unreachable!(),
        }
    }

    // A packet is written as it is read: the notation is packetdrill's.
    #[test]
    fn notation_reads_back() {
        for text in [
            "S 0:0(0) win 65535 <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 8>",
            "FP. 1:1001(1000) ack 1",
            ".5 1:1(0) ack 2 <nop,nop,sack 3001:4001 5001:6001>",
            "SEWA 0:0(0) <mss 1460,nop,nop,sackOK>",
            "R 1:1(0)",
            "- 1:1(0)",
            ". 1:1(0) ack 1 <...>",
            ". 1:1(0) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>",
        ] {
            let crate::script::Body::Tcp(tcp) = packet(text).body else { panic!("no TCP packet: {text}") };
            assert_eq!(tcp.to_string(), text);
        }
    }
}
