"""One device: it answers a collector within its owner's cap, and shows exactly what left it.

    python examples/device.py FOLDER ADDRESS KEY ANSWER

The folder is the device: made at the first answer, and the same person's ever after.
"""

import sys
from pathlib import Path

from sudare import CollectorClient, Ledger, Participant, SudareError
from sudare.device.participant import Sent

CAP = 2.5  # the ε that all reports of this device together may cost


def answer(folder: Path, address: str, key: str, text: str) -> Sent:
    """Answer; raises rather than overspend."""
    made = (folder / "secret").exists()
    device = Participant.open(folder) if made else Participant.new(folder, Ledger(cap=CAP))
    with device, CollectorClient(address) as collector:
        return device.answer(collector, key, text)


def main() -> None:
    """Answer as the command line says."""
    folder, address, key, text = sys.argv[1:]
    try:
        sent = answer(Path(folder), address, key, text)
    except SudareError as error:
        sys.exit(str(error))
    print(f"{sent.collection.question} {sent.odds}")
    print(f"{len(sent.record)} byte(s) leave this device: {sent.record.hex()} ({sent.fate})")
    print(f"This cost {sent.cost}; {sent.spent} of {CAP} is spent.")


if __name__ == "__main__":
    main()
