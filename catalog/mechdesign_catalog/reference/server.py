"""Estimate exactly from reports, by what a task's document states and the rules of REPORTS.md.

Estimates are rationals, without bias: those of all items; of several attributes those of the cells of each raw table.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from operator import getitem
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.reference.client import (
    Items,
    Stated,
    bucket_of,
    by_name,
    cell_of,
    columns_of,
    combined_word,
    functions_of,
    parity,
    starts_of,
    tables_of,
)
from mechdesign_catalog.reference.columns import ByteStrings, Row, read_message, unpacked_bits

Rationals = list[Fraction]
Tables = list[Rationals]
Rows = Sequence[Row]
Server = Callable[[Stated, Rows], Any]


def exact_estimates(oracle: Stated, rows: Rows) -> Any:
    """Estimate the share of each item, or of each cell of each table; of numbers, their mean.

    Args:
        oracle: what the document of a task states.
        rows: reports as a client makes them, at least one.

    Raises:
        NoAnswerError: where a level, an attribute, a set or a coefficient has no report, or where reports do not tell
            all items apart.
    """
    return SERVERS[oracle.oracle](oracle, rows)


# Oracles of one item.


def _pure(supports: Callable[[Stated, Row], Iterable[int]]) -> Server:
    """Return the server that counts the reports which support an item."""

    def estimates(oracle: Stated, rows: Rows) -> Rationals:
        sums = [sum(of_item) for of_item in zip(*(supports(oracle, row) for row in rows), strict=True)]
        return _rescaled(oracle, sums, [len(rows)] * len(sums), len(rows))

    return estimates


def _rescaled(oracle: Stated, sums: Iterable[int], asked: Iterable[int], users: int) -> Rationals:
    """Return `(S_v / n - q) / (p - q)`, or with `q A_v / n` for q where A_v users were asked about v."""
    scale = 1 / (users * (oracle.p - oracle.q))
    return [scale * (found - oracle.q * count) for found, count in zip(sums, asked, strict=True)]


def _support_of_answer(oracle: Stated, row: Row) -> list[int]:
    return [int(item == row["item"]) for item in range(oracle.k)]


def _support_of_bits(oracle: Stated, row: Row) -> list[int]:
    return unpacked_bits(row["bits"], oracle.k)


def _support_of_hash(oracle: Stated, row: Row) -> list[int]:
    return [int(bucket_of(oracle, item, row["coefficients"]) == row["bucket"]) for item in range(oracle.k)]


def _support_of_sketch(oracle: Stated, row: Row) -> list[int]:
    word = combined_word(oracle, row["hash"], row["place"])
    return [int(parity(word & item) == row["bit"]) for item in range(oracle.k)]


def _from_some_bits(oracle: Stated, rows: Rows) -> Rationals:
    sums, asked = [0] * oracle.k, [0] * oracle.k
    for row in rows:
        buckets = row.get("buckets", range(oracle.k))
        for bucket, bit in zip(buckets, unpacked_bits(row["bits"], oracle.d), strict=True):
            sums[bucket] += bit
            asked[bucket] += 1
    return [Fraction(oracle.k, oracle.d) * share for share in _rescaled(oracle, sums, asked, len(rows))]


def _shares(rows: Rows, column: str, count: int) -> Rationals:
    told = [row[column] for row in rows]
    return [Fraction(told.count(number), len(rows)) for number in range(count)]


def _from_design(oracle: Stated, rows: Rows) -> Rationals:
    return solve(_as_flint(oracle.weights), [oracle.denominator * share for share in _shares(rows, "item", oracle.k)])


def _from_rows(oracle: Stated, rows: Rows) -> Rationals:
    """Solve A f = b, sums over the rows r: `A = weight r r' / (denominator m)`, `b = share r / m`, m the mean of r."""
    entries = {"0": Fraction(1), "1": 1 / oracle.alpha}
    rows_of_numbers = [[entries[letter] for letter in row] for row in oracle.rows]
    means = [_sum_product(oracle.prior, row) / sum(oracle.prior) for row in rows_of_numbers]
    weights = [weight / (oracle.denominator * mean) for weight, mean in zip(oracle.weights, means, strict=True)]
    shares = [share / mean for share, mean in zip(_shares(rows, "row", len(means)), means, strict=True)]
    columns = list(zip(*rows_of_numbers, strict=True))
    weighed = [[one * weight for one, weight in zip(column, weights, strict=True)] for column in columns]
    matrix = _as_flint(weighed) * _as_flint(rows_of_numbers)
    return solve(matrix, [_sum_product(shares, column) for column in columns])


def _sum_product(weights: Iterable[int | Fraction], values: Iterable[int | Fraction]) -> Fraction:
    return Fraction(sum(weight * value for weight, value in zip(weights, values, strict=True)))


def _mean_of_numbers(oracle: Stated, rows: Rows) -> Rationals:
    ones = sum(row["bit"] for row in rows)
    return [oracle.maximum * mean for mean in _rescaled(oracle, [ones], [len(rows)], len(rows))]


# Oracles that draw one of several parts: each part estimates from its own reports.


def _by_part(oracle: Stated, parts: Sequence[Stated], rows: Rows) -> tuple[list[int], list[Rationals]]:
    """Return the users of each part, and what it estimates: nothing where it has none."""
    strings = columns_of(oracle)[-1]
    assert isinstance(strings, ByteStrings)
    own: list[list[Row]] = [[] for _ in parts]
    for row in rows:
        chosen = strings.chosen(row)
        own[chosen].append(read_message(strings.parts[chosen], row["report"]))
    estimates = [exact_estimates(part, of_part) if of_part else [] for part, of_part in zip(parts, own, strict=True)]
    return list(map(len, own)), estimates


def _require_all(users: Sequence[int], name: str, first: int = 0) -> None:
    if 0 in users:
        raise NoAnswerError(f"each {name} must have a report, got none of {name} {first + users.index(0)}")


def _levels(items: Callable[[Stated, Sequence[Rationals]], Rationals]) -> Server:
    """Return the server that estimates each level by itself, and items from all levels."""

    def estimates(oracle: Stated, rows: Rows) -> Rationals:
        users, levels = _by_part(oracle, oracle.levels, rows)
        _require_all(users, "level", first=1)
        return items(oracle, levels)

    return estimates


def _weighed_levels(oracle: Stated, levels: Sequence[Rationals]) -> Iterable[tuple[Stated, Fraction, int, Fraction]]:
    """List all nodes: the level, what it weighs (its chance over the variance of its nodes), the node, its estimate."""
    total = sum(level.weight for level in oracle.levels)
    for level, shares in zip(oracle.levels, levels, strict=True):
        for node, share in enumerate(shares):
            yield level, level.weight / (total * level.variance), node, share


def _items_of_tree(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Take the last level, or with `ci` the least squares of all nodes."""
    if oracle.estimate == "raw":
        return levels[-1]
    return least_squares(
        oracle.k,
        [
            Measured(weight, range(node * level.items, min(node * level.items + level.items, oracle.k)), share)
            for level, weight, node, share in _weighed_levels(oracle, levels)
        ],
    )


