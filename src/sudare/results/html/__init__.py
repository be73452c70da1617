"""Self-contained HTML reports: hand-written SVG, no script, nothing loaded from anywhere.

``document``: the frame of every page: head, style, tables, notes.
``heading``: the collection, its privacy, and how to read them.
``estimates``: the page of listed answers.
``several``: the page of several questions asked at once.
``decoded``: the page of free text.
``streams``: the page of a share over time.
``means``: the page of a mean of numbers.
``distributions``: the page of a distribution of numbers.
``curves``: the page of errors as curves.
``bars``: the chart of shares.
``scale``: axes, and which values deserve a tick.
"""

from sudare.results.html.curves import error_page
from sudare.results.html.decoded import decoded_page
from sudare.results.html.distributions import distribution_page
from sudare.results.html.estimates import estimate_page
from sudare.results.html.means import mean_page
from sudare.results.html.streams import stream_page

__all__ = [
    "decoded_page",
    "distribution_page",
    "error_page",
    "estimate_page",
    "mean_page",
    "stream_page",
]
from sudare.results.html.several import several_page

__all__ = ["decoded_page", "error_page", "estimate_page", "several_page", "stream_page"]
