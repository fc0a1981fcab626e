//! The output of ns-2's agents on stdout.

use std::io::Write;

use crate::ns2::number::push_g;

/// Appends the output for the event `what` with `fields`; nothing for an unknown event.
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
        ("XCP feedback", _) => push_xcp_sender(out, seconds, &["reverse_feedback_", "controlling_hop_"], fields),
        ("XCP window", _) => push_xcp_sender(out, seconds, &["cwnd"], fields),
        ("XCP throughput", _) => push_xcp_sender(out, seconds, &["throughput"], fields),
        ("XCP packet", [.., flow, spacing]) => {
            push_xcp_router(out, seconds, &["pos_fbk", "neg_fbk", "delta_throughput"], fields)
                .and_then(|()| push_xcp_router(out, seconds, &[&format!("X{flow}")], &[*spacing]))
        }
        ("XCP queue", _) => push_xcp_router(out, seconds, &["Tq_", "queue_bytes_", "routerId_"], fields),
        ("XCP interval", _) => push_xcp_router(out, seconds, &XCP_INTERVAL, fields),
        ("XCP use", _) => push_xcp_router(out, seconds, &["d", "q", "u", "u_elep", "u_mice"], fields),
        ("TFRC loss rate", [newest, rate]) => writeln!(
            out,
            "time: {seconds:7.5} loss_rate: {rate:7.5} \ntime: {seconds:7.5} sample 0: {newest:5} loss_rate: {rate:7.5} "
        ),
        ("TFRC samples", _) => push_intervals(out, seconds, "sample", fields),
        ("TFRC losses", _) => push_intervals(out, seconds, "losses", fields),
        ("TFRC short", _) => push_intervals(out, seconds, "count?", fields),
        ("SCTP unexpected INIT", _) => push_unexpected(out, seconds, "INIT"),
        ("SCTP unexpected INIT ACK", _) => push_unexpected(out, seconds, "INIT_ACK"),
        ("SCTP unexpected COOKIE ACK", _) => push_unexpected(out, seconds, "COOKIE_ACK"),
        ("SCTP unexpected chunk", [number]) => {
            writeln!(out, "[ProcessOptionChunk] unexpected chunk type (unknown: {number}) at {seconds:.6}")
        }
        ("TFRC round trips", _) => push_intervals(out, seconds, "rtts", fields),
        _ => Ok(()),
    };
    done.expect("a vector takes what is written to it");
}

fn push_unexpected(out: &mut Vec<u8>, seconds: f64, name: &str) -> std::io::Result<()> {
    writeln!(out, "[ProcessChunk] unexpected chunk type ({name}) at {seconds:.6}")
}

/// Flags in octal, cwnd, the peer's clock rate; min, max and smoothed delay.
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

/// Names of an XCP router's values per control interval.
const XCP_INTERVAL: [&str; 10] = [
    "residue_pos_fbk_not_allocated",
    "residue_neg_fbk_not_allocated",
    "input_traffic_bytes_",
    "avg_rtt_",
    "residue_pos_fbk_",
    "residue_neg_fbk_",
    "Qsize",
    "min_queue_ci_",
    "max_queue_ci_",
    "routerId",
];

/// Lines with name, time and value.
fn push_xcp_router(out: &mut Vec<u8>, seconds: f64, names: &[&str], values: &[f64]) -> std::io::Result<()> {
    for (name, value) in names.iter().zip(values) {
        out.extend_from_slice(name.as_bytes());
        out.push(b' ');
        push_g(out, seconds, 6);
        out.push(b' ');
        push_g(out, *value, 6);
        out.push(b'\n');
    }
    Ok(())
}

/// Lines with time, four unused columns, name and value.
fn push_xcp_sender(out: &mut Vec<u8>, seconds: f64, names: &[&str], values: &[f64]) -> std::io::Result<()> {
    for (name, value) in names.iter().zip(values) {
        push_g(out, seconds, 6);
        write!(out, " x x x x {name} ")?;
        push_g(out, *value, 6);
        out.push(b'\n');
    }
    Ok(())
}
