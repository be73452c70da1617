"""Tables that a noise is drawn from, and the proof that it keeps a guarantee.

``guarantee``: (ε, δ) at a sensitivity, which a noise must keep.
``scheme``: tables and how they are drawn from; the steps of P1 and P2.
``integer_law``: the law of a whole number, in exact integers.
``law``: the exact law of a scheme's noise, and its proof against each party.
``algorithm2``: one table that is drawn from several times, by the document's Algorithm 2.
``table_search``: several small tables with signed draws, found by simulated annealing.
``table_document``: tables and their guarantee as JSON.
``shipped_tables``: the documents in ``tables/``, for common guarantees.
"""
