"""Payment for a release from the account of a data set."""

from collections.abc import Callable
from fractions import Fraction

from mechdesign.ledgers.entry import Charge
from mechdesign.ledgers.ledger import Account
from mechdesign.ledgers.payment import Payment
from mechdesign.releases.record import file_digest
from mechdesign.releases.staging import OutputPaths

RELEASE = "release"


def payment_for_release(
    account: Account | None, places: OutputPaths, alpha: Fraction = Fraction(1), hint: Callable[[], str] = lambda: ""
) -> Payment:
    """Make the payment for a release to these places, which costs the alpha of its designs; `hint` as in `Payment`."""

    def is_there(content: str) -> bool:
        return places.output.is_file() and file_digest(places.output) == content

    return Payment(account, Charge(RELEASE, alpha, str(places.output)), is_there, hint)
