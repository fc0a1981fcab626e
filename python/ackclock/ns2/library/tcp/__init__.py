"""Senders and receivers: TCP's variants, XCP, TFRC, RAP, Quick-Start."""
