//! Expected packets: waits for the next one of the connection under test and compares it.

use ackclock_engine::transport::tcp::socket::clock::{Duration, Instant};

use super::compare;
use super::runner::{Runner, START, Sniffed, Step, Stop};
use crate::script::{Event, EventTime, Packet, TcpPacket};

/// How long after its time packetdrill still waits for a packet.
const PATIENCE: Duration = Duration::from_secs(2);

impl<'a> Runner<'a> {
    /// Compares the next packet with `packet`, which is expected from `times.0` to `times.1` microseconds.
    pub(super) fn expect(
        &mut self,
        event: &'a Event,
        packet: &Packet,
        tcp: &TcpPacket,
        times: (i64, i64),
        base: i64,
    ) -> Step {
        let Some(connection) = self.connection_for_outbound() else {
            return Err(self.differs(event, "error handling packet: no matching socket for script packet"));
        };
        let mut parts: Vec<(TcpPacket, Sniffed)> = Vec::new();
        let mut payload = 0;
        // Segments are joined until they are as long as the script's, as packetdrill does.
        loop {
            let Some(sniffed) = self.next_sniffed(event, times, connection)? else {
                let message =
                    format!("error handling packet: Timed out waiting for packet\nscript packet: {}", at(times.0, tcp));
                return Err(self.differs(event, message));
            };
            let actual = self.connections[connection].outbound(tcp, &sniffed.segment);
            if let Some((previous, _)) = parts.last() {
                let is_last = payload + actual.payload >= tcp.payload;
                let differs = compare::continues(&actual, previous).err().or_else(|| {
                    let is_short = !is_last && actual.payload != previous.payload;
                    is_short.then(|| {
                        format!(
                            "fragment payload: expected {} bytes vs actual {} bytes",
                            previous.payload, actual.payload
                        )
                    })
                });
                if let Some(message) = differs {
                    parts.push((actual, sniffed));
                    return Err(self.show_parts(event, times.0, tcp, &parts, &message));
                }
            }
            payload += actual.payload;
            parts.push((actual, sniffed));
            if payload >= tcp.payload || self.settings.strict_segments {
                break;
            }
        }
        if payload != tcp.payload {
            let message = format!("live packet payload: expected {} bytes vs actual {payload} bytes", tcp.payload);
            return Err(self.show_parts(event, times.0, tcp, &parts, &message));
        }
        let (first, _) = &parts[0];
        let (mut actual, last) = parts.last().map(|(packet, sniffed)| (packet.clone(), sniffed)).expect("one part");
        // The rest of a joined segment's header is that of its last part.
        const CWR: u16 = ackclock_engine::transport::tcp::socket::segment::flag::CWR;
        actual.seq = first.seq;
        actual.flags = (actual.flags & !CWR) | (first.flags & CWR);
        actual.payload = payload;
        actual.flags_have_ace = tcp.flags_have_ace;
        let sent = micros(last.at);
        let ecn = last.segment.ecn;
        let timestamps = self.connections[connection].match_timestamps(tcp, &mut actual);
        let result = compare::ecn(packet.ip.ecn, ecn)
            .and_then(|()| compare::header(tcp, &actual))
            .and_then(|()| compare::options(tcp, &actual))
            .and_then(|()| self.check_timestamps(timestamps, times.0))
            .and_then(|()| self.check_time(event, times, sent, base));
        result.map_err(|message| {
            let script = packet.ip.ecn.map_or_else(String::new, |ecn| format!("{ecn} "));
            let actual_text = format!("actual packet: {}", at(sent, &actual));
            let message = format!(
                "error handling packet: {message}\nscript packet: {}\n{actual_text}",
                at_text(times.0, &format!("{script}{tcp}"))
            );
            self.differs(event, message)
        })
    }

    /// The next segment of the connection, for which time passes if need be; `None` if none comes.
    fn next_sniffed(&mut self, event: &Event, times: (i64, i64), connection: usize) -> Step<Option<Sniffed>> {
        let wait = Duration::from_micros((times.1 - self.last_event).max(0) as u64) + PATIENCE;
        let limit = if event.time == EventTime::Any { START + self.settings.max_time } else { self.now + wait };
        loop {
            while let Some(sniffed) = self.sniffed.pop_front() {
                if sniffed.connection == connection {
                    return Ok(Some(sniffed));
                }
            }
            if !self.step(limit)? {
                return Ok(None);
            }
        }
    }

    fn show_parts(
        &self,
        event: &Event,
        time: i64,
        tcp: &TcpPacket,
        parts: &[(TcpPacket, Sniffed)],
        message: &str,
    ) -> Stop {
        let mut text = format!("error handling packet: {message}\nscript packet: {}", at(time, tcp));
        for (packet, sniffed) in parts {
            text.push_str(&format!("\nactual packet: {}", at(micros(sniffed.at), packet)));
        }
        self.differs(event, text)
    }

    fn check_timestamps(&self, timestamps: Option<(u32, u32)>, time: i64) -> Result<(), String> {
        let (Some((script, actual)), tick) = (timestamps, self.settings.ts_tick_usecs) else { return Ok(()) };
        let difference = i64::from(actual.wrapping_sub(script) as i32).abs() * tick;
        let tolerance = self.tolerance(time);
        if difference <= tolerance {
            return Ok(());
        }
        Err(format!("bad outbound TCP timestamp value, tolerance {tolerance}"))
    }

    fn check_time(&self, event: &Event, (from, to): (i64, i64), sent: i64, base: i64) -> Result<(), String> {
        let tolerance = self.tolerance(from - self.last_event);
        let secs = |micros: i64| micros as f64 / 1e6;
        let is_right = sent >= from - tolerance && sent <= to + tolerance;
        match event.time {
            EventTime::Any => Ok(()),
            _ if is_right => Ok(()),
            EventTime::AbsoluteRange(..) => Err(format!(
                "timing error: expected outbound packet in time range {:.6}~{:.6} sec but happened at {:.6} sec",
                secs(from),
                secs(to),
                secs(sent)
            )),
            EventTime::RelativeRange(..) => Err(format!(
                "timing error: expected outbound packet in relative time range +{:.6}~+{:.6} sec but happened at {:+.6} sec",
                secs(from - base),
                secs(to - base),
                secs(sent - base)
            )),
            _ => Err(self.timing("outbound packet", from, sent, tolerance)),
        }
    }
}

fn micros(at: Instant) -> i64 {
    at.since(START).as_micros() as i64
}

fn at(time: i64, packet: &TcpPacket) -> String {
    at_text(time, &packet.to_string())
}

fn at_text(time: i64, packet: &str) -> String {
    format!("{:9.6} {packet}", time as f64 / 1e6)
}
