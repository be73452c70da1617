"""The most memory that a process held. Standard library only."""

import resource
import sys
from pathlib import Path


def peak_memory() -> float:
    """The most memory that this process held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says there counts the parent, up to the fork
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
