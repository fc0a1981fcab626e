# Commands that ns-2 adds to Tcl.
puts [time_parse 10ms]
puts [time_parse 2]
puts [time_parse 3us]
puts [delay_parse 0.3ms]
puts [bw_parse 1.5Mb]
puts [bw_parse 10kb]
puts [bw_parse 2MB]
puts [bw_parse 64]
puts [find-max {3 9 2}]
puts [ns-version]
puts "[catch {assert 1==2} message] $message"
assert {1 < 2}
puts [expr 0.1 + 0.2]
puts [expr 1.0 / 3]
puts [expr 10 / 4] ; puts [expr 10 / 4.0]
puts $tcl_precision
puts "[ns-hasint64] [ns-add64 3 4] [ns-mult64 3 4] [ns-int64todbl 5]"
