"""Reports: self-contained HTML pages. `study` is about studies, `run` about runs; `page` is common to all."""
