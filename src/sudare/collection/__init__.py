"""The public document of a survey, which device and collector share.

``document``: question, answers, mechanism and rules as one JSON text, and the key that names it.
``windows``: stretches of time of which each is counted by itself.
"""
