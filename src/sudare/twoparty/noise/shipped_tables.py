"""Tables that come with the package, for common guarantees; each is proved before it is given."""

from collections.abc import Iterator
from importlib import resources

from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import Proof, require
from sudare.twoparty.noise.scheme import USUAL_ENTRIES
from sudare.twoparty.noise.table_document import TableDocument


def shipped(guarantee: Guarantee, entries: int = USUAL_ENTRIES) -> Proof | None:
    """The shipped tables with the least noise for this guarantee, proved anew; None if none are.

    Args:
        guarantee: exactly this one.
        entries: at most so many in all tables.
    """
    fitting = [
        document.scheme
        for document in shipped_documents()
        if document.guarantee == guarantee and document.scheme.entries <= entries
    ]
    if not fitting:
        return None
    return min((require(scheme, guarantee) for scheme in fitting), key=lambda proof: proof.mean)


def shipped_documents() -> Iterator[TableDocument]:
    """Every table that comes with the package, as written: not yet proved."""
    folder = resources.files("sudare.twoparty.noise").joinpath("tables")
    for file in sorted(folder.iterdir(), key=str):
        yield TableDocument.from_json(file.read_bytes())
