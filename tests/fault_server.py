"""``sudare serve`` with a store that is wrong on purpose: a campaign must catch it."""

import sys

from fault_stores import wrapped
from sudare.cli import main
from sudare.collector import opening

if __name__ == "__main__":
    variant, *arguments = sys.argv[1:]
    real = opening.open_store
    wrong = lambda url, **options: wrapped(real(url, **options), variant)  # noqa: E731
    setattr(opening, "open_store", wrong)  # noqa: B010 - another kind of store, on purpose
    main(["serve", *arguments])
