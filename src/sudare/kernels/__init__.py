"""Compiled loops over whole batches: coins, choices and counters.

A kernel is a pure function of arrays: answers and keystream words in, reports or counts out. It
draws nothing, checks nothing and keeps nothing. It is accepted because, on the same keystream, it
gives the same results as the plain NumPy path, whose law is the one enumerated.

Importing this package does not import Numba; its modules do, so import them where a batch is large
enough to be worth it.
"""

from typing import Final

COMPILE_FROM: Final = 1 << 16
"""Batches below this take the plain path: a compiler is not worth waiting for."""
