"""The privacy parameter: alpha or epsilon, parsed once and exact ever after.

`alpha = exp(-epsilon)`. Who types `--alpha 1/2` means 1/2, and a mechanism made for it uses 1/2; who types
`--epsilon 1` means a loss of at most 1. `exp(-1)` is no rational: a mechanism made for it uses an alpha just above, and
what is said of all mechanisms of that loss is proved for a `bound_alpha` just below.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import fmpz

from mechdesign.arguments import checked
from mechdesign.errors import InputError, argument, quote, shorten
from mechdesign.rational import (
    Number,
    as_rational,
    float_above,
    fraction_from_text,
    fraction_text,
    number_text,
    short_text,
    simplest_between,
)

EPSILON_SLACK = Fraction(1, 10**9)
"""An alpha that is made from an epsilon, or a root of alpha, exceeds the true one by this part of itself at most."""

FULL_SLACK = Fraction(1, 100)
"""Where `1 - exp(-epsilon)` is less than this, the slack is smaller in proportion: noise grows with `1/epsilon`."""

BOUND_BITS = 40
"""`bound_alpha` is below `exp(-epsilon)` by `2^-40 (1 - exp(-epsilon))` of it at most."""

FINEST_BITS = 120
MARGIN = Fraction(1, 1 << 150)
"""An alpha from an epsilon leaves so much of epsilon to its limit, so that checkers need not know logarithms better."""

ALPHA_DIGITS, BOUND_DIGITS = 45, 75
"""Digits to which `exp(-epsilon)` is computed for an alpha, and where it is enclosed more tightly."""

MAX_EPSILON, FEWEST_HALVINGS = 200, 288
"""A number above `2^-288` is above `exp(-200)`; it is where its denominator has fewer bits more than its numerator."""

LEAST_EPSILON = Fraction(1, 10**30)
"""An alpha is not made from a smaller one."""

NEARLY_ONE = Fraction(1, 10**30)
LOG_DIGITS = 100
LOG_SLACK = Fraction(1, 10**90)
LONGEST_SHOWN = 40
MOST_PARTS = 1 << 31
LONGEST_TEXT = 100_000
"""Letters of a text form that is read; those of a file that somebody changed cost about a second then, not twenty."""


@dataclass(frozen=True, init=False, repr=False)
class Privacy:
    """The privacy parameter of a mechanism, by alpha or by epsilon.

    Two are equal where the same was asked for: `Privacy(epsilon=1)` is not `Privacy(alpha=...)` of the alpha made from
    it, since a half of it is `exp(-1/2)`, and of the other a root of that alpha.

    Args:
        alpha: in (0, 1), a decimal or fraction (`"0.9"`, `"9/10"`, `0.9`, `Fraction(9, 10)`), taken exactly.
        epsilon: instead of alpha, in (0, 200].

    Attributes:
        alpha: that of a mechanism. As given; from epsilon the rational with the smallest denominator in
            `[exp(-epsilon), exp(-epsilon) (1 + slack)]`, so never less private than asked. The slack is 1e-9, and
            smaller for an epsilon below 0.01.
        bound_alpha: that of a bound for all mechanisms that are private as asked: alpha as given; from epsilon a
            rational just below `exp(-epsilon)`.
        given_epsilon: epsilon as given, None where alpha was.

    Raises:
        InputError: for none or both of the two, or one that is out of range.

    >>> Privacy(alpha="0.5").alpha, str(Privacy(alpha="0.5")), str(Privacy(epsilon=1))
    (Fraction(1, 2), 'alpha=1/2', 'epsilon=1')
    >>> Privacy.parse("alpha=1/4").root(2)
    Fraction(1, 2)
    """

    alpha: Fraction
    bound_alpha: Fraction
    given_epsilon: Fraction | None

    @checked
    def __init__(self, alpha: Number | None = None, epsilon: Number | None = None) -> None:
        if (alpha is None) == (epsilon is None):
            raise missing_privacy("neither" if alpha is None else "both")
        if alpha is not None:
            exact = _checked_alpha(alpha)
            self._hold(exact, exact, None)
        else:
            assert epsilon is not None
            given = _checked_epsilon(epsilon)
            self._hold(_alpha_from_epsilon(given), _bound_from_epsilon(given, BOUND_BITS), given)

    def _hold(self, alpha: Fraction, bound_alpha: Fraction, given_epsilon: Fraction | None) -> None:
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "bound_alpha", bound_alpha)
        object.__setattr__(self, "given_epsilon", given_epsilon)

    @classmethod
    def enclosed(cls, epsilon: Number, bound_alpha: Number, alpha: Number) -> "Privacy":
        """Make the privacy parameter of an epsilon with the two rationals that a document has for it.

        Whether `bound_alpha <= exp(-epsilon) <= alpha` is not looked at here.

        Raises:
            InputError: for one that is out of range.
        """
        made, bound = cls.__new__(cls), as_rational(bound_alpha, "bound_alpha")
        if not 0 < bound < 1:
            raise InputError(f"bound_alpha must be in (0, 1), got bound_alpha={short_text(bound)}")
        made._hold(_checked_alpha(alpha), bound, _checked_epsilon(epsilon))
        return made

    @property
    def is_exact(self) -> bool:
        """Whether a mechanism and a bound have one alpha, which was given as a number."""
        return self.given_epsilon is None

    def finer(self, bits: int) -> "Privacy":
        """Return the same with `alpha` and `bound_alpha` within `2^-bits (1 - exp(-epsilon))` of it, relatively.

        More than 120 bits are not given. An alpha that was given is exact already.
        """
        if self.given_epsilon is None:
            return self
        bits = min(bits, FINEST_BITS)
        low = _bound_from_epsilon(self.given_epsilon, bits)
        return Privacy.enclosed(self.given_epsilon, low, _above_exp(self.given_epsilon, bits))

    @property
    def at_alpha(self) -> "Privacy":
        """The mechanism's alpha, taken as given."""
        return Privacy(alpha=self.alpha)

    @property
    def at_bound(self) -> "Privacy":
        """The alpha of the bound, taken as given."""
        made = Privacy.__new__(Privacy)
        made._hold(self.bound_alpha, self.bound_alpha, None)
        return made

    @classmethod
    def parse(cls, text: object) -> "Privacy":
        """Read the text form, `alpha=P/Q` or `epsilon=P/Q`, as `str` writes it.

        Raises:
            InputError: for any other text.
        """
        if isinstance(text, str) and len(text) > LONGEST_TEXT:
            raise InputError(f"privacy must have at most {LONGEST_TEXT} letters, got {len(text)}")
        name, _, value = text.partition("=") if isinstance(text, str) else ("", "", "")
        if name not in ("alpha", "epsilon"):
            raise InputError(f"privacy must be alpha=P/Q or epsilon=P/Q, got {quote(text, LONGEST_SHOWN)}")
        number = fraction_from_text(value, name)
        return cls(alpha=number) if name == "alpha" else cls(epsilon=number)

    def __str__(self) -> str:
        if self.given_epsilon is None:
            return f"alpha={fraction_text(self.alpha)}"
        return f"epsilon={fraction_text(self.given_epsilon)}"

    def __repr__(self) -> str:
        name, _, value = str(self).partition("=")
        return f"Privacy({name}={value!r})"

    @cached_property
    def budget(self) -> Fraction:
        """The privacy loss epsilon as a rational, to which noise is scaled.

        Epsilon as given, else `-ln alpha` from below by less than 1e-50 of itself.
        """
        return epsilon_bounds(self.alpha)[0] if self.given_epsilon is None else self.given_epsilon

    @property
    def epsilon(self) -> float:
        """The privacy loss epsilon as a float, to be shown and drawn: as given, else `-ln alpha`, never below."""
        return loss_above(self.alpha) if self.given_epsilon is None else float_above(self.given_epsilon)

    @checked
    def split(self, parts: int) -> "Privacy":
        """Return the share of one of several equal parts, which together spend no more than the whole.

        That is epsilon/parts where epsilon was given, else a rational of at least `alpha^(1/parts)`, by at most 1e-9 of
        itself, and exactly that root where it is rational.

        Raises:
            InputError: for less than one part, or so many that a share cannot be told from nothing.
        """
        if not 0 < parts <= MOST_PARTS:
            raise InputError(f"parts must be a whole number from 1 to 2^31, got parts={parts}")
        if parts == 1:
            return self
        if self.given_epsilon is not None:
            if self.given_epsilon < (least := parts * LEAST_EPSILON):
                raise InputError(
                    f"epsilon must be at least {number_text(least)} to be split into {parts} parts, "
                    f"got epsilon={number_text(self.given_epsilon)}"
                )
            return Privacy(epsilon=self.given_epsilon / parts)
        return Privacy(alpha=_exact_root(self.alpha, parts) or _alpha_from_epsilon(self.budget / parts))

    @checked
    def root(self, parts: int) -> Fraction:
        """Return the alpha of one of several equal parts; errors as `split`."""
        return self.split(parts).alpha

    @checked
    def allows(self, alpha: Fraction) -> bool:
        """Tell whether a mechanism with this exact alpha, in (0, 1], is private enough."""
        if not 0 < alpha <= 1:
            raise InputError(f"alpha must be in (0, 1], got alpha={shorten(alpha)}")
        return alpha >= self.alpha or epsilon_bounds(alpha)[1] <= self.budget

    @checked
    def epsilon_text(self, digits: int = 6) -> str:
        """Write epsilon to so many significant digits, never below it."""
        if not 0 < digits <= LOG_DIGITS:
            raise InputError(f"digits must be 1 to {LOG_DIGITS}, got {digits}")
        return loss_text(self.alpha, digits) if self.given_epsilon is None else rounded_up(self.given_epsilon, digits)

    def parameter_text(self) -> str:
        """Name the parameter as it was given, an epsilon with the alpha that a mechanism has for it.

        >>> Privacy(alpha="1/2").parameter_text(), Privacy(epsilon="0.1").parameter_text()
        ('alpha = 0.5', 'epsilon = 0.1 (alpha = 57630/63691)')
        """
        alpha = f"alpha = {number_text(self.alpha)}"
        return alpha if self.given_epsilon is None else f"epsilon = {number_text(self.given_epsilon)} ({alpha})"

    def describe(self) -> str:
        """Say in words what was asked for, epsilon rounded up.

        >>> Privacy(alpha="1/2").describe(), Privacy(epsilon="1.5").describe()
        ('alpha = 0.5 (epsilon = 0.693148)', 'epsilon = 1.5')
        """
        text, epsilon = number_text(self.alpha), f"epsilon = {self.epsilon_text()}"
        return f"alpha = {text} ({epsilon})" if self.given_epsilon is None else epsilon


