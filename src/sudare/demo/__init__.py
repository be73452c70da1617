"""A demonstration: the real collector on this machine, and simulated people who send to it."""
