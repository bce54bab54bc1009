"""Read a design back from its file, with everything that it claims proved again."""

from mechdesign.audits.audit import SECONDS, Audit, audit
from mechdesign.designs import Design, Seconds
from mechdesign.documents.document import Document
from mechdesign.documents.files import FilePath
from mechdesign.documents.storage import read_matrix
from mechdesign.errors import InputError, RefusedError


def read_design(path: FilePath) -> Design:
    """Read a design document (`.json`, `.npz`) and prove it again: the matrix, the bound and every other claim.

    The trusted kernel looks at the matrix, the lower bound is recomputed from the multipliers in the file, and every
    statement of the file is compared with what is found. What comes back is the design that was exported, its times
    as the file rounds them.

    Raises:
        InputError: for a file that is unusable, or holds a matrix alone (`read_mechanism` reads those).
        RefusedError: naming the first claim that is false.
    """
    document = read_matrix(path).document
    if document is None:
        raise InputError(f"file must be a design document, got a plain matrix in {path}; read_mechanism reads those")
    found = require_true(document, str(path))
    seconds = document.raw["seconds"]
    return Design(
        document.problem,
        document.mechanism(),
        document.proof,
        document.score,
        document.lower_bound,
        found.holds,
        Seconds(*(float(seconds[name]) for name in SECONDS)),
        str(document.raw.get("how", "")),
        str(document.raw.get("method", "")),
    )


def require_true(document: Document, source: str) -> Audit:
    """Prove everything that a design document says.

    Raises:
        RefusedError: naming the first claim that is false.
    """
    found = audit(document)
    for claim in found.claims:
        if not claim.true:
            detail = f" ({claim.detail})" if claim.detail else ""
            raise RefusedError(f"refused: {source} claims what is false: {claim.claim}{detail}")
    return found
