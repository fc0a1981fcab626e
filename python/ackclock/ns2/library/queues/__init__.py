"""Queues: drop-tail, RED, fair queues, class-based queues, differentiated and integrated services."""
