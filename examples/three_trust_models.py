"""Whom must people trust, and what does it cost? One share, one ε, three trust models.

- Nobody: each device adds its own noise (GRR, OUE, RAPPOR).
- One of two: devices encrypt, two parties that don't collude add one noise that neither knows; or
  each adds a noise of its own, which is simpler and noisier.
- One for all: a curator sees every answer and adds the best noise there is.

The same 100,000 people answer yes or no; the error is that of the share who say yes.
Writes ``three_trust_models.png``, or the file named as argument.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare import GRR, OUE, Rappor, Seeded, System
from sudare.results.figures import error_figure, save
from sudare.twoparty.ciphers.interface import USUAL_CANDIDATES, cipher_named
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.parties import Listening, Starting, TotalOfP2

TRUTH = np.array([88_000, 12_000])  # no, yes
PEOPLE, HOLDERS = int(TRUTH.sum()), int(TRUTH[1])
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0)
DELTA = 1e-6
REPETITIONS = 400

Floats = NDArray[np.float64]
Local = Callable[[float], GRR | OUE | Rappor]
LOCAL: dict[str, Local] = {
    "GRR": lambda epsilon: GRR.calibrate(TRUTH.size, epsilon),
    "OUE": lambda epsilon: OUE.calibrate(TRUTH.size, epsilon),
    "RAPPOR": lambda epsilon: Rappor.calibrate(epsilon, form="basic", bits=TRUTH.size),
}


@dataclass(frozen=True, eq=False)
class Line:
    """Mean absolute errors of the share, one for each ε."""

    label: str
    y: Floats
    stderr: Floats | None = None
    theory: Floats | None = None

    @property
    def x(self) -> Floats:
        """The budgets."""
        return np.array(EPSILONS)


def measured(label: str, errors: list[Floats], theory: Floats | None = None) -> Line:
    """The line of so many repetitions at each ε."""
    table = np.abs(np.array(errors))
    return Line(label, table.mean(axis=1), table.std(axis=1) / math.sqrt(REPETITIONS), theory)


def local(label: str, rng: Seeded) -> Line:
    """Devices that trust nobody."""
    errors, theory = [], []
    for mechanism in map(LOCAL[label], EPSILONS):
        runs = [mechanism.debiased(mechanism.simulate(TRUTH, rng)) for _ in range(REPETITIONS)]
        errors.append(np.array([run.values[1] for run in runs]) - HOLDERS / PEOPLE)
        # Of a normal error, the mean absolute value is √(2/π) standard deviations.
        theory.append(math.sqrt(2 / math.pi) * float(runs[0].stderr[1]))
    return measured(label, errors, np.array(theory))


def two_parties(proofs: list[Proof], rng: Seeded) -> Line:
    """Draws from the very tables that the parties use, here in the open."""
    errors = []
    for proof in proofs:
        scheme = proof.scheme
        tables = scheme.shuffled(rng)
        noises = [scheme.noise(tables, scheme.indices(rng)) for _ in range(REPETITIONS)]
        errors.append(np.array(noises) / PEOPLE)
    exact = np.array([float(proof.mean) for proof in proofs]) / PEOPLE
    return measured("two parties", errors, exact)


def encrypted_share(proof: Proof) -> float:
    """One real run of both parties: keys, encrypted tables, draws, and what P1 opens."""
    document = TableDocument(proof.guarantee, proof.scheme)
    cipher = cipher_named("elgamal")
    agreement = Agreement(document, cipher.name, PEOPLE, candidates=USUAL_CANDIDATES)
    greeting, hello = Starting(agreement, cipher, TotalOfP2(total=HOLDERS)).greet(System())
    bound, commitments = Listening(agreement, cipher).receive(hello, System())
    choosing, choice = greeting.receive(commitments, System())
    offering, tables = bound.receive(choice)
    _, answer = choosing.receive(tables, System())
    opened, _ = offering.receive(answer).open()
    return opened.result.total / PEOPLE


def main() -> None:
    """Print the errors and draw them."""
    rng = Seeded(2024)
    found = [shipped(Guarantee(epsilon, DELTA)) for epsilon in EPSILONS]
    proofs = [proof for proof in found if proof is not None]
    best = np.array([proof.guarantee.best_mean for proof in proofs]) / PEOPLE
    lines = [local(label, rng) for label in LOCAL]
    own = np.array([proof.guarantee.own_noise_mean for proof in proofs]) / PEOPLE
    lines += [Line("two, own noises", own), two_parties(proofs, rng)]
    lines += [Line("curator, at best", best)]
    print(f"Mean absolute error of a share of {HOLDERS / PEOPLE:.0%}, {PEOPLE:,} people")
    print("     ε" + "".join(f"{line.label:>18}" for line in lines))
    for row, epsilon in enumerate(EPSILONS):
        print(f"{epsilon:6g}" + "".join(f"{line.y[row]:18.2e}" for line in lines))
    one = EPSILONS.index(1.0)
    *local_errors, _, shared_error, _ = (line.y[one] for line in lines)
    gain = min(local_errors) / shared_error
    saved = 1 - float(proofs[one].mean) / proofs[one].guarantee.own_noise_mean
    share = encrypted_share(proofs[one])
    print(f"At ε = 1, trusting one of two instead of nobody makes the error {gain:.0f} times less")
    print(f"(and costs δ = {DELTA:g}); a real encrypted run opened {share:.5f}.")
    print(f"A noise that neither knows is {saved:.0%} less than a noise of each.")
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "three_trust_models.png")
    title = f"Three trust models, {PEOPLE:,} people"
    save(error_figure(lines, title=title, y_label="mean absolute error of a share"), path)


if __name__ == "__main__":
    main()
