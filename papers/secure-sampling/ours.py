"""Beyond the document: our small tables, proved, beside the document's for the same guarantee."""

from collections.abc import Iterator

from record import Row
from tables import DRAWS, proved

from sudare.chance.exact import float_up
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, prove
from sudare.twoparty.noise.shipped_tables import shipped_documents


def our_proofs() -> list[Proof]:
    """Every shipped scheme, proved anew; the widest sensitivity last."""
    proofs = [prove(document.scheme, document.guarantee) for document in shipped_documents()]
    return sorted(
        proofs,
        key=lambda p: (p.guarantee.sensitivity, -p.guarantee.epsilon, -p.guarantee.delta, p.mean),
    )


def our_rows() -> Iterator[Row]:
    """Entries, E|Z| and δ; the document's best E|Z| with at least two draws beside ours."""
    for proof in our_proofs():
        guarantee, entries = proof.guarantee, proof.scheme.entries
        name = f"ours.{guarantee.epsilon:g}.{guarantee.delta:g}.{guarantee.sensitivity}.{entries}"
        setting = f"ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g}, Δ = {guarantee.sensitivity}"
        verdict = "proved: for P1, P2 and all who see the result"
        if not (proof.holds and proof.holds_for_p2):
            verdict = "refuted"
        smaller = _documents_best(guarantee)
        yield Row(
            f"{name}.entries",
            f"entries of {len(proof.scheme.tables)} tables at {setting}",
            float(smaller.scheme.entries),
            float(entries),
            verdict,
        )
        yield Row(
            f"{name}.relative",
            f"E|Z| of those {entries} entries in units of 1/sinh(ε/Δ)",
            smaller.relative_mean,
            proof.relative_mean,
            "smaller: than the document's best for 2 to 4 draws"
            if proof.mean < smaller.mean
            else "larger",
        )
        yield Row(
            f"{name}.delta",
            f"the exact δ of those {entries} entries",
            guarantee.delta,
            float_up(proof.delta),
            verdict,
        )


def _documents_best(guarantee: Guarantee) -> Proof:
    """Algorithm 2's least E|Z| among 2 to 4 draws: with one draw a table is far too large."""
    return min((proved(guarantee, draws) for draws in DRAWS[1:]), key=lambda proof: proof.mean)
