"""The problem of a noise table: bounded, unbiased noise for counts, with guarantees of (epsilon, delta)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from mechdesign.arguments import checked
from mechdesign.errors import InputError, argument, quote
from mechdesign.noise_tables.guarantee import LARGE, Guarantee
from mechdesign.rational import Number, as_rational, number_text

FIXED, PERTURBED = "fixed", "perturbed"
ZEROS = (FIXED, PERTURBED)
NO_SHAPE, LEFT, UNIMODAL = "none", "left", "unimodal"
SHAPES = (NO_SHAPE, LEFT, UNIMODAL)
ENTROPY, DELTA, VARIANCE, L0, L1 = "entropy", "delta", "variance", "L0", "L1"
OBJECTIVES = (ENTROPY, DELTA, VARIANCE, L0, L1)

LARGEST_NOISE = 40
"""A table has up to (2 D + 1)(D + js + 2) probabilities, and each guarantee twice as many rows."""

MOST_GUARANTEES = 20
MOST_KEYS = 1 << 16


@dataclass(frozen=True, init=False)
class NoiseTableProblem:
    """The problem of the best noise table for counts, in the words of statistics offices.

    Row j is the law of the noise of a true count j, for j = 0..J; row J serves all larger counts, with
    `J = noise + block + 1`, or `noise` where nothing is blocked. Every row from 1 on has the mean 0.

    Args:
        noise: D, the largest noise either way.
        variance: V, which no row exceeds.
        variance_equal: ask for exactly V in every row from 1 on.
        block: js, results 1..js are never published.
        zeros: `"fixed"`: a true 0 stays 0, so that emptiness of a cell is public; `"perturbed"`.
        shape: `"unimodal"`: probabilities fall away from the noise 0 on either side; `"left"`: below 0 alone; `"none"`.
        symmetric: ask for a symmetric row J.
        stay: the least probability of the noise 0, in rows that may have it.
        guarantees: texts as `Guarantee.parse` reads them, or guarantees.
        keys: ask for chances that are whole shares of so many keys; None for any.
        objective: `"entropy"`, the most entropy of all rows together, as ptable has it; `"delta"`, the least
            weighted sum over guarantees without a delta of their own; or, as a mean over rows 1..J, the least
            `"variance"`, `"L0"`, the chance of noise, or `"L1"`, its mean size.

    Raises:
        InputError: for a number out of range, or a guarantee that does not go with the objective.

    >>> NoiseTableProblem(noise=5, variance=3, block=2, guarantees=["1:0.02@1"]).last
    8
    """

    noise: int
    variance: Fraction
    variance_equal: bool
    block: int
    zeros: str
    shape: str
    symmetric: bool
    stay: Fraction
    keys: int | None
    guarantees: tuple[Guarantee, ...]
    objective: str

    @checked
    def __init__(
        self,
        *,
        noise: int,
        variance: Number,
        variance_equal: bool = False,
        block: int = 0,
        zeros: str = FIXED,
        shape: str = UNIMODAL,
        symmetric: bool = False,
        stay: Number = 0,
        keys: int | None = None,
        guarantees: Iterable[str | Guarantee] = (),
        objective: str = ENTROPY,
    ) -> None:
        usual = 1 if zeros == FIXED else 0
        read = (one if isinstance(one, Guarantee) else Guarantee.parse(one) for one in guarantees)
        asked = tuple(replace(one, start=usual) if one.start is None else one for one in read)
        self._require_sizes(noise, block)
        spread, least = as_rational(variance, "variance"), as_rational(stay, "stay")
        if not 0 <= spread <= noise * noise:
            raise InputError(f"variance must be in [0, {noise * noise}], got variance={number_text(spread)}")
        if not 0 <= least <= 1:
            raise InputError(f"stay must be in [0, 1], got stay={number_text(least)}")
        if keys is not None and objective == ENTROPY:
            raise InputError("keys go with another objective than entropy, got both; try objective=delta")
        if keys is not None and not 2 <= keys <= MOST_KEYS:
            raise InputError(f"keys must be from 2 to {MOST_KEYS}, got keys={keys}")
        _require_known("zeros", zeros, ZEROS)
        _require_known("shape", shape, SHAPES)
        _require_known("objective", objective, OBJECTIVES)
        values = (noise, spread, variance_equal, block, zeros, shape, symmetric, least, keys, asked, objective)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)
        self._require_guarantees()

    @staticmethod
    def _require_sizes(noise: int, block: int) -> None:
        if not 1 <= noise <= LARGEST_NOISE:
            raise InputError(f"noise must be from 1 to {LARGEST_NOISE}, got noise={noise}")
        if not 0 <= block <= noise:
            raise InputError(f"block must be from 0 to the largest noise, {noise}, got block={block}")

    def _require_guarantees(self) -> None:
        if len(self.guarantees) > MOST_GUARANTEES:
            raise InputError(f"guarantees must be at most {MOST_GUARANTEES}, got {len(self.guarantees)}")
        for one in self.guarantees:
            if isinstance(one.start, int) and one.start > self.last:
                raise InputError(f"start of a guarantee must be at most {self.last}, the last row, got {one.start}")
            if one.delta is None and self.objective != DELTA:
                example = one.capped("0.02")
                raise InputError(
                    f"guarantee must have a DELTA where objective is {self.objective}, got {one}; try {example}"
                )
        if self.objective == DELTA and all(one.delta is not None for one in self.guarantees):
            raise InputError("guarantee without DELTA must be given for objective delta, got none; try 1@large")

    @property
    def last(self) -> int:
        """J, the last row, which serves all larger counts."""
        return self.noise + self.block + 1 if self.block else self.noise

    @cached_property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """The noises that each row may have.

        A count j of 1..js has a variance of at least `j (js + 1 - j)`; where V is that, the results 0 and js + 1 alone.
        """
        return tuple(tuple(v for v in range(-self.noise, self.noise + 1) if self._allows(j, v)) for j in self.counts)

    @property
    def counts(self) -> range:
        """The counts 0..J."""
        return range(self.last + 1)

    def _allows(self, count: int, noise: int) -> bool:
        if count == 0 and noise and self.zeros == FIXED:
            return False
        if 1 <= count <= self.block and self.variance == count * (self.block + 1 - count):
            return count + noise in (0, self.block + 1)
        return count + noise >= 0 and not 1 <= count + noise <= self.block

    def start_of(self, guarantee: Guarantee) -> int:
        """Return the least count that a guarantee of this problem speaks of."""
        return self.last if guarantee.start in (LARGE, None) else int(guarantee.start)

    @property
    def demands(self) -> tuple[str, ...]:
        """The names of demands that may clash: each can be dropped by itself."""
        given = {
            "variance": True,
            "variance_equal": self.variance_equal,
            "block": self.block > 0,
            "zeros": self.zeros == FIXED,
            "shape": self.shape != NO_SHAPE,
            "symmetric": self.symmetric,
            "stay": self.stay > 0,
            "keys": self.keys is not None,
        }
        capped = (f"guarantee {one}" for one in self.guarantees if one.delta is not None)
        return (*(name for name, is_given in given.items() if is_given), *dict.fromkeys(capped))

    def without(self, names: Collection[str]) -> "NoiseTableProblem":
        """Return the problem without some of its demands."""
        block = 0 if "block" in names else self.block
        last = self.noise + block + 1 if block else self.noise
        kept = tuple(
            replace(one, start=one.start if one.start == LARGE else min(self.start_of(one), last))
            for one in self.guarantees
            if f"guarantee {one}" not in names or one.delta is None
        )
        return NoiseTableProblem(
            noise=self.noise,
            variance=self.noise**2 if "variance" in names else self.variance,
            variance_equal=self.variance_equal and not {"variance", "variance_equal"} & set(names),
            block=block,
            zeros=PERTURBED if "zeros" in names else self.zeros,
            shape=NO_SHAPE if "shape" in names else self.shape,
            symmetric=self.symmetric and "symmetric" not in names,
            stay=0 if "stay" in names else self.stay,
            keys=None if "keys" in names else self.keys,
            guarantees=kept,
            objective=self.objective,
        )

    def words_of(self, demand: str) -> str:
        """Say a demand as it was asked."""
        value = {
            "variance": f"{argument('variance')} {number_text(self.variance)}",
            "variance_equal": argument("variance_equal"),
            "block": f"{argument('block')} {self.block}",
            "zeros": f"{argument('zeros')} {self.zeros}",
            "shape": f"{argument('shape')} {self.shape}",
            "symmetric": argument("symmetric"),
            "stay": f"{argument('stay')} {number_text(self.stay)}",
            "keys": f"{argument('keys')} {self.keys}",
        }
        name, _, text = demand.partition(" ")
        return value.get(name, f"{argument('guarantee')} {text}")

    def describe(self) -> str:
        """Describe the problem in one line."""
        parts = [f"noise up to {self.noise}", f"variance {'' if self.variance_equal else 'at most '}"]
        parts[-1] += number_text(self.variance)
        parts += [f"results 1..{self.block} blocked"] if self.block else []
        parts += ["zeros stay zero" if self.zeros == FIXED else "zeros perturbed"]
        parts += [] if self.shape == NO_SHAPE else [f"shape {self.shape}"]
        parts += ["last row symmetric"] if self.symmetric else []
        parts += [f"the noise 0 has at least {number_text(self.stay)}"] if self.stay else []
        parts += [f"whole shares of {self.keys} keys"] if self.keys else []
        parts += [f"guarantees {', '.join(map(str, self.guarantees))}"] if self.guarantees else []
        return ", ".join([*parts, f"{'most' if self.objective == ENTROPY else 'least'} {self.objective}"])


def _require_known(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}, got {name}={quote(value)}")
