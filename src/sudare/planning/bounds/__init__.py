"""How far off any round of a stream can be, before anybody answers.

``continual``: the theory of the document on continual counting, as corrected.
``chernoff``: a bound on any stream, for every mechanism over time.
``maximal``: the exact law of the largest error.
"""
