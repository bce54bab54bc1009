"""Systems of the reference: reports and exact estimates by a task's document.

They need the rules of REPORTS.md and nothing else.

A system is a kind of one item (`leaves`), or made of others: a part is drawn in public and reported through, all parts
stand side by side, or all items are reported as one. Estimates are rationals, without bias: those of all items; of
several attributes those of the cells of each raw table.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product
from math import prod
from operator import getitem, itemgetter
from typing import Any, NamedTuple

from mechdesign.errors import InputError, NoAnswerError, shorten
from mechdesign_catalog.reference.algebra import Measured, Rationals, as_flint, least_squares, solve, sum_product
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.columns import (
    Bits,
    ByteStrings,
    Column,
    Numbers,
    Row,
    packed_bits,
    read_message,
    unpacked_bits,
    written_message,
)
from mechdesign_catalog.reference.leaves import (
    LEAVES,
    Kind,
    Rows,
    draw_bits,
    label_of,
    row_of,
    shifts_of,
    sign,
    signed_sum,
)
from mechdesign_catalog.reference.stated import (
    Items,
    Stated,
    cell_of,
    functions_of,
    parity,
    require_value,
    starts_of,
    tables_of,
)

Tables = list[Rationals]


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
    require_value(oracle, value)
    return kind_of(oracle).draw(oracle, value, draws)


def columns_of(oracle: Stated) -> list[Column]:
    """Return the columns of an oracle's reports, in order."""
    return kind_of(oracle).columns(oracle)


def exact_estimates(oracle: Stated, rows: Rows) -> Any:
    """Estimate the share of each item, or of each cell of each table; of numbers, their mean.

    Args:
        oracle: what the document of a task states.
        rows: reports as a client makes them, at least one.

    Raises:
        NoAnswerError: where a level, an attribute, a set or a coefficient has no report, or where reports do not tell
            all items apart.
    """
    return kind_of(oracle).estimates(oracle, rows)


def kind_of(oracle: Stated) -> Kind:
    """Return the kind of an oracle, by its name.

    Raises:
        InputError: for one that REPORTS.md does not describe.
    """
    if oracle.oracle not in KINDS:
        raise InputError(f"oracle must be one that REPORTS.md describes, got {shorten(oracle.oracle)}")
    return KINDS[oracle.oracle]


# One of several parts is drawn, in public, and reported through: a level, an attribute, or a set of attributes.


class Part(NamedTuple):
    """A part: how often it is drawn, what is stated of it, and which of its items the user has."""

    weight: int
    oracle: Stated
    item: Callable[[Any], int]


def mixture(
    column: str,
    first: int,
    parts: Callable[[Stated], list[Part]],
    estimates: Callable[[Stated, Sequence[int], list[Rationals]], Any],
) -> Kind:
    """Return the kind whose reports are the number of a part, from `first` on, and a message of it.

    Each part estimates from its own reports, and nothing where it has none; the users of all are counted.
    """

    def columns(oracle: Stated) -> list[Column]:
        inner = [columns_of(part.oracle) for part in parts(oracle)]
        number = Numbers(column, first + len(inner), first=first)
        return [number, ByteStrings("report", number, inner)]

    def draw(oracle: Stated, value: Any, draws: Draws) -> Row:
        every = parts(oracle)
        number = draws.choose([part.weight for part in every])
        _, chosen, item = every[number]
        message = written_message(columns_of(chosen), kind_of(chosen).draw(chosen, item(value), draws))
        return {column: first + number, "report": message}

    def of_parts(oracle: Stated, rows: Rows) -> Any:
        every = parts(oracle)
        own: list[list[Row]] = [[] for _ in every]
        for row in rows:
            chosen = row[column] - first
            own[chosen].append(read_message(columns_of(every[chosen].oracle), row["report"]))
        told = [
            exact_estimates(part.oracle, of_part) if of_part else [] for part, of_part in zip(every, own, strict=True)
        ]
        return estimates(oracle, list(map(len, own)), told)

    return Kind(columns, draw, of_parts)


def _require_all(users: Sequence[int], name: str, first: int = 0) -> None:
    if 0 in users:
        raise NoAnswerError(f"each {name} must have a report, got none of {name} {first + users.index(0)}")


