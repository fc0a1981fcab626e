"""The typed description: topology, traffic, losses, and their checks."""
