"""A suite and a matrix of few short runs: three conditions, two queues, two criteria."""

SUITE = """
id = "small"
document = "a test"
title = "A small suite"
about = "Two criteria."
evaluates = "variant"
standards = ["reno", "cubic"]
baseline_why = "they are old"
replications = { quick = 3, full = 4, why = "enough for an interval" }

[scenario]
defaults = "rfc"
duration = "20 s"
record = { sample = "0.1 s" }
[scenario.topology]
kind = "dumbbell"
bottleneck = { rate = "3 Mb/s", delay = "20 ms", queue = { limit = "1 BDP" } }
access = { rate = "1 Gb/s", delay = "1 ms" }

[[condition]]
id = "plain"
title = "plain"
where = "1"
asks = "nothing"
quick = { duration = "8 s" }
[[condition]]
id = "lossy"
title = "lossy"
where = "2"
asks = "losses"
scenario = { topology = { bottleneck = { loss = { rate = 0.02 } } } }
quick = { duration = "8 s" }
[[condition]]
id = "deep"
title = "deep"
where = "3"
asks = "a buffer"
scenario = { topology = { bottleneck = { queue = { limit = "4 BDP" } } } }
quick = { duration = "8 s" }

[[traffic]]
id = "alone"
title = "one flow"
flows = [{ name = "long", pair = 1, tcp = "{subject}", start_jitter = "5 %" }]
[[traffic]]
id = "beside"
title = "one flow beside one of a standard"
flows = [
    { name = "own", pair = 1, tcp = "{subject}", start_jitter = "5 %" },
    { name = "standard", pair = 1, tcp = "{standard}", start_jitter = "5 %" },
]

[[criterion]]
id = "utilisation"
title = "use of the link"
where = "1.1"
strength = "SHOULD"
asks = "to be fast"
traffic = "alone"
conditions = ["plain", "lossy", "deep"]
measure = { of = "goodput", flows = "long" }
comparison = "ratio"
rule = "at_least"
bound = "0.8"
why = "four fifths are enough"
[[criterion]]
id = "harm"
title = "harm"
where = "1.2"
strength = "SHOULD"
asks = "to be kind"
traffic = "beside"
conditions = ["plain", "lossy"]
measure = { of = "goodput", flows = "standard" }
comparison = "harm"
rule = "at_most"
bound = "0.1"
why = "a tenth is no harm"
[[criterion]]
id = "seen"
title = "only seen"
where = "1.3"
strength = "SHOULD"
asks = "to be seen"
traffic = "alone"
conditions = ["plain"]
measure = { of = "utilisation" }
"""

MATRIX = """
suite = "small.toml"
title = "A small matrix"
controls = { sender = "tcp", why = "today's" }
replications = { quick = 3, full = 4, why = "few" }
[[queue]]
id = "drop_tail"
title = "drop-tail"
why = "first"
[[queue]]
id = "codel"
title = "CoDel"
why = "second"
[[condition]]
id = "plain"
queues = "all"
why = "first"
[[condition]]
id = "lossy"
queues = "all"
why = "second"
[[condition]]
id = "deep"
queues = "own"
why = "third"
[[criterion]]
id = "utilisation"
why = "first"
[[criterion]]
id = "harm"
conditions = ["plain"]
why = "second"
"""