def levels(node: Callable[[Stated, Stated, int], int], items: Callable[[Stated, list[Rationals]], Rationals]) -> Kind:
    """Return the kind whose parts are levels, of which a user has a node, and that estimates items from all of them."""

    def parts(oracle: Stated) -> list[Part]:
        return [Part(level.weight, level, partial(node, oracle, level)) for level in oracle.levels]

    def estimates(oracle: Stated, users: Sequence[int], told: list[Rationals]) -> Rationals:
        _require_all(users, "level", first=1)
        return items(oracle, told)

    return mixture("level", 1, parts, estimates)


def _partitions(oracle: Stated) -> list[tuple[Stated, int]]:
    """List the partitions of all levels, with their shifts."""
    return [(level, shift) for level in oracle.levels for shift in range(level.shifts)]


def _cell(oracle: Stated, level: Stated, shift: int, value: int) -> int:
    """Find the cell of an item; of a nested level its label, which counts from the first item of the wide cell."""
    if level.oracle != "nested-masks":
        return _block(oracle, level, shift, value)
    wide = Stated(blocks=level.cells - 1, densities=level.wide.densities, shifts=level.shifts)
    own, bits = _block(oracle, wide, shift, value), int(level.label_bits)
    first = next(item for item in range(value + 1) if _block(oracle, wide, shift, item) == own)
    return (own << bits) + _block(oracle, level, shift, value) - _block(oracle, level, shift, first)


def _block(oracle: Stated, level: Stated, shift: int, value: int) -> int:
    """Find the block of an item: by the densities of all items before it, and half of its own."""
    if not level.densities:
        return value
    stretches = zip(level.densities, pairwise(oracle.starts), strict=True)
    densities = [density for density, ends in stretches for _ in range(*ends)]
    place = Fraction(2 * sum(densities[:value]) + densities[value], 2 * sum(densities))
    return int(level.blocks * place + Fraction(2 * shift + 1, 2 * level.shifts))


def _parts_of_partitions(oracle: Stated) -> list[Part]:
    return [Part(level.weight, level, partial(_cell, oracle, level, shift)) for level, shift in _partitions(oracle)]


def _items_of_partitions(oracle: Stated, users: Sequence[int], told: list[Rationals]) -> Rationals:
    """Solve the equations that pool all partitions: a row for each item, with one unknown more, and the total."""
    k, every = oracle.k, _partitions(oracle)
    total = sum(level.weight for level, _ in every)
    matrix, right = [[Fraction(0)] * k for _ in range(k)], [Fraction(0)] * k
    for (level, shift), count, estimates in zip(every, users, told, strict=True):
        cells, chance = [_cell(oracle, level, shift, item) for item in range(k)], Fraction(level.weight, total)
        shares = [Fraction(cells.count(cell), k) for cell in range(level.k)]
        matrix_of_cells = _weights_of_cells(level, shares)
        part = Fraction(count, sum(users))
        cells_told = _told_of_cells(level, estimates) if count else shares
        wanted = [
            chance * share + part * (estimate - share) for share, estimate in zip(shares, cells_told, strict=True)
        ]
        for item, cell in enumerate(cells):
            right[item] += sum_product(matrix_of_cells[cell], wanted)
            for other, its_cell in enumerate(cells):
                matrix[item][other] += chance * matrix_of_cells[cell][its_cell]
    rows = [[*row, Fraction(1)] for row in matrix]
    return solve(as_flint([*rows, [1] * k + [0]]), [*right, 1])[:k]


def _told_of_cells(level: Stated, estimates: Rationals) -> Rationals:
    """Estimate the shares of cells: of masks, from the shares of the reports that hold them."""
    if level.oracle == "nested-masks":
        return _told_of_labels(level, estimates)
    if level.oracle != "masked-blocks":
        return estimates
    other = _other(level, level.k)
    return [(share - other) / (level.held - other) for share in estimates]


def _other(level: Stated, labels: int) -> Fraction:
    """Compute the chance that a report holds another label of the own cell."""
    rest: Fraction = level.below * Fraction(labels, 1 << level.masks) - level.held
    return rest / (labels - 1)


def _told_of_labels(level: Stated, estimates: Rationals) -> Rationals:
    """Estimate the shares of labels from the shares of the reports that hold them, with those of all of a wide cell."""
    labels, found = level.k // level.cells, []
    elsewhere = (1 - level.named) / (level.cells - 1) * Fraction(level.below, 1 << level.masks)
    same, own = level.named * _other(level, labels), level.named * level.held
    for of_cell in _rows_of([share - elsewhere for share in estimates], labels):
        whole = sum(of_cell) / (own - same + labels * (same - elsewhere))
        found += [(share - (same - elsewhere) * whole) / (own - same) for share in of_cell]
    return found


