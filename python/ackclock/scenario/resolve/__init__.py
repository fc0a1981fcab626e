"""From a description to what the engine receives: numbered nodes, one-way links, flows, parameters."""
