"""The rules that a new collection has unless somebody says otherwise."""

MINIMUM_REPORTS = 100
"""The fewest reports of which an estimate is released; over time, in a round."""

GRACE = 5
"""Seconds after its end that a window, or a round, takes reports."""
MOST_GRACE = 86_400
"""The most that this may be."""