def missing_privacy(got: str = "neither") -> InputError:
    """Make the error for a privacy parameter that is not given, or given twice."""
    alone = " alone" if got == "both" else ""
    return InputError(f"give {argument('alpha')} or {argument('epsilon')}{alone}, got {got}")


def chosen_privacy(alpha: Number | None, epsilon: Number | None, privacy: Privacy | None) -> Privacy:
    """Return the privacy parameter that is given as such, or by one of alpha and epsilon.

    Raises:
        InputError: for none or several of the three, or one that is out of range.
    """
    if privacy is None:
        return Privacy(alpha, epsilon)
    if not isinstance(privacy, Privacy) or alpha is not None or epsilon is not None:
        raise InputError("privacy must be a Privacy, without alpha and epsilon beside it")
    return privacy


def privacy_if_given(alpha: Number | None, epsilon: Number | None) -> Privacy | None:
    """Return None where neither alpha nor epsilon is given; errors as `Privacy`."""
    return None if alpha is None and epsilon is None else Privacy(alpha, epsilon)


def require_privacy(privacy: Privacy | None) -> Privacy:
    """Return the privacy parameter.

    Raises:
        InputError: where there is none.
    """
    if privacy is None:
        raise missing_privacy()
    return privacy


def loss_text(alpha: Fraction, digits: int = 6, length: int | Fraction = 1) -> str:
    """Write the privacy loss `-ln(alpha)/length` of an alpha in (0, 1] to so many digits, never below the truth.

    >>> loss_text(Fraction(1, 3))
    '1.09862'
    """
    return rounded_up(epsilon_bounds(alpha)[1] / length, digits)


