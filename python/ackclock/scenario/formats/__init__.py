"""Scenarios as files: TOML, ns-2's Tcl, the JSON Schema."""
