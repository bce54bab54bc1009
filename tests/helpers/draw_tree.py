"""The draw tree: all draws of a reference client at once, with exact chances."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TypeVar

from mechdesign import InputError
from mechdesign_catalog.reference.byte_stream import ByteStream, Draws

Result = TypeVar("Result")


def law_of(client: Callable[[Draws], Result]) -> dict[Result, Fraction]:
    """The exact law of what a client makes of independent draws: every path of draws is gone once.

    A path is the outcomes drawn so far. The client is run again for each one, up to the first draw beyond it, which
    says what the outcomes of that draw are and how likely.
    """
    law: dict[Result, Fraction] = {}
    paths: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while paths:
        path, chance = paths.pop()
        follower = _Follower(path)
        try:
            made = client(follower)
        except _PathEndsError as fork:
            paths += [((*path, outcome), chance * share) for outcome, share in fork.shares.items() if share]
        else:
            law[made] = law.get(made, Fraction(0)) + chance
    return law


def law_of_bytes(client: Callable[[Draws], Result], length: int) -> tuple[dict[Result, Fraction], Fraction]:
    """The law of what a client makes of all streams of `length` bytes, and the chance that it has need of more.

    Every stream that decides stands for all longer ones. The result is a lower bound of every chance, and together they
    lack exactly what is left over.
    """
    law: dict[Result, Fraction] = {}
    open_ones = [b""]
    for taken in range(1, length + 1):
        longer = []
        for stream in (begun + bytes([byte]) for begun in open_ones for byte in range(256)):
            try:
                made = client(ByteStream.of(stream))
            except InputError:
                longer.append(stream)
            else:
                law[made] = law.get(made, Fraction(0)) + Fraction(1, 256**taken)
        open_ones = longer
    return law, Fraction(len(open_ones), 256**length)


class _PathEndsError(Exception):
    """The path ends at this draw, with these outcomes."""

    def __init__(self, shares: dict[int, Fraction]) -> None:
        self.shares = shares


class _Follower:
    """A follower of one path of draws, which stops at the first one beyond it."""

    def __init__(self, path: tuple[int, ...]) -> None:
        self._rest = list(path)

    def uniform_below(self, bound: int) -> int:
        return self._next(dict.fromkeys(range(bound), Fraction(1, bound)))

    def bernoulli(self, probability: Fraction) -> int:
        return self._next({1: probability, 0: 1 - probability})

    def choose(self, weights: Sequence[int]) -> int:
        return self._next({i: Fraction(weight, sum(weights)) for i, weight in enumerate(weights)})

    def row_below(self, bound: int, count: int, accepted: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
        rows = _accepted_rows(bound, count, accepted)
        return rows[self._next(dict.fromkeys(range(len(rows)), Fraction(1, len(rows))))]

    def _next(self, shares: dict[int, Fraction]) -> int:
        if not self._rest:
            raise _PathEndsError(shares)
        return self._rest.pop(0)


@cache
def _accepted_rows(bound: int, count: int, accepted: Callable[[tuple[int, ...]], bool]) -> list[tuple[int, ...]]:
    return [row for row in product(range(bound), repeat=count) if accepted(row)]
