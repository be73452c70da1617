"""Which design to choose, before anybody answers: error, ε and people.

``mechanism_choice``: the mechanism of a new collection, from what is asked of it.
``several_questions``: the design of several questions at once, and how they share the budget.
``texts``: the RAPPOR that finds the rarest texts.
``streams``: designs for counting over time; of budget, people and error, two give the third.
``bounds``: how far off any round of a stream can be.
"""
