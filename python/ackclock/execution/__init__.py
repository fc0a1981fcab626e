"""Runs one scenario or one ns-2 script: the run, its limits, its results."""
