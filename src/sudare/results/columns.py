"""The columns of results: one name for each, in CSV and JSON, and how a table is headed."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column of a result.

    Attributes:
        heading: above it in a table for people; empty where no table has it.
        meaning: what its numbers are.
    """

    heading: str
    meaning: str


COLUMNS = {
    "question": Column("", "the name of one of several questions"),
    "answer": Column("answer", "one of the answers that are listed"),
    "candidate": Column("candidate", "a text that people may have answered"),
    "round": Column("round", "the number of a round, from 1 on"),
    "first": Column("the first question", "an answer to the first question; null for any other"),
    "second": Column("the second question", "an answer to the second question; null likewise"),
    "mechanism": Column("mechanism", "by its name"),
    "epsilon": Column("ε", "the ε that was asked for"),
    "reports": Column("reports", "how many reports the row rests on"),
    "truth": Column("truth", "the true share, or mean, where a simulation or a trial knows it"),
    "least": Column("numbers", "the least number of a bin"),
    "most": Column("numbers", "the largest number of the bin"),
    "mean": Column("mean", "the estimated mean of people's numbers, unbiased"),
    "share": Column(
        "share", "the estimated share of people, unbiased; smoothed, of a distribution"
    ),
    "unbiased": Column("", "the same share, unbiased, where `share` is smoothed"),
    "stderr": Column("±", "the standard error of what stands before it"),
    "low": Column("95 % interval", "the lower end of the interval, at the level asked for"),
    "high": Column("95 % interval", "its upper end"),
    "band_low": Column("95 % band", "the lower end of the band that holds for all rounds at once"),
    "band_high": Column("95 % band", "its upper end"),
    "people": Column("", "the share times the number of reports"),
    "p_value": Column("p", "of the test that nobody is behind it, adjusted for all rows"),
    "p_value_alone": Column("", "of the same test, as if it were the only one"),
    "found": Column("", "whether the adjusted p-value is at most the false discoveries allowed"),
    "rough": Column("", "whether too few reports are behind the interval"),
    "consistent": Column("consistent", "a share that could exist: none negative, sum 1"),
    "withheld": Column("", "whether too few reports are there to show anything"),
    "independent": Column("if independent", "the share if the two answers had nothing in common"),
    "mean_squared_error": Column("squared", "of the shares, over all repetitions"),
    "theory": Column("theory", "the mean squared error that is predicted"),
    "mean_maximal_error": Column("mean", "the largest error over the rounds, on average"),
    "quantile_05": Column("5 %", "one run in 20 has a smaller largest error"),
    "median": Column("median", "half of the runs have a smaller largest error"),
    "quantile_95": Column("95 %", "one run in 20 has a larger largest error"),
    "missing_rounds": Column("missing", "rounds without an estimate, on average"),
}
"""Every column that a command prints or a collector serves, by its name."""
