"""Self-contained HTML reports: hand-written SVG, no script, nothing loaded from anywhere."""

from sudare.page.curves import error_page
from sudare.page.decoded import decoded_page
from sudare.page.estimates import estimate_page
from sudare.page.streams import stream_page

__all__ = ["decoded_page", "error_page", "estimate_page", "stream_page"]
