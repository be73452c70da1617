"""Arguments, options and habits that several commands share.

``options``: arguments, options, files that are named, progress.
``answers``: files of people's answers: how they are read, and what is said of it.
``answer_list``: a new collection's answers out of a file's column.
``question_list``: several questions to ask at once, out of a file.
``files``: files as arguments, read as what they are meant to be or refused by what they are.
``output``: where results go, in which form, and what is never written over by mistake.
``mechanism_options``: how the mechanism of a new collection is asked for.
``budgets``: what an unusual ε means, said when it is chosen.
``rules``: a collection's rules beside its mechanism: windows, what is kept, who is invited.
``reports``: files of reports and aggregates, counted together.
``candidates``: texts to look for, a line each.
``showing``: a result as a table, JSON or CSV.
``browser``: the browser of whoever sits at this machine.
``terminal``: all that is printed; text of strangers is made visible there.
"""
