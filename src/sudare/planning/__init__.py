"""Which design to choose, before anybody answers: error, ε and people.

``texts``: the RAPPOR that finds the rarest texts.
``streams``: designs for counting over time; of budget, people and error, two give the third.
``bounds``: how far off any round of a stream can be.
"""
