"""Reports: one HTML page each that needs nothing else. `page` has what they share, `study` is that of a study."""
