"""Two parties in two processes: both machines run over a connection, to a clean end.

A session runs once, from a greeting to a result. Nothing is resumed: after a fault both sides
stop with a sentence and start anew, with a new session, another order of the tables and another
draw. Where devices have encrypted to P1's key, that key opens once: a mark on disk remembers it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sudare.chance.randomness import Randomness
from sudare.errors import FalseTables, ParameterError, PartyLost, SudareError
from sudare.formats.files import Once, create_whole, require_writable
from sudare.twoparty.protocol.connection import Wire
from sudare.twoparty.protocol.messages import Step
from sudare.twoparty.protocol.parties import Listening, NoisyTotal, Starting


@dataclass(frozen=True)
class OnceFile:
    """An empty file, the mark that something happened which may happen once.

    Attributes:
        path: the file.
        what: what happened, as a sentence begins that refuses a second time.
    """

    path: Path
    what: str

    def check(self) -> None:
        """Raise if the thing happened before, or could not be written down if it happened."""
        if os.path.lexists(self.path):
            raise self._error
        require_writable(self.path.parent)

    def make(self) -> None:
        """Write down that the thing happens, to outlast a crash; raise if it happened before."""
        try:
            create_whole(self.path, b"")
        except FileExistsError:
            raise self._error from None

    @property
    def _error(self) -> ParameterError:
        return ParameterError(
            f"{self.what} once already, as {self.path.name} says; another time takes a new key, "
            f"and costs the people ε again"
        )


def run_one(
    wire: Wire, party: Listening, rng: Randomness, *, own: int = 0, mark: Once | None = None
) -> NoisyTotal:
    """Run P1 over a connection, from P2's greeting to the opened noisy total.

    Args:
        wire: to P2.
        party: P1 at its beginning.
        rng: the seeds of the candidates come from it, and so the order of the tables.
        own: P1's own total, added to what is opened.
        mark: made before anything is opened, where keys outlast this run.
    """
    with _refusing(wire):
        party.agreement.check_own(own)
        if mark is not None:
            mark.check()
        bound, commitments = party.receive(wire.receive(Step.HELLO), rng)
        wire.send(commitments)
        offering, tables = bound.receive(wire.receive(Step.CHOICE))
        wire.send(tables)
        sealed = offering.receive(wire.receive(Step.SUM))
        if mark is not None:
            mark.make()
    if party.agreement.p2_blind:  # nothing is said after opening: when it ends tells of the total
        with suppress(PartyLost):
            wire.send(sealed.silence)
        wire.close()
        return sealed.open(own)[0].result
    with _refusing(wire):
        opened, result = sealed.open(own)
    with suppress(PartyLost):  # P2 sent all it had to; what was opened is opened
        wire.send(result)
    return opened.result


def run_two(
    wire: Wire, party: Starting, rng: Randomness, *, mark: Once | None = None
) -> NoisyTotal | None:
    """Run P2 over a connection, from its greeting to the result; None if it agreed not to see it.

    Args:
        wire: to P1.
        party: P2 at its beginning.
        rng: the choice of a candidate and the indices come from it.
        mark: made before the sum is sent, where ciphertexts outlast this run.
    """
    with _refusing(wire):
        if mark is not None:
            mark.check()
        greeting, hello = party.greet(rng)
        wire.send(hello)
        choosing, choice = greeting.receive(wire.receive(Step.COMMITMENTS), rng)
        wire.send(choice)
        with _suspecting(party.agreement.candidates):
            answering, answer = choosing.receive(wire.receive(Step.TABLES), rng)
        if mark is not None:
            mark.make()
    try:
        wire.send(answer)
        return answering.receive(wire.receive(Step.RESULT)).result
    except SudareError as error:
        spent = "P1 may have opened the total, which counts as spent"
        raise type(error)(f"{error}; {spent}") from None


@contextmanager
def _suspecting(candidates: int) -> Iterator[None]:
    """Say of a P1 that fails when it should open its candidates that a cheat would do that, too."""
    try:
        yield
    except FalseTables:  # which says so itself
        raise
    except SudareError as error:
        if candidates == 1:
            raise
        raise type(error)(
            f"{error}; P1 knew by then which {candidates - 1} of its {candidates} candidates it "
            f"had to open, and one who cheats would stop here: ask why before you try again"
        ) from None


@contextmanager
def _refusing(wire: Wire) -> Iterator[None]:
    """Tell the other side of an error that ends this one."""
    try:
        yield
    except PartyLost:
        raise
    except SudareError as error:
        wire.refuse(error)
        raise
    except OSError:  # whose path and reason are nobody else's
        wire.refuse(ParameterError("a file can't be written there"))
        raise
