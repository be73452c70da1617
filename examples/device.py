"""One device: it reads the collection it is asked to join, decides, and makes one report."""

import sys
from pathlib import Path

from sudare import Collection, SudareError
from sudare.wire import to_bytes

MOST = 1.5  # the largest ε this device's owner accepts for one report


def report(document: bytes, answer: str, most: float = MOST) -> bytes:
    """The bytes that may leave the device; raises rather than overspend."""
    collection = Collection.from_json(document)
    if collection.epsilon > most:
        raise SudareError(
            f"“{collection.name}” asks for ε = {collection.epsilon}, the limit here is {most}"
        )
    return to_bytes(collection.randomize([answer]))


def main() -> None:
    """Read a collection's file and an answer from the command line."""
    path, answer = sys.argv[1:]
    try:
        sent = report(Path(path).read_bytes(), answer)
    except SudareError as error:
        sys.exit(str(error))
    print(f"{len(sent)} byte(s) leave this device: {sent.hex()}")


if __name__ == "__main__":
    main()
