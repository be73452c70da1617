"""Which design to choose, before anybody answers: error, ε and people.

``plans``: of people, ε and an error two are given; the third, for every mechanism.
``wish``: what is given, and how sure a result is to be.
``kinds``: the questions that can be planned, with their mechanisms and errors.
``measures``: how good a result so many reports make.
``search``: the first whole number that is enough.
``granting``: a row for each mechanism that grants a wish.
``ways_out``: why a plan can't be had, and the nearest ones that can.
``models``: the same wish where somebody is trusted.
``simulated``: whether a plan comes true, in simulated collections.
``costs``: what a report costs to make and to count.
``budgets``: the least ε of a new collection whose people and error are given.
``mechanism_choice``: the mechanism of a new collection, from what is asked of it.
``several_questions``: the design of several questions at once, and how they share the budget.
``texts``: the RAPPOR that finds the rarest texts.
``streams``: how far off the worst round of a stream is.
``bounds``: how far off any round of a stream can be.
"""
