"""Compiled loops over whole batches.

``compiler``: how kernels are compiled.
``coins``: coins of exact probability, one to a byte or 64 to a word.
``choices``: one answer of k.
``points``: points that support some answers, drawn and summed.
``sets``: uniform subsets, and sets put together of them.
``waves``: windows around the bins of numbers.
``counters``: column counts of packed bits.
``lanes``: column counts of packed bits, in each of many groups.
``hashing``: bit positions of hashed strings.
``columns``: least squares on columns of zeros and ones.
``tilts``: exponentially tilted sums.
``mixtures``: how likely each report is under each candidate.
``streams``: the reports of whole populations over time.
``tables``: numbers drawn from laws that are written out.
``variates``: single random numbers, inside other kernels.
``id_table``: a set of report ids, by a secret hash.
``people``: people by their names, by a secret hash; one row of each.
``lines``: where the records of a delimited text begin.
``annealing``: the search for small tables of noise.

A kernel is a pure function of arrays: answers and keystream words in, reports or counts out. It
draws nothing, checks nothing and keeps nothing. It is accepted because, on the same keystream, it
gives the same results as the plain NumPy path, whose law is the one enumerated.

Importing this package does not import Numba; its modules do, so import them where a batch is large
enough to be worth it.
"""

from typing import Final

COMPILE_FROM: Final = 1 << 16
"""Batches below this take the plain path: a compiler is not worth waiting for."""
