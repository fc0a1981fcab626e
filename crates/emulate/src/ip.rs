//! Parser for IPv4 and IPv6 headers, and the ECN marking of a packet.
//!
//! Source: RFC 791 (IPv4), RFC 8200 (IPv6), RFC 3168 section 5 (ECN field), RFC 1624 (incremental update of the
//! checksum).
//! Not implemented: IPv6 extension headers (the ports of such a packet count as 0).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ackclock_engine::packet::segment::EcnCodepoint;

/// The CE code point of the ECN field (RFC 3168 section 5).
const CONGESTION_EXPERIENCED: u8 = 0b11;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The 5-tuple that identifies a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversation {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// IP protocol number.
    pub protocol: u8,
    /// Source and destination port; 0 where the protocol has none.
    pub ports: (u16, u16),
}

/// The header fields that the simulation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The packet's flow.
    pub conversation: Conversation,
    /// Total length of the packet, bytes.
    pub bytes: usize,
    /// The ECN field.
    pub ecn: EcnCodepoint,
}

/// Parses a packet; `None` if it is not an IP packet or is truncated.
pub fn read(packet: &[u8]) -> Option<Header> {
    let (source, destination, protocol, bytes, above, class): (IpAddr, IpAddr, u8, usize, usize, u8);
    match packet.first()? >> 4 {
        4 => {
            let head: &[u8; 20] = packet.first_chunk()?;
            bytes = usize::from(word(head, 2));
            (protocol, class) = (head[9], head[1]);
            source = Ipv4Addr::from(*head[12..].first_chunk::<4>()?).into();
            destination = Ipv4Addr::from(*head[16..].first_chunk::<4>()?).into();
            above = usize::from(head[0] & 0xf) * 4;
        }
        6 => {
            let head: &[u8; 40] = packet.first_chunk()?;
            bytes = usize::from(word(head, 4)) + 40;
            (protocol, class) = (head[6], (word(head, 0) >> 4) as u8);
            source = Ipv6Addr::from(*head[8..].first_chunk::<16>()?).into();
            destination = Ipv6Addr::from(*head[24..].first_chunk::<16>()?).into();
            above = 40;
        }
        _ => return None,
    }
    if packet.len() < bytes || bytes < above {
        return None;
    }
    let ports = match (protocol, packet.get(above..above + 4)) {
        (TCP | UDP, Some(ports)) => (word(ports, 0), word(ports, 2)),
        _ => (0, 0),
    };
    let conversation = Conversation { source, destination, protocol, ports };
    Some(Header { conversation, bytes, ecn: EcnCodepoint::from_bits(class) })
}

/// Sets CE in a packet, and updates the IPv4 checksum.
///
/// # Panics
/// If [`read`] returns `None` for the packet.
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        packet[1] |= CONGESTION_EXPERIENCED << 4;
        return;
    }
    let before = word(packet, 0);
    packet[1] |= CONGESTION_EXPERIENCED;
    // RFC 1624, equation 3, in ones' complement arithmetic.
    let sum = u32::from(!word(packet, 10)) + u32::from(!before) + u32::from(word(packet, 0));
    let folded = (sum & 0xffff) + (sum >> 16);
    let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over a valid header is 0xffff (RFC 1071).
    fn sums_up(header: &[u8]) -> bool {
        let sum: u32 = header.chunks(2).map(|pair| u32::from(word(pair, 0))).sum();
        (sum & 0xffff) + (sum >> 16) == 0xffff
    }

    // A header as tcpdump shows it: 10.0.0.1:5001 to 10.0.0.2:80, 1500 bytes, ECT(0). The checksum is computed by hand.
    fn version_4() -> Vec<u8> {
        let mut packet = vec![0u8; 1500];
        packet[..20].copy_from_slice(&[
            0x45, 0x02, 0x05, 0xdc, 0x00, 0x01, 0x40, 0x00, 0x40, 0x06, 0x21, 0x17, 10, 0, 0, 1, 10, 0, 0, 2,
        ]);
        packet[20..24].copy_from_slice(&[0x13, 0x89, 0, 80]);
        packet
    }

    #[test]
    fn version_4_is_read_and_marked() {
        let mut packet = version_4();
        assert!(sums_up(&packet[..20]));
        let header = read(&packet).unwrap();
        assert_eq!(header.bytes, 1500);
        assert_eq!(header.ecn, EcnCodepoint::Ect0);
        assert_eq!(header.conversation.ports, (5001, 80));
        assert_eq!(header.conversation.destination, "10.0.0.2".parse::<IpAddr>().unwrap());
        mark(&mut packet);
        assert_eq!(packet[1], 0x03);
        assert!(sums_up(&packet[..20]));
    }

    #[test]
    fn version_6_is_read_and_marked() {
        let mut packet = vec![0u8; 48];
        packet[..8].copy_from_slice(&[0x60, 0x20, 0, 0, 0, 8, 17, 64]);
        (packet[23], packet[39]) = (1, 2);
        packet[40..44].copy_from_slice(&[0, 53, 0x13, 0x89]);
        let header = read(&packet).unwrap();
        assert_eq!((header.bytes, header.ecn), (48, EcnCodepoint::Ect0));
        assert_eq!(header.conversation.source, "::1".parse::<IpAddr>().unwrap());
        assert_eq!(header.conversation.ports, (53, 5001));
        mark(&mut packet);
        assert_eq!(packet[1], 0x30);
    }

    #[test]
    fn what_is_no_whole_packet_is_none() {
        let packet = version_4();
        for length in [0, 1, 19, 20, 1499] {
            assert_eq!(read(&packet[..length]), None, "{length} bytes");
        }
        assert_eq!(read(&[0x55; 64]), None);
    }
}
