"""VIPR 1.1 certificates: a design, its program and its proof of optimality.

Cheung, Gleixner, Steffy, "Verifying integer programming results", IPCO 2017. The certificate states the program with
rational data (`mechdesign.exports.stated_lp`), the mechanism as a solution, and one derivation: the combination of rows
that gives `objective >= lower_bound`. The range to be proved is [lower_bound, score], one number for an exact design.
"""

from collections.abc import Iterator

from mechdesign.designs import Design
from mechdesign.exports.remarks import remarks
from mechdesign.exports.row_multipliers import RowMultipliers, row_multipliers
from mechdesign.exports.stated_lp import Block, StatedLP, Terms, WideRows, state_lp
from mechdesign.rational import fraction_text


def vipr_lines(design: Design) -> Iterator[str]:
    """Yield the certificate of a design line by line.

    Raises:
        InputError: for a program of too many rows.
        RefusedError: if the proof does not carry over to rows.
    """
    yield from (f"% {line}\n" for line in remarks(design.problem))
    design = design.at_alpha
    program = state_lp(design.problem)
    multipliers = row_multipliers(design, program)
    yield f"VER 1.1\nVAR {program.n_variables}\n"
    yield from (f"{name}\n" for name in program.variable_names)
    yield f"INT 0\nOBJ min\n{_terms_text(program.objective)}\n"
    yield from _constraint_lines(program)
    yield f"RTP range {fraction_text(design.lower_bound)} {fraction_text(design.score)}\n"
    yield from _solution_lines(design, program)
    yield from _derivation_lines(design, multipliers)


def _terms_text(terms: Terms) -> str:
    pairs = zip(terms.variables, terms.coefficients, strict=True)
    return " ".join([str(len(terms.variables)), *(f"{x} {fraction_text(c)}" for x, c in pairs)])


def _constraint_lines(program: StatedLP) -> Iterator[str]:
    yield f"CON {program.n_entries + program.n_rows} {program.n_entries}\n"
    yield from (f"bound_{place} G 0 1 {entry} 1\n" for entry, place in enumerate(program.places))
    for block in program.blocks:
        yield from _block_lines(program, block)


def _block_lines(program: StatedLP, block: Block) -> Iterator[str]:
    if isinstance(block, WideRows):
        for row in block.rows:
            yield f"{row.name} {row.sense} {fraction_text(row.rhs)} {_terms_text(row.terms)}\n"
        return
    ratio = fraction_text(-block.ratio)
    for name, (upper, lower) in zip(program.row_names(block), block.pairs(), strict=True):
        yield f"{name} {block.sense} 0 2 {upper} 1 {lower} {ratio}\n"


def _solution_lines(design: Design, program: StatedLP) -> Iterator[str]:
    mechanism, size = design.mechanism, design.problem.size
    entries = [(i * size + j, i, j) for i in range(size) for j in range(size) if mechanism.weights[i][j]]
    worst = design.problem.is_worst_case
    yield f"SOL 1\nmechanism {len(entries) + worst}\n"
    yield from (f"{entry} {fraction_text(mechanism.fraction(i, j))}\n" for entry, i, j in entries)
    if worst:
        yield f"{program.n_entries} {fraction_text(design.score)}\n"


def _derivation_lines(design: Design, multipliers: RowMultipliers) -> Iterator[str]:
    yield f"DER 1\nproof G {fraction_text(design.lower_bound)} OBJ {{ lin {len(multipliers)}\n"
    yield from (f"{number} {m}\n" for number, m in multipliers.items())
    yield "} -1\n"
