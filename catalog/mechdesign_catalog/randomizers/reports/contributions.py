"""Contributions: the vector of whole numbers that each user adds to a server's sums.

Sums are checked against it.

The sums and the number of users are all that an oracle estimates from. So a server needs no report: secure aggregation
(Prio, DAP) of these vectors serves as well. No user's vector is checked here but what all of them add up to: N users
with a 1 in one place each add up to sums in 0..N with the total N, and so on. Sums that pass need not be those of N
reports, but sums that do not pass are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.kernels.walsh import walsh_hadamard, walsh_hadamard_of_columns

Sums = NDArray[np.int64]

MOST_TOTAL = 1 << 62
"""No sum of absolute values may reach this, so that nothing overflows."""


@dataclass(frozen=True)
class Part:
    """Some places of the vector that are next to each other.

    `users` is the place among the part `users` of the number of those who add here, where not all do.
    """

    name: str
    length: int
    kind: str
    users: int | None = None


class Contribution(Protocol):
    """The contribution of one user to the sums: a vector of one kind, or several in a row."""

    @property
    def length(self) -> int:
        """Number of places of the vector."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the vector, in order."""

    def require(self, sums: Sums, users: int) -> None:
        """Refuse sums that no vectors of so many users add up to; `sums` has the right shape.

        Raises:
            InputError: naming the first place that cannot be, or the total.
        """


