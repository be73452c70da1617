"""Commands to try the others with.

``example_data``: example-data, files that are made up.
"""
