"""The rules that a new collection has unless somebody says otherwise."""

MINIMUM_REPORTS = 100
"""The fewest reports of which an estimate is released; over time, in a round."""
