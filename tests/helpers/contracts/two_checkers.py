"""The verdicts of the two checkers of design documents: the engine's audit, and the program beside the kernel."""

from mechdesign import InputError
from mechdesign.audits.audit import audit
from mechdesign.documents.storage import read_matrix
from mechdesign.verify import __main__ as program

PROVED, FALSE, UNREADABLE = 0, 1, 2


def by_engine(path):
    """The engine's verdict."""
    try:
        document = read_matrix(path).document
    except InputError:
        return UNREADABLE
    if document is None:
        return UNREADABLE
    return PROVED if audit(document).passed else FALSE


def by_program(path):
    """The program's verdict."""
    return program.main([str(path)])
