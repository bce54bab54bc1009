"""Designs read back from their files, with everything that they claim proved again."""

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.documents.document import AnyDesign
from mechdesign.documents.files import FilePath
from mechdesign.documents.storage import Stored, read_stored, require_matrix
from mechdesign.documents.stored import ByRule, StoredLaw
from mechdesign.errors import InputError


@checked
def read_design(path: FilePath, *, n: int | None = None) -> AnyDesign:
    """Read a design document (`.json`, `.npz`) and prove it again: the mechanism, the bound and every other claim.

    The trusted kernel looks at the mechanism, the lower bound is recomputed from the certificate in the file, and every
    statement of the file is compared with what is found. What comes back is the design that was exported, its times
    as the file rounds them: a `Design`, a `WorkloadDesign`, a `LevelDesign`, a `NoiseTableDesign`
    or a `Law`. With n, a law is written out at
    one size as a `Design`, where matrix and bound are proved as well.

    Args:
        path: the document of any design.
        n: the size at which a law is written out.

    Raises:
        InputError: for a file that is unusable, or holds a matrix alone (`read_mechanism` reads those).
        RefusedError: naming the first claim that is false.
    """
    stored = read_stored(path)
    if n is None and isinstance(stored, ByRule):
        return stored.proved()
    return proved_design(stored, path, n)


def proved_design(stored: Stored, path: FilePath, n: int | None = None) -> Design:
    """Prove what was read from a file, and return the square design that it is; a law at one n, or at its own.

    Raises:
        InputError: where it is no square design, or a law of every size without n.
        RefusedError: naming the first claim that is false.
    """
    if isinstance(stored, StoredLaw):
        size = stored.size(n)
        return stored.proved().design(size)
    document = require_matrix(stored, path).document
    if document is None:
        raise InputError(f"file must be a design document, got a plain matrix in {path}; read_mechanism reads those")
    if n not in (None, document.problem.n):
        raise InputError(f"n must be {document.problem.n} as in {path}, got n={n}")
    return document.proved()
