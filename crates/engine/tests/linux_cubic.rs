//! `linux_cubic` against the kernel's own code: the window after each of 1500 events, as tcp_cubic.c of Linux 6.12 computes
//! it (`linux_cubic.tsv`, which says how it was recorded).

use ackclock_engine::transport::tcp::cc::{self, Ack, CaState, CongestionEvent, Path, Window};

const RECORD: &str = include_str!("linux_cubic.tsv");

#[test]
fn the_window_is_the_kernels_after_each_event() {
    let mut control = (cc::named("linux_cubic").expect("a control").make)();
    let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
    let mut path = Path { mss_bytes: 1448.0, ..Path::default() };
    let mut compared = 0;
    for line in RECORD.lines().filter(|line| !line.starts_with(['#', 'e'])) {
        let (event, numbers) = line.split_once('\t').expect("a tab");
        let numbers: Vec<u64> = numbers.split('\t').map(|number| number.parse().expect("a number")).collect();
        let [time_us, a, b, c, d, e, f, snd_cwnd, snd_ssthresh] = numbers[..] else { panic!("{line}") };
        // A third of a microsecond later, so that no rounding of the sum reaches the microsecond before.
        path.now_s = (time_us as f64 + 0.3) / 1e6;
        match event {
            "S" => {
                (window.cwnd, path.snd_una, path.snd_nxt) = (a as f64, 1, 1);
                control.start(&path, &mut window);
            }
            "A" => {
                (path.snd_una, path.snd_nxt) = (path.snd_una + a, c);
                (path.is_limited, path.is_recovering) = (d == 1, e == 1);
                path.srtt_s = f as f64 / 1e6;
                path.in_flight = (path.snd_nxt - path.snd_una) as u32;
                let rtt_s = (b > 0).then_some(b as f64 / 1e6);
                let ack = Ack { delivered: a as u32, acked: a as u32, rtt_s, ..Ack::default() };
                control.on_packets_acked(&ack, &path, &mut window);
                control.on_ack(&ack, &path, &mut window);
            }
            "L" => {
                control.on_congestion_event(CongestionEvent::Loss, &path, &mut window);
                control.on_state(CaState::Recovery, &path, &mut window);
            }
            "X" => window.cwnd = window.ssthresh,
            "T" => {
                control.on_congestion_event(CongestionEvent::Timeout, &path, &mut window);
                window.cwnd = a as f64;
                control.on_state(CaState::Loss, &path, &mut window);
            }
            "I" => control.on_idle_restart(a as f64 / 1e3 + 1e-7, 0, 10.0, &path, &mut window),
            _ => panic!("{line}"),
        }
        let ssthresh = if window.ssthresh.is_finite() { window.ssthresh as u64 } else { 0 };
        assert_eq!((window.cwnd, ssthresh), (snd_cwnd as f64, snd_ssthresh), "{line}");
        compared += 1;
    }
    assert!(compared >= 1500);
}
