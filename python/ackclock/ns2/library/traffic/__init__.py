"""Applications, traffic sources, datagrams and messages."""
