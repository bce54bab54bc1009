"""Files of noise tables: our documents, those of ptable (tau-Argus, SAS), and those of the ONS's package.

- **ptable** (Destatis) writes `i;j;p;v;p_int_ub`, or `p_int_lb` before the last: a line for each true count i and its
  results j = i + v, where the last i stands for all larger counts. Chances are rounded, so the interval *ends* rule.
- **ONS** (`cell-key-perturbation`) has `pcv,ckey,pvalue`: a noise for each count 1..750 and each key. A count n above
  750 is looked up at (n - 1) mod 250 + 501, and a count of 0 not at all.
"""

import csv
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from mechdesign.documents.csv_rows import csv_rows
from mechdesign.documents.files import FilePath, read_text
from mechdesign.documents.storage import read_stored
from mechdesign.documents.stored import StoredNoiseTable
from mechdesign.errors import InputError, quote, shorten
from mechdesign.noise_tables.table import NoiseTable, Row
from mechdesign.rational import as_rational, over_common_denominator

ENDS = ("i", "j", "p", "v")
UPPER, LOWER, TYPE = "p_int_ub", "p_int_lb", "type"
COUNTS = "all"
"""The type of a table for counts, in files that have the column."""

KEYS = ("pcv", "ckey", "pvalue")
LAST_KEYED, PERIOD = 750, 250
"""Counts with rows of their own in a file of the ONS, and how many of the last rows serve larger ones in turn."""

MOST_KEYS = 1 << 16
END_UNITS = 10**8
"""Interval ends are written in these."""

LARGEST_COUNT = 10_000
TAU_ARGUS, SAS, ONS = "tau-argus", "sas", "ons"
TOOLS = (TAU_ARGUS, SAS, ONS)
DOCUMENT, PTABLE, KEYED = "document", "ptable", "ONS"


@dataclass(frozen=True)
class NoiseTableFile:
    """A noise table from a file.

    Attributes:
        table: the law of the noise of every count.
        kind: `document`, `ptable` or `ONS`.
        stored: the document, if it is one.
    """

    table: NoiseTable
    kind: str
    stored: StoredNoiseTable | None = None


def is_noise_csv(path: FilePath) -> bool:
    """Tell whether a file has the header of a noise table of another tool."""
    if Path(path).suffix.lower() not in (".csv", ".txt"):
        return False
    first = read_text(Path(path)).partition("\n")[0]
    return _header(first, ";")[:4] == ENDS or _header(first, ",") == KEYS


def is_noise_table(path: FilePath) -> bool:
    """Tell whether a file is a noise table, ours or another tool's."""
    if Path(path).suffix.lower() != ".json":
        return is_noise_csv(path)
    return isinstance(read_stored(path), StoredNoiseTable)


def _header(line: str, separator: str) -> tuple[str, ...]:
    return tuple(name.strip().strip('"') for name in line.split(separator))


def read_noise_table_file(path: FilePath, *, proved: bool = True) -> NoiseTableFile:
    """Read a noise table: a document, or a file of ptable or of the ONS.

    Args:
        path: of the file.
        proved: refuse a document that claims what is false.

    Raises:
        InputError: naming the line that is wrong, or saying what the file is instead.
        RefusedError: naming the first claim of a document that is false.
    """
    if is_noise_csv(path):
        text, source = read_text(Path(path)), str(path)
        if _header(text.partition("\n")[0], ",") == KEYS:
            return NoiseTableFile(_keyed_table(text, source), KEYED)
        return NoiseTableFile(_interval_table(text, source), PTABLE)
    stored = read_stored(path) if Path(path).suffix.lower() == ".json" else None
    if not isinstance(stored, StoredNoiseTable):
        raise InputError(
            f"file must be a noise table: a document (.json), or a .csv of ptable or of the ONS's package, got {path}"
        )
    return NoiseTableFile(stored.proved().mechanism if proved else stored.mechanism, DOCUMENT, stored)


def _interval_table(text: str, source: str) -> NoiseTable:
    """Read a file of ptable: chances are the lengths of the intervals."""
    lines = ([cell.strip().strip('"') for cell in line.split(";")] for line in text.splitlines() if line.strip())
    header = next(lines)
    extra = [name for name in header[4:] if name not in (UPPER, LOWER, TYPE)]
    if extra or len(set(header)) < len(header) or UPPER not in header:
        raise InputError(
            f"header of a noise table must be i;j;p;v;p_int_ub, got {shorten(';'.join(header))} in {source}"
        )
    rows: list[dict[int, Fraction]] = []
    end = Fraction(1)
    for number, cells in enumerate(lines, 2):
        where = f"line {number} of {source}"
        if len(cells) != len(header):
            raise InputError(f"lines of a noise table must have {len(header)} fields, got {len(cells)} in {where}")
        count, noise, upper, lower = _interval(dict(zip(header, cells, strict=True)), where)
        if count == len(rows) and end == 1:
            rows.append({})
            end = Fraction(0)
        if count != len(rows) - 1:
            raise InputError(f"i of a noise table must rise by 1 once ends are at 1, got {count} in {where}")
        if lower not in (None, end):
            raise InputError(f"{LOWER} must be the end before it, got another in {where}")
        if not end <= upper <= 1 or noise in rows[-1]:
            raise InputError(f"{UPPER} must rise up to 1, each noise once, got {float(upper):g} in {where}")
        rows[-1][noise] = upper - end
        end = upper
    if not rows or end != 1:
        raise InputError(f"{UPPER} of the last count must end at 1, got {'no line' if not rows else end} in {source}")
    return _table_of(rows, None)


