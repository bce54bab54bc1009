"""Tests of a release's output against its record: bytes, groups, sizes, counts, intervals."""

import csv
import hashlib
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from .document import Document
from .fair import FairEnds
from .laws import LawDocument
from .layers import Layer
from .proving import Claim
from .record import INTERVALS, Record
from .texts import MOST_BYTES, UnreadableError, shown

_SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_WHOLE = re.compile(r"[0-9]{1,18}")
_PLAIN = re.compile(r"0|[1-9][0-9]{0,17}")
Row = list[str]
ENCLOSED_BITS, EXACT_BITS, MOST_STEPS_BITS = 320, 1 << 20, 18


def output_claims(record: Record, path: Path) -> Iterator[Claim]:
    """Yield every claim about a file of released counts.

    Raises:
        UnreadableError: for a file that cannot be read.
    """
    data = file_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    yield Claim("the output has the record's digest", digest == record.output_digest, f"it is {digest}")
    if record.names:
        plain = not data.startswith(b"\xef\xbb\xbf") and b"\r" not in data
        yield Claim("the output has line feeds and no byte order mark", plain, "it has others")
    last = ["released", *(() if record.confidence is None else INTERVALS)]
    named = record.columns[-len(last) :] == last
    if record.names:
        names = [*record.names, *([record.column] if record.values else [])]
        named = record.columns == [*names, "size", *last] and record.size_column == "size"
    yield Claim(f"the record's columns end with {', '.join(last)}", named, "they do not")
    header, *rows = csv_rows(data)
    fits = header == record.columns
    yield Claim("the output has the record's columns", fits, f"it has {shown(', '.join(header))}")
    if named and fits:
        yield from _row_claims(record, rows, len(header) - len(last))


def _row_claims(record: Record, rows: list[Row], at: int) -> Iterator[Claim]:
    counts = [_whole(row[at], _PLAIN, number) for number, row in enumerate(rows, start=1)]
    if record.size_column is None:
        sizes = [next(iter(record.groups_by_size))] * len(rows)
    else:
        place = record.columns.index(record.size_column)
        form = _PLAIN if record.names else _WHOLE
        cells = [row[place] if record.names else row[place].strip() for row in rows]
        sizes = [_whole(cell, form, number) for number, cell in enumerate(cells, start=1)]
    every = len(record.values) or 1
    if record.values:
        places = range(len(rows))
        wrong = _first(_is_misplaced(record, rows, sizes, k) for k in places) or (len(rows) if len(rows) % every else 0)
        yield Claim("every group has a count of each value, in their order", not wrong, f"row {wrong} does not fit")
        if wrong:
            return
    groups = dict(Counter(sizes[::every])) == record.groups_by_size
    yield Claim("the output has as many groups of each size as the record", groups, "it has others")
    above = _first(count > size for count, size in zip(counts, sizes, strict=True))
    yield Claim("every released count is in 0..n", not above, f"that of row {above} is above its size")
    if record.names:
        names = [row[: len(record.names)] for row in rows[::every]]
        again = _again(names)
        again = again and (again - 1) * every + 1
        yield Claim("every group stands once", not again, f"that of row {again} stood before, or no release writes it")
        yield Claim("the groups are sorted by name", names == _in_order(names), "they are not")
    if record.confidence is not None and groups and not above:
        known = _intervals(record, record.confidence)
        by_law = _intervals_of_law(record, record.confidence)
        stated = [row[at + 1 :] for row in rows]
        pairs = zip(sizes, counts, strict=True)
        found = [known[size][count] if size in known else by_law(size, count) for size, count in pairs]
        wrong = _first(map(list.__ne__, stated, found))
        yield Claim("every interval follows from its count", not wrong, f"that of row {wrong} does not")


def _is_misplaced(record: Record, rows: list[Row], sizes: list[int], k: int) -> bool:
    """Whether a row is not of the value in its place, or of another group or size than the first of its values."""
    place, names = k % len(record.values), len(record.names)
    first = k - place
    return rows[k][names] != record.values[place] or rows[k][:names] != rows[first][:names] or sizes[k] != sizes[first]


