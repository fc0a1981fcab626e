//! Timers and RTT samples of ns-2.35's Linux sender.

use super::{Linux, NO_SAMPLE_SEQNO};
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::Connection;

const JIFFIES_PER_S: f64 = 1e3;
const MICROSECONDS_PER_S: f64 = 1e6;

fn rounded(value: f64) -> u64 {
    value.round() as i64 as u64
}

impl Linux {
    /// Updates timer, timestamps and round-trip time for an ACK. `sampled` is the packet that it surely acknowledges.
    pub(super) fn time(&mut self, tcp: &mut Connection, ack: &ReceivedAck, sampled: i32, net: &mut Network) {
        if !tcp.config.timerfix {
            self.renew_timer(tcp, net);
        }
        tcp.remember_timestamp(ack);
        self.socket.saw_tstamp = false;
        if ack.flags & flag::NO_TIMESTAMP == 0 && tcp.config.timestamps {
            tcp.remember_echo(ack);
            self.socket.saw_tstamp = true;
            self.socket.rcv_tsecr = rounded(ack.ts_echo * JIFFIES_PER_S);
            self.socket.rcv_tsval = rounded(ack.ts * JIFFIES_PER_S);
            self.sample(tcp, net.now().secs() - ack.ts_echo, sampled, net);
            if tcp.config.ts_reset_rto {
                tcp.rtt.backoff.set(1, &mut tcp.log);
            }
        }
        if tcp.timing && ack.seqno >= tcp.timed_seqno {
            tcp.rtt.backoff.set(1, &mut tcp.log);
            tcp.timing = false;
            if !self.socket.saw_tstamp {
                self.sample(tcp, net.now().secs() - tcp.timed_at, NO_SAMPLE_SEQNO, net);
            }
        }
        if tcp.config.timerfix {
            self.renew_timer(tcp, net);
        }
        tcp.average_window();
        tcp.finish_if_done(net);
    }

    fn renew_timer(&self, tcp: &mut Connection, net: &mut Network) {
        if *tcp.t_seqno > *tcp.ack || *tcp.ack < *tcp.maxseq || self.socket.snd_cwnd < 1 {
            tcp.set_retransmit_timer(net);
        } else {
            tcp.stop_retransmit_timer(net);
        }
    }

    /// Adds an RTT sample of `rtt_s` seconds. The congestion control receives the time since packet `sampled` was sent,
    /// if that is known.
    fn sample(&mut self, tcp: &mut Connection, rtt_s: f64, sampled: i32, net: &Network) {
        let now_s = net.now().secs();
        let ticks = tcp.ticks_of(rtt_s, now_s);
        if let Some(law) = self.law.as_mut().filter(|law| law.samples_rtt()) {
            let sent_s = if sampled == NO_SAMPLE_SEQNO { None } else { tcp.sending_time(sampled) };
            let rtt_s = sent_s.map_or(rtt_s, |at_s| now_s - at_s);
            law.rtt_sample(&mut self.socket, rounded(rtt_s * MICROSECONDS_PER_S));
        }
        tcp.rtt.sample_as_linux(ticks, &tcp.config, &mut tcp.log);
        self.socket.srtt = i64::from(*tcp.rtt.srtt) as u64;
    }
}
