//! Scheduled actions of a described run.

use ackclock_engine::app::request_response::Step;
use ackclock_engine::net::link::LinkId;
use ackclock_engine::sim::AppId;
use ackclock_trace::recorder::ChannelId;

/// What happens at an instant.
#[derive(Clone, Debug)]
pub enum Action {
    Stop,
    StartApp(AppId),
    StopApp(AppId),
    Rate(LinkId, f64),
    Delay(LinkId, f64),
    Up(LinkId),
    Down(LinkId),
    /// What a link counts for in routes; `None` takes it out of them.
    Cost(LinkId, Option<f64>),
    Reroute,
    Write(ChannelId, String),
    Exchange(usize, Step),
    StopExchange(usize),
}
