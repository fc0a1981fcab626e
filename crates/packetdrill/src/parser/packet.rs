//! Packets: headers around them, the IP header, the TCP header and its options.

use ackclock_engine::transport::tcp::socket::segment::flag;

use super::{Parsed, Parser};
use crate::lexer::{Kind, ParseError};
use crate::script::{AccEcnField, Body, Direction, EcnSpec, IpInfo, Packet, TcpOption, TcpPacket};

/// Bytes of options that fit into a TCP header (RFC 9293, 3.1: a data offset of at most 15 words).
const MAX_OPTION_BYTES: usize = 40;

impl Parser {
    pub(super) fn packet(&mut self) -> Parsed<Packet> {
        let direction = if self.accept('<') {
            Direction::Inbound
        } else {
            self.expect('>')?;
            Direction::Outbound
        };
        let mut encapsulation = self.outer_headers()?;
        let ip = self.ip_info()?;
        if ip.ecn == Some(EcnSpec::Ect01) && direction == Direction::Inbound {
            return Err(self.error("[ect01] is for outbound packets only".to_owned()));
        }
        if self.accept_word("encap") {
            self.expect_word("psp")?;
            self.expect_word("spi")?;
            self.advance();
            encapsulation = Some("psp".to_owned());
        }
        let is_udp = self.accept_word("udp");
        let ports = self.ports()?;
        let body = if is_udp {
            self.expect('(')?;
            self.number_to(u32::from(u16::MAX), "bytes of UDP payload")?;
            self.expect(')')?;
            Body::Udp
        } else if self.accept_word("icmp") {
            self.skip_icmp()?;
            Body::Icmp
        } else {
            Body::Tcp(self.tcp(direction)?)
        };
        Ok(Packet { direction, ip, encapsulation, ports, body })
    }

    /// Skips the headers before the innermost IP header; returns the name of the first one.
    fn outer_headers(&mut self) -> Parsed<Option<String>> {
        let mut first = None;
        while ["ipv4", "ipv6", "gre", "GREv0", "mpls"].iter().any(|header| self.is_word(header)) {
            let header = self.word("a header")?;
            first.get_or_insert(header);
            while !self.accept(':') {
                if *self.kind() == Kind::End {
                    return self.expected("':' after the outer header");
                }
                self.advance();
            }
        }
        Ok(first)
    }

    fn ip_info(&mut self) -> Parsed<IpInfo> {
        let mut info = IpInfo::default();
        let close = if self.accept('[') {
            ']'
        } else if self.accept('(') {
            ')'
        } else {
            return Ok(info);
        };
        loop {
            match self.word("ect0, ect1, ce, noecn, ect01, tos, flowlabel or ttl")?.as_str() {
                "noecn" => info.ecn = Some(EcnSpec::NotEct),
                "ect0" => info.ecn = Some(EcnSpec::Ect0),
                "ect1" => info.ecn = Some(EcnSpec::Ect1),
                "ce" => info.ecn = Some(EcnSpec::Ce),
                "ect01" => info.ecn = Some(EcnSpec::Ect01),
                "tos" => info.ecn = Some(EcnSpec::Tos(self.hex(0xff, "a TOS byte (0x00 to 0xff)")? as u8)),
                "flowlabel" => info.flow_label = Some(self.hex(0xf_ffff, "a flow label (20 bits)")?),
                "ttl" => info.ttl = Some(self.number_to(255, "a TTL")? as u8),
                _ => {
                    self.at -= 1;
                    return self.expected("ect0, ect1, ce, noecn, ect01, tos, flowlabel or ttl");
                }
            }
            if self.accept(close) {
                return Ok(info);
            }
            if !self.accept(',') {
                return self.expected(&format!("',' or '{close}'"));
            }
        }
    }

    fn hex(&mut self, limit: i64, what: &str) -> Parsed<u32> {
        match *self.kind() {
            Kind::Hex(value) if (0..=limit).contains(&value) => {
                self.advance();
                Ok(value as u32)
            }
            _ => self.expected(what),
        }
    }

    fn ports(&mut self) -> Parsed<Option<(u16, u16)>> {
        if !matches!(self.kind(), Kind::Integer(..)) || *self.kind_after(1) != Kind::Mark('>') {
            return Ok(None);
        }
        let source = self.number_to(u32::from(u16::MAX), "a port")?;
        self.expect('>')?;
        Ok(Some((source as u16, self.number_to(u32::from(u16::MAX), "a port")? as u16)))
    }