def _items_of_trees(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Take the least squares of all nodes over the leaves of both trees, and give padding to the items."""
    sizes = [sorted({level.items[side] for level in oracle.levels}) for side in (0, 1)]
    width, measured = sizes[1][-1], []
    for level, weight, node, share in _weighed_levels(oracle, levels):
        (height, across), (row, column) = level.items, divmod(node, level.columns)
        members = [
            a * width + b + column * across for a in range(row * height, (row + 1) * height) for b in range(across)
        ]
        measured.append(Measured(weight, members, share))
    return _of_pairs(oracle, sizes, _rows_of(least_squares(sizes[0][-1] * width, measured), width))


def _items_of_halves(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Halve each node by its difference, from 1 for all items down to the leaves, and give padding to the items."""
    sizes = [1 << height for height in range(len(levels) + 1)]
    return _without_padding(oracle.k, sizes, _halved([Fraction(1)], levels))


def _items_of_quarters(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Halve along the columns for the whole of the rows and each half of them, then along the rows."""
    known = {tuple(level.half): shares for level, shares in zip(oracle.levels, levels, strict=True)}
    known[0, 0] = [Fraction(1)]
    halves = [sorted({half[side] for half in known} - {0}, reverse=True) for side in (0, 1)]
    grids = []
    for half in (0, *halves[0]):
        places = halves[0][0] // half if half else 1
        numbers = [known[half, other] for other in (0, *halves[1])]
        rows = zip(*(_rows_of(own, len(own) // places) for own in numbers), strict=True)
        grids.append([_halved(whole, differences) for whole, *differences in rows])
    columns = zip(*(zip(*grid, strict=True) for grid in grids), strict=True)
    leaves = [_halved(whole, differences) for whole, *differences in columns]
    sizes = [[1, *(2 * half for half in reversed(own))] for own in halves]
    return _of_pairs(oracle, sizes, list(zip(*leaves, strict=True)))


def _rows_of(numbers: Rationals, width: int) -> list[Rationals]:
    return [numbers[start : start + width] for start in range(0, len(numbers), width)]


def _halved(shares: Sequence[Fraction], differences: Iterable[Sequence[Fraction]]) -> Rationals:
    """Part the shares of nodes by the differences of their halves, the largest nodes first."""
    for of_level in differences:
        nodes = zip(shares, of_level, strict=True)
        shares = [half for share, other in nodes for half in ((share + other) / 2, (share - other) / 2)]
    return list(shares)


def _of_pairs(oracle: Stated, sizes: Sequence[Items], leaves: Sequence[Sequence[Fraction]]) -> Rationals:
    """Give padding to the items along the rows, and then along the columns."""
    rows, columns = oracle.sides
    by_column = zip(*(_without_padding(columns, sizes[1], row) for row in leaves), strict=True)
    grid = [_without_padding(rows, sizes[0], column) for column in by_column]
    return [share for row in zip(*grid, strict=True) for share in row]


def _without_padding(items: int, sizes: Items, leaves: Sequence[Fraction]) -> Rationals:
    """Give what is estimated for padding to the items beside it; `sizes` are those of nodes, leaves first.

    From the root down, on the way to the last item: what a node's children without items have, and what was carried
    from above, is shared evenly among its children with items.
    """
    found = list(leaves[:items])
    start, carried = 0, Fraction(0)
    for size, larger in reversed(list(pairwise(sizes))):
        last = (items - 1) // size * size
        children = (last - start) // size + 1
        carried = (carried + sum(leaves[start + children * size : start + larger])) / children
        for place in range(start, last):
            found[place] += carried / size
        start = last
    found[-1] += carried
    return found


def _from_signs(oracle: Stated, rows: Rows) -> Rationals:
    """Estimate for each place the share of users with plus there, less that of those with minus."""
    sums = [0] * (oracle.k // 2)
    for row in rows:
        word, minus = divmod(row["report"], 2)
        sums[word] += 1 - 2 * minus
    return [_signed_sum(sums, place) / (len(rows) * (1 - 2 * oracle.turned)) for place in range(len(sums))]


def _signed_sum(numbers: Sequence[int | Fraction], place: int) -> Fraction:
    """Sum numbers, with the sign -1 where the parity of the number's place and the given place is 1."""
    return _sum_product((1 - 2 * parity(at & place) for at in range(len(numbers))), numbers)


# Oracles of several attributes: a table for each attribute, or for each set of k.


def _from_all(oracle: Stated, rows: Rows) -> Tables:
    """Estimate each attribute by its oracle; where reports may be fakes, by p and q of a report that may be one."""
    tables = []
    for number, part in enumerate(oracle.attributes, start=1):
        own = [{column.name: row[f"{column.name}_{number}"] for column in columns_of(part)} for row in rows]
        mixed = vars(part.mixed) if hasattr(part, "mixed") else {}
        tables.append(exact_estimates(Stated(**{**vars(part), **mixed}), own))
    return tables


def _from_one_each(oracle: Stated, rows: Rows) -> Tables:
    users, tables = _by_part(oracle, oracle.attributes, rows)
    _require_all(users, "attribute")
    return tables


def _subsets(oracle: Stated) -> list[tuple[int, ...]]:
    return list(combinations(range(len(oracle.domains)), oracle.k))


def _cells(domains: Items, subset: Items) -> Iterable[tuple[int, ...]]:
    """List the items of each cell of a table, the last attribute changing fastest."""
    return product(*(range(domains[i]) for i in subset))


def _summed(domains: Items, table: Rationals, whole: Items, part: Items) -> Rationals:
    """Sum a table of some attributes to that of a part of them."""
    cells = dict.fromkeys(_cells(domains, part), Fraction(0))
    for items, share in zip(_cells(domains, whole), table, strict=True):
        cells[tuple(item for i, item in zip(whole, items, strict=True) if i in part)] += share
    return list(cells.values())


def _from_joint(oracle: Stated, rows: Rows) -> Tables:
    joint = exact_estimates(oracle.combinations, rows)
    return [_summed(oracle.domains, joint, range(len(oracle.domains)), subset) for subset in _subsets(oracle)]


def _from_sets(oracle: Stated, rows: Rows) -> Tables:
    """Average the tables of the sets that contain a table's attributes: by users times precision, over their cells."""
    parts = tables_of(oracle)
    users, tables = _by_part(oracle, parts, rows)
    found = []
    for subset in _subsets(oracle):
        weights, told = [], []
        for own, part, count, table in zip(oracle.sets, parts, users, tables, strict=True):
            if count and set(subset) <= set(own):
                weights.append(count * part.precision / part.k)
                told.append(_summed(oracle.domains, table, own, subset))
        if not told:
            raise NoAnswerError(f"the table of attributes {subset} must have a report, got none")
        found.append([_sum_product(weights, of_cell) / sum(weights) for of_cell in zip(*told, strict=True)])
    return found


def _from_coefficients(oracle: Stated, rows: Rows) -> Tables:
    unknown = 2**oracle.k - 1
    signs: list[list[int]] = [[] for _ in range(len(oracle.sets) * unknown)]
    for row in rows:
        signs[row["coefficient"]].append(1 - 2 * row["bit"])
    _require_all(list(map(len, signs)), "coefficient")
    means = [Fraction(sum(own), len(own)) / (1 - 2 * oracle.turned) for own in signs]
    return [_table_of_means([Fraction(1), *own]) for own in _rows_of(means, unknown)]


def _table_of_means(means: Rationals) -> Rationals:
    """Return the cells of a table of attributes with two items from the means of its coefficients, the first one 1."""
    return [_signed_sum(means, cell) / len(means) for cell in range(len(means))]


def _from_turned(oracle: Stated, rows: Rows) -> Tables:
    """Estimate the coefficients of each table, by the cells of the turned bits; one of more bits was turned more."""
    bits = [unpacked_bits(row["bits"], len(oracle.domains)) for row in rows]
    found = []
    for subset in _subsets(oracle):
        cells = [cell_of(oracle.domains, subset, own) for own in bits]
        counts = [Fraction(cells.count(cell), len(rows)) for cell in range(1 << oracle.k)]
        means = [_signed_sum(counts, a) / (1 - 2 * oracle.turned) ** a.bit_count() for a in range(1 << oracle.k)]
        found.append(_table_of_means(means))
    return found


def _from_products(oracle: Stated, rows: Rows) -> Tables:
    """Undo each attribute's functions on the means of all coefficients of a table."""
    means, decodings = _means(oracle, rows), [_decoding(functions) for functions in functions_of(oracle)]
    found = []
    for subset in _subsets(oracle):
        choices = list(product(*(range(len(decodings[i][0])) for i in subset)))
        told = [means[tuple((i, one) for i, one in zip(subset, chosen, strict=True) if one)] for chosen in choices]
        table = []
        for cell in _cells(oracle.domains, subset):
            own = [decodings[i][item] for i, item in zip(subset, cell, strict=True)]
            table.append(_sum_product(told, (prod(map(getitem, own, chosen), start=Fraction(1)) for chosen in choices)))
        found.append(table)
    return found


def _means(oracle: Stated, rows: Rows) -> dict[tuple[tuple[int, int], ...], Fraction]:
    """Estimate the mean of each coefficient: by its attributes, with the numbers of their functions from 1."""
    functions, starts = functions_of(oracle), starts_of(oracle)
    users, signs = [0] * len(oracle.sets), [0] * starts[-1]
    for row in rows:
        coefficient, minus = divmod(row["report"], 2)
        signs[coefficient] += 1 - 2 * minus
        users[bisect_right(starts, coefficient) - 1] += 1
    _require_all(users, "set")
    means: dict[tuple[tuple[int, int], ...], Fraction] = {(): Fraction(1)}
    every = iter(signs)
    for subset, count in zip(oracle.sets, users, strict=True):
        for chosen in product(*(range(len(functions[i].weights)) for i in subset)):
            pairs = list(zip(subset, chosen, strict=True))
            chance = prod(Fraction(functions[i].weights[one], sum(functions[i].weights)) for i, one in pairs)
            mean = Fraction(next(every), count) / ((1 - 2 * oracle.turned) * chance)
            means[tuple((i, one + 1) for i, one in pairs)] = mean
    return means


def _decoding(functions: Stated) -> list[Rationals]:
    """Return for each item what the means of the constant 1 and of all functions count in its share."""
    items, one = functions.items, functions.denominator
    rows = [[one] * items, *functions.numerators]
    if len(rows) > items:
        return [[Fraction(row[item], one * len(rows)) for row in rows] for item in range(items)]
    columns = [solve(_as_flint(rows), [one * (row == own) for row in range(items)]) for own in range(items)]
    return [list(of_item) for of_item in zip(*columns, strict=True)]


# Exact linear algebra.


def solve(matrix: fmpq_mat, right: Sequence[int | Fraction]) -> Rationals:
    """Solve a square system.

    Raises:
        NoAnswerError: where it has not one solution.
    """
    try:
        solved = matrix.solve(_as_flint([[value] for value in right]))
    except ZeroDivisionError:
        raise NoAnswerError("reports must tell the share of each item, got items that they do not tell apart") from None
    return [Fraction(int(solved[row, 0].p), int(solved[row, 0].q)) for row in range(len(right))]


def _as_flint(matrix: Sequence[Sequence[int | Fraction]]) -> fmpq_mat:
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in matrix])


