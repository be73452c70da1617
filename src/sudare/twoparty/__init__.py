"""A noisy total of two parties, of which neither knows the other's total or the noise.

``noise``: tables that a noise is drawn from, its exact law, and the proof of what it keeps.
``ciphers``: additively homomorphic encryption, under which P2 adds what it can't read.
``protocol``: the two parties, their messages, and the session that runs them over a connection.
"""