    /// Type, code, MTU, identifier and the packet that the message quotes.
    fn skip_icmp(&mut self) -> Parsed<()> {
        self.word("an ICMP type")?;
        if !["mtu", "id"].iter().any(|word| self.is_word(word)) && matches!(self.kind(), Kind::Word(_)) {
            self.advance();
        }
        for word in ["mtu", "id"] {
            if self.accept_word(word) {
                self.integer("a number")?;
            }
        }
        if self.accept('[') {
            while !self.accept(']') {
                if *self.kind() == Kind::End {
                    return self.expected("']'");
                }
                self.advance();
            }
        }
        Ok(())
    }

    fn tcp(&mut self, direction: Direction) -> Parsed<TcpPacket> {
        let (flags, flags_have_ace) = self.flags()?;
        let start = self.token().clone();
        let seq = self.number_to(u32::MAX, "a sequence number")?;
        self.expect(':')?;
        let end = self.number_to(u32::MAX, "the end of the sequence numbers")?;
        self.expect('(')?;
        let payload = self.number_to(u32::from(u16::MAX), "bytes of payload")?;
        self.expect(')')?;
        if seq.wrapping_add(payload) != end {
            let message = format!("{seq}:{end}({payload}): expected {seq} + {payload} to be {end}");
            return Err(ParseError { line: start.line, column: start.column, message });
        }
        let ack = if self.accept_word("ack") { self.number_to(u32::MAX, "an acknowledgement number")? } else { 0 };
        let limit = u32::from(u16::MAX);
        let window = if self.accept_word("win") { Some(self.number_to(limit, "a window")? as u16) } else { None };
        if window.is_none() && direction == Direction::Inbound {
            return self.expected("'win' and a window, as the packet is inbound");
        }
        let urgent = if self.accept_word("urg") { self.number_to(limit, "an urgent pointer")? as u16 } else { 0 };
        let options = self.tcp_options(direction)?;
        Ok(TcpPacket { flags, flags_have_ace, seq, payload, ack, window, urgent, options })
    }

    /// `SF.`, `P.5`, `.` or `-`.
    fn flags(&mut self) -> Parsed<(u16, bool)> {
        let token = self.token().clone();
        let mut text = String::new();
        match self.kind().clone() {
            Kind::Mark('-') => {
                self.advance();
                return Ok((0, false));
            }
            Kind::Word(word) => {
                text.push_str(&word);
                self.advance();
            }
            Kind::Mark('.') | Kind::Float(_) => {}
            _ => return self.expected("TCP flags (F, S, R, P, ., U, E, W, A, 0 to 7, or - for none)"),
        }
        match self.kind().clone() {
            Kind::Float(ace) => {
                text.push_str(&ace);
                self.advance();
            }
            Kind::Mark('.') => {
                text.push('.');
                self.advance();
            }
            _ => {}
        }
        let error = |message| ParseError { line: token.line, column: token.column, message };
        let (mut flags, mut has_ecn_letter, mut has_ace) = (0, false, false);
        for letter in text.chars() {
            let bit = match letter {
                'F' => flag::FIN,
                'S' => flag::SYN,
                'R' => flag::RST,
                'P' => flag::PSH,
                '.' => flag::ACK,
                'U' => flag::URG,
                'E' => flag::ECE,
                'W' => flag::CWR,
                'A' => flag::AE,
                '0'..='7' => {
                    if has_ace || has_ecn_letter {
                        return Err(error(format!("TCP flags '{text}': AccECN bits are given twice")));
                    }
                    has_ace = true;
                    u16::from(letter as u8 - b'0') * flag::ECE
                }
                _ => return Err(error(format!("invalid TCP flag '{letter}' in '{text}'"))),
            };
            if matches!(letter, 'E' | 'W' | 'A') {
                if has_ace {
                    return Err(error(format!("TCP flags '{text}': AccECN bits are given twice")));
                }
                has_ecn_letter = true;
            }
            flags |= bit;
        }
        // packetdrill reads the number 0 as "no ECN flags".
        let is_zero = flags & (flag::ECE | flag::CWR | flag::AE) == 0;
        Ok((flags, has_ace && !is_zero))
    }

