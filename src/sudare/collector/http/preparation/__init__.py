"""What is asked before a collection is held.

``plans``: which one to make, and what it would show.
``drafts``: the document that it would have.
"""
