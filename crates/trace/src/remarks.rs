//! What ns-2's agents print as they run.

use std::io::Write;

use crate::number::push_g;

/// Appends what an agent has to say, which is `what`, with `fields`; nothing for what nobody prints.
pub fn push_remark_line(out: &mut Vec<u8>, seconds: f64, what: &str, fields: &[f64]) {
    let done = match (what, fields) {
        ("TCP-LP", _) => push_tcp_lp(out, what, fields),
        ("TFRC rates", [rate, packets, most]) => writeln!(
            out,
            "time: {seconds:5.2} rate: {rate:5.2}\ntime: {seconds:5.2} packetrate: {packets:5.2}\n\
             time: {seconds:5.2} maxrate: {most:5.2}"
        ),
        ("TFRC slow start", [rate, most, step]) => {
            writeln!(out, "SlowStart: now: {seconds:5.2} rate: {rate:5.2} ss_maxrate: {most:5.2} delta: {step:5.2}")
        }
        ("TFRC increase", [rate, limited, rtt]) => {
            writeln!(out, "Increase: now: {seconds:5.2} rate: {rate:5.2} lastlimited: {limited:5.2} rtt: {rtt:5.2}")
        }
        ("TFRC decrease", [rate, rtt]) => {
            writeln!(out, "Decrease: now: {seconds:5.2} rate: {rate:5.2} rtt: {rtt:5.2}")
        }
        ("Quick-Start request", [rate]) => writeln!(out, "QS request (before encoding): {rate} KBps"),
        ("Quick-Start answer", [rate, code, window, rtt, size]) => {
            out.extend_from_slice(b"Quick Start request, rate: ");
            push_g(out, *rate, 6);
            writeln!(
                out,
                " Bps, encoded rate: {code}\nQuick Start request, window {window} rtt: {rtt:4.2} pktsize: {size}"
            )
        }
        ("TFRC loss rate", [newest, rate]) => writeln!(
            out,
            "time: {seconds:7.5} loss_rate: {rate:7.5} \ntime: {seconds:7.5} sample 0: {newest:5} loss_rate: {rate:7.5} "
        ),
        ("TFRC samples", _) => push_intervals(out, seconds, "sample", fields),
        ("TFRC losses", _) => push_intervals(out, seconds, "losses", fields),
        ("TFRC short", _) => push_intervals(out, seconds, "count?", fields),
        ("TFRC round trips", _) => push_intervals(out, seconds, "rtts", fields),
        _ => Ok(()),
    };
    done.expect("a vector takes what is written to it");
}

/// Flags in octal, the window, the peer's clock rate, least, greatest and smoothed delay.
fn push_tcp_lp(out: &mut Vec<u8>, what: &str, fields: &[f64]) -> std::io::Result<()> {
    let field = |index: usize| fields.get(index).map_or(0, |&value| value as u64);
    let (flags, cwnd, rate) = (field(0), field(1), field(2));
    let (least, greatest, smoothed) = (field(3), field(4), field(5));
    writeln!(out, "{what}: {flags:05o}|{cwnd:5}|{rate:5}|{least:15}|{greatest:15}|{smoothed:15}")
}

fn push_intervals(out: &mut Vec<u8>, seconds: f64, what: &str, figures: &[f64]) -> std::io::Result<()> {
    write!(out, "{seconds:.6}: {what}")?;
    for (number, figure) in figures.iter().enumerate() {
        write!(out, " {number}: {figure:5}")?;
    }
    writeln!(out)
}
