"""P1 in a process that may open few files: it prints its port, then the total that it opened."""

import resource
from pathlib import Path

from sudare.chance.randomness import System
from sudare.twoparty.protocol.peer_listener import listening
from sudare.twoparty.protocol.session import run_one
from support.parties import ONE

PATIENCE = 30.0  # seconds
ROOM = 12  # connections: fewer than may wait


def narrow(port: int) -> None:
    """Say where, now that all else is open, and leave room for few."""
    used = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + ROOM, used + ROOM))
    print(port, flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    with listening("127.0.0.1", 0, None, PATIENCE, narrow) as wire:
        print(run_one(wire, ONE, System()).total)  # noqa: T201 - as above
