"""Read a design back from its file, with everything that it claims proved again."""

from mechdesign.arguments import checked
from mechdesign.audits.workload_audit import audit_workload
from mechdesign.designs import Design
from mechdesign.documents.claims import document_claims, require_true
from mechdesign.documents.files import FilePath
from mechdesign.documents.storage import read_matrix, read_workload_document
from mechdesign.errors import InputError
from mechdesign.problem.properties import holding
from mechdesign.workload_designs import WorkloadDesign


@checked
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
