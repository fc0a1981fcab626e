//! Translates between the script's packets and the engine's segments.
//!
//! Sources: packetdrill's rules for sequence numbers (`socket.h`: those of packets with SYN are absolute, others count
//! from the first SYN), and the order in which Linux writes options (`tcp_options_write`, net/ipv4/tcp_output.c).

use ackclock_engine::transport::tcp::socket::segment::{
    AccEcnOption, EcnCodepoint, Options, SackBlock, Segment, Timestamps, flag,
};
use ackclock_engine::transport::tcp::socket::seq::SeqNum;

use crate::script::{AccEcnField, EcnSpec, Packet, TcpOption, TcpPacket};

/// Where the sequence numbers of a script and of a connection begin.
#[derive(Clone, Debug, Default)]
pub(super) struct SequenceMap {
    /// Our initial sequence number.
    pub(super) local: u32,
    /// The script's number of our SYN.
    pub(super) script_local: u32,
    /// The peer's initial sequence number, which the script chooses.
    pub(super) remote: u32,
}

impl SequenceMap {
    /// What to add to our sequence numbers in the script.
    fn local_offset(&self, flags: u16) -> u32 {
        if flags & flag::SYN != 0 { self.local.wrapping_sub(self.script_local) } else { self.local }
    }

    /// What to add to the peer's sequence numbers in the script.
    fn remote_offset(&self, flags: u16) -> u32 {
        if flags & flag::SYN != 0 { 0 } else { self.remote }
    }
}

/// The segment that an inbound packet stands for. `echo` translates a timestamp echo.
pub(super) fn segment(
    packet: &Packet,
    tcp: &TcpPacket,
    map: &SequenceMap,
    echo: impl Fn(u32) -> Result<u32, String>,
) -> Result<Segment, String> {
    let local = map.local_offset(tcp.flags);
    let has_ack = tcp.flags & flag::ACK != 0;
    let mut options = Options::default();
    for option in tcp.options.iter().flatten() {
        match option {
            TcpOption::Mss(mss) => options.mss = Some(*mss),
            TcpOption::WindowScale(shift) => options.window_scale = Some(*shift),
            TcpOption::SackPermitted => options.sack_permitted = true,
            TcpOption::Sack(blocks) => {
                for (left, right) in blocks {
                    let start = SeqNum(left.wrapping_add(local));
                    options.push_sack(SackBlock { start, end: SeqNum(right.wrapping_add(local)) });
                }
            }
            TcpOption::Timestamps { val, ecr } => {
                let ecr = if has_ack { echo(*ecr)? } else { *ecr };
                options.timestamps = Some(Timestamps { val: *val, ecr });
            }
            TcpOption::AccEcn(fields) => {
                let count = |wanted| fields.iter().find(|(field, _)| *field == wanted).map(|(_, count)| *count);
                options.acc_ecn = Some(AccEcnOption {
                    ee0b: count(AccEcnField::Ect0),
                    eceb: count(AccEcnField::Ce),
                    ee1b: count(AccEcnField::Ect1),
                    is_order_1: fields.first().is_some_and(|(field, _)| *field == AccEcnField::Ect1),
                });
            }
            TcpOption::Nop | TcpOption::Eol | TcpOption::FastOpen { .. } | TcpOption::Md5(_) => {}
        }
    }
    Ok(Segment {
        seq: SeqNum(tcp.seq.wrapping_add(map.remote_offset(tcp.flags))),
        ack: SeqNum(if has_ack { tcp.ack.wrapping_add(local) } else { 0 }),
        flags: tcp.flags,
        window: tcp.window.unwrap_or(0),
        payload: tcp.payload,
        gso_size: 0,
        options,
        ecn: match packet.ip.ecn {
            Some(EcnSpec::Ect0 | EcnSpec::Tos(2)) => EcnCodepoint::Ect0,
            Some(EcnSpec::Ect1 | EcnSpec::Tos(1)) => EcnCodepoint::Ect1,
            Some(EcnSpec::Ce | EcnSpec::Tos(3)) => EcnCodepoint::Ce,
            _ => EcnCodepoint::NotEct,
        },
    })
}

/// The ECN field in the script's notation.
pub(super) fn ecn_field(ecn: EcnCodepoint) -> EcnSpec {
    match ecn {
        EcnCodepoint::NotEct => EcnSpec::NotEct,
        EcnCodepoint::Ect0 => EcnSpec::Ect0,
        EcnCodepoint::Ect1 => EcnSpec::Ect1,
        EcnCodepoint::Ce => EcnSpec::Ce,
    }
}

