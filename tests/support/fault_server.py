"""``sudare serve`` with a store that is wrong on purpose: a campaign must catch it."""

import sys

from sudare.cli import main
from sudare.collector.stores import open as opening
from support.fault_stores import wrapped

if __name__ == "__main__":
    variant, *arguments = sys.argv[1:]
    real = opening.open_store
    wrong = lambda url, **options: wrapped(real(url, **options), variant)  # noqa: E731
    setattr(opening, "open_store", wrong)  # noqa: B010 - another kind of store, on purpose
    main(["serve", *arguments])
