"""Certified designs: a mechanism for a problem, its certificate, and the method used."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

from mechdesign.mechanism.notebook import Value, facts, one_line, page
from mechdesign.program.clock import Seconds
from mechdesign.verify.certificates import Certificate


class DescribedProblem(Protocol):
    """A problem of design, as a certified design describes it."""

    def describe(self) -> str:
        """Describe the problem in one line."""


AskedProblem = TypeVar("AskedProblem", bound=DescribedProblem, covariant=True)
AnyMechanism = TypeVar("AnyMechanism", covariant=True)


@dataclass(frozen=True, repr=False)
class CertifiedDesign(ABC, Generic[AskedProblem, AnyMechanism]):
    """A mechanism for a problem, with the certificate of its lower bound.

    Attributes:
        problem: what was asked, with its privacy.
        mechanism: exact.
        certificate: what shows the bound that the design states; only the kernel says what it proves.
        seconds: of the three stages.
        how: the way in words.
        method: its name.
    """

    problem: AskedProblem
    mechanism: AnyMechanism
    certificate: Certificate
    seconds: Seconds
    how: str
    method: str
    title: ClassVar[str]

    @abstractmethod
    def summary(self) -> tuple[str, ...]:
        """Say in a few words each how good it is, or where it serves."""

    @abstractmethod
    def facts(self) -> list[tuple[str, Value]]:
        """List what is known of it, by name."""

    def tables(self) -> tuple[str, ...]:
        """Return what a notebook shows below the facts."""
        return ()

    def __repr__(self) -> str:
        return one_line(type(self).__name__, self.problem.describe(), *self.summary())

    def _repr_html_(self) -> str:
        seconds = self.seconds.solve + self.seconds.certify + self.seconds.verify
        reached: list[tuple[str, Value]] = [("method", f"{self.method}: {self.how}"), ("seconds", seconds)]
        rows = [("asked", self.problem.describe()), *self.facts(), *reached]
        return page(self.title, facts(rows), *self.tables())
