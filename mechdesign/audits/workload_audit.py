"""Audit the document of a local mechanism for a workload: its variance, its bound, and all else that it claims."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.documents.claims import Claim, claims_table, claims_words
from mechdesign.documents.files import FilePath
from mechdesign.documents.row_designs.claims import workload_claims
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.documents.storage import read_workload_document
from mechdesign.mechanism.notebook import Value, facts, one_line, page


@dataclass(frozen=True)
class WorkloadAudit:
    """Hold what the document of a design for a workload says, and which of its claims are true.

    `column_errors` lists (item, sum - 1) of the items whose probabilities do not sum to 1, and `alpha` the tightest
    ratio of two probabilities of a report: 1 where no report tells anything.
    """

    document: WorkloadDocument
    alpha: Fraction
    column_errors: tuple[tuple[int, Fraction], ...]
    claims: tuple[Claim, ...]

    @property
    def passed(self) -> bool:
        """Whether no claim is false."""
        return all(claim.true for claim in self.claims)

    def __repr__(self) -> str:
        return one_line("WorkloadAudit", self.document.problem.describe(), claims_words(self.claims))

    def _repr_html_(self) -> str:
        document = self.document
        rows: list[tuple[str, Value]] = [
            ("asked", document.problem.describe()),
            ("outputs", len(document.rows)),
            ("variance for each user", document.upper_value),
            ("lower bound", document.lower_value),
            ("column sums", "exactly 1" if not self.column_errors else f"{len(self.column_errors)} are not 1"),
        ]
        return page("Workload audit", facts(rows), claims_table(self.claims))


@checked
def audit_workload(document: WorkloadDocument | FilePath) -> WorkloadAudit:
    """Audit the document of a design for a workload: test every claim, and prove the bound again.

    Args:
        document: a file (`.json`, `.npz`), or what was read from one.

    Raises:
        InputError: for a file that is no such document.
    """
    if not isinstance(document, WorkloadDocument):
        document = read_workload_document(document)
    errors = _column_errors(document)
    tells = any("0" in row and "1" in row for row in document.rows)
    alpha = document.problem.alpha if tells else Fraction(1)
    return WorkloadAudit(document, alpha, errors, tuple(workload_claims(document)))


def _column_errors(document: WorkloadDocument) -> tuple[tuple[int, Fraction], ...]:
    step, found = 1 / document.problem.alpha - 1, []
    total = sum(document.weights)
    for item in range(document.problem.k):
        ones = sum(weight for row, weight in zip(document.rows, document.weights, strict=True) if row[item] == "1")
        error = (total + step * ones) / document.denominator - 1
        if error:
            found.append((item, error))
    return tuple(found)
