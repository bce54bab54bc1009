"""Make a user's report from what a task's document states, by the rules of REPORTS.md and nothing else."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate
from math import prod
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar

from mechdesign.errors import InputError, shorten
from mechdesign.rational import fraction_from_text, integer_from_text
from mechdesign_catalog.reference.byte_stream import Draws, randomised_response, uniform_subset
from mechdesign_catalog.reference.columns import (
    Bits,
    ByteStrings,
    Column,
    Numbers,
    Row,
    number_bytes,
    packed_bits,
    packed_set,
    written_message,
)

Items = Sequence[int]
Entry = TypeVar("Entry")

RATIONAL = {"alpha", "p", "q", "kept", "turned", "maximum", "variance", "precision"}
WHOLE = {"denominator", "weights", "prior"}
"""Constants that are texts, or lists of texts, of rationals and of whole numbers."""


class Stated(SimpleNamespace):
    """An oracle as a document states it: its name `oracle`, its number of items `k`, and its constants by their names.

    The constants of a document state oracles that are parts of others in the same way.
    """


def stated_oracle(document: Mapping[str, Any]) -> Stated:
    """Return what the document of a task, as JSON has it, states of the oracle: its parameters and its constants."""
    found = Stated(**{**document["parameters"], **vars(_parsed("constants", document["constants"]))})
    if "domains" in document["parameters"]:
        found.domains = [int(items) for items in found.domains.split(",")]
    if "sides" in document["parameters"]:
        found.sides = [int(items) for items in found.sides.split("x")]
    return found


def _parsed(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Stated(**{key: _parsed(key, one) for key, one in value.items()})
    if isinstance(value, list):
        return [_parsed(name, one) for one in value]
    if name in RATIONAL:
        return fraction_from_text(value, name)
    return integer_from_text(value, name) if name in WHOLE and isinstance(value, str) else value


def report(oracle: Stated, value: int | tuple[int, ...], draws: Draws) -> Row:
    """Make a user's report in plain numbers and bytes.

    Args:
        oracle: what the document of a task states.
        value: the number of the user's item (of a number, its step); of several attributes the numbers of all.
        draws: what to draw from.

    Raises:
        InputError: for an oracle that REPORTS.md does not describe, a value that no user has, or where the random bytes
            end.
    """
    if not hasattr(oracle, "domains"):
        _require_item(value, oracle.k, "value")
        return _draw(oracle, value, draws)
    if not isinstance(value, tuple) or len(value) != len(oracle.domains):
        raise InputError(f"value must be {len(oracle.domains)} whole numbers, got another")
    for number, (item, k) in enumerate(zip(value, oracle.domains, strict=True), start=1):
        _require_item(item, k, f"value of attribute {number}")
    return _draw(oracle, value, draws)


def columns_of(oracle: Stated) -> list[Column]:
    """Return the columns of an oracle's reports, in order."""
    return _client(oracle).columns(oracle)


def _draw(oracle: Stated, value: Any, draws: Draws) -> Row:
    return _client(oracle).draw(oracle, value, draws)


def _client(oracle: Stated) -> "Client":
    if oracle.oracle not in CLIENTS:
        raise InputError(f"oracle must be one that REPORTS.md describes, got {shorten(oracle.oracle)}")
    return CLIENTS[oracle.oracle]


