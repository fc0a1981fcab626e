//! pcapng writer, for captures that Wireshark reads.
//!
//! A file has a section header, a description of each interface before its first packet, and a block per packet, with
//! times in ns. [`crate::capture::frames`] makes the headers. The data of simulated packets are all zeros and are left
//! out, as in a capture with a short snap length; datagrams of other programs have theirs.

use crate::capture::frames::{Captured, Frames, MAX_HEADERS};

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const ETHERNET: u16 = 1;

const NAME: u16 = 2;
const RESOLUTION: u16 = 9;
const APPLICATION: u16 = 4;

fn push_16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn push_32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn pad(out: &mut Vec<u8>) {
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}

fn push_option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    push_16(out, code);
    push_16(out, value.len() as u16);
    out.extend_from_slice(value);
    pad(out);
}

/// Appends a block: its type, its length, the output of `body`, its length.
fn push_block(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let mut inside = Vec::with_capacity(128);
    body(&mut inside);
    pad(&mut inside);
    let length = inside.len() as u32 + 12;
    push_32(out, kind);
    push_32(out, length);
    out.extend_from_slice(&inside);
    push_32(out, length);
}

/// A capture in progress. It appends to buffers and writes no files.
#[derive(Default)]
pub struct Pcapng {
    frames: Frames,
    interfaces: u32,
}

impl Pcapng {
    /// Appends the section header.
    pub fn push_head(out: &mut Vec<u8>) {
        push_block(out, SECTION, |block| {
            push_32(block, 0x1A2B_3C4D);
            push_16(block, 1);
            push_16(block, 0);
            block.extend_from_slice(&(-1i64).to_le_bytes());
            push_option(block, APPLICATION, b"ackclock");
            push_option(block, 0, b"");
        });
    }

    /// Appends the description of an interface; returns its number.
    pub fn push_interface(&mut self, out: &mut Vec<u8>, name: &str) -> u32 {
        push_block(out, INTERFACE, |block| {
            push_16(block, ETHERNET);
            push_16(block, 0);
            push_32(block, 0);
            push_option(block, NAME, name.as_bytes());
            push_option(block, RESOLUTION, &[9]);
            push_option(block, 0, b"");
        });
        self.interfaces += 1;
        self.interfaces - 1
    }

    /// Updates the connection state from a packet, captured or not.
    pub fn learn(&mut self, packet: &Captured) {
        self.frames.learn(packet);
    }

    /// Appends a packet at an interface.
    pub fn push_packet(&mut self, out: &mut Vec<u8>, interface: u32, packet: &Captured) {
        let mut frame = Vec::with_capacity(MAX_HEADERS);
        let length = self.frames.push(&mut frame, packet);
        push_frame(out, interface, packet.time_s, &frame, length);
    }

    /// Appends a datagram of UDP with its data at an interface.
    pub fn push_datagram(out: &mut Vec<u8>, interface: u32, packet: &Captured, data: &[u8]) {
        let mut frame = Vec::with_capacity(MAX_HEADERS + data.len());
        Frames::push_datagram(&mut frame, packet, data);
        push_frame(out, interface, packet.time_s, &frame, frame.len() as u32);
    }
}

/// Appends a frame, of which `length` bytes were on the wire.
fn push_frame(out: &mut Vec<u8>, interface: u32, time_s: f64, frame: &[u8], length: u32) {
    let nanoseconds = (time_s * 1.0e9).round() as u64;
    push_block(out, PACKET, |block| {
        push_32(block, interface);
        push_32(block, (nanoseconds >> 32) as u32);
        push_32(block, nanoseconds as u32);
        push_32(block, frame.len() as u32);
        push_32(block, length);
        block.extend_from_slice(frame);
    });
}
