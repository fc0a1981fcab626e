"""Multicast: what nodes know of groups, and the protocols that build the trees."""
