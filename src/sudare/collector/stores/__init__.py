"""Collections, sums, ids of reports and tokens, in one of several databases.

``contract``: what every store can do.
``open``: which store an address means.
``counting``: counting and releasing, whatever database keeps it.
``tables``: a store in tables: all that doesn't count reports.
``migrations``: these tables, and every change to them.
``kept_reports``: kept reports, read some at a time.
``id_set``: the ids that have counted in an open window, in memory.
``sqlite``: a store in one file, for one process.
``postgres``: a store in a database, for several processes.
``backup``: a whole store as one file, and back.
``export``: kept reports as a file of reports.
"""
