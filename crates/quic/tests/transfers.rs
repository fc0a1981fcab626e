//! Transfers of the stacks, held to what the path allows.

use std::time::Duration;

use ackclock_quic::failure::Failure;
use ackclock_quic::stack::Direction;
use ackclock_quic::stacks::STACKS;
use ackclock_quic::table::{QUEUES, row, run_stack, transfer};
use ackclock_quic::transfer::Transfer;

// A handshake and a request take two round trips of 40 ms. 1 MB in datagrams of at most 1472 bytes are 680 packets of 1500
// bytes at most, which take 0.163 s at 50 Mb/s; slow start from about 14 kB doubles it in six more round trips at the most.
#[test]
fn a_transfer_takes_at_least_the_time_of_its_path() {
    for stack in STACKS.iter().map(|entry| entry.name) {
        for direction in [Direction::Download, Direction::Upload] {
            let alone = Transfer { competes: false, ..transfer(direction, "fq_codel", Some(1_000_000)) };
            let outcome = run_stack(stack, &alone).unwrap();
            let completed = outcome.completed.expect("1 MB in ten seconds");
            let allowed = Duration::from_millis(80 + 163)..Duration::from_millis(80 + 163 + 6 * 40);
            assert!(allowed.contains(&completed), "{stack} {direction:?}: {completed:?}");
            assert_eq!(outcome.sender.lost_packets, 0, "{stack} {direction:?}");
            assert!(outcome.sender.sent_bytes > 1_000_000 && outcome.sender.sent_bytes < 1_100_000);
        }
    }
}

#[test]
fn the_same_bytes_twice() {
    for stack in STACKS {
        for &control in stack.controls {
            let name = stack.name;
            let mut transfer = transfer(Direction::Download, "drop_tail", Some(2_000_000));
            transfer.control = Some(control);
            let first = run_stack(name, &transfer).unwrap();
            assert_eq!(first, run_stack(name, &transfer).unwrap(), "{name} {control}");
            transfer.seed = 2;
            assert_ne!(first.digest, run_stack(name, &transfer).unwrap().digest, "{name} {control}");
        }
    }
}

// No text says how they share: each is to have a tenth of the link, which is our choice. The link's 50 Mb/s are bytes on the
// wire, so that the goodputs are less. Only queues that mark are to mark.
#[test]
fn a_stack_shares_the_link_with_cubic() {
    for stack in STACKS {
        let (stack, has_ecn) = (stack.name, stack.has_ecn);
        for queue in QUEUES {
            let outcome = run_stack(stack, &transfer(Direction::Download, queue, None)).unwrap();
            let sum_bps = outcome.goodput_bps + outcome.cubic_bps;
            assert!(sum_bps < 50e6, "{stack} {queue}: {outcome:?}");
            assert!(outcome.goodput_bps > 5e6 && outcome.cubic_bps > 5e6, "{stack} {queue}: {outcome:?}");
            assert_eq!(outcome.marked_packets > 0, has_ecn && *queue != "drop_tail", "{stack} {queue}: {outcome:?}");
        }
    }
}

// A record: who changes the stacks, the engine or the adapters sees here what the guide has to say then.
#[test]
fn the_guide_has_these_rows() {
    let guide = include_str!("../../../docs/guide/library.md");
    for stack in STACKS.iter().map(|entry| entry.name) {
        for direction in [Direction::Download, Direction::Upload] {
            for queue in QUEUES {
                let row = row(stack, direction, queue).unwrap();
                // Without the last column, the processor's time.
                let (figures, _) = row.trim_end_matches(" |").rsplit_once(" |").unwrap();
                assert!(guide.contains(&format!("{figures} |\n")), "docs/guide/library.md lacks {figures} |");
            }
        }
    }
}

#[test]
fn an_unknown_stack_is_named() {
    let found = run_stack("picoquick", &transfer(Direction::Download, "drop_tail", Some(1)));
    let Err(Failure::Stack(reason)) = found else { panic!("{found:?}") };
    assert!(reason.starts_with("unknown stack \"picoquick\"; expected one of "), "{reason}");
    let other = Transfer { control: Some("new-reno"), ..transfer(Direction::Download, "drop_tail", Some(1)) };
    let Err(Failure::Stack(reason)) = run_stack("quinn", &other) else { panic!("quinn has no new-reno") };
    assert_eq!(reason, "unknown congestion control of quinn \"new-reno\"; did you mean \"new_reno\"?");
}
