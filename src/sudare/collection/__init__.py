"""The public document of a survey, which device and collector share.

``document``: question, answers, mechanism and rules as one JSON text, and the key that names it.
``defaults``: the rules of a new one, unless somebody says otherwise.
``drafts``: a new collection from what somebody wishes for.
``planned``: the collection that a plan recommends.
``windows``: stretches of time of which each is counted by itself.
"""
