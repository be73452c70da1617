"""Arguments, options and habits that several commands share.

``options``: arguments, options, files that are named, progress.
``mechanism_options``: how the mechanism of a new collection is asked for.
``rules``: a collection's rules beside its mechanism: windows, what is kept, who is invited.
``reports``: files of reports and aggregates, counted together.
``candidates``: texts to look for, a line each.
``showing``: a result as a table, JSON or CSV.
``terminal``: all that is printed; text of strangers is made visible there.
"""