def _require_item(value: object, k: int, name: str) -> None:
    """Refuse a value that is none of k items, without telling it."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < k:
        raise InputError(f"{name} must be a whole number in 0..{k - 1}, got another")


class Client(NamedTuple):
    """What the reports of an oracle consist of, and how one is drawn, by what is stated of the oracle."""

    columns: Callable[[Stated], list[Column]]
    draw: Callable[[Stated, Any, Draws], Row]


# Oracles of one item.


def parity(number: int) -> int:
    """Return 1 where the binary form has an odd number of ones; `parity(a & b)` is that of what both have in common."""
    return number.bit_count() & 1


def _draw_answer(oracle: Stated, value: int, draws: Draws) -> Row:
    return {"item": randomised_response(draws, value, oracle.k, oracle.p)}


def _draw_bits(oracle: Stated, value: int | None, draws: Draws) -> Row:
    return _bits_of(range(oracle.k), oracle, value, draws)


def _bits_of(items: Items, oracle: Stated, value: int | None, draws: Draws) -> Row:
    return {"bits": packed_bits([draws.bernoulli(oracle.p if item == value else oracle.q) for item in items])}


def _draw_some_bits(oracle: Stated, value: int, draws: Draws) -> Row:
    if oracle.d == oracle.k:
        return _draw_bits(oracle, value, draws)
    buckets = uniform_subset(draws, oracle.k, oracle.d)
    return {"buckets": buckets, **_bits_of(buckets, oracle, value, draws)}


def _columns_some_bits(oracle: Stated) -> list[Column]:
    buckets, bits = Numbers("buckets", oracle.k, count=oracle.d, rising=True), Bits("bits", oracle.d)
    return [bits] if oracle.d == oracle.k else [buckets, bits]


def _draw_subset(oracle: Stated, value: int, draws: Draws) -> Row:
    """Draw whether the own item is in the set, and then the others, which are numbered without it."""
    kept = draws.bernoulli(oracle.p)
    others = uniform_subset(draws, oracle.k - 1, oracle.size - kept)
    return {"bits": packed_set([*[other + (other >= value) for other in others], *[value] * kept], oracle.k)}


def _columns_hashed(oracle: Stated) -> list[Column]:
    return [Numbers("coefficients", 1 << oracle.word_bits, count=oracle.words), Numbers("bucket", oracle.buckets)]


def _draw_hashed(oracle: Stated, value: int, draws: Draws) -> Row:
    words = tuple(draws.uniform_below(1 << oracle.word_bits) for _ in range(oracle.words))
    own = bucket_of(oracle, value, words)
    return {"coefficients": words, "bucket": randomised_response(draws, own, oracle.buckets, oracle.kept)}


def bucket_of(oracle: Stated, item: int, words: Sequence[int]) -> int:
    """Find the bucket that a hash, given by its s words, puts an item into: `floor(z g / 2^s)` of g buckets.

    Bit i of z is the parity of word i and the item, which has one more bit, 1 above all others, where g is not 2^s.
    """
    values = 1 << len(words)
    written = item if oracle.buckets == values else item | 1 << oracle.item_bits
    hashed = sum(parity(word & written) << place for place, word in enumerate(words))
    return int(hashed * oracle.buckets // values)


def _draw_sketched(oracle: Stated, value: int, draws: Draws) -> Row:
    row = {"hash": draws.uniform_below(oracle.hashes), "place": draws.uniform_below(oracle.width)}
    return {**row, "bit": parity(combined_word(oracle, **row) & value) ^ draws.bernoulli(oracle.turned)}


def combined_word(oracle: Stated, hash: int, place: int) -> int:
    """Combine the public words of a hash by exclusive or: those whose number i is a bit of the place that is 1."""
    rows = oracle.width.bit_length() - 1
    words = _public_words(oracle.seed, oracle.hashes * rows, oracle.item_bits)
    combined = 0
    for bit in range(rows):
        combined ^= words[hash * rows + bit] if place >> bit & 1 else 0
    return combined


@lru_cache(maxsize=4)
def _public_words(seed: int, count: int, bits: int) -> Sequence[int]:
    """Return the words of all public hashes, those of hash 0 first."""
    length = number_bytes(1 << bits)
    data = hashlib.shake_256(f"mechdesign hcms {seed}".encode("ascii")).digest(count * length)
    return [int.from_bytes(data[at : at + length], "little") % (1 << bits) for at in range(0, len(data), length)]


def _draw_designed(oracle: Stated, value: int, draws: Draws) -> Row:
    return {"item": draws.choose([row[value] for row in oracle.weights])}


def _draw_row(oracle: Stated, value: int, draws: Draws) -> Row:
    """Choose by a row's weight, times the numerator of alpha where the item has the letter 0, else the denominator."""
    times = {"0": oracle.alpha.numerator, "1": oracle.alpha.denominator}
    pairs = zip(oracle.weights, oracle.rows, strict=True)
    return {"row": draws.choose([weight * times[row[value]] for weight, row in pairs])}


def _draw_mean(oracle: Stated, value: int, draws: Draws) -> Row:
    return {"bit": (draws.uniform_below(oracle.steps) < value) ^ draws.bernoulli(oracle.q)}


# Oracles that draw one of several parts, and report through it: levels, an attribute, or a set of attributes.


class Part(NamedTuple):
    """A part: how often it is drawn, what is stated of it, and which of its items the user has."""

    weight: int
    oracle: Stated
    item: Callable[[Any], int]


