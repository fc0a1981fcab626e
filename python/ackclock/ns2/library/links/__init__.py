"""Links: their parts, failures, delays and error models."""
