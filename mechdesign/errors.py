"""Errors: one class for each exit code of the command line.

Every message is one line of the shape `alpha must be in (0, 1), got alpha=1.7`, followed by the way out
where it is known. Names of arguments are marked in it, so that each face names them as its users do: Python says
`alpha`, the command line `--alpha`.
"""

import re
from collections.abc import Callable

LONGEST_SHOWN = 60


def shorten(value: object, most: int = LONGEST_SHOWN) -> str:
    """Write a value for a message, in one line: as it is where it is short, else its beginning, dots and its end.

    Every value from outside that a message repeats goes through here.

    >>> shorten("0.9"), shorten("9" * 5000, 15)
    ('0.9', '999999999...999')
    """
    text = " ".join(_text(value, str).splitlines())
    end = most // 5
    return text if len(text) <= most else f"{text[: most - end - 3]}...{text[len(text) - end :]}"


def quote(value: object, most: int = LONGEST_SHOWN) -> str:
    """Write a value as Python does, with its quotes, shortened as by `shorten`."""
    return shorten(_text(value, repr), most)


def _text(value: object, write: Callable[[object], str]) -> str:
    """Write a value by `str` or `repr`; where it cannot be written, name its type."""
    try:
        return write(value)
    except Exception:  # a value may raise anything when it is written; an integer does beyond 4,300 digits
        if isinstance(value, int):
            return f"{'-' * (value < 0)}{hex(abs(value))}"
        return f"a {type(value).__name__}"


def reason_of(error: BaseException, most: int = 100) -> str:
    """Return the first sentence of another library's message, cut off between words where it is long.

    >>> reason_of(ValueError("Cannot load file. Set allow_pickle=True."), 60)
    'Cannot load file'
    """
    lines = str(error).strip().splitlines()
    text = re.split(r"[.:;](?:\s|$)", lines[0].strip(), maxsplit=1)[0] if lines else ""
    if len(text) > most:
        text = f"{text[: most - 3].rpartition(' ')[0] or text[: most - 3]}..."
    return text or type(error).__name__


_OPENING, _CLOSING = "\ue000", "\ue001"
"""Around the name of an argument within a message; letters of private use, which nobody types."""

_MARKED = re.compile(f"(got )?{_OPENING}(\\w+){_CLOSING}(=)?")
_SUBJECT = re.compile(r"([a-z][a-z_0-9]*) (?=must |goes? with )")
_OF_DATA = re.compile(r" in rows? [0-9]")


def argument(name: str) -> str:
    """Mark the name of an argument, for a message that does not begin with it.

    A message that begins `alpha must` or `alpha goes with` is about the argument alpha, and marks it by itself; what is
    said of a row of data is about a column.
    """
    return f"{_OPENING}{name}{_CLOSING}"


def _with_marked_subject(message: str) -> str:
    found = _SUBJECT.match(message)
    if not found or _OF_DATA.search(message):
        return message
    name = found[1]
    return (argument(name) + message[len(name) :]).replace(f", got {name}=", f", got {argument(name)}=", 1)


class MechdesignError(Exception):
    """The error for anything that this package refuses on purpose: the base class of its errors.

    The message names arguments as in Python; `told` names them as another face does.
    """

    def __init__(self, message: str = "") -> None:
        self._marked = _with_marked_subject(message)
        super().__init__(message.replace(_OPENING, "").replace(_CLOSING, ""))

    @property
    def about(self) -> str | None:
        """The argument that the message is about: the first that it names, or None.

        >>> InputError("alpha must be in (0, 1), got alpha=1.7").about
        'alpha'
        """
        named = _MARKED.search(self._marked)
        return named[2] if named else None

    def named_by(self, named: Callable[[str], str | None]) -> str:
        """Return the message with arguments named by a function, which knows no name (None) of others.

        >>> InputError("alpha must be in (0, 1), got alpha=1.7").named_by({"alpha": "--alpha"}.get)
        '--alpha must be in (0, 1), got 1.7'
        """

        def rendered(match: re.Match[str]) -> str:
            before, name, equals = match.groups("")
            shown = named(name)
            if shown is None:
                return f"{before}{name}{equals}"
            return before if before and equals else f"{before}{shown}{equals}"

        return _MARKED.sub(rendered, self._marked)

    def __str__(self) -> str:
        """Write the message in one line, whatever a name in it holds."""
        return " ".join(super().__str__().splitlines())


class InputError(MechdesignError, ValueError):
    """The error for a request or a file that is unusable as it stands (command line: exit code 2)."""


class NoAnswerError(MechdesignError):
    """The error when the request was understood and the answer is no (command line: exit code 1)."""


class NotCertifiedError(NoAnswerError):
    """The error when no mechanism could be certified; nothing is returned in its place."""


class InfeasibleError(NoAnswerError):
    """The error when no mechanism can have what is asked, and that this is proved.

    `clash` names properties that no mechanism has together at this privacy; each of the others is needed for that.
    """

    def __init__(self, message: str, clash: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.clash = clash


class LimitReachedError(NoAnswerError):
    """The error when the time limit ran out before a mechanism was certified."""


class RefusedError(NoAnswerError):
    """The error for a defect that the trusted kernel found in a matrix about to be returned, written or used."""


class ClusterError(NoAnswerError):
    """The error when a cluster cannot be reached, was lost, or has other versions; what a journal holds is kept."""


class MachineError(MechdesignError):
    """The error when the machine failed, not the request: a process that died (command line: exit code 70)."""


def printable(text: str) -> str:
    """Remove from a text the characters that would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
