"""Monitors of queues and flows, traces, and nam's output."""
