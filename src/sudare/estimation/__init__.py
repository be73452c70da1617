"""From counts to shares, with their errors.

``debias``: undoes the noise of independent lies; the unbiased shares and their errors.
``estimate``: an estimate with its intervals.
``means``: a mean of numbers with its intervals.
``rounds``: an estimate for each round of a stream.
``filtering``: a causal filter over rounds, under a model.
``simplex``: shares that are not negative and sum to 1.
``window_shares``: shares of bins, from reports by windows around them.
``smoothed``: a smooth distribution, from the same.
``distances``: from an estimated distribution to the true one.
``likelihood``: the most likely shares.
``significance``: is an answer there at all? Exact tests, corrected for many of them.
``frequency_error``: errors of frequency mechanisms in closed form.
``window_design``: what the outputs of a window mechanism count, for the least worst variance.
``detection``: how rare a text can be and still be found.
"""
