"""Files of reports into counts.

``local``: a sum over chunks, in the memory of one.
``query``: answers into reports, and reports into weights, as Arrow for a query of somebody else.
"""
