//! The agent interface of SCTP, as ns-2.35's `Agent/SCTP`.

use super::association::{Message, Sctp};
use super::destination::{Interface, timer};
use super::timeout::Unanswered;
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::net::node::NodeId;
use crate::packet::{Address, PacketId};
use crate::params::Value;
use crate::transport::agent::{Agent, Endpoint};

impl Agent for Sctp {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        self.take_packet(packet, net);
        net.free(packet);
    }

    fn holds_packets(&self) -> usize {
        self.destinations.iter().map(|destination| destination.waiting.len()).sum()
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        match which {
            timer::INIT => self.on_handshake_timeout(false, net),
            timer::COOKIE => self.on_handshake_timeout(true, net),
            timer::HEARTBEAT => self.on_heartbeat_timer(net),
            timer::SACK => self.on_sack_timer(net),
            _ => {
                let which = which - timer::FIRST_OF_DESTINATIONS;
                let number = usize::from(which / timer::PER_DESTINATION);
                match which % timer::PER_DESTINATION {
                    0 => self.on_timeout(number, Unanswered::Data, net),
                    1 => self.on_idle(number, net),
                    2 => self.on_timeout(number, Unanswered::Heartbeat, net),
                    3 => self.on_route_flush(number),
                    _ => self.on_route_computed(number, net),
                }
            }
        }
    }

    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        if flags.is_empty() {
            self.send_message(bytes, net);
        } else {
            self.fail("a source sent words with its data; ns-2 takes them for a message's stream and size", net);
        }
    }

    fn close(&mut self, net: &mut Network) {
        self.close_association(net);
    }

    fn reset(&mut self, net: &mut Network) {
        self.start_over(net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        let own = self.set.own_param(name).or_else(|| self.traced.own_param(name));
        own.or_else(|| self.cmt.set.own_param(name)).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let is_traced = self.traced.set_own_param(name, value);
        if is_traced {
            self.traced.note_set(name);
        }
        is_traced
            || self.set.set_own_param(name, value)
            || self.cmt.set.set_own_param(name, value)
            || self.end.set_param(name, value)
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        self.traced.watch(name, place)
    }

    fn report(&mut self, name: Option<&str>, net: &mut Network) {
        self.report_variables(name, net);
    }

    /// `add-destination` node port; `core` node; `add-interface` node port outlet; `set-primary` node; `force-source`
    /// node; `set-loss-rate` node rate; `print` variable; `send-on-stream` streams unreliable stream reliability bytes; `advance`, which does
    /// nothing.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        let whole = |text: &str| text.parse::<i32>().map_err(|_| format!("{name} takes a whole number, not {text}"));
        match (name, arguments) {
            ("add-destination", [node, port]) => {
                self.add_destination(Address { node: whole(node)?, port: whole(port)? }, net)?;
            }
            ("core", [node]) => self.core = Some(NodeId(whole(node)? as u32)),
            ("add-interface", [node, port, outlet]) => self.interfaces.push(Interface {
                address: Address { node: whole(node)?, port: whole(port)? },
                node: NodeId(whole(outlet)? as u32),
            }),
            ("set-primary", [node]) => return Ok(u8::from(self.set_primary(whole(node)?)).to_string()),
            ("force-source", [node]) => return Ok(u8::from(self.force_source(whole(node)?)).to_string()),
            ("set-loss-rate", [node, rate]) => {
                let rate = rate.parse().map_err(|_| format!("{name} takes a number, not {rate}"))?;
                return Ok(u8::from(self.set_loss_rate(whole(node)?, rate)).to_string());
            }
            ("print", [variable]) => self.print(variable, net),
            ("send-on-stream", [streams, unreliable, stream, reliability, bytes]) => {
                let message = Message {
                    stream: whole(stream)? as u16,
                    reliability: whole(reliability)? as u16,
                    is_unordered: false,
                    bytes: whole(bytes)? as u32,
                };
                self.send_on_stream([whole(streams)?, whole(unreliable)?], message, net);
            }
            ("advance", [_]) => {}
            _ => {
                return Err(format!(
                    "SCTP has no command {name}; it has add-destination, core, add-interface, set-primary, force-source, \
                     set-loss-rate, print, send-on-stream, advance"
                ));
            }
        }
        Ok(String::new())
    }
}
