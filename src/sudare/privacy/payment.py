"""The charge to a party's ledger, made before a total is opened or answered for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sudare.errors import ParameterError
from sudare.formats.files import Once
from sudare.privacy.account import Account


@dataclass(frozen=True)
class Payment:
    """A charge to an account, written down before the total that it pays for is opened.

    It comes before the mark of a count. A crash in between has paid and opens nothing; the
    ledger knows the count then, and refuses it.

    Attributes:
        account: what is charged.
        key: what is paid for: a count, or an agreement where there is none.
        epsilon: the proved ε.
        delta: the exact δ of whoever learns the most, rounded up.
        mark: that of a count, which is paid for once; without one, every session costs again.
    """

    account: Account
    key: str
    epsilon: float
    delta: float
    mark: Once | None

    def check(self) -> None:
        """Raise if the total was paid for before, or can't be afforded."""
        if self.mark is not None:
            self.mark.check()
            if any(charge.key == self.key for charge in self.account.ledger.charges):
                raise ParameterError(
                    f"this count was paid for once already, as {self.account.path.name} says; "
                    f"another time takes a new key, and costs the people ε again"
                )
        self.account.ledger.charge(self.key, self.epsilon, delta=self.delta)

    def make(self) -> None:
        """Charge the account, then mark the count as paid, each on disk before the next."""
        self.check()
        self.account.charge(self.key, self.epsilon, delta=self.delta)
        if self.mark is not None:
            self.mark.make()


@contextmanager
def paying(
    ledger: Path | None, key: str, epsilon: float, delta: float, mark: Once | None
) -> Iterator[Once | None]:
    """The payment, or mark, to be made before a total leaves a party, checked once already.

    Args:
        ledger: the file that is charged; None for no charge, so that ``mark`` alone is made.
        key: what is paid for.
        epsilon: what it costs.
        delta: the chance that it costs more.
        mark: that of a count, made after the charge.
    """
    if ledger is None:
        if mark is not None:
            mark.check()
        yield mark
        return
    with Account.held(ledger) as account:
        payment = Payment(account, key, epsilon, delta, mark)
        payment.check()
        yield payment
