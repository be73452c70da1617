"""Files of reports into counts.

``local``: a sum over chunks, in the memory of one.
"""
