"""Laws of rows, by name."""

from collections.abc import Callable

from mechdesign.errors import InputError, shorten
from mechdesign.rational import as_rational
from mechdesign_catalog.datasets.items.joint.films import RARITY, FilmsLaw
from mechdesign_catalog.datasets.items.joint.law import JointLaw
from mechdesign_catalog.datasets.items.joint.skewed import ATTRIBUTES, EXPONENT, skewed_law
from mechdesign_catalog.datasets.items.joint.taxi import BITS, MANHATTAN, STRONG, WEAK, taxi_law

JOINT_LAWS = ("taxi", "films", "skewed")
"""First words of their names."""

FORMS = ("taxi", "taxi:d=D", "films", "films:d=D", "skewed", "skewed:S", "skewed:S:d=D")
"""How they are written; taxi has the options strong, weak and manhattan, too."""

OPTIONS = {"taxi": ("d", "strong", "weak", "manhattan"), "films": ("d",), "skewed": ("s", "d")}
CORRELATIONS = {"strong": STRONG, "weak": WEAK}


def split_attribute(text: str) -> tuple[str, str | None]:
    """Split the name of a law from that of one of its attributes, `taxi:d=4:tip`; None for the whole table."""
    *law, last = text.strip().lower().split(":")
    is_attribute = bool(law) and "=" not in last and not (law == ["skewed"] and last[:1].isdecimal())
    return (":".join(law), last) if is_attribute else (text.strip().lower(), None)


def parse_joint_law(text: str) -> JointLaw | None:
    """Parse the name of a law of rows; None for a word that names none.

    Raises:
        InputError: for an option that it does not have, or one that is out of range.
    """
    word, *pieces = (piece.strip() for piece in text.lower().split(":"))
    if word not in JOINT_LAWS:
        return None
    if word == "skewed" and pieces and "=" not in pieces[0]:
        pieces[0] = f"s={pieces[0]}"
    options: dict[str, str] = {}
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if key not in OPTIONS[word] or not equals or key in options:
            got = shorten(piece) or "none"
            raise InputError(f"options of {word} must be {', '.join(OPTIONS[word])}, each once at most, got {got}")
        options[key] = value
    return _LAWS[word](options)


def _taxi(options: dict[str, str]) -> JointLaw:
    strong, weak = (as_rational(options.get(key, usual), f"{key} of taxi") for key, usual in CORRELATIONS.items())
    shares = options["manhattan"].split("-") if "manhattan" in options else MANHATTAN
    manhattan = tuple(as_rational(share, "manhattan of taxi") for share in shares)
    return taxi_law(_columns(options, len(BITS)), strong, weak, manhattan)


def _films(options: dict[str, str]) -> JointLaw:
    return FilmsLaw(_columns(options, len(RARITY)))


def _skewed(options: dict[str, str]) -> JointLaw:
    return skewed_law(as_rational(options.get("s", EXPONENT), "S of skewed:S"), _columns(options, ATTRIBUTES))


def _columns(options: dict[str, str], usual: int) -> int:
    """Parse d, the number of columns."""
    text = options.get("d", str(usual))
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise InputError(f"d must be a whole number of at least 1, got d={shorten(text) or 'none'}")
    return int(text)


_LAWS: dict[str, Callable[[dict[str, str]], JointLaw]] = {"taxi": _taxi, "films": _films, "skewed": _skewed}
