# The figures of links as docs/trace-tools.md defines them.
use strict; use warnings;

my (@order, %seen, %in, %in_bytes, %out, %out_bytes, %got, %got_bytes, %lost, %lost_bytes);
my (%first, %last, %came, %waiting, %longest, %waits, %count, %most);
while (<>) {
    my @x = split ' ';
    my ($event, $time, $size, $packet) = @x[0, 1, 5, 11];
    my $link = "$x[2] $x[3]";
    unless ($seen{$link}++) { push @order, $link; $waiting{$link} = $longest{$link} = $most{$link} = 0; }
    $longest{$link} = $waiting{$link} if $event ne 'd' && $waiting{$link} > $longest{$link};
    if ($event eq '+') {
        $in{$link}++; $in_bytes{$link} += $size; $came{$link}{$packet} = $time; $waiting{$link}++;
        $first{$link} = $time unless exists $first{$link};
    } elsif ($event eq '-') {
        $out{$link}++; $out_bytes{$link} += $size;
        if (exists $came{$link}{$packet}) {
            my $wait = $time - delete $came{$link}{$packet};
            $waiting{$link}--; $waits{$link} += $wait; $count{$link}++;
            $most{$link} = $wait if $wait > $most{$link};
        }
    } elsif ($event eq 'r') {
        $got{$link}++; $got_bytes{$link} += $size; $last{$link} = $time;
    } elsif ($event eq 'd') {
        $lost{$link}++; $lost_bytes{$link} += $size;
        $waiting{$link}-- if defined delete $came{$link}{$packet};
    }
}
for my $l (@order) {
    $longest{$l} = $waiting{$l} if $waiting{$l} > $longest{$l};
    printf "%s %d %d %d %d %d %d %d %d %.17g %.17g %.17g %.17g %d\n", $l, $in{$l}, $in_bytes{$l}, $out{$l}, $out_bytes{$l},
        $got{$l}, $got_bytes{$l}, $lost{$l} // 0, $lost_bytes{$l} // 0, ($lost{$l} // 0) / $in{$l},
        $got_bytes{$l} * 8 / ($last{$l} - $first{$l}), $waits{$l} / $count{$l}, $most{$l}, $longest{$l};
}