def _again(names: list[Row]) -> int:
    """Return the first row whose group stood before, or has a name that no release writes; 0 for none.

    A name is that of the group, perhaps after that of its region. No release writes one in two ways that are spelled
    alike: in one Unicode form NFKC, whatever variation selectors they have.
    """
    seen: set[tuple[str, ...]] = set()
    spelled: dict[tuple[int, str], str] = {}
    for number, name in enumerate(names, start=1):
        for place, text in enumerate(name):
            alike = _SELECTORS.sub("", unicodedata.normalize("NFKC", text))
            if not alike or text != text.strip() or not text.isprintable():
                return number
            if spelled.setdefault((place, alike), text) != text:
                return number
        if tuple(name) in seen:
            return number
        seen.add(tuple(name))
    return 0


def _intervals(record: Record, confidence: Fraction) -> dict[int, list[list[str]]]:
    """Write the four ends of the interval of each output, by size: for one group, and for all at once."""
    together = _of_each(record, confidence)
    tables = {}
    for size in record.sizes:
        pairs = zip(_ends(size.document, confidence), _ends(size.document, together), strict=True)
        tables[size.n] = [[str(end) for end in (*one, *every)] for one, every in pairs]
    return tables


def _of_each(record: Record, confidence: Fraction) -> Fraction:
    counts = record.groups * (len(record.values) or 1)
    return 1 - (1 - confidence) / counts if counts > 0 else confidence


def _intervals_of_law(record: Record, confidence: Fraction) -> Callable[[int, int], list[str]]:
    """Return what writes the four ends of the interval of a count that the law released."""
    levels = (confidence, _of_each(record, confidence))
    laws = [_law_ends(record.law.document, level) for level in levels] if record.law else []
    return lambda n, released: [str(end) for law in laws for end in law.of(n, released)]


def _law_ends(law: LawDocument, confidence: Fraction) -> "LawEnds | FairEnds":
    if (1 - law.privacy.alpha) * (1 << MOST_STEPS_BITS) < 1:
        raise UnreadableError("alpha of the law is too near to 1 for intervals")
    return FairEnds(law.privacy.alpha, confidence) if law.layered is None else LawEnds(law.layered.layer, confidence)


class LawEnds:
    """The least and the largest count that an output of a law leaves, at any size.

    With a = alpha and a layer of depth b an output i, b <= i <= n-b, has the tails `a^|i-j| / (1+a)` on the far side of
    the count j, and more on the other. The tail below an output i < b is its sum over the column j of the layer; beyond
    the layer it is a times that of the column before, and the tail above it is more than 1/2. Outputs > n-b mirror it.
    """

    def __init__(self, layer: Layer, confidence: Fraction) -> None:
        self.layer, self.tail = layer, (1 - confidence) / 2
        self.near: dict[int, list[list[int]]] = {}
        self.far = _steps(1 / (1 + layer.alpha), layer.alpha, self.tail)

    def of(self, n: int, released: int) -> tuple[int, int]:
        """Return the two ends for an output of a group of n."""
        near = min(released, n - released)
        if near >= self.layer.depth:
            return max(0, released - self.far), min(n, released + self.far)
        key = 0 if self.layer.slopes is None else n
        if key not in self.near:
            self.near[key] = list(self._left(n))
        left = [j for j in self.near[key][near] if j <= n]
        low, high = (left[0], min(n, self.near[key][near][-1])) if left else (0, n)
        return (low, high) if near == released else (n - high, n - low)

    def _left(self, n: int) -> Iterator[list[int]]:
        """Yield for each output of the layer the counts inside it that are left, and the last one beyond it."""
        layer = self.layer
        rows, whole = layer.rows, layer.denominator
        if layer.slopes is not None:
            whole *= n + 1
            pairs = [zip(*both, strict=True) for both in zip(layer.rows, layer.slopes, strict=True)]
            rows = tuple(tuple((n + 1) * x + y for x, y in pair) for pair in pairs)
        below = [0] * layer.depth
        for row in rows:
            above = [whole - weight for weight in below]
            below = [sum(pair) for pair in zip(below, row, strict=True)]
            left = [j for j, pair in enumerate(zip(above, below, strict=True)) if min(pair) > self.tail * whole]
            more = _steps(Fraction(below[-1], whole), layer.alpha, self.tail)
            last = [layer.depth, layer.depth - 1 + more] if more > 0 else []
            yield sorted({*left, *last})


