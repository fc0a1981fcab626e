# awk -v interval=S -f series.awk: throughput (bit/s), mean delay (s) and loss of each flow in each interval.
{ split($9, from, "."); split($10, to, "."); flow = $8 " " $5 " " $9 " " $10; number = int($2 / interval) }
number > now { for (; now < number; now++) tell() }
!(flow in seen) && ($1 == "+" && $3 == from[1]) { seen[flow] = 1; order[++flows] = flow }
$1 == "+" && $3 == from[1] { sent[flow]++; start[$12] = $2 }
$1 == "r" && $4 == to[1] {
    bytes[flow] += $6
    if ($12 in start) { delays[flow] += $2 - start[$12]; count[flow]++; delete start[$12] }
}
$1 == "d" { dropped[flow]++; delete start[$12] }
END { tell() }

function tell(i, f) {
    for (i = 1; i <= flows; i++) {
        f = order[i]
        printf "%.17g %s %.17g %s %s\n", now * interval, f, bytes[f] * 8 / interval,
            count[f] ? sprintf("%.17g", delays[f] / count[f]) : "-", sent[f] ? sprintf("%.17g", dropped[f] / sent[f]) : "-"
    }
    split("", bytes); split("", delays); split("", count); split("", sent); split("", dropped)
}
