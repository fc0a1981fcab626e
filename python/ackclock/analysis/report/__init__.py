"""Reports: one HTML page each that needs nothing else. `study` is of studies, `run` of runs, `page` what they share."""