@dataclass(frozen=True)
class BitVector:
    """A vector of places 0 or 1: each sum is in 0..N."""

    length: int
    name: str = "items"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part(self.name, self.length, "bits"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse a sum that is not in 0..N."""
        require_between(sums, 0, users, self.name, users)


@dataclass(frozen=True)
class Multihot:
    """A vector of `weight` ones among zeros: sums are in 0..N with the total `weight N`."""

    length: int
    weight: int = 1
    name: str = "items"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part(self.name, self.length, "one-hot" if self.weight == 1 else f"multihot of weight {self.weight}"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse a sum that is not in 0..N, or another total."""
        require_between(sums, 0, users, self.name, users)
        require_total(sums, self.weight * users, self.name, users)


@dataclass(frozen=True)
class SampledBits:
    """A bit at each of d drawn places, 0 elsewhere; and then, in as many places more, 1 at the drawn ones."""

    places: int
    drawn: int

    @property
    def length(self) -> int:
        """Number of places of the vector."""
        return 2 * self.places

    @property
    def parts(self) -> tuple[Part, ...]:
        """The bits, and where they are drawn."""
        drawn = Multihot(self.places, self.drawn, "drawn")
        return (Part("bits", self.places, "bits where drawn"), *drawn.parts)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse bits that are more than the users who drew them, or another number of drawn places."""
        bits, drawn = sums[: self.places], sums[self.places :]
        Multihot(self.places, self.drawn, "drawn").require(drawn, users)
        require_between(bits, 0, drawn, "bits", users)


@dataclass(frozen=True)
class Sign:
    """A 1 or a -1 in one place, 0 elsewhere: absolute values add up to N at most, and are even or odd as N is."""

    length: int
    name: str

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part(self.name, self.length, "sign in one place"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse absolute values that are too large together, or of the wrong parity."""
        total = require_signs(sums, users, self.name, users)
        if (total - users) % 2:
            raise InputError(f"sums of {self.name} must be signs of {users} users, got a total of {total} of them")


@dataclass(frozen=True)
class Spectrum:
    """The transform of a set of items: a 1 at place 0, and a sign in each of `2^t - 1` more places, or the same.

    Its Walsh-Hadamard transform is `2^t` at each item that the report supports and 0 at the others. So that of the sums
    is a multiple of `2^t`, and in `0..2^t N`.
    """

    length: int
    t: int

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part("words", self.length, f"{1 << self.t} signs, of which place 0 has a 1"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse sums whose transform no reports have."""
        require_signs(sums, users << self.t, "words", users)
        supports = sums.copy()
        walsh_hadamard(supports)
        counts, rest = np.divmod(supports, 1 << self.t)
        if rest.any() or (counts < 0).any():  # none is above N, as the absolute values are not
            raise InputError(f"sums of words must be transforms of what {users} users support, got others")


@dataclass(frozen=True)
class BlockSpectra:
    """The transform of a set of labels at one of several shifts, 0 at the others.

    A report holds the part `below / 2^bits` of the labels, and its transform has `below` at place 0 of its shift. The
    Walsh-Hadamard transform of a shift's sums is `2^bits` times how many of its reports hold each label.
    """

    shifts: int
    labels: int
    bits: int
    below: int

    @property
    def length(self) -> int:
        """Number of places of the vector."""
        return self.shifts * self.labels

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part("words", self.length, "transform of labels at a shift"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse sums whose transforms are not those of so many sets of labels."""
        if users << self.bits >= MOST_TOTAL // self.labels:
            raise InputError(f"users must be fewer where each adds signs, got {users}")
        table = sums.reshape(self.shifts, self.labels)
        own, rest = np.divmod(table[:, 0], self.below)
        if rest.any() or (own < 0).any() or (own > users).any() or int(own.sum()) != users:
            raise InputError(f"sums of words must have {self.below} at place 0 of a shift for each of {users} users")
        if (np.abs(table) > table[:, :1]).any():
            raise InputError("sums of words must not be larger than that at place 0 of their shift")
        counts, rest = np.divmod(walsh_hadamard_of_columns(table.T), 1 << self.bits)
        if rest.any() or (counts < 0).any() or (counts > own).any():
            raise InputError(f"sums of words must be transforms of the labels that {users} users hold, got others")


@dataclass(frozen=True)
class Parities:
    """A 1 or a -1 in every place: each sum is in -N..N, and even or odd as N is."""

    length: int
    name: str = "sets"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one part."""
        return (Part(self.name, self.length, "a sign in each place"),)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse a sum beyond -N..N, or of the wrong parity."""
        require_between(sums, -users, users, self.name, users)
        require_parity(sums, np.full(self.length, users), self.name)


@dataclass(frozen=True)
class ConcatenatedVectors:
    """Several vectors that each user adds, one after the other, as `attribute 1`, `attribute 2` and so on."""

    vectors: tuple[Contribution, ...]
    name: str = "attribute"

    @property
    def length(self) -> int:
        """Number of places of the vector."""
        return sum(vector.length for vector in self.vectors)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of all vectors."""
        return tuple(
            Part(f"{self.name} {number}", part.length, part.kind)
            for number, vector in enumerate(self.vectors, start=1)
            for part in vector.parts
        )

    def require(self, sums: Sums, users: int) -> None:
        """Refuse what one of the vectors refuses."""
        for number, (vector, own) in enumerate(zip(self.vectors, _split(sums, self.vectors), strict=True), start=1):
            _require_within(vector, own, users, f"{self.name} {number}")


@dataclass(frozen=True)
class OneOf:
    """One of several vectors: a 1 for the one that was drawn, and then that one in its place, 0 in the others'.

    The first places count the users of each, N together.
    """

    vectors: tuple[Contribution, ...]
    name: str
    first: int = 1

    @cached_property
    def length(self) -> int:
        """Number of places of the vector."""
        return len(self.vectors) + sum(vector.length for vector in self.vectors)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The number of users, and the parts of each vector."""
        return (
            Part("users", len(self.vectors), "one-hot"),
            *(
                Part(f"{self.name} {place + self.first}", part.length, part.kind, place)
                for place, vector in enumerate(self.vectors)
                for part in vector.parts
            ),
        )

    def require(self, sums: Sums, users: int) -> None:
        """Refuse other numbers of users, or what one of the vectors refuses for its own."""
        counts, rest = sums[: len(self.vectors)], sums[len(self.vectors) :]
        Multihot(len(self.vectors), name="users").require(counts, users)
        for place, (vector, own) in enumerate(zip(self.vectors, _split(rest, self.vectors), strict=True)):
            if counts[place] or own.any():
                _require_within(vector, own, int(counts[place]), f"{self.name} {place + self.first}")


@dataclass(frozen=True)
class OneSign:
    """A 1 for the group of coefficients that was drawn, and then a 1 or a -1 at one of these, 0 elsewhere.

    `sizes` are the numbers of coefficients of the groups, one after the other.
    """

    sizes: tuple[int, ...]

    @cached_property
    def length(self) -> int:
        """Number of places of the vector."""
        return len(self.sizes) + sum(self.sizes)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The number of users of each group, and the signs."""
        signs = Part("coefficients", sum(self.sizes), "sign in one place, of those of the drawn set")
        return (Part("users", len(self.sizes), "one-hot"), signs)

    def require(self, sums: Sums, users: int) -> None:
        """Refuse other numbers of users, or signs of a group that are not those of its users."""
        counts, signs = sums[: len(self.sizes)], sums[len(self.sizes) :]
        Multihot(len(self.sizes), name="users").require(counts, users)
        require_signs(signs, users, "coefficients", users)
        starts = np.cumsum((0, *self.sizes[:-1]))
        totals = np.add.reduceat(np.abs(signs), starts)
        wrong = (totals > counts) | ((totals - counts) % 2 != 0)
        if wrong.any():
            place = int(np.argmax(wrong))
            raise InputError(
                f"sums of coefficients must be signs of the {counts[place]} users of set {place}, got a total of "
                f"{totals[place]} of them"
            )


def require_sums(contribution: Contribution, sums: Sums, users: int) -> Sums:
    """Return the sums of so many users, if there can be users who add up to them.

    Raises:
        InputError: for another number of sums, or as `Contribution.require`.
    """
    if sums.shape != (contribution.length,):
        raise InputError(f"there must be {contribution.length} sum{'s' * (contribution.length > 1)}, got {sums.size}")
    contribution.require(sums, users)
    return sums


def require_between(sums: Sums, least: int, most: Sums | int, name: str, users: int) -> None:
    """Refuse a sum that is not in `least..most`.

    Raises:
        InputError: naming the first place.
    """
    outside = (sums < least) | (sums > most)
    if outside.any():
        place = int(np.argmax(outside))
        limit = np.broadcast_to(most, sums.shape)[place]
        raise InputError(
            f"sums of {name} must be in {least}..{limit} for {users} users, got {sums[place]} in place {place}"
        )


def require_total(sums: Sums, total: int, name: str, users: int) -> None:
    """Refuse sums, none below 0, that add up to something else.

    Raises:
        InputError: with both totals.
    """
    found = sum(sums.tolist())
    if found != total:
        raise InputError(f"sums of {name} must add up to {total} for {users} users, got {found}")


def require_signs(sums: Sums, most: int, name: str, users: int) -> int:
    """Return what the absolute values add up to, if that is at most this.

    Raises:
        InputError: with both, or for so many users that sums could overflow.
    """
    if most >= MOST_TOTAL:
        raise InputError(f"users must be fewer where each adds signs, got {users}")
    if np.abs(sums.astype(np.float64)).sum() < 2.0 * MOST_TOTAL and (total := int(np.abs(sums).sum())) <= most:
        return total
    raise InputError(f"sums of {name} must have absolute values that add up to at most {most} for {users} users")


def require_parity(sums: Sums, users: Sums, name: str) -> None:
    """Refuse a sum of signs that is odd where the number of its users is even, or the other way round.

    Raises:
        InputError: naming the first place.
    """
    wrong = (sums - users) % 2 != 0
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(f"sums of {name} must be signs of {users[place]} users, got {sums[place]} in place {place}")


def _split(sums: Sums, vectors: Sequence[Contribution]) -> list[Sums]:
    ends = list(accumulate(vector.length for vector in vectors))
    return np.split(sums, ends[:-1])


def _require_within(vector: Contribution, sums: Sums, users: int, name: str) -> None:
    try:
        vector.require(sums, users)
    except InputError as error:
        raise InputError(f"{error} of {name}") from None
