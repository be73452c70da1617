"""A store in one SQLite file, in which one process counts.

``store``: the store.
``database``: the connections to the file.
``acknowledged``: how many reports have counted, kept apart from SQLite's log.
"""
