"""What can go wrong, one class for each exit code of the command line.

Every message is one line of the shape `alpha must be in (0, 1), got alpha=1.7`, followed by the way out
where it is known.
"""


class MechdesignError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(MechdesignError, ValueError):
    """The request or a file is unusable as it stands (command line: exit code 2)."""


class NoAnswerError(MechdesignError):
    """The request was understood and the answer is no (command line: exit code 1)."""


class NotCertifiedError(NoAnswerError):
    """No mechanism could be certified; nothing is returned in its place."""


class InfeasibleError(NoAnswerError):
    """No mechanism has what is asked, and that is proved."""


class LimitReachedError(NoAnswerError):
    """The time limit ran out before a mechanism was certified."""


class RefusedError(NoAnswerError):
    """The trusted kernel found a defect in a matrix that was about to be returned, written or used."""
