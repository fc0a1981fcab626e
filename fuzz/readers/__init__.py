"""What reads what others wrote: a module for each, and in it what must hold of its answers."""