def _weights_of_cells(level: Stated, shares: Rationals) -> list[Rationals]:
    """Return the matrix G of a level's cells with these shares."""
    if level.oracle != "nested-masks":
        return _inverse_covariance(level, shares)
    rows, size = _rows_of(shares, level.k // level.cells), level.k // level.cells
    wide = [sum(row, Fraction(0)) for row in rows]
    odds = level.named * (level.cells - 1) / (1 - level.named)
    found = [[one for one in row for _ in range(size)] for row in _inverse_covariance(level.wide, wide)]
    found = [list(row) for row in found for _ in range(size)]
    for cell, (own, whole) in enumerate(zip(rows, wide, strict=True)):
        named = (1 + (odds - 1) * whole) / (odds + level.cells - 1)
        total = (odds + level.cells - 1) * named
        heard = [(odds * share + (1 - whole) / size) / total for share in own]
        inner, pulls = _inverse_covariance(level, heard), [Fraction(1, size) + (odds - 1) * share for share in heard]
        pulled = [sum_product(pulls, row) for row in inner]
        for i, j in product(range(size), repeat=2):
            both = odds * odds * inner[i][j] - odds * (pulled[i] + pulled[j]) + sum_product(pulls, pulled)
            found[cell * size + i][cell * size + j] += both * named / total**2
    return found


def _inverse_covariance(level: Stated, shares: Rationals) -> list[Rationals]:
    """Return an inverse of the covariance of the scores of cells with these shares."""
    cells = len(shares)
    sizes = [level.base + level.slope * share for share in shares]
    moved = [share - Fraction(1, cells) for share in shares]
    leans = [one / size for one, size in zip(moved, sizes, strict=True)]
    excess = level.slope**2 / (cells * level.base + level.slope) - 1
    pull = excess / (1 + excess * sum_product(leans, moved))
    return [
        [(1 / size if row == column else 0) - pull * one * other for column, other in enumerate(leans)]
        for row, (one, size) in enumerate(zip(leans, sizes, strict=True))
    ]


def _node_of_pair(oracle: Stated, level: Stated, value: int) -> int:
    row, column = divmod(value, oracle.sides[1])
    return int(row // level.items[0] * level.columns + column // level.items[1])


def _half_of_pair(oracle: Stated, level: Stated, value: int) -> int:
    """Number the places of both sides, and the sign: of a side that is taken whole both are 0."""
    sides = zip(divmod(value, oracle.sides[1]), level.half, strict=True)
    one, other = (item // half if half else 0 for item, half in sides)
    return int(2 * (one // 2 * level.columns + other // 2) + (one + other) % 2)


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


def _pooled(oracle: Stated, levels: Sequence[Rationals], size: int) -> tuple[Rationals, Rationals]:
    """Return b, and A between place 0 and each place, of the equations `A f = b` of levels at all shifts."""
    total = sum(level.weight for level in oracle.levels)
    right, matrix = [Fraction(0)] * size, [Fraction(0)] * size
    for level, told in zip(oracle.levels, levels, strict=True):
        factor = Fraction(level.weight, total) * level.scale
        right = [one + factor * share for one, share in zip(right, told, strict=True)]
        both = _held_together(level)
        matrix = [one + factor * level.pull * count for one, count in zip(matrix, both, strict=True)]
    return right, matrix


def _solved(right: Rationals, rows: list[Rationals]) -> Rationals:
    """Solve `A f = b - the mean of b` for f of sum 0, and add 1 over their number."""
    size = len(right)
    mean = sum(right, Fraction(0)) / size
    of_all = [[Fraction(one + 1) for one in row] for row in rows]  # 1 takes the place of a sum of 0
    return [share + Fraction(1, size) for share in solve(as_flint(of_all), [one - mean for one in right])]


def _items_of_circle(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Solve the equations on the circle, and give padding to the first and last item."""
    size = oracle.places
    right, matrix = _pooled(oracle, levels, size)
    found = _solved(right, [[matrix[(u - v) % size] for v in range(size)] for u in range(size)])
    padding = size - oracle.k
    for step, share in enumerate(found[oracle.k :], start=1):
        found[0] += share * Fraction(step, padding + 1)
        found[oracle.k - 1] += share * (1 - Fraction(step, padding + 1))
    return found[: oracle.k]


def _items_of_torus(oracle: Stated, levels: Sequence[Rationals]) -> Rationals:
    """Solve the equations on the torus, where two places are as far apart as their rows and their columns are."""
    (rows, columns), places = oracle.sides, list(product(*map(range, oracle.sides)))
    right, matrix = _pooled(oracle, levels, oracle.k)
    return _solved(
        right, [[matrix[(a - c) % rows * columns + (b - d) % columns] for c, d in places] for a, b in places]
    )


def _held_together(level: Stated) -> list[int]:
    """Count the starts of rows that hold both place 0 and each place; of blocks the shifts with both in one."""
    if level.oracle == "rotated-cells":
        row = set(row_of(level))
        return [sum((one + apart) % level.k in row for one in row) for apart in range(level.k)]
    every = range(shifts_of(level))
    own = [label_of(level, shift, 0) for shift in every]
    return [sum(label_of(level, shift, place) == own[shift] for shift in every) for place in range(level.k)]


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


# All attributes side by side, each through a part; or one that is told among fakes.


def side_by_side(draw: Callable[[Stated, Items, Draws], Iterable[Row]]) -> Kind:
    """Return the kind whose reports are one of each attribute, and that estimates each from its own.

    Where reports may be fakes, p and q are those of a report that may be one.
    """

    def columns(oracle: Stated) -> list[Column]:
        numbered = enumerate(oracle.attributes, start=1)
        return [replace(column, name=f"{column.name}_{j}") for j, part in numbered for column in columns_of(part)]

    def drawn(oracle: Stated, value: Items, draws: Draws) -> Row:
        rows = enumerate(draw(oracle, value, draws), start=1)
        return {f"{name}_{number}": cell for number, row in rows for name, cell in row.items()}

    def estimates(oracle: Stated, rows: Rows) -> Tables:
        tables = []
        for number, part in enumerate(oracle.attributes, start=1):
            own = [{column.name: row[f"{column.name}_{number}"] for column in columns_of(part)} for row in rows]
            mixed = vars(part.mixed) if hasattr(part, "mixed") else {}
            tables.append(exact_estimates(Stated(**{**vars(part), **mixed}), own))
        return tables

    return Kind(columns, drawn, estimates)


def _draw_all(oracle: Stated, value: Items, draws: Draws) -> Iterable[Row]:
    return (kind_of(part).draw(part, item, draws) for part, item in zip(oracle.attributes, value, strict=True))


def _draw_among_fakes(oracle: Stated, value: Items, draws: Draws) -> Iterable[Row]:
    """Draw the attribute that is told; what all others report is fake."""
    told = draws.uniform_below(len(value))
    for attribute, part in enumerate(oracle.attributes):
        yield kind_of(part).draw(part, value[attribute], draws) if attribute == told else _draw_fake(part, draws)


def _draw_fake(oracle: Stated, draws: Draws) -> Row:
    return {"item": draws.uniform_below(oracle.k)} if oracle.oracle == "grr" else draw_bits(oracle, None, draws)


def _attributes(oracle: Stated) -> list[Part]:
    return [Part(1, part, itemgetter(attribute)) for attribute, part in enumerate(oracle.attributes)]


def _of_attributes(oracle: Stated, users: Sequence[int], tables: Tables) -> Tables:
    _require_all(users, "attribute")
    return tables


# Tables: from one report of all items, from sets of attributes, or from coefficients.


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


def _draw_joint(oracle: Stated, value: Items, draws: Draws) -> Row:
    whole = oracle.combinations
    return kind_of(whole).draw(whole, cell_of(oracle.domains, range(len(value)), value), draws)


def _from_joint(oracle: Stated, rows: Rows) -> Tables:
    joint = exact_estimates(oracle.combinations, rows)
    return [_summed(oracle.domains, joint, range(len(oracle.domains)), subset) for subset in _subsets(oracle)]


def _tables(oracle: Stated) -> list[Part]:
    sets = zip(oracle.sets, tables_of(oracle), strict=True)
    return [Part(1, table, partial(cell_of, oracle.domains, subset)) for subset, table in sets]


def _from_sets(oracle: Stated, users: Sequence[int], tables: Tables) -> Tables:
    """Average the tables of the sets that contain a table's attributes: by users times precision, over their cells."""
    found = []
    for subset in _subsets(oracle):
        weights, told = [], []
        for own, part, count, table in zip(oracle.sets, tables_of(oracle), users, tables, strict=True):
            if count and set(subset) <= set(own):
                weights.append(count * part.precision / part.k)
                told.append(_summed(oracle.domains, table, own, subset))
        if not told:
            raise NoAnswerError(f"the table of attributes {subset} must have a report, got none")
        found.append([sum_product(weights, of_cell) / sum(weights) for of_cell in zip(*told, strict=True)])
    return found


def _draw_turned(oracle: Stated, value: Items, draws: Draws) -> Row:
    return {"bits": packed_bits([item ^ draws.bernoulli(oracle.turned) for item in value])}


def _from_turned(oracle: Stated, rows: Rows) -> Tables:
    """Estimate the coefficients of each table, by the cells of the turned bits; one of more bits was turned more."""
    bits = [unpacked_bits(row["bits"], len(oracle.domains)) for row in rows]
    found = []
    for subset in _subsets(oracle):
        cells = [cell_of(oracle.domains, subset, own) for own in bits]
        counts = [Fraction(cells.count(cell), len(rows)) for cell in range(1 << oracle.k)]
        means = [signed_sum(counts, a) / (1 - 2 * oracle.turned) ** a.bit_count() for a in range(1 << oracle.k)]
        found.append(_table_of_means(means))
    return found


def _columns_coefficient(oracle: Stated) -> list[Column]:
    return [Numbers("coefficient", len(oracle.sets) * (2**oracle.k - 1)), Numbers("bit", 2)]


def _told_coefficient(oracle: Stated, value: Items, draws: Draws) -> tuple[Row, int]:
    coefficient = draws.uniform_below(len(oracle.sets) * (2**oracle.k - 1))
    table, number = divmod(coefficient, 2**oracle.k - 1)
    return {"coefficient": coefficient}, parity(cell_of(oracle.domains, oracle.sets[table], value) & number + 1)


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
    return [signed_sum(means, cell) / len(means) for cell in range(len(means))]


def _told_product(oracle: Stated, value: Items, draws: Draws) -> tuple[Row, int]:
    """Choose a set, for each of its attributes a function and then a sign, and multiply the signs."""
    functions, branch, place, minus = functions_of(oracle), draws.choose(oracle.weights), 0, 0
    for i in oracle.sets[branch]:
        chosen = draws.choose(functions[i].weights)
        mean = Fraction(functions[i].numerators[chosen][value[i]], functions[i].denominator)
        minus ^= draws.bernoulli((1 - mean) / 2)
        place = place * len(functions[i].weights) + chosen
    return {"report": 2 * (starts_of(oracle)[branch] + place)}, minus


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
            table.append(sum_product(told, (prod(map(getitem, own, chosen), start=Fraction(1)) for chosen in choices)))
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
    columns = [solve(as_flint(rows), [one * (row == own) for row in range(items)]) for own in range(items)]
    return [list(of_item) for of_item in zip(*columns, strict=True)]


_OF_ALL = Kind(lambda oracle: columns_of(oracle.combinations), _draw_joint, _from_joint)
_OF_SETS = mixture("set", 0, _tables, _from_sets)
_OF_PRODUCTS = sign(lambda oracle: [Numbers("report", 2 * starts_of(oracle)[-1])], _told_product, _from_products)

KINDS: dict[str, Kind] = {
    **LEAVES,
    "hh": levels(lambda oracle, level, value: value // level.items, _items_of_tree),
    "haar": levels(lambda oracle, level, value: value // level.half, _items_of_halves),
    "blocks": levels(lambda oracle, level, value: value, _items_of_circle),
    "warped-blocks": mixture("partition", 1, _parts_of_partitions, _items_of_partitions),
    "hh2": levels(_node_of_pair, _items_of_trees),
    "blocks2": levels(lambda oracle, level, value: value, _items_of_torus),
    "haar2": levels(_half_of_pair, _items_of_quarters),
    "spl": side_by_side(_draw_all),
    "smp": mixture("attribute", 0, _attributes, _of_attributes),
    "rs+fd": side_by_side(_draw_among_fakes),
    **dict.fromkeys(("inprr:sue", "inprr:oue", "inpps", "inpolh", "inphtcms"), _OF_ALL),
    "inpem": Kind(lambda oracle: [Bits("bits", len(oracle.domains))], _draw_turned, _from_turned),
    **dict.fromkeys(("margrr:sue", "margrr", "margps", "calm"), _OF_SETS),
    "marght": sign(_columns_coefficient, _told_coefficient, _from_coefficients),
    **dict.fromkeys(("inpht", "inpes"), _OF_PRODUCTS),
}
"""By the names of oracles."""
