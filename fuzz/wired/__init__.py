"""Random wired ns-2 scripts, each a function of its seed, on the installed ns-2 and on ackclock.

`generate.script(seed)` writes one, `compare.compare` runs it on both and says what came of it, and `reduce.reduce`
makes one that differs as short as it can. `python -m fuzz.wired` does all three for many seeds.
"""
