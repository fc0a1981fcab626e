//! The parameters of the engine's applications, from their descriptions.

use ackclock_engine::params::Value;

use crate::model::apps::App;

/// The parameters of an application, by the engine's names; `packets` is how many a finite transfer has.
pub fn app_parameters(app: &App, packets: Option<i64>) -> Vec<(&'static str, Value)> {
    let real = Value::Real;
    let on_off = |rate: f64, size: i64, burst: f64, idle: f64| {
        vec![
            ("rate_bps", real(rate)),
            ("packet_size", Value::Int(size)),
            ("burst_time", real(burst)),
            ("idle_time", real(idle)),
        ]
    };
    match app {
        App::Ftp(_) => packets.map(|packets| ("maxpkts", Value::Int(packets))).into_iter().collect(),
        App::Telnet(app) => vec![("interval", real(app.interval.as_ref().map_or(0.0, |time| time.value)))],
        App::Cbr(app) => {
            let mut all = vec![("rate_bps", real(app.rate.value)), ("packet_size", Value::Int(app.packet_size.value))];
            all.push(("random", real(f64::from(u8::from(app.dither)))));
            all.extend(app.packets.map(|packets| ("maxpkts", Value::Int(packets))));
            all
        }
        App::Exponential(app) => on_off(app.rate.value, app.packet_size.value, app.burst.value, app.idle.value),
        App::Pareto(app) => {
            let mut all = on_off(app.rate.value, app.packet_size.value, app.burst.value, app.idle.value);
            all.push(("shape", real(app.shape.value)));
            all
        }
        App::Call(app) => vec![
            ("fps", real(app.fps.value)),
            ("frame_variation", real(app.frame_variation.value)),
            ("reaction_s", real(app.reaction.value)),
        ],
        App::Requests(_) | App::Video(_) => Vec::new(),
    }
}
