"""Audit the document of a law: everything that it claims, proved again by the trusted kernel of laws."""

from dataclasses import dataclass

from mechdesign.arguments import checked
from mechdesign.documents.claims import Claim, claims_table, claims_words
from mechdesign.documents.files import FilePath
from mechdesign.documents.laws import StoredLaw, law_claims
from mechdesign.documents.storage import read_stored
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.notebook import facts, one_line, page
from mechdesign.verify.layers import layer_defects


@dataclass(frozen=True)
class LawAudit:
    """Hold what the document of a law says, and which of its claims are true."""

    stored: StoredLaw
    claims: tuple[Claim, ...]

    @property
    def law(self) -> Law:
        """What the document says; it is to be believed only where the audit passed."""
        return self.stored.law

    @property
    def passed(self) -> bool:
        """Whether no claim is false."""
        return all(claim.true for claim in self.claims)

    @property
    def is_private(self) -> bool:
        """Whether the mechanism is alpha-DP at every size, with columns that sum to 1 and no negative entry."""
        layer = self.law.layer
        return layer is None or not any(layer_defects(layer, (), self.law.least))

    @property
    def sums_are_exact(self) -> bool:
        """Whether every column sums to exactly 1 at every size."""
        mechanism = self.law.mechanism
        return isinstance(mechanism, FairMechanism) or mechanism.sums_to_one

    def __repr__(self) -> str:
        return one_line("LawAudit", self.law.problem.describe(), claims_words(self.claims))

    def _repr_html_(self) -> str:
        return page("Law audit", facts([("asked", self.law.problem.describe())]), claims_table(self.claims))


@checked
def audit_law(document: StoredLaw | FilePath) -> LawAudit:
    """Audit the document of a law: test every claim, and prove the bound again.

    Args:
        document: a .json file, or what was read from one.

    Raises:
        InputError: for a file that is no such document.
    """
    if not isinstance(document, StoredLaw):
        path = document
        stored = read_stored(path)
        if not isinstance(stored, StoredLaw):
            raise InputError(f"file must be the document of a law, got another matrix or design in {path}")
        document = stored
    return LawAudit(document, tuple(law_claims(document.data)))
