# The figures of flows as docs/trace-tools.md defines them.
{ split($9, from, "."); split($10, to, "."); flow = $8 " " $5 " " $9 " " $10 }

$1 == "+" && $3 == from[1] {
    sent[flow]++; sent_bytes[flow] += $6; start[$12] = $2
    if (!(flow in first)) { first[flow] = $2; order[++flows] = flow }
}
$1 == "r" && $4 == to[1] {
    received[flow]++; received_bytes[flow] += $6; last[flow] = $2
    if ($12 in start) {
        delay = $2 - start[$12]; delete start[$12]
        sum[flow] += delay; count[flow]++
        if (count[flow] == 1 || delay < least[flow]) least[flow] = delay
        if (count[flow] == 1 || delay > most[flow]) most[flow] = delay
        if (count[flow] > 1) { change = delay - before[flow]; changes[flow] += change < 0 ? -change : change }
        before[flow] = delay
    }
}
$1 == "d" { dropped[flow]++; dropped_bytes[flow] += $6; delete start[$12] }

END {
    for (i = 1; i <= flows; i++) {
        f = order[i]
        printf "%s %d %d %d %d %d %d %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", f, sent[f], sent_bytes[f],
            received[f], received_bytes[f], dropped[f], dropped_bytes[f], dropped[f] / sent[f], first[f], last[f],
            received_bytes[f] * 8 / (last[f] - first[f]), sum[f] / count[f], least[f], most[f],
            changes[f] / (count[f] - 1)
    }
}
