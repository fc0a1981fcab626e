"""The Linux kernel's own congestion controls, compiled from the user's kernel source.

`ackclock kernel build` compiles them ([`ackclock.kernel.build`]), `tcp = "kernel:NAME"` in a scenario runs one. The
shared objects are native code with all rights of the process: only build and run source that you trust.
"""