/// An outbound segment as a packet of the script.
pub(super) fn packet(segment: &Segment, map: &SequenceMap) -> TcpPacket {
    let remote = map.remote_offset(segment.flags);
    TcpPacket {
        flags: segment.flags,
        flags_have_ace: false,
        seq: segment.seq.0.wrapping_sub(map.local_offset(segment.flags)),
        payload: segment.payload,
        ack: if segment.has(flag::ACK) { segment.ack.0.wrapping_sub(remote) } else { 0 },
        window: Some(segment.window),
        urgent: 0,
        options: Some(options(&segment.options, remote)),
    }
}

/// Options in Linux's order, filled up with NOPs as Linux does.
fn options(options: &Options, remote: u32) -> Vec<TcpOption> {
    let mut list = Vec::new();
    let mut sack_permitted = options.sack_permitted;
    if let Some(mss) = options.mss {
        list.push(TcpOption::Mss(mss));
    }
    if let Some(Timestamps { val, ecr }) = options.timestamps {
        if sack_permitted {
            list.push(TcpOption::SackPermitted);
            sack_permitted = false;
        } else {
            list.extend([TcpOption::Nop, TcpOption::Nop]);
        }
        list.push(TcpOption::Timestamps { val, ecr });
    }
    // Bytes of the AccECN option beyond whole words: the next option's NOPs give way to them.
    let mut leftover = 0;
    if let Some(option) = options.acc_ecn {
        let fields = acc_ecn_fields(&option);
        leftover = (2 + 3 * fields.len()) % 4;
        list.push(TcpOption::AccEcn(fields));
        if leftover == 3 {
            list.push(TcpOption::Nop);
            leftover = 0;
        }
    }
    let nops = |leftover: &mut usize| vec![TcpOption::Nop; 2 - std::mem::take(leftover)];
    if sack_permitted {
        list.extend(nops(&mut leftover));
        list.push(TcpOption::SackPermitted);
    }
    if let Some(shift) = options.window_scale {
        if leftover == 1 {
            leftover = 0;
        } else {
            list.push(TcpOption::Nop);
        }
        list.push(TcpOption::WindowScale(shift));
    }
    if !options.sack_blocks().is_empty() {
        list.extend(nops(&mut leftover));
        let edge = |seq: SeqNum| seq.0.wrapping_sub(remote);
        list.push(TcpOption::Sack(
            options.sack_blocks().iter().map(|block| (edge(block.start), edge(block.end))).collect(),
        ));
    } else if leftover > 0 {
        list.extend(vec![TcpOption::Nop; 4 - leftover]);
    }
    list
}

/// The counters in the order of the option, up to the first one that is not there.
fn acc_ecn_fields(option: &AccEcnOption) -> Vec<(AccEcnField, u32)> {
    let (ect0, ce, ect1) =
        ((AccEcnField::Ect0, option.ee0b), (AccEcnField::Ce, option.eceb), (AccEcnField::Ect1, option.ee1b));
    let order = if option.is_order_1 { [ect1, ce, ect0] } else { [ect0, ce, ect1] };
    order.into_iter().map_while(|(field, count)| count.map(|count| (field, count & 0xff_ffff))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::options_text;

    fn text(list: &Options) -> String {
        options_text(&options(list, 0))
    }

    // The layouts of tcp_options_write(): two NOPs before each option that is not whole words, which sackOK beside
    // timestamps and the end of an AccECN option replace.
    #[test]
    fn options_in_linux_order() {
        let mut list = Options::default();
        (list.mss, list.sack_permitted, list.window_scale) = (Some(1460), true, Some(8));
        assert_eq!(text(&list), "mss 1460,nop,nop,sackOK,nop,wscale 8");
        list.timestamps = Some(Timestamps { val: 1, ecr: 2 });
        assert_eq!(text(&list), "mss 1460,sackOK,TS val 1 ecr 2,nop,wscale 8");
        let counters = |ee1b, eceb, ee0b| Some(AccEcnOption { ee0b, eceb, ee1b, is_order_1: true });
        let mut list = Options::default();
        list.acc_ecn = counters(Some(1), Some(0), Some(1));
        assert_eq!(text(&list), "ECN e1b 1 ceb 0 e0b 1,nop");
        list.acc_ecn = counters(Some(1), Some(0), None);
        assert_eq!(text(&list), "ECN e1b 1 ceb 0");
        list.acc_ecn = counters(Some(1), None, None);
        assert_eq!(text(&list), "ECN e1b 1,nop,nop,nop");
        list.push_sack(SackBlock { start: SeqNum(5), end: SeqNum(7) });
        assert_eq!(text(&list), "ECN e1b 1,nop,sack 5:7");
    }
}
