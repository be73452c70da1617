"""What the other libraries have nearest to RAPPOR, run by the Python they are installed in.

``python -m peers.rappor PEOPLE SECONDS`` says, as JSON, each library's version and its seconds of
processor per person to randomise 128 bits, and to add the reports up.

- pure-ldp has RAPPOR's permanent step on a Bloom filter of a number's text. (It never clears a
  bit, so what it measures isn't private; the work is about that of a right one.)
- multi-freq-ldpy has both steps, for answers with a bit each.
"""

import json
import random
import sys
from importlib.metadata import version

from multi_freq_ldpy.long_freq_est.L_SUE import L_SUE_Aggregator_MI, L_SUE_Client
from pure_ldp.frequency_oracles.rappor import RAPPORClient, RAPPORServer

from timing import best_cpu

BITS, HASHES, COHORTS, F = 128, 2, 64, 0.5
LIFETIME, EPSILON = 4.0, 1.0


def pure_ldp(people: int, seconds: float) -> dict[str, float]:
    """A client, and a server that adds up; its decoder is another job."""
    server = RAPPORServer(F, BITS, HASHES, 1000, num_of_cohorts=COHORTS)
    client = RAPPORClient(F, BITS, server.get_hash_funcs(), num_of_cohorts=COHORTS)
    answers = [random.randrange(1000) + 1 for _ in range(people)]  # noqa: S311
    reports = [client.privatise(answer) for answer in answers]
    return {
        "randomise": best_cpu(lambda: [client.privatise(one) for one in answers], seconds) / people,
        "aggregate": best_cpu(lambda: server.aggregate_all(reports), seconds) / people,
    }


def multi_freq_ldpy(people: int, seconds: float) -> dict[str, float]:
    """A compiled function for the client, a plain one that adds up and estimates."""
    answers = [random.randrange(BITS) for _ in range(people)]  # noqa: S311

    def randomise() -> list[object]:
        return [L_SUE_Client(answer, BITS, LIFETIME, EPSILON) for answer in answers]

    reports = randomise()
    return {
        "randomise": best_cpu(randomise, seconds) / people,
        "aggregate": best_cpu(lambda: L_SUE_Aggregator_MI(reports, LIFETIME, EPSILON), seconds)
        / people,
    }


if __name__ == "__main__":
    people, seconds = int(sys.argv[1]), float(sys.argv[2])
    peers = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}
    print(
        json.dumps(
            {
                name: {"version": version(name), **measure(people, seconds)}
                for name, measure in peers.items()
            }
        )
    )