def _interval(line: Mapping[str, str], where: str) -> tuple[int, int, Fraction, Fraction | None]:
    """Return count, noise and the ends of an interval, the lower one where it is given."""
    count, noise, result = (_whole(line[name], name, where) for name in ("i", "v", "j"))
    if line.get(TYPE, COUNTS) != COUNTS:
        raise InputError(f"type of a noise table must be {COUNTS}, got {quote(line[TYPE])} in {where}")
    if result != count + noise or result < 0:
        raise InputError(f"j of a noise table must be i + v, 0 or more, got {shorten(line['j'])} in {where}")
    lower = as_rational(line[LOWER], LOWER) if LOWER in line else None
    return count, noise, as_rational(line[UPPER], UPPER), lower


def _keyed_table(text: str, source: str) -> NoiseTable:
    """Read a file of the ONS: chances are shares of keys."""
    counts: list[dict[int, int]] = [{} for _ in range(LAST_KEYED)]
    keys: list[set[int]] = [set() for _ in range(LAST_KEYED)]
    rows = csv_rows(io.StringIO(text), source)
    next(rows)
    for number, cells in enumerate(rows, 2):
        where = f"line {number} of {source}"
        if len(cells) != len(KEYS):
            raise InputError(f"lines of a noise table must have 3 fields, got {len(cells)} in {where}")
        count, key, noise = (_whole(cell, name, where) for cell, name in zip(cells, KEYS, strict=True))
        if not 1 <= count <= LAST_KEYED or not 0 <= key < MOST_KEYS or key in keys[count - 1] or count + noise < 0:
            raise InputError(
                f"pcv, ckey must be 1..{LAST_KEYED}, 0..{MOST_KEYS - 1}, once, got {count},{key} in {where}"
            )
        keys[count - 1].add(key)
        counts[count - 1][noise] = counts[count - 1].get(noise, 0) + 1
    most = max(map(len, keys))
    short = next((j for j, own in enumerate(keys, 1) if own != set(range(most))), None)
    if short is not None or not most:
        raise InputError(
            f"ckey must be 0..{max(most - 1, 0)} for every pcv, got others for pcv {short or 1} in {source}"
        )
    law = [{noise: Fraction(share, most) for noise, share in row.items()} for row in counts]
    return _table_of([{0: Fraction(1)}, *law], LAST_KEYED - PERIOD + 1)


def _whole(text: str, name: str, where: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise InputError(f"{name} must be a whole number, got {quote(text)} in {where}") from None
    if abs(value) > LARGEST_COUNT and name != "ckey":
        raise InputError(f"{name} must be at most {LARGEST_COUNT} in size, got {value} in {where}")
    return value


def _table_of(rows: Iterable[dict[int, Fraction]], following: int | None) -> NoiseTable:
    laws = [sorted((noise, share) for noise, share in row.items() if share) for row in rows]
    weights, denominator = over_common_denominator(share for law in laws for _, share in law)
    given = iter(weights)
    return NoiseTable(tuple(tuple((noise, next(given)) for noise, _ in law) for law in laws), denominator, following)


def noise_table_text(table: NoiseTable, tool: str) -> str:
    """Write a table for another tool; rounding ends to 1e-8 makes another table, which is to be read back.

    Args:
        table: in which no row beyond the last is needed.
        tool: `tau-argus`, `sas` or `ons`, whose keys are drawn anew in each row.

    Raises:
        InputError: for another tool, or for `ons` a table whose chances are no whole shares of at most 65,536 keys.
    """
    if tool not in TOOLS:
        raise InputError(f"tool must be one of {', '.join(TOOLS)}, got tool={quote(tool)}")
    stream = io.StringIO()
    if tool == ONS:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(KEYS)
        writer.writerows(_keyed_lines(table))
        return stream.getvalue()
    writer = csv.writer(stream, delimiter=";", lineterminator="\n")
    middle = (LOWER,) if tool == SAS else ()
    writer.writerow((*ENDS, *middle, UPPER))
    for count, row in enumerate(table.rows):
        for noise, low, high in _ends(row, table.denominator):
            start = (_decimal(low),) if tool == SAS else ()
            writer.writerow((count, count + noise, _decimal(high - low), noise, *start, _decimal(high)))
    return stream.getvalue()


def _ends(row: Row, denominator: int) -> Iterator[tuple[int, int, int]]:
    """Yield (noise, end below, end above) in units of 1e-8 where they differ."""
    total = below = 0
    for noise, weight in row:
        total += weight
        above = (2 * total * END_UNITS + denominator) // (2 * denominator)
        if above > below:
            yield noise, below, above
        below = above


def _decimal(units: int) -> str:
    return f"{units // END_UNITS}.{units % END_UNITS:08d}"


def _keyed_lines(table: NoiseTable) -> Iterator[Sequence[int]]:
    """Yield a line for each count 1..750 and key; which key has which noise is drawn by the operating system."""
    keys = table.denominator
    if keys > MOST_KEYS:
        raise InputError(
            f"keys of an export for {ONS} must be at most {MOST_KEYS}, and the chances of this table are no whole "
            "shares of so few; design it with --keys 256"
        )
    generator = secrets.SystemRandom()
    for count in range(1, LAST_KEYED + 1):
        noises = [noise for noise, weight in table.row(count) for _ in range(weight)]
        generator.shuffle(noises)
        for key, noise in enumerate(noises):
            yield count, key, noise
