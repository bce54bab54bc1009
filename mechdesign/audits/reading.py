"""Read a design back from its file, with everything that it claims proved again."""

from mechdesign.arguments import checked
from mechdesign.audits.law_audit import audit_law
from mechdesign.audits.workload_audit import audit_workload
from mechdesign.designs import Design
from mechdesign.documents.claims import document_claims, require_true
from mechdesign.documents.files import FilePath
from mechdesign.documents.laws import StoredLaw
from mechdesign.documents.storage import Stored, read_stored, read_workload_document, require_matrix
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.problem.properties import holding
from mechdesign.workload_designs import WorkloadDesign


@checked
def read_law(path: FilePath) -> Law:
    """Read the document of a law (`.json`), a mechanism for groups of every size, and prove it again.

    Raises:
        InputError: for a file that is unusable, or holds no law.
        RefusedError: naming the first claim that is false.
    """
    found = audit_law(path)
    require_true(found.claims, path)
    return found.law


@checked
def read_design(path: FilePath, *, n: int | None = None) -> Design:
    """Read a design document (`.json`, `.npz`) and prove it again: the matrix, the bound and every other claim.

    The trusted kernel looks at the matrix, the lower bound is recomputed from the multipliers in the file, and every
    statement of the file is compared with what is found. What comes back is the design that was exported, its times
    as the file rounds them. A law is written out at one n, where matrix and bound are proved as well.

    Args:
        path: the document of a design or of a law.
        n: the size for a law; needed where its document speaks of every size.

    Raises:
        InputError: for a file that is unusable, or holds a matrix alone (`read_mechanism` reads those).
        RefusedError: naming the first claim that is false.
    """
    return proved_design(read_stored(path), path, n)


def proved_design(stored: Stored, path: FilePath, n: int | None = None) -> Design:
    """Prove what was read from a file, and return the design that it is; a law at one n. As `read_design`."""
    if isinstance(stored, StoredLaw):
        size = stored.size(n, path)
        return stored.proved(path).design(size)
    document = require_matrix(stored, path).document
    if document is None:
        raise InputError(f"file must be a design document, got a plain matrix in {path}; read_mechanism reads those")
    if n not in (None, document.problem.n):
        raise InputError(f"n must be {document.problem.n} as in {path}, got n={n}")
    require_true(document_claims(document), path)
    holds = holding(document.weights, document.denominator, document.problem.properties)
    return Design(
        document.problem,
        document.mechanism(),
        document.proof,
        document.score,
        document.lower_bound,
        holds,
        document.seconds,
        document.how,
        document.method,
    )


@checked
def read_workload_design(path: FilePath) -> WorkloadDesign:
    """Read the document of a design for a workload (`.json`, `.npz`) and prove it again: variances, bound, every claim.

    Raises:
        InputError: for a file that is unusable, or holds no such document.
        RefusedError: naming the first claim that is false.
    """
    document = read_workload_document(path)
    require_true(audit_workload(document).claims, path)
    return WorkloadDesign(
        document.problem,
        document.mechanism(),
        document.proof,
        document.upper_value if document.upper is None else document.upper,
        document.lower,
        document.inputs,
        document.floor,
        document.seconds,
        document.how,
        document.method,
        is_exact=document.upper is not None,
    )
