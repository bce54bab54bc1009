"""Report what goes wrong, with one class of error for each exit code of the command line.

Every message is one line of the shape `alpha must be in (0, 1), got alpha=1.7`, followed by the way out
where it is known.
"""


class MechdesignError(Exception):
    """Report anything that this package refuses on purpose: the base class of its errors."""


class InputError(MechdesignError, ValueError):
    """Report a request or a file that is unusable as it stands (command line: exit code 2)."""


class NoAnswerError(MechdesignError):
    """Report that the request was understood and the answer is no (command line: exit code 1)."""


class NotCertifiedError(NoAnswerError):
    """Report that no mechanism could be certified; nothing is returned in its place."""


class InfeasibleError(NoAnswerError):
    """Report that no mechanism can have what is asked, and that this is proved."""


class LimitReachedError(NoAnswerError):
    """Report that the time limit ran out before a mechanism was certified."""


class RefusedError(NoAnswerError):
    """Report a defect that the trusted kernel found in a matrix about to be returned, written or used."""


class MachineError(MechdesignError):
    """Report that the machine failed, not the request: a process that died (command line: exit code 70)."""
