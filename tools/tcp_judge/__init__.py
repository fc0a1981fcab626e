"""Random packetdrill scripts, run by the kernel and by ackclock, and what differs."""
