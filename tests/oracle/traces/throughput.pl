# perl throughput.pl TRACE DESTINATION_NODE SOURCE_NODE.PORT DESTINATION_NODE.PORT GRANULARITY
# The rules of the script that courses hand out under this name and as throughput_tcp.pl, written anew.
use strict; use warnings;

my ($name, $node, $source, $destination, $granularity) = @ARGV;
my ($clock, $sum) = (0, 0);
open my $trace, '<', $name or die "$name: $!";
while (<$trace>) {
    my @x = split ' ';
    my $counts = $x[0] eq 'r' && $x[3] eq $node && $x[8] eq $source && $x[9] eq $destination && $x[4] eq 'tcp';
    if ($x[1] - $clock > $granularity) {
        print "$clock ", 0.000008 * $sum / $granularity, "\n";
        $clock += $granularity;
        $sum = 0;
        while ($x[1] - $clock > $granularity) {
            print "$clock 0.0\n";
            $clock += $granularity;
        }
    }
    $sum += $x[5] if $counts;
}
print "$clock ", 0.000008 * $sum / $granularity, "\n";
