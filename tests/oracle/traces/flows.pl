# The figures of flows as docs/trace-tools.md defines them.
use strict; use warnings;

my (@order, %sent, %sent_bytes, %received, %received_bytes, %dropped, %dropped_bytes, %start, %first, %last);
my (%sum, %count, %least, %most, %before, %changes);
while (<>) {
    my @x = split ' ';
    my ($event, $time, $size, $packet) = @x[0, 1, 5, 11];
    my $flow = "$x[7] $x[4] $x[8] $x[9]";
    my ($source) = split /\./, $x[8];
    my ($destination) = split /\./, $x[9];
    if ($event eq '+' && $x[2] eq $source) {
        $sent{$flow}++; $sent_bytes{$flow} += $size; $start{$packet} = $time;
        unless (exists $first{$flow}) { $first{$flow} = $time; push @order, $flow; }
    } elsif ($event eq 'r' && $x[3] eq $destination) {
        $received{$flow}++; $received_bytes{$flow} += $size; $last{$flow} = $time;
        if (exists $start{$packet}) {
            my $delay = $time - delete $start{$packet};
            $sum{$flow} += $delay; $count{$flow}++;
            $least{$flow} = $delay if $count{$flow} == 1 || $delay < $least{$flow};
            $most{$flow} = $delay if $count{$flow} == 1 || $delay > $most{$flow};
            $changes{$flow} += abs($delay - $before{$flow}) if $count{$flow} > 1;
            $before{$flow} = $delay;
        }
    } elsif ($event eq 'd') {
        $dropped{$flow}++; $dropped_bytes{$flow} += $size; delete $start{$packet};
    }
}
for my $f (@order) {
    printf "%s %d %d %d %d %d %d %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", $f, $sent{$f}, $sent_bytes{$f},
        $received{$f}, $received_bytes{$f}, $dropped{$f} // 0, $dropped_bytes{$f} // 0, ($dropped{$f} // 0) / $sent{$f},
        $first{$f}, $last{$f}, $received_bytes{$f} * 8 / ($last{$f} - $first{$f}), $sum{$f} / $count{$f}, $least{$f},
        $most{$f}, $changes{$f} / ($count{$f} - 1);
}
