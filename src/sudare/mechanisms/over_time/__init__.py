"""A state, 0 or 1, in each of several rounds, under one ε for a person's whole stream.

``glance``: one round per person.
``harmony``: one round per person, and 0 in all others.
``borappor``: every round, with a T-th of the budget each.
``kshot``: several rounds per person, with noise drawn for all of them together.

``continual``: what every mechanism over time is.
``population_sampler``: reports of whole populations drawn at once, for simulations.
"""
