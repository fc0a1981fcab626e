//! The one-way TCP sender of ns-2: a [`Connection`] with a [`Recovery`] variant.

use super::ack::ReceivedAck;
use super::connection::{Connection, DELAYED_SEND, PACE, RETRANSMIT, WITHOUT_END};
use super::segment::reason;
use super::window_law::Laws;
use crate::measure::endpoint_stats::Progress;
use crate::measure::observe::TraceId;
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::PacketId;
use crate::params::{Parameter, Value};
use crate::transport::agent::{Agent, Endpoint};
use crate::transport::external_control::ExternalCongestionOps;
use crate::transport::one_way::recovery::Recovery;

/// A sender with the loss recovery `R`.
pub struct Sender<R> {
    tcp: Connection,
    recovery: R,
}

impl<R: Recovery + Default + 'static> Sender<R> {
    /// Creates a sender with default parameters. Like ns-2, it draws its clock phase now (some variants draw twice),
    /// and again at each reset.
    pub fn make(id: AgentId, laws: Laws, net: &mut Network) -> Box<dyn Agent> {
        let mut sender = Sender { tcp: Connection::new(id, laws, net), recovery: R::default() };
        sender.tcp.bound = R::BOUND;
        sender.tcp.end.kind = R::KIND;
        for _ in 0..R::FIRST_DRAWS {
            sender.tcp.draw_boot_time(net);
        }
        sender.recovery.reset(&mut sender.tcp);
        sender.tcp.reset(net);
        sender.recovery.was_reset(&mut sender.tcp);
        sender.tcp.share_parameters(net);
        Box::new(sender)
    }
}

impl<R: Recovery + 'static> Sender<R> {
    /// Passes the current time to an external control.
    #[inline]
    fn set_control_time(&mut self, net: &Network) {
        if let Some(outside) = self.tcp.outside_mut() {
            outside.now_s = net.now().secs();
        }
    }

    fn send(&mut self, net: &mut Network) {
        let most = self.tcp.config.maxburst;
        self.recovery.send(&mut self.tcp, false, reason::NONE, most, net);
        self.tcp.flush(net);
    }

    /// Checks the window and rate invariants after each event.
    #[inline]
    fn check_invariants(&self, net: &mut Network) {
        if !(self.tcp.has_valid_window(R::MIN_WINDOW) && self.recovery.invariants_hold(&self.tcp)) {
            self.report_violation(net);
        }
    }

    #[cold]
    fn report_violation(&self, net: &mut Network) {
        if let Some(what) = self.violation() {
            net.fail(SimulationError::Invariant(what));
        }
    }

    fn advance_to(&mut self, produced: i32, net: &mut Network) {
        let more = produced.max(*self.tcp.maxseq).wrapping_sub(*self.tcp.seqno);
        self.advance(more, net);
    }
}

impl<R: Recovery + 'static> Agent for Sender<R> {
    fn endpoint(&self) -> &Endpoint {
        &self.tcp.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.tcp.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        self.set_control_time(net);
        let ack = ReceivedAck::read(packet, net);
        self.recovery.on_ack(&mut self.tcp, &ack, net);
        net.free(packet);
        self.tcp.flush(net);
        self.check_invariants(net);
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        self.set_control_time(net);
        match which {
            RETRANSMIT => self.recovery.on_timeout(&mut self.tcp, net),
            DELAYED_SEND => self.recovery.on_send_delay_over(&mut self.tcp, net),
            PACE => self.recovery.own_timer(&mut self.tcp, net),
            _ => {}
        }
        self.tcp.flush(net);
        self.check_invariants(net);
    }

    fn violation(&self) -> Option<String> {
        if self.tcp.is_excused {
            return None;
        }
        self.tcp
            .violation(R::MIN_WINDOW)
            .or_else(|| (!self.recovery.invariants_hold(&self.tcp)).then(|| self.recovery.violation(&self.tcp)))
    }

    fn send_bytes(&mut self, bytes: Option<i64>, _flags: &str, net: &mut Network) {
        let tcp = &mut self.tcp;
        let size = i64::from(tcp.end.packet_size);
        let produced = match bytes {
            None if *tcp.seqno <= WITHOUT_END => WITHOUT_END,
            None => tcp.seqno.wrapping_add(1),
            Some(_) if size == 0 => {
                let wrong = "a TCP sender needs a packet size other than 0 to send a number of bytes";
                net.fail(SimulationError::Broken(wrong.into()));
                return;
            }
            Some(bytes) => tcp.seqno.wrapping_add((bytes / size + i64::from(bytes % size != 0)) as i32),
        };
        tcp.seqno.set(produced, &mut tcp.log);
        self.send(net);
    }

    fn advance(&mut self, packets: i32, net: &mut Network) {
        let tcp = &mut self.tcp;
        tcp.seqno.set(tcp.seqno.wrapping_add(packets), &mut tcp.log);
        if packets > 0 {
            tcp.finished = false;
        }
        self.send(net);
    }

    fn reset(&mut self, net: &mut Network) {
        self.tcp.check(net);
        self.tcp.draw_boot_time(net);
        self.recovery.reset(&mut self.tcp);
        self.tcp.reset(net);
        self.recovery.was_reset(&mut self.tcp);
        self.tcp.share_parameters(net);
        self.tcp.flush(net);
    }

    fn set_control(&mut self, control: Box<dyn ExternalCongestionOps>) -> bool {
        if R::LEAVES_WINDOW {
            self.tcp.set_control(control);
        }
        R::LEAVES_WINDOW
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.tcp.describe(out);
        out.retain(|parameter| self.recovery.uses(&parameter.name));
        self.recovery.describe(out);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.recovery.param(name).or_else(|| self.tcp.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let before = self.recovery.param(name);
        let known = if self.recovery.set_param(name, value) {
            if self.recovery.param(name) != before {
                self.recovery.note(name).into_iter().for_each(|note| self.tcp.log.note(note));
            }
            true
        } else {
            self.tcp.set_param(name, value)
        };
        self.recovery.configure(&mut self.tcp);
        known
    }

    fn was_set(&mut self, net: &mut Network) {
        self.tcp.share_parameters(net);
    }

    fn progress(&self) -> Progress {
        self.tcp.progress()
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        self.recovery.watch(name, place, &mut self.tcp.log) || self.tcp.watch(name, place)
    }

    fn report(&mut self, name: Option<&str>, net: &mut Network) {
        if let Some(name) = name {
            self.tcp.note_present_value(name);
            self.recovery.note(name).into_iter().for_each(|note| self.tcp.log.note(note));
        }
        self.tcp.flush(net);
    }

    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        if let Some(done) = self.recovery.command(&mut self.tcp, name, arguments, net) {
            return done;
        }
        let whole = |text: &str| text.parse::<i32>().map_err(|_| format!("{name} takes a whole number, not {text}"));
        match (name, arguments) {
            ("advance", [packets]) => self.advance_to(whole(packets)?, net),
            ("advanceby", [packets]) => self.advance(whole(packets)?, net),
            // Resets the state with the parameters set since the sender was created.
            ("initialize", []) => {
                self.tcp.check(net);
                self.recovery.reset(&mut self.tcp);
                self.tcp.reset(net);
                self.recovery.was_reset(&mut self.tcp);
            }
            _ => return Err(format!("a TCP sender has no command {name}; it has advance, advanceby, initialize")),
        }
        Ok(String::new())
    }
}