class Measured(NamedTuple):
    """An estimate of what some of the unknowns add up to, and what it weighs."""

    weight: Fraction
    members: Collection[int]
    value: Fraction


def least_squares(unknowns: int, measured: Sequence[Measured]) -> Rationals:
    """Minimise `sum weight (sum of members - value)^2` over unknowns that add up to 1.

    By the normal equations, with one more unknown for the total (Lagrange's multiplier).
    """
    matrix = [[Fraction(0)] * unknowns + [Fraction(1)] for _ in range(unknowns)]
    right = [Fraction(0)] * unknowns
    for weight, members, value in measured:
        for one in members:
            right[one] += weight * value
            for other in members:
                matrix[one][other] += weight
    return solve(_as_flint([*matrix, [1] * unknowns + [0]]), [*right, 1])[:unknowns]


SERVERS: dict[str, Server] = by_name(
    {
        "grr": _pure(_support_of_answer),
        "sue, oue, rappor, oue-z, ss": _pure(_support_of_bits),
        "blh, olh, hrr": _pure(_support_of_hash),
        "hcms": _pure(_support_of_sketch),
        "dbitflip": _from_some_bits,
        "designed": _from_design,
        "workload-design": _from_rows,
        "onebitmean": _mean_of_numbers,
        "hh": _levels(_items_of_tree),
        "haar": _levels(_items_of_halves),
        "hh2": _levels(_items_of_trees),
        "haar2": _levels(_items_of_quarters),
        "signed-hrr": _from_signs,
        "spl, rs+fd": _from_all,
        "smp": _from_one_each,
        "inprr:sue, inprr:oue, inpps, inpolh, inphtcms": _from_joint,
        "inpem": _from_turned,
        "margrr:sue, margrr, margps, calm": _from_sets,
        "marght": _from_coefficients,
        "inpht, inpes": _from_products,
    }
)
"""By the names of oracles, as `CLIENTS`."""
