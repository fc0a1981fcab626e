"""`Simulator`, nodes, the scheduler, random numbers, and what all classes share."""
