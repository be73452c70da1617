"""The table of docs/explanation/durability.md, made by ``python tests/fault_page.py``.

``fault_campaign.json`` beside this file holds the lines that ``fault_campaign.py`` printed.
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "explanation" / "durability.md"
FOUND = HERE / "fault_campaign.json"
HEAD = (
    "| what | store | faults drawn | reports | acknowledged | lost | twice | from nowhere | late |"
)


def what(run: dict[str, Any]) -> str:
    wrong = {"sound": "", "hasty": ", acknowledging early", "forgetful": ", forgetting names"}
    if "histories" in run:
        return f"{run['histories']:,} histories{wrong[run['variant']]}"
    if "stops" in run:
        return f"{run['stops']:,} histories with stops and partitions"
    several = f" of {run['processes']} processes" if run["processes"] > 1 else ""
    return f"{run['kills']} kills{several}{wrong[run['variant']]}"


def table(runs: list[dict[str, Any]]) -> str:
    """One row for each campaign."""
    stores = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
    rows = [HEAD, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for run in runs:
        # A crash that was planned is among those that came to pass.
        # And that somebody was told 503 follows from a fault, and is none.
        answers = run["faults"].get("commit crash", 0) + run["faults"].get("503", 0)
        faults = sum(run["faults"].values()) - answers
        numbers = [faults, run["reports"], run["acknowledged"]]
        numbers += [run["losses"], run["doubles"], run["ghosts"]]
        late = str(run["late"]) if "stops" in run else ""  # elsewhere nobody looks at the clock
        cells = [what(run), stores[run["store"]], *(f"{number:,}" for number in numbers), late]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def page() -> str:
    """The page with its table as it must be."""
    before, _, rest = PAGE.read_text().partition(HEAD)
    _, _, after = rest.partition("\n\n")
    runs = [run for run in json.loads(FOUND.read_text()) if "fuzz" not in run]
    return f"{before}{table(runs)}\n\n{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
