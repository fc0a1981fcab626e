"""What is computed and drawn from runs: statistics, models, plots, reports."""
