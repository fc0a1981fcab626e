"""What is thrown at ackclock: made-up inputs for whatever reads, kills, full disks (docs/robustness.md)."""
