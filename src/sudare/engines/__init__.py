"""Files of reports into counts, on one machine or on many.

``local``: a sum over chunks, in the memory of one.
"""
