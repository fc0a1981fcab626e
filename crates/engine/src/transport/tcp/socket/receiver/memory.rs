//! Memory of received data: a model of the kernel's buffers.
//!
//! Source: Linux's `SKB_TRUESIZE`, `tcp_win_from_space`, `tcp_space`, `tcp_try_rmem_schedule`.
//! What it decides: how much of the receive buffer a segment takes.
//! Departures: a packet's memory is that of a tun device (measured with Linux 6.18): one buffer from the kernel's
//! allocator. Network cards differ from each other.
//! Not implemented: the limits of a host's memory (`tcp_mem`).
//! Checked against: SO_MEMINFO of Linux 6.18, below; packetdrill's `tcp_rcv_*` and `tcp_ooo_*`.

use super::super::Socket;
use super::super::segment::Segment;

/// Bytes of `struct sk_buff` in whole cache lines.
const SKB_HEADER: u32 = 256;
/// Bytes of `struct skb_shared_info` in whole cache lines.
const SKB_SHARED_INFO: u32 = 320;
/// Bytes kept free before a packet's headers (`NET_SKB_PAD`), and IP and TCP headers.
const HEADERS: u32 = 64 + 40;
/// The smallest buffer (`SKB_SMALL_HEAD_CACHE_SIZE`), bytes.
const SMALL_HEAD: u32 = 576;
/// The largest buffer whose size is a power of two; larger ones are whole pages, bytes.
const KMALLOC_MAX_CACHE_SIZE: u32 = 8192;
/// Bytes of a page.
const PAGE: u32 = 4096;
/// The part of the buffer that is offered as window at first, in 1/256 (`TCP_DEFAULT_SCALING_RATIO`).
pub(in super::super) const DEFAULT_SCALING_RATIO: u8 = 128;

/// Memory of a segment, bytes (`skb->truesize`).
pub(in super::super) fn truesize(segment: &Segment) -> u32 {
    buffer(segment).0
}

/// Memory of a segment, and what is left in its buffer for small segments that follow (`skb_tailroom`), bytes.
pub(super) fn buffer(segment: &Segment) -> (u32, u32) {
    let payload = segment.payload.min(1 << 24);
    let used = payload + HEADERS + SKB_SHARED_INFO + segment.options.wire_len();
    let (bytes, left) = if used <= SMALL_HEAD {
        (SMALL_HEAD, SMALL_HEAD - used)
    } else if used <= KMALLOC_MAX_CACHE_SIZE {
        (used.next_power_of_two(), used.next_power_of_two() - used)
    } else {
        (used.next_multiple_of(PAGE), 0) // in pages, without a tail
    };
    (bytes + SKB_HEADER, left)
}

/// Memory of so many bytes that were copied into full buffers.
pub(super) fn collapsed_truesize(bytes: u32) -> u32 {
    let payload = PAGE - SKB_SHARED_INFO;
    bytes.div_ceil(payload).max(1) * (PAGE + SKB_HEADER)
}

impl Socket {
    /// Window for so much memory (`tcp_win_from_space`), bytes.
    #[inline]
    pub(in super::super) fn win_from_space(&self, space: i64) -> i64 {
        (space * i64::from(self.rcv.scaling_ratio)) >> 8
    }

    /// Memory for such a window (`tcp_space_from_win`), bytes.
    pub(in super::super) fn space_from_win(&self, window: u64) -> u64 {
        (window << 8) / u64::from(self.rcv.scaling_ratio.max(1))
    }

    /// Window for the memory that is free (`tcp_space`), bytes; negative if more than the buffer is taken.
    #[inline]
    pub(in super::super) fn space(&self) -> i64 {
        self.win_from_space(i64::from(self.rcv.rcvbuf) - i64::from(self.rcv.rmem_alloc()))
    }

    /// Window for the whole buffer (`tcp_full_space`), bytes.
    #[inline]
    pub(in super::super) fn full_space(&self) -> i64 {
        self.win_from_space(i64::from(self.rcv.rcvbuf))
    }

    /// Whether no further segment may be stored without freeing memory.
    #[inline]
    pub(in super::super) fn is_rmem_exhausted(&self) -> bool {
        self.rcv.rmem_alloc() > self.rcv.rcvbuf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SK_MEMINFO_RMEM_ALLOC of Linux 6.18 with one segment of so many bytes from a tun device, without options.
    #[test]
    fn a_segment_takes_what_linux_counts() {
        let measured = [
            (1, 832),
            (100, 832),
            (500, 1280),
            (1000, 2304),
            (1460, 2304),
            (2000, 4352),
            (4000, 8448),
            (10_000, 12_544),
            (20_000, 20_736),
            (60_000, 61_696),
        ];
        for (payload, bytes) in measured {
            assert_eq!(truesize(&Segment { payload, ..Segment::default() }), bytes, "{payload} bytes");
        }
    }
}
