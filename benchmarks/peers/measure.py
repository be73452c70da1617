"""Seconds per person of pure-ldp and multi-freq-ldpy, run by the Python they are installed in.

Says, when ready, which versions they are; then reads one request a line as JSON, ``[job's name,
people, seconds]``, and answers each with a line that maps the name of each peer that has the
mechanism to its seconds per person. Each peer is used in the fastest way it documents: answers are
a list of Python integers, taken one by one, and its own reports are what it aggregates, up to the
estimates of all frequencies.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.hadamard_response import (
    HadamardResponseClient,
    HadamardResponseServer,
)
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

from jobs import EPSILON, JOBS, Job
from timing import best_cpu

Reports = list[Any]  # integers or arrays: the peers have no types


@dataclass(frozen=True)
class Peer:
    """How a peer randomises answers numbered from ``first``, and estimates from its reports."""

    first: int
    randomise: Callable[[Sequence[int]], Reports]
    aggregate: Callable[[Reports], object]


def pure_ldp(job: Job) -> Peer | None:
    """pure-ldp: a client and a server; answers are 1 .. k. It has no subset selection."""
    client: Any
    server: Any
    if job.mechanism == "subset selection":
        return None
    if job.mechanism == "GRR":
        client, server = DEClient(EPSILON, job.k), DEServer(EPSILON, job.k)
    elif job.mechanism == "OUE":
        client = UEClient(EPSILON, job.k, use_oue=True)
        server = UEServer(EPSILON, job.k, use_oue=True)
    elif job.mechanism == "OLH":
        client = LHClient(EPSILON, job.k, use_olh=True)
        server = LHServer(EPSILON, job.k, use_olh=True)
    else:
        server = HadamardResponseServer(EPSILON, job.k)
        client = HadamardResponseClient(EPSILON, job.k, server.get_hash_funcs())

    def aggregate(reports: Reports) -> object:
        server.reset()
        server.aggregate_all(reports)
        server.check_and_update_estimates()  # all at once; estimate_all asks one by one
        return server.get_estimates

    return Peer(1, lambda answers: [client.privatise(answer) for answer in answers], aggregate)


def multi_freq_ldpy(job: Job) -> Peer | None:
    """multi-freq-ldpy: a function for the client and one for the server. It has no Hadamard."""
    k = job.k
    if job.mechanism == "Hadamard":
        return None
    make, count = {
        "GRR": (GRR_Client, GRR_Aggregator_MI),
        "OUE": (UE_Client, lambda reports, _, epsilon: UE_Aggregator_MI(reports, epsilon)),
        "subset selection": (SS_Client, SS_Aggregator_MI),
        "OLH": (LH_Client, LH_Aggregator_MI),
    }[job.mechanism]
    return Peer(
        0,
        lambda answers: [make(answer, k, EPSILON) for answer in answers],
        lambda reports: count(reports, k, EPSILON),
    )


PEERS = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}


def measure(peer: Peer, job: Job, people: int, seconds: float) -> float:
    """Seconds per person of a peer at a job."""
    answers = [random.randrange(job.k) + peer.first for _ in range(people)]  # noqa: S311
    if job.side == "randomise":
        return best_cpu(lambda: peer.randomise(answers), seconds) / people
    reports = peer.randomise(answers)
    return best_cpu(lambda: peer.aggregate(reports), seconds) / people


if __name__ == "__main__":
    print(json.dumps({peer: version(peer) for peer in PEERS}), flush=True)
    job_named = {job.name: job for job in JOBS}
    for line in sys.stdin:
        name, people, seconds = json.loads(line)
        job = job_named[name]
        having = {name: peer for name, at in PEERS.items() if (peer := at(job))}
        taken = {name: measure(peer, job, people, seconds) for name, peer in having.items()}
        print(json.dumps(taken), flush=True)