    fn tcp_options(&mut self, direction: Direction) -> Parsed<Option<Vec<TcpOption>>> {
        let start = self.token().clone();
        let error = |message: String| ParseError { line: start.line, column: start.column, message };
        // The next event may begin with a number only, so that `<` here belongs to the packet.
        if !self.accept('<') {
            return Ok(Some(Vec::new()));
        }
        if *self.kind() == Kind::Ellipsis {
            self.advance();
            self.expect('>')?;
            if direction == Direction::Inbound {
                return Err(error("<...> is for outbound packets only".to_owned()));
            }
            return Ok(None);
        }
        let mut options = Vec::new();
        loop {
            options.push(self.tcp_option()?);
            if self.accept('>') {
                break;
            }
            if !self.accept(',') {
                return self.expected("',' or '>'");
            }
        }
        let bytes: usize = options.iter().map(TcpOption::len).sum();
        // A cookie or digest may be a symbol of somebody else's runner.
        let is_known = options.iter().all(|option| match option {
            TcpOption::FastOpen { cookie: digits, .. } | TcpOption::Md5(digits) => {
                digits.bytes().all(|b| b.is_ascii_hexdigit())
            }
            _ => true,
        });
        if is_known && (!bytes.is_multiple_of(4) || bytes > MAX_OPTION_BYTES) {
            let message = format!("TCP options of {bytes} bytes; expected a multiple of 4, at most {MAX_OPTION_BYTES}");
            return Err(error(message));
        }
        Ok(Some(options))
    }

    fn tcp_option(&mut self) -> Parsed<TcpOption> {
        let what = "a TCP option (mss, wscale, sackOK, sack, TS, nop, eol, ECN, FO, FOEXP or md5)";
        let name = self.word(what)?;
        Ok(match name.as_str() {
            "nop" => TcpOption::Nop,
            "eol" => TcpOption::Eol,
            "sackOK" => TcpOption::SackPermitted,
            "mss" => TcpOption::Mss(self.number_to(u32::from(u16::MAX), "an MSS")? as u16),
            "wscale" => TcpOption::WindowScale(self.number_to(255, "a window scale")? as u8),
            "sack" => {
                let mut blocks = Vec::new();
                while matches!(self.kind(), Kind::Integer(..)) || blocks.is_empty() {
                    let left = self.number_to(u32::MAX, "the left edge of a SACK block")?;
                    self.expect(':')?;
                    blocks.push((left, self.number_to(u32::MAX, "the right edge of a SACK block")?));
                }
                TcpOption::Sack(blocks)
            }
            "TS" => {
                self.expect_word("val")?;
                let val = self.number_to(u32::MAX, "TSval")?;
                self.expect_word("ecr")?;
                TcpOption::Timestamps { val, ecr: self.number_to(u32::MAX, "TSecr")? }
            }
            "ECN" => TcpOption::AccEcn(self.acc_ecn_fields()?),
            "FO" | "FOEXP" => TcpOption::FastOpen { cookie: self.hex_blob(), is_experimental: name == "FOEXP" },
            "md5" => TcpOption::Md5(self.hex_blob()),
            _ => {
                self.at -= 1;
                return self.expected(what);
            }
        })
    }

    fn hex_blob(&mut self) -> String {
        match self.kind().clone() {
            Kind::Word(text) | Kind::Integer(text, _) => {
                self.advance();
                text
            }
            _ => String::new(),
        }
    }

    fn acc_ecn_fields(&mut self) -> Parsed<Vec<(AccEcnField, u32)>> {
        let mut fields = Vec::new();
        loop {
            let allowed: &[(&str, AccEcnField)] = match fields.as_slice() {
                [] => &[("e0b", AccEcnField::Ect0), ("e1b", AccEcnField::Ect1)],
                [_] => &[("ceb", AccEcnField::Ce)],
                [(AccEcnField::Ect0, _), _] => &[("e1b", AccEcnField::Ect1)],
                [_, _] => &[("e0b", AccEcnField::Ect0)],
                _ => &[],
            };
            match allowed.iter().find(|(word, _)| self.is_word(word)) {
                Some((_, field)) => {
                    self.advance();
                    fields.push((*field, self.number_to(0xff_ffff, "an AccECN counter (24 bits)")?));
                }
                None if fields.is_empty() => return self.expected("'e0b' or 'e1b'"),
                None => return Ok(fields),
            }
        }
    }
}
