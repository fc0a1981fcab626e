"""Many runs: sweeps, the store that keeps them, studies of papers, evaluation suites."""
