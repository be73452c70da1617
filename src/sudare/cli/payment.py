"""What a party pays before a total is opened or answered for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sudare.cli.ledger import load_ledger
from sudare.privacy.account import Account
from sudare.twoparty.agreement import Agreement
from sudare.twoparty.session import Mark


@dataclass(frozen=True)
class Payment(Mark):
    """A charge to an account, written down where a mark is: ``path`` is the ledger.

    It comes before the mark of a count. A crash in between has paid and opens nothing; the
    ledger knows the count then, and refuses it.

    Attributes:
        account: what is charged.
        key: of the count, or of the agreement where there is none.
        epsilon: the proved ε.
        delta: the exact δ of this party's view, rounded up.
        mark: that of a count, which is paid for once; without one, every session costs again.
    """

    account: Account
    key: str
    epsilon: float
    delta: float
    mark: Mark | None

    def check(self) -> None:
        """Raise if the total was paid for before, or can't be afforded."""
        if self.mark is not None:
            self.mark.check()
            if any(charge.key == self.key for charge in self.account.ledger.charges):
                raise self._error
        self.account.ledger.charge(self.key, self.epsilon, delta=self.delta)

    def make(self) -> None:
        """Pay, and mark, each on disk before the next."""
        self.check()
        self.account.charge(self.key, self.epsilon, delta=self.delta)
        if self.mark is not None:
            self.mark.make()


@contextmanager
def paying(
    ledger: Path | None, agreement: Agreement, delta: float, mark: Mark | None
) -> Iterator[Mark | None]:
    """What a session writes down before a total leaves it, checked once already."""
    if ledger is None:
        if mark is not None:
            mark.check()
        yield mark
        return
    load_ledger(ledger)
    with Account.held(ledger) as account:
        what = "this count was paid for"
        key, epsilon = agreement.spending_key, agreement.document.guarantee.epsilon
        payment = Payment(account.path, what, account, key, epsilon, delta, mark)
        payment.check()
        yield payment
