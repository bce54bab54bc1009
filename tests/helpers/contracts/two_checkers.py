"""The verdicts of the two checkers of designs, for workloads too: the engine's, and the program beside the kernel."""

from mechdesign import InputError
from mechdesign.audits.audit import audit
from mechdesign.audits.workload_audit import audit_workload
from mechdesign.documents.row_designs.document import WorkloadDocument
from mechdesign.documents.storage import read_stored
from mechdesign.verify import __main__ as program

PROVED, FALSE, UNREADABLE = 0, 1, 2


def by_engine(path):
    """The engine's verdict."""
    try:
        stored = read_stored(path)
    except InputError:
        return UNREADABLE
    if isinstance(stored, WorkloadDocument):
        return PROVED if audit_workload(stored).passed else FALSE
    if stored.document is None:
        return UNREADABLE
    return PROVED if audit(stored.document).passed else FALSE


def by_program(path):
    """The program's verdict."""
    return program.main([str(path)])
