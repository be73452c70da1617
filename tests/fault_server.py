"""``sudare serve`` with a store that is wrong on purpose: a campaign must catch it."""

import sys

from fault_stores import wrapped
from sudare.cli import main
from sudare.collector import opening

if __name__ == "__main__":
    variant, *arguments = sys.argv[1:]
    real = opening.open_store
    opening.open_store = lambda url, **options: wrapped(real(url, **options), variant)
    main(["serve", *arguments])
