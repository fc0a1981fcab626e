# The figures of links as docs/trace-tools.md defines them.
{ link = $3 " " $4 }
!(link in seen) { seen[link] = 1; order[++links] = link }
$1 != "d" && waiting[link] > longest[link] { longest[link] = waiting[link] }
$1 == "+" {
    in_packets[link]++; in_bytes[link] += $6; came[link, $12] = $2; waiting[link]++
    if (!(link in first)) first[link] = $2
}
$1 == "-" {
    out_packets[link]++; out_bytes[link] += $6
    if ((link, $12) in came) {
        wait = $2 - came[link, $12]; delete came[link, $12]; waiting[link]--
        waits[link] += wait; count[link]++
        if (wait > most[link]) most[link] = wait
    }
}
$1 == "r" { got_packets[link]++; got_bytes[link] += $6; last[link] = $2 }
$1 == "d" {
    lost_packets[link]++; lost_bytes[link] += $6
    if ((link, $12) in came) { delete came[link, $12]; waiting[link]-- }
}

END {
    for (i = 1; i <= links; i++) {
        l = order[i]
        if (waiting[l] > longest[l]) longest[l] = waiting[l]
        printf "%s %d %d %d %d %d %d %d %d %.17g %.17g %.17g %.17g %d\n", l, in_packets[l], in_bytes[l],
            out_packets[l], out_bytes[l], got_packets[l], got_bytes[l], lost_packets[l], lost_bytes[l],
            lost_packets[l] / in_packets[l], got_bytes[l] * 8 / (last[l] - first[l]), waits[l] / count[l], most[l],
            longest[l]
    }
}
