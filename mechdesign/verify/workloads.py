"""The Gram matrix `W'W` of a workload, from its name or its queries, with items merged.

Items that the workload does not tell apart are merged.

An entry of it counts in how many queries two items are together, in closed form for every workload that has a name of
its own; the queries of a matrix are multiplied out.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, lcm, prod

from .texts import MOST_TEXT, UnreadableError, items, rational, shown

Matrix = list[list[int]]
MOST_ITEMS = 2048
KNOWN = "workload must be histogram, prefixes, ranges[:L], circular, grid:A,B, marginals:K:R,.. or of queries, got {}"
MOST_PRODUCTS = 1 << 28
"""Products in the Gram matrix of given queries."""

MOST_WEIGHTS = 1 << 20
LARGEST_WEIGHT = 10**100
LONGEST_DENOMINATOR = 2048
"""Weights of given queries: how many, their size, and the bits of their least common denominator."""

_WHOLES = re.compile(r"[1-9][0-9]{0,17}(,[1-9][0-9]{0,17})*")


@dataclass(frozen=True)
class Workload:
    """A workload on k items, merged to groups of items of equal columns of W, in the order of their first items.

    `gram` is `W'W` on the groups times `denominator`; `group_of` has the group of each item. `flips` is the number of
    attributes where items are the tuples of attributes with two items each, which the workload treats all alike, and
    `way` how many of them a query is about; both are 0 for others. `is_histogram` is true of what is named so alone:
    other queries may have the same Gram matrix on groups that are fewer than the items.
    """

    k: int
    gram: Matrix
    denominator: int
    group_of: list[int]
    sizes: list[int]
    flips: int = 0
    way: int = 0
    is_histogram: bool = False

    @property
    def size(self) -> int:
        """The number of groups."""
        return len(self.sizes)


def workload_of(name: str, k: int, queries: list[list[Fraction]] | None) -> Workload:
    """Rebuild a workload from its name, or from its queries.

    Raises:
        UnreadableError: for a name that is none, or not of k items.
    """
    if queries is not None:
        _require_queries(name, k, queries)
        return _merged(k, *_multiplied(queries))
    word, _, parameter = name.partition(":")
    if word == "marginals":
        return _marginals(parameter, k, name)
    if word == "grid":
        return _merged(k, _grid(parameter, k, name))
    if word == "ranges" and parameter:
        (length,) = _wholes(parameter, name, 1)
        if length > k:
            raise UnreadableError(f"workload must be of {k} items, got {shown(name)}")
        return _merged(k, _windows(k, length))
    if name in WHOLE:
        return replace(_merged(k, WHOLE[name](k)), is_histogram=name == "histogram")
    raise UnreadableError(KNOWN.format(shown(name)))


def read_queries(value: object, k: int) -> list[list[Fraction]]:
    """Read the queries of a document, each of k weights; too many are refused before they are read."""
    if isinstance(value, list) and len(value) * k > MOST_WEIGHTS:
        raise UnreadableError(f"queries must have at most {MOST_WEIGHTS} weights, got more")
    return items(value, "queries", lambda row, name: items(row, name, rational, k))


def _require_queries(name: str, k: int, queries: list[list[Fraction]]) -> None:
    """Refuse queries that are none, or not those of the name."""
    if not queries or not all(map(any, queries)) or len(queries) * k * k > MOST_PRODUCTS:
        raise UnreadableError("queries must be at least one, of which none has zeros alone, and not too many")
    weights = [value for row in queries for value in row]
    if any(abs(value) > LARGEST_WEIGHT for value in weights):
        raise UnreadableError("queries must have weights of at most 1e100, got a larger one")
    common = 1
    for value in weights:
        common = lcm(common, value.denominator)
        if common.bit_length() > LONGEST_DENOMINATOR:
            raise UnreadableError(
                f"queries must have a common denominator of at most {LONGEST_DENOMINATOR} bits, got a longer one"
            )
    if not name.endswith(f"@{digest_of(queries)}"):
        raise UnreadableError(f"workload must end in the digest of its queries, got {shown(name)}")


def digest_of(queries: list[list[Fraction]]) -> str:
    """Return the digest of given queries: of the common denominator, and the weights times it, a line each."""
    common = lcm(*(value.denominator for row in queries for value in row))
    lines = [",".join(str(value.numerator * (common // value.denominator)) for value in row) for row in queries]
    return hashlib.sha256("".join(f"{line}\n" for line in (str(common), *lines)).encode()).hexdigest()[:12]


def _wholes(text: str, name: str, count: int = 0) -> tuple[int, ...]:
    """Read whole numbers above 0 in the name of a workload, so many of them, or any number."""
    if len(text) <= MOST_TEXT and _WHOLES.fullmatch(text):
        found = tuple(map(int, text.split(",")))
        if count in (0, len(found)):
            return found
    raise UnreadableError(KNOWN.format(shown(name)))


def _require_product(sides: tuple[int, ...], k: int, name: str) -> None:
    if prod(sides) != k:
        raise UnreadableError(f"workload must be of {k} items, got {shown(name)}")


def _histogram(k: int) -> Matrix:
    return [[int(u == v) for v in range(k)] for u in range(k)]


def _prefixes(k: int) -> Matrix:
    """Count the prefixes around two items: they end at or after the last."""
    return [[k - max(u, v) for v in range(k)] for u in range(k)]


def _ranges(k: int) -> Matrix:
    """Count the ranges around two items: they begin at or before the first and end at or after the last."""
    return [[(min(u, v) + 1) * (k - max(u, v)) for v in range(k)] for u in range(k)]


def _circular(k: int) -> Matrix:
    """Count the arcs around two items one way round and the other way: arcs of all lengths below k."""
    over = [sum(range(k - apart)) for apart in range(k + 1)]
    return [[over[abs(u - v)] + over[k - abs(u - v)] for v in range(k)] for u in range(k)]


WHOLE = {"histogram": _histogram, "prefixes": _prefixes, "ranges": _ranges, "circular": _circular}
"""Workloads without a parameter."""


def _windows(k: int, length: int) -> Matrix:
    """Count the ranges of one length around two items, by the first item of the range."""
    return [[max(0, min(u, v, k - length) - max(u, v, length - 1) + length) for v in range(k)] for u in range(k)]


def _grid(parameter: str, k: int, name: str) -> Matrix:
    """Count the products around two places of a table: queries of rows times queries of columns, ranges unless said."""
    parts = [part.rpartition(":") for part in parameter.split(",")]
    sides = _wholes(",".join(size for _, _, size in parts), name, 2)
    _require_product(sides, k, name)
    kinds = [WHOLE.get(kind if colon else "ranges") for kind, colon, _ in parts]
    if None in kinds:
        raise UnreadableError(KNOWN.format(shown(name)))
    rows, columns = (kind(size) for kind, size in zip(kinds, sides, strict=True) if kind)
    places = [divmod(u, sides[1]) for u in range(k)]
    return [[rows[a][c] * columns[b][d] for c, d in places] for a, b in places]


def _marginals(parameter: str, k: int, name: str) -> Workload:
    """Count the cells that hold two tuples: those of tables of attributes in which they agree."""
    first, _, rest = parameter.partition(":")
    (way,), domains = _wholes(first, name, 1), _wholes(rest, name)
    _require_product(domains, k, name)
    if min(domains) < 2 or way > len(domains):
        raise UnreadableError(KNOWN.format(shown(name)))
    d = len(domains)
    if set(domains) == {2}:
        cells = [comb(d - ones, way) for ones in range(d + 1)]
        gram = [[cells[(u ^ v).bit_count()] for v in range(k)] for u in range(k)]
        return Workload(k, gram, 1, list(range(k)), [1] * k, d, way)
    tuples = []
    for u in range(k):
        items = []
        for domain in reversed(domains):
            u, item = divmod(u, domain)
            items.append(item)
        tuples.append(items)
    return _merged(k, [[comb(sum(map(int.__eq__, a, b)), way) for b in tuples] for a in tuples])


def _multiplied(queries: list[list[Fraction]]) -> tuple[Matrix, int]:
    """Multiply queries out: `W'W` as integers over a denominator."""
    common = lcm(*(value.denominator for row in queries for value in row))
    columns = [
        [value.numerator * (common // value.denominator) for value in column] for column in zip(*queries, strict=True)
    ]
    gram = [[0] * len(columns) for _ in columns]
    for u, first in enumerate(columns):
        for v in range(u, len(columns)):
            gram[u][v] = gram[v][u] = sum(map(int.__mul__, first, columns[v]))
    return gram, common * common


def _merged(k: int, gram: Matrix, denominator: int = 1) -> Workload:
    """Merge items of equal columns of W: those whose columns differ by a vector of square 0."""
    firsts: list[int] = []
    group_of = []
    for u in range(k):
        same = (g for g, v in enumerate(firsts) if gram[u][u] + gram[v][v] == 2 * gram[u][v])
        group = next(same, len(firsts))
        if group == len(firsts):
            firsts.append(u)
        group_of.append(group)
    sizes = [group_of.count(group) for group in range(len(firsts))]
    return Workload(k, [[gram[u][v] for v in firsts] for u in firsts], denominator, group_of, sizes)
