"""A store in PostgreSQL, in which several processes count.

``store``: the store.
``database``: connections, made again when one is lost.
``opening``: why a database can't be opened, for whoever named it.
``patience``: how long a collector and its database wait for each other.
``report_ids``: the ids of an open window, in a table and in memory.
"""
