"""How ns-2's classes are written in Python, and what ns-2.35 declares of them."""