def loss_above(alpha: Fraction, length: int | Fraction = 1) -> float:
    """Return a float that is at least the privacy loss `-ln(alpha)/length` of an alpha in (0, 1].

    It is above by a few units at most, and so are its shortest decimals, in which files have it. Every loss that is
    printed or written comes from here or from `loss_text`.
    """
    return float_above(epsilon_bounds(alpha)[1] / length)


def rounded_up(value: Fraction, digits: int = 6) -> str:
    """Write a number of at least 0 to so many significant digits, never below it."""
    return _rounded(value, digits, ROUND_CEILING)


def rounded_down(value: Fraction, digits: int = 6) -> str:
    """Write a number to so many significant digits, never above it: what is said of a lower bound stays true."""
    return _rounded(value, digits, ROUND_FLOOR)


def _rounded(value: Fraction, digits: int, rounding: str) -> str:
    context = Context(prec=digits, rounding=rounding)
    return f"{float(context.divide(Decimal(value.numerator), Decimal(value.denominator))):.{digits}g}"


def epsilon_bounds(alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above `-ln alpha`, 1e-50 of it apart at most, for an alpha in (0, 1].

    Beside 1 they are `x + x^2/2 <= -ln(1-x) <= x + x^2/2 + x^3`; elsewhere `Decimal` rounds ln correctly.
    """
    gap = 1 - alpha
    if gap < NEARLY_ONE:
        return gap + gap**2 / 2, gap + gap**2 / 2 + gap**3
    context = Context(prec=LOG_DIGITS)
    logarithm = -Fraction(context.ln(context.divide(Decimal(alpha.numerator), Decimal(alpha.denominator))))
    slack = LOG_SLACK * max(Fraction(1), logarithm)
    return logarithm - slack, logarithm + slack


def _checked_alpha(value: Number) -> Fraction:
    alpha = as_rational(value, "alpha")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be in (0, 1), got alpha={number_text(alpha)}")
    halvings = alpha.denominator.bit_length() - alpha.numerator.bit_length()
    if halvings >= FEWEST_HALVINGS and epsilon_bounds(alpha)[0] > MAX_EPSILON:
        raise InputError(
            f"alpha must be at least exp(-{MAX_EPSILON}), below which nothing is private, "
            f"got alpha={number_text(alpha)}"
        )
    return alpha


def _checked_epsilon(value: Number) -> Fraction:
    epsilon = as_rational(value, "epsilon")
    if not 0 < epsilon <= MAX_EPSILON:
        raise InputError(f"epsilon must be in (0, {MAX_EPSILON}], got epsilon={shorten(value)}")
    return epsilon


@lru_cache(maxsize=1024)
def _alpha_from_epsilon(epsilon: Fraction) -> Fraction:
    """The rational with the smallest denominator in `[exp(-eps), exp(-eps) (1 + slack)]`.

    Rounding goes up only, so the mechanism is at least as private as asked. The interval is cut below 1 for a tiny
    epsilon, so that alpha stays in (0, 1).
    """
    _require_told_from_zero(epsilon)
    low = _upper_exp(-epsilon, ALPHA_DIGITS)
    slack = EPSILON_SLACK * min(Fraction(1), (1 - low) / FULL_SLACK)
    return simplest_between(low, min(low * (1 + slack), (1 + low) / 2))


@lru_cache(maxsize=1024)
def _above_exp(epsilon: Fraction, bits: int) -> Fraction:
    """The rational with the smallest denominator from `exp(-eps)` to `2^-bits (1 - exp(-eps))` of it above."""
    _require_told_from_zero(epsilon)
    low = _upper_exp(-epsilon * (1 - MARGIN))
    return simplest_between(low, low + low * (1 - low) / (1 << bits))


@lru_cache(maxsize=1024)
def _bound_from_epsilon(epsilon: Fraction, bits: int) -> Fraction:
    """The rational with the smallest denominator from `exp(-eps)` to `2^-bits (1 - exp(-eps))` of it below."""
    high = 1 / _upper_exp(epsilon * (1 + MARGIN))
    return simplest_between(high - high * (1 - high) / (1 << bits), high)


def _require_told_from_zero(epsilon: Fraction) -> None:
    if epsilon < LEAST_EPSILON:
        raise InputError(f"epsilon must be at least 1e-30, got epsilon={number_text(epsilon)}")


def _upper_exp(exponent: Fraction, digits: int = BOUND_DIGITS) -> Fraction:
    """An upper bound of exp(exponent), tight to about so many digits (`Decimal.exp` is correctly rounded)."""
    context = Context(prec=digits + 5)
    argument = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    slack = Fraction(1, 10**digits) * max(Fraction(1), abs(exponent))
    return Fraction(context.exp(argument)) * (1 + slack)


def _exact_root(alpha: Fraction, parts: int) -> Fraction | None:
    """`alpha^(1/parts)` where it is rational: where numerator and denominator, in lowest terms, are powers."""
    top, bottom = (int(fmpz(number).root(parts)) for number in (alpha.numerator, alpha.denominator))
    root = Fraction(top, bottom)
    return root if root**parts == alpha else None
