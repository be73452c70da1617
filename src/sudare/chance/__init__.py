"""Uniform words made into coins of exact probability, and the exact law of code that tosses them.

``randomness``: sources of chance: the system's, a seed's, a device's own, a script's.
``keystream``: words into coins and bounded integers.
``packed``: bits in words, chosen and counted.
``exact``: dyadic probabilities, numbers rounded against the claim, every path of chance at once.
``channel``: the law of a mechanism for each value, and the privacy that follows.
"""
