"""The commands of two parties.

``table``: ``sudare table``, tables that noise is drawn from, and the proof of each.
``party``: ``sudare party``, one of two parties that open a noisy total.
``joint_count``: ``sudare joint-count``, a count that devices encrypt to.
``agreement``: the terms of both parties as options.
"""
