"""Web traffic: PackMime and PagePool."""
