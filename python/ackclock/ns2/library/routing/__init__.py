"""Routing: static, by protocols, hierarchical, manual and source routes."""
