"""Commands to try things with.

``example_data``: example-data, files that are made up.
``laws``: the laws of mechanisms, tried on anybody's.
"""
