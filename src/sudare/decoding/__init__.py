"""Free text back from reports: which candidates people hold, and how many do.

``candidate_file``: candidates, a line each, checked as they are read.
``design``: which bits each candidate would set.

From the sums of bits:

``from_sums``: which candidates an aggregate shows.
``bit_sums``: the bits of each cohort, counted and debiased.
``candidates``: proposes, tests and estimates: who is there.
``lasso``: proposes candidates, certified by its duality gap.
``refit``: fits the proposed ones, deaf to strings that are missing from the list.
``null_law``: the law of a candidate that nobody holds.
``selection``: shares and intervals given that a candidate was found.
``simplex_fit``: everybody's share, when the list of candidates is complete.

From single reports:

``from_reports``: which candidates the reports show.
``likelihoods``: how likely each report is under each answer.
``mixture``: the most likely shares, certified.
``quadratic``: the steps towards them, over shares that aren't negative.
``leave_one_out``: each candidate judged by the model of all the others.
``joint``: two questions to the same people.
"""
