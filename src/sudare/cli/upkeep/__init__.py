"""Commands that look after an installation.

``warm_up``: warm-up.
"""
