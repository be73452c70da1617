"""Self-contained HTML reports: hand-written SVG, no script, nothing loaded from anywhere."""

from sudare.page.curves import error_page
from sudare.page.estimates import estimate_page

__all__ = ["error_page", "estimate_page"]
