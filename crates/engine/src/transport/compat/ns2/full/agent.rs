//! The agent interface of two-way TCP, as ns-2.35's `Agent/TCP/FullTcp`.

use super::segment::{Segment, State, reason};
use super::socket::{DELAYED_ACK, FullTcp, Variant};
use crate::measure::endpoint_stats::Progress;
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::PacketId;
use crate::params::{Parameter, Value};
use crate::transport::agent::{Agent, Endpoint};
use crate::transport::one_way::connection::{DELAYED_SEND, RETRANSMIT};

impl Agent for FullTcp {
    fn endpoint(&self) -> &Endpoint {
        &self.tcp.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.tcp.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        let segment = Segment::read(packet, net);
        if let Some(xcp) = &mut self.xcp {
            xcp.obey(&mut self.tcp, packet, net);
        }
        self.take(segment, net);
        net.free(packet);
        self.tcp.flush(net);
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        if self.state == State::Listen {
            return;
        }
        let most = self.tcp.config.maxburst;
        match which {
            RETRANSMIT => {
                self.on_timeout(net);
                let most = self.tcp.config.maxburst;
                self.send_much(true, reason::TIMER, most, net);
            }
            DELAYED_SEND => self.send_much(true, reason::TIMER, most, net),
            DELAYED_ACK => self.on_send_delay_over(net),
            _ => {}
        }
        self.tcp.flush(net);
    }

    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        self.add_message(bytes, flags, net);
        self.tcp.flush(net);
    }

    fn violation(&self) -> Option<String> {
        self.tcp.violation(0.0)
    }

    fn advance(&mut self, packets: i32, net: &mut Network) {
        self.add_segments(packets, net);
        self.tcp.flush(net);
    }

    fn close(&mut self, net: &mut Network) {
        self.close_by_application(net);
        self.tcp.flush(net);
    }

    fn done_was_delivered(&mut self, net: &mut Network) {
        if std::mem::take(&mut self.resets_at_end) {
            self.draw_and_start_over(net);
            self.tcp.flush(net);
        }
    }

    fn reset(&mut self, net: &mut Network) {
        self.tcp.check(net);
        self.draw_and_start_over(net);
        self.tcp.share_parameters(net);
        self.tcp.flush(net);
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.tcp.describe(out);
        self.set.describe_own(out);
    }

    fn param(&self, name: &str) -> Option<Value> {
        if name == "bytes_received" {
            return Some(Value::Int(self.bytes_received));
        }
        let sack = if self.variant == Variant::Sack { self.sack.set.own_param(name) } else { None };
        sack.or_else(|| self.set.own_param(name))
            .or_else(|| self.dctcp.own_param(name))
            .or_else(|| self.tcp.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        (self.variant == Variant::Sack && self.sack.set.set_own_param(name, value))
            || self.set.set_own_param(name, value)
            || self.dctcp.set_own_param(name, value)
            || self.tcp.set_param(name, value)
    }

    fn was_set(&mut self, net: &mut Network) {
        self.tcp.share_parameters(net);
    }

    fn message_bytes(&self) -> i32 {
        self.set.segsize
    }

    fn progress(&self) -> Progress {
        self.tcp.progress()
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        match &mut self.xcp {
            Some(xcp) if name == "remarks" => {
                xcp.remarks = Some(place);
                true
            }
            _ => self.tcp.watch(name, place),
        }
    }

    fn report(&mut self, name: Option<&str>, net: &mut Network) {
        if let Some(name) = name {
            self.tcp.note_present_value(name);
        }
        self.tcp.flush(net);
    }

    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        let whole = |text: &str| text.parse::<i32>().map_err(|_| format!("{name} takes a whole number, not {text}"));
        match (name, arguments) {
            ("advance" | "advanceby", [segments]) => self.add_segments(whole(segments)?, net),
            ("advance-bytes", [bytes]) => self.add_bytes(whole(bytes)?, net),
            ("listen", []) => self.listen(),
            // The application acts on data before a segment is answered, and says when it has.
            ("act-first", []) => self.acts_first = true,
            ("go-on", []) => self.go_on(net),
            // Resets the state with the parameters set since the agent was created.
            ("initialize", []) => self.start_over(net),
            _ => {
                return Err(format!(
                    "two-way TCP has no command {name}; it has advance, advanceby, advance-bytes, listen, act-first, \
                     go-on, initialize"
                ));
            }
        }
        self.tcp.flush(net);
        Ok(String::new())
    }
}