def _drawing(column: str, first: int, parts: Callable[[Stated], list[Part]]) -> Client:
    """Return the client whose reports are the number of a part, from `first` on, and a message of it."""

    def columns(oracle: Stated) -> list[Column]:
        inner = [columns_of(part.oracle) for part in parts(oracle)]
        number = Numbers(column, first + len(inner), first=first)
        return [number, ByteStrings("report", number, inner)]

    def draw(oracle: Stated, value: Any, draws: Draws) -> Row:
        every = parts(oracle)
        number = draws.choose([part.weight for part in every])
        _, chosen, item = every[number]
        message = written_message(columns_of(chosen), _draw(chosen, item(value), draws))
        return {column: first + number, "report": message}

    return Client(columns, draw)


def _levels(node: Callable[[Stated, Stated, int], int]) -> Client:
    def parts(oracle: Stated) -> list[Part]:
        return [Part(level.weight, level, partial(node, oracle, level)) for level in oracle.levels]

    return _drawing("level", 1, parts)


def _node_of_pair(oracle: Stated, level: Stated, value: int) -> int:
    row, column = divmod(value, oracle.sides[1])
    return int(row // level.items[0] * level.columns + column // level.items[1])


def _half_of_pair(oracle: Stated, level: Stated, value: int) -> int:
    """Number the places of both sides, and the sign: of a side that is taken whole both are 0."""
    sides = zip(divmod(value, oracle.sides[1]), level.half, strict=True)
    one, other = (item // half if half else 0 for item, half in sides)
    return int(2 * (one // 2 * level.columns + other // 2) + (one + other) % 2)


def _draw_signed(oracle: Stated, value: int, draws: Draws) -> Row:
    word = draws.uniform_below(oracle.k // 2)
    return {"report": 2 * word + (parity(word & value >> 1) ^ value & 1 ^ draws.bernoulli(oracle.turned))}


# Oracles of several attributes.


def cell_of(domains: Items, subset: Items, value: Items) -> int:
    """Number the cell of some attributes that a user is in, the last attribute changing fastest."""
    cell = 0
    for i in subset:
        cell = cell * domains[i] + value[i]
    return cell


def _columns_of_all(oracle: Stated) -> list[Column]:
    numbered = enumerate(oracle.attributes, start=1)
    return [replace(column, name=f"{column.name}_{j}") for j, part in numbered for column in columns_of(part)]


def _side_by_side(rows: Iterable[Row]) -> Row:
    return {f"{name}_{number}": cell for number, row in enumerate(rows, start=1) for name, cell in row.items()}


def _draw_all(oracle: Stated, value: Items, draws: Draws) -> Row:
    return _side_by_side(_draw(part, item, draws) for part, item in zip(oracle.attributes, value, strict=True))


def _draw_fakes(oracle: Stated, value: Items, draws: Draws) -> Row:
    """Draw the attribute that is told; what all others report is fake."""
    told = draws.uniform_below(len(value))
    return _side_by_side(
        _draw(part, value[attribute], draws) if attribute == told else _draw_fake(part, draws)
        for attribute, part in enumerate(oracle.attributes)
    )


def _draw_fake(oracle: Stated, draws: Draws) -> Row:
    return {"item": draws.uniform_below(oracle.k)} if oracle.oracle == "grr" else _draw_bits(oracle, None, draws)


def _attributes(oracle: Stated) -> list[Part]:
    return [Part(1, part, itemgetter(attribute)) for attribute, part in enumerate(oracle.attributes)]


def _draw_joint(oracle: Stated, value: Items, draws: Draws) -> Row:
    return _draw(oracle.combinations, cell_of(oracle.domains, range(len(value)), value), draws)


def _draw_turned(oracle: Stated, value: Items, draws: Draws) -> Row:
    return {"bits": packed_bits([item ^ draws.bernoulli(oracle.turned) for item in value])}


def tables_of(oracle: Stated) -> list[Stated]:
    """Return the oracle of each set's table: that with as many items as the table has cells."""
    by_cells = {table.k: table for table in oracle.tables}
    return [by_cells[prod(oracle.domains[i] for i in subset)] for subset in oracle.sets]


def _tables(oracle: Stated) -> list[Part]:
    sets = zip(oracle.sets, tables_of(oracle), strict=True)
    return [Part(1, table, partial(cell_of, oracle.domains, subset)) for subset, table in sets]


def _columns_coefficient(oracle: Stated) -> list[Column]:
    return [Numbers("coefficient", len(oracle.sets) * (2**oracle.k - 1)), Numbers("bit", 2)]


def _draw_coefficient(oracle: Stated, value: Items, draws: Draws) -> Row:
    coefficient = draws.uniform_below(len(oracle.sets) * (2**oracle.k - 1))
    table, number = divmod(coefficient, 2**oracle.k - 1)
    cell = cell_of(oracle.domains, oracle.sets[table], value)
    return {"coefficient": coefficient, "bit": parity(cell & number + 1) ^ draws.bernoulli(oracle.turned)}


def functions_of(oracle: Stated) -> list[Stated]:
    """Return the functions of each attribute."""
    by_items = {functions.items: functions for functions in oracle.functions}
    return [by_items[items] for items in oracle.domains]


def starts_of(oracle: Stated) -> list[int]:
    """Return the first coefficient of each set of attributes, and then the number of all coefficients."""
    counts = [len(functions.weights) for functions in functions_of(oracle)]
    return list(accumulate((prod(counts[i] for i in subset) for subset in oracle.sets), initial=0))


def _draw_product(oracle: Stated, value: Items, draws: Draws) -> Row:
    """Choose a set, for each of its attributes a function and then a sign, and turn the product of the signs over."""
    functions, branch, place, minus = functions_of(oracle), draws.choose(oracle.weights), 0, 0
    for i in oracle.sets[branch]:
        chosen = draws.choose(functions[i].weights)
        mean = Fraction(functions[i].numerators[chosen][value[i]], functions[i].denominator)
        minus ^= draws.bernoulli((1 - mean) / 2)
        place = place * len(functions[i].weights) + chosen
    return {"report": 2 * (starts_of(oracle)[branch] + place) + (minus ^ draws.bernoulli(oracle.turned))}


def by_name(sections: dict[str, Entry]) -> dict[str, Entry]:
    """Return what sections that are headed by several names have, by each name."""
    return {name: entry for names, entry in sections.items() for name in names.split(", ")}


CLIENTS = by_name(
    {
        "grr": Client(lambda oracle: [Numbers("item", oracle.k)], _draw_answer),
        "sue, oue, rappor, oue-z": Client(lambda oracle: [Bits("bits", oracle.k)], _draw_bits),
        "ss": Client(lambda oracle: [Bits("bits", oracle.k, ones=oracle.size)], _draw_subset),
        "blh, olh, hrr": Client(_columns_hashed, _draw_hashed),
        "hcms": Client(
            lambda oracle: [Numbers("hash", oracle.hashes), Numbers("place", oracle.width), Numbers("bit", 2)],
            _draw_sketched,
        ),
        "dbitflip": Client(_columns_some_bits, _draw_some_bits),
        "designed": Client(lambda oracle: [Numbers("item", oracle.k)], _draw_designed),
        "workload-design": Client(lambda oracle: [Numbers("row", len(oracle.rows))], _draw_row),
        "onebitmean": Client(lambda oracle: [Numbers("bit", 2)], _draw_mean),
        "hh": _levels(lambda oracle, level, value: value // level.items),
        "haar": _levels(lambda oracle, level, value: value // level.half),
        "hh2": _levels(_node_of_pair),
        "haar2": _levels(_half_of_pair),
        "signed-hrr": Client(lambda oracle: [Numbers("report", oracle.k)], _draw_signed),
        "spl": Client(_columns_of_all, _draw_all),
        "smp": _drawing("attribute", 0, _attributes),
        "rs+fd": Client(_columns_of_all, _draw_fakes),
        "inprr:sue, inprr:oue, inpps, inpolh, inphtcms": Client(
            lambda oracle: columns_of(oracle.combinations), _draw_joint
        ),
        "inpem": Client(lambda oracle: [Bits("bits", len(oracle.domains))], _draw_turned),
        "margrr:sue, margrr, margps, calm": _drawing("set", 0, _tables),
        "marght": Client(_columns_coefficient, _draw_coefficient),
        "inpht, inpes": Client(lambda oracle: [Numbers("report", 2 * starts_of(oracle)[-1])], _draw_product),
    }
)
"""By the names of oracles: also of `signed-hrr` and `oue-z`, which are parts of others alone."""
