"""Populations that are made up: what an experiment would show.

``comparison``: ways of asking side by side, error against ε.
``alternatives``: the ways that there are for each kind of question.
``scenarios``: kinds of streams: what may happen to a share over time.
``experiments``: streams counted once, or many times to measure errors.
``ldp_ids``: the population division of LDP-IDS, for comparison.
``crowd``: simulated devices, round by round.
``example_files``: files to try the commands with.
"""
