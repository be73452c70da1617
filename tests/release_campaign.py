"""The law of releases over many histories: ``python tests/release_campaign.py --histories 10000``.

Writes one JSON object to stdout: what was done of each mechanism. Ends with 1 if anything released,
or the difference of two releases, rests on fewer reports than the minimum.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from sudare.collector.stores.open import open_store
from support.in_memory import memory_folder
from support.release_histories import LawBrokenError, Seen, collections, lived

_IN_A_STORE = 200  # histories, before another one is begun


def campaign(url: str | Path, histories: int, seed: int) -> dict[str, Seen]:
    """Histories of every mechanism in turn, in one kind of store; how much was seen of each."""
    pools = collections()
    names = list(pools)
    found = {name: Seen() for name in names}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("histories", total=histories)
        for start in range(0, histories, _IN_A_STORE):
            store = open_store(f"{url}/{start}.db" if isinstance(url, Path) else url)
            try:
                for each in range(start, min(histories, start + _IN_A_STORE)):
                    name = names[each % len(names)]
                    found[name] += lived(store, name, pools[name], seed + each)
                    progress.advance(task)
            finally:
                store.shut()
    return found


def main() -> None:
    """Run what is asked for; the code is 1 if the law was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000, metavar="N")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    options = parser.parse_args()
    start = time.monotonic()
    said: dict[str, object] = dict(vars(options))
    try:
        if options.store == "sqlite":
            with memory_folder() as folder:
                found = campaign(folder, options.histories, options.seed)
        else:
            from support import postgres

            with postgres.server() as server:
                found = campaign(server.new_database(), options.histories, options.seed)
    except LawBrokenError as broken:
        print(json.dumps({**said, "broken": str(broken)}))  # noqa: T201 - its purpose
        sys.exit(1)
    seconds = round(time.monotonic() - start, 1)
    seen = {name: asdict(one) for name, one in found.items()}
    print(json.dumps({**said, "seen": seen, "seconds": seconds}))  # noqa: T201 - likewise


if __name__ == "__main__":
    main()
