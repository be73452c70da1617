"""The browser of whoever sits at this machine."""

import threading
import webbrowser


def open_in_browser(address: str) -> None:
    """Open a page, and don't wait: a browser in the terminal would not return before it is left."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
