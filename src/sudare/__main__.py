"""``python -m sudare`` is the command line."""

from sudare.cli import main

main()