def _steps(value: Fraction, alpha: Fraction, least: Fraction) -> int:
    """Count how often a value can be multiplied by alpha until it is at most `least`; -1 where it is from the first.

    It is enclosed by integers over 2^320. What they do not decide is exact where that is short, else counts as more.
    """
    (p, q), unit = alpha.as_integer_ratio(), 1 << ENCLOSED_BITS
    low, high = int(value * unit), -int(-value * unit)
    if low < value * unit:
        high = low + 1
    steps = -1
    while True:
        if high <= least * unit:
            return steps
        if low <= least * unit:
            exponent = steps + 1
            if exponent * q.bit_length() <= EXACT_BITS and value * alpha**exponent <= least:
                return steps
        steps += 1
        low, high = low * p // q, -(-high * p // q)


def _ends(document: Document, confidence: Fraction) -> Iterator[tuple[int, int]]:
    """Yield for each output the least and the largest count that it does not rule out, by either tail.

    A tail rules a count out if it has at most half of what the confidence leaves.
    """
    least = (1 - confidence) / 2 * document.denominator
    below = [0] * len(document.weights)
    for row in document.weights:
        above = [document.denominator - weight for weight in below]
        below = [sum(pair) for pair in zip(below, row, strict=True)]
        left = [j for j, (a, b) in enumerate(zip(above, below, strict=True)) if min(a, b) > least]
        yield (left[0], left[-1]) if left else (0, len(row) - 1)


def file_bytes(path: Path) -> bytes:
    """Read a regular file of at most 2^28 bytes; `UnreadableError` for another."""
    try:
        if not path.is_file():
            raise UnreadableError("not a regular file")
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableError(f"longer than {MOST_BYTES} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableError(getattr(error, "strerror", None) or "no file can have this name") from None


def csv_rows(data: bytes) -> list[Row]:
    """Read the rows of CSV in UTF-8, all as wide as the header; `UnreadableError` for other bytes."""
    try:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise UnreadableError("not CSV in UTF-8") from None
    if b"\0" in data:
        raise UnreadableError("not text")
    if not rows or not rows[0]:
        raise UnreadableError("no header")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(rows[0]):
            raise UnreadableError(f"row {number} has {len(row)} cells, not {len(rows[0])} like the header")
    return rows


def _whole(text: str, form: "re.Pattern[str]", number: int) -> int:
    if not form.fullmatch(text):
        raise UnreadableError(f"row {number} has a size or a count that is no whole number as a release writes it")
    return int(text)


def _first(tests: "Iterator[bool]") -> int:
    """Return the number of the first row that is so, from 1; 0 for none."""
    return next((number for number, is_so in enumerate(tests, start=1) if is_so), 0)


def _in_order(names: list[Row]) -> list[Row]:
    """Sort names by code points; where all of a column are whole numbers by value, and then by their text.

    Sorts are stable: the last column is sorted first.
    """
    found = names
    for place in reversed(range(len(names[0]) if names else 0)):
        if all(name[place].isascii() and name[place].isdigit() for name in names):
            found = sorted(found, key=lambda name: (len(name[place].lstrip("0")), name[place].lstrip("0"), name[place]))
        else:
            found = sorted(found, key=lambda name: name[place])
    return found
