"""How long RAPPOR's decoder takes and how much memory, in a process of its own.

``python decode.py CANDIDATES HASHES COHORTS SECONDS DRAW [PROBLEM]`` says it as JSON for one draw
of the people, and writes the LASSO's problem into an ``.npz`` file if asked to. The people are 10⁷,
who hold 1,000 of the candidates by a Zipf law; 128 bits. With two hashes the document's p = ½ and
q = ¾, with one what Sudare recommends for a single report at ε = 1.
"""

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from memory import peak_memory
from sudare import Collection, Rappor
from sudare.chance.randomness import Seeded
from sudare.decoding.bit_sums import BitShares
from sudare.decoding.candidates import find, settle
from sudare.decoding.design import Design
from sudare.decoding.from_sums import hash_candidates
from sudare.decoding.lasso import nonnegative_lasso
from sudare.questions.text import decode
from timing import best_cpu

PEOPLE, HELD = 10_000_000, 1000
MECHANISMS = {
    1: Rappor.calibrate(1.0, form="instant", bits=128, hashes=1, cohorts=64),
    2: Rappor(bits=128, hashes=2, cohorts=64, f=0.0, p=0.5, q=0.75),
}


def main(  # noqa: PLR0913, PLR0917 - what is asked on the command line
    candidates: int, hashes: int, cohorts: int, seconds: float, draw: int, problem: str | None
) -> dict[str, Any]:
    """The whole once for its memory, then each part by itself."""
    mechanism = replace(MECHANISMS[hashes], cohorts=cohorts)
    collection = Collection("texts", "Which?", (), mechanism)
    texts = [f"candidate number {i}" for i in range(candidates)]
    shares = 1 / np.arange(1, HELD + 1)
    people = np.random.default_rng(draw).multinomial(PEOPLE, shares / shares.sum())
    total = collection.simulate(dict(zip(texts, people.tolist(), strict=False)), Seeded(draw))
    decoded = decode(collection, total, texts)
    peak = peak_memory()
    found = decoded.findings.found
    result = {
        "found": len(found),
        "false": int((found >= HELD).sum()),
        "MiB": peak,
        "whole": best_cpu(lambda: decode(collection, total, texts), seconds),
    }
    _, hashed = hash_candidates(collection.key, texts)
    design = Design.of_texts(hashed, mechanism)
    sizes, sums = total.counts[:, 0], total.counts[:, 1:]

    def findings() -> object:
        return find(design, BitShares(sizes, sums, mechanism.holder, mechanism.others))

    result["find"] = best_cpu(findings, seconds)
    if problem is None:
        return result
    # The peer has no weights: both solve the problem without them.
    bits = BitShares(sizes, sums, mechanism.holder, mechanism.others)
    response, _ = design.centred(bits.shares)
    weights, penalty = np.ones_like(response), settle(design, bits).lasso.penalty
    np.savez(problem, rows=design.rows[:], response=response, penalty=penalty)
    solution = nonnegative_lasso(design, response, weights, penalty)
    taken = best_cpu(lambda: nonnegative_lasso(design, response, weights, penalty), seconds)
    return result | {"lasso": taken, "objective": solution.objective, "gap": solution.gap}


if __name__ == "__main__":
    candidates, hashes, cohorts, seconds, draw, *problem = sys.argv[1:]
    print(
        json.dumps(
            main(
                int(candidates),
                int(hashes),
                int(cohorts),
                float(seconds),
                int(draw),
                problem[0] if problem else None,
            )
        )
    )
