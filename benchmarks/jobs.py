"""The jobs of the frequency benchmark: what is measured, on whom, and how fast it has to be."""

from dataclasses import dataclass
from typing import Literal

EPSILON = 1.0


@dataclass(frozen=True)
class Job:
    """One mechanism on one side of the wire, with ``k`` possible answers.

    ``times_peer`` and ``times_numpy`` are how many times as fast as the faster peer and as
    plain NumPy it has to be, ``of_limit`` at which part of the machine's limit. ``times_numpy`` is
    0 where nothing is written in NumPy to compare with. ``peer_people`` is how many people the
    peers are measured on: they take them one at a time. ``bits`` is the width of a value.
    """

    mechanism: Literal["GRR", "OUE", "subset selection", "OLH", "Hadamard"]
    side: Literal["randomise", "aggregate"]
    k: int
    times_peer: float
    times_numpy: float
    peer_people: int
    of_limit: float = 0.0
    bits: Literal[8, 16, 64] = 64

    @property
    def name(self) -> str:
        """Its name in the table; for everyone, to aggregate includes to estimate."""
        width = "" if self.bits == 64 else f", {self.bits}-bit values"
        return f"{self.mechanism} {self.side} d={self.k}{width}"


@dataclass(frozen=True)
class Effort:
    """How many people answer, and for how many seconds a measurement may be repeated."""

    people: int
    peer_share: float
    seconds: float

    def of_peers(self, job: Job) -> int:
        """How many people the peers are measured on."""
        return int(job.peer_people * self.peer_share)


FULL = Effort(people=1_000_000, peer_share=1.0, seconds=1.5)
QUICK = Effort(people=100_000, peer_share=0.1, seconds=0.1)


def _grr_randomise(k: int, bits: Literal[8, 16, 64], of_limit: float) -> Job:
    return Job("GRR", "randomise", k, 100, 6, 200_000, of_limit, bits)


JOBS = (
    _grr_randomise(5, 64, 0.37),
    _grr_randomise(5, 8, 0.45),
    _grr_randomise(5, 16, 0.45),
    _grr_randomise(43, 64, 0.37),
    _grr_randomise(43, 8, 0.45),
    _grr_randomise(43, 16, 0.45),
    _grr_randomise(1024, 64, 0.37),
    _grr_randomise(1024, 16, 0.45),
    Job("GRR", "aggregate", 5, times_peer=100, times_numpy=1, peer_people=200_000),
    Job("GRR", "aggregate", 43, times_peer=100, times_numpy=1, peer_people=200_000),
    Job("GRR", "aggregate", 1024, times_peer=100, times_numpy=1, peer_people=200_000),
    Job("OUE", "randomise", 43, times_peer=35, times_numpy=5, peer_people=20_000),
    Job("OUE", "randomise", 1024, times_peer=60, times_numpy=5, peer_people=20_000),
    Job("OUE", "aggregate", 43, times_peer=150, times_numpy=10, peer_people=20_000),
    Job("OUE", "aggregate", 1024, times_peer=30, times_numpy=10, peer_people=20_000),
    Job("subset selection", "randomise", 1024, 60, 0, peer_people=20_000),
    Job("subset selection", "aggregate", 1024, 1, 0, peer_people=20_000),
    Job("OLH", "randomise", 1024, 500, 0, peer_people=100_000),
    Job("OLH", "aggregate", 1024, 500, 0, peer_people=2000),
    Job("Hadamard", "randomise", 1024, 100, 0, peer_people=50_000),
    Job("Hadamard", "aggregate", 1024, 100, 0, peer_people=200_000),
)
